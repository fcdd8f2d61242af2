// attr.c - Values of attributes: copying, comparing and letting go of them.
//
// A function value holds attributes that may hold functions. Readers refuse to
// nest deeper than MAX_DEPTH, so the recursion here is bounded by it.
#include "graph/attr.h"

#include <string.h>

#include "tensor/compact.h"
#include "tensor/shape.h"
#include "tensor/string.h"

enum { MAX_DEPTH = 100 };

const char *berth_attr_kind_name(berth_attr_kind_t kind) {
  static const char *const names[] = {"none",
                                      "string",
                                      "int",
                                      "float",
                                      "bool",
                                      "type",
                                      "shape",
                                      "tensor",
                                      "func",
                                      "placeholder",
                                      "",
                                      "",
                                      "",
                                      "",
                                      "",
                                      "",
                                      "list",
                                      "list(string)",
                                      "list(int)",
                                      "list(float)",
                                      "list(bool)",
                                      "list(type)",
                                      "list(shape)",
                                      "list(tensor)",
                                      "list(func)"};
  size_t index = (size_t)kind;
  return index < sizeof(names) / sizeof(names[0]) ? names[index] : "";
}

// ---- Copying ----

// Where copies go, and how deep they are.
typedef struct copier {
  berth_arena_t *arena;
  int depth;
} copier_t;

static bool copy_value(copier_t *copier, const berth_attr_value_t *value,
                       berth_attr_value_t *out);

static bool copy_text(copier_t *copier, const berth_attr_text_t *text,
                      berth_attr_text_t *out) {
  out->size = text->size;
  out->text = berth_arena_strndup(copier->arena, text->text, text->size);
  return out->text != NULL;
}

static bool copy_shape(copier_t *copier, const berth_dims_t *shape,
                       berth_dims_t *out) {
  *out = (berth_dims_t){shape->rank, NULL};
  if (shape->rank <= 0) return true;
  out->dims = berth_arena_memdup(copier->arena, shape->dims,
                                 (size_t)shape->rank * sizeof(int64_t));
  return out->dims != NULL;
}

static bool copy_func(copier_t *copier, const berth_attr_func_t *func,
                      berth_attr_func_t *out) {
  *out = (berth_attr_func_t){NULL, 0, NULL};
  out->name =
      berth_arena_strndup(copier->arena, func->name, strlen(func->name));
  berth_attr_t *attrs = berth_arena_calloc(
      copier->arena, (size_t)func->attr_count, sizeof(*attrs));
  out->attrs = attrs;
  if (out->name == NULL || attrs == NULL || copier->depth == MAX_DEPTH) {
    return false;
  }
  ++copier->depth;
  bool is_copied = true;
  for (int32_t i = 0; i < func->attr_count && is_copied; ++i) {
    const char *name = func->attrs[i].name;
    attrs[i].name = berth_arena_strndup(copier->arena, name, strlen(name));
    is_copied = attrs[i].name != NULL &&
                copy_value(copier, &func->attrs[i].value, &attrs[i].value);
    // What was copied so far is counted, so that it can be dropped.
    if (is_copied) out->attr_count = i + 1;
  }
  --copier->depth;
  return is_copied;
}

// Defines a function that copies a list whose elements own something; |count|
// of |out| tells how many were copied when memory ran out.
#define COPY_LIST(name, type, member, copy_one)                                \
  static bool name(copier_t *copier, const berth_attr_value_t *value,          \
                   berth_attr_value_t *out) {                                  \
    type *list =                                                               \
        berth_arena_calloc(copier->arena, (size_t)value->count, sizeof(type)); \
    if (list == NULL) return false;                                            \
    out->member = list;                                                        \
    for (out->count = 0; out->count < value->count; ++out->count) {            \
      if (!copy_one(copier, &value->member[out->count], &list[out->count])) {  \
        return false;                                                          \
      }                                                                        \
    }                                                                          \
    return true;                                                               \
  }
COPY_LIST(copy_texts, berth_attr_text_t, s_list, copy_text)
COPY_LIST(copy_shapes, berth_dims_t, shape_list, copy_shape)
COPY_LIST(copy_funcs, berth_attr_func_t, func_list, copy_func)
#undef COPY_LIST

static bool copy_tensors(copier_t *copier, const berth_attr_value_t *value,
                         berth_attr_value_t *out) {
  out->tensor_list =
      berth_arena_memdup(copier->arena, value->tensor_list,
                         (size_t)value->count * sizeof(berth_tensor_t *));
  if (out->tensor_list == NULL) return false;
  for (out->count = 0; out->count < value->count; ++out->count) {
    berth_tensor_retain(out->tensor_list[out->count]);
  }
  return true;
}

static bool copy_bytes(copier_t *copier, const berth_attr_value_t *value,
                       size_t size, berth_attr_value_t *out) {
  out->count = value->count;
  out->i_list = berth_arena_memdup(copier->arena, value->i_list,
                                   (size_t)value->count * size);
  return out->i_list != NULL;
}

static bool copy_single_func(copier_t *copier, const berth_attr_value_t *value,
                             berth_attr_value_t *out) {
  berth_attr_func_t *func = berth_arena_calloc(copier->arena, 1, sizeof(*func));
  out->func = func;
  return func != NULL && copy_func(copier, value->func, func);
}

static bool copy_value(copier_t *copier, const berth_attr_value_t *value,
                       berth_attr_value_t *out) {
  *out = (berth_attr_value_t){.kind = value->kind, .count = 0};
  switch ((int)value->kind) {
    case BERTH_ATTR_STRING:
    case BERTH_ATTR_PLACEHOLDER:
      return copy_text(copier, &value->s, &out->s);
    case BERTH_ATTR_SHAPE:
      return copy_shape(copier, &value->shape, &out->shape);
    case BERTH_ATTR_TENSOR:
      out->tensor = berth_tensor_retain(value->tensor);
      return true;
    case BERTH_ATTR_FUNC:
      return copy_single_func(copier, value, out);
    case BERTH_ATTR_LIST + BERTH_ATTR_STRING:
      return copy_texts(copier, value, out);
    case BERTH_ATTR_LIST + BERTH_ATTR_INT:
      return copy_bytes(copier, value, sizeof(int64_t), out);
    case BERTH_ATTR_LIST + BERTH_ATTR_FLOAT:
      return copy_bytes(copier, value, sizeof(float), out);
    case BERTH_ATTR_LIST + BERTH_ATTR_BOOL:
      return copy_bytes(copier, value, sizeof(bool), out);
    case BERTH_ATTR_LIST + BERTH_ATTR_TYPE:
      return copy_bytes(copier, value, sizeof(berth_dtype_t), out);
    case BERTH_ATTR_LIST + BERTH_ATTR_SHAPE:
      return copy_shapes(copier, value, out);
    case BERTH_ATTR_LIST + BERTH_ATTR_TENSOR:
      return copy_tensors(copier, value, out);
    case BERTH_ATTR_LIST + BERTH_ATTR_FUNC:
      return copy_funcs(copier, value, out);
    default:
      *out = *value;
      return true;
  }
}

berth_code_t berth_attr_copy(const berth_attr_value_t *value,
                             berth_arena_t *arena,
                             berth_attr_value_t *out_value,
                             berth_error_t *err) {
  copier_t copier = {arena, 0};
  berth_attr_value_t copy;
  if (!copy_value(&copier, value, &copy)) {
    berth_attr_drop_tensors(&copy);
    return berth_error_no_memory(err, "an attribute");
  }
  *out_value = copy;
  return BERTH_OK;
}

// ---- Letting go ----

static void drop_value(const berth_attr_value_t *value, int depth);

static void drop_func(const berth_attr_func_t *func, int depth) {
  if (func == NULL || depth == MAX_DEPTH) return;
  for (int32_t i = 0; i < func->attr_count; ++i) {
    drop_value(&func->attrs[i].value, depth + 1);
  }
}

static void drop_value(const berth_attr_value_t *value, int depth) {
  if (value->kind == BERTH_ATTR_TENSOR) {
    berth_tensor_release(value->tensor);
  } else if (value->kind == BERTH_ATTR_FUNC) {
    drop_func(value->func, depth);
  } else if ((int)value->kind == BERTH_ATTR_LIST + BERTH_ATTR_TENSOR) {
    for (int32_t i = 0; i < value->count; ++i) {
      berth_tensor_release(value->tensor_list[i]);
    }
  } else if ((int)value->kind == BERTH_ATTR_LIST + BERTH_ATTR_FUNC) {
    for (int32_t i = 0; i < value->count; ++i) {
      drop_func(&value->func_list[i], depth);
    }
  }
}

void berth_attr_drop_tensors(const berth_attr_value_t *value) {
  drop_value(value, 0);
}

// ---- Comparing ----

static bool equal_values(const berth_attr_value_t *a,
                         const berth_attr_value_t *b, int depth);

static bool equal_texts(const berth_attr_text_t *a,
                        const berth_attr_text_t *b) {
  return a->size == b->size &&
         (a->size == 0 || memcmp(a->text, b->text, a->size) == 0);
}

// Compares element by element; past the listed ones of both all are alike.
static bool equal_elements_of(const berth_tensor_t *a,
                              const berth_tensor_t *b) {
  size_t size = berth_dtype_size(a->dtype);
  const char *x = berth_tensor_elements(a), *y = berth_tensor_elements(b);
  int64_t count = berth_tensor_distinct(a), other = berth_tensor_distinct(b);
  if (other > count) count = other;
  for (int64_t i = 0; i < count; ++i) {
    const void *one = x + (size_t)berth_tensor_place(a, i) * size;
    const void *two = y + (size_t)berth_tensor_place(b, i) * size;
    bool is_equal = a->dtype == BERTH_STRING ? berth_string_equal(one, two)
                                             : memcmp(one, two, size) == 0;
    if (!is_equal) return false;
  }
  return true;
}

static bool equal_tensors(const berth_tensor_t *a, const berth_tensor_t *b) {
  if (a == b) return true;
  if (a == NULL || b == NULL || a->dtype != b->dtype ||
      !berth_dims_equal(berth_tensor_dims(a), berth_tensor_dims(b))) {
    return false;
  }
  if (a->dtype == BERTH_STRING || berth_tensor_is_compact(a) ||
      berth_tensor_is_compact(b)) {
    return equal_elements_of(a, b);
  }
  return a->size == 0 || memcmp(a->data, b->data, a->size) == 0;
}

static bool equal_funcs(const berth_attr_func_t *a, const berth_attr_func_t *b,
                        int depth) {
  if (depth == MAX_DEPTH || strcmp(a->name, b->name) != 0 ||
      a->attr_count != b->attr_count) {
    return false;
  }
  for (int32_t i = 0; i < a->attr_count; ++i) {
    if (strcmp(a->attrs[i].name, b->attrs[i].name) != 0 ||
        !equal_values(&a->attrs[i].value, &b->attrs[i].value, depth + 1)) {
      return false;
    }
  }
  return true;
}

// Compares element |i| of two lists of one kind.
static bool equal_elements(const berth_attr_value_t *a,
                           const berth_attr_value_t *b, int32_t i, int depth) {
  switch ((int)a->kind - BERTH_ATTR_LIST) {
    case BERTH_ATTR_STRING:
      return equal_texts(&a->s_list[i], &b->s_list[i]);
    case BERTH_ATTR_INT:
      return a->i_list[i] == b->i_list[i];
    case BERTH_ATTR_FLOAT:
      return memcmp(&a->f_list[i], &b->f_list[i], sizeof(float)) == 0;
    case BERTH_ATTR_BOOL:
      return a->b_list[i] == b->b_list[i];
    case BERTH_ATTR_TYPE:
      return a->type_list[i] == b->type_list[i];
    case BERTH_ATTR_SHAPE:
      return berth_dims_equal(a->shape_list[i], b->shape_list[i]);
    case BERTH_ATTR_TENSOR:
      return equal_tensors(a->tensor_list[i], b->tensor_list[i]);
    case BERTH_ATTR_FUNC:
      return equal_funcs(&a->func_list[i], &b->func_list[i], depth);
    default:
      return true;
  }
}

static bool is_empty_list(const berth_attr_value_t *value) {
  return value->kind >= BERTH_ATTR_LIST && value->count == 0;
}

static bool equal_values(const berth_attr_value_t *a,
                         const berth_attr_value_t *b, int depth) {
  if (is_empty_list(a) && is_empty_list(b)) return true;
  if (a->kind != b->kind || a->count != b->count) return false;
  switch (a->kind) {
    case BERTH_ATTR_NONE:
      return true;
    case BERTH_ATTR_STRING:
    case BERTH_ATTR_PLACEHOLDER:
      return equal_texts(&a->s, &b->s);
    case BERTH_ATTR_INT:
      return a->i == b->i;
    case BERTH_ATTR_FLOAT:
      // By bits, so that a NaN equals itself.
      return memcmp(&a->f, &b->f, sizeof(float)) == 0;
    case BERTH_ATTR_BOOL:
      return a->b == b->b;
    case BERTH_ATTR_TYPE:
      return a->type == b->type;
    case BERTH_ATTR_SHAPE:
      return berth_dims_equal(a->shape, b->shape);
    case BERTH_ATTR_TENSOR:
      return equal_tensors(a->tensor, b->tensor);
    case BERTH_ATTR_FUNC:
      return equal_funcs(a->func, b->func, depth);
    default:
      break;
  }
  for (int32_t i = 0; i < a->count; ++i) {
    if (!equal_elements(a, b, i, depth)) return false;
  }
  return true;
}

bool berth_attr_equal(const berth_attr_value_t *a,
                      const berth_attr_value_t *b) {
  return equal_values(a, b, 0);
}
