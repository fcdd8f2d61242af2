// decimal.h - Floating point numbers as decimal digits.
//
// The digits of a number, either the fewest that read back as the same number
// of its type or a given count of them, and the ways numpy writes them. The
// program's locale plays no part.
//
// Pure functions on caller storage.
#ifndef BERTH_TENSOR_DECIMAL_H_
#define BERTH_TENSOR_DECIMAL_H_

#include <stdbool.h>

#include "base/str.h"
#include "berth/types.h"

// Digits d0.d1d2… times ten to the power |exponent|. Zero is one digit "0".
typedef struct berth_decimal {
  bool is_negative;
  int exponent;
  int count;        // Digits; the last is not 0 unless they were asked for.
  char digits[20];  // '0' to '9', not terminated.
} berth_decimal_t;

// Most digits that berth_decimal_round() gives.
#define BERTH_DECIMAL_MAX 20

// Returns the fewest digits that read back as |value|, a finite number of the
// type |dtype|: BERTH_HALF, BERTH_FLOAT or BERTH_DOUBLE.
berth_decimal_t berth_decimal_shortest(double value, berth_dtype_t dtype);

// Returns the |count| digits (1 to BERTH_DECIMAL_MAX) nearest to the finite
// |value|, trailing zeros included.
berth_decimal_t berth_decimal_round(double value, int count);

// Takes off trailing zeros, but not the first digit.
void berth_decimal_trim(berth_decimal_t *decimal);

// Returns how many digits come after the point in 123.45, and before it.
int berth_decimal_fraction(const berth_decimal_t *decimal);
int berth_decimal_integer(const berth_decimal_t *decimal);

// Appends 123.45 without a sign; no point when there is nothing after it.
void berth_decimal_put_positional(const berth_decimal_t *decimal,
                                  berth_str_t *str);

// Appends 1.2345e+02 without a sign, with at least |exponent_digits| of them
// (two or more); no point when there is nothing after it.
void berth_decimal_put_scientific(const berth_decimal_t *decimal,
                                  int exponent_digits, berth_str_t *str);

// Appends |value| as printf's %.<digits>g does, "nan" and "inf" included.
void berth_decimal_put_general(double value, int digits, berth_str_t *str);

#endif  // BERTH_TENSOR_DECIMAL_H_
