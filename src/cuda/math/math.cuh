// math.cuh - Mathematical functions for kernels: berth_exp_f32() and so on.
//
// The functions of float are in math32.cuh, those of double in math64.cuh; both
// have the same names, so that macros over the type can call them. Kernels of
// 16-bit types call those of float.
#ifndef BERTH_CUDA_MATH_MATH_CUH_
#define BERTH_CUDA_MATH_MATH_CUH_

#include "cuda/math/math32.cuh"
#include "cuda/math/math64.cuh"

#endif  // BERTH_CUDA_MATH_MATH_CUH_
