// einsum_shape.c - The shape of an Einsum, from an equation and shapes of which
// not all need be known.
//
// Labels are any characters, as in TensorFlow: the kernel is the one who minds.
#include <string.h>

#include "graph/shape_fn.h"

enum { LABELS = 256, ELLIPSIS_SIZE = 3, MOST_INPUTS = 2 };

typedef struct subscript {
  const char *text;
  int32_t size;
  int32_t letters;  // Dimensions that are not the ellipsis'.
  bool has_ellipsis;
} subscript_t;

typedef struct einsum {
  const char *equation;
  subscript_t inputs[MOST_INPUTS];
  subscript_t output;
  int input_count;
  bool is_known[LABELS];  // Some input has the label.
  int64_t dims[LABELS];
  berth_dims_t broadcast;  // Of the ellipses.
} einsum_t;

// ---- The equation ----

static berth_code_t subscript_read(const char *text, const char *end,
                                   subscript_t *subscript, berth_error_t *err) {
  int periods = 0;
  int32_t size = (int32_t)(end - text);
  for (const char *at = text; at < end; ++at) periods += *at == '.';
  const char *dots = strstr(text, "...");
  bool has_ellipsis = dots != NULL && dots + ELLIPSIS_SIZE <= end;
  if (periods != 0 && periods != ELLIPSIS_SIZE) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected at most one ellipsis (...), but found %d "
                           "periods (.) in the input subscript: %.*s",
                           periods, (int)size, text);
  }
  if (periods == ELLIPSIS_SIZE && !has_ellipsis) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected to find ellipsis (...), but found "
                           "period(s) in the subscript: %.*s",
                           (int)size, text);
  }
  *subscript = (subscript_t){text, size, size - periods, periods > 0};
  return BERTH_OK;
}

// Cuts the equation into subscripts, as many as there are inputs.
static berth_code_t equation_read(einsum_t *e, int input_count,
                                  berth_error_t *err) {
  const char *arrow = strstr(e->equation, "->");
  if (arrow == NULL || strstr(arrow + 2, "->") != NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expecting exactly one '->' in einsum equation: %s",
                           e->equation);
  }
  int count = 1;
  for (const char *at = e->equation; at < arrow; ++at) count += *at == ',';
  if (count > MOST_INPUTS) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expecting 1 or 2 input subscripts in equation '%s' "
                           "but got: %d",
                           e->equation, count);
  }
  if (count != input_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected %d inputs for equation %s but got: %d",
                           count, e->equation, input_count);
  }
  e->input_count = count;
  const char *text = e->equation;
  for (int i = 0; i < count; ++i) {
    const char *end = memchr(text, ',', (size_t)(arrow - text));
    if (end == NULL) end = arrow;
    BERTH_TRY(subscript_read(text, end, &e->inputs[i], err));
    text = end + 1;
  }
  return subscript_read(arrow + 2, arrow + 2 + strlen(arrow + 2), &e->output,
                        err);
}

// ---- Inputs ----

// Checks the rank of input |i| and stores its shape.
static berth_code_t input_shape(berth_shape_context_t *c, const einsum_t *e,
                                int i, berth_dims_t *out_shape,
                                berth_error_t *err) {
  const subscript_t *subscript = &e->inputs[i];
  *out_shape = berth_shape_in(c, i);
  berth_code_t code =
      subscript->has_ellipsis
          ? berth_shape_rank_at_least(*out_shape, subscript->letters, err)
          : berth_shape_with_rank(c, *out_shape, subscript->letters, out_shape,
                                  err);
  if (code == BERTH_INVALID_ARGUMENT) {
    berth_error_append(err, "\n\t for %dth input and equation: %s", i,
                       e->equation);
  }
  return code;
}

// Notes the dimensions of input |i| by label, and stores those of its ellipsis.
static berth_code_t input_read(berth_shape_context_t *c, einsum_t *e, int i,
                               berth_dims_t *out_broadcast,
                               berth_error_t *err) {
  const subscript_t *subscript = &e->inputs[i];
  berth_dims_t shape;
  BERTH_TRY(input_shape(c, e, i, &shape, err));
  int32_t extra = shape.rank < 0 ? 0 : shape.rank - subscript->letters;
  int32_t axis = 0;
  *out_broadcast = (berth_dims_t){0, NULL};
  for (int32_t k = 0; k < subscript->size; ++k) {
    unsigned char label = (unsigned char)subscript->text[k];
    if (label == '.') {
      *out_broadcast = berth_shape_slice(shape, axis, axis + extra);
      axis += extra;
      k += ELLIPSIS_SIZE - 1;
      continue;
    }
    int64_t dim = berth_shape_dim(shape, axis++);
    if (e->is_known[label]) {
      BERTH_TRY(berth_shape_merge_dims(e->dims[label], dim, &dim, err));
    }
    e->is_known[label] = true;
    e->dims[label] = dim;
  }
  return BERTH_OK;
}

static berth_code_t inputs_read(berth_shape_context_t *c, einsum_t *e,
                                berth_error_t *err) {
  berth_dims_t other;
  BERTH_TRY(input_read(c, e, 0, &e->broadcast, err));
  if (e->input_count == 1) return BERTH_OK;
  BERTH_TRY(input_read(c, e, 1, &other, err));
  return berth_shape_broadcast(c, e->broadcast, other, &e->broadcast, err);
}

// ---- The output ----

// Checks that the output has room for the dimensions of ellipses.
static berth_code_t broadcast_check(einsum_t *e, berth_error_t *err) {
  if (e->output.has_ellipsis) return BERTH_OK;
  berth_code_t code = berth_shape_rank_at_most(e->broadcast, 0, err);
  if (code != BERTH_OK) {
    berth_error_append(err,
                       "\n\t for einsum equation '%s' without ellipsis (...) "
                       "in the output subscripts where input(s) have non-empty "
                       "broadcasting shape",
                       e->equation);
  }
  e->broadcast = (berth_dims_t){0, NULL};
  return code;
}

static berth_code_t output_set(berth_shape_context_t *c, const einsum_t *e,
                               berth_error_t *err) {
  const subscript_t *output = &e->output;
  int32_t rank = output->letters + e->broadcast.rank, axis = 0;
  int64_t *dims = berth_shape_room(c, rank);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  for (int32_t k = 0; k < output->size; ++k) {
    unsigned char label = (unsigned char)output->text[k];
    if (label == '.') {
      for (int32_t d = 0; d < e->broadcast.rank; ++d) {
        dims[axis++] = e->broadcast.dims[d];
      }
      k += ELLIPSIS_SIZE - 1;
    } else if (e->is_known[label]) {
      dims[axis++] = e->dims[label];
    } else {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Einsum output subscripts for equation '%s' has "
                             "label '%c' which is not present in the input "
                             "subscripts",
                             e->equation, label);
    }
  }
  berth_shape_set_out(c, 0, (berth_dims_t){rank, dims});
  return BERTH_OK;
}

// True when the shape of some input is known.
static bool has_shapes(const berth_shape_context_t *c) {
  for (int i = 0; i < berth_shape_inputs(c); ++i) {
    if (berth_shape_in(c, i).rank >= 0) return true;
  }
  return false;
}

static berth_code_t infer(berth_shape_context_t *c, berth_error_t *err) {
  einsum_t e = {.equation = berth_node_attr_string(c->node, "equation", "")};
  BERTH_TRY(equation_read(&e, berth_shape_inputs(c), err));
  BERTH_TRY(inputs_read(c, &e, err));
  BERTH_TRY(broadcast_check(&e, err));
  return e.broadcast.rank < 0 ? BERTH_OK : output_set(c, &e, err);
}

// Where no shape is known, what is wrong with the equation is left to the
// kernel: an eager call says it in its words.
BERTH_INFER(einsum) {
  berth_code_t code = infer(c, err);
  if (code != BERTH_INVALID_ARGUMENT || has_shapes(c)) return code;
  if (err != NULL) berth_error_clear(err);
  return BERTH_OK;
}
