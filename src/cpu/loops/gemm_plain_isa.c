// gemm_plain_isa.c - Products of matrices of integers and of complex numbers.
//
// For each block of DEPTH rows and WIDTH columns of B:
//   1. the block is copied, so that its rows lie side by side even when B is
//      transposed; complex numbers are split into real and imaginary parts
//   2. each row of C, WIDTH wide, takes the rows of the block, multiplied
#include <string.h>

#include "cpu/loops/gemm.h"

enum { DEPTH = 32, WIDTH = 128 };

static int64_t at_most(int64_t count, int64_t most) {
  return count < most ? count : most;
}

// Integers are unsigned here: they wrap without being undefined. Products of
// short ones are made in W, where they cannot overflow.
#define INTEGER_GEMM(name, T, W)                                               \
  static void name##_copy(const berth_gemm_t *gemm, const T *b, int64_t k,     \
                          int64_t n, T *block) {                               \
    for (int64_t p = 0; p < k; ++p) {                                          \
      for (int64_t j = 0; j < n; ++j) {                                        \
        block[p * WIDTH + j] = b[p * gemm->b_row + j * gemm->b_col];           \
      }                                                                        \
    }                                                                          \
  }                                                                            \
                                                                               \
  static void name##_row(const berth_gemm_t *gemm, const T *a,                 \
                         const T *restrict block, int64_t k, int64_t n,        \
                         T *restrict c) {                                      \
    T sum[WIDTH];                                                              \
    memcpy(sum, c, (size_t)n * sizeof(T));                                     \
    for (int64_t p = 0; p < k; ++p) {                                          \
      W x = a[p * gemm->a_col];                                                \
      const T *row = block + p * WIDTH;                                        \
      for (int64_t j = 0; j < n; ++j) sum[j] = (T)(sum[j] + x * row[j]);       \
    }                                                                          \
    memcpy(c, sum, (size_t)n * sizeof(T));                                     \
  }                                                                            \
                                                                               \
  static void name##_product(const berth_gemm_t *gemm, const void *a,          \
                             const void *b, void *c, void *space) {            \
    (void)space;                                                               \
    T block[DEPTH * WIDTH];                                                    \
    for (int64_t i = 0; i < gemm->m; ++i) {                                    \
      memset((T *)c + i * gemm->c_row, 0, (size_t)gemm->n * sizeof(T));        \
    }                                                                          \
    for (int64_t p = 0; p < gemm->k; p += DEPTH) {                             \
      int64_t k = at_most(gemm->k - p, DEPTH);                                 \
      for (int64_t j = 0; j < gemm->n; j += WIDTH) {                           \
        int64_t n = at_most(gemm->n - j, WIDTH);                               \
        name##_copy(gemm, (const T *)b + p * gemm->b_row + j * gemm->b_col, k, \
                    n, block);                                                 \
        for (int64_t i = 0; i < gemm->m; ++i) {                                \
          name##_row(gemm, (const T *)a + i * gemm->a_row + p * gemm->a_col,   \
                     block, k, n, (T *)c + i * gemm->c_row + j);               \
        }                                                                      \
      }                                                                        \
    }                                                                          \
  }

INTEGER_GEMM(int16, uint16_t, uint32_t)
INTEGER_GEMM(int32, uint32_t, uint32_t)
INTEGER_GEMM(int64, uint64_t, uint64_t)

// A complex number is two of T. In a block the real parts come first, then the
// imaginary ones.
#define COMPLEX_GEMM(name, T)                                                  \
  static void name##_copy(const berth_gemm_t *gemm, const T *b, int64_t k,     \
                          int64_t n, T *block) {                               \
    T sign = gemm->conj_b ? -1 : 1;                                            \
    for (int64_t p = 0; p < k; ++p) {                                          \
      for (int64_t j = 0; j < n; ++j) {                                        \
        const T *from = b + 2 * (p * gemm->b_row + j * gemm->b_col);           \
        block[p * WIDTH + j] = from[0];                                        \
        block[(DEPTH + p) * WIDTH + j] = sign * from[1];                       \
      }                                                                        \
    }                                                                          \
  }                                                                            \
                                                                               \
  static void name##_row(const berth_gemm_t *gemm, const T *a,                 \
                         const T *restrict block, int64_t k, int64_t n,        \
                         T *restrict c) {                                      \
    T sum_re[WIDTH], sum_im[WIDTH];                                            \
    for (int64_t j = 0; j < n; ++j) {                                          \
      sum_re[j] = c[2 * j];                                                    \
      sum_im[j] = c[2 * j + 1];                                                \
    }                                                                          \
    for (int64_t p = 0; p < k; ++p) {                                          \
      T re = a[2 * p * gemm->a_col], im = a[2 * p * gemm->a_col + 1];          \
      if (gemm->conj_a) im = -im;                                              \
      const T *row_re = block + p * WIDTH;                                     \
      const T *row_im = row_re + DEPTH * WIDTH;                                \
      for (int64_t j = 0; j < n; ++j) {                                        \
        sum_re[j] += re * row_re[j] - im * row_im[j];                          \
        sum_im[j] += re * row_im[j] + im * row_re[j];                          \
      }                                                                        \
    }                                                                          \
    for (int64_t j = 0; j < n; ++j) {                                          \
      c[2 * j] = sum_re[j];                                                    \
      c[2 * j + 1] = sum_im[j];                                                \
    }                                                                          \
  }                                                                            \
                                                                               \
  static void name##_product(const berth_gemm_t *gemm, const void *a,          \
                             const void *b, void *c, void *space) {            \
    (void)space;                                                               \
    T block[2 * DEPTH * WIDTH];                                                \
    for (int64_t i = 0; i < gemm->m; ++i) {                                    \
      memset((T *)c + 2 * i * gemm->c_row, 0,                                  \
             (size_t)gemm->n * 2 * sizeof(T));                                 \
    }                                                                          \
    for (int64_t p = 0; p < gemm->k; p += DEPTH) {                             \
      int64_t k = at_most(gemm->k - p, DEPTH);                                 \
      for (int64_t j = 0; j < gemm->n; j += WIDTH) {                           \
        int64_t n = at_most(gemm->n - j, WIDTH);                               \
        name##_copy(gemm,                                                      \
                    (const T *)b + 2 * (p * gemm->b_row + j * gemm->b_col), k, \
                    n, block);                                                 \
        for (int64_t i = 0; i < gemm->m; ++i) {                                \
          name##_row(gemm,                                                     \
                     (const T *)a + 2 * (i * gemm->a_row + p * gemm->a_col),   \
                     block, k, n, (T *)c + 2 * (i * gemm->c_row + j));         \
        }                                                                      \
      }                                                                        \
    }                                                                          \
  }

COMPLEX_GEMM(complex64, float)
COMPLEX_GEMM(complex128, double)

const berth_gemm_plain_t BERTH_ISA(berth_cpu_gemm_plain) = {
    .int16 = int16_product,
    .int32 = int32_product,
    .int64 = int64_product,
    .complex64 = complex64_product,
    .complex128 = complex128_product,
};
