// list.c - Kernels on lists of tensors, one element at a time.
//
// A list is a value: what changes one makes another (state/list.h), but for one
// that nobody else has. Elements stay where they are until somebody asks for them
// elsewhere.
#include "cpu/ops/list.h"

#include <inttypes.h>

#include "cpu/kernels.h"
#include "cpu/ops/elements.h"
#include "kernel/handle.h"
#include "op/list.h"

// ---- Arguments ----

berth_code_t berth_list_fail_shape(const berth_call_t *call, const char *what,
                                   const berth_tensor_t *tensor) {
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT, "%s%s", what,
                         berth_tensor_dims_text(tensor, text));
}

static const berth_list_t *list_of(const berth_handle_t *handle) {
  const berth_resource_t *resource = handle->resource;
  bool is_list = resource != NULL && resource->kind == BERTH_RESOURCE_LIST;
  return is_list ? (const berth_list_t *)resource : NULL;
}

berth_code_t berth_list_input(const berth_call_t *call, int index,
                              const berth_list_t **out_list) {
  const berth_tensor_t *tensor = call->inputs[index];
  if (tensor->rank != 0) {
    return berth_list_fail_shape(call,
                                 "Input list must be a scalar saw: ", tensor);
  }
  *out_list = list_of(tensor->data);
  if (*out_list != NULL) return BERTH_OK;
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "Input handle is not a list. Saw: 'Variant<type: int value: 0>'");
}

static berth_code_t check_type(const berth_call_t *call,
                               const berth_list_t *list, berth_dtype_t dtype) {
  if (dtype == berth_list_dtype(list)) return BERTH_OK;
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "Invalid data types; op elements %s but list elements %s",
      berth_dtype_name(dtype), berth_dtype_name(berth_list_dtype(list)));
}

static berth_dtype_t element_type(const berth_call_t *call) {
  return berth_node_attr_type(call->node, "element_dtype", BERTH_INVALID);
}

berth_code_t berth_list_typed(const berth_call_t *call,
                              const berth_list_t **out_list) {
  BERTH_TRY(berth_list_input(call, 0, out_list));
  return check_type(call, *out_list, element_type(call));
}

berth_code_t berth_list_give(berth_call_t *call, int index,
                             berth_list_t *list) {
  berth_code_t code =
      berth_element_scalar(call, BERTH_VARIANT, &call->outputs[index]);
  if (code == BERTH_OK) {
    berth_handle_set(call->outputs[index]->data, (berth_resource_t *)list);
  }
  berth_list_release(list);
  return code;
}

berth_code_t berth_list_read_shape(const berth_call_t *call, int index,
                                   berth_shape_t *out_shape) {
  const berth_tensor_t *tensor = call->inputs[index];
  bool is_long = tensor->dtype == BERTH_INT64;
  const int64_t *longs = tensor->data;
  const int32_t *ints = tensor->data;
  out_shape->rank = -1;
  if (tensor->rank == 0) {
    if ((is_long ? longs[0] : ints[0]) == -1) return BERTH_OK;
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "The only valid scalar shape tensor is the fully "
                           "unknown shape specified as -1.");
  }
  if (tensor->rank > 1 || tensor->count > BERTH_MAX_RANK) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Shape must be at most rank 1 but is rank %d",
                           (int)tensor->rank);
  }
  for (int32_t i = 0; i < tensor->count; ++i) {
    int64_t size = is_long ? longs[i] : ints[i];
    if (size < -1) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Dimension %" PRId64 " must be >= -1", size);
    }
    out_shape->dims[i] = size;
  }
  out_shape->rank = (int32_t)tensor->count;
  return BERTH_OK;
}

// True when |known| is nothing but |dims|, which are known: the shape of an element
// mostly is what that of others was.
static bool is_same(berth_dims_t known, berth_dims_t dims) {
  return known.rank >= 0 && berth_dims_equal(known, dims);
}

berth_code_t berth_list_merge(const berth_call_t *call, berth_shape_t *shape,
                              berth_dims_t more) {
  berth_shape_t merged;
  berth_dims_t known = berth_shape_dims(shape);
  if (is_same(known, more)) return BERTH_OK;
  if (berth_dims_merge(known, more, &merged)) {
    *shape = merged;
    return BERTH_OK;
  }
  if (known.rank != more.rank) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "PartialTensorShape: Incompatible ranks during merge: %d vs. %d",
        (int)known.rank, (int)more.rank);
  }
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "PartialTensorShape: Incompatible shapes during merge: %s vs. %s",
      berth_dims_text(known, a), berth_dims_text(more, b));
}

bool berth_list_takes(const berth_list_t *list, berth_dims_t dims) {
  berth_shape_t unused;
  return is_same(berth_list_shape(list), dims) ||
         berth_dims_merge(berth_list_shape(list), dims, &unused);
}

// Reads the number at input |index|.
static berth_code_t get_number(const berth_call_t *call, int index,
                               int64_t *out_number) {
  const berth_tensor_t *tensor = call->inputs[index];
  if (tensor->rank == 0) {
    *out_number = *(const int32_t *)tensor->data;
    return BERTH_OK;
  }
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "Expected argument %d to be a scalar. ReceivedTensor<type: int32 shape: "
      "%s values: %d%s>",
      index, berth_tensor_dims_text(tensor, text),
      tensor->count > 0 ? *(const int *)tensor->data : 0,
      tensor->count > 1 ? "..." : "");
}

// ---- Making ----

static berth_code_t run_empty(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_shape_t shape;
  berth_list_t *list = NULL;
  if (call->inputs[1]->rank != 0) {
    return berth_list_fail_shape(
        call, "max_num_elements expected to be a scalar but got shape: ",
        call->inputs[1]);
  }
  BERTH_TRY(berth_list_read_shape(call, 0, &shape));
  BERTH_TRY(berth_list_create(element_type(call), berth_shape_dims(&shape),
                              *(const int32_t *)call->inputs[1]->data, 0, &list,
                              call->err));
  return berth_list_give(call, 0, list);
}

static berth_code_t run_reserve(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_shape_t shape;
  berth_list_t *list = NULL;
  BERTH_TRY(berth_list_read_shape(call, 0, &shape));
  if (call->inputs[1]->rank != 0) {
    return berth_list_fail_shape(
        call, "The num_elements to reserve must be a tensor size 1, but got ",
        call->inputs[1]);
  }
  int32_t count = *(const int32_t *)call->inputs[1]->data;
  if (count < 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "The num_elements to reserve must be a non negative "
                           "number, but got %d",
                           (int)count);
  }
  BERTH_TRY(berth_list_create(element_type(call), berth_shape_dims(&shape), -1,
                              count, &list, call->err));
  return berth_list_give(call, 0, list);
}

// ---- Changing ----

// Returns a list equal to that at input 0 that may be changed: that itself,
// borrowed, where the call is given it and no other handle leads to it.
static berth_code_t changed_begin(const berth_call_t *call,
                                  berth_list_t **out_list) {
  berth_tensor_t *tensor = call->inputs[0];
  const berth_handle_t *handle = tensor->data;
  berth_resource_t *resource = handle->resource;
  bool is_sole = (call->given & 1) != 0 && berth_tensor_is_exclusive(tensor) &&
                 atomic_load_explicit(&resource->refs, memory_order_acquire) == 1;
  if (!is_sole) {
    return berth_list_copy((const berth_list_t *)resource, out_list, call->err);
  }
  *out_list = (berth_list_t *)resource;
  return BERTH_OK;
}

// Makes |list|, which changed_begin() has returned, output 0, unless |code| says
// that the change has failed.
static berth_code_t changed_end(berth_call_t *call, berth_list_t *list,
                                berth_code_t code) {
  berth_tensor_t *tensor = call->inputs[0];
  bool is_copy = list != list_of(tensor->data);
  if (is_copy && code == BERTH_OK) return berth_list_give(call, 0, list);
  if (is_copy) berth_list_release(list);
  if (code == BERTH_OK) call->outputs[0] = berth_tensor_retain(tensor);
  return code;
}

// ---- One element ----

// Gives the list at input 0 with |tensor| as element |index|, which may be the one
// behind the last or further.
static berth_code_t give_changed(berth_call_t *call, int64_t index,
                                 berth_tensor_t *tensor) {
  berth_list_t *changed = NULL;
  BERTH_TRY(changed_begin(call, &changed));
  berth_code_t code = BERTH_OK;
  if (index >= berth_list_count(changed)) {
    code = berth_list_resize(changed, index + 1, call->err);
  }
  if (code == BERTH_OK) {
    code = berth_list_set(changed, index, tensor, call->err);
  }
  return changed_end(call, changed, code);
}

static berth_code_t fail_incompatible(const berth_call_t *call,
                                      const char *what, berth_dims_t dims,
                                      const berth_list_t *list) {
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "%s element shape: %s list shape: %s", what,
                         berth_dims_text(dims, a),
                         berth_dims_text(berth_list_shape(list), b));
}

static berth_code_t run_push(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_list_t *list = NULL;
  berth_tensor_t *tensor = call->inputs[1];
  berth_dims_t dims = berth_tensor_dims(tensor);
  BERTH_TRY(berth_list_input(call, 0, &list));
  if (!berth_list_takes(list, dims)) {
    return fail_incompatible(call,
                             "Tried to append a tensor with incompatible shape "
                             "to a list. Op",
                             dims, list);
  }
  BERTH_TRY(check_type(call, list, tensor->dtype));
  int64_t count = berth_list_count(list), most = berth_list_most(list);
  if (count >= INT32_MAX || (most != -1 && count >= most)) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Tried to push item into a full list list size: "
                           "%" PRId64 " max_num_elements: %" PRId64,
                           count, most);
  }
  return give_changed(call, count, tensor);
}

static bool may_grow(const berth_call_t *call) {
  return berth_node_attr_bool(call->node, "resize_if_index_out_of_bounds",
                              false);
}

static berth_code_t run_set(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_list_t *list = NULL;
  int64_t index = 0;
  berth_tensor_t *tensor = call->inputs[2];
  BERTH_TRY(berth_list_input(call, 0, &list));
  BERTH_TRY(check_type(call, list, tensor->dtype));
  BERTH_TRY(get_number(call, 1, &index));
  int64_t count = berth_list_count(list);
  if (index < 0 || (index >= count && !may_grow(call))) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Trying to modify element %" PRId64
                           " in a list with %" PRId64 " elements.",
                           index, count);
  }
  if (!berth_list_takes(list, berth_tensor_dims(tensor))) {
    return fail_incompatible(call,
                             "Tried to set a tensor with incompatible shape at "
                             "a list index. Item",
                             berth_tensor_dims(tensor), list);
  }
  return give_changed(call, index, tensor);
}

// Makes zeros for an element that was never set; input |given| says more about
// its shape.
static berth_code_t make_zeros(const berth_call_t *call,
                               const berth_list_t *list, int given,
                               bool looks_at_others,
                               berth_tensor_t **out_zeros) {
  berth_shape_t shape;
  BERTH_TRY(berth_list_read_shape(call, given, &shape));
  BERTH_TRY(berth_list_merge(call, &shape, berth_list_shape(list)));
  int64_t count = looks_at_others ? berth_list_count(list) : 0;
  for (int64_t i = 0; i < count; ++i) {
    if (berth_dims_is_full(berth_shape_dims(&shape))) break;
    const berth_tensor_t *other = berth_list_get(list, i);
    if (other == NULL) continue;
    BERTH_TRY(berth_list_merge(call, &shape, berth_tensor_dims(other)));
  }
  if (berth_dims_is_full(berth_shape_dims(&shape))) {
    return berth_element_zeros(call, berth_list_dtype(list),
                               berth_shape_dims(&shape), out_zeros);
  }
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "Trying to read an uninitialized tensor but "
                         "element_shape is not fully defined%s%s%s",
                         looks_at_others ? ": " : ".",
                         berth_dims_text(berth_shape_dims(&shape), text),
                         looks_at_others ? " and no list element is set." : "");
}

static berth_code_t run_get(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_list_t *list = NULL;
  int64_t index = 0;
  BERTH_TRY(berth_list_input(call, 0, &list));
  BERTH_TRY(check_type(call, list, call->node->output_types[0]));
  BERTH_TRY(get_number(call, 1, &index));
  int64_t count = berth_list_count(list);
  if (index < 0 || index >= count) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Trying to access element %" PRId64
                           " in a list with %" PRId64 " elements.",
                           index, count);
  }
  berth_tensor_t *tensor = berth_list_get(list, index);
  if (tensor == NULL) return make_zeros(call, list, 2, true, &call->outputs[0]);
  return berth_element_bring(call, tensor, &call->outputs[0]);
}

static berth_code_t run_pop(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_list_t *list = NULL;
  berth_list_t *rest = NULL;
  BERTH_TRY(berth_list_typed(call, &list));
  int64_t count = berth_list_count(list);
  if (count == 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Trying to pop from an empty list.");
  }
  berth_tensor_t *tensor = berth_list_get(list, count - 1), *last = NULL;
  berth_code_t code = tensor == NULL ? make_zeros(call, list, 1, false, &last)
                                     : berth_element_bring(call, tensor, &last);
  if (code == BERTH_OK) code = changed_begin(call, &rest);
  if (code == BERTH_OK) {
    code = berth_list_resize(rest, count - 1, call->err);
    code = changed_end(call, rest, code);
  }
  if (code != BERTH_OK) {
    berth_tensor_release(last);
    return code;
  }
  call->outputs[1] = last;
  return BERTH_OK;
}

// ---- The list as a whole ----

static berth_code_t run_length(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_list_t *list = NULL;
  BERTH_TRY(berth_list_input(call, 0, &list));
  BERTH_TRY(berth_element_scalar(call, BERTH_INT32, &call->outputs[0]));
  *(int32_t *)call->outputs[0]->data = (int32_t)berth_list_count(list);
  return BERTH_OK;
}

static berth_code_t run_resize(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_list_t *list = NULL;
  berth_list_t *changed = NULL;
  int64_t size = 0;
  BERTH_TRY(berth_list_input(call, 0, &list));
  BERTH_TRY(get_number(call, 1, &size));
  if (size < 0) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "TensorListSlice expects size to be non-negative. Got: %" PRId64, size);
  }
  BERTH_TRY(changed_begin(call, &changed));
  return changed_end(call, changed,
                     berth_list_resize(changed, size, call->err));
}

static berth_code_t run_shape(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_list_t *list = NULL;
  BERTH_TRY(berth_list_input(call, 0, &list));
  const int64_t open = -1;
  berth_dims_t shape = berth_list_shape(list);
  int64_t count = shape.rank < 0 ? 1 : shape.rank;
  const int64_t *dims = shape.rank < 0 ? &open : shape.dims;
  berth_dtype_t dtype = call->node->output_types[0];
  BERTH_TRY(berth_tensor_make(NULL, dtype, shape.rank < 0 ? 0 : 1, &count,
                              count, &call->outputs[0], call->err));
  void *data = call->outputs[0]->data;
  for (int64_t i = 0; i < count; ++i) {
    if (dtype == BERTH_INT32) {
      ((int32_t *)data)[i] = (int32_t)dims[i];
    } else {
      ((int64_t *)data)[i] = dims[i];
    }
  }
  return BERTH_OK;
}

BERTH_LIST_PREPARE(empty)
BERTH_LIST_PREPARE(reserve)
BERTH_LIST_PREPARE(push)
BERTH_LIST_PREPARE(set)
BERTH_LIST_PREPARE(get)
BERTH_LIST_PREPARE(pop)
BERTH_LIST_PREPARE(length)
BERTH_LIST_PREPARE(resize)
BERTH_LIST_PREPARE(shape)

#define LIST(name, what)                                                     \
  {                                                                          \
    .op = name, .prepare = prepare_##what, .anywhere = BERTH_TYPES_ALL,      \
    .traits = BERTH_OP_BRIEF                                                 \
  }

const berth_kernel_t berth_cpu_list_kernels[] = {
    LIST("EmptyTensorList", empty),     LIST("TensorListElementShape", shape),
    LIST("TensorListGetItem", get),     LIST("TensorListLength", length),
    LIST("TensorListPopBack", pop),     LIST("TensorListPushBack", push),
    LIST("TensorListReserve", reserve), LIST("TensorListResize", resize),
    LIST("TensorListSetItem", set),     {.op = NULL},
};
