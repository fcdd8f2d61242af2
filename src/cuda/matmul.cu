// matmul.cu - Products of matrices, for when cuBLASLt is absent or too much.
//
// Two kernels for each type. The small one gives a thread to each element of
// the result. The other cuts the result into tiles of TILE by TILE; a block
// walks along a tile's rows of A and columns of B in slabs of DEPTH that it
// copies to shared memory first:
//
//         DEPTH       TILE            A tile has SIDE * SIDE parts, one for a
//        ┌────┐    ┌────────┐         thread; a part is EACH by EACH elements,
//   TILE │ a  │    │   b    │ DEPTH   SIDE apart, so that neighbouring threads
//        └────┘    └────────┘         read neighbouring numbers.
//
// A block with fewer threads than parts goes over the tile several times. On
// the host, where a block is one thread, a tile has one part.
//
// Half types and their sums are computed as float and rounded once, at the end.
#include "cuda/block.cuh"
#include "cuda/matmul_params.h"
#include "cuda/number.cuh"

#ifdef __CUDA_ARCH__
// A sum of products may round once where it would round twice.
#pragma clang fp contract(fast)
#define SIDE 16U
// Loops over parts of registers, which have no addresses.
#define UNROLLED _Pragma("unroll")
#else
#define SIDE 1U
#define UNROLLED
#endif
#define TILE (SIDE * EACH)
#define DEPTH 16U
// One more than a tile has, so that a column lies in different banks.
#define PITCH (TILE + 1)

#define KERNEL(name) BERTH_KERNEL(name, berth_matmul_params_t)
#define NAME(what) PASTE(what, SUFFIX)
#define PASTE(what, suffix) PASTE_NOW(what, suffix)
#define PASTE_NOW(what, suffix) what##_##suffix

#define EACH 8U
#define SUFFIX f16
#include "cuda/matmul_template.cuh"
#define SUFFIX bf16
#include "cuda/matmul_template.cuh"
#define SUFFIX f32
#include "cuda/matmul_template.cuh"

// Fewer sums fit into the registers of a thread.
#undef EACH
#define EACH 4U
#define SUFFIX f64
#include "cuda/matmul_template.cuh"
#define SUFFIX c64
#define IS_COMPLEX
#include "cuda/matmul_template.cuh"
#define SUFFIX c128
#define IS_COMPLEX
#include "cuda/matmul_template.cuh"
