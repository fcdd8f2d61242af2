// schema.c - Op schemas: looking them up and printing them.
#include "graph/schema.h"

#include <string.h>

#include "berth/graph.h"
#include "graph/op_table.h"

const berth_op_schema_t *berth_schema_find(const char *name) {
  uint32_t slot = berth_op_hash(name) % BERTH_OP_SLOTS;
  for (; berth_op_slots[slot] != 0; slot = (slot + 1) % BERTH_OP_SLOTS) {
    int number = berth_op_slots[slot] - 1;
    if (strcmp(berth_op_name_of(number), name) == 0) {
      return berth_op_schema(number);
    }
  }
  return NULL;
}

int berth_schema_count(void) {
  return berth_op_table_count + berth_op_known_count;
}

int berth_op_count(void) { return berth_schema_count(); }

const char *berth_op_name(int index) {
  if (index < 0 || index >= berth_schema_count()) return NULL;
  return berth_op_name_of(berth_op_order[index]);
}

const berth_op_schema_t *berth_schema_at(int index) {
  return berth_op_schema(berth_op_order[index]);
}

int berth_schema_number(const berth_op_schema_t *schema) {
  uintptr_t offset = (uintptr_t)schema - (uintptr_t)berth_op_schemas;
  size_t number = offset / sizeof(*schema);
  return number < (size_t)berth_schema_count() ? (int)number : -1;
}

int berth_schema_attr_index(const berth_op_schema_t *schema, const char *name) {
  for (int i = 0; i < schema->attr_count; ++i) {
    // Nodes share the names of their schema, so the address often settles it.
    const char *own = schema->attrs[i].name;
    if (own == name || strcmp(own, name) == 0) return i;
  }
  return -1;
}

// ---- Printing ----

static void print_args(const berth_op_schema_t *schema,
                       const berth_arg_schema_t *args, int count,
                       berth_str_t *str) {
  for (int i = 0; i < count; ++i) {
    const berth_arg_schema_t *arg = &args[i];
    berth_str_printf(str, "%s%s:%s", i > 0 ? ", " : "", arg->name,
                     arg->is_ref ? "Ref(" : "");
    if (arg->number_attr >= 0) {
      berth_str_printf(str, "%s*", schema->attrs[arg->number_attr].name);
    }
    // TensorFlow prints nothing for a list of types.
    if (arg->type != BERTH_INVALID) {
      berth_str_puts(str, berth_dtype_name(arg->type));
    } else if (arg->type_attr >= 0) {
      berth_str_puts(str, schema->attrs[arg->type_attr].name);
    }
    if (arg->is_ref) berth_str_putc(str, ')');
  }
}

static void print_allowed(const berth_attr_schema_t *attr, berth_str_t *str) {
  const char *separator = ",allowed=[";
  for (int i = 0; i < attr->allowed_count; ++i) {
    berth_str_printf(
        str, "%s%s", separator,
        berth_dtype_enum_name((berth_dtype_t)attr->allowed_order[i]));
    separator = ", ";
  }
  for (int i = 0; attr->allowed_strings && attr->allowed_strings[i]; ++i) {
    berth_str_printf(str, "%s\"%s\"", separator, attr->allowed_strings[i]);
    separator = ", ";
  }
  if (separator[1] == ' ') berth_str_putc(str, ']');
}

static void print_attr(const berth_attr_schema_t *attr, berth_str_t *str) {
  berth_str_printf(str, "; attr=%s:%s", attr->name,
                   berth_attr_kind_name(attr->kind));
  if (attr->default_value != NULL) {
    berth_str_puts(str, ",default=");
    berth_attr_print(attr->default_value, str);
  }
  if (attr->has_minimum) {
    berth_str_printf(str, ",min=%lld", (long long)attr->minimum);
  }
  print_allowed(attr, str);
}

void berth_schema_print(const berth_op_schema_t *schema, berth_str_t *str) {
  berth_str_printf(str, "Op<name=%s; signature=", schema->name);
  print_args(schema, schema->inputs, schema->input_count, str);
  berth_str_puts(str, " -> ");
  print_args(schema, schema->outputs, schema->output_count, str);
  for (int i = 0; i < schema->attr_count; ++i) {
    print_attr(&schema->attrs[i], str);
  }
  if (schema->is_commutative) berth_str_puts(str, "; is_commutative=true");
  if (schema->is_aggregate) berth_str_puts(str, "; is_aggregate=true");
  if (schema->is_stateful) berth_str_puts(str, "; is_stateful=true");
  if (schema->allows_uninitialized_input) {
    berth_str_puts(str, "; allows_uninitialized_input=true");
  }
  if (schema->is_distributed) {
    berth_str_puts(str, "; is_distributed_communication=true");
  }
  berth_str_putc(str, '>');
}
