// fft.c - cuFFT's transforms, on the host.
//
// In double precision, line by line along each dimension, by the factors of its
// length. What is half a spectrum is made whole first.
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "softgpu/context.h"
#include "softgpu/exports.h"
#include "softgpu/space.h"
#include "softgpu/stream.h"

typedef double complex number_t;

enum { RANK = 3, ROOM = 512 };

// One side: how it lies.
typedef struct side {
  int64_t dims[RANK];
  int64_t step;
  cudaDataType_t type;
} side_t;

typedef struct plan {
  int handle;
  struct plan *next;
  CUcontext context;
  unsigned generation;  // Of the context.
  CUstream stream;
  void *room;
  bool is_made;
  int64_t sizes[RANK];  // Dimensions that are not there are 1 and come first.
  int64_t batch;
  side_t in, out;
} plan_t;

typedef struct job {
  plan_t plan;
  const void *from;
  void *to;
  double sign;
} job_t;

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards the list.
static plan_t *plans;
static int last_handle;

// ---- Lines ----

// The transform of |n| numbers |step| apart; |turns| has e^(i sign 2 pi k / n)
// |turn| apart. |spare| is for as many as the largest factor is.
static void do_line(const number_t *in, int64_t step, int64_t n, number_t *out,
                    const number_t *turns, int64_t turn, number_t *spare) {
  if (n == 1) {
    *out = *in;
    return;
  }
  int64_t r = 2;
  while (n % r != 0 && r * r <= n) ++r;
  if (n % r != 0) r = n;
  int64_t m = n / r;
  for (int64_t j = 0; j < r; ++j) {
    do_line(in + j * step, step * r, m, out + j * m, turns, turn * r, spare);
  }
  for (int64_t k = 0; k < m; ++k) {
    for (int64_t j = 0; j < r; ++j) {
      spare[j] = out[j * m + k] * turns[j * k * turn];
    }
    for (int64_t q = 0; q < r; ++q) {
      number_t sum = spare[0];
      for (int64_t j = 1; j < r; ++j) {
        sum += spare[j] * turns[j * q % r * m * turn];
      }
      out[q * m + k] = sum;
    }
  }
}

static int64_t count_of(const int64_t *dims) {
  return dims[0] * dims[1] * dims[2];
}

// e^(i sign 2 pi k / n), exact for quarters of a turn.
static number_t turn_of(double sign, int64_t k, int64_t n) {
  static const number_t quarters[] = {1, I, -1, -I};
  if (4 * k % n == 0) {
    number_t x = quarters[4 * k / n];
    return sign > 0 ? x : conj(x);
  }
  return cexp(sign * 2 * M_PI * (double)k / (double)n * I);
}

// Transforms |data| along dimension |axis|; |work| has room for four lines.
static void do_axis(const job_t *job, int axis, number_t *data,
                    number_t *work) {
  const int64_t *sizes = job->plan.sizes;
  int64_t n = sizes[axis], step = 1, count = count_of(sizes);
  number_t *turns = work, *spare = work + n, *out = work + 2 * n;
  for (int i = axis + 1; i < RANK; ++i) step *= sizes[i];
  for (int64_t i = 0; i < n; ++i) {
    turns[i] = turn_of(job->sign, i, n);
  }
  for (int64_t i = 0; i < count / n; ++i) {
    number_t *line = data + i / step * step * n + i % step;
    do_line(line, step, n, out, turns, 1, spare);
    for (int64_t k = 0; k < n; ++k) line[k * step] = out[k];
  }
}

// ---- In and out ----

static number_t load(const side_t *side, const void *data, int64_t at) {
  switch (side->type) {
    case CUDA_R_32F:
      return ((const float *)data)[at];
    case CUDA_R_64F:
      return ((const double *)data)[at];
    case CUDA_C_32F:
      return ((const float complex *)data)[at];
    default:
      return ((const number_t *)data)[at];
  }
}

static void store(const side_t *side, void *data, int64_t at, number_t x) {
  switch (side->type) {
    case CUDA_R_32F:
      ((float *)data)[at] = (float)creal(x);
      break;
    case CUDA_R_64F:
      ((double *)data)[at] = creal(x);
      break;
    case CUDA_C_32F:
      ((float complex *)data)[at] = (float complex)x;
      break;
    default:
      ((number_t *)data)[at] = x;
  }
}

static bool is_real(cudaDataType_t type) {
  return type == CUDA_R_32F || type == CUDA_R_64F;
}

static int64_t place(const side_t *side, const int64_t *at) {
  return (at[0] * side->dims[1] + at[1]) * side->dims[2] + at[2];
}

static void split(const int64_t *sizes, int64_t i, int64_t *at) {
  at[2] = i % sizes[2];
  at[1] = i / sizes[2] % sizes[1];
  at[0] = i / sizes[2] / sizes[1];
}

static void load_all(const job_t *job, int64_t index, number_t *data) {
  const plan_t *p = &job->plan;
  const int64_t *sizes = p->sizes;
  for (int64_t i = 0; i < count_of(sizes); ++i) {
    int64_t at[RANK];
    split(sizes, i, at);
    bool is_mirrored = is_real(p->out.type) && at[2] > sizes[2] / 2;
    for (int k = 0; is_mirrored && k < RANK; ++k) {
      at[k] = (sizes[k] - at[k]) % sizes[k];
    }
    number_t x =
        load(&p->in, job->from, index * p->in.step + place(&p->in, at));
    data[i] = is_mirrored ? conj(x) : x;
  }
}

static void store_all(const job_t *job, int64_t index, const number_t *data) {
  const plan_t *p = &job->plan;
  bool is_half = is_real(p->in.type);
  for (int64_t i = 0; i < count_of(p->sizes); ++i) {
    int64_t at[RANK];
    split(p->sizes, i, at);
    if (is_half && at[2] > p->sizes[2] / 2) continue;
    store(&p->out, job->to, index * p->out.step + place(&p->out, at), data[i]);
  }
}

static void run_job(CUstream stream, const void *payload) {
  (void)stream;
  const job_t *job = payload;
  const int64_t *sizes = job->plan.sizes;
  int64_t count = count_of(sizes), most = sizes[0];
  for (int i = 1; i < RANK; ++i) most = sizes[i] > most ? sizes[i] : most;
  number_t *data = berth_alloc((size_t)(count + 4 * most) * sizeof(*data));
  if (data == NULL) {
    berth_soft_trap(CUDA_ERROR_LAUNCH_FAILED);
    return;
  }
  for (int64_t i = 0; i < job->plan.batch; ++i) {
    load_all(job, i, data);
    for (int axis = 0; axis < RANK; ++axis) {
      if (sizes[axis] > 1) do_axis(job, axis, data, data + count);
    }
    store_all(job, i, data);
  }
  // The card's library spoils what it transforms back to real numbers.
  if (is_real(job->plan.out.type)) {
    side_t in = job->plan.in;
    void *from;
    memcpy(&from, &job->from, sizeof(from));
    store(&in, from, 0, NAN);
  }
  berth_free(data);
}

static const berth_soft_work_kind_t kind = {"transform", run_job, NULL, false};
static const berth_soft_work_kind_t stray_kind = {
    "transform", berth_soft_run_stray, NULL, false};

// ---- Plans ----

// Lock held. Returns the link to the plan of |handle|, to NULL where there is
// none.
static plan_t **find(cufftHandle handle) {
  plan_t **link = &plans;
  while (*link != NULL && (*link)->handle != handle) link = &(*link)->next;
  return link;
}

cufftResult cufftCreate(cufftHandle *plan) {
  CUcontext context = NULL;
  if (plan == NULL) return CUFFT_INVALID_VALUE;
  if (berth_soft_context_current(&context) != CUDA_SUCCESS) {
    return CUFFT_SETUP_FAILED;
  }
  plan_t *made = berth_calloc(1, sizeof(*made));
  if (made == NULL) return CUFFT_ALLOC_FAILED;
  made->context = context;
  made->generation = atomic_load(&context->generation);
  berth_mutex_lock(&lock);
  made->handle = ++last_handle;
  made->next = plans;
  plans = made;
  berth_mutex_unlock(&lock);
  *plan = made->handle;
  return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle plan) {
  berth_mutex_lock(&lock);
  plan_t **link = find(plan), *found = *link;
  if (found != NULL) *link = found->next;
  berth_mutex_unlock(&lock);
  berth_free(found);
  return found != NULL ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetAutoAllocation(cufftHandle plan, int allocates) {
  berth_mutex_lock(&lock);
  bool is_there = *find(plan) != NULL;
  berth_mutex_unlock(&lock);
  if (!is_there) return CUFFT_INVALID_PLAN;
  return allocates == 0 ? CUFFT_SUCCESS : CUFFT_NOT_SUPPORTED;
}

cufftResult cufftSetStream(cufftHandle plan, CUstream stream) {
  berth_mutex_lock(&lock);
  plan_t *found = *find(plan);
  if (found != NULL) found->stream = stream;
  berth_mutex_unlock(&lock);
  return found != NULL ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetWorkArea(cufftHandle plan, void *room) {
  berth_mutex_lock(&lock);
  plan_t *found = *find(plan);
  if (found != NULL) found->room = room;
  berth_mutex_unlock(&lock);
  return found != NULL ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

static void set_side(side_t *side, int rank, const long long *dims,
                     long long step, cudaDataType_t type) {
  side->step = step;
  side->type = type;
  for (int i = 0; i < RANK; ++i) {
    int at = i - RANK + rank;
    side->dims[i] = at < 0 ? 1 : dims[at];
  }
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *sizes,
                                long long *in_dims, long long in_stride,
                                long long in_step, cudaDataType_t in_type,
                                long long *out_dims, long long out_stride,
                                long long out_step, cudaDataType_t out_type,
                                long long batch, size_t *room,
                                cudaDataType_t compute) {
  side_t all;
  if (rank < 1 || rank > RANK || in_stride != 1 || out_stride != 1 ||
      room == NULL || batch < 1) {
    return CUFFT_INVALID_VALUE;
  }
  if (compute != CUDA_C_32F && compute != CUDA_C_64F) return CUFFT_INVALID_TYPE;
  berth_mutex_lock(&lock);
  plan_t *found = *find(plan);
  if (found != NULL) {
    set_side(&found->in, rank, in_dims, in_step, in_type);
    set_side(&found->out, rank, out_dims, out_step, out_type);
    set_side(&all, rank, sizes, 0, compute);
    memcpy(found->sizes, all.dims, sizeof(found->sizes));
    found->batch = batch;
    found->is_made = true;
  }
  berth_mutex_unlock(&lock);
  *room = ROOM;
  return found != NULL ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

static size_t size_of(cudaDataType_t type) {
  return type == CUDA_R_32F                         ? sizeof(float)
         : type == CUDA_R_64F || type == CUDA_C_32F ? sizeof(double)
                                                    : sizeof(number_t);
}

static bool is_reachable(const side_t *side, int64_t batch, const void *data) {
  return berth_soft_space_covers(
      (uintptr_t)data, (uint64_t)(side->step * batch) * size_of(side->type),
      BERTH_SOFT_ANY);
}

cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction) {
  job_t job = {.from = in, .to = out, .sign = direction};
  CUstream stream = NULL;
  berth_mutex_lock(&lock);
  const plan_t *found = *find(plan);
  if (found != NULL) job.plan = *found;
  berth_mutex_unlock(&lock);
  if (found == NULL || !job.plan.is_made) return CUFFT_INVALID_PLAN;
  // One that went with its context.
  if (job.plan.generation != atomic_load(&job.plan.context->generation)) {
    return CUFFT_INVALID_PLAN;
  }
  if (job.plan.room == NULL) return CUFFT_NO_WORKSPACE;
  // As the library: real numbers lie like complex ones.
  size_t whole = 2 * (size_of(job.plan.out.type) < sizeof(double) ||
                              job.plan.in.type == CUDA_R_32F ||
                              job.plan.in.type == CUDA_C_32F
                          ? sizeof(float)
                          : sizeof(double));
  if ((uintptr_t)in % whole != 0 || (uintptr_t)out % whole != 0) {
    return CUFFT_INVALID_VALUE;
  }
  if (berth_soft_stream_find(job.plan.stream, &stream) != CUDA_SUCCESS) {
    return CUFFT_INVALID_PLAN;
  }
  bool is_near = is_reachable(&job.plan.in, job.plan.batch, in) &&
                 is_reachable(&job.plan.out, job.plan.batch, out);
  return berth_soft_submit(stream, is_near ? &kind : &stray_kind, &job,
                           sizeof(job)) == CUDA_SUCCESS
             ? CUFFT_SUCCESS
             : CUFFT_EXEC_FAILED;
}
