// partition_node.c - The nodes that join the graphs of two devices.
#include "runtime/partition_node.h"

#include <string.h>

#include "base/str.h"
#include "wire/message.h"
#include "wire/tensor.pb-c.h"

typedef Berth__Wire__NodeDef node_def_t;
typedef Berth__Wire__AttrValue attr_value_t;

enum { MAX_ATTRS = 8 };

// A node under construction; |def| is NULL once memory was short.
typedef struct maker {
  berth_arena_t *arena;
  node_def_t *def;
} maker_t;

static char *copy_text(maker_t *m, const char *text) {
  char *copy =
      text != NULL ? berth_arena_strndup(m->arena, text, strlen(text)) : NULL;
  if (copy == NULL) m->def = NULL;
  return copy;
}

// Returns `<from>/_<number>` or `<from>/ctrl/_<number>`.
static char *make_name(berth_arena_t *arena, const char *from,
                       const char *between, int number) {
  berth_str_t str = {0};
  berth_str_printf(&str, "%s/%s_%d", from, between, number);
  char *name = berth_str_ok(&str)
                   ? berth_arena_strndup(arena, str.text, str.size)
                   : NULL;
  berth_str_clear(&str);
  return name;
}

static maker_t begin(berth_arena_t *arena, const char *op, char *name) {
  maker_t m = {.arena = arena};
  m.def = berth_message_new(&berth__wire__node_def__descriptor, arena);
  if (m.def == NULL || name == NULL) return (maker_t){.arena = arena};
  m.def->name = name;
  m.def->attr = berth_arena_calloc(arena, MAX_ATTRS, sizeof(*m.def->attr));
  m.def->op = (char *)(uintptr_t)op;
  if (m.def->attr == NULL) m.def = NULL;
  return m;
}

// Adds an attribute and returns its value, or NULL. Names come in the order of
// the alphabet.
static attr_value_t *attr_add(maker_t *m, const char *name) {
  if (m->def == NULL) return NULL;
  Berth__Wire__NodeDef__AttrEntry *entry = berth_message_new(
      &berth__wire__node_def__attr_entry__descriptor, m->arena);
  attr_value_t *value =
      berth_message_new(&berth__wire__attr_value__descriptor, m->arena);
  if (entry == NULL || value == NULL) {
    m->def = NULL;
    return NULL;
  }
  entry->key = (char *)(uintptr_t)name;
  entry->value = value;
  m->def->attr[m->def->n_attr++] = entry;
  return value;
}

static void attr_text(maker_t *m, const char *name, const char *text) {
  attr_value_t *value = attr_add(m, name);
  char *copy = value != NULL ? copy_text(m, text) : NULL;
  if (copy == NULL) return;
  value->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_S;
  value->s.data = (uint8_t *)copy;
  value->s.len = strlen(copy);
}

static void attr_type(maker_t *m, const char *name, berth_dtype_t dtype) {
  attr_value_t *value = attr_add(m, name);
  if (value == NULL) return;
  value->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_TYPE;
  value->type = (Berth__Wire__DataType)dtype;
}

static void attr_int(maker_t *m, const char *name, int64_t number) {
  attr_value_t *value = attr_add(m, name);
  if (value == NULL) return;
  value->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_I;
  value->i = number;
}

static void attr_false(maker_t *m, const char *name) {
  attr_value_t *value = attr_add(m, name);
  if (value == NULL) return;
  value->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_B;
  value->b = false;
}

static void input_set(maker_t *m, const char *before, const char *input) {
  if (m->def == NULL) return;
  berth_str_t str = {0};
  berth_str_printf(&str, "%s%s", before, input);
  char **inputs = berth_arena_calloc(m->arena, 1, sizeof(*inputs));
  char *copy = copy_text(m, berth_str_ok(&str) ? str.text : NULL);
  berth_str_clear(&str);
  if (inputs == NULL) m->def = NULL;
  if (m->def == NULL) return;
  inputs[0] = copy;
  m->def->input = inputs;
  m->def->n_input = 1;
}

// The attributes that both ends of a transfer have.
static void attrs_of_transfer(maker_t *m, const berth_transfer_t *transfer) {
  attr_text(m, "_dst", transfer->to);
  attr_text(m, "_src", transfer->from);
  attr_false(m, "client_terminated");
  attr_text(m, "recv_device", transfer->recv_device);
  attr_text(m, "send_device", transfer->send_device);
  attr_int(m, "send_device_incarnation", 1);
  berth_str_t str = {0};
  berth_str_printf(&str, "edge_%d_%s", transfer->edge, transfer->from);
  attr_text(m, "tensor_name", berth_str_ok(&str) ? str.text : NULL);
  berth_str_clear(&str);
}

node_def_t *berth_partition_send(const berth_transfer_t *transfer,
                                 const char *input, int number) {
  maker_t m = begin(transfer->arena, "_Send",
                    make_name(transfer->arena, transfer->from, "", number));
  attr_type(&m, "T", transfer->dtype);
  attrs_of_transfer(&m, transfer);
  input_set(&m, "", input);
  return m.def;
}

node_def_t *berth_partition_recv(const berth_transfer_t *transfer, int number) {
  maker_t m = begin(transfer->arena, "_Recv",
                    make_name(transfer->arena, transfer->from, "", number));
  attrs_of_transfer(&m, transfer);
  attr_type(&m, "tensor_type", transfer->dtype);
  return m.def;
}

// Sets attribute "value" to a float tensor without elements.
static void attr_empty_tensor(maker_t *m) {
  attr_value_t *value = attr_add(m, "value");
  berth_arena_t *arena = m->arena;
  Berth__Wire__TensorProto *tensor =
      berth_message_new(&berth__wire__tensor_proto__descriptor, arena);
  Berth__Wire__TensorShapeProto *shape =
      berth_message_new(&berth__wire__tensor_shape_proto__descriptor, arena);
  Berth__Wire__TensorShapeProto__Dim *dim = berth_message_new(
      &berth__wire__tensor_shape_proto__dim__descriptor, arena);
  Berth__Wire__TensorShapeProto__Dim **dims =
      berth_arena_calloc(arena, 1, sizeof(*dims));
  if (value == NULL || tensor == NULL || shape == NULL || dim == NULL ||
      dims == NULL) {
    m->def = NULL;
    return;
  }
  dims[0] = dim;
  shape->dim = dims;
  shape->n_dim = 1;
  tensor->dtype = BERTH__WIRE__DATA_TYPE__DT_FLOAT;
  tensor->tensor_shape = shape;
  value->value_case = BERTH__WIRE__ATTR_VALUE__VALUE_TENSOR;
  value->tensor = tensor;
}

node_def_t *berth_partition_empty(const berth_transfer_t *transfer,
                                  int number) {
  maker_t m =
      begin(transfer->arena, "Const",
            make_name(transfer->arena, transfer->from, "ctrl/", number));
  attr_type(&m, "dtype", BERTH_FLOAT);
  attr_empty_tensor(&m);
  input_set(&m, "^", transfer->from);
  return m.def;
}

node_def_t *berth_partition_identity(const berth_transfer_t *transfer,
                                     const char *input, int number) {
  maker_t m = begin(transfer->arena, "Identity",
                    make_name(transfer->arena, transfer->from, "", number));
  attr_type(&m, "T", BERTH_FLOAT);
  input_set(&m, "", input);
  return m.def;
}

node_def_t *berth_partition_end(berth_arena_t *arena, const char *op,
                                const char *name, berth_dtype_t dtype,
                                int index, const char *input) {
  maker_t m = begin(arena, op, (char *)(uintptr_t)name);
  attr_type(&m, "T", dtype);
  attr_int(&m, "index", index);
  if (input != NULL) input_set(&m, "", input);
  return m.def;
}
