// summary.c - Elements of tensors as TensorFlow's messages show them.
#include <stdio.h>
#include <stdlib.h>

#include "graph/attr_print.h"
#include "tensor/compact.h"
#include "tensor/float8.h"
#include "tensor/half.h"
#include "tensor/handle.h"
#include "tensor/string.h"

// ---- Numbers ----

void berth_float_print(float value, berth_str_t *str) {
  char text[32];
  snprintf(text, sizeof(text), "%.6g", (double)value);
  if (strtof(text, NULL) != value) {
    snprintf(text, sizeof(text), "%.9g", (double)value);
  }
  // A NaN never equals itself and prints the same both ways.
  berth_str_puts(str, text);
}

static void print_double(double value, berth_str_t *str) {
  char text[40];
  snprintf(text, sizeof(text), "%.15g", value);
  if (strtod(text, NULL) != value) {
    snprintf(text, sizeof(text), "%.17g", value);
  }
  berth_str_puts(str, text);
}

static void print_string(const berth_tensor_t *tensor, int64_t index,
                         berth_str_t *str) {
  size_t size = 0;
  const berth_string_t *strings = berth_tensor_elements(tensor);
  const char *text = berth_string_get(&strings[index], &size);
  if (text != NULL) berth_text_escape(text, size, str);
}

// Appends it in quotes; bytes beyond ASCII, which may be UTF-8, as they are.
static void print_quoted(const berth_tensor_t *tensor, int64_t index,
                         berth_str_t *str) {
  size_t size = 0;
  const char *text = berth_tensor_get_string(tensor, index, &size);
  berth_str_putc(str, '"');
  for (size_t i = 0; text != NULL && i < size; ++i) {
    if ((unsigned char)text[i] >= 0x80) {
      berth_str_putc(str, text[i]);
    } else {
      berth_text_escape(text + i, 1, str);
    }
  }
  berth_str_putc(str, '"');
}

// True for a type whose elements TensorFlow cannot print.
static bool is_unprintable(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_COMPLEX64:
    case BERTH_COMPLEX128:
    case BERTH_QINT32:
    case BERTH_RESOURCE:
    case BERTH_FLOAT8_E4M3FNUZ:
    case BERTH_FLOAT8_E5M2FNUZ:
      return true;
    default:
      return false;
  }
}

// Returns the low |bits| of |code| as a number with a sign.
static int sign_extend(uint8_t code, int bits) {
  int value = code & ((1 << bits) - 1);
  return value >= 1 << (bits - 1) ? value - (1 << bits) : value;
}

// Prints an element of a type of a byte or less.
static void print_small(berth_dtype_t dtype, uint8_t code, berth_str_t *str) {
  switch (dtype) {
    case BERTH_INT8:
    case BERTH_QINT8:
      berth_str_printf(str, "%d", (int8_t)code);
      break;
    case BERTH_BOOL:
    case BERTH_UINT8:
    case BERTH_QUINT8:
      berth_str_printf(str, "%u", code);
      break;
    case BERTH_INT4:
      berth_str_printf(str, "%d", sign_extend(code, 4));
      break;
    case BERTH_UINT4:
      berth_str_printf(str, "%u", code & 15U);
      break;
    case BERTH_INT2:
      berth_str_printf(str, "%d", sign_extend(code, 2));
      break;
    case BERTH_UINT2:
      berth_str_printf(str, "%u", code & 3U);
      break;
    default:
      berth_float_print(berth_float8_to_float(berth_float8_format(dtype), code),
                        str);
      break;
  }
}

static void print_element(const berth_tensor_t *tensor, int64_t i,
                          berth_str_t *str) {
  const void *data = berth_tensor_elements(tensor);
  i = berth_tensor_place(tensor, i);
  switch (tensor->dtype) {
    case BERTH_FLOAT:
      berth_float_print(((const float *)data)[i], str);
      break;
    case BERTH_DOUBLE:
      print_double(((const double *)data)[i], str);
      break;
    case BERTH_HALF:
      berth_float_print(berth_half_to_float(((const uint16_t *)data)[i]), str);
      break;
    case BERTH_BFLOAT16:
      berth_float_print(berth_bfloat16_to_float(((const uint16_t *)data)[i]),
                        str);
      break;
    case BERTH_INT16:
    case BERTH_QINT16:
      berth_str_printf(str, "%d", ((const int16_t *)data)[i]);
      break;
    case BERTH_INT32:
      berth_str_printf(str, "%d", ((const int32_t *)data)[i]);
      break;
    case BERTH_INT64:
      berth_str_printf(str, "%lld", (long long)((const int64_t *)data)[i]);
      break;
    case BERTH_UINT16:
    case BERTH_QUINT16:
      berth_str_printf(str, "%u", ((const uint16_t *)data)[i]);
      break;
    case BERTH_UINT32:
      berth_str_printf(str, "%u", ((const uint32_t *)data)[i]);
      break;
    case BERTH_UINT64:
      berth_str_printf(str, "%llu",
                       (unsigned long long)((const uint64_t *)data)[i]);
      break;
    case BERTH_STRING:
      print_string(tensor, i, str);
      break;
    default:
      print_small(tensor->dtype, ((const uint8_t *)data)[i], str);
      break;
  }
}

// ---- As graphs show them ----

// Returns how many of the dimensions but the last begin (|at| = i) or end
// (|at| = i + 1) a run of elements there.
static int edges_at(const berth_tensor_t *tensor, int64_t at) {
  int edges = 0;
  int64_t run = 1;
  for (int32_t d = tensor->rank - 1; d >= 1; --d) {
    run *= tensor->dims[d];
    if (at % run == 0) ++edges;
  }
  return edges;
}

static void put_many(berth_str_t *str, char c, int count) {
  for (int i = 0; i < count; ++i) berth_str_putc(str, c);
}

// A type that cannot be printed is a row of question marks, whatever its shape.
static void summarize_unprintable(int64_t count, berth_str_t *str) {
  for (int64_t i = 0; i < count; ++i) berth_str_puts(str, i > 0 ? " ?" : "?");
}

// What variants lead to, in one row, whatever their shape.
static void put_variants(const berth_tensor_t *tensor, int64_t limit,
                         berth_str_t *str) {
  const berth_handle_t *handles = tensor->data;
  int64_t count = tensor->count < limit ? tensor->count : limit;
  if (tensor->rank > 0) berth_str_putc(str, '[');
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) berth_str_putc(str, ' ');
    berth_str_puts(str, berth_variant_text(&handles[i]));
  }
  if (count < tensor->count) berth_str_puts(str, "...");
  if (tensor->rank > 0) berth_str_putc(str, ']');
}

static void summarize_elements(const berth_tensor_t *tensor, int64_t count,
                               berth_str_t *str) {
  int open = 0;
  for (int64_t i = 0; i < count; ++i) {
    int begins = edges_at(tensor, i);
    if (begins == 0 && i > 0) berth_str_putc(str, ' ');
    put_many(str, '[', begins);
    open += begins;
    print_element(tensor, i, str);
    int ends = edges_at(tensor, i + 1);
    put_many(str, ']', ends);
    open -= ends;
  }
  // The last row shown is cut short: it says so inside its brackets too.
  if (open > 0 && count > 0 && edges_at(tensor, count) == 0) {
    berth_str_puts(str, "...");
  }
  put_many(str, ']', open);
}

void berth_tensor_summarize(const berth_tensor_t *tensor, int64_t limit,
                            berth_str_t *str) {
  int64_t count = tensor->count < limit ? tensor->count : limit;
  if (tensor->dtype == BERTH_VARIANT) {
    put_variants(tensor, limit, str);
    return;
  }
  if (is_unprintable(tensor->dtype)) {
    summarize_unprintable(count, str);
  } else {
    summarize_elements(tensor, count, str);
  }
  if (tensor->count > limit) berth_str_puts(str, "...");
}

// ---- As programs print them ----

// A walk through the dimensions of a tensor.
typedef struct ends {
  const berth_tensor_t *tensor;
  int64_t shown;  // At either end of a dimension.
  berth_str_t *str;
} ends_t;

// Goes on to the next index of dimension |dim|: in the same line, or in another
// one, indented by the brackets that are open.
static void put_spacing(const ends_t *ends, int32_t dim) {
  int32_t rank = ends->tensor->rank;
  if (dim == rank - 1) {
    berth_str_putc(ends->str, ' ');
    return;
  }
  put_many(ends->str, '\n', rank - dim - 1);
  put_many(ends->str, ' ', dim + 1);
}

// Prints dimension |dim| of the elements from |at| on, |size| in all. The depth
// of the recursion is the tensor's rank.
static void print_ends(const ends_t *ends, int32_t dim, int64_t at,
                       int64_t size) {
  const berth_tensor_t *tensor = ends->tensor;
  if (dim == tensor->rank) {
    (tensor->dtype == BERTH_STRING ? print_quoted : print_element)(tensor, at,
                                                                   ends->str);
    return;
  }
  int64_t count = tensor->dims[dim], part = count > 0 ? size / count : 0;
  berth_str_putc(ends->str, '[');
  for (int64_t i = 0; i < count; ++i) {
    bool is_hidden = i >= ends->shown && i < count - ends->shown;
    if (i > 0 || is_hidden) put_spacing(ends, dim);
    if (is_hidden) {
      berth_str_puts(ends->str, "...");
      i = count - ends->shown - 1;
    } else {
      print_ends(ends, dim + 1, at + i * part, part);
    }
  }
  berth_str_putc(ends->str, ']');
}

void berth_tensor_print_ends(const berth_tensor_t *tensor, int64_t limit,
                             berth_str_t *str) {
  int64_t shown = tensor->count < limit ? tensor->count : limit;
  if (tensor->dtype == BERTH_VARIANT) {
    put_variants(tensor, limit, str);
    return;
  }
  if (!is_unprintable(tensor->dtype)) {
    print_ends(&(ends_t){tensor, shown, str}, 0, 0, tensor->count);
    return;
  }
  if (tensor->rank > 0) berth_str_putc(str, '[');
  summarize_unprintable(shown, str);
  if (tensor->count > limit) berth_str_puts(str, "...");
  if (tensor->rank > 0) berth_str_putc(str, ']');
}
