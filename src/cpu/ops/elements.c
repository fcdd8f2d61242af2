// elements.c - Tensors that are elements of lists, arrays and stacks.
#include "cpu/ops/elements.h"

#include <string.h>

#include "cpu/loops/binary.h"
#include "device/device.h"
#include "tensor/half.h"
#include "tensor/transfer.h"

// Returns the device whose memory outputs of |dtype| lie in; NULL: the host's.
static berth_device_t *home_of(const berth_call_t *call, berth_dtype_t dtype) {
  bool is_plain = berth_dtype_is_plain(dtype);
  return is_plain && call->allocator != NULL ? call->allocator->device : NULL;
}

static berth_code_t make(const berth_call_t *call, berth_dtype_t dtype,
                         berth_dims_t dims, bool on_host,
                         berth_tensor_t **out_tensor) {
  int64_t count = 0;
  BERTH_TRY(berth_tensor_check(dtype, dims, &count, call->err));
  berth_device_t *home = on_host ? NULL : home_of(call, dtype);
  return berth_tensor_make(home != NULL ? call->allocator : NULL, dtype,
                           dims.rank, dims.dims, count, out_tensor, call->err);
}

berth_code_t berth_element_scalar(const berth_call_t *call, berth_dtype_t dtype,
                                  berth_tensor_t **out_tensor) {
  return berth_tensor_make(NULL, dtype, 0, NULL, 1, out_tensor, call->err);
}

berth_code_t berth_element_bring(const berth_call_t *call,
                                 berth_tensor_t *tensor,
                                 berth_tensor_t **out_tensor) {
  return berth_tensor_transfer(tensor, home_of(call, tensor->dtype), out_tensor,
                               call->err);
}

berth_code_t berth_element_give(berth_call_t *call, berth_tensor_t *tensor) {
  berth_code_t code = BERTH_OK;
  if (tensor->dtype != call->node->output_types[0]) {
    code = berth_error_set(call->err, BERTH_INTERNAL,
                           "Output 0 of type %s does not match declared output "
                           "type %s for node {{node %s}}",
                           berth_dtype_name(tensor->dtype),
                           berth_dtype_name(call->node->output_types[0]),
                           call->node->name);
  } else {
    code = berth_element_bring(call, tensor, &call->outputs[0]);
  }
  berth_tensor_release(tensor);
  return code;
}

berth_code_t berth_element_zeros(const berth_call_t *call, berth_dtype_t dtype,
                                 berth_dims_t dims,
                                 berth_tensor_t **out_tensor) {
  berth_tensor_t *zeros = NULL;
  BERTH_TRY(make(call, dtype, dims, true, &zeros));
  if (berth_dtype_is_plain(dtype) && zeros->size > 0) {
    memset(zeros->data, 0, zeros->size);
  }
  berth_code_t code = berth_element_bring(call, zeros, out_tensor);
  berth_tensor_release(zeros);
  return code;
}

// ---- Parts ----

// Kernels of cards read so many bytes at once.
enum { ALIGNMENT = 16 };

berth_code_t berth_element_row(const berth_call_t *call,
                               const berth_tensor_t *tensor, int64_t first,
                               int64_t count, berth_tensor_t **out_tensor) {
  int64_t dims[BERTH_MAX_RANK];
  int64_t rows = tensor->dims[0], width = 1;
  for (int32_t i = 1; i < tensor->rank; ++i) width *= tensor->dims[i];
  if (rows > 0) width = tensor->count / rows;
  bool is_one = count < 0;
  memcpy(dims, tensor->dims, (size_t)tensor->rank * sizeof(*dims));
  if (!is_one) dims[0] = count;
  int64_t elements = (is_one ? 1 : count) * width;
  size_t step = (size_t)width * berth_dtype_size(tensor->dtype);
  char *data = tensor->data;
  if (elements > 0) data += (size_t)first * step;
  berth_tensor_t *view = NULL;
  BERTH_TRY(berth_tensor_view(tensor->buffer, data, tensor->dtype,
                              tensor->rank - is_one, dims + is_one, elements,
                              tensor->device, &view, call->err));
  if (tensor->device == NULL || (uintptr_t)data % ALIGNMENT == 0) {
    *out_tensor = view;
    return BERTH_OK;
  }
  berth_joint_t copy;
  berth_code_t code =
      berth_joint_begin(call, view->dtype, berth_tensor_dims(view), &copy);
  if (code == BERTH_OK) {
    code = berth_joint_add(call, &copy, view, view->count);
    if (code == BERTH_OK) *out_tensor = copy.tensor;
  }
  berth_tensor_release(view);
  return code;
}

berth_code_t berth_joint_begin(const berth_call_t *call, berth_dtype_t dtype,
                               berth_dims_t dims, berth_joint_t *joint) {
  *joint = (berth_joint_t){0};
  return make(call, dtype, dims, false, &joint->tensor);
}

// Copies |from| into |joint|; both lie in the same memory.
static berth_code_t joint_copy(const berth_call_t *call, berth_joint_t *joint,
                               const berth_tensor_t *from) {
  berth_tensor_t *to = joint->tensor;
  char *data = (char *)to->data + joint->at;
  if (to->device != NULL) {
    return to->device->backend->streams->copy(call->stream, to->device, data,
                                              to->device, from->data,
                                              from->size, call->err);
  }
  return berth_elements_copy(from->dtype, data, from->data, from->count)
             ? BERTH_OK
             : berth_error_no_memory(call->err, "a tensor");
}

berth_code_t berth_joint_add(const berth_call_t *call, berth_joint_t *joint,
                             berth_tensor_t *tensor, int64_t count) {
  berth_tensor_t *brought = NULL;
  berth_dtype_t dtype = joint->tensor->dtype;
  berth_code_t code =
      tensor != NULL ? berth_element_bring(call, tensor, &brought)
                     : berth_element_zeros(call, dtype,
                                           (berth_dims_t){1, &count}, &brought);
  if (code == BERTH_OK && brought->size > 0) {
    code = joint_copy(call, joint, brought);
    joint->at += brought->size;
  }
  berth_tensor_release(brought);
  if (code != BERTH_OK) berth_tensor_release(joint->tensor);
  return code;
}

// ---- Sums ----

// Adds |count| numbers of |dtype|, one by one where they are computed as
// floats.
static void add_numbers(berth_dtype_t dtype, const berth_loops_t *loops,
                        const void *a, const void *b, void *out,
                        int64_t count) {
  const uint16_t *left = a, *right = b;
  uint16_t *sum = out;
  if (dtype != BERTH_HALF && dtype != BERTH_BFLOAT16) {
    loops->both(a, b, out, count);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    sum[i] = dtype == BERTH_HALF
                 ? berth_float_to_half(berth_half_to_float(left[i]) +
                                       berth_half_to_float(right[i]))
                 : berth_float_to_bfloat16(berth_bfloat16_to_float(left[i]) +
                                           berth_bfloat16_to_float(right[i]));
  }
}

berth_code_t berth_element_sum(void *arg, berth_tensor_t *a, berth_tensor_t *b,
                               berth_tensor_t **out_sum, berth_error_t *err) {
  berth_call_t *call = arg;
  const berth_loops_t *loops = berth_binary_loops(BERTH_BINARY_ADD, a->dtype);
  if (loops == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Trying to add tensors of type %s",
                           berth_dtype_name(a->dtype));
  }
  berth_tensor_t *left = NULL, *right = NULL, *sum = NULL;
  berth_code_t code = berth_tensor_transfer(a, NULL, &left, err);
  if (code == BERTH_OK) code = berth_tensor_transfer(b, NULL, &right, err);
  if (code == BERTH_OK) {
    code = make(call, a->dtype, berth_tensor_dims(a), true, &sum);
  }
  if (code == BERTH_OK) {
    add_numbers(a->dtype, loops, left->data, right->data, sum->data,
                sum->count);
    code = berth_element_bring(call, sum, out_sum);
  }
  berth_tensor_release(sum);
  berth_tensor_release(left);
  berth_tensor_release(right);
  return code;
}
