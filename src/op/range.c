// range.c - Numbers at equal distances: Range, LinSpace.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph/attr_print.h"
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/source.h"
#include "op/value.h"
#include "tensor/half.h"
#include "tensor/tensor.h"

// ---- Numbers ----

static bool is_integer(berth_dtype_t dtype) {
  return dtype == BERTH_INT32 || dtype == BERTH_INT64;
}

static berth_range_number_t read_number(const berth_case_input_t *input) {
  uint16_t bits = 0;
  switch (input->dtype) {
    case BERTH_FLOAT:
      return (berth_range_number_t){0, *(const float *)input->value};
    case BERTH_DOUBLE:
      return (berth_range_number_t){0, *(const double *)input->value};
    case BERTH_HALF:
      memcpy(&bits, input->value, sizeof(bits));
      return (berth_range_number_t){0, berth_half_to_float(bits)};
    case BERTH_BFLOAT16:
      memcpy(&bits, input->value, sizeof(bits));
      return (berth_range_number_t){0, berth_bfloat16_to_float(bits)};
    default:
      return (berth_range_number_t){berth_value_int(input, 0), 0};
  }
}

// ---- Range ----

// Prints a number as TensorFlow's messages do.
static const char *number_text(berth_dtype_t dtype, berth_range_number_t number,
                               char text[32]) {
  if (is_integer(dtype)) {
    snprintf(text, 32, "%lld", (long long)number.integer);
  } else {
    snprintf(text, 32, "%g", number.real);
  }
  return text;
}

static berth_code_t fail_order(const char *rule, berth_dtype_t dtype,
                               berth_range_number_t start,
                               berth_range_number_t limit, berth_error_t *err) {
  char start_text[32], limit_text[32];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Requires %s: %s/%s",
                         rule, number_text(dtype, start, start_text),
                         number_text(dtype, limit, limit_text));
}

// Checks that |limit| lies where |delta| leads. Comparisons with NaN fail.
static berth_code_t check_order(berth_dtype_t dtype, berth_range_number_t start,
                                berth_range_number_t limit,
                                berth_range_number_t delta,
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
static int64_t count_elements(const berth_sequence_t *range,
                              berth_range_number_t limit) {
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
  double distance = berth_range_round(dtype, limit.real - range->start.real);
  double count =
      ceil(fabs(berth_range_round(dtype, distance / range->delta.real)));
  // As a float this limit is 2^63, which is one too many.
  return count < 9223372036854775808.0 ? (int64_t)count : -1;
}

static berth_code_t check_scalars(const berth_case_t *op, berth_error_t *err) {
  static const char *const names[] = {"start", "limit", "delta"};
  for (int i = 0; i < 3; ++i) {
    const berth_case_input_t *input = &op->inputs[i];
    if (input->rank <= 1 && input->count == 1) continue;
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must be a scalar, not shape %s", names[i],
                           berth_input_text(input, text));
  }
  return BERTH_OK;
}

berth_code_t berth_op_range(berth_case_t *op, berth_sequence_t *out_sequence,
                            berth_error_t *err) {
  BERTH_TRY(check_scalars(op, err));
  berth_range_number_t limit = read_number(&op->inputs[1]);
  berth_sequence_t made = {.dtype = op->inputs[0].dtype,
                           .start = read_number(&op->inputs[0]),
                           .delta = read_number(&op->inputs[2])};
  BERTH_TRY(check_order(made.dtype, made.start, limit, made.delta, err));
  made.count = count_elements(&made, limit);
  if (made.count < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Requires ((limit - start) / delta) <= %lld",
                           (long long)INT64_MAX);
  }
  berth_case_output(op, 0, BERTH_SHAPE(made.count));
  *out_sequence = made;
  return berth_value_check_size(BERTH_SHAPE(made.count), made.count, made.dtype,
                                err);
}

// ---- LinSpace ----

berth_code_t berth_op_lin_space(berth_case_t *op, berth_error_t *err) {
  static const char *const names[] = {"start", "stop", "num"};
  for (int i = 0; i < 3; ++i) {
    char text[BERTH_DIMS_TEXT];
    if (op->inputs[i].rank == 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must be a scalar, not shape %s", names[i],
                           berth_input_text(&op->inputs[i], text));
  }
  int64_t count = berth_value_int(&op->inputs[2], 0);
  if (count <= 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Requires num > 0: %lld", (long long)count);
  }
  BERTH_TRY(berth_value_check_size(BERTH_SHAPE(count), count,
                                   op->inputs[0].dtype, err));
  berth_case_output(op, 0, BERTH_SHAPE(count));
  return BERTH_OK;
}

// ---- Shapes of a graph ----

// Returns the number a constant scalar holds.
static double number_of(const berth_tensor_t *value) {
  if (value->dtype == BERTH_FLOAT) return *(const float *)value->data;
  if (value->dtype == BERTH_DOUBLE) return *(const double *)value->data;
  return (double)berth_value_int_at(value, 0);
}

static berth_code_t range_error(const char *text, const berth_tensor_t *start,
                                const berth_tensor_t *limit,
                                berth_error_t *err) {
  berth_str_t str = {0};
  berth_tensor_summarize(start, 1, &str);
  berth_str_putc(&str, '/');
  berth_tensor_summarize(limit, 1, &str);
  berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s: %s", text,
                  berth_str_get(&str));
  berth_str_clear(&str);
  return BERTH_INVALID_ARGUMENT;
}

// Stores how many steps of |delta| lead from |start| to |limit|.
static berth_code_t range_size(const berth_tensor_t *start,
                               const berth_tensor_t *limit,
                               const berth_tensor_t *delta, int64_t *out_size,
                               berth_error_t *err) {
  double from = number_of(start), to = number_of(limit), by = number_of(delta);
  if (by > 0 && from > to) {
    return range_error("Requires start <= limit when delta > 0", start, limit,
                       err);
  }
  if (by < 0 && from < to) {
    return range_error("Requires start >= limit when delta < 0", start, limit,
                       err);
  }
  if (by == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Requires delta != 0");
  }
  double size = ceil(fabs((to - from) / by));
  *out_size = size < 9e18 ? (int64_t)size : -1;
  return BERTH_OK;
}

static bool is_countable(const berth_tensor_t *value) {
  return value != NULL && value->count == 1 &&
         (value->dtype == BERTH_FLOAT || value->dtype == BERTH_DOUBLE ||
          berth_value_is_int(value));
}

BERTH_INFER(range) {
  static const char *const names[] = {"start", "limit", "delta"};
  for (int i = 0; i < 3; ++i) {
    berth_code_t code =
        berth_shape_with_rank(c, berth_shape_in(c, i), 0, NULL, err);
    if (code == BERTH_OK) continue;
    berth_error_append(err, "\n\t for '%s'", names[i]);
    return code;
  }
  const berth_tensor_t *start = berth_shape_value(c, 0);
  const berth_tensor_t *limit = berth_shape_value(c, 1);
  const berth_tensor_t *delta = berth_shape_value(c, 2);
  int64_t size = -1;
  if (is_countable(start) && is_countable(limit) && is_countable(delta)) {
    BERTH_TRY(range_size(start, limit, delta, &size, err));
  }
  return berth_shape_set_vector(c, 0, size, err);
}
