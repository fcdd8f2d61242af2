// packed.h - Constant matrices, packed once for all plans that multiply by them.
//
// A constant filter is read by every layout of a program, and by every run. It
// is packed when the first run wants it, shared, and freed with the last plan
// that claimed it.
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
  berth_gemm_pack_fn pack;
  // Optional: makes the matrices, count * step elements, of |value|, which is
  // something else then: a filter of |window| taps along an axis.
  void (*make)(const struct berth_matrices *matrices, void *out);
  int64_t window;
} berth_matrices_t;

typedef struct berth_packed berth_packed_t;

// Claims |matrices| for the plan of |prepare|, their columns multiplied by
// |factors|, floats that are copied, unless that is NULL: of matrices of floats.
// NULL when memory is short.
const berth_packed_t *berth_packed_claim(berth_prepare_t *prepare,
                                         const berth_matrices_t *matrices,
                                         const float *factors);

// Returns the matrices, packed, one behind the other. NULL when memory is short.
const void *berth_packed_data(const berth_packed_t *packed);

#endif  // BERTH_CPU_OPS_PACKED_H_
