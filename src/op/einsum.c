// einsum.c - Reads the equation of an Einsum.
//
// 1. The equation is cut into terms, one for each input and one for the output.
// 2. Each term becomes a list of labels, one for each dimension.
// 3. Labels get sizes from the inputs, then loops from the output and the rest.
#include "op/einsum.h"

#include <string.h>

#include "op/value.h"

// Labels: 0 to 51 are letters, those of an ellipsis follow, from the right.
enum { LETTERS = 52, ELLIPSIS = 52, LABELS = 52 + BERTH_MAX_RANK };

typedef struct term {
  const char *text;
  int32_t size;
  int32_t letters;  // How many; dimensions that are not the ellipsis'.
  bool has_ellipsis;
} term_t;

typedef struct reader {
  berth_case_t *op;
  term_t terms[BERTH_EINSUM_INPUTS + 1];
  int64_t sizes[LABELS];  // -1: none.
  int32_t broadcast;      // Dimensions of the ellipsis.
} reader_t;

// ---- Terms ----

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int32_t label_of(char c) {
  return c >= 'a' ? c - 'a' : c - 'A' + LETTERS / 2;
}

static berth_code_t term_read(const char *text, const char *end, term_t *term,
                              berth_error_t *err) {
  *term = (term_t){.text = text, .size = (int32_t)(end - text)};
  for (const char *at = text; at < end; ++at) {
    if (end - at >= 3 && memcmp(at, "...", 3) == 0 && !term->has_ellipsis) {
      term->has_ellipsis = true;
      at += 2;
    } else if (is_letter(*at)) {
      ++term->letters;
    } else {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Invalid character '%c' in einsum equation: "
                             "labels are letters, and an ellipsis is \"...\"",
                             *at);
    }
  }
  return BERTH_OK;
}

static berth_code_t terms_read(reader_t *r, berth_error_t *err) {
  const char *equation = berth_node_attr_string(r->op->node, "equation", "");
  const char *arrow = strstr(equation, "->");
  if (arrow == NULL || strstr(arrow + 2, "->") != NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expecting exactly one '->' in einsum equation: %s",
                           equation);
  }
  int inputs = 1;
  for (const char *at = equation; at < arrow; ++at) inputs += *at == ',';
  if (inputs != r->op->input_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected %d inputs but got: %d", inputs,
                           r->op->input_count);
  }
  if (inputs > BERTH_EINSUM_INPUTS) {
    return berth_error_set(
        err, BERTH_UNIMPLEMENTED,
        "Einsum of %d inputs: at most two are supported; tf.einsum takes more "
        "and contracts them two by two",
        inputs);
  }
  const char *text = equation;
  for (int i = 0; i < inputs; ++i) {
    const char *end = memchr(text, ',', (size_t)(arrow - text));
    if (end == NULL) end = arrow;
    BERTH_TRY(term_read(text, end, &r->terms[i], err));
    text = end + 1;
  }
  text = arrow + 2;
  return term_read(text, text + strlen(text), &r->terms[BERTH_EINSUM_INPUTS],
                   err);
}

// Lists the labels of |term|, whose ellipsis has |broadcast| dimensions.
static int32_t labels_list(const term_t *term, int32_t broadcast,
                           int32_t *labels) {
  int32_t count = 0;
  for (int32_t i = 0; i < term->size; ++i) {
    if (is_letter(term->text[i])) {
      labels[count++] = label_of(term->text[i]);
      continue;
    }
    for (int32_t d = broadcast; d-- > 0;) labels[count++] = ELLIPSIS + d;
    i += 2;
  }
  return count;
}

// ---- Sizes ----

// Notes that |label| has |size| indices. Only an ellipsis broadcasts.
static berth_code_t size_note(reader_t *r, int input, int32_t axis,
                              int32_t label, int64_t size, berth_error_t *err) {
  int64_t *known = &r->sizes[label];
  bool broadcasts = label >= ELLIPSIS;
  if (*known < 0 || (broadcasts && *known == 1)) *known = size;
  if (*known == size || (broadcasts && size == 1)) return BERTH_OK;
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Expected dimension %lld at axis %d of the input shaped %s but got "
      "dimension %lld",
      (long long)*known, (int)axis,
      berth_dims_text(berth_case_input_dims(r->op, input), text),
      (long long)size);
}

static berth_code_t sizes_read(reader_t *r, int i, berth_error_t *err) {
  const term_t *term = &r->terms[i];
  const berth_case_input_t *input = &r->op->inputs[i];
  int32_t labels[BERTH_MAX_RANK];
  bool fits = term->has_ellipsis ? input->rank >= term->letters
                                 : input->rank == term->letters;
  if (!fits) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected input %d to have rank %s%d but got: %d", i,
                           term->has_ellipsis ? "at least " : "",
                           (int)term->letters, (int)input->rank);
  }
  int32_t broadcast = input->rank - term->letters;
  if (broadcast > r->broadcast) r->broadcast = broadcast;
  labels_list(term, broadcast, labels);
  for (int32_t d = 0; d < input->rank; ++d) {
    BERTH_TRY(size_note(r, i, d, labels[d], input->dims[d], err));
  }
  return BERTH_OK;
}

// ---- Loops ----

static berth_code_t loop_add(berth_einsum_t *einsum, int32_t *loop_of,
                             int32_t label, int64_t size, berth_error_t *err) {
  if (loop_of[label] >= 0) return BERTH_OK;
  if (einsum->count == BERTH_EINSUM_LOOPS) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Einsum with more than %d labels",
                           BERTH_EINSUM_LOOPS);
  }
  loop_of[label] = einsum->count;
  einsum->dims[einsum->count++] = size;
  return BERTH_OK;
}

// Adds the steps of an operand, whose dimensions are |dims|, to its loops.
static void steps_add(const int32_t *loop_of, const int32_t *labels,
                      berth_dims_t dims, int64_t *steps) {
  int64_t step = 1;
  for (int32_t d = dims.rank; d-- > 0;) {
    if (dims.dims[d] != 1) steps[loop_of[labels[d]]] += step;
    step *= dims.dims[d];
  }
}

static berth_code_t output_read(reader_t *r, berth_einsum_t *einsum,
                                int32_t *loop_of, berth_error_t *err) {
  const term_t *term = &r->terms[BERTH_EINSUM_INPUTS];
  int32_t labels[BERTH_MAX_RANK];
  int64_t dims[BERTH_MAX_RANK];
  if (r->broadcast > 0 && !term->has_ellipsis) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Output contains %d broadcasting dimension(s) but "
                           "no ellipsis (...) was found in the output "
                           "subscripts.",
                           (int)r->broadcast);
  }
  if (term->letters + r->broadcast > BERTH_MAX_RANK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Einsum with an output of more than %d dimensions",
                           BERTH_MAX_RANK);
  }
  int32_t rank = labels_list(term, r->broadcast, labels);
  for (int32_t d = 0; d < rank; ++d) {
    dims[d] = r->sizes[labels[d]];
    if (dims[d] < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Einsum has a label in its output that no input "
                             "has: %.*s",
                             (int)term->size, term->text);
    }
    BERTH_TRY(loop_add(einsum, loop_of, labels[d], dims[d], err));
  }
  einsum->kept = einsum->count;
  einsum->has_diagonal = einsum->kept < rank;
  berth_case_output(r->op, 0, (berth_dims_t){rank, dims});
  steps_add(loop_of, labels, (berth_dims_t){rank, dims},
            einsum->steps[BERTH_EINSUM_INPUTS]);
  return BERTH_OK;
}

static berth_code_t inputs_read(reader_t *r, berth_einsum_t *einsum,
                                int32_t *loop_of, berth_error_t *err) {
  for (int i = 0; i < r->op->input_count; ++i) {
    int32_t labels[BERTH_MAX_RANK];
    berth_dims_t dims = berth_case_input_dims(r->op, i);
    labels_list(&r->terms[i], dims.rank - r->terms[i].letters, labels);
    for (int32_t d = 0; d < dims.rank; ++d) {
      BERTH_TRY(loop_add(einsum, loop_of, labels[d], r->sizes[labels[d]], err));
    }
    steps_add(loop_of, labels, dims, einsum->steps[i]);
  }
  return BERTH_OK;
}

berth_code_t berth_op_einsum(berth_case_t *op, berth_einsum_t *out_einsum,
                             berth_error_t *err) {
  reader_t r = {.op = op};
  berth_einsum_t einsum = {.dtype = op->inputs[0].dtype,
                           .inputs = op->input_count};
  int32_t loop_of[LABELS];
  for (int i = 0; i < LABELS; ++i) r.sizes[i] = loop_of[i] = -1;
  BERTH_TRY(terms_read(&r, err));
  for (int i = 0; i < op->input_count; ++i) {
    BERTH_TRY(sizes_read(&r, i, err));
  }
  BERTH_TRY(output_read(&r, &einsum, loop_of, err));
  BERTH_TRY(inputs_read(&r, &einsum, loop_of, err));
  berth_dims_t dims = berth_case_output_dims(op, 0);
  einsum.outputs = berth_dims_count(dims);
  BERTH_TRY(berth_value_check_size(dims, einsum.outputs, einsum.dtype, err));
  *out_einsum = einsum;
  return BERTH_OK;
}
