// packed.h - Constant matrices, packed once for all plans that multiply by them.
//
// A constant filter is read by every layout of a program, and by every run; it
// is packed when the first plan asks for it, shared, and freed with the last.
//
// Threads: thread-safe.
#ifndef BERTH_CPU_OPS_PACKED_H_
#define BERTH_CPU_OPS_PACKED_H_

#include "cpu/loops/gemm.h"
#include "kernel/kernel.h"

// What is packed: |count| matrices, each |step| elements of |size| bytes behind
// the one before.
typedef struct berth_matrices {
  const void
      *value;  // Stays as long as the plan (berth_case_input_t.is_fixed).
  berth_gemm_t gemm;  // Its n, k, b_row, b_col.
  int64_t count, step, size;
} berth_matrices_t;

// Returns them packed, one behind the other, as long as the plan of |prepare|
// lives. NULL when memory is short.
const void *berth_packed_get(berth_prepare_t *prepare,
                             const berth_matrices_t *matrices,
                             berth_gemm_pack_fn pack);

#endif  // BERTH_CPU_OPS_PACKED_H_
