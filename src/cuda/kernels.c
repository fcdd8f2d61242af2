// kernels.c - Adds the kernels of cards to the registry.
#include "cuda/kernels.h"

#include "cuda/ops/hosted.h"
#include "cuda/stream/device.h"

#define FAMILY(name) extern const berth_kernel_t berth_cuda_##name##_kernels[];
#include "cuda/families.inc"
#undef FAMILY

#define FAMILY(name) berth_cuda_##name##_kernels,

berth_code_t berth_cuda_add_kernels(berth_error_t *err) {
  static const berth_kernel_t *const families[] = {
#include "cuda/families.inc"
  };
  for (int i = 0; i < BERTH_COUNT_OF(families); ++i) {
    BERTH_TRY(berth_kernel_add(&berth_cuda_backend, families[i], err));
  }
  return berth_cuda_add_hosted(err);
}
