// build.c - Behind the typed builders: from C arguments to a node.
//
// A builder of berth/ops.h passes on what it was given; the op's schema says
// what that is. The struct of optional attributes has its fields in the order
// of the schema, laid out by C's rules, so their places are worked out here
// instead of being written down for every op.
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "graph/builder_internal.h"
#include "graph/op_table.h"
#include "graph/scope.h"
#include "tensor/tensor.h"

// True when an input settles attribute |index|.
static bool is_inferred(const berth_op_schema_t *schema, int index) {
  for (int i = 0; i < schema->input_count; ++i) {
    const berth_arg_schema_t *arg = &schema->inputs[i];
    if (arg->type_attr == index || arg->list_attr == index ||
        arg->number_attr == index) {
      return true;
    }
  }
  return false;
}

// ---- Lists ----

// Sets a list attribute. Texts and functions come as C strings and are put
// together anew; the rest is passed on.
static void set_list(berth_op_t *op, const berth_attr_schema_t *attr,
                     const void *items, int count) {
  berth_attr_value_t value = {.kind = attr->kind, .count = count};
  value.i_list = items;
  const char *const *texts = items;
  if ((int)attr->kind == BERTH_ATTR_LIST + BERTH_ATTR_STRING) {
    berth_attr_text_t *list =
        berth_arena_calloc(&op->arena, (size_t)count, sizeof(*list));
    for (int i = 0; i < count && list != NULL; ++i) {
      list[i] = (berth_attr_text_t){texts[i], strlen(texts[i])};
    }
    value.s_list = list;
  } else if ((int)attr->kind == BERTH_ATTR_LIST + BERTH_ATTR_FUNC) {
    berth_attr_func_t *list =
        berth_arena_calloc(&op->arena, (size_t)count, sizeof(*list));
    for (int i = 0; i < count && list != NULL; ++i) list[i].name = texts[i];
    value.func_list = list;
  }
  if (value.i_list == NULL) value.count = 0;
  berth_op_put_attr(op, attr->name, &value);
}

static void set_func(berth_op_t *op, const berth_attr_schema_t *attr,
                     const char *name) {
  berth_attr_func_t *func = berth_arena_calloc(&op->arena, 1, sizeof(*func));
  if (func == NULL) return;
  func->name = name;
  berth_attr_value_t value = {.kind = BERTH_ATTR_FUNC, .func = func};
  berth_op_put_attr(op, attr->name, &value);
}

static void set_text(berth_op_t *op, const berth_attr_schema_t *attr,
                     const char *text) {
  berth_attr_value_t value = {.kind = BERTH_ATTR_STRING,
                              .s = {text, strlen(text)}};
  berth_op_put_attr(op, attr->name, &value);
}

// ---- Required attributes ----

// Takes the next argument for |attr|. A NULL leaves it unset, which is then
// reported as missing.
static void take_attr(berth_op_t *op, const berth_attr_schema_t *attr,
                      va_list *args) {
  berth_attr_value_t value = {.kind = attr->kind};
  const char *text = NULL;
  switch (attr->kind) {
    case BERTH_ATTR_INT:
      value.i = va_arg(*args, int64_t);
      break;
    case BERTH_ATTR_FLOAT:
      value.f = (float)va_arg(*args, double);
      break;
    case BERTH_ATTR_BOOL:
      value.b = va_arg(*args, int) != 0;
      break;
    case BERTH_ATTR_TYPE:
      value.type = va_arg(*args, berth_dtype_t);
      break;
    case BERTH_ATTR_SHAPE:
      value.shape = va_arg(*args, berth_dims_t);
      break;
    case BERTH_ATTR_TENSOR:
      value.tensor = va_arg(*args, berth_tensor_t *);
      if (value.tensor == NULL) return;
      break;
    case BERTH_ATTR_STRING:
      text = va_arg(*args, const char *);
      if (text != NULL) set_text(op, attr, text);
      return;
    case BERTH_ATTR_FUNC:
      text = va_arg(*args, const char *);
      if (text != NULL) set_func(op, attr, text);
      return;
    default: {
      const void *items = va_arg(*args, const void *);
      set_list(op, attr, items, va_arg(*args, int));
      return;
    }
  }
  berth_op_put_attr(op, attr->name, &value);
}

// ---- Optional attributes ----

// Walks the struct of optional attributes field by field.
typedef struct fields {
  const char *start;
  size_t offset;
} fields_t;

// Returns the next field, of |size| bytes.
static const void *next_field(fields_t *fields, size_t size, size_t alignment) {
  fields->offset = (fields->offset + alignment - 1) / alignment * alignment;
  const void *field = fields->start + fields->offset;
  fields->offset += size;
  return field;
}

#define NEXT_FIELD(fields, type) \
  (*(type const *)next_field((fields), sizeof(type), _Alignof(type)))

// Reads the field of |attr|. NULL stands for the default.
static void read_attr(berth_op_t *op, const berth_attr_schema_t *attr,
                      fields_t *fields) {
  berth_attr_value_t value = {.kind = attr->kind};
  const char *text = NULL;
  switch (attr->kind) {
    case BERTH_ATTR_INT:
      value.i = NEXT_FIELD(fields, int64_t);
      break;
    case BERTH_ATTR_FLOAT:
      value.f = NEXT_FIELD(fields, float);
      break;
    case BERTH_ATTR_BOOL:
      value.b = NEXT_FIELD(fields, bool);
      break;
    case BERTH_ATTR_TYPE:
      value.type = NEXT_FIELD(fields, berth_dtype_t);
      break;
    case BERTH_ATTR_SHAPE:
      value.shape = NEXT_FIELD(fields, berth_dims_t);
      break;
    case BERTH_ATTR_TENSOR:
      value.tensor = NEXT_FIELD(fields, berth_tensor_t *);
      if (value.tensor == NULL) return;
      break;
    case BERTH_ATTR_STRING:
      text = NEXT_FIELD(fields, char *);
      if (text != NULL) set_text(op, attr, text);
      return;
    case BERTH_ATTR_FUNC:
      text = NEXT_FIELD(fields, char *);
      if (text != NULL) set_func(op, attr, text);
      return;
    default: {
      int32_t count = NEXT_FIELD(fields, int32_t);
      const void *items = NEXT_FIELD(fields, void *);
      if (items != NULL) set_list(op, attr, items, count);
      return;
    }
  }
  berth_op_put_attr(op, attr->name, &value);
}

// ---- Building ----

static void take_inputs(berth_op_t *op, const berth_op_schema_t *schema,
                        va_list *args) {
  for (int i = 0; i < schema->input_count; ++i) {
    const berth_arg_schema_t *arg = &schema->inputs[i];
    if (arg->number_attr >= 0 || arg->list_attr >= 0) {
      const berth_out_t *inputs = va_arg(*args, const berth_out_t *);
      berth_op_input_list(op, inputs, va_arg(*args, int));
    } else {
      berth_op_input(op, va_arg(*args, berth_out_t));
    }
  }
}

static berth_node_id_t build(berth_graph_t *graph, const char *name, int index,
                             const void *attrs, va_list *args) {
  const berth_op_schema_t *schema = berth_op_schema(index);
  berth_op_t op;
  berth_op_init(&op, graph, schema->name, name);
  op.is_borrowing = true;
  take_inputs(&op, schema, args);
  fields_t fields = {attrs, 0};
  for (int i = 0; i < schema->attr_count; ++i) {
    const berth_attr_schema_t *attr = &schema->attrs[i];
    if (is_inferred(schema, i)) continue;
    if (attr->default_value == NULL) {
      take_attr(&op, attr, args);
    } else if (attrs != NULL) {
      read_attr(&op, attr, &fields);
    }
  }
  berth_node_id_t node = berth_op_commit_or_keep(&op);
  berth_op_deinit(&op);
  return node;
}

berth_node_id_t berth_build_node(berth_graph_t *graph, const char *name, int op,
                                 const void *attrs, ...) {
  va_list args;
  va_start(args, attrs);
  berth_node_id_t node = build(graph, name, op, attrs, &args);
  va_end(args);
  return node;
}

berth_out_t berth_build_out(berth_graph_t *graph, const char *name, int op,
                            const void *attrs, ...) {
  va_list args;
  va_start(args, attrs);
  berth_node_id_t node = build(graph, name, op, attrs, &args);
  va_end(args);
  return (berth_out_t){node, 0};
}

// ---- Constants ----

berth_out_t berth_const(berth_graph_t *graph, const char *name,
                        berth_tensor_t *value) {
  berth_op_t *op = berth_op_begin(graph, "Const", name);
  berth_op_attr_tensor(op, "value", value);
  berth_op_attr_type(op, "dtype", berth_tensor_dtype(value));
  return (berth_out_t){berth_op_finish(op), 0};
}

// Makes a constant of a copy of |values|.
static berth_out_t const_of(berth_graph_t *graph, const char *name,
                            berth_dtype_t dtype, const void *values,
                            berth_dims_t shape) {
  if (graph == NULL) return (berth_out_t){BERTH_NO_NODE, 0};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_copy_from(dtype, shape, values, &tensor, &err) != BERTH_OK) {
    berth_graph_lock(graph);
    berth_graph_keep_error(graph, &err);
    berth_graph_unlock(graph);
    return (berth_out_t){BERTH_NO_NODE, 0};
  }
  berth_out_t out = berth_const(graph, name, tensor);
  berth_tensor_release(tensor);
  return out;
}

berth_out_t berth_const_f32(berth_graph_t *graph, const char *name,
                            const float *values, berth_dims_t shape) {
  return const_of(graph, name, BERTH_FLOAT, values, shape);
}

berth_out_t berth_const_i32(berth_graph_t *graph, const char *name,
                            const int32_t *values, berth_dims_t shape) {
  return const_of(graph, name, BERTH_INT32, values, shape);
}
