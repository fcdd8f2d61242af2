// text.c - Kernels that make strings: AsString, StringJoin.
#include <stdio.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/types.h"
#include "op/value.h"
#include "tensor/half.h"
#include "tensor/string.h"

// Stores |str| as an element, and empties it for the next.
static berth_code_t take_text(berth_str_t *str, berth_string_t *out,
                              berth_call_t *call) {
  bool ok =
      berth_str_ok(str) && berth_string_set(out, berth_str_get(str), str->size);
  str->size = 0;
  return ok ? BERTH_OK : berth_error_no_memory(call->err, "a string");
}

// ---- AsString ----

typedef struct format {
  berth_dtype_t dtype;
  int64_t count;
  int64_t poll;        // Elements between looks at the end of the run.
  bool is_plain;       // Strings are handed on.
  char directive[64];  // For printf.
} format_t;

// The directive is made of checked parts only.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void print_real(const format_t *format, double value, berth_str_t *str) {
  berth_str_printf(str, format->directive, value);
}

static void print_signed(const format_t *format, int64_t value,
                         berth_str_t *str) {
  berth_str_printf(str, format->directive, (long long)value);
}

static void print_unsigned(const format_t *format, uint64_t value,
                           berth_str_t *str) {
  berth_str_printf(str, format->directive, (unsigned long long)value);
}

static void print_text(const format_t *format, const berth_string_t *value,
                       berth_str_t *str) {
  size_t size = 0;
  const char *text = berth_string_get(value, &size);
  if (format->is_plain) {
    berth_str_put(str, text, size);
  } else {
    berth_str_printf(str, format->directive, text);
  }
}

#pragma GCC diagnostic pop

static void print_complex(const format_t *format, double real, double imaginary,
                          berth_str_t *str) {
  berth_str_putc(str, '(');
  print_real(format, real, str);
  berth_str_putc(str, ',');
  print_real(format, imaginary, str);
  berth_str_putc(str, ')');
}

#define AT(type) (((const type *)data)[i])

static void print_element(const format_t *format, const void *data, int64_t i,
                          berth_str_t *str) {
  switch (format->dtype) {
    case BERTH_FLOAT:
      print_real(format, (double)AT(float), str);
      break;
    case BERTH_DOUBLE:
      print_real(format, AT(double), str);
      break;
    case BERTH_HALF:
      print_real(format, (double)berth_half_to_float(AT(uint16_t)), str);
      break;
    case BERTH_BFLOAT16:
      print_real(format, (double)berth_bfloat16_to_float(AT(uint16_t)), str);
      break;
    case BERTH_COMPLEX64:
      print_complex(format, (double)((const float *)data)[2 * i],
                    (double)((const float *)data)[2 * i + 1], str);
      break;
    case BERTH_COMPLEX128:
      print_complex(format, ((const double *)data)[2 * i],
                    ((const double *)data)[2 * i + 1], str);
      break;
    case BERTH_INT8:
      print_signed(format, AT(int8_t), str);
      break;
    case BERTH_INT16:
      print_signed(format, AT(int16_t), str);
      break;
    case BERTH_INT32:
      print_signed(format, AT(int32_t), str);
      break;
    case BERTH_INT64:
      print_signed(format, AT(int64_t), str);
      break;
    case BERTH_UINT8:
      print_unsigned(format, AT(uint8_t), str);
      break;
    case BERTH_UINT16:
      print_unsigned(format, AT(uint16_t), str);
      break;
    case BERTH_UINT32:
      print_unsigned(format, AT(uint32_t), str);
      break;
    case BERTH_UINT64:
      print_unsigned(format, AT(uint64_t), str);
      break;
    case BERTH_STRING:
      print_text(format, &AT(berth_string_t), str);
      break;
    default:
      berth_str_puts(str, AT(bool) ? "true" : "false");
      break;
  }
}

static berth_code_t run_as_string(const void *plan, void *const *args,
                                  berth_call_t *call) {
  const format_t *format = plan;
  berth_string_t *out = args[1];
  berth_code_t code = BERTH_OK;
  berth_str_t str = {0};
  for (int64_t i = 0; code == BERTH_OK && i < format->count; ++i) {
    if (i % format->poll == format->poll - 1 && berth_cpu_has_ended(call)) {
      break;
    }
    print_element(format, args[0], i, &str);
    code = take_text(&str, &out[i], call);
  }
  berth_str_clear(&str);
  return code;
}

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
static void write_directive(const berth_node_t *node, format_t *format) {
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
  snprintf(
      format->directive, sizeof(format->directive), "%%%s%s%s%s",
      berth_node_attr_string(node, "fill", ""), width_text, precision_text,
      conversion(format->dtype, berth_node_attr_bool(node, "scientific", false),
                 berth_node_attr_bool(node, "shortest", false)));
  format->is_plain = width <= 0;
  int64_t characters = width > precision ? width : precision;
  format->poll =
      characters > 0 ? BERTH_CPU_POLL / 4 / (characters + 1) + 1 : 1024;
}

static berth_code_t prepare_as_string(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  const berth_op_input_t *input = &prepare->op.inputs[0];
  BERTH_TRY(check_format(prepare->op.node, input->dtype, err));
  format_t *format = berth_prepare_plan(prepare, sizeof(*format));
  if (format == NULL) return berth_error_no_memory(err, "a plan");
  format->dtype = input->dtype;
  format->count = input->count;
  write_directive(prepare->op.node, format);
  berth_op_output(&prepare->op, 0, berth_op_input_dims(&prepare->op, 0));
  prepare->run = run_as_string;
  prepare->work = input->count * 200;
  return BERTH_OK;
}

// ---- StringJoin ----

enum { JOINED_POLL = 64 };

typedef struct join {
  int64_t count;  // Of results.
  int32_t inputs;
  bool is_scalar[];  // By input.
} join_t;

static berth_code_t run_join(const void *plan, void *const *args,
                             berth_call_t *call) {
  const join_t *join = plan;
  const char *separator = berth_node_attr_string(call->node, "separator", "");
  berth_string_t *out = args[join->inputs];
  berth_code_t code = BERTH_OK;
  berth_str_t str = {0};
  for (int64_t i = 0; code == BERTH_OK && i < join->count; ++i) {
    // Texts may be long: look often, which costs less than a text.
    if (i % JOINED_POLL == JOINED_POLL - 1 && berth_cpu_has_ended(call)) break;
    for (int32_t k = 0; k < join->inputs; ++k) {
      size_t size = 0;
      const berth_string_t *from = args[k];
      const char *text =
          berth_string_get(&from[join->is_scalar[k] ? 0 : i], &size);
      if (k > 0) berth_str_puts(&str, separator);
      berth_str_put(&str, text, size);
    }
    code = take_text(&str, &out[i], call);
  }
  berth_str_clear(&str);
  return code;
}

// Sets the shape of the output: that of all inputs that are no scalars.
static berth_code_t set_joined_shape(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  const berth_op_input_t *first = NULL;
  for (int i = 0; i < prepare->op.input_count; ++i) {
    const berth_op_input_t *input = &prepare->op.inputs[i];
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
  berth_op_output(
      &prepare->op, 0,
      first == NULL ? BERTH_SCALAR : (berth_dims_t){first->rank, first->dims});
  return BERTH_OK;
}

static berth_code_t prepare_join(berth_prepare_t *prepare, berth_error_t *err) {
  size_t inputs = (size_t)prepare->op.input_count;
  BERTH_TRY(set_joined_shape(prepare, err));
  join_t *join = berth_prepare_plan(prepare, sizeof(*join) + inputs);
  if (join == NULL) return berth_error_no_memory(err, "a plan");
  join->count = berth_dims_count(berth_shape_dims(&prepare->op.outputs[0]));
  join->inputs = prepare->op.input_count;
  for (int i = 0; i < prepare->op.input_count; ++i) {
    join->is_scalar[i] = prepare->op.inputs[i].rank == 0;
  }
  prepare->run = run_join;
  prepare->work = join->count * 50;
  return BERTH_OK;
}

#define TYPES (BERTH_TYPES_BASIC | BERTH_TYPE(STRING))

const berth_kernel_t berth_cpu_text_kernels[] = {
    {.op = "AsString", .types = {{"T", TYPES}}, .prepare = prepare_as_string},
    {.op = "StringJoin", .prepare = prepare_join},
    {.op = NULL},
};
