// softmax.cu - Softmax and LogSoftmax over rows.
//
// softmax(x) = e^(x - m) / sum(e^(x - m)), m the largest of x; the logarithm of
// that is x - m - log(sum(e^(x - m))). A team reads its row three times, for
// the largest value, for the sum and for the results; the second and third time
// it is in a cache. 16-bit numbers are computed as floats and rounded once.
#include "cuda/block.cuh"
#include "cuda/math.cuh"
#include "cuda/number.cuh"
#include "cuda/softmax_params.h"

#define ADD(a, b) ((a) + (b))
// A NaN may be overlooked: it makes the sum NaN all the same.
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

BERTH_BLOCK_REDUCE(largest_f32, float, LARGER)
BERTH_BLOCK_REDUCE(largest_f64, double, LARGER)
BERTH_BLOCK_REDUCE(sum_f32, float, ADD)
BERTH_BLOCK_REDUCE(sum_f64, double, ADD)

// |type| is how numbers are stored, |work| how they are computed with.
#define SOFTMAX(type, work, T, INFINITE)                                      \
  BERTH_GPU_FN T largest_of_##type(const berth_stored_##type *x, uint64_t n,  \
                                   berth_team_t team) {                       \
    T best = -INFINITE;                                                       \
    for (uint64_t i = team.lane; i < n; i += team.lanes) {                    \
      const T value = berth_load_##type(x[i]);                                \
      best = LARGER(value, best);                                             \
    }                                                                         \
    return largest_##work##_team(best, team);                                 \
  }                                                                           \
                                                                              \
  BERTH_GPU_FN T exp_sum_of_##type(const berth_stored_##type *x, uint64_t n,  \
                                   T shift, berth_team_t team) {              \
    T sum = 0;                                                                \
    for (uint64_t i = team.lane; i < n; i += team.lanes) {                    \
      sum += berth_exp_##work(berth_load_##type(x[i]) - shift);               \
    }                                                                         \
    return sum_##work##_team(sum, team);                                      \
  }                                                                           \
                                                                              \
  BERTH_KERNEL(berth_softmax_##type, berth_softmax_params_t) {                \
    const berth_team_t team = berth_team(p.team);                             \
    for (uint64_t row = team.index; row < p.rows; row += team.count) {        \
      const berth_stored_##type *x =                                          \
          (const berth_stored_##type *)p.in + row * p.n;                      \
      berth_stored_##type *y = (berth_stored_##type *)p.out + row * p.n;      \
      const T shift = largest_of_##type(x, p.n, team);                        \
      const T sum = exp_sum_of_##type(x, p.n, shift, team);                   \
      const T rest = p.is_log ? berth_log_##work(sum) : 1 / sum;              \
      for (uint64_t i = team.lane; i < p.n; i += team.lanes) {                \
        const T value = berth_load_##type(x[i]) - shift;                      \
        y[i] = berth_store_##type(p.is_log ? value - rest                     \
                                           : berth_exp_##work(value) * rest); \
      }                                                                       \
    }                                                                         \
  }

SOFTMAX(f32, f32, float, BERTH_INF_F32)
SOFTMAX(f64, f64, double, BERTH_INF_F64)
SOFTMAX(f16, f32, float, BERTH_INF_F32)
SOFTMAX(bf16, f32, float, BERTH_INF_F32)
