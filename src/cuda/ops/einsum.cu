// einsum.cu - Kernels of Einsum: a thread sums up one result.
//
// Right for every equation, and no match for a product of matrices where that
// would do: nothing is kept in shared memory.
#include "cuda/ops/einsum_params.h"

#include "cuda/math/number.cuh"

// Where an index leads in each operand.
typedef struct places {
  int64_t a, b, out;
} places_t;

// Adds where index |index| of the loops [first, last) leads.
BERTH_GPU_FN void places_add(const berth_einsum_params_t *p, uint32_t first,
                             uint32_t last, uint64_t index, places_t *at) {
  for (uint32_t l = last; l-- > first;) {
    const uint64_t dim = (uint64_t)p->dims[l], next = index / dim;
    const int64_t i = (int64_t)(index - next * dim);
    index = next;
    at->a += i * p->a_steps[l];
    at->b += i * p->b_steps[l];
    at->out += i * p->out_steps[l];
  }
}

#define ADD_NUMBER(type, sum, x, y) ((sum) + (x) * (y))
#define ADD_COMPLEX(type, sum, x, y) \
  berth_add_##type(sum, berth_mul_##type(x, y))
#define PLAIN_SUM(type, sum, x) ((sum) + (x))
#define COMPLEX_SUM(type, sum, x) berth_add_##type(sum, x)

// The innermost loop, over the last label that is summed over, only steps.
#define DEFINE_EINSUM(type, ADD, ADD_ONE, ZERO)                            \
  BERTH_KERNEL(berth_einsum_##type, berth_einsum_params_t) {               \
    const berth_stored_##type *a = (const berth_stored_##type *)p.a;       \
    const berth_stored_##type *b = (const berth_stored_##type *)p.b;       \
    berth_stored_##type *out = (berth_stored_##type *)p.out;               \
    const uint32_t last = p.loops > p.kept ? p.loops - 1 : p.loops;        \
    const uint64_t length = p.loops > p.kept ? (uint64_t)p.dims[last] : 1; \
    const int64_t a_step = p.loops > p.kept ? p.a_steps[last] : 0;         \
    const int64_t b_step = p.loops > p.kept ? p.b_steps[last] : 0;         \
    BERTH_EACH(i, p.count) {                                               \
      places_t place = {0, 0, 0};                                          \
      berth_working_##type sum = ZERO;                                     \
      places_add(&p, 0, p.kept, i, &place);                                \
      for (uint64_t t = 0; t < p.terms; ++t) {                             \
        places_t at = place;                                               \
        places_add(&p, p.kept, last, t, &at);                              \
        for (uint64_t j = 0; j < length; ++j) {                            \
          const berth_working_##type x =                                   \
              berth_load_##type(a[at.a + (int64_t)j * a_step]);            \
          if (b == 0) {                                                    \
            sum = ADD_ONE(type, sum, x);                                   \
            continue;                                                      \
          }                                                                \
          sum = ADD(type, sum, x,                                          \
                    berth_load_##type(b[at.b + (int64_t)j * b_step]));     \
        }                                                                  \
      }                                                                    \
      out[place.out] = berth_store_##type(sum);                            \
    }                                                                      \
  }
DEFINE_EINSUM(f16, ADD_NUMBER, PLAIN_SUM, 0)
DEFINE_EINSUM(bf16, ADD_NUMBER, PLAIN_SUM, 0)
DEFINE_EINSUM(f32, ADD_NUMBER, PLAIN_SUM, 0)
DEFINE_EINSUM(f64, ADD_NUMBER, PLAIN_SUM, 0)
DEFINE_EINSUM(c64, ADD_COMPLEX, COMPLEX_SUM, berth_make_c64(0, 0))
DEFINE_EINSUM(c128, ADD_COMPLEX, COMPLEX_SUM, berth_make_c128(0, 0))
