// variable.c - Variables: a name and a value that changes.
#include "state/variable.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "device/device.h"
#include "state/spill.h"
#include "state/variable_internal.h"

static void variable_destroy(berth_resource_t *resource) {
  berth_variable_t *variable = (berth_variable_t *)resource;
  berth_spill_remove(variable);
  berth_spill_forget(variable);
  berth_tensor_release(variable->value);
  berth_mutex_deinit(&variable->lock);
  berth_mutex_deinit(&variable->lent_lock);
  berth_cond_deinit(&variable->is_given_back);
  berth_free(variable->declared);
  berth_free(variable->name);
  berth_free(variable);
}

// What a new variable is made from.
typedef struct wanted {
  const char *name;
  berth_dtype_t dtype;
} wanted_t;

static berth_code_t variable_create(void *arg, berth_resource_t **out_resource,
                                    berth_error_t *err) {
  const wanted_t *wanted = arg;
  berth_variable_t *variable = berth_calloc(1, sizeof(*variable));
  char *name = berth_strdup(wanted->name);
  if (variable == NULL || name == NULL) {
    berth_free(variable);
    berth_free(name);
    return berth_error_no_memory(err, "a variable");
  }
  atomic_init(&variable->resource.refs, 1);
  variable->resource.kind = BERTH_RESOURCE_VARIABLE;
  variable->resource.destroy = variable_destroy;
  berth_mutex_init(&variable->lock);
  berth_mutex_init(&variable->lent_lock);
  berth_cond_init(&variable->is_given_back);
  variable->dtype = wanted->dtype;
  variable->name = name;
  berth_spill_add(variable);
  *out_resource = &variable->resource;
  return BERTH_OK;
}

berth_code_t berth_variable_get(berth_container_t *container,
                                const char *container_name, const char *key,
                                berth_dtype_t dtype,
                                berth_variable_t **out_variable,
                                berth_error_t *err) {
  wanted_t wanted = {key, dtype};
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_container_find_or_create(
      container, container_name, BERTH_RESOURCE_VARIABLE, key, variable_create,
      &wanted, &resource, err));
  *out_variable = (berth_variable_t *)resource;
  return BERTH_OK;
}

const char *berth_variable_name(const berth_variable_t *variable) {
  return variable->name;
}

berth_dtype_t berth_variable_dtype(const berth_variable_t *variable) {
  return variable->dtype;
}

berth_code_t berth_variable_declare(berth_variable_t *variable,
                                    berth_dims_t shape, berth_error_t *err) {
  if (shape.rank >= 0) atomic_store(&variable->is_declared, true);
  if (shape.rank <= 0) return BERTH_OK;
  size_t size = (size_t)shape.rank * sizeof(int64_t);
  int64_t *dims = berth_alloc(size);
  if (dims == NULL) return berth_error_no_memory(err, "a variable");
  memcpy(dims, shape.dims, size);
  berth_mutex_lock(&variable->lock);
  if (variable->declared == NULL) {
    variable->declared = dims;
    variable->declared_rank = shape.rank;
    dims = NULL;
  }
  berth_mutex_unlock(&variable->lock);
  berth_free(dims);
  return BERTH_OK;
}

berth_dims_t berth_variable_declared(berth_variable_t *variable) {
  berth_mutex_lock(&variable->lock);
  berth_dims_t shape = {variable->declared_rank, variable->declared};
  berth_mutex_unlock(&variable->lock);
  return shape;
}

bool berth_variable_is_declared(berth_variable_t *variable) {
  return atomic_load(&variable->is_declared);
}

bool berth_variable_get_shape(berth_variable_t *variable,
                              berth_shape_t *out_shape) {
  berth_mutex_lock(&variable->lock);
  bool has_value = variable->value != NULL;
  if (has_value) berth_shape_set(out_shape, berth_tensor_dims(variable->value));
  berth_mutex_unlock(&variable->lock);
  return has_value;
}

berth_tensor_t *berth_variable_read(berth_variable_t *variable) {
  for (;;) {
    berth_mutex_lock(&variable->lock);
    bool is_away = atomic_load(&variable->away_from) != NULL;
    berth_tensor_t *value = variable->value != NULL && !is_away
                                ? berth_tensor_retain(variable->value)
                                : NULL;
    berth_mutex_unlock(&variable->lock);
    atomic_store_explicit(&variable->read_at, berth_spill_clock(),
                          memory_order_relaxed);
    if (BERTH_LIKELY(!is_away)) return value;
    if (berth_spill_return(variable, NULL) != BERTH_OK) return NULL;
  }
}

bool berth_variable_is_initialized(berth_variable_t *variable) {
  berth_mutex_lock(&variable->lock);
  bool is_initialized = variable->value != NULL;
  berth_mutex_unlock(&variable->lock);
  return is_initialized;
}

// Swaps |value| in, taking over the reference.
static void swap_value(berth_variable_t *variable, berth_tensor_t *value) {
  berth_mutex_lock(&variable->lock);
  berth_spill_forget(variable);
  berth_tensor_t *old = variable->value;
  variable->value = value;
  berth_mutex_unlock(&variable->lock);
  berth_tensor_release(old);
}

void berth_variable_assign(berth_variable_t *variable, berth_tensor_t *tensor) {
  swap_value(variable, berth_tensor_retain(tensor));
}

void berth_variable_reset(berth_variable_t *variable) {
  swap_value(variable, NULL);
}

berth_code_t berth_variable_check_update(const berth_tensor_t *value,
                                         berth_dtype_t dtype, berth_dims_t dims,
                                         bool is_ref, berth_error_t *err) {
  berth_dims_t has = berth_tensor_dims(value);
  if (berth_dims_equal(has, dims) && value->dtype == dtype) return BERTH_OK;
  if (is_ref) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Parameters and update must be the same size");
  }
  char text_has[BERTH_DIMS_TEXT], text_given[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Cannot update variable with shape %s using a Tensor "
                         "with shape %s, shapes must be equal.",
                         berth_dims_text(has, text_has),
                         berth_dims_text(dims, text_given));
}

const char *berth_variable_lookup_text(const berth_variable_t *variable,
                                       berth_container_t *container,
                                       char text[BERTH_LOOKUP_TEXT]) {
  if (berth_container_is_marked(container)) {
    snprintf(text, BERTH_LOOKUP_TEXT,
             "Resource localhost/%.400s/N10tensorflow3VarE does not exist.",
             variable->name);
  } else {
    snprintf(text, BERTH_LOOKUP_TEXT,
             "Container localhost does not exist. (Could not find resource: "
             "localhost/%.400s)",
             variable->name);
  }
  return text;
}

berth_code_t berth_variable_check_device(const berth_variable_t *variable,
                                         const berth_tensor_t *value,
                                         const berth_device_t *device,
                                         berth_error_t *err) {
  if (value->device == device) return BERTH_OK;
  return berth_error_set(
      err, BERTH_FAILED_PRECONDITION,
      "The value of variable %s is on %s and cannot be used on %s: give "
      "variables on different devices different names",
      berth_variable_name(variable),
      value->device != NULL ? berth_device_full_name(value->device)
                            : "the host",
      berth_device_full_name(device));
}

berth_code_t berth_variable_fail_away(const berth_variable_t *variable,
                                      berth_error_t *err) {
  const berth_device_t *device = atomic_load(&variable->away_from);
  if (device == NULL) return BERTH_OK;
  return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                         "variable %s waits on the host, because %s was full, "
                         "and there is still no room to bring it back",
                         variable->name, berth_device_full_name(device));
}

berth_code_t berth_variable_fail_update(const berth_variable_t *variable,
                                        berth_container_t *container,
                                        bool is_ref, berth_error_t *err) {
  BERTH_TRY(berth_variable_fail_away(variable, err));
  char text[BERTH_LOOKUP_TEXT];
  if (is_ref) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "Attempting to use uninitialized value %s",
                           variable->name);
  }
  return berth_error_set(err, BERTH_NOT_FOUND, "%s",
                         berth_variable_lookup_text(variable, container, text));
}
