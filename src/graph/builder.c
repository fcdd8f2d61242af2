// builder.c - Ops under construction.
//
// An op collects what it is told without looking at the graph, so that only
// finishing takes the lock. Whatever fails on the way is remembered and
// reported there. Small ones need no memory but their own block.
#include "graph/builder.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "graph/builder_internal.h"
#include "graph/scope.h"
#include "graph/wire_attr.h"

// ---- Collecting ----

// Remembers the first failure.
static void op_fail(berth_op_t *op, berth_code_t code, const char *text) {
  if (op->code != BERTH_OK) return;
  op->code = code;
  op->message = berth_op_keep(op, text, strlen(text));
  if (op->message == NULL) op->message = "Out of memory while building a node";
}

const char *berth_op_keep(berth_op_t *op, const char *text, size_t size) {
  if (size < (size_t)(BERTH_OP_TEXT - op->text_used)) {
    char *copy = &op->text[op->text_used];
    memcpy(copy, text, size);
    copy[size] = '\0';
    op->text_used += (int32_t)size + 1;
    return copy;
  }
  return berth_arena_strndup(&op->arena, text, size);
}

// Returns a place for one more in a list that starts out as |own|, growing it
// into the arena; NULL, and a failure, for no memory.
static void *list_add(berth_op_t *op, berth_op_list_t *list, void *own,
                      size_t size) {
  if (list->items == NULL) {
    list->items = own;
    list->capacity = BERTH_OP_ROOM;
  }
  if (list->count == list->capacity) {
    void *grown =
        berth_arena_alloc(&op->arena, (size_t)list->capacity * 2 * size);
    if (grown == NULL) {
      op_fail(op, BERTH_RESOURCE_EXHAUSTED,
              "Out of memory while building a node");
      return NULL;
    }
    memcpy(grown, list->items, (size_t)list->count * size);
    list->items = grown;
    list->capacity *= 2;
  }
  return (char *)list->items + (size_t)list->count++ * size;
}

void berth_op_init(berth_op_t *op, berth_graph_t *graph, const char *type,
                   const char *name) {
  memset(op, 0, offsetof(berth_op_t, own_inputs));
  op->graph = graph;
  op->type = type;
  op->name = name;
}

void berth_op_deinit(berth_op_t *op) {
  const berth_attr_t *attrs = op->attrs.items;
  for (int32_t i = 0; i < op->attrs.count && !op->is_borrowing; ++i) {
    berth_attr_drop_tensors(&attrs[i].value);
  }
  berth_arena_clear(&op->arena);
}

static berth_op_t *begin(berth_graph_t *graph, const char *type,
                         const char *name, bool is_exact) {
  berth_op_t *op = berth_alloc(sizeof(*op));
  if (op == NULL) return berth_op_lost(graph);
  berth_op_init(op, graph, NULL, NULL);
  if (type == NULL) {
    op_fail(op, BERTH_INVALID_ARGUMENT, "A node needs an op");
    type = "";
  }
  op->type = berth_op_keep(op, type, strlen(type));
  if (name != NULL) op->name = berth_op_keep(op, name, strlen(name));
  op->is_exact = is_exact && name != NULL;
  if (op->type == NULL || (name != NULL && op->name == NULL)) {
    op_fail(op, BERTH_RESOURCE_EXHAUSTED,
            "Out of memory while building a node");
  }
  return op;
}

berth_op_t *berth_op_begin(berth_graph_t *graph, const char *op,
                           const char *name) {
  return begin(graph, op, name, false);
}

berth_op_t *berth_op_begin_exact(berth_graph_t *graph, const char *op,
                                 const char *name) {
  return begin(graph, op, name, true);
}

void berth_op_abandon(berth_op_t *op) {
  if (berth_op_is_lost(op)) return;
  berth_op_deinit(op);
  berth_free(op);
}

// Notes that an argument has |count| values.
static bool add_arg(berth_op_t *op, int count, bool is_list) {
  int32_t *place =
      list_add(op, &op->arg_counts, op->own_arg_counts, sizeof(int32_t));
  bool *flag = list_add(op, &op->arg_flags, op->own_arg_flags, sizeof(bool));
  if (place == NULL || flag == NULL) return false;
  *place = count;
  *flag = is_list;
  return true;
}

static void add_input(berth_op_t *op, berth_out_t input) {
  berth_out_t *place =
      list_add(op, &op->inputs, op->own_inputs, sizeof(berth_out_t));
  if (place != NULL) *place = input;
}

void berth_op_input(berth_op_t *op, berth_out_t input) {
  if (!berth_op_is_lost(op) && add_arg(op, 1, false)) add_input(op, input);
}

void berth_op_input_list(berth_op_t *op, const berth_out_t *inputs, int count) {
  if (berth_op_is_lost(op)) return;
  if (berth_is_no_list(inputs, count)) {
    op_fail(op, BERTH_INVALID_ARGUMENT,
            "A list of inputs is NULL or has a negative count");
    return;
  }
  if (!add_arg(op, count, true)) return;
  for (int i = 0; i < count; ++i) add_input(op, inputs[i]);
}

void berth_op_control(berth_op_t *op, berth_node_id_t node) {
  if (berth_op_is_lost(op)) return;
  int32_t *place =
      list_add(op, &op->controls, op->own_controls, sizeof(int32_t));
  if (place != NULL) *place = node;
}

const berth_node_id_t *berth_op_controls(const berth_op_t *op, int *out_count) {
  *out_count = berth_op_is_lost(op) ? 0 : op->controls.count;
  return *out_count == 0 ? NULL : op->controls.items;
}

void berth_op_device(berth_op_t *op, const char *device) {
  if (berth_op_is_lost(op) || device == NULL) return;
  op->device = berth_op_keep(op, device, strlen(device));
  if (op->device == NULL) {
    op_fail(op, BERTH_RESOURCE_EXHAUSTED,
            "Out of memory while building a node");
  }
}

void berth_op_colocate(berth_op_t *op, berth_node_id_t node) {
  if (berth_op_is_lost(op)) return;
  int32_t *place =
      list_add(op, &op->colocated, op->own_colocated, sizeof(int32_t));
  if (place != NULL) *place = node;
}

// ---- Attributes ----

static bool is_no_shape(berth_dims_t shape) {
  return shape.rank > BERTH_MAX_RANK || (shape.rank > 0 && shape.dims == NULL);
}

// True when a caller gave NULL, a count or a shape that no value can have.
static bool is_no_value(const berth_attr_value_t *value) {
  switch ((int)value->kind) {
    case BERTH_ATTR_STRING:
      return value->s.text == NULL && value->s.size > 0;
    case BERTH_ATTR_SHAPE:
      return is_no_shape(value->shape);
    case BERTH_ATTR_TENSOR:
      return value->tensor == NULL;
    case BERTH_ATTR_FUNC:
      return value->func == NULL || value->func->name == NULL;
    default:
      break;
  }
  if (value->kind < BERTH_ATTR_LIST) return false;
  if (berth_is_no_list(value->i_list, value->count)) return true;
  for (int32_t i = 0; i < value->count; ++i) {
    if ((int)value->kind == BERTH_ATTR_LIST + BERTH_ATTR_SHAPE &&
        is_no_shape(value->shape_list[i])) {
      return true;
    }
  }
  return false;
}

// Remembers that the attribute |name| was not really given.
static void fail_attr(berth_op_t *op, const char *name) {
  char text[192];
  snprintf(text, sizeof text,
           "The attribute '%.64s' is NULL, has a negative count or too many "
           "dimensions",
           name != NULL ? name : "(NULL)");
  op_fail(op, BERTH_INVALID_ARGUMENT, text);
}

void berth_op_put_attr(berth_op_t *op, const char *name,
                       const berth_attr_value_t *value) {
  if (is_no_value(value)) {
    fail_attr(op, name);
    return;
  }
  berth_attr_t *place =
      list_add(op, &op->attrs, op->own_attrs, sizeof(berth_attr_t));
  if (place != NULL) *place = (berth_attr_t){name, *value};
}

void berth_op_attr_value(berth_op_t *op, const char *name,
                         const berth_attr_value_t *value) {
  if (berth_op_is_lost(op)) return;
  if (name == NULL || is_no_value(value)) {
    fail_attr(op, name);
    return;
  }
  berth_attr_value_t copy;
  const char *kept = berth_op_keep(op, name, strlen(name));
  if (kept == NULL ||
      berth_attr_copy(value, &op->arena, &copy, NULL) != BERTH_OK) {
    op_fail(op, BERTH_RESOURCE_EXHAUSTED,
            "Out of memory while building a node");
    return;
  }
  berth_attr_t *attrs = op->attrs.items;
  for (int32_t i = 0; i < op->attrs.count; ++i) {
    if (strcmp(attrs[i].name, name) != 0) continue;
    berth_attr_drop_tensors(&attrs[i].value);
    attrs[i].value = copy;
    return;
  }
  int32_t before = op->attrs.count;
  berth_op_put_attr(op, kept, &copy);
  if (op->attrs.count == before) berth_attr_drop_tensors(&copy);
}

void berth_op_attr_int(berth_op_t *op, const char *name, int64_t value) {
  berth_op_attr_value(
      op, name, &(berth_attr_value_t){.kind = BERTH_ATTR_INT, .i = value});
}

void berth_op_attr_float(berth_op_t *op, const char *name, float value) {
  berth_op_attr_value(
      op, name, &(berth_attr_value_t){.kind = BERTH_ATTR_FLOAT, .f = value});
}

void berth_op_attr_bool(berth_op_t *op, const char *name, bool value) {
  berth_op_attr_value(
      op, name, &(berth_attr_value_t){.kind = BERTH_ATTR_BOOL, .b = value});
}

void berth_op_attr_type(berth_op_t *op, const char *name, berth_dtype_t value) {
  berth_op_attr_value(
      op, name, &(berth_attr_value_t){.kind = BERTH_ATTR_TYPE, .type = value});
}

void berth_op_attr_shape(berth_op_t *op, const char *name, berth_dims_t value) {
  berth_op_attr_value(
      op, name,
      &(berth_attr_value_t){.kind = BERTH_ATTR_SHAPE, .shape = value});
}

void berth_op_attr_string(berth_op_t *op, const char *name, const char *value,
                          size_t size) {
  berth_op_attr_value(
      op, name,
      &(berth_attr_value_t){.kind = BERTH_ATTR_STRING, .s = {value, size}});
}

void berth_op_attr_tensor(berth_op_t *op, const char *name,
                          berth_tensor_t *value) {
  berth_op_attr_value(
      op, name,
      &(berth_attr_value_t){.kind = BERTH_ATTR_TENSOR, .tensor = value});
}

void berth_op_attr_func(berth_op_t *op, const char *name,
                        const char *function) {
  berth_attr_func_t func = {function, 0, NULL};
  berth_op_attr_value(
      op, name, &(berth_attr_value_t){.kind = BERTH_ATTR_FUNC, .func = &func});
}

// The kind of a list of |kind|.
static berth_attr_kind_t list_of(berth_attr_kind_t kind) {
  return (berth_attr_kind_t)(BERTH_ATTR_LIST + (int)kind);
}

void berth_op_attr_ints(berth_op_t *op, const char *name, const int64_t *values,
                        int count) {
  berth_op_attr_value(
      op, name,
      &(berth_attr_value_t){
          .kind = list_of(BERTH_ATTR_INT), .count = count, .i_list = values});
}

void berth_op_attr_floats(berth_op_t *op, const char *name, const float *values,
                          int count) {
  berth_op_attr_value(
      op, name,
      &(berth_attr_value_t){
          .kind = list_of(BERTH_ATTR_FLOAT), .count = count, .f_list = values});
}

void berth_op_attr_bools(berth_op_t *op, const char *name, const bool *values,
                         int count) {
  berth_op_attr_value(
      op, name,
      &(berth_attr_value_t){
          .kind = list_of(BERTH_ATTR_BOOL), .count = count, .b_list = values});
}

void berth_op_attr_types(berth_op_t *op, const char *name,
                         const berth_dtype_t *values, int count) {
  berth_op_attr_value(op, name,
                      &(berth_attr_value_t){.kind = list_of(BERTH_ATTR_TYPE),
                                            .count = count,
                                            .type_list = values});
}

void berth_op_attr_shapes(berth_op_t *op, const char *name,
                          const berth_dims_t *values, int count) {
  berth_op_attr_value(op, name,
                      &(berth_attr_value_t){.kind = list_of(BERTH_ATTR_SHAPE),
                                            .count = count,
                                            .shape_list = values});
}

void berth_op_attr_strings(berth_op_t *op, const char *name,
                           const char *const *values, const size_t *sizes,
                           int count) {
  if (berth_op_is_lost(op)) return;
  bool is_given = !berth_is_no_list(values, count);
  for (int i = 0; is_given && i < count; ++i) {
    is_given = values[i] != NULL || (sizes != NULL && sizes[i] == 0);
  }
  if (!is_given) {
    fail_attr(op, name);
    return;
  }
  berth_attr_text_t *texts =
      berth_arena_calloc(&op->arena, (size_t)count, sizeof(*texts));
  if (texts == NULL) {
    op_fail(op, BERTH_RESOURCE_EXHAUSTED,
            "Out of memory while building a node");
    return;
  }
  for (int i = 0; i < count; ++i) {
    texts[i].text = values[i];
    texts[i].size = sizes != NULL ? sizes[i] : strlen(values[i]);
  }
  berth_op_attr_value(
      op, name,
      &(berth_attr_value_t){
          .kind = list_of(BERTH_ATTR_STRING), .count = count, .s_list = texts});
}

void berth_op_attr_proto(berth_op_t *op, const char *name, const void *bytes,
                         size_t size) {
  if (berth_op_is_lost(op)) return;
  if (name == NULL || (bytes == NULL && size > 0)) {
    fail_attr(op, name);
    return;
  }
  berth_error_t err = BERTH_ERROR_INIT;
  berth_attr_value_t value;
  berth_code_t code =
      berth_attr_from_bytes(bytes, size, &op->arena, &value, &err);
  if (code == BERTH_OK) {
    berth_op_attr_value(op, name, &value);
    berth_attr_drop_tensors(&value);
  } else {
    op_fail(op, code, berth_error_message(&err));
  }
  berth_error_clear(&err);
}

berth_code_t berth_op_describe(const berth_op_t *op,
                               berth_node_spec_t *out_spec,
                               berth_error_t *err) {
  if (berth_op_is_lost(op)) return berth_error_no_memory(err, "an op");
  if (op->code != BERTH_OK) {
    return berth_error_set_text(err, op->code, op->message);
  }
  *out_spec = (berth_node_spec_t){
      .op = op->type,
      .name = op->name,
      .device = op->device,
      .inputs = op->inputs.items,
      .input_count = op->inputs.count,
      .controls = op->controls.items,
      .control_count = op->controls.count,
      .attrs = op->attrs.items,
      .attr_count = op->attrs.count,
      .arg_counts = op->arg_counts.items,
      .arg_count = op->arg_counts.count,
      .arg_is_list = op->arg_flags.items,
  };
  return BERTH_OK;
}
