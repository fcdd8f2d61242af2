// cross_entropy.cu - A loss for each row of logits, and its gradient.
//
//   shifted = logits - the largest
//   loss = sum of label * (log sum - shifted), over labels that are not 0
//   gradient = e^shifted / sum - label
//
// The team of a row reads it three times, which caches make cheap. A class that
// is none makes loss and gradient NaN, as TensorFlow has it on a GPU, where
// nobody looks at labels beforehand. 16-bit numbers are computed as floats and
// rounded once.
#include "cuda/math/block.cuh"
#include "cuda/math/math.cuh"
#include "cuda/math/number.cuh"
#include "cuda/ops/cross_entropy_params.h"

#define ADD(a, b) ((a) + (b))
// A NaN may be overlooked: it makes the sum NaN all the same.
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

BERTH_BLOCK_REDUCE(largest_f32, float, LARGER)
BERTH_BLOCK_REDUCE(largest_f64, double, LARGER)
BERTH_BLOCK_REDUCE(sum_f32, float, ADD)
BERTH_BLOCK_REDUCE(sum_f64, double, ADD)

// Returns the class of |row|; -1: it has none of the |n|.
BERTH_GPU_FN int64_t class_of(const berth_cross_entropy_params_t *p,
                              uint64_t row) {
  const int64_t label = p->label_bytes == 8
                            ? ((const int64_t *)p->labels)[row]
                            : (int64_t)((const int32_t *)p->labels)[row];
  return label >= 0 && label < (int64_t)p->n ? label : -1;
}

#define CROSS_ENTROPY(type, work, T, INFINITE, NAN_VALUE)                    \
  BERTH_GPU_FN void row_##type(const berth_cross_entropy_params_t *p,        \
                               uint64_t row, berth_team_t team) {            \
    const berth_stored_##type *x = (const berth_stored_##type *)p->logits +  \
                                   (int64_t)row * p->logits_steps[0];        \
    const berth_stored_##type *labels =                                      \
        (const berth_stored_##type *)p->labels +                             \
        (int64_t)row * p->labels_steps[0];                                   \
    berth_stored_##type *out =                                               \
        (berth_stored_##type *)p->gradients + row * p->n;                    \
    const int64_t step = p->logits_steps[1];                                 \
    const int is_sparse = p->label_bytes > 0;                                \
    const int64_t label = is_sparse ? class_of(p, row) : 0;                  \
    T best = -INFINITE, sum = 0, loss = 0;                                   \
    for (uint64_t i = team.lane; i < p->n; i += team.lanes) {                \
      const T value = berth_load_##type(x[(int64_t)i * step]);               \
      best = LARGER(value, best);                                            \
    }                                                                        \
    const T shift = largest_##work##_team(best, team);                       \
    for (uint64_t i = team.lane; i < p->n; i += team.lanes) {                \
      sum +=                                                                 \
          berth_exp_##work(berth_load_##type(x[(int64_t)i * step]) - shift); \
    }                                                                        \
    sum = sum_##work##_team(sum, team);                                      \
    const T log_sum = berth_log_##work(sum);                                 \
    for (uint64_t i = team.lane; i < p->n; i += team.lanes) {                \
      const T shifted = berth_load_##type(x[(int64_t)i * step]) - shift;     \
      const T share =                                                        \
          is_sparse                                                          \
              ? (T)(label == (int64_t)i)                                     \
              : berth_load_##type(labels[(int64_t)i * p->labels_steps[1]]);  \
      if (share != 0) loss += share * (log_sum - shifted);                   \
      const T slope = berth_exp_##work(shifted) / sum - share;               \
      out[i] = berth_store_##type(label < 0 ? NAN_VALUE : slope);            \
    }                                                                        \
    loss = sum_##work##_team(loss, team);                                    \
    if (team.lane == 0) {                                                    \
      ((berth_stored_##type *)p->losses)[row] =                              \
          berth_store_##type(label < 0 ? NAN_VALUE : loss);                  \
    }                                                                        \
  }                                                                          \
                                                                             \
  BERTH_KERNEL(berth_cross_entropy_##type, berth_cross_entropy_params_t) {   \
    const berth_team_t team = berth_team(p.team);                            \
    for (uint64_t row = team.index; row < p.rows; row += team.count) {       \
      row_##type(&p, row, team);                                             \
    }                                                                        \
  }

CROSS_ENTROPY(f32, f32, float, BERTH_INF_F32, BERTH_NAN_F32)
CROSS_ENTROPY(f64, f64, double, BERTH_INF_F64, BERTH_NAN_F64)
CROSS_ENTROPY(f16, f32, float, BERTH_INF_F32, BERTH_NAN_F32)
CROSS_ENTROPY(bf16, f32, float, BERTH_INF_F32, BERTH_NAN_F32)
