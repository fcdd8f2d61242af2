// text.c - Ops that make strings: AsString, StringJoin.
#include <stdio.h>
#include <string.h>

#include "graph/shape_fn.h"
#include "op/text.h"
#include "op/types.h"
#include "op/value.h"

// ---- AsString ----

#define REALS (BERTH_TYPES_FLOATING | BERTH_TYPES_COMPLEX)

static const char *conversion(berth_dtype_t dtype, bool is_scientific,
                              bool is_shortest) {
  if (berth_type_in(dtype, REALS)) {
    return is_scientific ? "e" : is_shortest ? "g" : "f";
  }
  if (dtype == BERTH_STRING) return "s";
  bool has_sign = berth_type_in(
      dtype, BERTH_TYPES_INDEX | BERTH_TYPE(INT8) | BERTH_TYPE(INT16));
  return has_sign ? "lld" : "llu";
}

// Characters that a number may be asked to take. A text of the widest is a
// megabyte, and printf can write it.
enum { MOST_CHARACTERS = 1 << 20 };

// Refuses a width or precision that no text has.
static berth_code_t check_characters(const berth_node_t *node, const char *name,
                                     berth_error_t *err) {
  int64_t wanted = berth_node_attr_int(node, name, -1);
  if (wanted <= MOST_CHARACTERS) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "AsString can write %s up to %d, but %lld was asked "
                         "for",
                         name, MOST_CHARACTERS, (long long)wanted);
}

static berth_code_t check_format(const berth_node_t *node, berth_dtype_t dtype,
                                 berth_error_t *err) {
  const char *fill = berth_node_attr_string(node, "fill", "");
  bool is_scientific = berth_node_attr_bool(node, "scientific", false);
  bool is_shortest = berth_node_attr_bool(node, "shortest", false);
  bool has_digits = berth_type_in(dtype, REALS | BERTH_TYPE(STRING));
  if (!has_digits && (is_scientific || is_shortest)) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "scientific and shortest format not supported for datatype %s",
        berth_dtype_name(dtype));
  }
  if (!has_digits && berth_node_attr_int(node, "precision", -1) >= 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "precision not supported for datatype %s",
                           berth_dtype_name(dtype));
  }
  if (is_scientific && is_shortest) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Cannot select both scientific and shortest notation");
  }
  if (strlen(fill) > 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Fill string must be one or fewer characters");
  }
  if (fill[0] != '\0' && strchr(" +-0#", fill[0]) == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Fill argument not supported: \"%s\"", fill);
  }
  BERTH_TRY(check_characters(node, "width", err));
  return check_characters(node, "precision", err);
}

// Writes the directive for printf: "%-8.2f".
static void write_directive(const berth_node_t *node, berth_dtype_t dtype,
                            berth_text_format_t *format) {
  int64_t width = berth_node_attr_int(node, "width", -1);
  int64_t precision = berth_node_attr_int(node, "precision", -1);
  char width_text[24] = "", precision_text[24] = "";
  if (width > 0) {
    snprintf(width_text, sizeof(width_text), "%lld", (long long)width);
  }
  if (precision >= 0) {
    snprintf(precision_text, sizeof(precision_text), ".%lld",
             (long long)precision);
  }
  const char *fill = berth_node_attr_string(node, "fill", "");
  const char *letters =
      conversion(dtype, berth_node_attr_bool(node, "scientific", false),
                 berth_node_attr_bool(node, "shortest", false));
  snprintf(format->directive, sizeof(format->directive), "%%%s%s%s%s", fill,
           width_text, precision_text, letters);
  char last = letters[strlen(letters) - 1];
  format->notation = fill[0] != '#' ? last : '\0';
  format->width = width > 0 ? (int)width : 0;
  format->fill = fill[0];
  format->precision = precision < 0      ? 6
                      : precision < 1000 ? (int)precision
                                         : 1000;
  format->is_plain = width <= 0;
  format->characters = width > precision ? width : precision;
}

berth_code_t berth_op_as_string(berth_case_t *op,
                                berth_text_format_t *out_format,
                                berth_error_t *err) {
  berth_dtype_t dtype = op->inputs[0].dtype;
  BERTH_TRY(check_format(op->node, dtype, err));
  write_directive(op->node, dtype, out_format);
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return BERTH_OK;
}

// ---- StringJoin ----

// Sets the shape of the output: that of all inputs that are no scalars.
static berth_code_t set_joined_shape(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *first = NULL;
  for (int i = 0; i < op->input_count; ++i) {
    const berth_case_input_t *input = &op->inputs[i];
    if (input->rank == 0) continue;
    if (first == NULL) first = input;
    berth_dims_t dims = {input->rank, input->dims};
    if (berth_dims_equal((berth_dims_t){first->rank, first->dims}, dims)) {
      continue;
    }
    char texts[2][BERTH_DIMS_TEXT];
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT, "Input shapes do not match: %s vs. %s",
        berth_input_text(first, texts[0]), berth_input_text(input, texts[1]));
  }
  berth_case_output(
      op, 0,
      first == NULL ? BERTH_SCALAR : (berth_dims_t){first->rank, first->dims});
  return BERTH_OK;
}

berth_code_t berth_op_string_join(berth_case_t *op, berth_text_join_t *out_join,
                                  berth_error_t *err) {
  BERTH_TRY(set_joined_shape(op, err));
  *out_join =
      (berth_text_join_t){berth_dims_count(berth_case_output_dims(op, 0)),
                          berth_node_attr_string(op->node, "separator", "")};
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(string_join) {
  berth_dims_t all = {-1, NULL};
  bool are_scalars = true;
  for (int i = 0; i < berth_shape_inputs(c); ++i) {
    berth_dims_t in = berth_shape_in(c, i);
    if (in.rank != 0) are_scalars = false;
    if (in.rank > 0) BERTH_TRY(berth_shape_merge(c, all, in, &all, err));
  }
  c->outputs[0] = are_scalars ? BERTH_SCALAR : all;
  return BERTH_OK;
}
