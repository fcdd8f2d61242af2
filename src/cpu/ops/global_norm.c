// global_norm.c - BatchNormWithGlobalNormalization and its gradient, which are
// those of networks of 2015.
#include <math.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "op/norm.h"

enum { GRAIN = 1 << 14 };  // Elements that are worth a thread.

typedef struct work {
  const berth_global_norm_t *norm;
  void *const *args;
} work_t;

// (x - mean) / sqrt(variance + epsilon), times gamma where it is asked for, plus
// beta.
static void norm_piece(void *arg, int64_t begin, int64_t end) {
  const work_t *work = arg;
  const berth_global_norm_t *norm = work->norm;
  berth_dtype_t type = norm->dtype;
  for (int64_t i = begin; i < end; ++i) {
    int64_t c = i % norm->channels;
    double x = berth_number_at(type, work->args[0], i);
    double mean = berth_number_at(type, work->args[1], c);
    double variance = berth_number_at(type, work->args[2], c);
    double beta = berth_number_at(type, work->args[3], c);
    double scale = 1 / sqrt(variance + (double)norm->epsilon);
    if (norm->has_scale) scale *= berth_number_at(type, work->args[4], c);
    berth_number_set(type, work->args[5], i, (x - mean) * scale + beta);
  }
}

static berth_code_t run_norm(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const berth_global_norm_t *norm = plan;
  work_t work = {norm, args};
  berth_parallel_for(norm->count, GRAIN, norm_piece, &work);
  return BERTH_OK;
}

// Channels [begin, end) of all five gradients.
static void grad_piece(void *arg, int64_t begin, int64_t end) {
  const work_t *work = arg;
  const berth_global_norm_t *norm = work->norm;
  berth_dtype_t type = norm->dtype;
  for (int64_t c = begin; c < end; ++c) {
    double mean = berth_number_at(type, work->args[1], c);
    double variance = berth_number_at(type, work->args[2], c);
    double root = 1 / sqrt(variance + (double)norm->epsilon), scale = root;
    if (norm->has_scale) scale *= berth_number_at(type, work->args[3], c);
    double sum = 0, along = 0;
    for (int64_t i = c; i < norm->count; i += norm->channels) {
      double slope = berth_number_at(type, work->args[4], i);
      sum += slope;
      along += slope * (berth_number_at(type, work->args[0], i) - mean);
      berth_number_set(type, work->args[5], i, slope * scale);
    }
    berth_number_set(type, work->args[6], c, -sum * scale);
    berth_number_set(type, work->args[7], c, along * scale * root * root / -2);
    berth_number_set(type, work->args[8], c, sum);
    berth_number_set(type, work->args[9], c,
                     norm->has_scale ? along * root : 0);
  }
}

static berth_code_t run_grad(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const berth_global_norm_t *norm = plan;
  work_t work = {norm, args};
  int64_t rows = norm->channels > 0 ? norm->count / norm->channels : 0;
  berth_parallel_for(norm->channels, GRAIN / (rows + 1) + 1, grad_piece, &work);
  return BERTH_OK;
}

static berth_code_t prepare_norm(berth_prepare_t *prepare, berth_error_t *err) {
  berth_global_norm_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_global_norm(&prepare->op, plan, err));
  prepare->run = prepare->op.output_count > 1 ? run_grad : run_norm;
  prepare->work = plan->count * 5;
  return BERTH_OK;
}

#define NARROW (BERTH_TYPES_FLOATING & ~BERTH_TYPE(BFLOAT16))

const berth_kernel_t berth_cpu_global_norm_kernels[] = {
    {.op = "BatchNormWithGlobalNormalization",
     .types = {{"T", NARROW}},
     .prepare = prepare_norm},
    {.op = "BatchNormWithGlobalNormalizationGrad",
     .types = {{"T", NARROW}},
     .prepare = prepare_norm},
    {.op = NULL},
};
