// support.c - Which device types can run a node, as TensorFlow registers it.
//
// The answer depends on the op and on the few attributes that its registrations
// constrain; it is worked out once for each combination. A type that has no
// fitting registration of its own falls back to the DEFAULT ones.
#include <string.h>

#include "base/alloc.h"
#include "graph/registration.h"
#include "place/place_internal.h"

// ---- Facts about ops ----

static bool has_suffix(const char *text, size_t size, const char *suffix) {
  size_t length = strlen(suffix);
  return size >= length && memcmp(text + size - length, suffix, length) == 0;
}

// True for the ops that make datasets: one variant output, a name that ends in
// Dataset, or in DatasetV and a number.
static bool is_dataset(const berth_op_schema_t *schema) {
  if (schema->output_count != 1 || schema->outputs[0].type != BERTH_VARIANT) {
    return false;
  }
  size_t size = strlen(schema->name), digits = 0;
  while (digits < size && schema->name[size - 1 - digits] >= '0' &&
         schema->name[size - 1 - digits] <= '9') {
    ++digits;
  }
  return has_suffix(schema->name, size, "Dataset") ||
         (digits > 0 && has_suffix(schema->name, size - digits, "DatasetV")) ||
         strcmp(schema->name, "DatasetFromGraph") == 0;
}

static bool takes_function(const berth_op_schema_t *schema) {
  for (int i = 0; i < schema->attr_count; ++i) {
    if (schema->attrs[i].kind == BERTH_ATTR_FUNC) return true;
  }
  return false;
}

// True for the ops that hand their resources on without looking at them.
static bool is_exempt(const berth_op_schema_t *schema) {
  static const char *const names[] = {
      "PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall",
      "IdentityN",       "ReduceDataset",           "DeleteMultiDeviceIterator",
  };
  for (int i = 0; i < BERTH_COUNT_OF(names); ++i) {
    if (strcmp(schema->name, names[i]) == 0) return true;
  }
  return is_dataset(schema) && takes_function(schema);
}

// True when some input may be of type |dtype|.
static bool may_take(const berth_op_schema_t *schema, berth_dtype_t dtype) {
  for (int i = 0; i < schema->input_count; ++i) {
    const berth_arg_schema_t *arg = &schema->inputs[i];
    int attr = arg->type_attr >= 0 ? arg->type_attr : arg->list_attr;
    berth_dtype_set_t allowed =
        attr >= 0 ? schema->attrs[attr].allowed_types : 0;
    if (arg->type == dtype) return true;
    if (attr >= 0 && (allowed == 0 || (allowed & BERTH_DTYPE_BIT(dtype)))) {
      return true;
    }
  }
  return false;
}

static bool takes_ref(const berth_op_schema_t *schema) {
  for (int i = 0; i < schema->input_count; ++i) {
    if (schema->inputs[i].is_ref) return true;
  }
  return false;
}

static void add_constrained(berth_place_op_t *op, int16_t attr) {
  if (op->constrained_count < 0) return;
  for (int i = 0; i < op->constrained_count; ++i) {
    if (op->constrained[i] == attr) return;
  }
  if (op->constrained_count == BERTH_PLACE_MAX_CONSTRAINED) {
    op->constrained_count = -1;
  } else {
    op->constrained[op->constrained_count++] = attr;
  }
}

static void describe_op(const berth_op_schema_t *schema, berth_place_op_t *op) {
  *op = (berth_place_op_t){.schema = schema, .first_support = -1};
  op->takes_ref = takes_ref(schema);
  op->takes_resource = may_take(schema, BERTH_RESOURCE);
  op->takes_variant = may_take(schema, BERTH_VARIANT);
  op->is_exempt = is_exempt(schema);
  op->is_dataset = is_dataset(schema);
  op->is_identity = strcmp(schema->name, "Identity") == 0 ||
                    strcmp(schema->name, "RefIdentity") == 0;
  for (int i = 0; i < schema->registration_count; ++i) {
    const berth_registration_t *registration = &schema->registrations[i];
    if (registration->device != BERTH_FOR_CPU) op->has_gpu_kernel = true;
    for (int j = 0; j < registration->constraint_count; ++j) {
      const berth_constraint_t *constraint = &registration->constraints[j];
      // Outcomes are remembered by types; few ops depend on a text.
      if (constraint->texts != NULL) op->constrained_count = -1;
      add_constrained(op, constraint->attr);
    }
  }
}

static berth_code_t add_op(berth_place_ops_t *ops,
                           const berth_op_schema_t *schema, int32_t *out_index,
                           berth_error_t *err) {
  size_t size = strlen(schema->name);
  int64_t *known = berth_map_find(&ops->by_name, schema->name, size);
  if (known != NULL && ops->items[*known].schema == schema) {
    *out_index = (int32_t)*known;
    return BERTH_OK;
  }
  berth_place_op_t *items =
      berth_grow(ops->items, ops->count, &ops->capacity, sizeof(*items));
  if (items == NULL) return berth_error_no_memory(err, "facts about ops");
  ops->items = items;
  if (!berth_map_set(&ops->by_name, schema->name, size, (int64_t)ops->count)) {
    return berth_error_no_memory(err, "facts about ops");
  }
  describe_op(schema, &ops->items[ops->count]);
  *out_index = (int32_t)ops->count++;
  return BERTH_OK;
}

static berth_code_t find_op(berth_place_ops_t *ops,
                            const berth_op_schema_t *schema, int32_t *out_index,
                            berth_error_t *err) {
  size_t slot = ((uintptr_t)schema >> 4) % BERTH_PLACE_CACHE;
  if (ops->recent[slot].schema != schema) {
    int32_t index = 0;
    BERTH_TRY(add_op(ops, schema, &index, err));
    ops->recent[slot].schema = schema;
    ops->recent[slot].index = index;
  }
  *out_index = ops->recent[slot].index;
  return BERTH_OK;
}

void berth_place_ops_deinit(berth_place_ops_t *ops) {
  berth_free(ops->items);
  berth_free(ops->supports);
  berth_map_clear(&ops->by_name);
  *ops = (berth_place_ops_t){0};
}

// ---- Types ----

static const berth_registration_t *find_for_type(const berth_placer_t *placer,
                                                 const berth_node_t *node,
                                                 int type) {
  berth_registered_for_t device = BERTH_FOR_DEFAULT;
  if (type == placer->types.gpu) device = BERTH_FOR_GPU;
  if (type == placer->types.cpu) device = BERTH_FOR_CPU;
  return berth_registration_find(node, device);
}

static berth_code_t work_out(berth_placer_t *placer, const berth_node_t *node,
                             int32_t *out_types, berth_error_t *err) {
  if (node->op->is_function) {
    *out_types = BERTH_TYPES_ALL;
    return BERTH_OK;
  }
  berth_type_list_t list = {0};
  for (int i = 0; i < placer->types.count; ++i) {
    const berth_registration_t *found = find_for_type(placer, node, i);
    if (found == NULL) continue;
    list.types[list.count] = (uint8_t)i;
    list.priorities[list.count++] = found->priority;
  }
  return berth_place_types_add(&placer->types, &list, out_types, err);
}

static berth_code_t remember(berth_place_ops_t *ops, berth_place_op_t *op,
                             const berth_dtype_set_t *values, int32_t types,
                             berth_error_t *err) {
  berth_place_support_t *supports =
      berth_grow(ops->supports, ops->support_count, &ops->support_capacity,
                 sizeof(*supports));
  if (supports == NULL) return berth_error_no_memory(err, "facts about ops");
  ops->supports = supports;
  berth_place_support_t *support = &supports[ops->support_count];
  *support = (berth_place_support_t){.types = types, .next = op->first_support};
  memcpy(support->values, values, sizeof(support->values));
  op->first_support = (int32_t)ops->support_count++;
  return BERTH_OK;
}

// Returns the types remembered for |values|, or -1.
static int32_t recall(const berth_place_ops_t *ops, const berth_place_op_t *op,
                      const berth_dtype_set_t *values) {
  for (int32_t i = op->first_support; i >= 0; i = ops->supports[i].next) {
    if (memcmp(ops->supports[i].values, values,
               sizeof(ops->supports[i].values)) == 0) {
      return ops->supports[i].types;
    }
  }
  return -1;
}

berth_code_t berth_place_support(berth_placer_t *placer,
                                 const berth_node_t *node, bool has_private,
                                 int32_t *out_op, int32_t *out_types,
                                 berth_error_t *err) {
  berth_place_ops_t *ops = &placer->ops;
  BERTH_TRY(find_op(ops, node->op, out_op, err));
  berth_place_op_t *op = &ops->items[*out_op];
  if (op->constrained_count < 0 ||
      (has_private && berth_node_kernel_label(node)[0] != '\0')) {
    return work_out(placer, node, out_types, err);
  }
  berth_dtype_set_t values[BERTH_PLACE_MAX_CONSTRAINED] = {0};
  for (int i = 0; i < op->constrained_count; ++i) {
    values[i] = berth_node_attr_types(node, op->constrained[i]);
  }
  *out_types = recall(ops, op, values);
  if (*out_types >= 0) return BERTH_OK;
  BERTH_TRY(work_out(placer, node, out_types, err));
  return remember(ops, op, values, *out_types, err);
}
