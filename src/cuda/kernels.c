// kernels.c - Adds the GPU kernels to the registry.
#include "cuda/kernels.h"

typedef struct family {
  const berth_kernel_t *kernels;
  const int *count;
} family_t;

#define FAMILY(name) \
  { berth_cuda_##name##_kernels, &berth_cuda_##name##_kernel_count }

// Ends with an empty entry.
static const family_t families[] = {
    FAMILY(add_n),
    FAMILY(alias),
    FAMILY(arg),
    FAMILY(bias),
    FAMILY(binary),
    FAMILY(cast),
    FAMILY(check),
    FAMILY(einsum),
    FAMILY(fill),
    FAMILY(flow),
    FAMILY(gather),
    FAMILY(in_top_k),
    FAMILY(matmul),
    FAMILY(move),
    FAMILY(one_hot),
    FAMILY(pad),
    FAMILY(queue),
    FAMILY(random),
    FAMILY(range),
    FAMILY(reduce),
    FAMILY(select),
    FAMILY(softmax),
    FAMILY(top_k),
    FAMILY(unary),
    FAMILY(unique),
    FAMILY(variable),
    FAMILY(where),
    {NULL, NULL},
};

berth_code_t berth_cuda_add_kernels(berth_error_t *err) {
  for (const family_t *f = families; f->kernels != NULL; ++f) {
    BERTH_TRY(berth_kernel_add("GPU", f->kernels, *f->count, err));
  }
  return BERTH_OK;
}
