// bind.c - What a node owns in a session.
#include "kernel/bind.h"

#include <string.h>

#include "kernel/handle.h"
#include "state/counter.h"
#include "state/generator.h"
#include "state/queue.h"
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

static berth_code_t bind_ref(const berth_node_t *node,
                             berth_container_t *container,
                             berth_resource_t **out_resource,
                             berth_error_t *err) {
  berth_variable_t *variable = NULL;
  BERTH_TRY(berth_bind_variable(node, container, berth_handle_key(node),
                                &variable, err));
  const berth_attr_value_t *shape = berth_node_attr(node, "shape");
  if (shape != NULL && shape->kind == BERTH_ATTR_SHAPE) {
    berth_code_t code = berth_variable_declare(variable, shape->shape, err);
    if (code != BERTH_OK) {
      berth_resource_release((berth_resource_t *)variable);
      return code;
    }
  }
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
      .is_shuffled = strcmp(node->op->name, "RandomShuffleQueueV2") == 0,
      .spared = berth_node_attr_int(node, "min_after_dequeue", 0),
      .seed = berth_node_attr_int(node, "seed", 0),
      .seed2 = berth_node_attr_int(node, "seed2", 0)};
  read_shapes(node, &options);
  berth_queue_t *queue = NULL;
  BERTH_TRY(berth_queue_get(container,
                            berth_node_attr_string(node, "container", ""),
                            berth_handle_key(node), &options, &queue, err));
  berth_container_mark(container);
  *out_resource = (berth_resource_t *)queue;
  return BERTH_OK;
}

// ---- The rest ----

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
      [BERTH_OWNS_GENERATOR] = bind_generator,
      [BERTH_OWNS_COUNTER] = bind_counter,
  };
  return binds[node->op->owns](node, container, out_resource, err);
}
