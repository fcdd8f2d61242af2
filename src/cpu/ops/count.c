// count.c - Kernels that count, and those that look for places in an order:
// Bincount, HistogramFixedWidth, NthElement, LowerBound.
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/loops/search.h"
#include "kernel/places.h"
#include "op/group.h"
#include "op/types.h"
#include "op/value.h"

// True when a loop that takes |count| elements from |i| on is to look whether it
// was ended.
static bool looks_at(int64_t i, int64_t count) {
  return i / BERTH_CPU_POLL != (i + count) / BERTH_CPU_POLL;
}

// ---- Bincount, DenseBincount ----

typedef struct bins_plan {
  berth_bins_t bins;
  berth_dtype_t dtype;  // Of what is counted in: one of four types.
} bins_plan_t;

// Some of what is counted: numbers [begin, end) of one row.
typedef struct bins_part {
  const berth_bins_t *bins;
  const int64_t *wide;    // The numbers, of one of two types;
  const int32_t *narrow;  // the other is NULL.
  const void *weights;
  int64_t begin, end;
  void *row;
} bins_part_t;

// Goes through the bins of |part| that there are; returns false at a negative
// number.
#define EACH_BIN(part, what)                                             \
  for (int64_t i = (part)->begin; i < (part)->end; ++i) {                \
    int64_t bin = wide != NULL ? wide[i] : narrow[i];                    \
    if (BERTH_UNLIKELY((uint64_t)bin >= (uint64_t)(part)->bins->size)) { \
      if (bin < 0) return false;                                         \
      continue;                                                          \
    }                                                                    \
    what;                                                                \
  }                                                                      \
  return true

// Counts |part|; false where a number is negative. Whole numbers wrap.
#define DEFINE_COUNT(name, type)                                \
  static bool count_##name(const bins_part_t *part) {           \
    const type *weights = part->weights;                        \
    const int64_t *wide = part->wide;                           \
    const int32_t *narrow = part->narrow;                       \
    type *row = part->row;                                      \
    if (part->bins->is_binary) {                                \
      EACH_BIN(part, row[bin] = 1);                             \
    }                                                           \
    if (weights != NULL) {                                      \
      EACH_BIN(part, row[bin] = (type)(row[bin] + weights[i])); \
    }                                                           \
    EACH_BIN(part, row[bin] = (type)(row[bin] + 1));            \
  }
DEFINE_COUNT(u32, uint32_t)
DEFINE_COUNT(u64, uint64_t)
DEFINE_COUNT(f32, float)
DEFINE_COUNT(f64, double)
#undef DEFINE_COUNT
#undef EACH_BIN

static bool count_part(berth_dtype_t dtype, const bins_part_t *part) {
  switch (dtype) {
    case BERTH_INT32:
      return count_u32(part);
    case BERTH_INT64:
      return count_u64(part);
    case BERTH_FLOAT:
      return count_f32(part);
    default:
      return count_f64(part);
  }
}

static berth_code_t run_bins(const void *arg, void *const *args,
                             berth_call_t *call) {
  const bins_plan_t *plan = arg;
  const berth_bins_t *bins = &plan->bins;
  size_t row = (size_t)bins->size * berth_dtype_size(plan->dtype);
  memset(args[3], 0, (size_t)bins->rows * row);
  for (int64_t r = 0; r < bins->rows; ++r) {
    int64_t behind = (r + 1) * bins->columns;
    bool is_wide = bins->index_type == BERTH_INT64;
    bins_part_t part = {.bins = bins,
                        .wide = is_wide ? args[0] : NULL,
                        .narrow = is_wide ? NULL : args[0],
                        .weights = bins->has_weights ? args[2] : NULL,
                        .begin = r * bins->columns,
                        .row = (char *)args[3] + (size_t)r * row};
    for (; part.begin < behind; part.begin = part.end) {
      int64_t left = behind - part.begin;
      part.end = part.begin + (left < BERTH_CPU_POLL ? left : BERTH_CPU_POLL);
      if (!count_part(plan->dtype, &part)) {
        return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                               "Input arr must be non-negative!");
      }
      if (left > BERTH_CPU_POLL && berth_cpu_has_ended(call)) return BERTH_OK;
    }
    if (berth_cpu_ends_at(call, r)) return BERTH_OK;
  }
  return BERTH_OK;
}

static berth_code_t prepare_bins(berth_prepare_t *prepare, berth_error_t *err) {
  bins_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_bincount(&prepare->op, &plan->bins, err));
  plan->dtype = prepare->op.inputs[2].dtype;
  prepare->run = run_bins;
  prepare->work = prepare->op.inputs[0].count * 3;
  return BERTH_OK;
}

// ---- HistogramFixedWidth ----

typedef struct histogram_plan {
  berth_dtype_t dtype, out_type;
  int64_t count, bins;
} histogram_plan_t;

enum { BINS_AT_ONCE = 256 };

// Adds one to each of |bins|.
static void count_bins(berth_dtype_t type, void *out, const int64_t *bins,
                       int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (type == BERTH_INT64) {
      ++((int64_t *)out)[bins[i]];
    } else {
      ++((int32_t *)out)[bins[i]];
    }
  }
}

static berth_code_t run_histogram(const void *arg, void *const *args,
                                  berth_call_t *call) {
  const histogram_plan_t *plan = arg;
  berth_dtype_t dtype = plan->dtype;
  double low = berth_number_at(dtype, args[1], 0);
  double high = berth_number_at(dtype, args[1], 1);
  if (!(low < high)) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "value_range should satisfy value_range[0] < value_range[1], but got "
        "'[%g, %g]'",
        low, high);
  }
  berth_bin_range_t range = {low, (high - low) / (double)plan->bins,
                             (double)plan->bins - 1};
  memset(args[3], 0, (size_t)plan->bins * berth_dtype_size(plan->out_type));
  for (int64_t i = 0; i < plan->count; i += BINS_AT_ONCE) {
    int64_t left = plan->count - i, bins[BINS_AT_ONCE];
    int64_t count = left < BINS_AT_ONCE ? left : BINS_AT_ONCE;
    if (!berth_bins_find(dtype, args[0], i, count, &range, bins)) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Histogram values must not contain NaN");
    }
    count_bins(plan->out_type, args[3], bins, count);
    if (looks_at(i, count) && berth_cpu_has_ended(call)) return BERTH_OK;
  }
  return BERTH_OK;
}

static berth_code_t prepare_histogram(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  const berth_case_input_t *values = &prepare->op.inputs[0];
  BERTH_TRY(berth_op_histogram(&prepare->op, err));
  histogram_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (histogram_plan_t){values->dtype, prepare->op.node->output_types[0],
                             values->count, prepare->op.outputs[0].dims[0]};
  prepare->run = run_histogram;
  prepare->work = values->count * 10;
  return BERTH_OK;
}

// ---- NthElement ----

typedef struct nth_plan {
  berth_dtype_t dtype;
  int64_t rows, columns, n;
} nth_plan_t;

// Moves element |nth| of |row|, of |count|, to where it would be in order: each
// turn leaves the part in which it must be.
static void select_nth(berth_dtype_t dtype, char *row, size_t size,
                       int64_t count, int64_t nth) {
  int64_t low = 0, high = count - 1;
  char pivot[8], swap[8];
  while (low < high) {
    memcpy(pivot, row + (size_t)((low + high) / 2) * size, size);
    int64_t i = low, k = high;
    while (i <= k) {
      while (berth_number_less(dtype, row, i, pivot, 0)) ++i;
      while (berth_number_less(dtype, pivot, 0, row, k)) --k;
      if (i > k) break;
      memcpy(swap, row + (size_t)i * size, size);
      memcpy(row + (size_t)i * size, row + (size_t)k * size, size);
      memcpy(row + (size_t)k * size, swap, size);
      ++i;
      --k;
    }
    if (nth <= k) {
      high = k;
    } else if (nth >= i) {
      low = i;
    } else {
      return;
    }
  }
}

static berth_code_t run_nth(const void *arg, void *const *args,
                            berth_call_t *call) {
  const nth_plan_t *plan = arg;
  size_t size = berth_dtype_size(plan->dtype);
  size_t row = (size_t)plan->columns * size;
  char *scratch = args[3];
  berth_nth_fn select = berth_nth_loop(plan->dtype);
  for (int64_t r = 0; r < plan->rows; ++r) {
    if (berth_cpu_ends_at(call, r)) return BERTH_OK;
    memcpy(scratch, (const char *)args[0] + (size_t)r * row, row);
    if (select != NULL) {
      select(scratch, plan->columns, plan->n);
    } else {
      select_nth(plan->dtype, scratch, size, plan->columns, plan->n);
    }
    memcpy((char *)args[2] + (size_t)r * size, scratch + (size_t)plan->n * size,
           size);
  }
  return BERTH_OK;
}

static berth_code_t prepare_nth(berth_prepare_t *prepare, berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  BERTH_TRY(berth_op_nth_element(&prepare->op, err));
  nth_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  int64_t columns = input->dims[input->rank - 1];
  int64_t n = berth_value_int(&prepare->op.inputs[1], 0);
  if (berth_node_attr_bool(prepare->op.node, "reverse", false)) {
    n = columns - n - 1;
  }
  *plan = (nth_plan_t){input->dtype, input->count / columns, columns, n};
  prepare->scratch_size = (size_t)columns * berth_dtype_size(input->dtype);
  prepare->run = plan->rows > 0 ? run_nth : berth_run_nothing;
  prepare->work = input->count * 10;
  return BERTH_OK;
}

// ---- LowerBound, UpperBound ----

typedef struct bound_plan {
  berth_dtype_t dtype, out_type;
  int64_t rows, columns, values;
  bool is_upper;
} bound_plan_t;

// Returns how many of the |count| sorted elements from |first| on come before
// value |i|.
static int64_t find_bound(const bound_plan_t *plan, const void *sorted,
                          int64_t first, const void *values, int64_t i) {
  int64_t low = 0, high = plan->columns;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    bool is_before =
        plan->is_upper
            ? !berth_number_less(plan->dtype, values, i, sorted, first + middle)
            : berth_number_less(plan->dtype, sorted, first + middle, values, i);
    if (is_before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Finds the places of |count| values from |i| on, which are of one row.
static void find_bounds(const bound_plan_t *plan, void *const *args, int64_t i,
                        int64_t count, int64_t *places) {
  int64_t first = i / plan->values * plan->columns;
  int64_t size = (int64_t)berth_dtype_size(plan->dtype);
  berth_bound_fn find = berth_bound_loop(plan->dtype);
  if (find != NULL) {
    find((const char *)args[0] + first * size, plan->columns,
         (const char *)args[1] + i * size, count, plan->is_upper, places);
    return;
  }
  for (int64_t k = 0; k < count; ++k) {
    places[k] = find_bound(plan, args[0], first, args[1], i + k);
  }
}

static berth_code_t run_bound(const void *arg, void *const *args,
                              berth_call_t *call) {
  const bound_plan_t *plan = arg;
  int64_t places[BERTH_SEARCH_GROUP];
  for (int64_t i = 0; i < plan->rows * plan->values;) {
    int64_t left = plan->values - i % plan->values;
    int64_t count = left < BERTH_SEARCH_GROUP ? left : BERTH_SEARCH_GROUP;
    if (looks_at(i, count) && berth_cpu_has_ended(call)) return BERTH_OK;
    find_bounds(plan, args, i, count, places);
    for (int64_t k = 0; k < count; ++k, ++i) {
      berth_index_set(plan->out_type, args[2], i, places[k]);
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_bound(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  BERTH_TRY(berth_op_bound(&prepare->op, err));
  bound_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  const berth_case_input_t *sorted = &prepare->op.inputs[0];
  const berth_case_input_t *values = &prepare->op.inputs[1];
  *plan = (bound_plan_t){
      .dtype = sorted->dtype,
      .out_type = prepare->op.node->output_types[0],
      .rows = sorted->dims[0],
      .columns = sorted->dims[1],
      .values = values->dims[1],
      .is_upper = strcmp(prepare->op.node->op->name, "UpperBound") == 0};
  prepare->run = run_bound;
  prepare->work = values->count * 50;
  return BERTH_OK;
}

#define BINS (BERTH_TYPES_INDEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE))

const berth_kernel_t berth_cpu_count_kernels[] = {
    {.op = "Bincount", .types = {{"T", BINS}}, .prepare = prepare_bins},
    {.op = "DenseBincount",
     .types = {{"T", BINS}, {"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_bins},
    {.op = "HistogramFixedWidth",
     .types = {{"T", BERTH_TYPES_REAL}, {"dtype", BERTH_TYPES_INDEX}},
     .prepare = prepare_histogram},
    {.op = "NthElement",
     .types = {{"T", BERTH_TYPES_REAL}},
     .prepare = prepare_nth},
    {.op = "LowerBound",
     .types = {{"T", BERTH_TYPES_REAL}, {"out_type", BERTH_TYPES_INDEX}},
     .prepare = prepare_bound},
    {.op = "UpperBound",
     .types = {{"T", BERTH_TYPES_REAL}, {"out_type", BERTH_TYPES_INDEX}},
     .prepare = prepare_bound},
    {.op = NULL},
};
