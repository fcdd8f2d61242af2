// softmax.cu - Softmax and LogSoftmax over rows.
//
// softmax(x) = e^(x - m) / sum(e^(x - m)), m the largest of x; the logarithm of
// that is x - m - log(sum(e^(x - m))). A short row is held by the registers of
// a thread, a warp or, 16 bytes at a time, a block, another one by the shared
// memory of a block, so that each is read once. One that fits nowhere is read three times: for the largest
// value, for the sum and for the results. 16-bit numbers are computed as floats
// and rounded once.
#include "cuda/math/block.cuh"
#include "cuda/math/math.cuh"
#include "cuda/math/number.cuh"
#include "cuda/ops/softmax_params.h"

#define ADD(a, b) ((a) + (b))
// A NaN may be overlooked: it makes the sum NaN all the same.
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

BERTH_BLOCK_REDUCE(largest_f32, float, LARGER)
BERTH_BLOCK_REDUCE(largest_f64, double, LARGER)
BERTH_BLOCK_REDUCE(sum_f32, float, ADD)
BERTH_BLOCK_REDUCE(sum_f64, double, ADD)

// What the exponentials, or the differences, of a row become results with.
BERTH_GPU_FN float rest_f32(uint32_t is_log, float sum) {
  return is_log ? berth_log_f32(sum) : 1 / sum;
}
BERTH_GPU_FN double rest_f64(uint32_t is_log, double sum) {
  return is_log ? berth_log_f64(sum) : 1 / sum;
}

// e^x for x that is not above 0, or NaN; fewer steps than for any x. 2^n is made
// 2^30 times as large and small again, so that the result may be denormal.
BERTH_GPU_FN float power_f32(float x) {
  int32_t n;
  const float y = berth_exp_parts_f32(x < -104.0f ? -104.0f : x, &n) + 1.0f;
  const float scale = berth_from_bits_f32((uint32_t)(n + 157) << 23);
  return y * scale * 9.31322574615478515625e-10f;
}
BERTH_GPU_FN double power_f64(double x) { return berth_exp_f64(x); }

// |type| is how numbers are stored, |work| how they are computed with. All of a
// team skip the same parts beyond the row; what else is beyond it is so low
// that it adds nothing.
#define SOFTMAX_SHORT(type, work, T, INFINITE)                           \
  BERTH_GPU_FN void short_row_##type(                                    \
      const berth_softmax_params_t *p, const berth_stored_##type *x,     \
      berth_stored_##type *y, berth_team_t team) {                       \
    T values[BERTH_SOFTMAX_KEPT];                                        \
    T best = -INFINITE, sum = 0;                                         \
    BERTH_UNROLL                                                         \
    for (uint64_t k = 0; k < BERTH_SOFTMAX_KEPT; ++k) {                  \
      const uint64_t i = team.lane + k * team.lanes;                     \
      values[k] = i < p->n ? berth_load_##type(x[i]) : -INFINITE;        \
      best = LARGER(values[k], best);                                    \
    }                                                                    \
    const T shift = largest_##work##_team(best, team);                   \
    BERTH_UNROLL                                                         \
    for (uint64_t k = 0; k < BERTH_SOFTMAX_KEPT; ++k) {                  \
      if (k * team.lanes >= p->n) continue;                              \
      values[k] -= shift;                                                \
      const T power = berth_exp_##work(values[k]);                       \
      sum += power;                                                      \
      if (!p->is_log) values[k] = power;                                 \
    }                                                                    \
    const T rest = rest_##work(p->is_log, sum_##work##_team(sum, team)); \
    BERTH_UNROLL                                                         \
    for (uint64_t k = 0; k < BERTH_SOFTMAX_KEPT; ++k) {                  \
      const uint64_t i = team.lane + k * team.lanes;                     \
      const T value = p->is_log ? values[k] - rest : values[k] * rest;   \
      if (i < p->n) y[i] = berth_store_##type(value);                    \
    }                                                                    \
  }

// |held| has room for the row, of which each thread uses its own part, or is
// NULL.
#define SOFTMAX_LONG(type, work, T, INFINITE)                             \
  BERTH_GPU_FN void long_row_##type(                                      \
      const berth_softmax_params_t *p, const berth_stored_##type *x,      \
      berth_stored_##type *y, berth_team_t team, T *held) {               \
    T best = -INFINITE, sum = 0;                                          \
    for (uint64_t i = team.lane; i < p->n; i += team.lanes) {             \
      const T value = berth_load_##type(x[i]);                            \
      if (held) held[i] = value;                                          \
      best = LARGER(value, best);                                         \
    }                                                                     \
    const T shift = largest_##work##_team(best, team);                    \
    for (uint64_t i = team.lane; i < p->n; i += team.lanes) {             \
      const T value = (held ? held[i] : berth_load_##type(x[i])) - shift; \
      const T power = berth_exp_##work(value);                            \
      if (held) held[i] = p->is_log ? value : power;                      \
      sum += power;                                                       \
    }                                                                     \
    const T rest = rest_##work(p->is_log, sum_##work##_team(sum, team));  \
    for (uint64_t i = team.lane; i < p->n; i += team.lanes) {             \
      T value = held ? held[i] : berth_load_##type(x[i]) - shift;         \
      if (!held && !p->is_log) value = berth_exp_##work(value);           \
      y[i] = berth_store_##type(p->is_log ? value - rest : value * rest); \
    }                                                                     \
  }

// A row that begins at a multiple of 16 bytes and has as many, and that the
// registers of the team hold. All its loads are under way at once.
#define SOFTMAX_WIDE(type, work, T, INFINITE)                               \
  BERTH_GPU_FN void wide_row_##type(                                        \
      const berth_softmax_params_t *p, const berth_stored_##type *x,        \
      berth_stored_##type *y, berth_team_t team, uint32_t is_log) {         \
    enum { WIDTH = 16 / sizeof(berth_stored_##type) };                      \
    const uint64_t vectors = p->n / WIDTH;                                  \
    berth_stored_##type raw[BERTH_SOFTMAX_LOADS][WIDTH];                    \
    T values[BERTH_SOFTMAX_LOADS][WIDTH];                                   \
    T best = -INFINITE, sum = 0;                                            \
    BERTH_UNROLL                                                            \
    for (uint64_t k = 0; k < BERTH_SOFTMAX_LOADS; ++k) {                    \
      const uint64_t v = team.lane + k * team.lanes;                        \
      if (v >= vectors) continue;                                           \
      __builtin_memcpy(raw[k], __builtin_assume_aligned(x + v * WIDTH, 16), \
                       16);                                                 \
    }                                                                       \
    BERTH_UNROLL                                                            \
    for (uint64_t k = 0; k < BERTH_SOFTMAX_LOADS; ++k) {                    \
      const int is_there = team.lane + k * team.lanes < vectors;            \
      BERTH_UNROLL                                                          \
      for (int j = 0; j < WIDTH; ++j) {                                     \
        values[k][j] = is_there ? berth_load_##type(raw[k][j]) : -INFINITE; \
        best = berth_larger_##work(values[k][j], best);                     \
      }                                                                     \
    }                                                                       \
    const T shift = largest_##work##_team(best, team);                      \
    BERTH_UNROLL                                                            \
    for (uint64_t k = 0; k < BERTH_SOFTMAX_LOADS; ++k) {                    \
      if (k * team.lanes >= vectors) continue;                              \
      BERTH_UNROLL                                                          \
      for (int j = 0; j < WIDTH; ++j) {                                     \
        values[k][j] -= shift;                                              \
        const T power = power_##work(values[k][j]);                         \
        sum += power;                                                       \
        if (!is_log) values[k][j] = power;                                  \
      }                                                                     \
    }                                                                       \
    const T rest = rest_##work(is_log, sum_##work##_team(sum, team));       \
    BERTH_UNROLL                                                            \
    for (uint64_t k = 0; k < BERTH_SOFTMAX_LOADS; ++k) {                    \
      const uint64_t v = team.lane + k * team.lanes;                        \
      if (v >= vectors) continue;                                           \
      BERTH_UNROLL                                                          \
      for (int j = 0; j < WIDTH; ++j) {                                     \
        raw[k][j] = berth_store_##type(is_log ? values[k][j] - rest         \
                                              : values[k][j] * rest);       \
      }                                                                     \
      __builtin_memcpy(__builtin_assume_aligned(y + v * WIDTH, 16), raw[k], \
                       16);                                                 \
    }                                                                       \
  }                                                                         \
                                                                            \
  BERTH_KERNEL(berth_softmax_wide_##type, berth_softmax_params_t) {         \
    enum { WIDTH = 16 / sizeof(berth_stored_##type) };                      \
    const berth_team_t team = berth_team(p.team);                           \
    for (uint64_t row = team.index; row < p.rows; row += team.count) {      \
      const berth_stored_##type *x =                                        \
          (const berth_stored_##type *)p.in + row * p.n;                    \
      berth_stored_##type *y = (berth_stored_##type *)p.out + row * p.n;    \
      if (p.n <= BERTH_SOFTMAX_LOADS * WIDTH * (uint64_t)team.lanes) {      \
        if (p.is_log) {                                                     \
          wide_row_##type(&p, x, y, team, 1);                               \
        } else {                                                            \
          wide_row_##type(&p, x, y, team, 0);                               \
        }                                                                   \
      } else {                                                              \
        long_row_##type(&p, x, y, team, 0);                                 \
      }                                                                     \
    }                                                                       \
  }

// Rows for registers, and for shared memory. A team may be smaller than whoever
// launches this thinks: on the host it is one thread.
#define SOFTMAX_KERNELS(type, T)                                         \
  BERTH_KERNEL(berth_softmax_short_##type, berth_softmax_params_t) {     \
    const berth_team_t team = berth_team(p.team);                        \
    for (uint64_t row = team.index; row < p.rows; row += team.count) {   \
      const berth_stored_##type *x =                                     \
          (const berth_stored_##type *)p.in + row * p.n;                 \
      berth_stored_##type *y = (berth_stored_##type *)p.out + row * p.n; \
      if (p.n <= BERTH_SOFTMAX_KEPT * (uint64_t)team.lanes) {            \
        short_row_##type(&p, x, y, team);                                \
      } else {                                                           \
        long_row_##type(&p, x, y, team, 0);                              \
      }                                                                  \
    }                                                                    \
  }                                                                      \
                                                                         \
  BERTH_KERNEL(berth_softmax_long_##type, berth_softmax_params_t) {      \
    BERTH_SHARED(T, held, BERTH_SOFTMAX_HELD / sizeof(T));               \
    const int is_held = p.n <= BERTH_SOFTMAX_HELD / sizeof(T);           \
    const berth_team_t team = berth_team(BERTH_TEAM_BLOCK);              \
    for (uint64_t row = team.index; row < p.rows; row += team.count) {   \
      long_row_##type(&p, (const berth_stored_##type *)p.in + row * p.n, \
                      (berth_stored_##type *)p.out + row * p.n, team,    \
                      is_held ? held : 0);                               \
    }                                                                    \
  }

#define SOFTMAX(type, work, T, INFINITE) \
  SOFTMAX_SHORT(type, work, T, INFINITE) \
  SOFTMAX_LONG(type, work, T, INFINITE)  \
  SOFTMAX_WIDE(type, work, T, INFINITE)  \
  SOFTMAX_KERNELS(type, T)

SOFTMAX(f32, f32, float, BERTH_INF_F32)
SOFTMAX(f64, f64, double, BERTH_INF_F64)
SOFTMAX(f16, f32, float, BERTH_INF_F32)
SOFTMAX(bf16, f32, float, BERTH_INF_F32)
