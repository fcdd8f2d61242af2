// decimal.c - Floating point numbers as decimal digits.
//
// The C library does the arithmetic: it rounds correctly for any number of
// digits. Its text is only taken apart here, digit by digit, because its
// decimal point depends on the locale.
#include "tensor/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/half.h"

// Most digits a number needs to be told from its neighbours.
static int digits_needed(berth_dtype_t dtype) {
  if (dtype == BERTH_HALF) return 5;
  return dtype == BERTH_FLOAT ? 9 : 17;
}

// True when |decimal| reads as |value| in |dtype|.
static bool reads_back(const berth_decimal_t *decimal, double value,
                       berth_dtype_t dtype) {
  char text[64];
  // A whole number of digits needs no decimal point.
  snprintf(text, sizeof(text), "%s%.*se%d", decimal->is_negative ? "-" : "",
           decimal->count, decimal->digits,
           decimal->exponent - (decimal->count - 1));
  if (dtype == BERTH_DOUBLE) return strtod(text, NULL) == value;
  float read = strtof(text, NULL);
  if (dtype == BERTH_HALF)
    read = berth_half_to_float(berth_float_to_half(read));
  return (double)read == value;
}

// Takes the text of printf's %e apart.
static berth_decimal_t decimal_read(const char *text) {
  berth_decimal_t decimal = {0};
  const char *at = text;
  if (*at == '-') {
    decimal.is_negative = true;
    ++at;
  }
  for (; *at != '\0' && *at != 'e'; ++at) {
    if (*at >= '0' && *at <= '9') decimal.digits[decimal.count++] = *at;
  }
  if (*at == 'e') decimal.exponent = (int)strtol(at + 1, NULL, 10);
  return decimal;
}

berth_decimal_t berth_decimal_round(double value, int count) {
  char text[64];
  int asked = count < BERTH_DECIMAL_MAX ? count : BERTH_DECIMAL_MAX;
  snprintf(text, sizeof(text), "%.*e", asked > 1 ? asked - 1 : 0, value);
  return decimal_read(text);
}

// Above a power of two floats lie twice as far apart as below it: there the
// nearest digits may read as the neighbour below although one more in the last
// place would do.
static bool step_up(berth_decimal_t *decimal) {
  char *last = &decimal->digits[decimal->count - 1];
  if (*last == '9') return false;
  ++*last;
  return true;
}

berth_decimal_t berth_decimal_shortest(double value, berth_dtype_t dtype) {
  int needed = digits_needed(dtype);
  for (int count = 1; count < needed; ++count) {
    berth_decimal_t decimal = berth_decimal_round(value, count);
    if (reads_back(&decimal, value, dtype)) return decimal;
    if (step_up(&decimal) && reads_back(&decimal, value, dtype)) {
      return decimal;
    }
  }
  return berth_decimal_round(value, needed);
}

void berth_decimal_trim(berth_decimal_t *decimal) {
  while (decimal->count > 1 && decimal->digits[decimal->count - 1] == '0') {
    --decimal->count;
  }
}

int berth_decimal_fraction(const berth_decimal_t *decimal) {
  int fraction = decimal->count - 1 - decimal->exponent;
  return fraction > 0 ? fraction : 0;
}

int berth_decimal_integer(const berth_decimal_t *decimal) {
  return decimal->exponent > 0 ? decimal->exponent + 1 : 1;
}

// Appends the digit worth ten to the power |power|.
static void put_digit(const berth_decimal_t *decimal, int power,
                      berth_str_t *str) {
  int index = decimal->exponent - power;
  bool is_given = index >= 0 && index < decimal->count;
  berth_str_putc(str, is_given ? decimal->digits[index] : '0');
}

void berth_decimal_put_positional(const berth_decimal_t *decimal,
                                  berth_str_t *str) {
  int integer = berth_decimal_integer(decimal);
  int fraction = berth_decimal_fraction(decimal);
  for (int i = integer - 1; i >= 0; --i) put_digit(decimal, i, str);
  if (fraction > 0) berth_str_putc(str, '.');
  for (int i = 1; i <= fraction; ++i) put_digit(decimal, -i, str);
}

void berth_decimal_put_scientific(const berth_decimal_t *decimal,
                                  int exponent_digits, berth_str_t *str) {
  berth_str_putc(str, decimal->digits[0]);
  if (decimal->count > 1) {
    berth_str_putc(str, '.');
    berth_str_put(str, decimal->digits + 1, (size_t)decimal->count - 1);
  }
  berth_str_printf(str, "e%c%0*d", decimal->exponent < 0 ? '-' : '+',
                   exponent_digits, abs(decimal->exponent));
}

void berth_decimal_put_general(double value, int digits, berth_str_t *str) {
  if (isnan(value)) {
    berth_str_puts(str, "nan");
    return;
  }
  if (signbit(value)) berth_str_putc(str, '-');
  if (isinf(value)) {
    berth_str_puts(str, "inf");
    return;
  }
  berth_decimal_t decimal = berth_decimal_round(value, digits);
  berth_decimal_trim(&decimal);
  if (decimal.exponent < -4 || decimal.exponent >= digits) {
    berth_decimal_put_scientific(&decimal, 2, str);
  } else {
    berth_decimal_put_positional(&decimal, str);
  }
}
