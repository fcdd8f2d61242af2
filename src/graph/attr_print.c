// attr_print.c - Attribute values as TensorFlow's messages show them.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/attr.h"
#include "graph/attr_print.h"
#include "tensor/float8.h"
#include "tensor/half.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

enum {
  MAX_DEPTH = 100,  // As attr.c.
  LONG_TEXT = 80,   // From this length on a text is shortened,
  TEXT_END = 10,    // to so many characters at either end.
  LONG_LIST = 30,   // The same for lists.
  LIST_END = 5,
  TENSOR_VALUES = 3  // Elements shown of a tensor.
};

// ---- Texts ----

void berth_text_escape(const char *text, size_t size, berth_str_t *str) {
  for (size_t i = 0; i < size; ++i) {
    unsigned char c = (unsigned char)text[i];
    if (c == '\n') {
      berth_str_puts(str, "\\n");
    } else if (c == '\r') {
      berth_str_puts(str, "\\r");
    } else if (c == '\t') {
      berth_str_puts(str, "\\t");
    } else if (c == '"' || c == '\'' || c == '\\') {
      berth_str_printf(str, "\\%c", c);
    } else if (c < 0x20 || c >= 0x7f) {
      berth_str_printf(str, "\\%03o", c);
    } else {
      berth_str_putc(str, (char)c);
    }
  }
}

static void print_text(const berth_attr_text_t *text, berth_str_t *str) {
  berth_str_t escaped = {0};
  berth_text_escape(text->text, text->size, &escaped);
  const char *all = berth_str_get(&escaped);
  if (escaped.size >= LONG_TEXT) {
    berth_str_printf(str, "\"%.*s...%s\"", TEXT_END, all,
                     all + escaped.size - TEXT_END);
  } else {
    berth_str_printf(str, "\"%s\"", all);
  }
  berth_str_clear(&escaped);
}

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
  const char *text = berth_tensor_get_string(tensor, index, &size);
  if (text != NULL) berth_text_escape(text, size, str);
}

// True for a type whose elements TensorFlow cannot print.
static bool is_unprintable(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_COMPLEX64:
    case BERTH_COMPLEX128:
    case BERTH_QINT32:
    case BERTH_RESOURCE:
    case BERTH_VARIANT:
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
  const void *data = tensor->data;
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

// ---- Tensors ----

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
  if (is_unprintable(tensor->dtype)) {
    summarize_unprintable(count, str);
  } else {
    summarize_elements(tensor, count, str);
  }
  if (tensor->count > limit) berth_str_puts(str, "...");
}

static void print_tensor(const berth_tensor_t *tensor, berth_str_t *str) {
  if (tensor == NULL) return;
  berth_str_printf(str,
                   "Tensor<type: %s shape: ", berth_dtype_name(tensor->dtype));
  berth_dims_print(berth_tensor_dims(tensor), str);
  berth_str_puts(str, " values: ");
  berth_tensor_summarize(tensor, TENSOR_VALUES, str);
  berth_str_putc(str, '>');
}

// ---- Values ----

// Prints [2,?]. Only -1 is unknown: a shape that is wrong shows as it is.
static void print_shape(berth_dims_t shape, berth_str_t *str) {
  if (shape.rank < 0) {
    berth_str_puts(str, "<unknown>");
    return;
  }
  berth_str_putc(str, '[');
  for (int32_t i = 0; i < shape.rank; ++i) {
    if (i > 0) berth_str_putc(str, ',');
    if (shape.dims[i] == -1) {
      berth_str_putc(str, '?');
    } else {
      berth_str_printf(str, "%lld", (long long)shape.dims[i]);
    }
  }
  berth_str_putc(str, ']');
}

static void print_value(const berth_attr_value_t *value, int depth,
                        berth_str_t *str);

// Prints name[a=1, b=2], by name of the attributes.
static void print_func(const berth_attr_func_t *func, int depth,
                       berth_str_t *str) {
  berth_str_printf(str, "%s[", func->name);
  const char *last = NULL;
  for (int32_t n = 0; n < func->attr_count && depth < MAX_DEPTH; ++n) {
    // The next name in order: these lists have two or three members.
    const berth_attr_t *next = NULL;
    for (int32_t i = 0; i < func->attr_count; ++i) {
      const berth_attr_t *attr = &func->attrs[i];
      if ((last == NULL || strcmp(attr->name, last) > 0) &&
          (next == NULL || strcmp(attr->name, next->name) < 0)) {
        next = attr;
      }
    }
    if (next == NULL) break;
    berth_str_printf(str, "%s%s=", n > 0 ? ", " : "", next->name);
    print_value(&next->value, depth + 1, str);
    last = next->name;
  }
  berth_str_putc(str, ']');
}

static void print_one(const berth_attr_value_t *list, int32_t i, int depth,
                      berth_str_t *str) {
  berth_attr_value_t one = {
      .kind = (berth_attr_kind_t)((int)list->kind - BERTH_ATTR_LIST)};
  switch (one.kind) {
    case BERTH_ATTR_STRING:
      one.s = list->s_list[i];
      break;
    case BERTH_ATTR_INT:
      one.i = list->i_list[i];
      break;
    case BERTH_ATTR_FLOAT:
      one.f = list->f_list[i];
      break;
    case BERTH_ATTR_BOOL:
      one.b = list->b_list[i];
      break;
    case BERTH_ATTR_TYPE:
      one.type = list->type_list[i];
      break;
    case BERTH_ATTR_SHAPE:
      one.shape = list->shape_list[i];
      break;
    case BERTH_ATTR_TENSOR:
      one.tensor = list->tensor_list[i];
      break;
    case BERTH_ATTR_FUNC:
      one.func = &list->func_list[i];
      break;
    default:
      break;
  }
  print_value(&one, depth, str);
}

static void print_list(const berth_attr_value_t *list, int depth,
                       berth_str_t *str) {
  berth_str_putc(str, '[');
  for (int32_t i = 0; i < list->count; ++i) {
    if (i > 0) berth_str_puts(str, ", ");
    if (list->count >= LONG_LIST && i == LIST_END) {
      berth_str_puts(str, "..., ");
      i = list->count - LIST_END;
    }
    print_one(list, i, depth, str);
  }
  berth_str_putc(str, ']');
}

static void print_value(const berth_attr_value_t *value, int depth,
                        berth_str_t *str) {
  if (value->kind >= BERTH_ATTR_LIST) {
    print_list(value, depth, str);
    return;
  }
  switch (value->kind) {
    case BERTH_ATTR_STRING:
      print_text(&value->s, str);
      break;
    case BERTH_ATTR_INT:
      berth_str_printf(str, "%lld", (long long)value->i);
      break;
    case BERTH_ATTR_FLOAT:
      berth_float_print(value->f, str);
      break;
    case BERTH_ATTR_BOOL:
      berth_str_puts(str, value->b ? "true" : "false");
      break;
    case BERTH_ATTR_TYPE:
      berth_str_puts(str, berth_dtype_enum_name(value->type));
      break;
    case BERTH_ATTR_SHAPE:
      print_shape(value->shape, str);
      break;
    case BERTH_ATTR_TENSOR:
      print_tensor(value->tensor, str);
      break;
    case BERTH_ATTR_FUNC:
      print_func(value->func, depth, str);
      break;
    case BERTH_ATTR_PLACEHOLDER:
      berth_str_printf(str, "$%.*s", (int)value->s.size, value->s.text);
      break;
    default:
      berth_str_puts(str, "<Unknown AttrValue type>");
      break;
  }
}

void berth_attr_print(const berth_attr_value_t *value, berth_str_t *str) {
  print_value(value, 0, str);
}
