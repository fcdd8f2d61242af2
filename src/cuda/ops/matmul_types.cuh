// matmul_types.cuh - Makes kernels of products for every type of numbers.
//
// KERNELS is the file that has them. It is included once for each type, with
//   SUFFIX            the short name of the type, as in number.cuh
//   IS_COMPLEX        defined for complex numbers alone
//   STORED, WORKING   the types that numbers are stored and computed with
//   NAME(what)        what_SUFFIX
//   KERNEL(name)      begins a kernel that takes berth_matmul_params_t
// and with the functions of matmul_term.cuh.
#include "cuda/math/number.cuh"
#include "cuda/ops/matmul_params.h"

#define KERNEL(name) BERTH_KERNEL(name, berth_matmul_params_t)
#define NAME(what) PASTE(what, SUFFIX)
#define PASTE(what, suffix) PASTE_NOW(what, suffix)
#define PASTE_NOW(what, suffix) what##_##suffix
#define STORED NAME(berth_stored)
#define WORKING NAME(berth_working)

#ifdef __CUDA_ARCH__
// A sum of products may round once where it would round twice.
#pragma clang fp contract(fast)
#endif

#define SUFFIX f16
#include "cuda/ops/matmul_term.cuh"
#include KERNELS
#undef SUFFIX

#define SUFFIX bf16
#include "cuda/ops/matmul_term.cuh"
#include KERNELS
#undef SUFFIX

#define SUFFIX f32
#include "cuda/ops/matmul_term.cuh"
#include KERNELS
#undef SUFFIX

#define SUFFIX f64
#include "cuda/ops/matmul_term.cuh"
#include KERNELS
#undef SUFFIX

#define IS_COMPLEX
#define SUFFIX c64
#include "cuda/ops/matmul_term.cuh"
#include KERNELS
#undef SUFFIX

#define SUFFIX c128
#include "cuda/ops/matmul_term.cuh"
#include KERNELS
#undef SUFFIX
