// matmul.c - The kernels MatMul, BatchMatMul and BatchMatMulV2.
#include "cpu/kernels.h"
#include "cpu/ops/product.h"
#include "op/types.h"

// Defines prepare_<name>(), which plans the product of berth_op_<name>().
#define PRODUCT(name)                                          \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    berth_product_t product;                                   \
    BERTH_TRY(berth_op_##name(&prepare->op, &product, err));   \
    return berth_cpu_product_plan(prepare, &product, err);     \
  }

PRODUCT(matmul)
PRODUCT(batch_matmul)
PRODUCT(batch_matmul_v2)

#define TYPES                                                     \
  (BERTH_TYPES_FLOATING | BERTH_TYPES_INDEX | BERTH_TYPE(INT16) | \
   BERTH_TYPES_COMPLEX)
#define KERNEL(name, function) \
  { .op = name, .types = {{"T", TYPES}}, .prepare = prepare_##function }

const berth_kernel_t berth_cpu_matmul_kernels[] = {
    KERNEL("MatMul", matmul),
    KERNEL("BatchMatMul", batch_matmul),
    KERNEL("BatchMatMulV2", batch_matmul_v2),
    {.op = NULL},
};
