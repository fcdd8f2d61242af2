// softmax.cu - Softmax and LogSoftmax over rows.
//
// softmax(x) = e^(x - m) / sum(e^(x - m)), m the largest of x; the logarithm of
// that is x - m - log(sum(e^(x - m))). A row that the registers of its team
// hold is read once. A longer one is read three times: for the largest value,
// for the sum and for the results. 16-bit numbers are computed as floats and
// rounded once.
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

// |type| is how numbers are stored, |work| how they are computed with; a thread
// keeps |KEPT| of them.
#define SOFTMAX(type, work, T, KEPT, INFINITE)                               \
  /* What is beyond the row is so low that it adds nothing. */               \
  BERTH_GPU_FN void short_row_##type(                                        \
      const berth_softmax_params_t *p, const berth_stored_##type *x,         \
      berth_stored_##type *y, berth_team_t team) {                           \
    T values[KEPT];                                                          \
    T best = -INFINITE, sum = 0;                                             \
    BERTH_UNROLL                                                             \
    for (uint64_t k = 0; k < KEPT; ++k) {                                    \
      const uint64_t i = team.lane + k * team.lanes;                         \
      values[k] = i < p->n ? berth_load_##type(x[i]) : -INFINITE;            \
      best = LARGER(values[k], best);                                        \
    }                                                                        \
    const T shift = largest_##work##_team(best, team);                       \
    BERTH_UNROLL                                                             \
    for (uint64_t k = 0; k < KEPT; ++k) {                                    \
      values[k] -= shift;                                                    \
      const T power = berth_exp_##work(values[k]);                           \
      sum += power;                                                          \
      if (!p->is_log) values[k] = power;                                     \
    }                                                                        \
    sum = sum_##work##_team(sum, team);                                      \
    const T rest = p->is_log ? berth_log_##work(sum) : 1 / sum;              \
    BERTH_UNROLL                                                             \
    for (uint64_t k = 0; k < KEPT; ++k) {                                    \
      const uint64_t i = team.lane + k * team.lanes;                         \
      const T value = p->is_log ? values[k] - rest : values[k] * rest;       \
      if (i < p->n) y[i] = berth_store_##type(value);                        \
    }                                                                        \
  }                                                                          \
                                                                             \
  BERTH_GPU_FN void long_row_##type(                                         \
      const berth_softmax_params_t *p, const berth_stored_##type *x,         \
      berth_stored_##type *y, berth_team_t team) {                           \
    T best = -INFINITE, sum = 0;                                             \
    for (uint64_t i = team.lane; i < p->n; i += team.lanes) {                \
      const T value = berth_load_##type(x[i]);                               \
      best = LARGER(value, best);                                            \
    }                                                                        \
    const T shift = largest_##work##_team(best, team);                       \
    for (uint64_t i = team.lane; i < p->n; i += team.lanes) {                \
      sum += berth_exp_##work(berth_load_##type(x[i]) - shift);              \
    }                                                                        \
    sum = sum_##work##_team(sum, team);                                      \
    const T rest = p->is_log ? berth_log_##work(sum) : 1 / sum;              \
    for (uint64_t i = team.lane; i < p->n; i += team.lanes) {                \
      const T value = berth_load_##type(x[i]) - shift;                       \
      y[i] = berth_store_##type(p->is_log ? value - rest                     \
                                          : berth_exp_##work(value) * rest); \
    }                                                                        \
  }                                                                          \
                                                                             \
  BERTH_KERNEL(berth_softmax_##type, berth_softmax_params_t) {               \
    const berth_team_t team = berth_team(p.team);                            \
    for (uint64_t row = team.index; row < p.rows; row += team.count) {       \
      const berth_stored_##type *x =                                         \
          (const berth_stored_##type *)p.in + row * p.n;                     \
      berth_stored_##type *y = (berth_stored_##type *)p.out + row * p.n;     \
      if (p.n <= KEPT * (uint64_t)team.lanes) {                              \
        short_row_##type(&p, x, y, team);                                    \
      } else {                                                               \
        long_row_##type(&p, x, y, team);                                     \
      }                                                                      \
    }                                                                        \
  }

SOFTMAX(f32, f32, float, BERTH_SOFTMAX_KEPT, BERTH_INF_F32)
SOFTMAX(f64, f64, double, BERTH_SOFTMAX_KEPT / 2, BERTH_INF_F64)
SOFTMAX(f16, f32, float, BERTH_SOFTMAX_KEPT, BERTH_INF_F32)
SOFTMAX(bf16, f32, float, BERTH_SOFTMAX_KEPT, BERTH_INF_F32)
