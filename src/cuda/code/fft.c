// fft.c - Fourier transforms by cuFFT: planned once, then queued.
#include "cuda/code/fft.h"

#include "base/fork.h"
#include "cuda/card/admit.h"
#include "cuda/stream/device_internal.h"

// Guards the library's plans, and is held while one is used.
static berth_mutex_t lock = BERTH_MUTEX_INIT;
BERTH_FORK_HOLDS(lock, BERTH_FORK_HANDLE)

// Of one side of a transform.
typedef struct side {
  long long dims[BERTH_FOURIER_RANK];
  long long step;  // From one transform to the next.
  cudaDataType_t type;
} side_t;

static side_t side_of(const int64_t *dims, int first, cudaDataType_t type) {
  side_t side = {.step = 1, .type = type};
  for (int i = first; i < BERTH_FOURIER_RANK; ++i) {
    side.dims[i - first] = dims[i];
    side.step *= dims[i];
  }
  return side;
}

// Dimensions of one element in front are none.
static int first_of(const berth_fourier_t *f) {
  int first = 0;
  while (first < BERTH_FOURIER_RANK - 1 && f->sizes[first] == 1 &&
         f->in[first] == 1) {
    ++first;
  }
  return first;
}

// On failure a plan may be there that knows nothing.
static berth_code_t describe(const berth_fft_plan_t *plan, size_t *out_room,
                             berth_error_t *err) {
  const berth_fourier_t *f = &plan->fourier;
  cudaDataType_t number = plan->is_wide ? CUDA_C_64F : CUDA_C_32F;
  cudaDataType_t real = plan->is_wide ? CUDA_R_64F : CUDA_R_32F;
  int first = first_of(f);
  side_t in =
      side_of(f->in, first, f->is_real && !f->is_inverse ? real : number);
  side_t out =
      side_of(f->out, first, f->is_real && f->is_inverse ? real : number);
  side_t sizes = side_of(f->sizes, first, number);
  BERTH_FFT_TRY(err, cufftSetAutoAllocation, plan->handle, 0);
  BERTH_FFT_TRY(err, cufftXtMakePlanMany, plan->handle,
                BERTH_FOURIER_RANK - first, sizes.dims, in.dims, 1, in.step,
                in.type, out.dims, 1, out.step, out.type, f->batch, out_room,
                number);
  return BERTH_OK;
}

// Lock held, the card's context bound. What was made before a reset went with
// the context.
static berth_code_t make(berth_fft_plan_t *plan, berth_error_t *err) {
  uint64_t live = atomic_load(&plan->card->live);
  if (plan->generation == live) return BERTH_OK;
  berth_cuda_act_t act;
  size_t room = 0;
  BERTH_TRY(berth_cuda_admit(plan->card, BERTH_COST_PLAN, &act, err));
  cufftResult result = BERTH_FFT(cufftCreate, &plan->handle);
  berth_code_t code = result == CUFFT_SUCCESS
                          ? describe(plan, &room, err)
                          : berth_cufft_error(err, result, "cufftCreate");
  berth_cuda_admitted(&act);
  bool is_first = plan->generation == 0;
  if (code == BERTH_OK && !is_first && room > plan->room) {
    code = berth_error_set(err, BERTH_INTERNAL,
                           "cuFFT wants more to work in than before");
  }
  if (code != BERTH_OK) {
    if (result == CUFFT_SUCCESS) (void)BERTH_FFT(cufftDestroy, plan->handle);
    return code;
  }
  if (is_first) plan->room = room;
  plan->told = NULL;
  plan->generation = live;
  return BERTH_OK;
}

// What the arena of a plan calls.
static void drop(void *arg) {
  const berth_fft_plan_t *plan = arg;
  if (plan->generation == 0 ||
      !berth_cuda_enter_old(plan->card, plan->generation)) {
    return;
  }
  (void)BERTH_FFT(cufftDestroy, plan->handle);
  berth_cuda_leave_old(plan->card);
}

berth_code_t berth_fft_prepare(berth_prepare_t *prepare,
                               const berth_fourier_t *fourier, bool is_wide,
                               berth_fft_plan_t *out_plan, berth_error_t *err) {
  BERTH_TRY(berth_cufft_open(err));
  BERTH_TRY(berth_device_start(prepare->device, err));
  *out_plan =
      (berth_fft_plan_t){.card = ((berth_cuda_device_t *)prepare->device)->card,
                         .fourier = *fourier,
                         .is_wide = is_wide};
  BERTH_TRY(berth_cuda_bind(out_plan->card, err));
  berth_mutex_lock(&lock);
  berth_code_t code = make(out_plan, err);
  berth_mutex_unlock(&lock);
  if (code != BERTH_OK) return code;
  if (berth_prepare_own(prepare, out_plan, drop)) return BERTH_OK;
  return berth_error_no_memory(err, "the plan of a transform");
}

// Lock held.
static berth_code_t queue(berth_fft_plan_t *plan, void *in, void *out,
                          void *room, berth_call_t *call) {
  CUstream stream = ((berth_cuda_stream_t *)call->stream)->native;
  BERTH_TRY(make(plan, call->err));
  BERTH_FFT_TRY(call->err, cufftSetStream, plan->handle, stream);
  // Telling the library takes it longer than many a transform.
  if (plan->room > 0 && plan->told != room) {
    BERTH_FFT_TRY(call->err, cufftSetWorkArea, plan->handle, room);
    plan->told = room;
  }
  BERTH_FFT_TRY(call->err, cufftXtExec, plan->handle, in, out,
                plan->fourier.is_inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
  return BERTH_OK;
}

berth_code_t berth_fft_run(berth_fft_plan_t *plan, void *in, void *out,
                           void *room, berth_call_t *call) {
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)call->stream;
  BERTH_TRY(berth_cuda_stream_enter(stream, call->err));
  berth_mutex_lock(&lock);
  berth_code_t code = queue(plan, in, out, room, call);
  berth_mutex_unlock(&lock);
  // Even what has failed may have queued something.
  berth_cuda_stream_queued(stream);
  return code;
}
