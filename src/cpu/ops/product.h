// product.h - Products of many matrices at once, and how they are spread.
//
// A batch of products is a list of items: the tiles of the first product, those
// of the second, and so on. Items are independent; each is computed by one
// thread, in a slot of the scratch space.
//
//   scratch   [a flag per slot | slot 0 | slot 1 | ...]
//
// Immutable once made.
#ifndef BERTH_CPU_OPS_PRODUCT_H_
#define BERTH_CPU_OPS_PRODUCT_H_

#include "cpu/loops/gemm.h"
#include "kernel/kernel.h"

typedef struct berth_product {
  berth_gemm_t gemm;  // Any one of the products.
  berth_dtype_t dtype;
  int64_t batch;  // How many there are.
  // The dimensions of the batch, and how many matrices of A and B one step
  // along each goes; 0 where the input is repeated.
  int32_t batch_rank;
  const int64_t *batch_dims, *a_steps, *b_steps;
  int64_t a_size, b_size;  // Elements of one matrix.

  // Chosen by berth_product_prepare(), which may change the first half too.
  bool is_turned;  // A and B have changed places.
  berth_gemm_fn tile;
  berth_gemm_rows_fn rows;  // Not NULL: used instead of |tile|.
  bool is_onednn;           // oneDNN is used instead of both.
  int64_t element_size;
  int64_t tile_m, tile_n;
  int64_t tiles_m, tiles_n;
  int64_t grain;  // Items of a piece.
  int32_t slots;
  int64_t slot_size;
} berth_product_t;

// Chooses how |product|, filled in but for the second half, is computed: sets
// the run function, the scratch space and the work of |prepare|, whose plan is
// |product|.
void berth_product_prepare(berth_product_t *product, berth_prepare_t *prepare);

#endif  // BERTH_CPU_OPS_PRODUCT_H_
