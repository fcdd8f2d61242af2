// cell.c - Single elements of a tensor as numpy writes them.
#include "tensor/cell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensor/decimal.h"
#include "tensor/float8.h"
#include "tensor/half.h"
#include "tensor/handle.h"
#include "tensor/string.h"

enum {
  SUMMARY_THRESHOLD = 1000,  // Elements above which the middle is left out.
  EDGE_ITEMS = 3,            // Shown at each end of an axis then.
};

// ---- Walking over the elements to show ----

void berth_cell_walk_begin(berth_cell_walk_t *walk,
                           const berth_tensor_t *tensor) {
  walk->tensor = tensor;
  walk->is_summary = tensor->count > SUMMARY_THRESHOLD;
  walk->offset = 0;
  int64_t stride = 1;
  for (int32_t i = tensor->rank - 1; i >= 0; --i) {
    walk->index[i] = 0;
    walk->stride[i] = stride;
    stride *= tensor->dims[i];
  }
}

int32_t berth_cell_walk_next(berth_cell_walk_t *walk, bool *out_gap) {
  const int64_t *dims = walk->tensor->dims;
  for (int32_t i = walk->tensor->rank - 1; i >= 0; --i) {
    bool has_gap = walk->is_summary && dims[i] > 2 * EDGE_ITEMS;
    int64_t old = walk->index[i], next = old + 1;
    *out_gap = has_gap && next == EDGE_ITEMS;
    if (*out_gap) next = dims[i] - EDGE_ITEMS;
    if (next == dims[i]) next = 0;
    walk->index[i] = next;
    walk->offset += (next - old) * walk->stride[i];
    if (next != 0) return i;
  }
  return -1;
}

// ---- Elements ----

static bool is_complex(berth_dtype_t dtype) {
  return dtype == BERTH_COMPLEX64 || dtype == BERTH_COMPLEX128;
}

static bool is_float(berth_dtype_t dtype) {
  return dtype == BERTH_FLOAT || dtype == BERTH_DOUBLE || dtype == BERTH_HALF;
}

// Returns the type of the real numbers that |dtype| consists of.
static berth_dtype_t float_type(berth_dtype_t dtype) {
  if (dtype == BERTH_COMPLEX64) return BERTH_FLOAT;
  return dtype == BERTH_COMPLEX128 ? BERTH_DOUBLE : dtype;
}

// Stores the parts of a float or complex element.
static void float_at(const berth_tensor_t *tensor, int64_t i, double *out_real,
                     double *out_imaginary) {
  const void *data = tensor->data;
  *out_imaginary = 0;
  switch ((int)tensor->dtype) {
    case BERTH_HALF:
      *out_real = (double)berth_half_to_float(((const uint16_t *)data)[i]);
      break;
    case BERTH_FLOAT:
      *out_real = (double)((const float *)data)[i];
      break;
    case BERTH_DOUBLE:
      *out_real = ((const double *)data)[i];
      break;
    case BERTH_COMPLEX64:
      *out_real = (double)((const float *)data)[2 * i];
      *out_imaginary = (double)((const float *)data)[2 * i + 1];
      break;
    default:
      *out_real = ((const double *)data)[2 * i];
      *out_imaginary = ((const double *)data)[2 * i + 1];
      break;
  }
}

// Returns the |bits| lowest bits of |byte| as a number with a sign.
static long long sign_extend(int8_t byte, int bits) {
  int sign = 1 << (bits - 1);
  return ((byte & ((1 << bits) - 1)) ^ sign) - sign;
}

// Writes a whole number into |text|; false for any other type.
static bool integer_text(const berth_tensor_t *tensor, int64_t i,
                         char text[24]) {
  const void *data = tensor->data;
  long long value = 0;
  switch ((int)tensor->dtype) {
#define CASE(TYPE, type)                        \
  case TYPE:                                    \
    value = (long long)((const type *)data)[i]; \
    break;
    CASE(BERTH_INT8, int8_t)
    CASE(BERTH_QINT8, int8_t)
    CASE(BERTH_UINT8, uint8_t)
    CASE(BERTH_QUINT8, uint8_t)
    CASE(BERTH_INT16, int16_t)
    CASE(BERTH_QINT16, int16_t)
    CASE(BERTH_UINT16, uint16_t)
    CASE(BERTH_QUINT16, uint16_t)
    CASE(BERTH_INT32, int32_t)
    CASE(BERTH_QINT32, int32_t)
    CASE(BERTH_UINT32, uint32_t)
    CASE(BERTH_INT64, int64_t)
#undef CASE
    case BERTH_UINT64:
      snprintf(text, 24, "%llu",
               (unsigned long long)((const uint64_t *)data)[i]);
      return true;
    case BERTH_INT4:
    case BERTH_INT2:
      value = sign_extend(((const int8_t *)data)[i],
                          tensor->dtype == BERTH_INT4 ? 4 : 2);
      break;
    case BERTH_UINT4:
    case BERTH_UINT2:
      value = ((const uint8_t *)data)[i] &
              (tensor->dtype == BERTH_UINT4 ? 0x0f : 0x03);
      break;
    default:
      return false;
  }
  snprintf(text, 24, "%lld", value);
  return true;
}

// Appends the repr() of a Python bytes object.
static void put_bytes(berth_str_t *str, const char *text, size_t size) {
  bool has_single = memchr(text, '\'', size) != NULL;
  bool has_double = memchr(text, '"', size) != NULL;
  char quote = has_single && !has_double ? '"' : '\'';
  berth_str_printf(str, "b%c", quote);
  for (size_t i = 0; i < size; ++i) {
    unsigned char c = (unsigned char)text[i];
    if (c == '\\' || c == quote) {
      berth_str_printf(str, "\\%c", c);
    } else if (c == '\n') {
      berth_str_puts(str, "\\n");
    } else if (c == '\r') {
      berth_str_puts(str, "\\r");
    } else if (c == '\t') {
      berth_str_puts(str, "\\t");
    } else if (c < 0x20 || c >= 0x7f) {
      berth_str_printf(str, "\\x%02x", c);
    } else {
      berth_str_putc(str, (char)c);
    }
  }
  berth_str_putc(str, quote);
}

// Appends an element that looks the same in an array and alone.
static void put_other(const berth_tensor_t *tensor, int64_t i,
                      berth_str_t *str) {
  const void *data = tensor->data;
  size_t size = 0;
  const char *text = NULL;
  switch ((int)tensor->dtype) {
    case BERTH_BOOL:
      berth_str_puts(str, ((const uint8_t *)data)[i] ? "True" : "False");
      break;
    case BERTH_STRING:
      text = berth_string_get((const berth_string_t *)data + i, &size);
      put_bytes(str, text, size);
      break;
    case BERTH_RESOURCE:
      berth_str_puts(str, "<resource>");
      break;
    case BERTH_VARIANT:
      berth_str_puts(str, berth_variant_text((const berth_handle_t *)data + i));
      break;
    case BERTH_BFLOAT16:
      berth_decimal_put_general(
          (double)berth_bfloat16_to_float(((const uint16_t *)data)[i]), 6, str);
      break;
    default:
      berth_decimal_put_general(
          (double)berth_float8_to_float(berth_float8_format(tensor->dtype),
                                        ((const uint8_t *)data)[i]),
          6, str);
      break;
  }
}

// True for whole numbers that numpy itself has, and so puts in columns.
static bool is_aligned_integer(berth_dtype_t dtype) {
  return dtype != BERTH_INT4 && dtype != BERTH_UINT4 && dtype != BERTH_INT2 &&
         dtype != BERTH_UINT2;
}

static void fit_integers(berth_cell_t *cell) {
  if (!is_aligned_integer(cell->tensor->dtype)) return;
  berth_cell_walk_t walk;
  bool gap = false;
  berth_cell_walk_begin(&walk, cell->tensor);
  do {
    char text[24];
    if (!integer_text(cell->tensor, walk.offset, text)) return;
    int width = (int)strlen(text);
    if (width > cell->width) cell->width = width;
  } while (berth_cell_walk_next(&walk, &gap) >= 0);
}

static void fit_floats(berth_cell_t *cell) {
  berth_dtype_t dtype = cell->tensor->dtype, type = float_type(dtype);
  berth_float_format_init(
      &cell->real, type, cell->style,
      is_complex(dtype) ? BERTH_PART_REAL : BERTH_PART_WHOLE);
  berth_float_format_init(&cell->imaginary, type, cell->style,
                          BERTH_PART_IMAGINARY);
  berth_cell_walk_t walk;
  double real = 0, imaginary = 0;
  bool gap = false;
  berth_cell_walk_begin(&walk, cell->tensor);
  do {
    float_at(cell->tensor, walk.offset, &real, &imaginary);
    berth_float_format_see(&cell->real, real);
    berth_float_format_see(&cell->imaginary, imaginary);
  } while (berth_cell_walk_next(&walk, &gap) >= 0);
  berth_float_format_choose(&cell->real);
  berth_float_format_choose(&cell->imaginary);
  berth_cell_walk_begin(&walk, cell->tensor);
  do {
    float_at(cell->tensor, walk.offset, &real, &imaginary);
    berth_float_format_measure(&cell->real, real);
    berth_float_format_measure(&cell->imaginary, imaginary);
  } while (berth_cell_walk_next(&walk, &gap) >= 0);
  berth_float_format_fit(&cell->real);
  berth_float_format_fit(&cell->imaginary);
}

void berth_cell_fit(berth_cell_t *cell, const berth_tensor_t *tensor,
                    berth_print_style_t style) {
  *cell = (berth_cell_t){.tensor = tensor, .style = style};
  if (is_float(tensor->dtype) || is_complex(tensor->dtype)) {
    fit_floats(cell);
  } else {
    fit_integers(cell);
  }
}

// Puts the "j" of an imaginary part before the spaces that pad it.
static void put_j(berth_str_t *str) {
  berth_str_putc(str, 'j');
  if (!berth_str_ok(str)) return;
  size_t at = str->size - 1;
  while (at > 0 && str->text[at - 1] == ' ') {
    str->text[at] = ' ';
    --at;
  }
  str->text[at] = 'j';
}

void berth_cell_put(const berth_cell_t *cell, int64_t i, berth_str_t *str) {
  const berth_tensor_t *tensor = cell->tensor;
  char text[24];
  if (is_float(tensor->dtype) || is_complex(tensor->dtype)) {
    double real = 0, imaginary = 0;
    float_at(tensor, i, &real, &imaginary);
    berth_float_format_write(&cell->real, real, str);
    if (!is_complex(tensor->dtype)) return;
    berth_float_format_write(&cell->imaginary, imaginary, str);
    put_j(str);
  } else if (integer_text(tensor, i, text)) {
    berth_str_printf(str, "%*s", cell->width, text);
  } else {
    bool is_true = tensor->dtype == BERTH_BOOL && ((uint8_t *)tensor->data)[i];
    if (is_true) berth_str_putc(str, ' ');
    put_other(tensor, i, str);
  }
}

// ---- Scalars ----

static void put_complex_scalar(double real, double imaginary,
                               berth_dtype_t type, berth_print_style_t style,
                               berth_str_t *str) {
  bool is_alone = real == 0 && !signbit(real);
  if (!is_alone) {
    berth_str_putc(str, '(');
    berth_float_scalar_write(real, type, style, true, str);
    bool has_sign = signbit(imaginary) && !isnan(imaginary);
    if (!has_sign) berth_str_putc(str, '+');
  }
  berth_float_scalar_write(imaginary, type, style, true, str);
  bool is_old = style == BERTH_PRINT_CLASSIC && !isfinite(imaginary);
  berth_str_printf(str, "%sj%s", is_old ? "*" : "", is_alone ? "" : ")");
}

void berth_scalar_put(const berth_tensor_t *tensor, berth_print_style_t style,
                      berth_str_t *str) {
  char text[24];
  double real = 0, imaginary = 0;
  if (is_complex(tensor->dtype)) {
    float_at(tensor, 0, &real, &imaginary);
    put_complex_scalar(real, imaginary, float_type(tensor->dtype), style, str);
  } else if (is_float(tensor->dtype)) {
    float_at(tensor, 0, &real, &imaginary);
    berth_float_scalar_write(real, tensor->dtype, style, false, str);
  } else if (integer_text(tensor, 0, text)) {
    berth_str_puts(str, text);
  } else {
    put_other(tensor, 0, str);
  }
}
