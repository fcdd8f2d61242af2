// float_format.h - One way of writing all the floats of an array.
//
// numpy looks at every element before it writes the first one: whether to use
// exponents, how many digits, how wide. So this is used in three passes over
// the same elements, then any number of times for writing:
//
//   berth_float_format_init(&format, BERTH_FLOAT, style, sign);
//   for each x: berth_float_format_see(&format, x);
//   berth_float_format_choose(&format);
//   for each x: berth_float_format_measure(&format, x);
//   berth_float_format_fit(&format);
//   for each x: berth_float_format_write(&format, x, &str);
//
// Threads: caller serialises.
#ifndef BERTH_TENSOR_FLOAT_FORMAT_H_
#define BERTH_TENSOR_FLOAT_FORMAT_H_

#include <stdbool.h>

#include "base/str.h"
#include "berth/types.h"

typedef enum berth_print_style {
  BERTH_PRINT_NUMPY,    // numpy 2.
  BERTH_PRINT_CLASSIC,  // numpy before 1.14: a column for the sign.
} berth_print_style_t;

typedef enum berth_float_part {
  BERTH_PART_WHOLE,      // A real number.
  BERTH_PART_REAL,       // Of a complex number.
  BERTH_PART_IMAGINARY,  // Always with a sign.
} berth_float_part_t;

typedef struct berth_float_format {
  berth_dtype_t dtype;  // BERTH_HALF, BERTH_FLOAT or BERTH_DOUBLE.
  berth_print_style_t style;
  berth_float_part_t part;
  // Seen in the first pass.
  double smallest, largest;  // Magnitudes of finite numbers that are not 0.
  bool has_finite, has_special, has_negative_infinity;
  bool has_exponent;
  // Measured in the second pass.
  int integer_width;   // Before the point, sign included.
  int fraction_width;  // After it.
  int exponent_width;
  // Fitted.
  int left_width, right_width;  // Columns before and after the point.
} berth_float_format_t;

// Begins a format for numbers of |dtype|.
void berth_float_format_init(berth_float_format_t *format, berth_dtype_t dtype,
                             berth_print_style_t style,
                             berth_float_part_t part);

// Looks at one number in the first pass.
void berth_float_format_see(berth_float_format_t *format, double value);

// Decides, after the first pass, whether to write exponents.
void berth_float_format_choose(berth_float_format_t *format);

// Looks at one number in the second pass.
void berth_float_format_measure(berth_float_format_t *format, double value);

// Settles the widths, after the second pass.
void berth_float_format_fit(berth_float_format_t *format);

// Appends |value|, padded to the common width.
void berth_float_format_write(const berth_float_format_t *format, double value,
                              berth_str_t *str);

// Appends |value| as numpy's str() of one number of |dtype| does: 3.0, 1e-05.
// |is_bare| leaves out a final ".0", as within complex numbers.
void berth_float_scalar_write(double value, berth_dtype_t dtype,
                              berth_print_style_t style, bool is_bare,
                              berth_str_t *str);

#endif  // BERTH_TENSOR_FLOAT_FORMAT_H_
