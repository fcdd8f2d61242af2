// complex.h - The elements of complex tensors: the real part, then the
// imaginary one, in C's own types.
#ifndef BERTH_TENSOR_COMPLEX_H_
#define BERTH_TENSOR_COMPLEX_H_

#include <complex.h>

typedef float complex berth_complex64_t;
typedef double complex berth_complex128_t;

_Static_assert(sizeof(berth_complex64_t) == 8, "two floats");
_Static_assert(sizeof(berth_complex128_t) == 16, "two doubles");

#endif  // BERTH_TENSOR_COMPLEX_H_
