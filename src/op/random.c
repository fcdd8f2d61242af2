// random.c - Random numbers.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/source.h"
#include "op/value.h"

static berth_distribution_t distribution_of(const char *op) {
  if (strcmp(op, "RandomStandardNormal") == 0) return BERTH_RANDOM_NORMAL;
  if (strcmp(op, "TruncatedNormal") == 0) return BERTH_RANDOM_TRUNCATED;
  if (strcmp(op, "RandomUniformInt") == 0) return BERTH_RANDOM_INTEGERS;
  return BERTH_RANDOM_UNIFORM;
}

static berth_code_t check_limits(const berth_case_t *op, berth_error_t *err) {
  static const char *const names[] = {NULL, "minval", "maxval"};
  for (int i = 1; i <= 2; ++i) {
    if (op->inputs[i].rank == 0) continue;
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must be 0-D, got shape %s", names[i],
                           berth_input_text(&op->inputs[i], text));
  }
  return BERTH_OK;
}

berth_code_t berth_op_random(berth_case_t *op, berth_random_t *out_random,
                             berth_error_t *err) {
  const berth_case_input_t *shape = &op->inputs[0];
  if (shape->rank != 1) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "shape must be a vector of {int32,int64}, got "
                           "shape %s",
                           berth_input_text(shape, text));
  }
  berth_random_t made = {distribution_of(op->node->op->name),
                         op->node->output_types[0], 0, 0};
  BERTH_TRY(berth_value_shape(shape, &op->outputs[0], &made.count, err));
  BERTH_TRY(berth_value_check_size(berth_shape_dims(&op->outputs[0]),
                                   made.count, made.dtype, err));
  if (made.distribution == BERTH_RANDOM_INTEGERS) {
    BERTH_TRY(check_limits(op, err));
  }
  made.group = berth_dtype_size(made.dtype) == 8 ? 2 : 4;
  *out_random = made;
  return BERTH_OK;
}

static int64_t limit_of(berth_dtype_t dtype, const void *value) {
  return dtype == BERTH_INT64 ? *(const int64_t *)value
                              : *(const int32_t *)value;
}

berth_code_t berth_random_limits(berth_dtype_t dtype, const void *minval,
                                 const void *maxval, uint64_t *out_low,
                                 uint64_t *out_range, berth_error_t *err) {
  int64_t low = limit_of(dtype, minval), high = limit_of(dtype, maxval);
  if (low >= high) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Need minval < maxval, got %lld >= %lld",
                           (long long)low, (long long)high);
  }
  *out_low = (uint64_t)low;
  *out_range = (uint64_t)high - (uint64_t)low;
  return BERTH_OK;
}

// ---- Multinomial ----

berth_code_t berth_op_multinomial(berth_case_t *op, int64_t *out_count,
                                  berth_error_t *err) {
  const berth_case_input_t *logits = &op->inputs[0], *count = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (logits->rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "logits should be a matrix, got shape %s",
                           berth_input_text(logits, text));
  }
  if (count->rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "num_samples should be a scalar, got shape %s",
                           berth_input_text(count, text));
  }
  *out_count = berth_value_int(count, 0);
  if (*out_count < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "num_samples should be non-negative, got %lld",
                           (long long)*out_count);
  }
  if (logits->dims[0] > 0 && logits->dims[1] == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "num_classes should be positive, got 0");
  }
  int64_t dims[2] = {logits->dims[0], *out_count};
  berth_case_output(op, 0, (berth_dims_t){2, dims});
  return BERTH_OK;
}

// ---- Shapes of a graph ----

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

BERTH_INFER(multinomial) {
  berth_dims_t logits;
  int64_t count = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 2, &logits, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  BERTH_TRY(berth_shape_size(c, 1, &count, err));
  return berth_shape_replace(c, logits, 1, count, &c->outputs[0], err);
}
