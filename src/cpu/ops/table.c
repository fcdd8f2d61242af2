// table.c - Kernels on tables from keys to values.
#include "state/table.h"

#include <string.h>

#include "base/str.h"
#include "cpu/kernels.h"
#include "kernel/handle.h"
#include "op/resource.h"
#include "op/table.h"
#include "state/container.h"

// ---- Making ----

static berth_code_t read_spec(const berth_call_t *call,
                              berth_table_spec_t *spec) {
  const berth_node_t *node = call->node;
  const char *name = node->op->name;
  const berth_attr_value_t *shape = berth_node_attr(node, "value_shape");
  memset(spec, 0, sizeof(*spec));
  spec->kind = strstr(name, "Dense") != NULL     ? BERTH_TABLE_DENSE
               : strstr(name, "Mutable") != NULL ? BERTH_TABLE_MUTABLE
                                                 : BERTH_TABLE_STATIC;
  spec->key_dtype = berth_node_attr_type(node, "key_dtype", BERTH_INT64);
  spec->value_dtype = berth_node_attr_type(node, "value_dtype", BERTH_INT64);
  if (spec->kind == BERTH_TABLE_DENSE) {
    spec->empty_key = call->inputs[0];
    spec->deleted_key = call->inputs[1];
    if (spec->empty_key->count != 1 || spec->deleted_key->count != 1) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Berth has tables whose keys are scalars only");
    }
  }
  if (shape == NULL) return BERTH_OK;
  for (int32_t i = 0; i < shape->shape.rank; ++i) {
    if (shape->shape.dims[i] < 0) shape = NULL;
    if (shape == NULL) break;
  }
  if (shape == NULL || shape->shape.rank < 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "the shape of a table's values must be known");
  }
  berth_shape_set(&spec->value_shape, shape->shape);
  return BERTH_OK;
}

static berth_code_t create(void *arg, berth_resource_t **out_resource,
                           berth_error_t *err) {
  return berth_table_create(arg, out_resource, err);
}

// Finds the table of a node in its session, or makes it.
static berth_code_t find_table(berth_call_t *call,
                               berth_resource_t **out_table) {
  const berth_node_t *node = call->node;
  berth_table_spec_t spec;
  BERTH_TRY(read_spec(call, &spec));
  if (strncmp(node->op->name, "Anonymous", 9) == 0) {
    return berth_table_create(&spec, out_table, call->err);
  }
  const char *key = berth_handle_key(node);
  BERTH_TRY(berth_container_find_or_create(
      call->container, berth_node_attr_string(node, "container", ""),
      BERTH_RESOURCE_TABLE, key, create, &spec, out_table, call->err));
  const berth_table_spec_t *has = berth_table_spec((berth_table_t *)*out_table);
  if (has->key_dtype == spec.key_dtype &&
      has->value_dtype == spec.value_dtype) {
    return BERTH_OK;
  }
  (void)berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "Conflicting key/value dtypes %s->%s with %s-%s for table %s",
      berth_dtype_name(spec.key_dtype), berth_dtype_name(spec.value_dtype),
      berth_dtype_name(has->key_dtype), berth_dtype_name(has->value_dtype),
      key);
  berth_resource_release(*out_table);
  return BERTH_INVALID_ARGUMENT;
}

static berth_code_t run_make(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  berth_resource_t *table = NULL;
  BERTH_TRY(find_table(call, &table));
  berth_handle_set(args[0], table);
  berth_resource_release(table);
  return BERTH_OK;
}

static berth_code_t prepare_make(berth_prepare_t *prepare, berth_error_t *err) {
  prepare->run = run_make;
  return berth_op_handle(&prepare->op, err);
}

static berth_code_t run_make_dense(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_resource_t *table = NULL;
  berth_tensor_t *out = NULL;
  BERTH_TRY(
      berth_tensor_make(NULL, BERTH_RESOURCE, 0, NULL, 1, &out, call->err));
  berth_code_t code = find_table(call, &table);
  if (code != BERTH_OK) {
    berth_tensor_release(out);
    return code;
  }
  berth_handle_set(out->data, table);
  berth_resource_release(table);
  call->outputs[0] = out;
  return BERTH_OK;
}

// ---- Checks ----

static berth_code_t get_table(const berth_call_t *call,
                              berth_table_t **out_table) {
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_handle_get(call->inputs[0]->data, BERTH_RESOURCE_TABLE,
                             &resource, call->err));
  *out_table = (berth_table_t *)resource;
  return BERTH_OK;
}

// Returns what messages call the type of the handle.
static const char *handle_type(const berth_call_t *call) {
  return call->node->op->inputs[0].is_ref ? "string_ref" : "resource";
}

// Gets the table and compares its types with those of keys and values, which
// stand behind the handle; |result| is the type that comes out, as text.
static berth_code_t open_table(const berth_call_t *call, bool is_find,
                               berth_table_t **out_table) {
  BERTH_TRY(get_table(call, out_table));
  const berth_table_spec_t *spec = berth_table_spec(*out_table);
  berth_dtype_t key = call->inputs[1]->dtype, value = call->inputs[2]->dtype;
  if (key == spec->key_dtype && value == spec->value_dtype) return BERTH_OK;
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "Signature mismatch, have: %s, %s, %s->%s expected: %s, %s, %s->%s",
      handle_type(call), berth_dtype_name(key), berth_dtype_name(value),
      is_find ? berth_dtype_name(value) : "", handle_type(call),
      berth_dtype_name(spec->key_dtype), berth_dtype_name(spec->value_dtype),
      is_find ? berth_dtype_name(spec->value_dtype) : "");
}

// Stores the shape of the values of |keys|; returns its rank, -1: too many.
static int32_t shape_of(const berth_table_t *table, const berth_tensor_t *keys,
                        int64_t dims[BERTH_MAX_RANK]) {
  const berth_shape_t *value = &berth_table_spec(table)->value_shape;
  int32_t rank = keys->rank + value->rank;
  if (rank > BERTH_MAX_RANK) return -1;
  for (int32_t i = 0; i < keys->rank; ++i) dims[i] = keys->dims[i];
  for (int32_t i = 0; i < value->rank; ++i) {
    dims[keys->rank + i] = value->dims[i];
  }
  return rank;
}

static bool has_shape(const berth_tensor_t *tensor, int32_t rank,
                      const int64_t *dims) {
  return tensor->rank == rank &&
         (rank == 0 ||
          memcmp(tensor->dims, dims, (size_t)rank * sizeof(*dims)) == 0);
}

// ---- Use ----

static berth_code_t fail_default(const berth_call_t *call,
                                 const berth_shape_t *one, berth_dims_t each) {
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT], c[BERTH_DIMS_TEXT];
  const berth_tensor_t *has = call->inputs[2];
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "Expected shape %s or %s for default value, got %s",
      berth_dims_text(berth_shape_dims(one), a), berth_dims_text(each, b),
      berth_dims_text((berth_dims_t){has->rank, has->dims}, c));
}

static berth_code_t run_find(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_table_t *table = NULL;
  BERTH_TRY(open_table(call, true, &table));
  const berth_table_spec_t *spec = berth_table_spec(table);
  const berth_tensor_t *keys = call->inputs[1], *other = call->inputs[2];
  int64_t dims[BERTH_MAX_RANK] = {0};
  int32_t rank = shape_of(table, keys, dims);
  bool is_one =
      has_shape(other, spec->value_shape.rank, spec->value_shape.dims);
  bool is_static = spec->kind == BERTH_TABLE_STATIC && other->count > 0;
  if (rank < 0 || !(is_static || is_one || has_shape(other, rank, dims))) {
    return fail_default(call, &spec->value_shape,
                        (berth_dims_t){rank < 0 ? 0 : rank, dims});
  }
  berth_tensor_t *out = NULL;
  BERTH_TRY(berth_tensor_make(call->allocator, spec->value_dtype, rank, dims,
                              keys->count * berth_table_width(table), &out,
                              call->err));
  berth_code_t code =
      berth_table_find(table, keys, other, out->data, call->err);
  if (code == BERTH_OK) {
    call->outputs[0] = out;
  } else {
    berth_tensor_release(out);
  }
  return code;
}

static berth_code_t check_values(const berth_table_t *table,
                                 const berth_call_t *call) {
  const berth_tensor_t *values = call->inputs[2];
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  int64_t dims[BERTH_MAX_RANK] = {0};
  int32_t rank = shape_of(table, call->inputs[1], dims);
  if (has_shape(values, rank, dims)) return BERTH_OK;
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT, "Expected shape %s for value, got %s",
      berth_dims_text((berth_dims_t){rank < 0 ? 0 : rank, dims}, a),
      berth_dims_text((berth_dims_t){values->rank, values->dims}, b));
}

static berth_code_t fail_static(const berth_call_t *call, const char *what) {
  return berth_error_set(
      call->err, BERTH_UNIMPLEMENTED,
      "%s not supported by InitializableLookupTable implementations", what);
}

static berth_code_t put_pairs(berth_call_t *call, bool is_import) {
  berth_table_t *table = NULL;
  BERTH_TRY(open_table(call, false, &table));
  BERTH_TRY(check_values(table, call));
  bool is_static = berth_table_spec(table)->kind == BERTH_TABLE_STATIC;
  if (is_static && !is_import) return fail_static(call, "Insert");
  if (is_static) {
    return berth_table_fill(table, call->inputs[1], call->inputs[2], call->err);
  }
  return berth_table_insert(table, call->inputs[1], call->inputs[2], is_import,
                            call->err);
}

static berth_code_t run_insert(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  return put_pairs(call, false);
}

static berth_code_t run_import(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  return put_pairs(call, true);
}

static berth_code_t check_vector(const berth_call_t *call, int index,
                                 const char *what) {
  const berth_tensor_t *in = call->inputs[index];
  char text[BERTH_DIMS_TEXT];
  if (in->rank == 1) return BERTH_OK;
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "%s must be a vector, but received shape%s", what,
      berth_dims_text((berth_dims_t){in->rank, in->dims}, text));
}

static berth_code_t run_initialize(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_table_t *table = NULL;
  BERTH_TRY(get_table(call, &table));
  if (berth_table_spec(table)->kind != BERTH_TABLE_STATIC) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Table is not initializable");
  }
  BERTH_TRY(open_table(call, false, &table));
  BERTH_TRY(check_vector(call, 1, "Keys"));
  BERTH_TRY(check_vector(call, 2, "Values"));
  const berth_tensor_t *keys = call->inputs[1], *values = call->inputs[2];
  if (keys->count != values->count) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Keys and values must have the same size %lld vs "
                           "%lld",
                           (long long)keys->count, (long long)values->count);
  }
  return berth_table_fill(table, keys, values, call->err);
}

static berth_code_t run_remove(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_table_t *table = NULL;
  BERTH_TRY(get_table(call, &table));
  const berth_table_spec_t *spec = berth_table_spec(table);
  const berth_tensor_t *keys = call->inputs[1];
  if (keys->dtype != spec->key_dtype) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Signature mismatch, have: resource, %s-> expected: "
                           "resource, %s->",
                           berth_dtype_name(keys->dtype),
                           berth_dtype_name(spec->key_dtype));
  }
  if (spec->kind == BERTH_TABLE_STATIC) return fail_static(call, "Remove");
  return berth_table_remove(table, keys, call->err);
}

static berth_code_t run_size(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_table_t *table = NULL;
  BERTH_TRY(get_table(call, &table));
  BERTH_TRY(berth_tensor_make(NULL, BERTH_INT64, 0, NULL, 1, &call->outputs[0],
                              call->err));
  *(int64_t *)call->outputs[0]->data = berth_table_size(table);
  return BERTH_OK;
}

static berth_code_t run_export(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_table_t *table = NULL;
  BERTH_TRY(get_table(call, &table));
  const berth_table_spec_t *spec = berth_table_spec(table);
  const berth_dtype_t *types = call->node->output_types;
  if (types[0] != spec->key_dtype || types[1] != spec->value_dtype) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Signature mismatch, have: %s->%s, %s expected: %s->%s, %s",
        handle_type(call), berth_dtype_name(types[0]),
        berth_dtype_name(types[1]), handle_type(call),
        berth_dtype_name(spec->key_dtype), berth_dtype_name(spec->value_dtype));
  }
  return berth_table_export(table, &call->outputs[0], &call->outputs[1],
                            call->err);
}

#define PREPARE(name)                                          \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    prepare->run = run_##name;                                 \
    prepare->work = 1000;                                      \
    return berth_op_on_table(&prepare->op, err);               \
  }

PREPARE(make_dense)
PREPARE(find)
PREPARE(insert)
PREPARE(import)
PREPARE(initialize)
PREPARE(remove)
PREPARE(size)
PREPARE(export)

// Also of ops whose handles are resources (op/name.h).
const berth_kernel_t berth_cpu_table_kernels[] = {
    {.op = "AnonymousHashTable", .prepare = prepare_make},
    {.op = "AnonymousMutableDenseHashTable", .prepare = prepare_make_dense},
    {.op = "AnonymousMutableHashTable", .prepare = prepare_make},
    {.op = "AnonymousMutableHashTableOfTensors", .prepare = prepare_make},
    {.op = "HashTable", .prepare = prepare_make},
    {.op = "InitializeTable", .prepare = prepare_initialize},
    {.op = "LookupTableExport", .prepare = prepare_export},
    {.op = "LookupTableFind", .prepare = prepare_find},
    {.op = "LookupTableImport", .prepare = prepare_import},
    {.op = "LookupTableInsert", .prepare = prepare_insert},
    {.op = "LookupTableRemoveV2", .prepare = prepare_remove},
    {.op = "LookupTableSize", .prepare = prepare_size},
    {.op = "MutableDenseHashTableV2", .prepare = prepare_make_dense},
    {.op = "MutableHashTable", .prepare = prepare_make},
    {.op = "MutableHashTableOfTensors", .prepare = prepare_make},
    {.op = NULL},
};
