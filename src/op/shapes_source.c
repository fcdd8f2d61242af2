// shapes_source.c - Shapes of what comes out of nothing: constants,
// placeholders, variables, random numbers, ranges.
#include <math.h>

#include "graph/attr_print.h"
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "tensor/compact.h"

static const berth_dims_t SCALAR = {0, NULL};

BERTH_INFER(scalar) {
  (void)err;
  for (int i = 0; i < c->node->output_count; ++i) c->outputs[i] = SCALAR;
  return BERTH_OK;
}

BERTH_INFER(random) {
  return berth_shape_from_value(c, 0, &c->outputs[0], err);
}

// Checks that input |index|, called |name|, is a scalar.
static berth_code_t check_bound(berth_shape_context_t *c, int index,
                                const char *name, berth_error_t *err) {
  berth_dims_t shape = berth_shape_in(c, index);
  if (shape.rank <= 0) return BERTH_OK;
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s must be a scalar; got a tensor of shape %s", name,
                         berth_dims_text(shape, text));
}

BERTH_INFER(random_int) {
  BERTH_TRY(check_bound(c, 1, "minval", err));
  BERTH_TRY(check_bound(c, 2, "maxval", err));
  return berth_infer_random(c, err);
}

// ---- Range ----

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
