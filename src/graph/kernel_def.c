// kernel_def.c - What TensorFlow registers for an op, as a message.
#include <stdlib.h>
#include <string.h>

#include "berth/graph.h"
#include "graph/op_def.h"
#include "wire/message.h"

// Messages have no constant members; nothing writes through these.
static char *text_lend(const char *text) { return (char *)(uintptr_t)text; }

// Makes an AttrValue that lists |texts|: as they are, or the ints or bools of
// which they tell. NULL when memory is short.
static Berth__Wire__AttrValue *values_to_wire(berth_attr_kind_t kind,
                                              const char *const *texts,
                                              berth_arena_t *arena) {
  Berth__Wire__AttrValue *value = berth_texts_to_wire(texts, arena);
  if (value == NULL || kind == BERTH_ATTR_STRING) return value;
  Berth__Wire__AttrValue__ListValue *list = value->list;
  list->i = berth_arena_calloc(arena, list->n_s, sizeof *list->i);
  list->b = berth_arena_calloc(arena, list->n_s, sizeof *list->b);
  if (list->i == NULL || list->b == NULL) return NULL;
  for (size_t i = 0; i < list->n_s; ++i) {
    list->i[i] = strtoll(texts[i], NULL, 10);
    list->b[i] = strcmp(texts[i], "true") == 0;
  }
  *(kind == BERTH_ATTR_INT ? &list->n_i : &list->n_b) = list->n_s;
  list->n_s = 0;
  return value;
}

static bool constraints_to_wire(const berth_op_schema_t *schema,
                                const berth_registration_t *registration,
                                berth_arena_t *arena,
                                Berth__Wire__KernelDef *kernel) {
  size_t count = (size_t)registration->constraint_count;
  kernel->constraint = berth_arena_calloc(arena, count, sizeof(void *));
  if (kernel->constraint == NULL) return false;
  for (size_t i = 0; i < count; ++i) {
    const berth_constraint_t *constraint = &registration->constraints[i];
    Berth__Wire__KernelDef__AttrConstraint *message = berth_message_new(
        &berth__wire__kernel_def__attr_constraint__descriptor, arena);
    if (message == NULL) return false;
    const berth_attr_schema_t *attr = &schema->attrs[constraint->attr];
    message->name = text_lend(attr->name);
    message->allowed_values =
        constraint->texts != NULL
            ? values_to_wire(attr->kind, constraint->texts, arena)
            : berth_types_to_wire(constraint->types, NULL, 0, arena);
    if (message->allowed_values == NULL) return false;
    kernel->constraint[i] = message;
  }
  kernel->n_constraint = count;
  return true;
}

// Names the arguments in host memory, inputs first.
static bool host_args_to_wire(const berth_op_schema_t *schema,
                              const berth_registration_t *registration,
                              berth_arena_t *arena,
                              Berth__Wire__KernelDef *kernel) {
  enum { BITS = 32 };
  kernel->host_memory_arg = berth_arena_calloc(arena, 2 * BITS, sizeof(char *));
  if (kernel->host_memory_arg == NULL) return false;
  for (int i = 0; i < BITS && i < schema->input_count; ++i) {
    if ((registration->host_inputs >> i & 1) == 0) continue;
    kernel->host_memory_arg[kernel->n_host_memory_arg++] =
        text_lend(schema->inputs[i].name);
  }
  for (int i = 0; i < BITS && i < schema->output_count; ++i) {
    if ((registration->host_outputs >> i & 1) == 0) continue;
    kernel->host_memory_arg[kernel->n_host_memory_arg++] =
        text_lend(schema->outputs[i].name);
  }
  return true;
}

static Berth__Wire__KernelDef *kernel_to_wire(
    const berth_op_schema_t *schema, const berth_registration_t *registration,
    berth_arena_t *arena) {
  static const char *const devices[] = {"CPU", "GPU", "DEFAULT"};
  Berth__Wire__KernelDef *kernel =
      berth_message_new(&berth__wire__kernel_def__descriptor, arena);
  if (kernel == NULL) return NULL;
  kernel->op = text_lend(schema->name);
  kernel->device_type = text_lend(devices[registration->device]);
  kernel->label = text_lend(registration->label);
  kernel->priority = registration->priority;
  if (!constraints_to_wire(schema, registration, arena, kernel) ||
      !host_args_to_wire(schema, registration, arena, kernel)) {
    return NULL;
  }
  return kernel;
}

static berth_code_t kernels_to_wire(const berth_op_schema_t *schema,
                                    berth_arena_t *arena,
                                    Berth__Wire__KernelList **out_message,
                                    berth_error_t *err) {
  size_t count = (size_t)schema->registration_count;
  Berth__Wire__KernelList *list =
      berth_message_new(&berth__wire__kernel_list__descriptor, arena);
  if (list == NULL) return berth_error_no_memory(err, "a KernelList");
  list->kernel = berth_arena_calloc(arena, count, sizeof(void *));
  for (size_t i = 0; list->kernel != NULL && i < count; ++i) {
    list->kernel[i] = kernel_to_wire(schema, &schema->registrations[i], arena);
    if (list->kernel[i] == NULL) break;
    ++list->n_kernel;
  }
  if (list->n_kernel < count) return berth_error_no_memory(err, "a KernelList");
  *out_message = list;
  return BERTH_OK;
}

berth_code_t berth_op_kernels_proto(const char *op, void **out_bytes,
                                    size_t *out_size, berth_error_t *err) {
  BERTH_GIVEN(op, err);
  BERTH_GIVEN(out_bytes, err);
  BERTH_GIVEN(out_size, err);
  const berth_op_schema_t *schema = NULL;
  BERTH_TRY(berth_op_schema_find(op, &schema, err));
  berth_arena_t arena = {0};
  Berth__Wire__KernelList *message = NULL;
  berth_code_t code = kernels_to_wire(schema, &arena, &message, err);
  if (code == BERTH_OK) {
    code = berth_message_pack(&message->base, out_bytes, out_size, err);
  }
  berth_arena_clear(&arena);
  return code;
}
