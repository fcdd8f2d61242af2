// range.c - The kernel Range: numbers at equal distances.
//
// Element i is start + i * delta, each operation rounded to the type.
#include <math.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/ops/move.h"
#include "op/value.h"
#include "tensor/half.h"

enum { GRAIN = 32768 };

// A number of any of the types: integers as such, the others as double, which
// holds them exactly.
typedef struct number {
  int64_t integer;
  double real;
} number_t;

typedef struct range {
  berth_dtype_t dtype;
  number_t start, delta;
  int64_t count;
} range_t;

static bool is_integer(berth_dtype_t dtype) {
  return dtype == BERTH_INT32 || dtype == BERTH_INT64;
}

// Rounds |value| to |dtype|.
static double round_to(berth_dtype_t dtype, double value) {
  switch (dtype) {
    case BERTH_FLOAT:
      return (float)value;
    case BERTH_HALF:
      return berth_half_to_float(berth_float_to_half((float)value));
    case BERTH_BFLOAT16:
      return berth_bfloat16_to_float(berth_float_to_bfloat16((float)value));
    default:
      return value;
  }
}

static number_t read_number(const berth_op_input_t *input) {
  uint16_t bits = 0;
  switch (input->dtype) {
    case BERTH_FLOAT:
      return (number_t){0, *(const float *)input->value};
    case BERTH_DOUBLE:
      return (number_t){0, *(const double *)input->value};
    case BERTH_HALF:
      memcpy(&bits, input->value, sizeof(bits));
      return (number_t){0, berth_half_to_float(bits)};
    case BERTH_BFLOAT16:
      memcpy(&bits, input->value, sizeof(bits));
      return (number_t){0, berth_bfloat16_to_float(bits)};
    default:
      return (number_t){berth_value_int(input, 0), 0};
  }
}

// ---- Running ----

typedef struct work {
  const range_t *range;
  void *out;
} work_t;

// Integers wrap, so they are computed without sign.
#define INTEGER_LOOP(type, unsigned_type)                               \
  for (int64_t i = begin; i < end; ++i) {                               \
    ((type *)work->out)[i] =                                            \
        (type)((unsigned_type)range->start.integer +                    \
               (unsigned_type)i * (unsigned_type)range->delta.integer); \
  }
#define REAL_LOOP(type)                                              \
  for (int64_t i = begin; i < end; ++i) {                            \
    ((type *)work->out)[i] =                                         \
        (type)range->start.real + (type)i * (type)range->delta.real; \
  }

// The types of two bytes: rounded after each operation.
static void narrow_loop(const range_t *range, uint16_t *out, int64_t begin,
                        int64_t end) {
  bool is_half = range->dtype == BERTH_HALF;
  for (int64_t i = begin; i < end; ++i) {
    double index = round_to(range->dtype, (double)i);
    float offset = (float)round_to(range->dtype, index * range->delta.real);
    float value = (float)range->start.real + offset;
    out[i] =
        is_half ? berth_float_to_half(value) : berth_float_to_bfloat16(value);
  }
}

static void range_piece(void *arg, int64_t begin, int64_t end) {
  const work_t *work = arg;
  const range_t *range = work->range;
  switch (range->dtype) {
    case BERTH_INT32:
      INTEGER_LOOP(int32_t, uint32_t)
      break;
    case BERTH_INT64:
      INTEGER_LOOP(int64_t, uint64_t)
      break;
    case BERTH_FLOAT:
      REAL_LOOP(float)
      break;
    case BERTH_DOUBLE:
      REAL_LOOP(double)
      break;
    default:
      narrow_loop(range, work->out, begin, end);
      break;
  }
}

static berth_code_t run_range(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)call;
  work_t work = {plan, args[3]};
  berth_parallel_for(work.range->count, GRAIN, range_piece, &work);
  return BERTH_OK;
}

// ---- Preparing ----

// Prints a number as TensorFlow's messages do.
static const char *number_text(berth_dtype_t dtype, number_t number,
                               char text[32]) {
  if (is_integer(dtype)) {
    snprintf(text, 32, "%lld", (long long)number.integer);
  } else {
    snprintf(text, 32, "%g", number.real);
  }
  return text;
}

static berth_code_t fail_order(const char *rule, berth_dtype_t dtype,
                               number_t start, number_t limit,
                               berth_error_t *err) {
  char start_text[32], limit_text[32];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Requires %s: %s/%s",
                         rule, number_text(dtype, start, start_text),
                         number_text(dtype, limit, limit_text));
}

// Checks that |limit| lies where |delta| leads. Comparisons with NaN fail.
static berth_code_t check_order(berth_dtype_t dtype, number_t start,
                                number_t limit, number_t delta,
                                berth_error_t *err) {
  bool whole = is_integer(dtype);
  if (whole ? delta.integer == 0 : delta.real == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Requires delta != 0: 0");
  }
  if (whole ? delta.integer > 0 : delta.real > 0) {
    bool fits =
        whole ? start.integer <= limit.integer : start.real <= limit.real;
    if (fits) return BERTH_OK;
    return fail_order("start <= limit when delta > 0", dtype, start, limit,
                      err);
  }
  bool fits = whole ? start.integer >= limit.integer : start.real >= limit.real;
  if (fits) return BERTH_OK;
  return fail_order("start >= limit when delta < 0", dtype, start, limit, err);
}

// Returns how many elements there are, or -1 when a number cannot say.
static int64_t count_elements(const range_t *range, number_t limit) {
  if (is_integer(range->dtype)) {
    uint64_t start = (uint64_t)range->start.integer;
    uint64_t end = (uint64_t)limit.integer;
    uint64_t step = (uint64_t)range->delta.integer;
    bool forward = range->delta.integer > 0;
    uint64_t distance = forward ? end - start : start - end;
    if (!forward) step = 0 - step;
    uint64_t count = distance / step + (distance % step != 0);
    return count <= INT64_MAX ? (int64_t)count : -1;
  }
  berth_dtype_t dtype = range->dtype;
  double distance = round_to(dtype, limit.real - range->start.real);
  double count = ceil(fabs(round_to(dtype, distance / range->delta.real)));
  // As a float this limit is 2^63, which is one too many.
  return count < 9223372036854775808.0 ? (int64_t)count : -1;
}

static berth_code_t check_scalars(const berth_prepare_t *prepare,
                                  berth_error_t *err) {
  static const char *const names[] = {"start", "limit", "delta"};
  for (int i = 0; i < 3; ++i) {
    const berth_op_input_t *input = &prepare->op.inputs[i];
    if (input->rank <= 1 && input->count == 1) continue;
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must be a scalar, not shape %s", names[i],
                           berth_input_text(input, text));
  }
  return BERTH_OK;
}

static berth_code_t prepare_range(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  BERTH_TRY(check_scalars(prepare, err));
  range_t *range = berth_prepare_plan(prepare, sizeof(*range));
  if (range == NULL) return berth_error_no_memory(err, "a plan");
  number_t limit = read_number(&prepare->op.inputs[1]);
  range->dtype = prepare->op.inputs[0].dtype;
  range->start = read_number(&prepare->op.inputs[0]);
  range->delta = read_number(&prepare->op.inputs[2]);
  BERTH_TRY(check_order(range->dtype, range->start, limit, range->delta, err));
  range->count = count_elements(range, limit);
  if (range->count < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Requires ((limit - start) / delta) <= %lld",
                           (long long)INT64_MAX);
  }
  berth_op_output(&prepare->op, 0, BERTH_SHAPE(range->count));
  prepare->run = run_range;
  prepare->work = range->count / 2;
  return berth_value_check_size(BERTH_SHAPE(range->count), range->count,
                                range->dtype, err);
}

const berth_kernel_t berth_cpu_range_kernels[] = {
    {.op = "Range",
     .types = {{"Tidx", BERTH_TYPES_FLOATING | BERTH_TYPES_INDEX}},
     .prepare = prepare_range},
    {.op = NULL},
};
