// text.c - Kernels that make strings: AsString, StringJoin.
#include <stdio.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/digits.h"
#include "cpu/loops/poll.h"
#include "op/text.h"
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
  berth_text_format_t text;
  berth_dtype_t dtype;
  int64_t count;
  int64_t poll;  // Elements between looks at the end of the run.
} format_t;

// The directive is made of checked parts only.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

// Appends |count| times |c|.
static void put_many(berth_str_t *str, char c, int64_t count) {
  char block[64];
  memset(block, c, sizeof(block));
  for (; count > 0; count -= (int64_t)sizeof(block)) {
    berth_str_put(str, block, (size_t)(count < 64 ? count : 64));
  }
}

// Appends a number of |size| characters as wide as it shall be, as printf does.
static void put_number(const format_t *format, const char *digits, size_t size,
                       bool has_sign, berth_str_t *str) {
  char fill = format->text.fill;
  int64_t missing = format->text.width - (int64_t)size;
  if (missing <= 0 && fill != '+' && fill != ' ') {
    berth_str_put(str, digits, size);
    return;
  }
  bool is_negative = digits[0] == '-', is_signed = is_negative;
  char sign = '-';
  if (!is_negative && has_sign && (fill == '+' || fill == ' ')) {
    sign = fill;
    is_signed = true;
    --missing;
  }
  if (fill != '0' && fill != '-') put_many(str, ' ', missing);
  if (is_signed) berth_str_putc(str, sign);
  if (fill == '0') put_many(str, '0', missing);
  berth_str_put(str, digits + is_negative, size - is_negative);
  if (fill == '-') put_many(str, ' ', missing);
}

static void print_real(const format_t *format, double value, berth_str_t *str) {
  char digits[BERTH_DIGITS_ROOM];
  size_t size = 0;
  if (format->text.notation != '\0') {
    size = berth_digits_write(value, format->text.notation,
                              format->text.precision, digits);
  }
  if (size > 0) {
    put_number(format, digits, size, true, str);
    return;
  }
  berth_str_printf(str, format->text.directive, value);
}

static void print_signed(const format_t *format, int64_t value,
                         berth_str_t *str) {
  char digits[BERTH_DIGITS_ROOM];
  if (format->text.notation != '\0') {
    size_t size = berth_digits_write_int(value, digits);
    put_number(format, digits, size, true, str);
    return;
  }
  berth_str_printf(str, format->text.directive, (long long)value);
}

static void print_unsigned(const format_t *format, uint64_t value,
                           berth_str_t *str) {
  char digits[BERTH_DIGITS_ROOM];
  if (format->text.notation != '\0' && value <= INT64_MAX) {
    size_t size = berth_digits_write_int((int64_t)value, digits);
    put_number(format, digits, size, false, str);
    return;
  }
  berth_str_printf(str, format->text.directive, (unsigned long long)value);
}

static void print_text(const format_t *format, const berth_string_t *value,
                       berth_str_t *str) {
  size_t size = 0;
  const char *text = berth_string_get(value, &size);
  if (format->text.is_plain) {
    berth_str_put(str, text, size);
  } else {
    berth_str_printf(str, format->text.directive, text);
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

// Truths have two texts.
static berth_code_t run_truths(const void *plan, void *const *args,
                               berth_call_t *call) {
  const format_t *format = plan;
  const bool *in = args[0];
  berth_string_t *out = args[1], texts[2] = {0};
  (void)berth_string_set(&texts[0], "false", 5);
  (void)berth_string_set(&texts[1], "true", 4);
  for (int64_t i = 0; i < format->count; ++i) {
    if (berth_cpu_ends_at(call, i)) break;
    out[i] = texts[in[i] ? 1 : 0];
  }
  return BERTH_OK;
}

static berth_code_t prepare_as_string(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  format_t *format = berth_prepare_plan(prepare, sizeof(*format));
  if (format == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_as_string(&prepare->op, &format->text, err));
  format->dtype = input->dtype;
  format->count = input->count;
  int64_t characters = format->text.characters;
  format->poll =
      characters > 0 ? BERTH_CPU_POLL / 4 / (characters + 1) + 1 : 1024;
  prepare->run = format->dtype == BERTH_BOOL ? run_truths : run_as_string;
  prepare->work = input->count * 200;
  return BERTH_OK;
}

// ---- StringJoin ----

enum { JOINED_POLL = 64 };

typedef struct join {
  berth_text_join_t text;
  int32_t inputs;
  bool is_scalar[];  // By input.
} join_t;

static berth_code_t run_join(const void *plan, void *const *args,
                             berth_call_t *call) {
  const join_t *join = plan;
  berth_string_t *out = args[join->inputs];
  berth_code_t code = BERTH_OK;
  berth_str_t str = {0};
  const size_t between = strlen(join->text.separator);
  for (int64_t i = 0; code == BERTH_OK && i < join->text.count; ++i) {
    // Texts may be long: look often, which costs less than a text.
    if (i % JOINED_POLL == JOINED_POLL - 1 && berth_cpu_has_ended(call)) break;
    for (int32_t k = 0; k < join->inputs; ++k) {
      size_t size = 0;
      const berth_string_t *from = args[k];
      const char *text =
          berth_string_get(&from[join->is_scalar[k] ? 0 : i], &size);
      if (k > 0) berth_str_put(&str, join->text.separator, between);
      berth_str_put(&str, text, size);
    }
    code = take_text(&str, &out[i], call);
  }
  berth_str_clear(&str);
  return code;
}

static berth_code_t prepare_join(berth_prepare_t *prepare, berth_error_t *err) {
  size_t inputs = (size_t)prepare->op.input_count;
  join_t *join = berth_prepare_plan(prepare, sizeof(*join) + inputs);
  if (join == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_string_join(&prepare->op, &join->text, err));
  join->inputs = prepare->op.input_count;
  for (int i = 0; i < prepare->op.input_count; ++i) {
    join->is_scalar[i] = prepare->op.inputs[i].rank == 0;
  }
  prepare->run = run_join;
  prepare->work = join->text.count * 50;
  return BERTH_OK;
}

#define TYPES (BERTH_TYPES_BASIC | BERTH_TYPE(STRING))

const berth_kernel_t berth_cpu_text_kernels[] = {
    {.op = "AsString", .types = {{"T", TYPES}}, .prepare = prepare_as_string},
    {.op = "StringJoin", .prepare = prepare_join},
    {.op = NULL},
};
