// bind.c - What a node owns in a session.
#include "kernel/bind.h"

#include <string.h>

#include "base/alloc.h"
#include "kernel/handle.h"
#include "state/accumulator.h"
#include "state/counter.h"
#include "state/generator.h"
#include "state/queue.h"
#include "state/routine.h"
#include "state/variable.h"

// ---- Variables ----

berth_code_t berth_bind_variable(const berth_node_t *node,
                                 berth_container_t *container, const char *key,
                                 berth_variable_t **out_variable,
                                 berth_error_t *err) {
  berth_dtype_t dtype =
      berth_dtype_base(berth_node_attr_type(node, "dtype", BERTH_INVALID));
  return berth_variable_get(container,
                            berth_node_attr_string(node, "container", ""), key,
                            dtype, out_variable, err);
}

// Tells |variable| which shape |node| declares, if it does; takes away the
// caller's reference on failure.
static berth_code_t declare(const berth_node_t *node,
                            berth_variable_t *variable, berth_error_t *err) {
  const berth_attr_value_t *shape = berth_node_attr(node, "shape");
  if (shape == NULL || shape->kind != BERTH_ATTR_SHAPE) return BERTH_OK;
  berth_code_t code = berth_variable_declare(variable, shape->shape, err);
  if (code != BERTH_OK) berth_resource_release((berth_resource_t *)variable);
  return code;
}

static berth_code_t bind_ref(const berth_node_t *node,
                             berth_container_t *container,
                             berth_resource_t **out_resource,
                             berth_error_t *err) {
  berth_variable_t *variable = NULL;
  BERTH_TRY(berth_bind_variable(node, container, berth_handle_key(node),
                                &variable, err));
  BERTH_TRY(declare(node, variable, err));
  berth_container_mark(container);
  *out_resource = (berth_resource_t *)variable;
  return BERTH_OK;
}

// Handles are found by their shared name alone, even when that is empty.
static berth_code_t bind_handle(const berth_node_t *node,
                                berth_container_t *container,
                                berth_resource_t **out_resource,
                                berth_error_t *err) {
  const char *key = berth_node_attr_string(node, "shared_name", "");
  if (strcmp(key, BERTH_ANONYMOUS) == 0) {
    *out_resource = NULL;
    return BERTH_OK;
  }
  berth_variable_t *variable = NULL;
  BERTH_TRY(berth_bind_variable(node, container, key, &variable, err));
  BERTH_TRY(declare(node, variable, err));
  *out_resource = (berth_resource_t *)variable;
  return BERTH_OK;
}

// ---- Queues ----

// Fills the shapes of |options| from the node's attribute.
static void read_shapes(const berth_node_t *node,
                        berth_queue_options_t *options) {
  const berth_attr_value_t *shapes = berth_node_attr(node, "shapes");
  if (shapes == NULL || shapes->count == 0) return;
  options->shape_count = shapes->count;
  options->shapes = shapes->shape_list;
}

// A staging area is a queue that both its ends name, of no size unless it is
// told one.
static berth_code_t read_stage(const berth_node_t *node,
                               berth_queue_options_t *options,
                               berth_error_t *err) {
  const berth_attr_value_t *types = berth_node_attr(node, "dtypes");
  options->component_count = types->count;
  options->types = types->type_list;
  if (options->capacity == 0) options->capacity = -1;
  if (berth_node_attr_int(node, "memory_limit", 0) == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_UNIMPLEMENTED,
                         "%s has a memory_limit, which Berth does not have for "
                         "staging areas: give it a capacity",
                         node->name);
}

// A mutex is a queue with room for what one holder puts in.
static void describe_mutex(berth_queue_options_t *options) {
  static const berth_dtype_t token = BERTH_BOOL;
  options->capacity = 1;
  options->component_count = 1;
  options->types = &token;
}

// Finds or makes the queue of |node|.
static berth_code_t queue_get(const berth_node_t *node,
                              berth_container_t *container,
                              const berth_queue_options_t *options,
                              berth_resource_t **out_resource,
                              berth_error_t *err) {
  berth_queue_t *queue = NULL;
  BERTH_TRY(berth_queue_get(container,
                            berth_node_attr_string(node, "container", ""),
                            berth_handle_key(node), options, &queue, err));
  berth_container_mark(container);
  *out_resource = (berth_resource_t *)queue;
  return BERTH_OK;
}

// Makes the queue of |node| with a priority, an int64 scalar, in front of the
// components that it names.
static berth_code_t bind_ordered(const berth_node_t *node,
                                 berth_container_t *container,
                                 berth_queue_options_t *options,
                                 berth_resource_t **out_resource,
                                 berth_error_t *err) {
  size_t count = (size_t)options->component_count + 1;
  size_t shape_count = (size_t)options->shape_count + 1;
  berth_dtype_t *types = berth_calloc(count, sizeof(*types));
  berth_dims_t *shapes = berth_calloc(shape_count, sizeof(*shapes));
  berth_code_t code = BERTH_OK;
  if (types == NULL || shapes == NULL) {
    code = berth_error_no_memory(err, "a queue");
    goto done;
  }
  types[0] = BERTH_INT64;
  for (int i = 0; i < options->component_count; ++i) {
    types[i + 1] = options->types[i];
  }
  for (int i = 0; i < options->shape_count; ++i) {
    shapes[i + 1] = options->shapes[i];
  }
  options->component_count = (int)count;
  options->types = types;
  options->shape_count = (int)shape_count;
  options->shapes = shapes;
  code = queue_get(node, container, options, out_resource, err);
done:
  berth_free(types);
  berth_free(shapes);
  return code;
}

// True for an op called |name|, whether its handles are resources or references.
static bool is_kind(const berth_node_t *node, const char *name) {
  return strncmp(node->op->name, name, strlen(name)) == 0;
}

static berth_code_t bind_queue(const berth_node_t *node,
                               berth_container_t *container,
                               berth_resource_t **out_resource,
                               berth_error_t *err) {
  const berth_attr_value_t *types = berth_node_attr(node, "component_types");
  const char *shared = berth_node_attr_string(node, "shared_name", "");
  berth_queue_options_t options = {
      .capacity = berth_node_attr_int(node, "capacity", -1),
      .component_count = types != NULL ? types->count : 0,
      .types = types != NULL ? types->type_list : NULL,
      .is_shared = shared[0] != '\0',
      .is_shuffled = is_kind(node, "RandomShuffleQueue"),
      .spared = berth_node_attr_int(node, "min_after_dequeue", 0),
      .seed = berth_node_attr_int(node, "seed", 0),
      .seed2 = berth_node_attr_int(node, "seed2", 0),
      .is_padded = is_kind(node, "PaddingFIFOQueue"),
      .is_ordered = is_kind(node, "PriorityQueue")};
  read_shapes(node, &options);
  if (is_kind(node, "Mutex")) {
    describe_mutex(&options);
  } else if (types == NULL) {
    BERTH_TRY(read_stage(node, &options, err));
  }
  if (options.is_ordered) {
    return bind_ordered(node, container, &options, out_resource, err);
  }
  return queue_get(node, container, &options, out_resource, err);
}

// ---- The rest ----

static berth_code_t bind_accumulator(const berth_node_t *node,
                                     berth_container_t *container,
                                     berth_resource_t **out_resource,
                                     berth_error_t *err) {
  const berth_attr_value_t *shape = berth_node_attr(node, "shape");
  const char *reduction = berth_node_attr_string(node, "reduction_type", "");
  berth_accumulator_options_t options = {
      .dtype = berth_node_attr_type(node, "dtype", BERTH_INVALID),
      .shape = shape != NULL ? shape->shape : (berth_dims_t){-1, NULL},
      .is_sparse = is_kind(node, "Sparse"),
      .is_mean = strcmp(reduction, "MEAN") == 0};
  berth_accumulator_t *accumulator = NULL;
  BERTH_TRY(berth_accumulator_get(
      container, berth_node_attr_string(node, "container", ""),
      berth_handle_key(node), &options, &accumulator, err));
  berth_container_mark(container);
  *out_resource = (berth_resource_t *)accumulator;
  return BERTH_OK;
}

static berth_code_t bind_generator(const berth_node_t *node,
                                   berth_container_t *container,
                                   berth_resource_t **out_resource,
                                   berth_error_t *err) {
  berth_generator_t *generator = NULL;
  BERTH_TRY(berth_generator_get(
      container, "", node->name, berth_node_attr_int(node, "seed", 0),
      berth_node_attr_int(node, "seed2", 0), &generator, err));
  *out_resource = (berth_resource_t *)generator;
  return BERTH_OK;
}

static berth_code_t bind_counter(const berth_node_t *node,
                                 berth_container_t *container,
                                 berth_resource_t **out_resource,
                                 berth_error_t *err) {
  (void)node;
  (void)container;
  return berth_counter_create(out_resource, err);
}

static berth_code_t bind_function(const berth_node_t *node,
                                  berth_container_t *container,
                                  berth_resource_t **out_resource,
                                  berth_error_t *err) {
  const berth_attr_value_t *value = berth_node_attr(node, "f");
  if (value == NULL || value->kind != BERTH_ATTR_FUNC) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Node %s (%s) names no function", node->name,
                           node->op->name);
  }
  berth_routine_t *routine = NULL;
  BERTH_TRY(berth_routine_make(container, value->func->name, &routine, err));
  *out_resource = &routine->resource;
  return BERTH_OK;
}

static berth_code_t bind_nothing(const berth_node_t *node,
                                 berth_container_t *container,
                                 berth_resource_t **out_resource,
                                 berth_error_t *err) {
  (void)node;
  (void)container;
  (void)err;
  *out_resource = NULL;
  return BERTH_OK;
}

berth_code_t berth_bind(const berth_node_t *node, berth_container_t *container,
                        berth_resource_t **out_resource, berth_error_t *err) {
  static berth_code_t (*const binds[])(const berth_node_t *,
                                       berth_container_t *, berth_resource_t **,
                                       berth_error_t *) = {
      [BERTH_OWNS_NOTHING] = bind_nothing,
      [BERTH_OWNS_REFERENCE] = bind_ref,
      [BERTH_OWNS_HANDLE] = bind_handle,
      [BERTH_OWNS_QUEUE] = bind_queue,
      [BERTH_OWNS_ACCUMULATOR] = bind_accumulator,
      [BERTH_OWNS_GENERATOR] = bind_generator,
      [BERTH_OWNS_COUNTER] = bind_counter,
      [BERTH_OWNS_FUNCTION] = bind_function,
  };
  return binds[node->op->owns](node, container, out_resource, err);
}
