// tensor_array.c - Kernels on arrays of tensors.
//
// What a flow holds is of no account: whoever makes an array makes one, and
// others hand it on, so that steps stand in order.
//
// Ops of three generations know an array by a handle, by a reference, and by a
// vector of two texts. What texts may name is kept by the run, for each device
// apart.
#include "state/tensor_array.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/ops/elements.h"
#include "cpu/ops/list.h"
#include "kernel/handle.h"
#include "state/container.h"
#include "tensor/string.h"

#define ARRAYS "_tensor_arrays"

// ---- What a run keeps ----

// The container of what belongs to the device of |call|.
typedef struct place {
  char name[16];
} place_t;

static place_t place_of(const berth_call_t *call) {
  place_t place;
  (void)snprintf(place.name, sizeof(place.name), "%d", call->place);
  return place;
}

// Makes the key of what two texts name.
static berth_code_t make_key(const berth_call_t *call,
                             const berth_tensor_t *texts, berth_str_t *key) {
  if (texts->count != 2) {
    return berth_list_fail_shape(
        call,
        "Tensor array handle must be 2-element vector, but had shape: ", texts);
  }
  for (int i = 0; i < 2; ++i) {
    size_t size = 0;
    const char *text =
        berth_string_get((const berth_string_t *)texts->data + i, &size);
    berth_str_put(key, text, strnlen(text, size));
  }
  return berth_str_ok(key) ? BERTH_OK
                           : berth_error_no_memory(call->err, "a text");
}

static berth_code_t lend(void *array, berth_resource_t **out_resource,
                         berth_error_t *err) {
  (void)err;
  *out_resource = berth_resource_retain(array);
  return BERTH_OK;
}

// Has the run keep |array| under |texts|.
static berth_code_t keep_array(const berth_call_t *call,
                               berth_resource_t *array,
                               const berth_tensor_t *texts) {
  berth_resource_t *kept = NULL;
  berth_str_t key = {0};
  if (call->of_run == NULL) return BERTH_OK;
  if (*call->of_run == NULL) {
    BERTH_TRY(berth_container_create(call->of_run, call->err));
  }
  berth_code_t code = make_key(call, texts, &key);
  if (code == BERTH_OK) {
    code = berth_container_find_or_create(*call->of_run, place_of(call).name,
                                          BERTH_RESOURCE_ARRAY, key.text, lend,
                                          array, &kept, call->err);
  }
  berth_resource_release(kept);
  berth_str_clear(&key);
  return code;
}

// Which run it is, is not told as in TensorFlow, where they are numbered.
static berth_code_t fail_lost(const berth_call_t *call, const char *key) {
  if (call->of_run == NULL || *call->of_run == NULL) {
    return berth_error_set(call->err, BERTH_NOT_FOUND,
                           "Container __per_step_0 does not exist. (Could not "
                           "find resource: __per_step_0/%s)",
                           key);
  }
  return berth_error_set(
      call->err, BERTH_NOT_FOUND,
      "Resource __per_step_0/%s/N10tensorflow11TensorArrayE does not exist.",
      key);
}

// Finds what |texts| name; the run goes on keeping it.
static berth_code_t find_array(const berth_call_t *call,
                               const berth_tensor_t *texts,
                               berth_tensor_array_t **out_array) {
  berth_str_t key = {0};
  berth_resource_t *found = NULL;
  berth_code_t code = make_key(call, texts, &key);
  if (code == BERTH_OK && call->of_run != NULL && *call->of_run != NULL) {
    found = berth_container_find(*call->of_run, place_of(call).name,
                                 BERTH_RESOURCE_ARRAY, key.text);
  }
  if (code == BERTH_OK && found == NULL) code = fail_lost(call, key.text);
  berth_str_clear(&key);
  if (code != BERTH_OK) return code;
  *out_array = (berth_tensor_array_t *)found;
  berth_resource_release(found);
  return BERTH_OK;
}

// ---- Arguments ----

static berth_code_t get_array(const berth_call_t *call,
                              berth_tensor_array_t **out_array) {
  berth_resource_t *resource = NULL;
  if (call->inputs[0]->dtype == BERTH_STRING) {
    return find_array(call, call->inputs[0], out_array);
  }
  BERTH_TRY(berth_handle_get(call->inputs[0]->data, BERTH_RESOURCE_ARRAY,
                             &resource, call->err));
  *out_array = (berth_tensor_array_t *)resource;
  return BERTH_OK;
}

// Reads the number at input |index|.
static berth_code_t get_number(const berth_call_t *call, int index,
                               const char *what, int64_t *out_number) {
  const berth_tensor_t *tensor = call->inputs[index];
  if (tensor->rank != 0) return berth_list_fail_shape(call, what, tensor);
  *out_number = *(const int32_t *)tensor->data;
  return BERTH_OK;
}

static berth_code_t check_written(const berth_call_t *call,
                                  const berth_tensor_array_t *array,
                                  const berth_tensor_t *value) {
  berth_dtype_t dtype = berth_tensor_array_dtype(array);
  if (dtype == value->dtype) return BERTH_OK;
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "TensorArray dtype is %s but Op is trying to write dtype %s.",
      berth_dtype_name(dtype), berth_dtype_name(value->dtype));
}

static berth_code_t check_read(const berth_call_t *call,
                               const berth_tensor_array_t *array) {
  berth_dtype_t dtype = berth_tensor_array_dtype(array);
  berth_dtype_t wanted = call->node->output_types[0];
  if (dtype == wanted) return BERTH_OK;
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "TensorArray dtype is %s but Op requested dtype %s.",
                         berth_dtype_name(dtype), berth_dtype_name(wanted));
}

// ---- Making ----

// Makes a handle to |array|, taking it over.
static berth_code_t make_handle(const berth_call_t *call,
                                berth_resource_t *array,
                                berth_tensor_t **out_handle) {
  berth_code_t code = berth_element_scalar(call, BERTH_RESOURCE, out_handle);
  if (code == BERTH_OK) {
    ((berth_handle_t *)(*out_handle)->data)->resource = array;
  } else {
    berth_resource_release(array);
  }
  return code;
}

// Has the run keep |array|, taking it over, and gives what names it: texts, or
// a reference.
static berth_code_t give_kept(berth_call_t *call, berth_resource_t *array) {
  berth_tensor_t *texts = NULL;
  berth_code_t code = berth_handle_texts(array, &texts, call->err);
  if (code == BERTH_OK) code = keep_array(call, array, texts);
  if (code == BERTH_OK && call->node->output_types[0] == BERTH_STRING) {
    berth_resource_release(array);
    call->outputs[0] = texts;
    return BERTH_OK;
  }
  berth_tensor_release(texts);
  if (code == BERTH_OK) return make_handle(call, array, &call->outputs[0]);
  berth_resource_release(array);
  return code;
}

// Gives what |array|, which is taken over, is known by, and a flow.
static berth_code_t give_array(berth_call_t *call, berth_resource_t *array,
                               berth_tensor_t *flow) {
  if (call->node->output_types[0] != BERTH_RESOURCE) {
    return give_kept(call, array);
  }
  berth_tensor_t *handle = NULL, *order = NULL;
  BERTH_TRY(make_handle(call, array, &handle));
  berth_code_t code = BERTH_OK;
  if (flow != NULL) {
    order = berth_tensor_retain(flow);
  } else {
    code = berth_element_zeros(call, BERTH_FLOAT, BERTH_SCALAR, &order);
  }
  if (code != BERTH_OK) {
    berth_tensor_release(handle);
    return code;
  }
  call->outputs[0] = handle;
  call->outputs[1] = order;
  return BERTH_OK;
}

static berth_code_t run_make(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_node_t *node = call->node;
  const char *name = berth_node_attr_string(node, "tensor_array_name", "");
  const berth_attr_value_t *shape = berth_node_attr(node, "element_shape");
  berth_tensor_array_spec_t spec = {
      .name = name[0] != '\0' ? name : node->name,
      .dtype = berth_node_attr_type(node, "dtype", BERTH_INVALID),
      .shape = shape != NULL ? shape->shape : (berth_dims_t){-1, NULL},
      .is_dynamic = berth_node_attr_bool(node, "dynamic_size", false),
      .clears = berth_node_attr_bool(node, "clear_after_read", true),
      .is_uniform =
          berth_node_attr_bool(node, "identical_element_shapes", false)};
  BERTH_TRY(get_number(
      call, 0, "TensorArray size must be scalar, but had shape: ", &spec.size));
  if (spec.size < 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Size should be >= 0.");
  }
  berth_resource_t *array = NULL;
  BERTH_TRY(berth_tensor_array_create(&spec, &array, call->err));
  return give_array(call, array, NULL);
}

// Texts, as handles, may name what no gradients are made for.
static berth_code_t check_forward(const berth_call_t *call) {
  const berth_tensor_t *texts = call->inputs[0];
  if (texts->dtype != BERTH_STRING || texts->count != 2) return BERTH_OK;
  size_t size = 0;
  const char *where = berth_string_get(texts->data, &size);
  if (size == strlen(ARRAYS) && memcmp(where, ARRAYS, size) == 0) {
    return BERTH_OK;
  }
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "Input container should be '" ARRAYS
                         "',  but received '%.*s'",
                         (int)size, where);
}

static berth_code_t run_grad(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_array_t *array = NULL;
  berth_resource_t *grad = NULL;
  berth_shape_t prefix = {0};
  BERTH_TRY(check_forward(call));
  BERTH_TRY(get_array(call, &array));
  if (call->node->input_count > 2) {
    const berth_tensor_t *given = call->inputs[2];
    if (given->rank != 1 || given->count > BERTH_MAX_RANK) {
      return berth_list_fail_shape(
          call, "shape_to_prepend must be a vector, not ", given);
    }
    prefix.rank = (int32_t)given->count;
    for (int32_t i = 0; i < prefix.rank; ++i) {
      prefix.dims[i] = ((const int32_t *)given->data)[i];
    }
    int64_t count = 0;
    BERTH_TRY(berth_dims_check(berth_shape_dims(&prefix), &count, call->err));
  }
  BERTH_TRY(berth_tensor_array_grad(
      array, berth_node_attr_string(call->node, "source", ""),
      berth_shape_dims(&prefix), &grad, call->err));
  return give_array(call, grad, call->inputs[1]);
}

// ---- One element ----

static berth_code_t run_write(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_array_t *array = NULL;
  int64_t index = 0;
  BERTH_TRY(get_number(
      call, 1, "TensorArray index must be scalar, but had shape: ", &index));
  BERTH_TRY(get_array(call, &array));
  BERTH_TRY(check_written(call, array, call->inputs[2]));
  BERTH_TRY(berth_tensor_array_write(array, index, call->inputs[2],
                                     berth_element_sum, call, call->err));
  call->outputs[0] = berth_tensor_retain(call->inputs[3]);
  return BERTH_OK;
}

// Reads element |index|; zeros are made.
static berth_code_t read_one(const berth_call_t *call,
                             berth_tensor_array_t *array, int64_t index,
                             berth_tensor_t **out_tensor) {
  berth_shape_t shape;
  berth_tensor_t *tensor = NULL;
  BERTH_TRY(berth_tensor_array_read(array, index, &tensor, &shape, call->err));
  berth_dims_t dims = berth_shape_dims(&shape);
  berth_dtype_t dtype = berth_tensor_array_dtype(array);
  if (tensor == NULL) {
    if (berth_dtype_is_plain(dtype) || berth_dims_count(dims) == 0) {
      return berth_element_zeros(call, dtype, dims, out_tensor);
    }
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "tensor_array::TensorSetZero type not supported: %s",
                           berth_dtype_name(dtype));
  }
  berth_code_t code = berth_element_bring(call, tensor, out_tensor);
  berth_tensor_release(tensor);
  return code;
}

static berth_code_t run_read(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_array_t *array = NULL;
  int64_t index = 0;
  BERTH_TRY(get_number(
      call, 1, "TensorArray index must be scalar, but had shape: ", &index));
  BERTH_TRY(get_array(call, &array));
  BERTH_TRY(check_read(call, array));
  return read_one(call, array, index, &call->outputs[0]);
}

// ---- Many elements ----

// What was read, in order.
typedef struct reads {
  berth_tensor_t **tensors;
  int64_t count;
} reads_t;

static void reads_drop(reads_t *reads) {
  for (int64_t i = 0; i < reads->count; ++i) {
    berth_tensor_release(reads->tensors[i]);
  }
  berth_free(reads->tensors);
}

// Reads the elements whose numbers |indices| has (NULL: the first ones), and
// lets |check| look at each.
static berth_code_t read_many(berth_call_t *call, berth_tensor_array_t *array,
                              const int32_t *indices, int64_t count,
                              reads_t *reads,
                              berth_code_t (*check)(berth_call_t *call,
                                                    const reads_t *reads)) {
  *reads = (reads_t){
      .tensors = berth_calloc((size_t)count + 1, sizeof(berth_tensor_t *))};
  if (reads->tensors == NULL) {
    return berth_error_no_memory(call->err, "elements");
  }
  berth_code_t code = BERTH_OK;
  while (code == BERTH_OK && reads->count < count) {
    int64_t index = indices != NULL ? indices[reads->count] : reads->count;
    code = read_one(call, array, index, &reads->tensors[reads->count]);
    if (code == BERTH_OK) ++reads->count;
  }
  if (code == BERTH_OK) code = check(call, reads);
  if (code != BERTH_OK) reads_drop(reads);
  return code;
}

// Joins what was read, lets go of it, and gives the whole.
static berth_code_t give_joined(berth_call_t *call, reads_t *reads,
                                berth_dims_t dims) {
  berth_joint_t joint;
  berth_code_t code =
      berth_joint_begin(call, call->node->output_types[0], dims, &joint);
  for (int64_t i = 0; code == BERTH_OK && i < reads->count; ++i) {
    code = berth_joint_add(call, &joint, reads->tensors[i], 0);
  }
  if (code == BERTH_OK) call->outputs[0] = joint.tensor;
  reads_drop(reads);
  return code;
}

// Returns an attribute that is a shape.
static berth_dims_t shape_attr(const berth_call_t *call, const char *name) {
  const berth_attr_value_t *attr = berth_node_attr(call->node, name);
  return attr != NULL ? attr->shape : (berth_dims_t){-1, NULL};
}

static bool is_as(berth_dims_t wanted, berth_dims_t is) {
  if (wanted.rank < 0) return true;
  bool fits = wanted.rank == is.rank;
  for (int32_t i = 0; fits && i < is.rank; ++i) {
    fits = wanted.dims[i] < 0 || wanted.dims[i] == is.dims[i];
  }
  return fits;
}

static berth_code_t check_gathered(berth_call_t *call, const reads_t *reads) {
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  berth_dims_t wanted = shape_attr(call, "element_shape");
  if (reads->count == 0) return BERTH_OK;
  const berth_tensor_t *first = reads->tensors[0];
  if (!is_as(wanted, berth_tensor_dims(first))) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "TensorArray was passed element_shape %s which does "
                           "not match the Tensor at index 0: %s",
                           berth_dims_text(wanted, a),
                           berth_tensor_dims_text(first, b));
  }
  for (int64_t i = 1; i < reads->count; ++i) {
    const berth_tensor_t *tensor = reads->tensors[i];
    if (berth_dims_equal(berth_tensor_dims(first), berth_tensor_dims(tensor))) {
      continue;
    }
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "TensorArray has inconsistent shapes.  Index 0 has "
                           "shape: %s but index %" PRId64 " has shape: %s",
                           berth_tensor_dims_text(first, a), i,
                           berth_tensor_dims_text(tensor, b));
  }
  return BERTH_OK;
}

// Stores |rows| and then |dims|; false: too many dimensions.
static bool shape_of_rows(int64_t rows, berth_dims_t dims,
                          berth_shape_t *out_shape) {
  if (dims.rank >= BERTH_MAX_RANK) return false;
  out_shape->rank = dims.rank + 1;
  out_shape->dims[0] = rows;
  for (int32_t i = 0; i < dims.rank; ++i) out_shape->dims[i + 1] = dims.dims[i];
  return true;
}

static berth_code_t fail_rank(const berth_call_t *call) {
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "A tensor may have at most %d dimensions",
                         BERTH_MAX_RANK);
}

// Gives the tensor without elements that nothing is joined to.
static berth_code_t give_none(berth_call_t *call, berth_tensor_array_t *array,
                              const char *attr, const char *doing) {
  berth_shape_t known, whole;
  berth_joint_t joint;
  bool is_pack = strcmp(attr, "element_shape") == 0;
  if (is_pack) {
    BERTH_TRY(berth_tensor_array_merge_shape(array, shape_attr(call, attr),
                                             call->err));
    berth_tensor_array_shape(array, &known);
  } else {
    berth_shape_set(&known, shape_attr(call, attr));
  }
  if (!berth_dims_is_full(berth_shape_dims(&known))) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(
        call->err, BERTH_UNIMPLEMENTED,
        "TensorArray has size zero, but %s %s is not fully defined. Currently "
        "only static shapes are supported when %s zero-size TensorArrays.",
        is_pack ? "element shape" : attr,
        berth_dims_text(berth_shape_dims(&known), text), doing);
  }
  if (!shape_of_rows(0, berth_shape_dims(&known), &whole)) {
    return fail_rank(call);
  }
  BERTH_TRY(berth_joint_begin(call, call->node->output_types[0],
                              berth_shape_dims(&whole), &joint));
  call->outputs[0] = joint.tensor;
  return BERTH_OK;
}

// Joins the elements that |indices| has (NULL: the first ones).
static berth_code_t give_rows(berth_call_t *call, berth_tensor_array_t *array,
                              const int32_t *indices, int64_t count) {
  reads_t reads;
  berth_shape_t whole;
  if (count == 0) return give_none(call, array, "element_shape", "packing");
  BERTH_TRY(read_many(call, array, indices, count, &reads, check_gathered));
  if (!shape_of_rows(reads.count, berth_tensor_dims(reads.tensors[0]),
                     &whole)) {
    reads_drop(&reads);
    return fail_rank(call);
  }
  return give_joined(call, &reads, berth_shape_dims(&whole));
}

// The same for all elements.
static berth_code_t run_pack(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_array_t *array = NULL;
  int64_t size = 0;
  BERTH_TRY(get_array(call, &array));
  BERTH_TRY(check_read(call, array));
  BERTH_TRY(berth_tensor_array_size(array, &size, call->err));
  return give_rows(call, array, NULL, size);
}

static berth_code_t run_gather(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_array_t *array = NULL;
  const berth_tensor_t *indices = call->inputs[1];
  int64_t size = 0;
  BERTH_TRY(get_array(call, &array));
  BERTH_TRY(check_read(call, array));
  BERTH_TRY(berth_tensor_array_size(array, &size, call->err));
  if (indices->rank != 1) {
    return berth_list_fail_shape(
        call, "Expected indices to be a vector, but received shape: ", indices);
  }
  return give_rows(call, array, indices->data, indices->count);
}

// Returns the shape of |tensor| behind its first dimension.
static berth_dims_t rest_of(const berth_tensor_t *tensor) {
  return (berth_dims_t){tensor->rank - 1, tensor->dims + 1};
}

static berth_code_t check_joined(berth_call_t *call, const reads_t *reads) {
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  berth_dims_t wanted = shape_attr(call, "element_shape_except0");
  for (int64_t i = 0; i < reads->count; ++i) {
    const berth_tensor_t *tensor = reads->tensors[i];
    if (tensor->rank == 0) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Concat saw a scalar shape at index %" PRId64
                             " but requires at least vectors.  Did you mean to "
                             "call pack?",
                             i);
    }
    berth_dims_t rest = rest_of(tensor), first = rest_of(reads->tensors[0]);
    if (!is_as(wanted, rest)) {
      return berth_error_set(
          call->err, BERTH_INVALID_ARGUMENT,
          "TensorArray was passed element_shape_except0 %s but index %" PRId64
          " has (excepting dimension 0) shape: %s which does not match.",
          berth_dims_text(wanted, a), i, berth_dims_text(rest, b));
    }
    if (!berth_dims_equal(first, rest)) {
      return berth_error_set(
          call->err, BERTH_INVALID_ARGUMENT,
          "TensorArray has inconsistent shapes.  Index 0 has (excepting "
          "dimension 0) shape: %s but index %" PRId64
          " has (excepting dimension 0) shape: %s",
          berth_dims_text(first, a), i, berth_dims_text(rest, b));
    }
  }
  return BERTH_OK;
}

static berth_code_t run_concat(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_array_t *array = NULL;
  int64_t size = 0, rows = 0;
  BERTH_TRY(get_array(call, &array));
  BERTH_TRY(check_read(call, array));
  BERTH_TRY(berth_tensor_array_size(array, &size, call->err));
  berth_tensor_t *lengths = NULL;
  BERTH_TRY(berth_tensor_make(NULL, BERTH_INT64, 1, &size, size, &lengths,
                              call->err));
  reads_t reads;
  berth_shape_t whole;
  berth_code_t code =
      size == 0
          ? give_none(call, array, "element_shape_except0", "concatenating")
          : read_many(call, array, NULL, size, &reads, check_joined);
  if (code == BERTH_OK && size > 0) {
    for (int64_t i = 0; i < size; ++i) {
      int64_t length = reads.tensors[i]->dims[0];
      ((int64_t *)lengths->data)[i] = length;
      rows += length;
    }
    (void)shape_of_rows(rows, rest_of(reads.tensors[0]), &whole);
    code = give_joined(call, &reads, berth_shape_dims(&whole));
  }
  if (code != BERTH_OK) {
    berth_tensor_release(lengths);
    return code;
  }
  call->outputs[1] = lengths;
  return BERTH_OK;
}

// Writes rows [first, first + count) of |value|, or one row, to an element.
static berth_code_t write_rows(berth_call_t *call, berth_tensor_array_t *array,
                               const berth_tensor_t *value, int64_t first,
                               int64_t count, int64_t index) {
  berth_tensor_t *rows = NULL;
  BERTH_TRY(berth_element_row(call, value, first, count, &rows));
  berth_code_t code = berth_tensor_array_write(
      array, index, rows, berth_element_sum, call, call->err);
  berth_tensor_release(rows);
  return code;
}

// Checks that rows of |value| can be elements.
static berth_code_t check_rows(const berth_call_t *call,
                               const berth_tensor_array_t *array,
                               const berth_tensor_t *value) {
  BERTH_TRY(check_written(call, array, value));
  if (value->rank >= 1) return BERTH_OK;
  return berth_list_fail_shape(
      call,
      "Input value for unpack must be at least a vector but received shape: ",
      value);
}

static berth_code_t check_scattered(berth_call_t *call,
                                    berth_tensor_array_t *array) {
  const berth_tensor_t *indices = call->inputs[1], *value = call->inputs[2];
  BERTH_TRY(check_rows(call, array, value));
  if (indices->rank != 1) {
    return berth_list_fail_shape(
        call, "Expected indices to be a vector, but received shape: ", indices);
  }
  if (indices->count != value->dims[0]) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Expected len(indices) == values.shape[0], but saw: "
                           "%" PRId64 " vs. %" PRId64,
                           indices->count, value->dims[0]);
  }
  int64_t most = -1, size = 0;
  for (int64_t i = 0; i < indices->count; ++i) {
    int32_t index = ((const int32_t *)indices->data)[i];
    if (index > most) most = index;
  }
  BERTH_TRY(berth_tensor_array_size(array, &size, call->err));
  if (most < size || berth_tensor_array_is_dynamic(array)) return BERTH_OK;
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "Max scatter index must be < array size (%" PRId64
                         " vs. %" PRId64 ")",
                         most, size);
}

static berth_code_t run_scatter(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_array_t *array = NULL;
  const berth_tensor_t *indices = call->inputs[1], *value = call->inputs[2];
  BERTH_TRY(get_array(call, &array));
  BERTH_TRY(check_scattered(call, array));
  for (int64_t i = 0; i < indices->count; ++i) {
    BERTH_TRY(write_rows(call, array, value, i, -1,
                         ((const int32_t *)indices->data)[i]));
  }
  call->outputs[0] = berth_tensor_retain(call->inputs[3]);
  return BERTH_OK;
}

// As scattering to the first elements, of which there are as many.
static berth_code_t run_unpack(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_array_t *array = NULL;
  const berth_tensor_t *value = call->inputs[1];
  int64_t size = 0;
  BERTH_TRY(get_array(call, &array));
  BERTH_TRY(berth_tensor_array_size(array, &size, call->err));
  BERTH_TRY(check_rows(call, array, value));
  bool grows = berth_tensor_array_is_dynamic(array) && size < value->dims[0];
  if (value->dims[0] != size && !grows) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Input value must have first dimension equal to the "
                           "array size (%" PRId64 " vs. %" PRId64 ")",
                           value->dims[0], size);
  }
  for (int64_t i = 0; i < value->dims[0]; ++i) {
    BERTH_TRY(write_rows(call, array, value, i, -1, i));
  }
  call->outputs[0] = berth_tensor_retain(call->inputs[2]);
  return BERTH_OK;
}

static berth_code_t check_split(berth_call_t *call,
                                berth_tensor_array_t *array) {
  const berth_tensor_t *value = call->inputs[1], *lengths = call->inputs[2];
  const int64_t *sizes = lengths->data;
  BERTH_TRY(check_written(call, array, value));
  if (lengths->rank != 1) {
    return berth_list_fail_shape(
        call, "Expected lengths to be a vector, received shape: ", lengths);
  }
  if (value->rank < 1) {
    return berth_list_fail_shape(
        call,
        "Expected value to be at least a vector, but received shape: ", value);
  }
  int64_t sum = 0, size = 0;
  for (int64_t i = 0; i < lengths->count; ++i) {
    bool fits = sizes[i] >= 0 && sum <= INT64_MAX - sizes[i];
    if (!fits) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Invalid value in lengths: %" PRId64, sizes[i]);
    }
    sum += sizes[i];
  }
  if (sum != value->dims[0]) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Expected sum of lengths to be equal to values.shape[0], but sum of "
        "lengths is %" PRId64 " and value's shape is: %s",
        sum, berth_tensor_dims_text(value, text));
  }
  BERTH_TRY(berth_tensor_array_size(array, &size, call->err));
  if (size == lengths->count || berth_tensor_array_is_dynamic(array)) {
    return BERTH_OK;
  }
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "TensorArray's size is not equal to the size of lengths (%" PRId64
      " vs. %" PRId64
      "), and the TensorArray is not marked as dynamically resizeable",
      size, lengths->count);
}

static berth_code_t run_split(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_array_t *array = NULL;
  const berth_tensor_t *lengths = call->inputs[2];
  BERTH_TRY(get_array(call, &array));
  BERTH_TRY(check_split(call, array));
  int64_t at = 0;
  for (int64_t i = 0; i < lengths->count; ++i) {
    int64_t length = ((const int64_t *)lengths->data)[i];
    BERTH_TRY(write_rows(call, array, call->inputs[1], at, length, i));
    at += length;
  }
  call->outputs[0] = berth_tensor_retain(call->inputs[3]);
  return BERTH_OK;
}

// ---- The array as a whole ----

static berth_code_t run_size(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_array_t *array = NULL;
  int64_t size = 0;
  BERTH_TRY(get_array(call, &array));
  BERTH_TRY(berth_tensor_array_size(array, &size, call->err));
  BERTH_TRY(berth_element_scalar(call, BERTH_INT32, &call->outputs[0]));
  *(int32_t *)call->outputs[0]->data = (int32_t)size;
  return BERTH_OK;
}

static berth_code_t run_close(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_array_t *array = NULL;
  BERTH_TRY(get_array(call, &array));
  berth_tensor_array_close(array);
  return BERTH_OK;
}

BERTH_LIST_PREPARE(make)
BERTH_LIST_PREPARE(grad)
BERTH_LIST_PREPARE(write)
BERTH_LIST_PREPARE(read)
BERTH_LIST_PREPARE(gather)
BERTH_LIST_PREPARE(pack)
BERTH_LIST_PREPARE(concat)
BERTH_LIST_PREPARE(scatter)
BERTH_LIST_PREPARE(unpack)
BERTH_LIST_PREPARE(split)
BERTH_LIST_PREPARE(size)
BERTH_LIST_PREPARE(close)

// The generations of an op share their kernel (op/name.h).
#define ARRAY(name, what)                                \
  {                                                      \
    .op = "TensorArray" name, .prepare = prepare_##what, \
    .anywhere = BERTH_TYPES_ALL                          \
  }

const berth_kernel_t berth_cpu_tensor_array_kernels[] = {
    ARRAY("", make),
    ARRAY("Grad", grad),
    ARRAY("GradWithShape", grad),
    ARRAY("Write", write),
    ARRAY("Read", read),
    ARRAY("Gather", gather),
    ARRAY("Pack", pack),
    ARRAY("Concat", concat),
    ARRAY("Scatter", scatter),
    ARRAY("Unpack", unpack),
    ARRAY("Split", split),
    ARRAY("Size", size),
    ARRAY("Close", close),
    {.op = NULL},
};
