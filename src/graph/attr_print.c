// attr_print.c - Attribute values as TensorFlow's messages show them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/attr.h"
#include "graph/attr_print.h"
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

// ---- Tensors ----

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
