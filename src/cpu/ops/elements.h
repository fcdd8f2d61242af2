// elements.h - Tensors that are elements of lists, arrays and stacks.
//
// Elements lie wherever they were made. What is made of them lies where the
// outputs of the call do: in the memory of its device, or the host's.
//
// All fail as copies do, and with BERTH_RESOURCE_EXHAUSTED. Threads: as calls.
#ifndef BERTH_CPU_OPS_ELEMENTS_H_
#define BERTH_CPU_OPS_ELEMENTS_H_

#include "kernel/kernel.h"
#include "op/list.h"
#include "tensor/tensor.h"

// Makes |tensor| one that lies where outputs of |call| do; the caller's.
BERTH_NODISCARD berth_code_t berth_element_bring(const berth_call_t *call,
                                                 berth_tensor_t *tensor,
                                                 berth_tensor_t **out_tensor);

// Makes output 0 of |tensor|, which is released. Fails with BERTH_INTERNAL when
// it has another type than the node says.
BERTH_NODISCARD berth_code_t berth_element_give(berth_call_t *call,
                                                berth_tensor_t *tensor);

// Makes zeros there.
BERTH_NODISCARD berth_code_t berth_element_zeros(const berth_call_t *call,
                                                 berth_dtype_t dtype,
                                                 berth_dims_t dims,
                                                 berth_tensor_t **out_tensor);

// Makes a tensor of the rows [first, first + count) of |tensor|, over the same
// memory; |count| below 0: of row |first| alone, without that dimension.
BERTH_NODISCARD berth_code_t berth_element_row(const berth_call_t *call,
                                               const berth_tensor_t *tensor,
                                               int64_t first, int64_t count,
                                               berth_tensor_t **out_tensor);

// Makes the sum of two tensors of one shape, of numbers; as berth_sum_fn, |arg|
// is the call.
berth_code_t berth_element_sum(void *arg, berth_tensor_t *a, berth_tensor_t *b,
                               berth_tensor_t **out_sum, berth_error_t *err);

// A tensor that is put together from others, one behind the other.
typedef struct berth_joint {
  berth_tensor_t *tensor;  // The caller's when it is whole.
  size_t at;               // Bytes that are there.
} berth_joint_t;

// Begins one of |dtype| and |dims|; fails as TensorFlow does for shapes that no
// tensor can have.
BERTH_NODISCARD berth_code_t berth_joint_begin(const berth_call_t *call,
                                               berth_dtype_t dtype,
                                               berth_dims_t dims,
                                               berth_joint_t *joint);

// Adds |tensor|; NULL: |count| zeros. When it fails the joint is gone.
BERTH_NODISCARD berth_code_t berth_joint_add(const berth_call_t *call,
                                             berth_joint_t *joint,
                                             berth_tensor_t *tensor,
                                             int64_t count);

// Takes a new scalar of the host of |dtype|.
BERTH_NODISCARD berth_code_t berth_element_scalar(const berth_call_t *call,
                                                  berth_dtype_t dtype,
                                                  berth_tensor_t **out_tensor);

// Defines prepare_<name>() for run_<name>(), which makes its outputs.
#define BERTH_LIST_PREPARE(name)                               \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    prepare->run = run_##name;                                 \
    return berth_op_on_list(&prepare->op, err);                \
  }

#endif  // BERTH_CPU_OPS_ELEMENTS_H_
