// product.h - Products of many matrices at once, and how they are spread.
//
// A batch of products is a list of items: the tiles of the first product, those
// of the second, and so on. Items are independent; each is computed by one
// thread, in a slot of the scratch space (slots.h).
//
// Immutable once made.
#ifndef BERTH_CPU_OPS_PRODUCT_H_
#define BERTH_CPU_OPS_PRODUCT_H_

#include "cpu/loops/gemm.h"
#include "cpu/ops/slots.h"
#include "kernel/kernel.h"
#include "op/matrix.h"

typedef struct berth_cpu_product {
  berth_gemm_t gemm;  // Any one of the products.
  berth_dtype_t dtype;
  // As in berth_product_t.
  int64_t batch;
  int32_t batch_rank;
  const int64_t *batch_dims, *a_steps, *b_steps;
  int64_t a_size, b_size;    // Elements of one matrix.
  int64_t a_first, b_first;  // Where the first one begins.
  // Whole matrices that follow each other, each tile one, without space.
  bool is_even;
  int64_t a_even, b_even;  // 0: it is always the same one.
  int64_t row;             // Of the result.
  berth_run_fn run;        // What computes it.

  bool is_turned;     // A and B have changed places.
  berth_run_fn half;  // What does half by the loops of floats, or NULL.
  berth_gemm_fn tile;
  berth_gemm_rows_fn rows;  // Not NULL: used instead of |tile|.
  bool is_plain;            // |tile| needs no space and takes no ending.
  bool is_onednn;           // oneDNN is used instead of both.
  int64_t element_size;
  int64_t tile_m, tile_n;
  int64_t tiles_m, tiles_n;
  int64_t grain;  // Items of a piece.
  berth_slots_t slots;
} berth_cpu_product_t;

// Returns what computes tiles of |dtype|, one of those that MatMul has.
berth_gemm_fn berth_cpu_product_tile(berth_dtype_t dtype);

// Returns what packs for it, or NULL: nothing does.
berth_gemm_pack_fn berth_cpu_product_pack(berth_dtype_t dtype);

// Returns what computes |product| of half by the plain loops of floats, or NULL:
// tiles are better.
berth_run_fn berth_cpu_product_half(const berth_cpu_product_t *product);

// Chooses how |product| is computed: sets the run function, the plan, the
// scratch space and the work of |prepare|.
BERTH_NODISCARD berth_code_t
berth_cpu_product_plan(berth_prepare_t *prepare, const berth_product_t *product,
                       berth_error_t *err);

#endif  // BERTH_CPU_OPS_PRODUCT_H_
