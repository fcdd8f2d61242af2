// kernels.c - Adds the kernels of the CPU to the registry.
#include "cpu/kernels.h"

#include "cpu/device.h"

#define FAMILY(name) extern const berth_kernel_t berth_cpu_##name##_kernels[];
#include "cpu/families.inc"
#undef FAMILY

#define FAMILY(name) berth_cpu_##name##_kernels,

berth_code_t berth_cpu_add_kernels(berth_error_t *err) {
  static const berth_kernel_t *const families[] = {
#include "cpu/families.inc"
  };
  for (int i = 0; i < BERTH_COUNT_OF(families); ++i) {
    BERTH_TRY(berth_kernel_add(&berth_cpu_backend, families[i], err));
  }
  return BERTH_OK;
}
