// float_format.c - One way of writing all the floats of an array.
//
//   positional   |  -12|.|5   |      exponents   | -1|.|25|e+|05|
//                  left   right                   left  fraction exponent
//                                                      |-- right --|
#include "tensor/float_format.h"

#include <math.h>
#include <stdlib.h>

#include "tensor/decimal.h"
#include "tensor/half.h"

enum {
  PRECISION = 8,      // Digits after the point, at most.
  CLASSIC_LEFT = 3,   // Two spaces or a space and a sign, and one digit.
  SPECIAL_WIDTH = 3,  // "nan" and "inf".
};

static bool is_classic(const berth_float_format_t *format) {
  return format->style == BERTH_PRINT_CLASSIC;
}

// Rounds |value| to |dtype|, in which numpy compares.
static double as_type(double value, berth_dtype_t dtype) {
  if (dtype == BERTH_DOUBLE) return value;
  float narrow = (float)value;
  if (dtype == BERTH_FLOAT) return (double)narrow;
  return (double)berth_half_to_float(berth_float_to_half(narrow));
}

// Returns where arrays begin to need exponents: beyond it not every whole
// number has digits of its own.
static double array_limit(const berth_float_format_t *format) {
  if (is_classic(format) || format->dtype == BERTH_DOUBLE) return 1e8;
  return format->dtype == BERTH_FLOAT ? 1e6 : 1e3;
}

void berth_float_format_init(berth_float_format_t *format, berth_dtype_t dtype,
                             berth_print_style_t style,
                             berth_float_part_t part) {
  *format = (berth_float_format_t){.dtype = dtype,
                                   .style = style,
                                   .part = part,
                                   .smallest = INFINITY,
                                   .exponent_width = 2};
}

void berth_float_format_see(berth_float_format_t *format, double value) {
  if (!isfinite(value)) {
    format->has_special = true;
    if (isinf(value) && value < 0) format->has_negative_infinity = true;
    return;
  }
  format->has_finite = true;
  double magnitude = fabs(value);
  if (magnitude == 0) return;
  if (magnitude < format->smallest) format->smallest = magnitude;
  if (magnitude > format->largest) format->largest = magnitude;
}

void berth_float_format_choose(berth_float_format_t *format) {
  if (format->largest == 0) return;
  berth_dtype_t dtype = format->dtype;
  double ratio = as_type(format->largest / format->smallest, dtype);
  format->has_exponent = format->largest >= array_limit(format) ||
                         format->smallest < as_type(0.0001, dtype) ||
                         ratio > 1000;
}

// Returns the digits that |value| has by itself, before all get as many.
static berth_decimal_t own_digits(const berth_float_format_t *format,
                                  double value) {
  if (format->has_exponent && is_classic(format)) {
    return berth_decimal_round(value, PRECISION + 1);
  }
  berth_decimal_t decimal = berth_decimal_shortest(value, format->dtype);
  int integer = format->has_exponent ? 1 : decimal.exponent + 1;
  int fraction = decimal.count - integer;
  // Digits before the point are all exact, even where fewer tell the number.
  if (fraction < 0) return berth_decimal_round(value, integer);
  if (fraction <= PRECISION) return decimal;
  decimal = berth_decimal_round(value, integer + PRECISION);
  berth_decimal_trim(&decimal);
  return decimal;
}

static int width_of_exponent(int exponent) {
  return abs(exponent) >= 100 ? 3 : 2;
}

static int max_int(int a, int b) { return a > b ? a : b; }

void berth_float_format_measure(berth_float_format_t *format, double value) {
  if (!isfinite(value)) return;
  berth_decimal_t decimal = own_digits(format, value);
  bool has_sign = format->part == BERTH_PART_IMAGINARY || signbit(value) != 0;
  if (is_classic(format)) has_sign = true;
  int integer = 1, fraction = decimal.count - 1;
  if (format->has_exponent) {
    int width = width_of_exponent(decimal.exponent);
    format->exponent_width = max_int(format->exponent_width, width);
  } else {
    integer = berth_decimal_integer(&decimal);
    fraction = berth_decimal_fraction(&decimal);
  }
  format->integer_width = max_int(format->integer_width, has_sign + integer);
  format->fraction_width = max_int(format->fraction_width, fraction);
}

void berth_float_format_fit(berth_float_format_t *format) {
  format->left_width = format->integer_width;
  format->right_width = format->fraction_width;
  if (format->has_exponent) {
    format->right_width += format->exponent_width + 2;
    if (is_classic(format)) format->left_width = CLASSIC_LEFT;
  }
  if (!format->has_special) return;
  bool needs_sign = format->has_negative_infinity || is_classic(format) ||
                    format->part == BERTH_PART_IMAGINARY;
  int needed = SPECIAL_WIDTH + needs_sign - (format->right_width + 1);
  format->left_width = max_int(format->left_width, needed);
}

static void put_spaces(berth_str_t *str, int count) {
  for (int i = 0; i < count; ++i) berth_str_putc(str, ' ');
}

// Appends "nan", "-inf" and the like, to the right of the columns.
static void write_special(const berth_float_format_t *format, double value,
                          berth_str_t *str) {
  const char *sign = format->part == BERTH_PART_IMAGINARY ? "+" : "";
  if (isinf(value) && value < 0) sign = "-";
  int width = format->left_width + format->right_width + 1;
  put_spaces(str, width - SPECIAL_WIDTH - (sign[0] != '\0'));
  berth_str_printf(str, "%s%s", sign, isnan(value) ? "nan" : "inf");
}

// Returns the sign to write before |value|, or NUL.
static char sign_of(const berth_float_format_t *format, double value) {
  if (signbit(value)) return '-';
  return format->part == BERTH_PART_IMAGINARY ? '+' : '\0';
}

static void write_left(const berth_float_format_t *format, double value,
                       int integer, berth_str_t *str) {
  char sign = sign_of(format, value);
  put_spaces(str, format->left_width - integer - (sign != '\0'));
  if (sign != '\0') berth_str_putc(str, sign);
}

static void write_exponent(const berth_float_format_t *format, double value,
                           berth_str_t *str) {
  int count = format->fraction_width + 1;
  berth_decimal_t decimal = own_digits(format, value);
  // More digits than it needs are the true ones, not zeros.
  if (decimal.count < count) decimal = berth_decimal_round(value, count);
  write_left(format, value, 1, str);
  berth_str_putc(str, decimal.digits[0]);
  berth_str_putc(str, '.');
  berth_str_put(str, decimal.digits + 1, (size_t)decimal.count - 1);
  berth_str_printf(str, "e%c%0*d", decimal.exponent < 0 ? '-' : '+',
                   format->exponent_width, abs(decimal.exponent));
}

// Pads with zeros where all numbers have equally many digits: the real parts
// of classic complex numbers.
static void write_positional(const berth_float_format_t *format, double value,
                             berth_str_t *str) {
  bool is_equal = is_classic(format) && format->part == BERTH_PART_REAL;
  berth_decimal_t decimal = own_digits(format, value);
  if (is_equal) {
    int count = decimal.exponent + 1 + format->fraction_width;
    if (value != 0 && count > 0) decimal = berth_decimal_round(value, count);
  }
  int fraction = berth_decimal_fraction(&decimal);
  write_left(format, value, berth_decimal_integer(&decimal), str);
  berth_decimal_put_positional(&decimal, str);
  if (fraction == 0) berth_str_putc(str, '.');
  for (int i = fraction; i < format->fraction_width; ++i) {
    berth_str_putc(str, is_equal ? '0' : ' ');
  }
}

void berth_float_format_write(const berth_float_format_t *format, double value,
                              berth_str_t *str) {
  if (!isfinite(value)) {
    write_special(format, value, str);
  } else if (format->has_exponent) {
    write_exponent(format, value, str);
  } else {
    write_positional(format, value, str);
  }
}

// Classic numbers are printf's %g with as many digits as the type is sure of.
static void write_classic_scalar(double value, berth_dtype_t dtype,
                                 bool is_bare, berth_str_t *str) {
  size_t before = str->size;
  berth_decimal_put_general(value, dtype == BERTH_DOUBLE ? 12 : 6, str);
  if (is_bare || !isfinite(value) || !berth_str_ok(str)) return;
  for (size_t i = before; i < str->size; ++i) {
    if (str->text[i] == '.' || str->text[i] == 'e') return;
  }
  berth_str_puts(str, ".0");
}

void berth_float_scalar_write(double value, berth_dtype_t dtype,
                              berth_print_style_t style, bool is_bare,
                              berth_str_t *str) {
  if (style == BERTH_PRINT_CLASSIC || !isfinite(value)) {
    write_classic_scalar(value, dtype, is_bare, str);
    return;
  }
  double limit = dtype == BERTH_DOUBLE ? 1e16 : 1e6;
  if (dtype == BERTH_HALF) limit = 1e3;
  double magnitude = fabs(value);
  berth_decimal_t decimal = berth_decimal_shortest(value, dtype);
  if (signbit(value)) berth_str_putc(str, '-');
  if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= limit)) {
    berth_decimal_put_scientific(&decimal, 2, str);
    return;
  }
  berth_decimal_put_positional(&decimal, str);
  if (!is_bare && berth_decimal_fraction(&decimal) == 0) {
    berth_str_puts(str, ".0");
  }
}
