// list_join.c - Kernels on lists of tensors, many elements at a time; their
// sums and zeros.
#include <inttypes.h>

#include "cpu/kernels.h"
#include "cpu/ops/elements.h"
#include "cpu/ops/list.h"
#include "kernel/handle.h"
#include "op/list.h"

// Stores |rows| and then what |shape| has. BERTH_INVALID_ARGUMENT when that are
// too many dimensions.
static berth_code_t rows_of(const berth_call_t *call, int64_t rows,
                            const berth_shape_t *shape,
                            berth_shape_t *out_shape) {
  if (shape->rank >= BERTH_MAX_RANK) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "A tensor may have at most %d dimensions",
                           BERTH_MAX_RANK);
  }
  out_shape->rank = shape->rank + 1;
  out_shape->dims[0] = rows;
  for (int32_t i = 0; i < shape->rank; ++i) {
    out_shape->dims[i + 1] = shape->dims[i];
  }
  return BERTH_OK;
}

static berth_code_t fail_open(const berth_call_t *call, const char *what,
                              const berth_shape_t *shape) {
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT, "%s%s", what,
                         berth_dims_text(berth_shape_dims(shape), text));
}

static bool is_full(const berth_shape_t *shape) {
  return berth_dims_is_full(berth_shape_dims(shape));
}

// ---- Stacking ----

// Returns the number of the element that comes at |i|.
static int64_t number_at(const berth_tensor_t *indices, int64_t i) {
  return indices != NULL ? ((const int32_t *)indices->data)[i] : i;
}

// Joins what is known of shapes with those of elements, where the list leaves
// that open.
static berth_code_t merge_elements(const berth_call_t *call,
                                   const berth_list_t *list,
                                   const berth_tensor_t *indices, int64_t count,
                                   berth_shape_t *shape) {
  int64_t size = berth_list_count(list);
  if (berth_dims_is_full(berth_list_shape(list))) return BERTH_OK;
  for (int64_t i = 0; i < count; ++i) {
    int64_t number = number_at(indices, i);
    if (number < 0 || number >= size) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Trying to gather element %" PRId64
                             " in a list with %" PRId64 " elements.",
                             number, size);
    }
    const berth_tensor_t *tensor = berth_list_get(list, number);
    if (tensor == NULL) continue;
    BERTH_TRY(berth_list_merge(call, shape, berth_tensor_dims(tensor)));
  }
  return BERTH_OK;
}

// Gives |count| elements of |list| as one tensor; all are of |shape|.
static berth_code_t give_stacked(berth_call_t *call, const berth_list_t *list,
                                 const berth_tensor_t *indices, int64_t count,
                                 const berth_shape_t *shape) {
  berth_shape_t whole;
  berth_joint_t joint;
  int64_t size = berth_list_count(list);
  int64_t each = berth_dims_count(berth_shape_dims(shape));
  BERTH_TRY(rows_of(call, count, shape, &whole));
  BERTH_TRY(berth_joint_begin(call, berth_list_dtype(list),
                              berth_shape_dims(&whole), &joint));
  bool is_empty = joint.tensor->count == 0;
  for (int64_t i = 0; !is_empty && i < count; ++i) {
    int64_t number = number_at(indices, i);
    if (number < 0 || number >= size) {
      berth_tensor_release(joint.tensor);
      return berth_error_set(
          call->err, BERTH_INVALID_ARGUMENT,
          "Index %" PRId64 " out o range; list only has %" PRId64 " elements.",
          number, size);
    }
    BERTH_TRY(
        berth_joint_add(call, &joint, berth_list_get(list, number), each));
  }
  call->outputs[0] = joint.tensor;
  return BERTH_OK;
}

static berth_code_t run_stack(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_list_t *list = NULL;
  berth_shape_t shape;
  BERTH_TRY(berth_list_typed(call, &list));
  int64_t count = berth_list_count(list);
  int64_t wanted = berth_node_attr_int(call->node, "num_elements", -1);
  if (wanted != -1 && wanted != count) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Operation expected a list with %" PRId64
                           " elements but got a list with %" PRId64
                           " elements.",
                           wanted, count);
  }
  BERTH_TRY(berth_list_read_shape(call, 1, &shape));
  BERTH_TRY(berth_list_merge(call, &shape, berth_list_shape(list)));
  if (!is_full(&shape) && count == 0) {
    return fail_open(call,
                     "Tried to stack elements of an empty list with "
                     "non-fully-defined element_shape: ",
                     &shape);
  }
  BERTH_TRY(merge_elements(call, list, NULL, count, &shape));
  if (!is_full(&shape)) {
    return fail_open(call,
                     "Tried to stack list which only contains uninitialized "
                     "tensors and has a non-fully-defined element_shape: ",
                     &shape);
  }
  return give_stacked(call, list, NULL, count, &shape);
}

static berth_code_t run_gather(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_list_t *list = NULL;
  const berth_tensor_t *indices = call->inputs[1];
  berth_shape_t shape;
  BERTH_TRY(berth_list_typed(call, &list));
  BERTH_TRY(berth_list_read_shape(call, 2, &shape));
  BERTH_TRY(berth_list_merge(call, &shape, berth_list_shape(list)));
  if (!is_full(&shape) && indices->count == 0) {
    return fail_open(call,
                     "Tried to gather 0-elements from a list with "
                     "non-fully-defined shape: ",
                     &shape);
  }
  BERTH_TRY(merge_elements(call, list, indices, indices->count, &shape));
  if (!is_full(&shape)) {
    return fail_open(call,
                     "Tried to gather uninitialized tensors from a list with "
                     "non-fully-defined element_shape: ",
                     &shape);
  }
  return give_stacked(call, list, indices, indices->count, &shape);
}

// ---- Joining ----

// What is known of elements that are joined along their first dimension.
typedef struct joined {
  int64_t first;       // The first dimension of those that were never set.
  berth_shape_t rest;  // The others.
} joined_t;

// Drops the first dimension of |shape|, which has one or is not known.
static int64_t split_first(const berth_shape_t *shape, berth_shape_t *rest) {
  if (shape->rank < 0) {
    rest->rank = -1;
    return -1;
  }
  berth_shape_set(rest, (berth_dims_t){shape->rank - 1, shape->dims + 1});
  return shape->dims[0];
}

static berth_code_t read_joined(const berth_call_t *call,
                                const berth_list_t *list, joined_t *joined) {
  const berth_attr_value_t *attr = berth_node_attr(call->node, "element_shape");
  berth_shape_t shape = {.rank = -1};
  joined->first = -1;
  if (call->node->input_count == 1) {
    if (attr != NULL) berth_shape_set(&shape, attr->shape);
    if (shape.rank == 0) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "element_shape must not be empty");
    }
    (void)split_first(&shape, &joined->rest);
    return BERTH_OK;
  }
  BERTH_TRY(berth_list_read_shape(call, 1, &shape));
  BERTH_TRY(berth_list_merge(call, &shape, berth_list_shape(list)));
  if (shape.rank == 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Concat requires elements to be at least vectors, "
                           "found scalars instead.");
  }
  joined->first = split_first(&shape, &joined->rest);
  return BERTH_OK;
}

// Looks at all elements, where the list leaves their shape open.
static berth_code_t look_at_joined(const berth_call_t *call,
                                   const berth_list_t *list, joined_t *joined) {
  if (berth_dims_is_full(berth_list_shape(list))) return BERTH_OK;
  int64_t wanted = joined->first, found = -1;
  bool is_same = true;
  for (int64_t i = 0; i < berth_list_count(list); ++i) {
    const berth_tensor_t *tensor = berth_list_get(list, i);
    if (tensor == NULL) continue;
    if (tensor->rank == 0) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Concat saw a scalar shape at index %" PRId64
                             " but requires at least vectors.",
                             i);
    }
    berth_dims_t rest = {tensor->rank - 1, tensor->dims + 1};
    BERTH_TRY(berth_list_merge(call, &joined->rest, rest));
    if (wanted != -1 && wanted != tensor->dims[0]) {
      return berth_error_set(
          call->err, BERTH_INVALID_ARGUMENT,
          "First entry of element_shape input does not match the first dim of "
          "list element at index: %" PRId64 " Expected: %" PRId64
          " Actual: %" PRId64,
          i, wanted, tensor->dims[0]);
    }
    is_same = is_same && (found == -1 || found == tensor->dims[0]);
    found = tensor->dims[0];
  }
  if (wanted == -1) joined->first = is_same ? found : -1;
  return BERTH_OK;
}

// Stores how long element |i|, which was never set, is.
static berth_code_t length_of(const berth_call_t *call, const joined_t *joined,
                              int64_t i, int64_t *out_length) {
  int inputs = call->node->input_count;
  int64_t given = inputs > 2 ? call->inputs[2]->count : 0;
  if (i >= given && joined->first != -1) {
    *out_length = joined->first;
    return BERTH_OK;
  }
  if (inputs <= 2) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Concating lists with uninitialized tensors is not supported in this "
        "version of TensorListConcat. Consider updating your GraphDef to run "
        "the newer version.");
  }
  if (i >= given) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "List contains uninitialized tensor at index "
                           "%" PRId64 " but leading_dims has only %" PRId64
                           " elements.",
                           i, given);
  }
  *out_length = ((const int64_t *)call->inputs[2]->data)[i];
  if (*out_length >= 0) return BERTH_OK;
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "leading_dims must not be negative, got %" PRId64,
                         *out_length);
}

static berth_code_t read_lengths(const berth_call_t *call,
                                 const berth_list_t *list,
                                 const joined_t *joined, int64_t *lengths,
                                 int64_t *out_sum) {
  int64_t sum = 0;
  for (int64_t i = 0; i < berth_list_count(list); ++i) {
    const berth_tensor_t *tensor = berth_list_get(list, i);
    int64_t length = 0;
    if (tensor == NULL) {
      BERTH_TRY(length_of(call, joined, i, &length));
    } else if (tensor->rank > 0) {
      length = tensor->dims[0];
    }
    if (sum > INT64_MAX - length) sum = INT64_MAX - length;
    lengths[i] = length;
    sum += length;
  }
  *out_sum = sum;
  return BERTH_OK;
}

// Gives all elements as one tensor, and stores |lengths|.
static berth_code_t give_joined(berth_call_t *call, const berth_list_t *list,
                                const joined_t *joined, int64_t *lengths) {
  int64_t sum = 0;
  int64_t width = berth_dims_count(berth_shape_dims(&joined->rest));
  berth_shape_t whole;
  berth_joint_t joint;
  BERTH_TRY(read_lengths(call, list, joined, lengths, &sum));
  BERTH_TRY(rows_of(call, sum, &joined->rest, &whole));
  BERTH_TRY(berth_joint_begin(call, berth_list_dtype(list),
                              berth_shape_dims(&whole), &joint));
  bool is_empty = joint.tensor->count == 0;
  for (int64_t i = 0; !is_empty && i < berth_list_count(list); ++i) {
    BERTH_TRY(berth_joint_add(call, &joint, berth_list_get(list, i),
                              lengths[i] * width));
  }
  call->outputs[0] = joint.tensor;
  return BERTH_OK;
}

static berth_code_t run_concat(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_list_t *list = NULL;
  joined_t joined;
  BERTH_TRY(berth_list_typed(call, &list));
  BERTH_TRY(read_joined(call, list, &joined));
  int64_t count = berth_list_count(list);
  if (count == 0 && !is_full(&joined.rest)) {
    return fail_open(call,
                     "All except the first dimension must be fully defined "
                     "when concating an empty tensor list. element_shape: ",
                     &joined.rest);
  }
  BERTH_TRY(look_at_joined(call, list, &joined));
  if (!is_full(&joined.rest)) {
    return fail_open(
        call,
        "Trying to concat list with only uninitialized tensors "
        "but element_shape_except_first_dim is not fully defined: ",
        &joined.rest);
  }
  berth_tensor_t *lengths = NULL;
  BERTH_TRY(berth_tensor_make(NULL, BERTH_INT64, 1, &count, count, &lengths,
                              call->err));
  berth_code_t code = give_joined(call, list, &joined, lengths->data);
  if (code != BERTH_OK) {
    berth_tensor_release(lengths);
    return code;
  }
  call->outputs[1] = lengths;
  return BERTH_OK;
}

// ---- Taking apart ----

// Makes rows [first, first + count) of |tensor|, or one row, element |index|.
static berth_code_t set_rows(const berth_call_t *call, berth_list_t *list,
                             int64_t index, const berth_tensor_t *tensor,
                             int64_t first, int64_t count) {
  berth_tensor_t *rows = NULL;
  BERTH_TRY(berth_element_row(call, tensor, first, count, &rows));
  berth_code_t code = berth_list_set(list, index, rows, call->err);
  berth_tensor_release(rows);
  return code;
}

// Gives |list|, unless |code| says that it failed.
static berth_code_t give_or_drop(berth_call_t *call, berth_list_t *list,
                                 berth_code_t code) {
  if (code == BERTH_OK) return berth_list_give(call, 0, list);
  berth_list_release(list);
  return code;
}

static berth_code_t check_vector(const berth_call_t *call,
                                 const berth_tensor_t *tensor) {
  if (tensor->rank > 0) return BERTH_OK;
  return berth_list_fail_shape(
      call, "Tensor must be at least a vector, but saw shape: ", tensor);
}

// Reads the shape that input |index| spells, which rows of input 0 have.
static berth_code_t read_row_shape(const berth_call_t *call, int index,
                                   const char *op, berth_shape_t *shape) {
  const berth_tensor_t *tensor = call->inputs[0];
  if (call->inputs[index]->rank > 1) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "%s: element_shape must be at most rank 1 but has the shape of %s", op,
        berth_tensor_dims_text(call->inputs[index], text));
  }
  BERTH_TRY(berth_list_read_shape(call, index, shape));
  BERTH_TRY(check_vector(call, tensor));
  berth_dims_t row = {tensor->rank - 1, tensor->dims + 1};
  berth_shape_t unused;
  if (berth_dims_merge(berth_shape_dims(shape), row, &unused)) return BERTH_OK;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "Specified a list with shape %s from a tensor with shape %s",
      berth_dims_text(berth_shape_dims(shape), a), berth_dims_text(row, b));
}

static berth_code_t run_from(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *tensor = call->inputs[0];
  berth_shape_t shape;
  berth_list_t *list = NULL;
  BERTH_TRY(read_row_shape(call, 1, "TensorListFromTensor", &shape));
  BERTH_TRY(berth_list_create(tensor->dtype, berth_shape_dims(&shape), -1,
                              tensor->dims[0], &list, call->err));
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < tensor->dims[0]; ++i) {
    code = set_rows(call, list, i, tensor, i, -1);
  }
  return give_or_drop(call, list, code);
}

// Stores how long the list is that TensorListScatter makes.
static berth_code_t scattered_size(const berth_call_t *call, int64_t most,
                                   int64_t *out_size) {
  const berth_tensor_t *indices = call->inputs[1];
  int64_t size = most > 0 ? most : 0;
  for (int64_t i = 0; i < indices->count; ++i) {
    int64_t index = ((const int32_t *)indices->data)[i];
    if (index < 0) {
      return berth_error_set(
          call->err, BERTH_INVALID_ARGUMENT,
          "Indices in TensorListScatter must all be non-negative.");
    }
    if (most != -1 && index >= most) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "TensorListScatter: Trying to scatter at index "
                             "%" PRId64 " in list with size %" PRId64,
                             index, most);
    }
    if (index >= size) size = index + 1;
  }
  *out_size = size;
  return BERTH_OK;
}

static berth_code_t run_scatter(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *tensor = call->inputs[0], *indices = call->inputs[1];
  berth_shape_t shape;
  berth_list_t *list = NULL;
  int64_t most = -1, size = 0;
  if (call->node->input_count > 3) {
    if (call->inputs[3]->rank != 0) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "num_elements must be a scalar");
    }
    most = *(const int32_t *)call->inputs[3]->data;
  }
  if (call->inputs[2]->rank <= 1 && most < -1) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "TensorListScatter expects num_elements >= -1, found: %" PRId64, most);
  }
  BERTH_TRY(read_row_shape(call, 2, "TensorListScatter", &shape));
  if (indices->count != tensor->dims[0]) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Invalid number of rows in input tensor. Expected: "
                           "%" PRId64 " Actual: %" PRId64,
                           indices->count, tensor->dims[0]);
  }
  BERTH_TRY(scattered_size(call, most, &size));
  BERTH_TRY(berth_list_create(tensor->dtype, berth_shape_dims(&shape), -1, size,
                              &list, call->err));
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < indices->count; ++i) {
    code = set_rows(call, list, number_at(indices, i), tensor, i, -1);
  }
  return give_or_drop(call, list, code);
}

static berth_code_t check_into(const berth_call_t *call,
                               const berth_list_t *list) {
  const berth_tensor_t *tensor = call->inputs[1], *indices = call->inputs[2];
  if (tensor->dtype != berth_list_dtype(list)) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Invalid data types; input tensor type: %s list element_type: %s",
        berth_dtype_name(tensor->dtype),
        berth_dtype_name(berth_list_dtype(list)));
  }
  BERTH_TRY(check_vector(call, tensor));
  if (indices->rank != 1) {
    return berth_list_fail_shape(
        call, "Expected indices to be a vector, but received shape: ", indices);
  }
  if (indices->count != tensor->dims[0]) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Expected len(indices) == tensor.shape[0], but saw: "
                           "%" PRId64 " vs. %" PRId64,
                           indices->count, tensor->dims[0]);
  }
  for (int64_t i = 0; i < indices->count; ++i) {
    if (number_at(indices, i) >= 0) continue;
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Indices in TensorListScatter must all be non-negative.");
  }
  return BERTH_OK;
}

// Makes |list| |size| long. What is new is set: TensorFlow has vectors without
// elements there.
static berth_code_t grow_by_empty(const berth_call_t *call, berth_list_t *list,
                                  int64_t size) {
  int64_t count = berth_list_count(list);
  if (size <= count) return BERTH_OK;
  const int64_t none = 0;
  berth_tensor_t *empty = NULL;
  BERTH_TRY(berth_element_zeros(call, berth_list_dtype(list),
                                (berth_dims_t){1, &none}, &empty));
  berth_code_t code = berth_list_resize(list, size, call->err);
  for (int64_t i = count; code == BERTH_OK && i < size; ++i) {
    code = berth_list_set(list, i, empty, call->err);
  }
  berth_tensor_release(empty);
  return code;
}

static berth_code_t run_into(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_list_t *list = NULL;
  berth_list_t *changed = NULL;
  const berth_tensor_t *tensor = call->inputs[1], *indices = call->inputs[2];
  int64_t size = 0;
  BERTH_TRY(berth_list_input(call, 0, &list));
  BERTH_TRY(check_into(call, list));
  for (int64_t i = 0; i < indices->count; ++i) {
    int64_t index = number_at(indices, i);
    if (index >= size) size = index + 1;
  }
  BERTH_TRY(berth_list_copy(list, &changed, call->err));
  berth_code_t code = grow_by_empty(call, changed, size);
  for (int64_t i = 0; code == BERTH_OK && i < indices->count; ++i) {
    code = set_rows(call, changed, number_at(indices, i), tensor, i, -1);
  }
  return give_or_drop(call, changed, code);
}

static berth_code_t check_split(const berth_call_t *call,
                                berth_shape_t *shape) {
  const berth_tensor_t *tensor = call->inputs[0], *lengths = call->inputs[2];
  BERTH_TRY(berth_list_read_shape(call, 1, shape));
  if (shape->rank == 0) {
    return fail_open(call,
                     "TensorListSplit requires element_shape to be at least of "
                     "rank 1, but saw: ",
                     shape);
  }
  BERTH_TRY(check_vector(call, tensor));
  berth_shape_t rest, unused;
  (void)split_first(shape, &rest);
  berth_dims_t row = {tensor->rank - 1, tensor->dims + 1};
  if (!berth_dims_merge(berth_shape_dims(&rest), row, &unused)) {
    char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "tensor shape %s is not compatible with element_shape %s",
        berth_tensor_dims_text(tensor, a),
        berth_dims_text(berth_shape_dims(shape), b));
  }
  if (lengths->rank == 1) return BERTH_OK;
  return berth_list_fail_shape(
      call, "Expected lengths to be a vector, received shape: ", lengths);
}

static berth_code_t split_rows(const berth_call_t *call, berth_list_t *list) {
  const berth_tensor_t *tensor = call->inputs[0], *lengths = call->inputs[2];
  int64_t at = 0, rows = tensor->dims[0];
  for (int64_t i = 0; i < lengths->count; ++i) {
    int64_t length = ((const int64_t *)lengths->data)[i];
    if (length < 0) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Invalid value in lengths: %" PRId64, length);
    }
    if (length > rows - at) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Attempting to slice [%" PRId64 ", %" PRIu64
                             "] from tensor with length %" PRId64,
                             at, (uint64_t)at + (uint64_t)length, rows);
    }
    BERTH_TRY(set_rows(call, list, i, tensor, at, length));
    at += length;
  }
  if (at == rows) return BERTH_OK;
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "Unused values in tensor. Length of tensor: %" PRId64
                         " Values used: %" PRId64,
                         rows, at);
}

static berth_code_t run_split(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_shape_t shape;
  berth_list_t *list = NULL;
  BERTH_TRY(check_split(call, &shape));
  BERTH_TRY(berth_list_create(call->inputs[0]->dtype, berth_shape_dims(&shape),
                              -1, call->inputs[2]->count, &list, call->err));
  return give_or_drop(call, list, split_rows(call, list));
}

// ---- Several lists ----

// Returns list |i| of those that |tensor| leads to, or NULL.
static const berth_list_t *list_at(const berth_tensor_t *tensor, int64_t i) {
  berth_resource_t *resource =
      ((const berth_handle_t *)tensor->data)[i].resource;
  bool is_list = resource != NULL && resource->kind == BERTH_RESOURCE_LIST;
  return is_list ? (const berth_list_t *)resource : NULL;
}

// Makes output 0 as many handles as input 0 has, to what |make| makes of each.
static berth_code_t give_each(berth_call_t *call,
                              berth_code_t (*make)(berth_call_t *call,
                                                   int64_t i,
                                                   berth_list_t **out)) {
  const berth_tensor_t *input = call->inputs[0];
  berth_tensor_t *made = NULL;
  BERTH_TRY(berth_tensor_make(NULL, BERTH_VARIANT, input->rank, input->dims,
                              input->count, &made, call->err));
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < input->count; ++i) {
    berth_list_t *list = NULL;
    code = make(call, i, &list);
    if (code != BERTH_OK) break;
    ((berth_handle_t *)made->data)[i].resource = (berth_resource_t *)list;
  }
  if (code != BERTH_OK) {
    berth_tensor_release(made);
    return code;
  }
  call->outputs[0] = made;
  return BERTH_OK;
}

static berth_code_t fail_no_list(const berth_call_t *call, const char *what,
                                 int64_t i) {
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "%s at index %" PRId64
                         " is not a list. Saw: 'Variant<type: int value: 0>'",
                         what, i);
}

static berth_code_t push_one(berth_call_t *call, int64_t i,
                             berth_list_t **out_list) {
  const berth_list_t *list = list_at(call->inputs[0], i);
  const berth_tensor_t *tensor = call->inputs[1];
  berth_dims_t row = {tensor->rank - 1, tensor->dims + 1};
  if (list == NULL) return fail_no_list(call, "Input handle", i);
  if (!berth_list_takes(list, row)) {
    char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Tried to append a tensor with incompatible shape "
        "to a list at index %" PRId64 ". Op element shape: %s list shape: %s",
        i, berth_dims_text(row, a), berth_dims_text(berth_list_shape(list), b));
  }
  if (tensor->dtype != berth_list_dtype(list)) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Invalid data type at index %" PRId64
                           "; op elements %s but list elements %s",
                           i, berth_dtype_name(tensor->dtype),
                           berth_dtype_name(berth_list_dtype(list)));
  }
  int64_t count = berth_list_count(list);
  BERTH_TRY(berth_list_copy(list, out_list, call->err));
  berth_code_t code = berth_list_resize(*out_list, count + 1, call->err);
  if (code == BERTH_OK) code = set_rows(call, *out_list, count, tensor, i, -1);
  if (code != BERTH_OK) berth_list_release(*out_list);
  return code;
}

static berth_code_t run_push_batch(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *lists = call->inputs[0], *tensor = call->inputs[1];
  if (tensor->rank < 1) {
    return berth_list_fail_shape(
        call,
        "Expected tensor to be at least a vector, but saw shape: ", tensor);
  }
  if (lists->rank != 1) {
    return berth_list_fail_shape(
        call, "Expected input_handles to be a vector, but saw shape: ", lists);
  }
  if (tensor->dims[0] != lists->count) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Expected tensor.shape[0] == input_handles.size, "
                           "but saw %" PRId64 " vs. %" PRId64,
                           tensor->dims[0], lists->count);
  }
  return give_each(call, push_one);
}

static berth_code_t check_pair(const berth_call_t *call, int64_t i,
                               const berth_list_t *const *pair) {
  berth_dtype_t wanted =
      berth_node_attr_type(call->node, "element_dtype", BERTH_INVALID);
  for (int side = 0; side < 2; ++side) {
    if (pair[side] == NULL) {
      return fail_no_list(call, side == 0 ? "input_a" : "input_b", i);
    }
    if (berth_list_dtype(pair[side]) == wanted) continue;
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "input_%c[%" PRId64 "].dtype != element_dtype.  Saw: %s vs. %s",
        'a' + side, i, berth_dtype_name(berth_list_dtype(pair[side])),
        berth_dtype_name(wanted));
  }
  berth_dims_t a = berth_list_shape(pair[0]), b = berth_list_shape(pair[1]);
  if (berth_dims_equal(a, b)) return BERTH_OK;
  char left[BERTH_DIMS_TEXT], right[BERTH_DIMS_TEXT];
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "input_a and input_b TensorList element shapes are not identical at "
      "index %" PRId64 ".  Saw %s vs. %s",
      i, berth_dims_text(a, left), berth_dims_text(b, right));
}

static berth_code_t join_one(berth_call_t *call, int64_t i,
                             berth_list_t **out_list) {
  const berth_list_t *pair[2] = {list_at(call->inputs[0], i),
                                 list_at(call->inputs[1], i)};
  BERTH_TRY(check_pair(call, i, pair));
  int64_t first = berth_list_count(pair[0]), more = berth_list_count(pair[1]);
  BERTH_TRY(berth_list_copy(pair[0], out_list, call->err));
  berth_code_t code = berth_list_resize(*out_list, first + more, call->err);
  for (int64_t j = 0; code == BERTH_OK && j < more; ++j) {
    berth_tensor_t *tensor = berth_list_get(pair[1], j);
    if (tensor == NULL) continue;
    code = berth_list_set(*out_list, first + j, tensor, call->err);
  }
  if (code != BERTH_OK) berth_list_release(*out_list);
  return code;
}

static berth_code_t run_lists(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  if (!berth_dims_equal(berth_tensor_dims(call->inputs[0]),
                        berth_tensor_dims(call->inputs[1]))) {
    char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "input_a.shape != input_b.shape: %s vs. %s",
        berth_tensor_dims_text(call->inputs[0], a),
        berth_tensor_dims_text(call->inputs[1], b));
  }
  return give_each(call, join_one);
}

// ---- Sums and zeros ----

// Lists in lists are gone into so deep.
enum { DEEPEST = 200 };

static berth_code_t list_zeros(const berth_call_t *call,
                               const berth_list_t *list, int depth,
                               berth_list_t **out_list);
static berth_code_t list_sum(berth_call_t *call, const berth_list_t *a,
                             const berth_list_t *b, int depth,
                             berth_list_t **out_list);

static berth_code_t fail_deep(const berth_call_t *call) {
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "Lists are nested deeper than %d: flatten them first",
                         DEEPEST);
}

// Makes zeros like |tensor|, of lists where it leads to lists.
static berth_code_t tensor_zeros(const berth_call_t *call,
                                 const berth_tensor_t *tensor, int depth,
                                 berth_tensor_t **out_zeros) {
  if (depth > DEEPEST) return fail_deep(call);
  BERTH_TRY(berth_element_zeros(call, tensor->dtype, berth_tensor_dims(tensor),
                                out_zeros));
  if (tensor->dtype != BERTH_VARIANT) return BERTH_OK;
  for (int64_t i = 0; i < tensor->count; ++i) {
    const berth_list_t *list = list_at(tensor, i);
    berth_list_t *zeros = NULL;
    berth_code_t code = list == NULL
                            ? fail_no_list(call, "Input handle", i)
                            : list_zeros(call, list, depth + 1, &zeros);
    if (code != BERTH_OK) {
      berth_tensor_release(*out_zeros);
      return code;
    }
    ((berth_handle_t *)(*out_zeros)->data)[i].resource =
        (berth_resource_t *)zeros;
  }
  return BERTH_OK;
}

static berth_code_t list_zeros(const berth_call_t *call,
                               const berth_list_t *list, int depth,
                               berth_list_t **out_list) {
  berth_list_t *made = NULL;
  int64_t count = berth_list_count(list);
  BERTH_TRY(berth_list_create(berth_list_dtype(list), berth_list_shape(list),
                              berth_list_most(list), count, &made, call->err));
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < count; ++i) {
    const berth_tensor_t *tensor = berth_list_get(list, i);
    berth_tensor_t *zeros = NULL;
    if (tensor == NULL) continue;
    code = tensor_zeros(call, tensor, depth, &zeros);
    if (code != BERTH_OK) break;
    code = berth_list_set(made, i, zeros, call->err);
    berth_tensor_release(zeros);
  }
  if (code != BERTH_OK) {
    berth_list_release(made);
    return code;
  }
  *out_list = made;
  return BERTH_OK;
}

// Adds tensors that lead to lists.
static berth_code_t variant_sum(berth_call_t *call, const berth_tensor_t *a,
                                const berth_tensor_t *b, int depth,
                                berth_tensor_t **out_sum) {
  berth_tensor_t *made = NULL;
  if (depth > DEEPEST) return fail_deep(call);
  BERTH_TRY(berth_tensor_make(NULL, BERTH_VARIANT, a->rank, a->dims, a->count,
                              &made, call->err));
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < a->count; ++i) {
    const berth_list_t *left = list_at(a, i), *right = list_at(b, i);
    berth_list_t *sum = NULL;
    code = left == NULL || right == NULL
               ? fail_no_list(call, "Input handle", i)
               : list_sum(call, left, right, depth + 1, &sum);
    ((berth_handle_t *)made->data)[i].resource = (berth_resource_t *)sum;
  }
  if (code != BERTH_OK) {
    berth_tensor_release(made);
    return code;
  }
  *out_sum = made;
  return BERTH_OK;
}

static berth_code_t check_sum(const berth_call_t *call, const berth_list_t *a,
                              const berth_list_t *b) {
  if (berth_list_dtype(a) != berth_list_dtype(b)) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Trying to add two lists of tensors of different "
                           "dtypes. One is %s and the other is %s",
                           berth_dtype_name(berth_list_dtype(a)),
                           berth_dtype_name(berth_list_dtype(b)));
  }
  if (!berth_list_takes(a, berth_list_shape(b))) {
    char left[BERTH_DIMS_TEXT], right[BERTH_DIMS_TEXT];
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Trying to add two lists of tensors with incompatible element shapes. "
        "One is %s and the other is %s",
        berth_dims_text(berth_list_shape(a), left),
        berth_dims_text(berth_list_shape(b), right));
  }
  if (berth_list_count(a) == berth_list_count(b)) return BERTH_OK;
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "Trying to add two lists of tensors with different "
                         "lengths. One is %" PRId64
                         " and the other is %" PRId64,
                         berth_list_count(a), berth_list_count(b));
}

static berth_code_t tensor_sum(berth_call_t *call, berth_tensor_t *a,
                               berth_tensor_t *b, int depth,
                               berth_tensor_t **out_sum) {
  if (a == NULL || b == NULL) {
    *out_sum = berth_tensor_retain(a == NULL ? b : a);
    return BERTH_OK;
  }
  berth_dims_t left = berth_tensor_dims(a), right = berth_tensor_dims(b);
  if (!berth_dims_equal(left, right)) {
    char one[BERTH_DIMS_TEXT], other[BERTH_DIMS_TEXT];
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Trying to add two tensors with incompatible "
                           "element shapes. One is %s and the other is %s",
                           berth_dims_text(left, one),
                           berth_dims_text(right, other));
  }
  return a->dtype == BERTH_VARIANT
             ? variant_sum(call, a, b, depth, out_sum)
             : berth_element_sum(call, a, b, out_sum, call->err);
}

static berth_code_t list_sum(berth_call_t *call, const berth_list_t *a,
                             const berth_list_t *b, int depth,
                             berth_list_t **out_list) {
  berth_list_t *made = NULL;
  berth_shape_t shape;
  BERTH_TRY(check_sum(call, a, b));
  (void)berth_dims_merge(berth_list_shape(a), berth_list_shape(b), &shape);
  int64_t count = berth_list_count(a);
  BERTH_TRY(berth_list_create(berth_list_dtype(a), berth_shape_dims(&shape), -1,
                              count, &made, call->err));
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < count; ++i) {
    berth_tensor_t *left = berth_list_get(a, i), *right = berth_list_get(b, i);
    berth_tensor_t *sum = NULL;
    if (left == NULL && right == NULL) continue;
    code = tensor_sum(call, left, right, depth, &sum);
    if (code != BERTH_OK) break;
    code = berth_list_set(made, i, sum, call->err);
    berth_tensor_release(sum);
  }
  if (code != BERTH_OK) {
    berth_list_release(made);
    return code;
  }
  *out_list = made;
  return BERTH_OK;
}

static berth_code_t run_zeros(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_t *zeros = NULL;
  BERTH_TRY(tensor_zeros(call, call->inputs[0], 0, &zeros));
  call->outputs[0] = zeros;
  return BERTH_OK;
}

static berth_code_t run_sum(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_t *sum = berth_tensor_retain(call->inputs[0]);
  for (int i = 1; i < call->node->input_count; ++i) {
    berth_tensor_t *next = NULL;
    berth_code_t code = tensor_sum(call, sum, call->inputs[i], 0, &next);
    berth_tensor_release(sum);
    if (code != BERTH_OK) return code;
    sum = next;
  }
  call->outputs[0] = sum;
  return BERTH_OK;
}

BERTH_LIST_PREPARE(stack)
BERTH_LIST_PREPARE(gather)
BERTH_LIST_PREPARE(concat)
BERTH_LIST_PREPARE(from)
BERTH_LIST_PREPARE(scatter)
BERTH_LIST_PREPARE(into)
BERTH_LIST_PREPARE(split)
BERTH_LIST_PREPARE(push_batch)
BERTH_LIST_PREPARE(lists)
BERTH_LIST_PREPARE(zeros)
BERTH_LIST_PREPARE(sum)

#define LIST(name, what) \
  { .op = name, .prepare = prepare_##what, .anywhere = BERTH_TYPES_ALL }
#define OF_LISTS(name, what)                                    \
  {                                                             \
    .op = name, .types = {{"T", BERTH_TYPE(VARIANT)}},          \
    .prepare = prepare_##what, .anywhere = BERTH_TYPE(VARIANT), \
    .traits = BERTH_OP_MAKES                                    \
  }

const berth_kernel_t berth_cpu_list_join_kernels[] = {
    LIST("TensorListConcat", concat),
    LIST("TensorListConcatLists", lists),
    LIST("TensorListConcatV2", concat),
    LIST("TensorListFromTensor", from),
    LIST("TensorListGather", gather),
    LIST("TensorListPushBackBatch", push_batch),
    LIST("TensorListScatter", scatter),
    LIST("TensorListScatterIntoExistingList", into),
    LIST("TensorListScatterV2", scatter),
    LIST("TensorListSplit", split),
    LIST("TensorListStack", stack),
    OF_LISTS("AddN", sum),
    OF_LISTS("ZerosLike", zeros),
    {.op = NULL},
};
