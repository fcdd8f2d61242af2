// product.h - Products of matrices of floats, by the loops of the CPU's kernels.
//
// Those loops are Berth's own and need no library; a copy of them is linked into
// this one.
//
// Thread-safe.
#ifndef BERTH_SOFTGPU_PRODUCT_H_
#define BERTH_SOFTGPU_PRODUCT_H_

#include <stdbool.h>
#include <stdint.h>

// C = A·B, or C += A·B. Element (i, p) of A is a[i * a_row + p * a_col]; C is
// stored by rows.
typedef struct berth_soft_product {
  int64_t m, n, k;
  const float *a;
  int64_t a_row, a_col;
  const float *b;
  int64_t b_row, b_col;
  float *c;
  int64_t c_row;
  bool adds;
} berth_soft_product_t;

// Does |product| on the calling thread, tile by tile; false when there is no
// memory to work in. A process that ends is not waited for: what is left of the
// product is left undone.
bool berth_soft_product_run(const berth_soft_product_t *product);

#endif  // BERTH_SOFTGPU_PRODUCT_H_
