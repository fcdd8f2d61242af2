// cross_entropy.c - SoftmaxCrossEntropyWithLogits and the sparse one: a loss for
// each row, and its gradient by the logits.
//
//   shifted = logits - the largest
//   sum = sum of e^shifted
//   loss = sum of label * (log sum - shifted), over labels that are not 0
//   gradient = e^shifted / sum - label
//
// Half and bfloat16 are rounded after each step, as TensorFlow does.
#include <math.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "kernel/places.h"
#include "op/rows.h"
#include "op/types.h"
#include "tensor/half.h"

enum { GRAIN = 4096 };  // Elements that are worth a thread.

typedef struct loss_run {
  const berth_cross_entropy_t *plan;
  const void *logits, *labels;
  void *loss, *gradient;
} loss_run_t;

static double round_to(berth_dtype_t dtype, double x) {
  switch (dtype) {
    case BERTH_FLOAT:
      return (float)x;
    case BERTH_HALF:
      return berth_half_to_float(berth_float_to_half((float)x));
    case BERTH_BFLOAT16:
      return berth_bfloat16_to_float(berth_float_to_bfloat16((float)x));
    default:
      return x;
  }
}

static double value_at(berth_dtype_t dtype, const void *data, int64_t i) {
  switch (dtype) {
    case BERTH_FLOAT:
      return ((const float *)data)[i];
    case BERTH_HALF:
      return berth_half_to_float(((const uint16_t *)data)[i]);
    case BERTH_BFLOAT16:
      return berth_bfloat16_to_float(((const uint16_t *)data)[i]);
    default:
      return ((const double *)data)[i];
  }
}

static void value_set(berth_dtype_t dtype, void *data, int64_t i, double x) {
  switch (dtype) {
    case BERTH_FLOAT:
      ((float *)data)[i] = (float)x;
      break;
    case BERTH_HALF:
      ((uint16_t *)data)[i] = berth_float_to_half((float)x);
      break;
    case BERTH_BFLOAT16:
      ((uint16_t *)data)[i] = berth_float_to_bfloat16((float)x);
      break;
    default:
      ((double *)data)[i] = x;
  }
}

// What is the label of column |i| in row |row|.
static double label_at(const loss_run_t *run, int64_t row, int64_t i) {
  const berth_cross_entropy_t *plan = run->plan;
  if (plan->label_type != BERTH_INVALID) {
    return berth_index_at(plan->label_type, run->labels, row) == i ? 1 : 0;
  }
  return value_at(plan->dtype, run->labels,
                  row * plan->labels_steps[0] + i * plan->labels_steps[1]);
}

static double logit_at(const loss_run_t *run, int64_t row, int64_t i) {
  const berth_cross_entropy_t *plan = run->plan;
  return value_at(plan->dtype, run->logits,
                  row * plan->logits_steps[0] + i * plan->logits_steps[1]);
}

// e^x in the precision that TensorFlow has for |dtype|.
static double exponential(berth_dtype_t dtype, double x) {
  return dtype == BERTH_DOUBLE ? exp(x) : expf((float)x);
}

static void row_run(const loss_run_t *run, int64_t row) {
  const berth_cross_entropy_t *plan = run->plan;
  berth_dtype_t dtype = plan->dtype;
  int64_t first = row * plan->columns;
  double largest = -INFINITY, sum = 0, loss = 0;
  for (int64_t i = 0; i < plan->columns; ++i) {
    double x = logit_at(run, row, i);
    if (x > largest || x != x) largest = x;
  }
  for (int64_t i = 0; i < plan->columns; ++i) {
    double shifted = round_to(dtype, logit_at(run, row, i) - largest);
    value_set(dtype, run->gradient, first + i, shifted);
    double power = round_to(dtype, exponential(dtype, shifted));
    sum = round_to(dtype, sum + power);
  }
  double log_sum = round_to(
      dtype, dtype == BERTH_DOUBLE ? log(sum) : (double)logf((float)sum));
  for (int64_t i = 0; i < plan->columns; ++i) {
    double label = label_at(run, row, i);
    double shifted = value_at(dtype, run->gradient, first + i);
    if (label != 0) {
      double part = round_to(dtype, label * round_to(dtype, log_sum - shifted));
      loss = round_to(dtype, loss + part);
    }
    double power = round_to(dtype, exponential(dtype, shifted));
    value_set(dtype, run->gradient, first + i,
              round_to(dtype, power / sum) - label);
  }
  value_set(dtype, run->loss, row, loss);
}

static void rows_run(void *arg, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) row_run(arg, row);
}

// Fails for the first label that is no class.
static berth_code_t check_labels(const berth_cross_entropy_t *plan,
                                 const void *labels, berth_error_t *err) {
  int64_t bad = 0;
  while (bad < plan->rows) {
    int64_t label = berth_index_at(plan->label_type, labels, bad);
    if (label < 0 || label >= plan->columns) break;
    ++bad;
  }
  if (bad == plan->rows) return BERTH_OK;
  berth_str_t all = {0};
  for (int64_t i = 0; i < plan->rows; ++i) {
    berth_str_printf(&all, " %lld",
                     (long long)berth_index_at(plan->label_type, labels, i));
  }
  berth_code_t code = berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Received a label value of %lld which is outside the valid range of [0, "
      "%lld).  Label values:%s",
      (long long)berth_index_at(plan->label_type, labels, bad),
      (long long)plan->columns, berth_str_get(&all));
  berth_str_clear(&all);
  return code;
}

static berth_code_t run_loss(const void *plan, void *const *args,
                             berth_call_t *call) {
  const berth_cross_entropy_t *with = plan;
  loss_run_t run = {with, args[0], args[1], args[2], args[3]};
  if (with->label_type != BERTH_INVALID) {
    BERTH_TRY(check_labels(with, args[1], call->err));
  }
  berth_parallel_for(with->rows, GRAIN / (with->columns + 1) + 1, rows_run,
                     &run);
  return BERTH_OK;
}

static berth_code_t prepare_loss(berth_prepare_t *prepare, bool is_sparse,
                                 berth_error_t *err) {
  berth_cross_entropy_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(is_sparse ? berth_op_sparse_cross_entropy(&prepare->op, plan, err)
                      : berth_op_cross_entropy(&prepare->op, plan, err));
  prepare->run = plan->rows > 0 ? run_loss : berth_run_nothing;
  prepare->work = plan->rows * plan->columns * 10;
  return BERTH_OK;
}

static berth_code_t prepare_dense(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  return prepare_loss(prepare, false, err);
}

static berth_code_t prepare_sparse(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  return prepare_loss(prepare, true, err);
}

const berth_kernel_t berth_cpu_cross_entropy_kernels[] = {
    {.op = "SoftmaxCrossEntropyWithLogits",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = prepare_dense},
    {.op = "SparseSoftmaxCrossEntropyWithLogits",
     .types = {{"T", BERTH_TYPES_FLOATING}, {"Tlabels", BERTH_TYPES_INDEX}},
     .prepare = prepare_sparse},
    {.op = NULL},
};
