// matmul.cu - Products of matrices, for when cuBLASLt is absent.
//
// The result is cut into tiles of TILE by TILE; a block walks along a tile's
// rows of A and columns of B in slabs of DEPTH that it copies to shared memory
// first:
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
#include "cuda/math/block.cuh"

#ifdef __CUDA_ARCH__
#define SIDE 16U
#else
#define SIDE 1U
#endif
#define TILE ((uint32_t)(SIDE * EACH))
#define DEPTH 16U
// One more than a tile has, so that a column lies in different banks.
#define PITCH (TILE + 1)

#define KERNELS "cuda/ops/matmul_tiled.cuh"
#include "cuda/ops/matmul_types.cuh"
