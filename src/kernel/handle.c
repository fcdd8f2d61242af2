// handle.c - Resources behind the arguments of kernels, and behind nodes.
#include "kernel/handle.h"

#include <string.h>

#include "op/resource.h"
#include "state/queue.h"
#include "state/stack.h"
#include "state/tensor_array.h"
#include "state/variable.h"
#include "tensor/string.h"

void berth_handle_set(void *to, berth_resource_t *resource) {
  berth_handle_t *handle = to;
  berth_resource_t *old = handle->resource;
  handle->resource = berth_resource_retain(resource);
  berth_resource_release(old);
}

// What TensorFlow calls a kind of resource, and the number that its compiler
// made of that; both stand in its messages.
typedef struct kind_name {
  const char *name;
  unsigned long long hash;
} kind_name_t;

static kind_name_t kind_name(int kind) {
  switch (kind) {
    case BERTH_RESOURCE_VARIABLE:
      return (kind_name_t){"tensorflow::Var", 17454915466513971685ULL};
    case BERTH_RESOURCE_QUEUE:
      return (kind_name_t){"tensorflow::QueueInterface",
                           9040823170352039474ULL};
    case BERTH_RESOURCE_ARRAY:
      return (kind_name_t){"tensorflow::TensorArray", 17404284069006640434ULL};
    case BERTH_RESOURCE_STACK:
      return (kind_name_t){"tensorflow::Stack", 11783358439878174618ULL};
    default:
      return (kind_name_t){"<unknown>", 0};
  }
}

// What the names of such resources begin with, where they are kept; "" mostly.
static const char *prefix_of(const berth_resource_t *resource) {
  switch (resource->kind) {
    case BERTH_RESOURCE_ARRAY:
      return berth_tensor_array_is_grad((const berth_tensor_array_t *)resource)
                 ? "_tensor_array_grads"
                 : "_tensor_arrays";
    case BERTH_RESOURCE_STACK:
      return "_stacks";
    default:
      return "";
  }
}

static const char *name_of(const berth_resource_t *resource) {
  switch (resource->kind) {
    case BERTH_RESOURCE_VARIABLE:
      return berth_variable_name((const berth_variable_t *)resource);
    case BERTH_RESOURCE_QUEUE:
      return berth_queue_name((const berth_queue_t *)resource);
    case BERTH_RESOURCE_ARRAY:
      return berth_tensor_array_name((const berth_tensor_array_t *)resource);
    case BERTH_RESOURCE_STACK:
      return berth_stack_name((const berth_stack_t *)resource);
    default:
      return "";
  }
}

berth_code_t berth_handle_get(const void *from, berth_resource_kind_t kind,
                              berth_resource_t **out_resource,
                              berth_error_t *err) {
  berth_resource_t *resource = ((const berth_handle_t *)from)->resource;
  if (resource == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "the resource handle is empty");
  }
  if (resource->kind != (int)kind) {
    kind_name_t has = kind_name(resource->kind), wanted = kind_name((int)kind);
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Trying to access a handle's resource using the wrong type. The "
        "handle points to a resource (name '%s%s') of type '%s' (hash code "
        "%llu) but you are trying to access the resource as type '%s' (hash "
        "code %llu)",
        prefix_of(resource), name_of(resource), has.name, has.hash, wanted.name,
        wanted.hash);
  }
  *out_resource = resource;
  return BERTH_OK;
}

berth_code_t berth_handle_change(const void *from, berth_change_check_fn check,
                                 berth_change_apply_fn apply,
                                 berth_call_t *call,
                                 berth_change_t **out_change) {
  berth_resource_t *resource = NULL;
  BERTH_TRY(
      berth_handle_get(from, BERTH_RESOURCE_VARIABLE, &resource, call->err));
  BERTH_TRY(berth_commit_add(call->commit, (berth_variable_t *)resource,
                             call->node, out_change, call->err));
  (*out_change)->check = check;
  (*out_change)->apply = apply;
  (*out_change)->allocator = call->allocator;
  return BERTH_OK;
}

void berth_handle_give(void *to, const berth_change_t *change) {
  berth_handle_set(to, (berth_resource_t *)change->variable);
}

berth_code_t berth_handle_texts(const berth_resource_t *resource,
                                berth_tensor_t **out_texts,
                                berth_error_t *err) {
  const int64_t count = 2;
  const char *texts[] = {prefix_of(resource), name_of(resource)};
  berth_tensor_t *made = NULL;
  if (texts[0][0] == '\0') {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "A reference to what a session keeps cannot be read "
                           "as text");
  }
  BERTH_TRY(
      berth_tensor_make(NULL, BERTH_STRING, 1, &count, count, &made, err));
  for (int i = 0; i < 2; ++i) {
    berth_string_t *to = (berth_string_t *)made->data + i;
    if (!berth_string_set(to, texts[i], strlen(texts[i]))) {
      berth_tensor_release(made);
      return berth_error_no_memory(err, "a text");
    }
  }
  *out_texts = made;
  return BERTH_OK;
}

const char *berth_handle_key(const berth_node_t *node) {
  const char *shared = berth_node_attr_string(node, "shared_name", "");
  return shared[0] != '\0' ? shared : node->name;
}

static berth_code_t run_owned(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  berth_handle_set(args[0], call->resource);
  return BERTH_OK;
}

berth_code_t berth_handle_prepare(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  prepare->run = run_owned;
  return berth_op_handle(&prepare->op, err);
}
