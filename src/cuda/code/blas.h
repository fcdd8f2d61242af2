// blas.h - Products by cuBLASLt: planned once, then queued.
//
// The library's matrices lie by columns, Berth's by rows; a matrix by rows is
// its transpose by columns. So what is asked for is the transpose of C, which
// is B' A': the two inputs change places and nothing is moved.
//
// Threads: thread-safe. A plan is immutable: several runs may use it at once.
#ifndef BERTH_CUDA_CODE_BLAS_H_
#define BERTH_CUDA_CODE_BLAS_H_

#include "cuda/card/context.h"
#include "cuda/card/cublaslt.h"
#include "cuda/ops/product.h"

// The library's description of a product, in its order: |first| is B. These are
// objects on the host, which belong to no context.
typedef struct berth_blas_objects {
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t first, second, result;
} berth_blas_objects_t;

// How the library computes a product. Outlives resets of the card.
typedef struct berth_blas_plan {
  berth_cuda_card_t *card;       // Borrowed; lives as long as the process.
  berth_blas_objects_t objects;  // Owned by the arena of the kernel's plan.
  cublasLtMatmulAlgo_t algorithm;
  uint64_t workspace;  // Bytes it works in, at the start of the scratch space.
  bool has_tf32;       // TF32 makes a difference here;
  bool is_tf32;        // it was chosen for that.
  // What the addresses of each repetition must be multiples of.
  uint32_t align_a, align_b, align_c;
} berth_blas_plan_t;

// Plans in |*out_plan|, which lies in the plan of |prepare|, how |product|,
// with at least one element and one term, is computed on its device. Starts the
// device, and opens the library, where that was not done.
//
// Fails with BERTH_UNAVAILABLE without the library and BERTH_UNIMPLEMENTED when
// it has nothing for this product: then another kernel has to do it.
BERTH_NODISCARD berth_code_t berth_blas_prepare(
    berth_prepare_t *prepare, const berth_cuda_product_t *product,
    berth_blas_plan_t *out_plan, berth_error_t *err);

// Returns the bytes of scratch space for |plan|, for prepare to ask for; 0:
// none.
size_t berth_blas_scratch(const berth_blas_plan_t *plan);

// True when the addresses in |args| suit |plan|. Asked before every run: those
// of feeds and views may be anything. Another kernel does it where they do not.
bool berth_blas_is_aligned(const berth_blas_plan_t *plan, void *const *args);

// Queues |product| on the stream of |call|. |args| are A, B, C and the scratch
// space; they are aligned. Fails as the library does, with |call->err|
// described, and as berth_cuda_bind() does.
BERTH_NODISCARD berth_code_t berth_blas_run(const berth_blas_plan_t *plan,
                                            const berth_cuda_product_t *product,
                                            void *const *args,
                                            berth_call_t *call);

// Destroys the handle of |card|, whose context is bound and about to be closed.
// The next product makes another.
void berth_blas_forget(const berth_cuda_card_t *card);

#endif  // BERTH_CUDA_CODE_BLAS_H_
