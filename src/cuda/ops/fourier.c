// fourier.c - Kernels of Fourier transforms, by cuFFT; without it by the host.
#include "op/fourier.h"

#include "cuda/code/fft.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/fourier_params.h"
#include "cuda/ops/hosted.h"

typedef struct plan {
  berth_fft_plan_t *fft;  // In the arena; what a run may change is guarded.
  int scale;              // A kernel.
  bool copies;            // The library would overwrite the input.
  size_t in_bytes, alignment;
  uint64_t parts;  // Real numbers that come out.
  double factor;
  berth_shape_t shape;
} plan_t;

static uintptr_t round_up(uintptr_t at) {
  return (at + BERTH_FFT_ALIGNMENT - 1) & ~(uintptr_t)(BERTH_FFT_ALIGNMENT - 1);
}

static berth_code_t transform(const plan_t *plan, void *in, void *out,
                              void *scratch, berth_call_t *call) {
  void *room = (void *)round_up((uintptr_t)scratch);
  void *copy = (char *)room + round_up(plan->fft->room);
  if (plan->copies || (uintptr_t)in % plan->alignment != 0) {
    BERTH_TRY(berth_cuda_copy(call, copy, in, plan->in_bytes));
    in = copy;
  }
  BERTH_TRY(berth_fft_run(plan->fft, in, out, room, call));
  if (!plan->fft->fourier.is_inverse) return BERTH_OK;
  berth_fourier_params_t params = {out, plan->parts, plan->factor};
  return berth_cuda_launch(call, plan->scale, plan->parts, &params,
                           sizeof(params));
}

static berth_code_t run_fourier(const void *arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = arg;
  berth_dims_t dims = berth_shape_dims(&plan->shape);
  void *scratch = args[call->node->input_count + 1];
  BERTH_TRY(berth_tensor_make(call->allocator, call->node->output_types[0],
                              dims.rank, dims.dims, berth_dims_count(dims),
                              &call->outputs[0], call->err));
  return transform(plan, args[0], call->outputs[0]->data, scratch, call);
}

static berth_code_t set_plan(plan_t *plan, const berth_prepare_t *prepare,
                             berth_error_t *err) {
  const berth_fourier_t *f = &plan->fft->fourier;
  bool is_wide = plan->fft->is_wide;
  berth_dtype_t in = prepare->op.inputs[0].dtype;
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  plan->scale = berth_cuda_kernel_for("fourier", "berth_fourier_scale",
                                      is_wide ? BERTH_DOUBLE : BERTH_FLOAT);
  if (plan->scale < 0) return berth_error_no_memory(err, "a kernel");
  plan->copies = f->is_real && f->is_inverse;
  plan->in_bytes = (size_t)prepare->op.inputs[0].count * berth_dtype_size(in);
  plan->alignment = is_wide ? 2 * sizeof(double) : 2 * sizeof(float);
  plan->parts = (uint64_t)count * (plan->copies ? 1 : 2);
  plan->factor = 1;
  for (int i = 0; i < BERTH_FOURIER_RANK; ++i) {
    plan->factor /= (double)f->sizes[i];
  }
  plan->shape = prepare->op.outputs[0];
  return BERTH_OK;
}

static berth_code_t prepare_fourier(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  berth_fourier_t fourier;
  BERTH_TRY(berth_op_fourier(&prepare->op, &fourier, err));
  berth_dtype_t in = prepare->op.inputs[0].dtype;
  if (prepare->op.inputs[0].count == 0 ||
      berth_dims_count(berth_case_output_dims(&prepare->op, 0)) == 0) {
    return berth_cuda_prepare_hosted(prepare, err);
  }
  plan_t *plan =
      berth_prepare_plan(prepare, sizeof(*plan) + sizeof(berth_fft_plan_t));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->fft = (berth_fft_plan_t *)(void *)(plan + 1);
  berth_error_t reason = BERTH_ERROR_INIT;
  berth_code_t code = berth_fft_prepare(
      prepare, &fourier, in == BERTH_DOUBLE || in == BERTH_COMPLEX128,
      plan->fft, &reason);
  if (code == BERTH_UNAVAILABLE || code == BERTH_UNIMPLEMENTED) {
    berth_error_clear(&reason);
    return berth_cuda_prepare_hosted(prepare, err);
  }
  if (code != BERTH_OK) return berth_error_move(err, &reason);
  BERTH_TRY(set_plan(plan, prepare, err));
  // Real numbers may lie where the library does not take them.
  prepare->scratch_size = round_up(plan->fft->room) + BERTH_FFT_ALIGNMENT +
                          (fourier.is_real ? plan->in_bytes : 0);
  prepare->run = run_fourier;
  return BERTH_OK;
}

#define FOURIER(name) \
  { .op = name, .prepare = prepare_fourier, .traits = BERTH_HOSTED_TRAITS }

const berth_kernel_t berth_cuda_fourier_kernels[] = {
    FOURIER("FFT"),   FOURIER("IFFT"),   FOURIER("RFFT"),   FOURIER("IRFFT"),
    FOURIER("FFT2D"), FOURIER("IFFT2D"), FOURIER("RFFT2D"), FOURIER("IRFFT2D"),
    FOURIER("FFT3D"), FOURIER("IFFT3D"), FOURIER("RFFT3D"), FOURIER("IRFFT3D"),
    {.op = NULL},
};
