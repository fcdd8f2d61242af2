// bytes.h - Tensors as messages.
#ifndef BERTH_CPU_OPS_BYTES_H_
#define BERTH_CPU_OPS_BYTES_H_

#include "base/str.h"
#include "tensor/tensor.h"

// Appends |tensor|, of numbers or strings in host memory, as a TensorProto:
// numbers as they lie, strings one by one or, as |is_content|, as they lie, too,
// lengths first.
void berth_cpu_put_tensor(berth_str_t *str, const berth_tensor_t *tensor,
                          bool is_content);

#endif  // BERTH_CPU_OPS_BYTES_H_
