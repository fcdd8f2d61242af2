// schema_dump.c - Prints the op table, for tests/tools/schema_oracle_test.py.
//
// One line per fact, tabs between the parts:
//
//   op     name
//   in     name  type  type_attr  list_attr  number_attr  ref
//   out    the same
//   attr   name  kind  minimum or -  default or -  allowed, in order
//   is     stateful commutative aggregate uninitialized distributed removed_in
//          what to use instead
//   reg    device  priority  label  host arguments  attr=types ...
#include <stdio.h>

#include "graph/schema.h"

static const char *attr_name(const berth_op_schema_t *schema, int index) {
  return index >= 0 ? schema->attrs[index].name : "-";
}

static void print_args(const berth_op_schema_t *schema, const char *word,
                       const berth_arg_schema_t *args, int count) {
  for (int i = 0; i < count; ++i) {
    const berth_arg_schema_t *arg = &args[i];
    printf("%s\t%s\t%s\t%s\t%s\t%s\t%d\n", word, arg->name,
           arg->type != BERTH_INVALID ? berth_dtype_name(arg->type) : "-",
           attr_name(schema, arg->type_attr), attr_name(schema, arg->list_attr),
           attr_name(schema, arg->number_attr), arg->is_ref);
  }
}

static void print_attr(const berth_attr_schema_t *attr) {
  berth_str_t value = {0};
  if (attr->default_value != NULL)
    berth_attr_print(attr->default_value, &value);
  printf("attr\t%s\t%s\t", attr->name, berth_attr_kind_name(attr->kind));
  if (attr->has_minimum) {
    printf("%lld\t", (long long)attr->minimum);
  } else {
    printf("-\t");
  }
  printf("%s\t", attr->default_value != NULL ? berth_str_get(&value) : "-");
  for (int i = 0; i < attr->allowed_count; ++i) {
    printf("%s%s", i > 0 ? " " : "",
           berth_dtype_name((berth_dtype_t)attr->allowed_order[i]));
  }
  for (int i = 0; attr->allowed_strings && attr->allowed_strings[i]; ++i) {
    printf("%s\"%s\"", i > 0 ? " " : "", attr->allowed_strings[i]);
  }
  printf("\n");
  berth_str_clear(&value);
}

static void print_hosts(const berth_arg_schema_t *args, int count,
                        uint32_t mask, const char **separator) {
  for (int i = 0; i < count; ++i) {
    if ((mask >> i & 1) == 0) continue;
    printf("%s%s", *separator, args[i].name);
    *separator = " ";
  }
}

static void print_constraint(const berth_op_schema_t *schema,
                             const berth_constraint_t *constraint) {
  const char *separator = "";
  printf("\t%s=", attr_name(schema, constraint->attr));
  for (int type = 0; type < BERTH_DTYPE_COUNT; ++type) {
    if ((constraint->types >> type & 1) == 0) continue;
    printf("%s%s", separator, berth_dtype_name((berth_dtype_t)type));
    separator = "|";
  }
  for (int i = 0; constraint->texts && constraint->texts[i]; ++i) {
    printf("%s%s", separator, constraint->texts[i]);
    separator = "|";
  }
}

static void print_registration(const berth_op_schema_t *schema,
                               const berth_registration_t *reg) {
  static const char *const devices[] = {"CPU", "GPU", "DEFAULT"};
  const char *separator = "";
  printf("reg\t%s\t%d\t%s\t", devices[reg->device], reg->priority, reg->label);
  print_hosts(schema->inputs, schema->input_count, reg->host_inputs,
              &separator);
  print_hosts(schema->outputs, schema->output_count, reg->host_outputs,
              &separator);
  for (int i = 0; i < reg->constraint_count; ++i) {
    print_constraint(schema, &reg->constraints[i]);
  }
  printf("\n");
}

int main(void) {
  for (int i = 0; i < berth_schema_count(); ++i) {
    const berth_op_schema_t *schema = berth_schema_at(i);
    printf("op\t%s\n", schema->name);
    print_args(schema, "in", schema->inputs, schema->input_count);
    print_args(schema, "out", schema->outputs, schema->output_count);
    for (int a = 0; a < schema->attr_count; ++a) print_attr(&schema->attrs[a]);
    printf("is\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", schema->is_stateful,
           schema->is_commutative, schema->is_aggregate,
           schema->allows_uninitialized_input, schema->is_distributed,
           schema->removed_in,
           schema->removed_text != NULL ? schema->removed_text : "");
    for (int r = 0; r < schema->registration_count; ++r) {
      print_registration(schema, &schema->registrations[r]);
    }
  }
  return 0;
}
