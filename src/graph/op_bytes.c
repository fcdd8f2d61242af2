// op_bytes.c - Making schemas of the bytes of ops.
#include "graph/op_bytes.h"

#include <string.h>

#include "base/fork.h"
#include "graph/op_table.h"
#include "graph/shape_rule.h"

// Guards making a schema, and how much of the room is used. Every op is made
// once, so that the room is enough for all.
static berth_mutex_t lock = BERTH_MUTEX_INIT;
BERTH_FORK_HOLDS(lock, BERTH_FORK_INNERMOST)
static struct { int args, attrs, registrations, constraints; } used;

// ---- Reading ----

static uint64_t next(const uint8_t **at) {
  uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    uint8_t byte = *(*at)++;
    number |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}

static int16_t next_int(const uint8_t **at) { return (int16_t)next(at); }

static const char *next_text(const uint8_t **at) {
  return berth_op_texts + next(at);
}

static const berth_arg_schema_t *next_args(const uint8_t **at, int count) {
  berth_arg_schema_t *args = &berth_op_args[used.args];
  used.args += count;
  for (int i = 0; i < count; ++i) {
    args[i] = (berth_arg_schema_t){.name = next_text(at),
                                   .type_attr = -1,
                                   .list_attr = -1,
                                   .number_attr = -1};
    uint64_t marks = next(at);
    int16_t type = next_int(at);
    if (marks & BERTH_BYTES_TYPE_ATTR) {
      args[i].type_attr = type;
    } else if (marks & BERTH_BYTES_LIST_ATTR) {
      args[i].list_attr = type;
    } else {
      args[i].type = (berth_dtype_t)type;
    }
    if (marks & BERTH_BYTES_NUMBER) args[i].number_attr = next_int(at);
    args[i].is_ref = (marks & BERTH_BYTES_REF) != 0;
  }
  return args;
}

static const berth_attr_schema_t *next_attrs(const uint8_t **at, int count) {
  berth_attr_schema_t *attrs = &berth_op_attrs[used.attrs];
  used.attrs += count;
  for (int i = 0; i < count; ++i) {
    berth_attr_schema_t *attr = &attrs[i];
    attr->name = next_text(at);
    attr->kind = (berth_attr_kind_t)next(at);
    uint64_t marks = next(at);
    attr->has_minimum = (marks & BERTH_BYTES_MINIMUM) != 0;
    if (attr->has_minimum) attr->minimum = (int64_t)next(at);
    if (marks & BERTH_BYTES_DEFAULT) {
      attr->default_value = berth_op_values[next(at)];
    }
    if (marks & BERTH_BYTES_ALLOWED) {
      const berth_op_set_t *set = &berth_op_sets[next(at)];
      attr->allowed_types = set->types;
      attr->allowed_strings = set->texts;
      attr->allowed_order = set->order;
      attr->allowed_count = set->order_count;
    }
  }
  return attrs;
}

static const berth_constraint_t *next_constraints(const uint8_t **at,
                                                  int count) {
  berth_constraint_t *constraints = &berth_op_constraints[used.constraints];
  used.constraints += count;
  for (int i = 0; i < count; ++i) {
    constraints[i].attr = next_int(at);
    const berth_op_set_t *set = &berth_op_sets[next(at)];
    constraints[i].types = set->types;
    constraints[i].texts = set->texts;
  }
  return constraints;
}

static const berth_registration_t *next_registrations(const uint8_t **at,
                                                      int count) {
  berth_registration_t *registrations =
      &berth_op_registrations[used.registrations];
  used.registrations += count;
  for (int i = 0; i < count; ++i) {
    berth_registration_t *registration = &registrations[i];
    registration->device = (berth_registered_for_t)next(at);
    uint64_t marks = next(at);
    registration->constraint_count = next_int(at);
    registration->constraints =
        next_constraints(at, registration->constraint_count);
    registration->label = "";
    if (marks & BERTH_BYTES_HOST) {
      registration->host_inputs = (uint32_t)next(at);
      registration->host_outputs = (uint32_t)next(at);
    }
    if (marks & BERTH_BYTES_RANK) {
      registration->priority = next_int(at);
      registration->label = next_text(at);
    }
  }
  return registrations;
}

static void next_work(const uint8_t **at, berth_op_schema_t *schema) {
  schema->traits = (uint32_t)next(at);
  schema->value_inputs = (uint32_t)next(at);
  schema->keep_inputs = (uint32_t)next(at);
  schema->flow = (uint8_t)next(at);
  schema->owns = (uint8_t)next(at);
  uint64_t function = next(at);
  if (function != 0) schema->infer = berth_op_functions[function - 1];
}

static void make(const uint8_t *at, berth_op_schema_t *schema) {
  schema->name = next_text(&at);
  uint64_t flags = next(&at);
  schema->is_stateful = (flags & BERTH_BYTES_STATEFUL) != 0;
  schema->is_aggregate = (flags & BERTH_BYTES_AGGREGATE) != 0;
  schema->is_commutative = (flags & BERTH_BYTES_COMMUTATIVE) != 0;
  schema->allows_uninitialized_input = (flags & BERTH_BYTES_UNINITIALIZED) != 0;
  schema->is_distributed = (flags & BERTH_BYTES_DISTRIBUTED) != 0;
  schema->input_count = next_int(&at);
  schema->output_count = next_int(&at);
  schema->attr_count = next_int(&at);
  schema->registration_count = next_int(&at);
  schema->inputs = next_args(&at, schema->input_count);
  schema->outputs = next_args(&at, schema->output_count);
  schema->attrs = next_attrs(&at, schema->attr_count);
  schema->registrations = next_registrations(&at, schema->registration_count);
  if (flags & BERTH_BYTES_REMOVED) {
    schema->removed_in = next_int(&at);
    schema->removed_text = next_text(&at);
  }
  if (flags & BERTH_BYTES_RULE) {
    schema->shape_rule = next_text(&at);
    schema->infer = berth_infer_by_rule;
  }
  if (flags & BERTH_BYTES_WORK) next_work(&at, schema);
}

// ---- Finding ----

const char *berth_op_name_of(int number) {
  const uint8_t *at = &berth_op_bytes[berth_op_places[number]];
  return next_text(&at);
}

const berth_op_schema_t *berth_op_schema(int number) {
  berth_op_schema_t *schema = &berth_op_schemas[number];
  atomic_bool *is_made = &berth_op_made[number];
  if (atomic_load_explicit(is_made, memory_order_acquire)) return schema;
  berth_mutex_lock(&lock);
  if (!atomic_load_explicit(is_made, memory_order_relaxed)) {
    make(&berth_op_bytes[berth_op_places[number]], schema);
    atomic_store_explicit(is_made, true, memory_order_release);
  }
  berth_mutex_unlock(&lock);
  return schema;
}
