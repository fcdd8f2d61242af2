// sparse_product.cu - Kernels of SparseTensorDenseMatMul.
//
// A kernel cannot report an index that is out of range. As in TensorFlow an
// element of a row that is not there is left out, one that meets no row of the
// dense matrix makes its row NaN. Half is summed in float.
#include "cuda/ops/sparse_product_params.h"

#include "cuda/math/atomic.cuh"

#define OUTSIDE (~(uint64_t)0)

BERTH_GPU_FN uint64_t index_at(const berth_product_params_t *p, uint64_t i) {
  return p->is_wide != 0 ? (uint64_t)((const int64_t *)p->places)[i]
                         : (uint64_t)((const int32_t *)p->places)[i];
}

// Stores where element |e| of the sparse matrix meets column |c| of the dense
// one; returns where the product belongs, or OUTSIDE.
BERTH_GPU_FN uint64_t meet(const berth_product_params_t *p, uint64_t e,
                           uint64_t c, uint64_t *b_at) {
  const uint64_t row = index_at(p, 2 * e + (p->turns_a != 0 ? 1 : 0));
  const uint64_t inner = index_at(p, 2 * e + (p->turns_a != 0 ? 0 : 1));
  *b_at = p->turns_b != 0 ? c * p->k + inner : inner * p->n + c;
  if (inner >= p->k) *b_at = OUTSIDE;
  return row < p->m ? row * p->n + c : OUTSIDE;
}

#define NONE_OF_REAL __builtin_nanf("")
#define TIMES(x, y) ((x) * (y))
#define AS_IT_IS(x, is_turned) (x)
#define CONJ_C64(x, is_turned) \
  ((is_turned) != 0 ? berth_make_c64((x).re, -(x).im) : (x))
#define CONJ_C128(x, is_turned) \
  ((is_turned) != 0 ? berth_make_c128((x).re, -(x).im) : (x))

// |sum_type| is what products are added up in.
#define DEFINE_PRODUCT(type, sum_type, MUL, CONJ, NONE)                       \
  BERTH_GPU_FN berth_stored_##sum_type product_of_##type(                     \
      const berth_product_params_t *p, uint64_t e, uint64_t b_at) {           \
    if (b_at == OUTSIDE) return NONE;                                         \
    const berth_working_##type a =                                            \
        berth_load_##type(((const berth_stored_##type *)p->values)[e]);       \
    const berth_working_##type b =                                            \
        berth_load_##type(((const berth_stored_##type *)p->b)[b_at]);         \
    return MUL(CONJ(a, p->turns_a), CONJ(b, p->turns_b));                     \
  }                                                                           \
                                                                              \
  BERTH_KERNEL(berth_sparse_product_##type, berth_product_params_t) {         \
    berth_stored_##sum_type *out = (berth_stored_##sum_type *)p.out;          \
    BERTH_EACH(i, p.count *p.n) {                                             \
      const uint64_t e = berth_gpu_divide(i, p.n);                            \
      uint64_t b_at;                                                          \
      const uint64_t at = meet(&p, e, i - e * p.n, &b_at);                    \
      if (at == OUTSIDE) continue;                                            \
      berth_join_##sum_type(&out[at], product_of_##type(&p, e, b_at),         \
                            BERTH_JOIN_ADD);                                  \
    }                                                                         \
  }                                                                           \
                                                                              \
  /* A thread has a column, so that every run gives the same. */              \
  BERTH_KERNEL(berth_sparse_product_ordered_##type, berth_product_params_t) { \
    berth_stored_##sum_type *out = (berth_stored_##sum_type *)p.out;          \
    BERTH_EACH(c, p.n) {                                                      \
      for (uint64_t e = 0; e < p.count; ++e) {                                \
        uint64_t b_at;                                                        \
        const uint64_t at = meet(&p, e, c, &b_at);                            \
        if (at == OUTSIDE) continue;                                          \
        berth_join_alone_##sum_type(&out[at], product_of_##type(&p, e, b_at), \
                                    BERTH_JOIN_ADD);                          \
      }                                                                       \
    }                                                                         \
  }

DEFINE_PRODUCT(f32, f32, TIMES, AS_IT_IS, NONE_OF_REAL)
DEFINE_PRODUCT(f64, f64, TIMES, AS_IT_IS, NONE_OF_REAL)
DEFINE_PRODUCT(f16, f32, TIMES, AS_IT_IS, NONE_OF_REAL)
DEFINE_PRODUCT(c64, c64, berth_mul_c64, CONJ_C64,
               berth_make_c64(NONE_OF_REAL, 0))
DEFINE_PRODUCT(c128, c128, berth_mul_c128, CONJ_C128,
               berth_make_c128(NONE_OF_REAL, 0))

BERTH_KERNEL(berth_sparse_product_round, berth_product_params_t) {
  BERTH_EACH(i, p.m * p.n) {
    ((uint16_t *)p.out)[i] = berth_store_f16(((const float *)p.sums)[i]);
  }
}
