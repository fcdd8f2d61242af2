// gemm_plain_isa.c - Products of matrices of integers and of complex numbers,
// and small ones of floats.
//
// See gemm_plain.inc. Integers are unsigned here: they wrap without being
// undefined.
#include <string.h>

#include "cpu/loops/gemm.h"
#include "cpu/loops/shuffle.h"
#include "cpu/loops/simd.h"

enum { DEPTH = 128 };  // Rows of B that are packed at a time: 16 kB at most.

// Accumulators, two vectors a row, stay in registers.
#if defined(__AVX512F__)
#define ROWS 8
#else
#define ROWS 4
#endif

static int64_t at_most(int64_t count, int64_t most) {
  return count < most ? count : most;
}

typedef uint16_t u16v_t __attribute__((vector_size(BERTH_VECTOR_BYTES)));
typedef uint32_t u32v_t __attribute__((vector_size(BERTH_VECTOR_BYTES)));
typedef uint64_t u64v_t __attribute__((vector_size(BERTH_VECTOR_BYTES)));

#if defined(__AVX512BW__)
// Parts of vectors of elements of |size| bytes (a constant).
static BERTH_INLINE __m512i part_load(const int size, const void *from,
                                      int64_t count) {
  uint64_t mask = count > 0 ? (UINT64_C(1) << count) - 1 : 0;
  if (size == 2) return _mm512_maskz_loadu_epi16((__mmask32)mask, from);
  if (size == 4) return _mm512_maskz_loadu_epi32((__mmask16)mask, from);
  return _mm512_maskz_loadu_epi64((__mmask8)mask, from);
}

static BERTH_INLINE void part_store(const int size, void *to, __m512i v,
                                    int64_t count) {
  uint64_t mask = count > 0 ? (UINT64_C(1) << count) - 1 : 0;
  if (size == 2) _mm512_mask_storeu_epi16(to, (__mmask32)mask, v);
  if (size == 4) _mm512_mask_storeu_epi32(to, (__mmask16)mask, v);
  if (size == 8) _mm512_mask_storeu_epi64(to, (__mmask8)mask, v);
}
#endif

#define IS_COMPLEX 0
#define HAS_FEW 0
#define EVEN(a, b) (a)
#define ODD(a, b) (b)
#define LOW(a, b) (a)
#define HIGH(a, b) (b)

#define T float
#define V berth_f32v_t
#define NAME(x) f32_##x
#include "cpu/loops/gemm_plain.inc"

#define T double
#define V berth_f64v_t
#define NAME(x) f64_##x
#include "cpu/loops/gemm_plain.inc"

#undef HAS_FEW
#define HAS_FEW 1
#define T uint16_t
#define V u16v_t
#define NAME(x) int16_##x
#include "cpu/loops/gemm_plain.inc"

#define T uint32_t
#define V u32v_t
#define NAME(x) int32_##x
#include "cpu/loops/gemm_plain.inc"

#define T uint64_t
#define V u64v_t
#define NAME(x) int64_##x
#include "cpu/loops/gemm_plain.inc"

#undef IS_COMPLEX
#undef EVEN
#undef ODD
#undef LOW
#undef HIGH
#define IS_COMPLEX 1

#define EVEN(a, b) BERTH_F32_SHUFFLE(EVEN)(a, b)
#define ODD(a, b) BERTH_F32_SHUFFLE(ODD)(a, b)
#define LOW(a, b) BERTH_F32_SHUFFLE(LOW)(a, b)
#define HIGH(a, b) BERTH_F32_SHUFFLE(HIGH)(a, b)
#define T float
#define V berth_f32v_t
#define NAME(x) complex64_##x
#include "cpu/loops/gemm_plain.inc"
#undef EVEN
#undef ODD
#undef LOW
#undef HIGH

#define EVEN(a, b) BERTH_F64_SHUFFLE(EVEN)(a, b)
#define ODD(a, b) BERTH_F64_SHUFFLE(ODD)(a, b)
#define LOW(a, b) BERTH_F64_SHUFFLE(LOW)(a, b)
#define HIGH(a, b) BERTH_F64_SHUFFLE(HIGH)(a, b)
#define T double
#define V berth_f64v_t
#define NAME(x) complex128_##x
#include "cpu/loops/gemm_plain.inc"

const berth_gemm_plain_t BERTH_ISA(berth_cpu_gemm_plain) = {
    .f32 = f32_product,
    .f64 = f64_product,
    .int16 = int16_product,
    .int32 = int32_product,
    .int64 = int64_product,
    .complex64 = complex64_product,
    .complex128 = complex128_product,
};
