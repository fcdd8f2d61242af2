// known.c - Making schemas of the bytes of ops that are only known.
#include "graph/known.h"

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
  return berth_known_texts + next(at);
}

static const berth_arg_schema_t *next_args(const uint8_t **at, int count) {
  berth_arg_schema_t *args = &berth_known_args[used.args];
  used.args += count;
  for (int i = 0; i < count; ++i) {
    args[i] = (berth_arg_schema_t){.name = next_text(at),
                                   .type_attr = -1,
                                   .list_attr = -1,
                                   .number_attr = -1};
    uint64_t marks = next(at);
    int16_t type = next_int(at);
    if (marks & BERTH_KNOWN_TYPE_ATTR) {
      args[i].type_attr = type;
    } else if (marks & BERTH_KNOWN_LIST_ATTR) {
      args[i].list_attr = type;
    } else {
      args[i].type = (berth_dtype_t)type;
    }
    if (marks & BERTH_KNOWN_NUMBER) args[i].number_attr = next_int(at);
    args[i].is_ref = (marks & BERTH_KNOWN_REF) != 0;
  }
  return args;
}

static const berth_attr_schema_t *next_attrs(const uint8_t **at, int count) {
  berth_attr_schema_t *attrs = &berth_known_attrs[used.attrs];
  used.attrs += count;
  for (int i = 0; i < count; ++i) {
    berth_attr_schema_t *attr = &attrs[i];
    attr->name = next_text(at);
    attr->kind = (berth_attr_kind_t)next(at);
    uint64_t marks = next(at);
    attr->has_minimum = (marks & BERTH_KNOWN_MINIMUM) != 0;
    if (attr->has_minimum) attr->minimum = (int64_t)next(at);
    if (marks & BERTH_KNOWN_DEFAULT) {
      attr->default_value = berth_known_values[next(at)];
    }
    if (marks & BERTH_KNOWN_ALLOWED) {
      const berth_known_set_t *set = &berth_known_sets[next(at)];
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
  berth_constraint_t *constraints = &berth_known_constraints[used.constraints];
  used.constraints += count;
  for (int i = 0; i < count; ++i) {
    constraints[i].attr = next_int(at);
    const berth_known_set_t *set = &berth_known_sets[next(at)];
    constraints[i].types = set->types;
    constraints[i].texts = set->texts;
  }
  return constraints;
}

static const berth_registration_t *next_registrations(const uint8_t **at,
                                                      int count) {
  berth_registration_t *registrations =
      &berth_known_registrations[used.registrations];
  used.registrations += count;
  for (int i = 0; i < count; ++i) {
    berth_registration_t *registration = &registrations[i];
    registration->device = (berth_registered_for_t)next(at);
    uint64_t marks = next(at);
    registration->constraint_count = next_int(at);
    registration->constraints =
        next_constraints(at, registration->constraint_count);
    registration->label = "";
    if (marks & BERTH_KNOWN_HOST) {
      registration->host_inputs = (uint32_t)next(at);
      registration->host_outputs = (uint32_t)next(at);
    }
    if (marks & BERTH_KNOWN_RANK) {
      registration->priority = next_int(at);
      registration->label = next_text(at);
    }
  }
  return registrations;
}

static void make(const uint8_t *at, berth_op_schema_t *schema) {
  schema->name = next_text(&at);
  uint64_t flags = next(&at);
  schema->is_stateful = (flags & BERTH_KNOWN_STATEFUL) != 0;
  schema->is_aggregate = (flags & BERTH_KNOWN_AGGREGATE) != 0;
  schema->is_commutative = (flags & BERTH_KNOWN_COMMUTATIVE) != 0;
  schema->allows_uninitialized_input = (flags & BERTH_KNOWN_UNINITIALIZED) != 0;
  schema->is_distributed = (flags & BERTH_KNOWN_DISTRIBUTED) != 0;
  schema->input_count = next_int(&at);
  schema->output_count = next_int(&at);
  schema->attr_count = next_int(&at);
  schema->registration_count = next_int(&at);
  schema->inputs = next_args(&at, schema->input_count);
  schema->outputs = next_args(&at, schema->output_count);
  schema->attrs = next_attrs(&at, schema->attr_count);
  schema->registrations = next_registrations(&at, schema->registration_count);
  if (flags & BERTH_KNOWN_REMOVED) {
    schema->removed_in = next_int(&at);
    schema->removed_text = next_text(&at);
  }
  if (flags & BERTH_KNOWN_RULE) {
    schema->shape_rule = next_text(&at);
    schema->infer = berth_infer_by_rule;
  }
}

// ---- Finding ----

const char *berth_known_name(int index) {
  const uint8_t *at = &berth_known_bytes[berth_known_at[index]];
  return next_text(&at);
}

const berth_op_schema_t *berth_known_get(int index) {
  berth_op_schema_t *schema = &berth_known_ops[index];
  atomic_bool *is_made = &berth_known_made[index];
  if (atomic_load_explicit(is_made, memory_order_acquire)) return schema;
  berth_mutex_lock(&lock);
  if (!atomic_load_explicit(is_made, memory_order_relaxed)) {
    make(&berth_known_bytes[berth_known_at[index]], schema);
    atomic_store_explicit(is_made, true, memory_order_release);
  }
  berth_mutex_unlock(&lock);
  return schema;
}

const berth_op_schema_t *berth_known_find(const char *name) {
  uint32_t slot = berth_op_hash(name) % BERTH_KNOWN_SLOTS;
  for (; berth_known_slots[slot] != 0; slot = (slot + 1) % BERTH_KNOWN_SLOTS) {
    int index = berth_known_slots[slot] - 1;
    if (strcmp(berth_known_name(index), name) == 0) {
      return berth_known_get(index);
    }
  }
  return NULL;
}
