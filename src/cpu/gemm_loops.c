// gemm_loops.c - Products of matrices of integers and of complex numbers.
//
// Each row of C is the sum of rows of B, DEPTH of them at a time, so that these
// stay in the cache for all rows of C. A transposed B is read across.
#include <string.h>

#include "cpu/gemm.h"

enum { DEPTH = 64 };

// Integers are unsigned here: they wrap without being undefined.
#define INTEGER_GEMM(name, T, W)                                             \
  static void name##_row(const berth_gemm_t *gemm, const T *a, const T *b,   \
                         int64_t k, T *c) {                                  \
    for (int64_t p = 0; p < k; ++p) {                                        \
      const T *row = b + p * gemm->b_row;                                    \
      W x = a[p * gemm->a_col];                                              \
      if (gemm->b_col == 1) {                                                \
        for (int64_t j = 0; j < gemm->n; ++j) c[j] = (T)(c[j] + x * row[j]); \
      } else {                                                               \
        for (int64_t j = 0; j < gemm->n; ++j) {                              \
          c[j] = (T)(c[j] + x * row[j * gemm->b_col]);                       \
        }                                                                    \
      }                                                                      \
    }                                                                        \
  }                                                                          \
                                                                             \
  void berth_gemm_##name(const berth_gemm_t *gemm, const void *a,            \
                         const void *b, void *c, void *space) {              \
    (void)space;                                                             \
    for (int64_t i = 0; i < gemm->m; ++i) {                                  \
      memset((T *)c + i * gemm->c_row, 0, (size_t)gemm->n * sizeof(T));      \
    }                                                                        \
    for (int64_t p = 0; p < gemm->k; p += DEPTH) {                           \
      int64_t k = gemm->k - p < DEPTH ? gemm->k - p : DEPTH;                 \
      for (int64_t i = 0; i < gemm->m; ++i) {                                \
        name##_row(gemm, (const T *)a + i * gemm->a_row + p * gemm->a_col,   \
                   (const T *)b + p * gemm->b_row, k,                        \
                   (T *)c + i * gemm->c_row);                                \
      }                                                                      \
    }                                                                        \
  }

INTEGER_GEMM(int16, uint16_t, uint32_t)
INTEGER_GEMM(int32, uint32_t, uint32_t)
INTEGER_GEMM(int64, uint64_t, uint64_t)

// A complex number is two of T. With B conjugated the sum of a * conj(b) is
// made as the conjugate of the sum of conj(a) * b, so that the inner loop is
// the same.
#define COMPLEX_GEMM(name, T)                                                 \
  static void name##_row(const berth_gemm_t *gemm, const T *a, const T *b,    \
                         int64_t k, T *c) {                                   \
    bool flip = gemm->conj_a != gemm->conj_b;                                 \
    for (int64_t p = 0; p < k; ++p) {                                         \
      const T *row = b + 2 * p * gemm->b_row;                                 \
      T re = a[2 * p * gemm->a_col], im = a[2 * p * gemm->a_col + 1];         \
      if (flip) im = -im;                                                     \
      for (int64_t j = 0; j < gemm->n; ++j) {                                 \
        const T *y = row + 2 * j * gemm->b_col;                               \
        c[2 * j] += re * y[0] - im * y[1];                                    \
        c[2 * j + 1] += re * y[1] + im * y[0];                                \
      }                                                                       \
    }                                                                         \
  }                                                                           \
                                                                              \
  static void name##_conjugate(const berth_gemm_t *gemm, T *c) {              \
    for (int64_t i = 0; i < gemm->m; ++i) {                                   \
      T *row = c + 2 * i * gemm->c_row;                                       \
      for (int64_t j = 0; j < gemm->n; ++j) row[2 * j + 1] = -row[2 * j + 1]; \
    }                                                                         \
  }                                                                           \
                                                                              \
  void berth_gemm_##name(const berth_gemm_t *gemm, const void *a,             \
                         const void *b, void *c, void *space) {               \
    (void)space;                                                              \
    for (int64_t i = 0; i < gemm->m; ++i) {                                   \
      memset((T *)c + 2 * i * gemm->c_row, 0,                                 \
             (size_t)gemm->n * 2 * sizeof(T));                                \
    }                                                                         \
    for (int64_t p = 0; p < gemm->k; p += DEPTH) {                            \
      int64_t k = gemm->k - p < DEPTH ? gemm->k - p : DEPTH;                  \
      for (int64_t i = 0; i < gemm->m; ++i) {                                 \
        name##_row(gemm,                                                      \
                   (const T *)a + 2 * (i * gemm->a_row + p * gemm->a_col),    \
                   (const T *)b + 2 * p * gemm->b_row, k,                     \
                   (T *)c + 2 * i * gemm->c_row);                             \
      }                                                                       \
    }                                                                         \
    if (gemm->conj_b) name##_conjugate(gemm, c);                              \
  }

COMPLEX_GEMM(complex64, float)
COMPLEX_GEMM(complex128, double)
