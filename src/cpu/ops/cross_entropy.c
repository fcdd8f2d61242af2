// cross_entropy.c - SoftmaxCrossEntropyWithLogits and the sparse one: a loss for
// each row, and its gradient by the logits.
//
//   shifted = logits - the largest
//   sum = sum of e^shifted
//   loss = sum of label * (log sum - shifted), over labels that are not 0
//   gradient = e^shifted / sum - label
//
// Rows of float and double that lie as they are have loops of their own.
// Others are done element by element: half and bfloat16 are rounded after
// each step, as TensorFlow does. But sums of many are rounded at the end: they
// would stand still at a few hundred.
#include <math.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/softmax.h"
#include "kernel/places.h"
#include "op/rows.h"
#include "op/types.h"
#include "tensor/half.h"

enum {
  GRAIN = 4096,  // Elements that are worth a thread, one by one.
  FEW = 8,       // Whose sums are rounded at each step.
};

typedef struct plan {
  berth_cross_entropy_t loss;  // First.
  berth_entropy_fn loop;       // NULL: element by element.
  int64_t grain;               // Rows that are worth a thread.
} plan_t;

typedef struct loss_run {
  const berth_cross_entropy_t *plan;
  berth_entropy_fn loop;
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

// Returns |sum| with |more|, one of |count|.
static double add(berth_dtype_t dtype, double sum, double more, int64_t count) {
  return count > FEW ? sum + more : round_to(dtype, sum + more);
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
    sum = add(dtype, sum, power, plan->columns);
  }
  sum = round_to(dtype, sum);
  double log_sum = round_to(
      dtype, dtype == BERTH_DOUBLE ? log(sum) : (double)logf((float)sum));
  for (int64_t i = 0; i < plan->columns; ++i) {
    double label = label_at(run, row, i);
    double shifted = value_at(dtype, run->gradient, first + i);
    if (label != 0) {
      double part = round_to(dtype, label * round_to(dtype, log_sum - shifted));
      loss = add(dtype, loss, part, plan->columns);
    }
    double power = round_to(dtype, exponential(dtype, shifted));
    value_set(dtype, run->gradient, first + i,
              round_to(dtype, power / sum) - label);
  }
  value_set(dtype, run->loss, row, loss);
}

// Takes a class from a row that is done without labels.
static double take_class(const loss_run_t *run, int64_t row,
                         const berth_entropy_row_t *found) {
  const berth_cross_entropy_t *plan = run->plan;
  int64_t at =
      row * plan->columns + berth_index_at(plan->label_type, run->labels, row);
  double shifted = round_to(
      plan->dtype, value_at(plan->dtype, run->logits, at) - found->largest);
  value_set(plan->dtype, run->gradient, at,
            value_at(plan->dtype, run->gradient, at) - 1);
  return found->log_sum - shifted;
}

static void row_run_fast(const loss_run_t *run, int64_t row) {
  const berth_cross_entropy_t *plan = run->plan;
  int64_t size =
      plan->columns * (int64_t)berth_dtype_size(plan->dtype);  // Of a row.
  bool is_sparse = plan->label_type != BERTH_INVALID;
  const char *labels =
      is_sparse ? NULL : (const char *)run->labels + row * size;
  berth_entropy_row_t found =
      run->loop((const char *)run->logits + row * size, labels,
                (char *)run->gradient + row * size, plan->columns);
  value_set(plan->dtype, run->loss, row,
            is_sparse ? take_class(run, row, &found) : found.loss);
}

static void rows_run(void *arg, int64_t begin, int64_t end) {
  const loss_run_t *run = arg;
  for (int64_t row = begin; row < end; ++row) {
    if (run->loop != NULL) {
      row_run_fast(run, row);
    } else {
      row_run(run, row);
    }
  }
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
  const plan_t *fast = plan;
  const berth_cross_entropy_t *with = &fast->loss;
  loss_run_t run = {with, fast->loop, args[0], args[1], args[2], args[3]};
  if (with->label_type != BERTH_INVALID) {
    BERTH_TRY(check_labels(with, args[1], call->err));
  }
  berth_parallel_for(with->rows, fast->grain, rows_run, &run);
  return BERTH_OK;
}

// Returns the loop for |loss|, or NULL where rows do not lie one behind the
// other.
static berth_entropy_fn choose_loop(const berth_cross_entropy_t *loss) {
  const berth_softmax_loops_t *loops = BERTH_ISA_PICK(berth_cpu_softmax_loops);
  const int64_t *x = loss->logits_steps, *y = loss->labels_steps;
  bool is_one = loss->rows == 1;
  bool is_plain = (is_one || x[0] == loss->columns) && x[1] == 1;
  if (loss->label_type == BERTH_INVALID) {
    is_plain = is_plain && (is_one || y[0] == loss->columns) && y[1] == 1;
  }
  if (!is_plain || loss->columns == 0) return NULL;
  return loss->dtype == BERTH_FLOAT    ? loops->entropy_f32
         : loss->dtype == BERTH_DOUBLE ? loops->entropy_f64
                                       : NULL;
}

static berth_code_t prepare_loss(berth_prepare_t *prepare, bool is_sparse,
                                 berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  berth_cross_entropy_t *loss = &plan->loss;
  BERTH_TRY(is_sparse ? berth_op_sparse_cross_entropy(&prepare->op, loss, err)
                      : berth_op_cross_entropy(&prepare->op, loss, err));
  plan->loop = choose_loop(loss);
  int64_t faster = plan->loop == NULL ? 1 : loss->dtype == BERTH_FLOAT ? 10 : 2;
  plan->grain = GRAIN * faster / (loss->columns + 1) + 1;
  prepare->run = loss->rows > 0 ? run_loss : berth_run_nothing;
  prepare->work = loss->rows * loss->columns * 10 / faster;
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
