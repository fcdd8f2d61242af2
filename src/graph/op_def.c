// op_def.c - Op schemas in and out of OpDef messages.
#include "graph/op_def.h"

#include <string.h>

#include "berth/graph.h"
#include "graph/wire_attr.h"
#include "wire/message.h"

typedef Berth__Wire__OpDef op_def_t;
typedef Berth__Wire__OpDef__ArgDef arg_def_t;
typedef Berth__Wire__OpDef__AttrDef attr_def_t;
typedef Berth__Wire__AttrValue value_t;

// ---- From messages ----

static berth_attr_kind_t kind_find(const char *name) {
  for (int kind = BERTH_ATTR_STRING; kind < BERTH_ATTR_PLACEHOLDER; ++kind) {
    for (int list = 0; list <= BERTH_ATTR_LIST; list += BERTH_ATTR_LIST) {
      berth_attr_kind_t found = (berth_attr_kind_t)(kind + list);
      if (strcmp(berth_attr_kind_name(found), name) == 0) return found;
    }
  }
  return BERTH_ATTR_NONE;
}

// Copies the texts that |list| allows, with a final NULL.
static berth_code_t texts_from_wire(
    const Berth__Wire__AttrValue__ListValue *list, berth_arena_t *arena,
    const char *const **out_texts, berth_error_t *err) {
  const char **texts = berth_arena_calloc(arena, list->n_s + 1, sizeof *texts);
  if (texts == NULL) return berth_error_no_memory(err, "a schema");
  for (size_t i = 0; i < list->n_s; ++i) {
    texts[i] = berth_arena_strndup(arena, (const char *)list->s[i].data,
                                   list->s[i].len);
    if (texts[i] == NULL) return berth_error_no_memory(err, "a schema");
  }
  *out_texts = texts;
  return BERTH_OK;
}

// Stores the allowed types as a set, and in their order for messages.
static berth_code_t types_from_wire(
    const Berth__Wire__AttrValue__ListValue *list, berth_arena_t *arena,
    berth_attr_schema_t *attr, berth_error_t *err) {
  uint8_t *order = berth_arena_alloc(arena, list->n_type);
  if (order == NULL) return berth_error_no_memory(err, "a schema");
  for (size_t i = 0; i < list->n_type && i < INT16_MAX; ++i) {
    unsigned type = (unsigned)list->type[i];
    if (type >= BERTH_DTYPE_COUNT) continue;
    attr->allowed_types |= BERTH_DTYPE_BIT(type);
    order[attr->allowed_count++] = (uint8_t)type;
  }
  attr->allowed_order = order;
  return BERTH_OK;
}

static berth_code_t allowed_from_wire(const value_t *allowed,
                                      berth_attr_schema_t *attr,
                                      berth_arena_t *arena,
                                      berth_error_t *err) {
  if (allowed == NULL ||
      allowed->value_case != BERTH__WIRE__ATTR_VALUE__VALUE_LIST) {
    return BERTH_OK;
  }
  const Berth__Wire__AttrValue__ListValue *list = allowed->list;
  if (list->n_type > 0) return types_from_wire(list, arena, attr, err);
  if (list->n_s == 0) return BERTH_OK;
  return texts_from_wire(list, arena, &attr->allowed_strings, err);
}

static berth_code_t default_from_wire(const value_t *message,
                                      berth_attr_schema_t *attr,
                                      berth_arena_t *arena,
                                      berth_error_t *err) {
  berth_attr_value_t *value = berth_arena_calloc(arena, 1, sizeof *value);
  if (value == NULL) return berth_error_no_memory(err, "a schema");
  BERTH_TRY(berth_attr_from_wire(message, arena, NULL, value, err));
  attr->default_value = value;
  return BERTH_OK;
}

static berth_code_t attr_from_wire(const attr_def_t *message,
                                   berth_arena_t *arena,
                                   berth_attr_schema_t *attr,
                                   berth_error_t *err) {
  attr->name = message->name;
  attr->kind = kind_find(message->type);
  attr->has_minimum = message->has_minimum != 0;
  attr->minimum = message->minimum;
  if (attr->kind == BERTH_ATTR_NONE) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Attr '%s' has unknown type '%s'", message->name,
                           message->type);
  }
  BERTH_TRY(allowed_from_wire(message->allowed_values, attr, arena, err));
  if (message->default_value == NULL) return BERTH_OK;
  return default_from_wire(message->default_value, attr, arena, err);
}

// Stores the index of the attribute |name| of |schema|; -1 for "".
static berth_code_t attr_index(const berth_op_schema_t *schema,
                               const arg_def_t *arg, const char *name,
                               int16_t *out_index, berth_error_t *err) {
  *out_index = -1;
  if (name[0] == '\0') return BERTH_OK;
  int index = berth_schema_attr_index(schema, name);
  if (index < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "No attr with name '%s' for argument '%s' of "
                           "function '%s'",
                           name, arg->name, schema->name);
  }
  *out_index = (int16_t)index;
  return BERTH_OK;
}

static berth_code_t arg_from_wire(const berth_op_schema_t *schema,
                                  const arg_def_t *message,
                                  berth_arg_schema_t *arg, berth_error_t *err) {
  arg->name = message->name;
  arg->type = (berth_dtype_t)message->type;
  arg->is_ref = message->is_ref != 0;
  BERTH_TRY(
      attr_index(schema, message, message->type_attr, &arg->type_attr, err));
  BERTH_TRY(attr_index(schema, message, message->type_list_attr,
                       &arg->list_attr, err));
  BERTH_TRY(attr_index(schema, message, message->number_attr, &arg->number_attr,
                       err));
  bool is_typed =
      berth_dtype_is_valid((int)arg->type) && (int)arg->type < BERTH_REF;
  if (!is_typed && arg->type_attr < 0 && arg->list_attr < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Missing type for argument '%s' of function '%s'",
                           arg->name, schema->name);
  }
  if (!is_typed) arg->type = BERTH_INVALID;
  return BERTH_OK;
}

static berth_code_t args_from_wire(const berth_op_schema_t *schema,
                                   arg_def_t *const *messages, size_t count,
                                   berth_arena_t *arena,
                                   const berth_arg_schema_t **out_args,
                                   berth_error_t *err) {
  berth_arg_schema_t *args = berth_arena_calloc(arena, count, sizeof *args);
  if (args == NULL) return berth_error_no_memory(err, "a schema");
  for (size_t i = 0; i < count; ++i) {
    BERTH_TRY(arg_from_wire(schema, messages[i], &args[i], err));
  }
  *out_args = args;
  return BERTH_OK;
}

// Fills |schema|; attributes come first, because arguments refer to them. What
// is there stays counted, so that a failure finds the tensors made so far.
static berth_code_t schema_fill(const op_def_t *message, berth_arena_t *arena,
                                berth_op_schema_t *schema, berth_error_t *err) {
  if (message->n_input_arg > INT16_MAX || message->n_output_arg > INT16_MAX ||
      message->n_attr > INT16_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Function '%s' has too many arguments",
                           message->name);
  }
  berth_attr_schema_t *attrs =
      berth_arena_calloc(arena, message->n_attr, sizeof *attrs);
  if (attrs == NULL) return berth_error_no_memory(err, "a schema");
  schema->attrs = attrs;
  for (size_t i = 0; i < message->n_attr; ++i) {
    ++schema->attr_count;
    BERTH_TRY(attr_from_wire(message->attr[i], arena, &attrs[i], err));
  }
  BERTH_TRY(args_from_wire(schema, message->input_arg, message->n_input_arg,
                           arena, &schema->inputs, err));
  BERTH_TRY(args_from_wire(schema, message->output_arg, message->n_output_arg,
                           arena, &schema->outputs, err));
  schema->input_count = (int16_t)message->n_input_arg;
  schema->output_count = (int16_t)message->n_output_arg;
  return BERTH_OK;
}

berth_code_t berth_op_schema_from_wire(const op_def_t *message,
                                       berth_arena_t *arena,
                                       berth_op_schema_t *out_schema,
                                       berth_error_t *err) {
  berth_op_schema_t schema = {
      .name = message->name,
      .is_stateful = message->is_stateful != 0,
      .is_aggregate = message->is_aggregate != 0,
      .is_commutative = message->is_commutative != 0,
      .allows_uninitialized_input = message->allows_uninitialized_input != 0,
      .is_distributed = message->is_distributed_communication != 0,
  };
  berth_code_t code = schema_fill(message, arena, &schema, err);
  if (code == BERTH_OK) {
    *out_schema = schema;
  } else {
    berth_op_schema_drop_tensors(&schema);
  }
  return code;
}

void berth_op_schema_drop_tensors(const berth_op_schema_t *schema) {
  for (int i = 0; i < schema->attr_count; ++i) {
    const berth_attr_value_t *value = schema->attrs[i].default_value;
    if (value != NULL) berth_attr_drop_tensors(value);
  }
}

// ---- To messages ----

// Messages have no constant members; nothing writes through these.
static char *text_lend(const char *text) { return (char *)(uintptr_t)text; }

value_t *berth_types_to_wire(berth_dtype_set_t types, const uint8_t *order,
                             int order_count, berth_arena_t *arena) {
  size_t most = (size_t)order_count + BERTH_DTYPE_COUNT;
  berth_dtype_t *list = berth_arena_alloc(arena, most * sizeof *list);
  if (list == NULL) return NULL;
  berth_attr_value_t value = {.kind = BERTH_ATTR_LIST + BERTH_ATTR_TYPE,
                              .type_list = list};
  for (int i = 0; i < order_count; ++i) {
    list[value.count++] = (berth_dtype_t)order[i];
  }
  for (int type = 0; order_count == 0 && type < BERTH_DTYPE_COUNT; ++type) {
    if ((types & BERTH_DTYPE_BIT(type)) == 0) continue;
    list[value.count++] = (berth_dtype_t)type;
  }
  value_t *message = NULL;
  return berth_attr_to_wire(&value, arena, &message, NULL) == BERTH_OK ? message
                                                                       : NULL;
}

value_t *berth_texts_to_wire(const char *const *texts, berth_arena_t *arena) {
  size_t count = 0;
  while (texts[count] != NULL) ++count;
  berth_attr_text_t *list = berth_arena_calloc(arena, count, sizeof *list);
  if (list == NULL) return NULL;
  for (size_t i = 0; i < count; ++i) {
    list[i] = (berth_attr_text_t){texts[i], strlen(texts[i])};
  }
  berth_attr_value_t value = {.kind = BERTH_ATTR_LIST + BERTH_ATTR_STRING,
                              .count = (int32_t)count,
                              .s_list = list};
  value_t *message = NULL;
  return berth_attr_to_wire(&value, arena, &message, NULL) == BERTH_OK ? message
                                                                       : NULL;
}

static arg_def_t *arg_to_wire(const berth_op_schema_t *schema,
                              const berth_arg_schema_t *arg,
                              berth_arena_t *arena) {
  arg_def_t *message =
      berth_message_new(&berth__wire__op_def__arg_def__descriptor, arena);
  if (message == NULL) return NULL;
  message->name = text_lend(arg->name);
  message->type = (Berth__Wire__DataType)arg->type;
  message->is_ref = arg->is_ref;
  if (arg->type_attr >= 0) {
    message->type_attr = text_lend(schema->attrs[arg->type_attr].name);
  }
  if (arg->list_attr >= 0) {
    message->type_list_attr = text_lend(schema->attrs[arg->list_attr].name);
  }
  if (arg->number_attr >= 0) {
    message->number_attr = text_lend(schema->attrs[arg->number_attr].name);
  }
  return message;
}

static attr_def_t *attr_to_wire(const berth_attr_schema_t *attr,
                                berth_arena_t *arena) {
  attr_def_t *message =
      berth_message_new(&berth__wire__op_def__attr_def__descriptor, arena);
  if (message == NULL) return NULL;
  message->name = text_lend(attr->name);
  message->type = text_lend(berth_attr_kind_name(attr->kind));
  message->has_minimum = attr->has_minimum;
  message->minimum = attr->minimum;
  if (attr->default_value != NULL &&
      berth_attr_to_wire(attr->default_value, arena, &message->default_value,
                         NULL) != BERTH_OK) {
    return NULL;
  }
  if (attr->allowed_types != 0) {
    message->allowed_values = berth_types_to_wire(
        attr->allowed_types, attr->allowed_order, attr->allowed_count, arena);
    if (message->allowed_values == NULL) return NULL;
  } else if (attr->allowed_strings != NULL) {
    message->allowed_values = berth_texts_to_wire(attr->allowed_strings, arena);
    if (message->allowed_values == NULL) return NULL;
  }
  return message;
}

// Fills the lists of |message|; false when memory is short.
static bool lists_to_wire(const berth_op_schema_t *schema, berth_arena_t *arena,
                          op_def_t *message) {
  size_t inputs = (size_t)schema->input_count;
  size_t outputs = (size_t)schema->output_count;
  size_t attrs = (size_t)schema->attr_count;
  message->input_arg = berth_arena_calloc(arena, inputs, sizeof(void *));
  message->output_arg = berth_arena_calloc(arena, outputs, sizeof(void *));
  message->attr = berth_arena_calloc(arena, attrs, sizeof(void *));
  if (message->input_arg == NULL || message->output_arg == NULL ||
      message->attr == NULL) {
    return false;
  }
  for (size_t i = 0; i < inputs; ++i) {
    message->input_arg[i] = arg_to_wire(schema, &schema->inputs[i], arena);
    if (message->input_arg[i] == NULL) return false;
  }
  for (size_t i = 0; i < outputs; ++i) {
    message->output_arg[i] = arg_to_wire(schema, &schema->outputs[i], arena);
    if (message->output_arg[i] == NULL) return false;
  }
  for (size_t i = 0; i < attrs; ++i) {
    message->attr[i] = attr_to_wire(&schema->attrs[i], arena);
    if (message->attr[i] == NULL) return false;
  }
  message->n_input_arg = inputs;
  message->n_output_arg = outputs;
  message->n_attr = attrs;
  return true;
}

berth_code_t berth_op_schema_to_wire(const berth_op_schema_t *schema,
                                     berth_arena_t *arena,
                                     op_def_t **out_message,
                                     berth_error_t *err) {
  op_def_t *message =
      berth_message_new(&berth__wire__op_def__descriptor, arena);
  if (message == NULL) return berth_error_no_memory(err, "an OpDef");
  message->name = text_lend(schema->name);
  message->is_stateful = schema->is_stateful;
  message->is_aggregate = schema->is_aggregate;
  message->is_commutative = schema->is_commutative;
  message->allows_uninitialized_input = schema->allows_uninitialized_input;
  message->is_distributed_communication = schema->is_distributed;
  if (schema->removed_in > 0) {
    message->deprecation =
        berth_message_new(&berth__wire__op_deprecation__descriptor, arena);
    if (message->deprecation == NULL) {
      return berth_error_no_memory(err, "an OpDef");
    }
    message->deprecation->version = schema->removed_in;
    if (schema->removed_text != NULL) {
      message->deprecation->explanation = text_lend(schema->removed_text);
    }
  }
  if (!lists_to_wire(schema, arena, message)) {
    return berth_error_no_memory(err, "an OpDef");
  }
  *out_message = message;
  return BERTH_OK;
}

// ---- Public ----

berth_code_t berth_op_schema_find(const char *op,
                                  const berth_op_schema_t **out_schema,
                                  berth_error_t *err) {
  *out_schema = berth_schema_find(op);
  if (*out_schema != NULL) return BERTH_OK;
  return berth_error_set(err, BERTH_NOT_FOUND, "Op type not registered '%s'",
                         op);
}

berth_code_t berth_op_schema_proto(const char *op, void **out_bytes,
                                   size_t *out_size, berth_error_t *err) {
  BERTH_GIVEN(op, err);
  BERTH_GIVEN(out_bytes, err);
  BERTH_GIVEN(out_size, err);
  const berth_op_schema_t *schema = NULL;
  BERTH_TRY(berth_op_schema_find(op, &schema, err));
  berth_arena_t arena = {0};
  op_def_t *message = NULL;
  berth_code_t code = berth_op_schema_to_wire(schema, &arena, &message, err);
  if (code == BERTH_OK) {
    code = berth_message_pack(&message->base, out_bytes, out_size, err);
  }
  berth_arena_clear(&arena);
  return code;
}
