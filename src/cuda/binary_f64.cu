// binary_f64.cu - Arithmetic of two inputs: double.
#include "cuda/binary.cuh"

BERTH_BINARY_REAL(f64, 2)
