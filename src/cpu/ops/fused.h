// fused.h - What kernels of fused ops are made of.
#ifndef BERTH_CPU_OPS_FUSED_H_
#define BERTH_CPU_OPS_FUSED_H_

#include <string.h>

#include "kernel/kernel.h"

// Returns the first kernel for |op| in |table|, or NULL. Constant.
static inline const berth_kernel_t *berth_cpu_kernel_of(
    const berth_kernel_t *table, const char *op) {
  while (table->op != NULL && strcmp(table->op, op) != 0) ++table;
  return table->op != NULL ? table : NULL;
}

#endif  // BERTH_CPU_OPS_FUSED_H_
