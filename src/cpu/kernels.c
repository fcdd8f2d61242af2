// kernels.c - Adds the CPU kernels to the registry.
#include "cpu/kernels.h"

typedef struct family {
  const berth_kernel_t *kernels;
  const int *count;
} family_t;

#define FAMILY(name) \
  { berth_cpu_##name##_kernels, &berth_cpu_##name##_kernel_count }

berth_code_t berth_cpu_add_kernels(berth_error_t *err) {
  static const family_t families[] = {
      FAMILY(binary),    FAMILY(string),    FAMILY(text),    FAMILY(unary),
      FAMILY(select),    FAMILY(cast),      FAMILY(add_n),   FAMILY(like),
      FAMILY(alias),     FAMILY(shape),     FAMILY(concat),  FAMILY(split),
      FAMILY(slice),     FAMILY(tile),      FAMILY(pad),     FAMILY(range),
      FAMILY(transpose), FAMILY(gather),    FAMILY(one_hot), FAMILY(where),
      FAMILY(random),    FAMILY(variable),  FAMILY(queue),   FAMILY(report),
      FAMILY(check),     FAMILY(matmul),    FAMILY(einsum),  FAMILY(bias),
      FAMILY(softmax),   FAMILY(reduce),    FAMILY(arg),     FAMILY(top_k),
      FAMILY(in_top_k),  FAMILY(lin_space), FAMILY(l2_loss), FAMILY(unique),
      FAMILY(flow),
  };
  for (int i = 0; i < BERTH_COUNT_OF(families); ++i) {
    BERTH_TRY(
        berth_kernel_add("CPU", families[i].kernels, *families[i].count, err));
  }
  return BERTH_OK;
}
