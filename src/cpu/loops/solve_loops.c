// solve_loops.c - Triangles, and how matrices become them.
#include <complex.h>
#include <math.h>
#include <string.h>

#include "cpu/loops/gemm.h"
#include "cpu/loops/solve.h"
#include "tensor/complex.h"

enum {
  BASE = 8,     // Up to so many rows nothing is halved.
  SMALL = 8192  // Up to so many multiplications nothing is packed.
};

// Computes C += A B in |space|, of floats and doubles.
static void add_product(const berth_gemm_t *gemm, const void *a, const void *b,
                        void *c, void *space, berth_gemm_fn tile,
                        berth_gemm_fn plain) {
  bool is_small = gemm->m * gemm->n * gemm->k <= SMALL || gemm->n <= BASE;
  (is_small ? plain : tile)(gemm, a, b, c, space);
}

#define TILE(name) BERTH_ISA_PICK(berth_cpu_gemm_loops)->name
#define PLAIN(name) BERTH_ISA_PICK(berth_cpu_gemm_plain)->name

#define NUMBER float
#define REAL float
#define NAME(x) x##_f32
#define DTYPE BERTH_FLOAT
#define SIZE_OF(x) fabsf(x)
#define SIGN_OF(x) (isnan(x) ? (x) : copysignf(1, x))
#define CONJ(x) (x)
#define PART(x) (x)
#define MUL(x, y) ((x) * (y))
#define OVER(x, y, inverse) ((x) / (y))
#define PRODUCT(gemm, a, b, c, space) \
  add_product(gemm, a, b, c, space, TILE(f32), PLAIN(f32))
#define LOG_OF logf
#define EXP_OF expf
#define SQRT_OF sqrtf
#include "cpu/loops/solve_slot.inc"

#define NUMBER double
#define REAL double
#define NAME(x) x##_f64
#define DTYPE BERTH_DOUBLE
#define SIZE_OF(x) fabs(x)
#define SIGN_OF(x) (isnan(x) ? (x) : copysign(1, x))
#define CONJ(x) (x)
#define PART(x) (x)
#define MUL(x, y) ((x) * (y))
#define OVER(x, y, inverse) ((x) / (y))
#define PRODUCT(gemm, a, b, c, space) \
  add_product(gemm, a, b, c, space, TILE(f64), PLAIN(f64))
#define LOG_OF log
#define EXP_OF exp
#define SQRT_OF sqrt
#include "cpu/loops/solve_slot.inc"

// Products are spelled out: C's look for infinities.
static inline berth_complex64_t mul_c64(berth_complex64_t x,
                                        berth_complex64_t y) {
  return __builtin_complex(crealf(x) * crealf(y) - cimagf(x) * cimagf(y),
                           crealf(x) * cimagf(y) + cimagf(x) * crealf(y));
}

static inline berth_complex128_t mul_c128(berth_complex128_t x,
                                          berth_complex128_t y) {
  return __builtin_complex(creal(x) * creal(y) - cimag(x) * cimag(y),
                           creal(x) * cimag(y) + cimag(x) * creal(y));
}

// As exact as hypot, which is slow.
static inline float size_c64(berth_complex64_t x) {
  double re = crealf(x), im = cimagf(x);
  return (float)sqrt(re * re + im * im);
}

static inline berth_complex64_t sign_c64(berth_complex64_t x) {
  float size = size_c64(x);
  return size == 0 ? 1 : x / size;
}

static inline berth_complex128_t sign_c128(berth_complex128_t x) {
  double size = cabs(x);
  return size == 0 ? 1 : x / size;
}

#define NUMBER berth_complex64_t
#define REAL float
#define NAME(x) x##_c64
#define DTYPE BERTH_COMPLEX64
#define SIZE_OF(x) size_c64(x)
#define SIGN_OF(x) sign_c64(x)
#define CONJ(x) conjf(x)
#define PART(x) crealf(x)
#define MUL(x, y) mul_c64(x, y)
#define OVER(x, y, inverse) mul_c64(x, inverse)
#define PRODUCT(gemm, a, b, c, space) PLAIN(complex64)(gemm, a, b, c, space)
#define LOG_OF logf
#define EXP_OF expf
#define SQRT_OF sqrtf
#include "cpu/loops/solve_slot.inc"

#define NUMBER berth_complex128_t
#define REAL double
#define NAME(x) x##_c128
#define DTYPE BERTH_COMPLEX128
#define SIZE_OF(x) cabs(x)
#define SIGN_OF(x) sign_c128(x)
#define CONJ(x) conj(x)
#define PART(x) creal(x)
#define MUL(x, y) mul_c128(x, y)
#define OVER(x, y, inverse) mul_c128(x, inverse)
#define PRODUCT(gemm, a, b, c, space) PLAIN(complex128)(gemm, a, b, c, space)
#define LOG_OF log
#define EXP_OF exp
#define SQRT_OF sqrt
#include "cpu/loops/solve_slot.inc"

const berth_solve_loops_t *berth_solve_loops(berth_dtype_t dtype) {
  static const berth_solve_loops_t *const all[] = {&loops_f32, &loops_f64,
                                                   &loops_c64, &loops_c128};
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
    if (all[i]->dtype == dtype) return all[i];
  }
  return all[0];
}

// Numbers that are negated for a product.
static size_t numbers_size(berth_dtype_t dtype, int64_t n, int64_t columns) {
  int64_t most = n > columns ? n : columns;
  return ((size_t)(n * most) * berth_dtype_size(dtype) + 63) & ~(size_t)63;
}

size_t berth_solve_space_size(berth_dtype_t dtype, int64_t n, int64_t columns) {
  int64_t most = n > columns ? n : columns;
  int64_t size = (int64_t)berth_dtype_size(dtype);
  return numbers_size(dtype, n, columns) +
         (size_t)berth_gemm_space(n, most, n, size);
}

berth_solve_space_t berth_solve_space_at(berth_dtype_t dtype, int64_t n,
                                         int64_t columns, void *memory) {
  return (berth_solve_space_t){
      memory, (char *)memory + numbers_size(dtype, n, columns)};
}
