// backends.c - The kinds of devices this build has.
#include "runtime/backends.h"

#include "base/compiler.h"
#include "cpu/device.h"
#include "cpu/kernels.h"

// One family of kernels: its table and how many it holds.
typedef struct family {
  const berth_kernel_t *kernels;
  const int *count;
} family_t;

#define CPU_FAMILY(name) \
  { berth_cpu_##name##_kernels, &berth_cpu_##name##_kernel_count }

static const family_t cpu_families[] = {
    CPU_FAMILY(binary),   CPU_FAMILY(string),    CPU_FAMILY(unary),
    CPU_FAMILY(select),   CPU_FAMILY(cast),      CPU_FAMILY(add_n),
    CPU_FAMILY(like),     CPU_FAMILY(alias),     CPU_FAMILY(shape),
    CPU_FAMILY(concat),   CPU_FAMILY(split),     CPU_FAMILY(slice),
    CPU_FAMILY(tile),     CPU_FAMILY(transpose), CPU_FAMILY(range),
    CPU_FAMILY(gather),   CPU_FAMILY(one_hot),   CPU_FAMILY(random),
    CPU_FAMILY(variable), CPU_FAMILY(queue),     CPU_FAMILY(report),
    CPU_FAMILY(matmul),   CPU_FAMILY(bias),      CPU_FAMILY(softmax),
    CPU_FAMILY(reduce),   CPU_FAMILY(arg),
};

const berth_backend_t *berth_backends_cpu(void) { return &berth_cpu_backend; }

berth_code_t berth_backends_add_kernels(berth_error_t *err) {
  for (int i = 0; i < BERTH_COUNT_OF(cpu_families); ++i) {
    BERTH_TRY(berth_kernel_add("CPU", cpu_families[i].kernels,
                               *cpu_families[i].count, err));
  }
  return BERTH_OK;
}
