// einsum_product.h - An Einsum as products of matrices.
//
// Of all loops one over rows, one over columns and one that is summed over are
// a product, and the others are around it:
//
//   bqhd,bkhd->bhqk    for b: for h: out[q,k] = sum over d of a[q,d] b[d,k]
//
// Immutable once made.
#ifndef BERTH_CPU_OPS_EINSUM_PRODUCT_H_
#define BERTH_CPU_OPS_EINSUM_PRODUCT_H_

#include "cpu/loops/gemm.h"
#include "cpu/ops/slots.h"
#include "op/einsum.h"

// One loop; steps of A, B and the output.
typedef struct berth_einsum_loop {
  int64_t dim, steps[BERTH_EINSUM_INPUTS + 1];
  bool is_summed;
} berth_einsum_loop_t;

typedef struct berth_einsum_product {
  berth_gemm_t gemm;
  berth_gemm_fn tile;
  bool is_turned;  // A is the second input.
  int64_t size;    // Bytes of an element.
  // What is around the product: loops over the output, then sums.
  berth_einsum_loop_t loops[BERTH_EINSUM_LOOPS];
  int32_t kept, count;
  int64_t tile_m, tile_n, tiles_m, tiles_n;
  int64_t items, grain;
  berth_slots_t slots;
} berth_einsum_product_t;

// Plans |einsum|, whose elements have |size| bytes, as products. False: it is
// none.
bool berth_einsum_product_plan(const berth_einsum_t *einsum, int64_t size,
                               berth_einsum_product_t *out_product);

// Computes it; |scratch| has the bytes of its slots.
void berth_einsum_product_run(const berth_einsum_product_t *product,
                              void *const *inputs, void *out, void *scratch);

#endif  // BERTH_CPU_OPS_EINSUM_PRODUCT_H_
