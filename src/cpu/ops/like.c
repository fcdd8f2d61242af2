// like.c - The kernels ZerosLike and OnesLike.
#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/ops/move.h"
#include "cpu/ops/sweep.h"
#include "op/elementwise.h"

typedef struct like_job {
  const berth_like_t *plan;
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
  berth_parallel_for(job.plan->count * (int64_t)job.plan->size, PIECE, do_zeros,
                     &job);
  return BERTH_OK;
}

// Doubles what is there until the piece is full.
static void do_ones(void *arg, int64_t begin, int64_t end) {
  const like_job_t *job = arg;
  const size_t size = job->plan->size;
  char *out = job->out + (size_t)begin * size;
  const size_t total = (size_t)(end - begin) * size;
  size_t done = size;
  memcpy(out, job->plan->element, done);
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
  berth_parallel_for(job.plan->count, PIECE / (int64_t)job.plan->size, do_ones,
                     &job);
  return BERTH_OK;
}

static berth_code_t prepare_like(berth_prepare_t *prepare,
                                 const berth_like_t *like, berth_run_fn run,
                                 berth_error_t *err) {
  berth_like_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = *like;
  prepare->run = like->count > 0 ? run : berth_run_nothing;
  prepare->work = like->count * (int64_t)like->size / 20;
  return BERTH_OK;
}

static berth_code_t prepare_zeros(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_like_t like;
  BERTH_TRY(berth_op_zeros_like(&prepare->op, &like, err));
  return prepare_like(prepare, &like, run_zeros, err);
}

static berth_code_t prepare_ones(berth_prepare_t *prepare, berth_error_t *err) {
  berth_like_t like;
  BERTH_TRY(berth_op_ones_like(&prepare->op, &like, err));
  return prepare_like(prepare, &like, run_ones, err);
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
