// like.c - The kernels ZerosLike and OnesLike.
#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/ops/move.h"
#include "cpu/ops/sweep.h"
#include "op/value.h"
#include "tensor/complex.h"

typedef struct like_plan {
  int64_t count;
  int64_t size;
  unsigned char one[16];  // The element to store.
} like_plan_t;

typedef struct like_job {
  const like_plan_t *plan;
  char *out;
} like_job_t;

enum { PIECE = 1 << 20 };  // Bytes worth a thread.

static void do_zeros(void *arg, int64_t begin, int64_t end) {
  const like_job_t *job = arg;
  memset(job->out + begin, 0, (size_t)(end - begin));
}

static berth_code_t run_zeros(const void *arg, void *const *args,
                              berth_call_t *call) {
  (void)call;
  like_job_t job = {arg, args[1]};
  berth_parallel_for(job.plan->count * job.plan->size, PIECE, do_zeros, &job);
  return BERTH_OK;
}

// Doubles what is there until the piece is full.
static void do_ones(void *arg, int64_t begin, int64_t end) {
  const like_job_t *job = arg;
  const like_plan_t *plan = job->plan;
  char *out = job->out + begin * plan->size;
  const size_t total = (size_t)((end - begin) * plan->size);
  size_t done = (size_t)plan->size;
  memcpy(out, plan->one, done);
  while (done < total) {
    // Not beyond what stays in the first-level cache.
    size_t most = done < 16384 ? done : 16384;
    size_t n = total - done < most ? total - done : most;
    memcpy(out + done, out, n);
    done += n;
  }
}

static berth_code_t run_ones(const void *arg, void *const *args,
                             berth_call_t *call) {
  (void)call;
  like_job_t job = {arg, args[1]};
  berth_parallel_for(job.plan->count, PIECE / job.plan->size, do_ones, &job);
  return BERTH_OK;
}

static berth_code_t prepare_like(berth_prepare_t *prepare, berth_run_fn run,
                                 like_plan_t **out_plan, berth_error_t *err) {
  const berth_op_input_t *input = &prepare->op.inputs[0];
  berth_op_output(&prepare->op, 0, berth_op_input_dims(&prepare->op, 0));
  like_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->count = input->count;
  plan->size = (int64_t)berth_dtype_size(input->dtype);
  // New strings are empty: nothing to do, and nothing to be taken over.
  bool is_plain = berth_dtype_is_plain(input->dtype);
  prepare->run = is_plain && input->count > 0 ? run : berth_run_nothing;
  prepare->op.may_overwrite = is_plain ? 1 : 0;
  prepare->work = plan->count * plan->size / 20;
  *out_plan = plan;
  return BERTH_OK;
}

static berth_code_t prepare_zeros(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  like_plan_t *plan = NULL;
  return prepare_like(prepare, run_zeros, &plan, err);
}

// Stores the number one as |dtype| in |bytes|.
static void set_one(berth_dtype_t dtype, unsigned char *bytes) {
  const float f32 = 1;
  const double f64 = 1;
  const berth_complex64_t c64 = 1;
  const berth_complex128_t c128 = 1;
  const uint16_t half = 0x3c00, bfloat16 = 0x3f80;
  const uint64_t whole = 1;
  const size_t size = berth_dtype_size(dtype);
  const void *from = &whole;
  if (dtype == BERTH_FLOAT) from = &f32;
  if (dtype == BERTH_DOUBLE) from = &f64;
  if (dtype == BERTH_COMPLEX64) from = &c64;
  if (dtype == BERTH_COMPLEX128) from = &c128;
  if (dtype == BERTH_HALF) from = &half;
  if (dtype == BERTH_BFLOAT16) from = &bfloat16;
  if (from != &whole) {
    memcpy(bytes, from, size);
    return;
  }
  // Whole numbers of any size and either order of bytes.
  for (size_t i = 0; i < size; ++i) {
    size_t at = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : size - 1 - i;
    bytes[at] = (unsigned char)(i == 0);
  }
}

static berth_code_t prepare_ones(berth_prepare_t *prepare, berth_error_t *err) {
  like_plan_t *plan = NULL;
  BERTH_TRY(prepare_like(prepare, run_ones, &plan, err));
  set_one(prepare->op.inputs[0].dtype, plan->one);
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_like_kernels[] = {
    {.op = "ZerosLike",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPE(STRING)}},
     .prepare = prepare_zeros},
    {.op = "OnesLike",
     .types = {{"T", BERTH_TYPES_BASIC}},
     .prepare = prepare_ones},
    {.op = NULL},
};
