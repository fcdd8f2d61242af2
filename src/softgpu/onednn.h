// onednn.h - oneDNN's product of matrices.
//
// Opened with the first handle of cuBLASLt, by the caller's thread: streams
// share no lock, not even that of the dynamic linker.
//
// Thread-safe.
#ifndef BERTH_SOFTGPU_ONEDNN_H_
#define BERTH_SOFTGPU_ONEDNN_H_

#include <stdbool.h>
#include <stdint.h>

// One product of row-major matrices of floats: C = A·B + keep·C, with rows of
// |lda|, |ldb| and |ldc| elements. 'T' transposes what is stored.
typedef struct berth_soft_product {
  char trans_a, trans_b;  // 'N' or 'T'.
  int64_t m, n, k;
  const float *a;
  int64_t lda;
  const float *b;
  int64_t ldb;
  bool keep;
  float *c;
  int64_t ldc;
} berth_soft_product_t;

// Opens the library, unless that was tried before.
void berth_soft_onednn_open(void);

// Does |product| on the calling thread; false when there is no oneDNN
// (BERTH_ONEDNN=0 leaves it closed), it refused, or memory was short.
bool berth_soft_onednn_run(const berth_soft_product_t *product);

#endif  // BERTH_SOFTGPU_ONEDNN_H_
