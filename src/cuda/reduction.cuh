// reduction.cuh - The loops of kernels that reduce.
//
// A team makes one result at a time: its threads fold their shares of the
// values and then meet. Sums are made in several accumulators and in groups, so
// that their error grows far slower than with one, on the host above all, where
// the team is one thread.
#ifndef BERTH_CUDA_REDUCTION_CUH_
#define BERTH_CUDA_REDUCTION_CUH_

#include "cuda/block.cuh"
#include "cuda/reduction_params.h"

// How often an accumulator is used before it meets others.
#define BERTH_REDUCTION_GROUP 64

// Divides with 32 bits where they suffice, which is several times faster.
BERTH_GPU_FN uint64_t berth_reduction_divide(uint64_t x, uint64_t y) {
  return (x | y) >> 32 == 0 ? (uint32_t)x / (uint32_t)y : x / y;
}

// Returns how far index |index| of all |axes| is from the first.
BERTH_GPU_FN uint64_t berth_reduction_offset(const berth_reduction_axes_t *axes,
                                             uint64_t index) {
  uint64_t offset = 0;
  BERTH_NO_UNROLL
  for (uint32_t d = axes->rank; d > 1; --d) {
    const uint64_t next = berth_reduction_divide(index, axes->dims[d - 1]);
    offset += (index - next * axes->dims[d - 1]) * axes->steps[d - 1];
    index = next;
  }
  return axes->rank > 0 ? offset + index * axes->steps[0] : 0;
}

// The values that this thread folds for one result.
typedef struct berth_reduction_share {
  uint64_t output;
  uint64_t begin, end, step;
} berth_reduction_share_t;

BERTH_GPU_FN berth_reduction_share_t berth_reduction_share(
    const berth_reduction_params_t *p, uint64_t item, berth_team_t team) {
  berth_reduction_share_t share;
  const uint64_t chunk =
      p->chunks > 1 ? berth_reduction_divide(item, p->outputs) : 0;
  share.output = item - chunk * p->outputs;
  if (p->chunk_values == 0) {
    share.begin = chunk;
    share.end = p->values;
    share.step = p->chunks;
  } else {
    const uint64_t first = chunk * p->chunk_values;
    share.begin = first + team.lane;
    share.end = first + p->chunk_values;
    if (share.end > p->values) share.end = p->values;
    share.step = team.lanes;
  }
  return share;
}

// Defines name_fold(x, axes, share), which folds values of type |S| into an
// accumulator |A|: GET(value, index) is an A, OP(a, b) commutes. Values that
// are equally far apart, which most are, need no division, so that several are
// on their way from memory at a time.
#define BERTH_REDUCTION_FOLD(name, S, A, GET, OP, IDENTITY)                  \
  BERTH_GPU_FN A name##_column(const S *x, uint64_t step,                    \
                               berth_reduction_share_t s) {                  \
    A total = IDENTITY;                                                      \
    uint64_t i = s.begin;                                                    \
    while (i + 3 * s.step < s.end) {                                         \
      A a = IDENTITY, b = IDENTITY, c = IDENTITY, d = IDENTITY;              \
      BERTH_NO_UNROLL                                                        \
      for (uint32_t n = 0;                                                   \
           n < BERTH_REDUCTION_GROUP && i + 3 * s.step < s.end; ++n) {       \
        const uint64_t j = i + s.step, k = j + s.step, l = k + s.step;       \
        a = OP(a, GET(x[i * step], i));                                      \
        b = OP(b, GET(x[j * step], j));                                      \
        c = OP(c, GET(x[k * step], k));                                      \
        d = OP(d, GET(x[l * step], l));                                      \
        i = l + s.step;                                                      \
      }                                                                      \
      total = OP(total, OP(OP(a, b), OP(c, d)));                             \
    }                                                                        \
    BERTH_NO_UNROLL                                                          \
    for (; i < s.end; i += s.step) total = OP(total, GET(x[i * step], i));   \
    return total;                                                            \
  }                                                                          \
                                                                             \
  BERTH_GPU_FN A name##_fold(const S *x, const berth_reduction_axes_t *axes, \
                             berth_reduction_share_t s) {                    \
    if (axes->rank == 1) return name##_column(x, axes->steps[0], s);         \
    A total = IDENTITY;                                                      \
    uint64_t i = s.begin;                                                    \
    while (i < s.end) {                                                      \
      A part = IDENTITY;                                                     \
      BERTH_NO_UNROLL                                                        \
      for (uint32_t n = 0; n < BERTH_REDUCTION_GROUP && i < s.end; ++n) {    \
        part = OP(part, GET(x[berth_reduction_offset(axes, i)], i));         \
        i += s.step;                                                         \
      }                                                                      \
      total = OP(total, part);                                               \
    }                                                                        \
    return total;                                                            \
  }

// Defines name_line(x, share, team), the same for values that are neighbours:
// x[0] is the first of the chunk. Reads 16 bytes at a time once it is aligned.
#define BERTH_REDUCTION_LINE(name, S, A, GET, OP, IDENTITY)                   \
  enum { name##_width = 16 / (int)sizeof(S) };                                \
                                                                              \
  BERTH_GPU_FN A name##_vectors(const S *x, uint64_t first, uint64_t vectors, \
                                berth_team_t team) {                          \
    A total = IDENTITY;                                                       \
    uint64_t v = team.lane;                                                   \
    while (v < vectors) {                                                     \
      A acc[name##_width];                                                    \
      BERTH_UNROLL                                                            \
      for (int j = 0; j < name##_width; ++j) acc[j] = IDENTITY;               \
      BERTH_NO_UNROLL                                                         \
      for (uint32_t n = 0; n < BERTH_REDUCTION_GROUP && v < vectors; ++n) {   \
        const uint64_t at = v * name##_width;                                 \
        S values[name##_width];                                               \
        __builtin_memcpy(values, __builtin_assume_aligned(x + at, 16), 16);   \
        BERTH_UNROLL                                                          \
        for (int j = 0; j < name##_width; ++j) {                              \
          acc[j] = OP(acc[j], GET(values[j], first + at + (uint64_t)j));      \
        }                                                                     \
        v += team.lanes;                                                      \
      }                                                                       \
      BERTH_UNROLL                                                            \
      for (int w = name##_width / 2; w > 0; w /= 2) {                         \
        BERTH_UNROLL                                                          \
        for (int j = 0; j < w; ++j) acc[j] = OP(acc[j], acc[j + w]);          \
      }                                                                       \
      total = OP(total, acc[0]);                                              \
    }                                                                         \
    return total;                                                             \
  }                                                                           \
                                                                              \
  BERTH_GPU_FN A name##_line(const S *x, uint64_t first, uint64_t n,          \
                             berth_team_t team) {                             \
    uint64_t head = ((0 - (uint64_t)(uintptr_t)x) & 15) / sizeof(S);          \
    if (head > n) head = n;                                                   \
    const uint64_t vectors = (n - head) / name##_width;                       \
    A total = name##_vectors(x + head, first + head, vectors, team);          \
    BERTH_NO_UNROLL                                                           \
    for (uint64_t i = team.lane; i < head; i += team.lanes) {                 \
      total = OP(total, GET(x[i], first + i));                                \
    }                                                                         \
    uint64_t i = head + vectors * name##_width + team.lane;                   \
    BERTH_NO_UNROLL                                                           \
    for (; i < n; i += team.lanes) {                                          \
      total = OP(total, GET(x[i], first + i));                                \
    }                                                                         \
    return total;                                                             \
  }

// Defines the kernel |kernel|, which folds values of type |S| into accumulators
// |A| and hands them to STORE(params, index, accumulator).
#define BERTH_REDUCTION_KERNEL(kernel, S, A, GET, OP, IDENTITY, STORE)         \
  BERTH_BLOCK_REDUCE(kernel, A, OP)                                            \
  BERTH_REDUCTION_FOLD(kernel, S, A, GET, OP, IDENTITY)                        \
  BERTH_REDUCTION_LINE(kernel, S, A, GET, OP, IDENTITY)                        \
                                                                               \
  BERTH_KERNEL(kernel, berth_reduction_params_t) {                             \
    const berth_team_t team = berth_team(p.team);                              \
    const uint64_t results = p.outputs * p.chunks;                             \
    for (uint64_t i = team.index; i < results; i += team.count) {              \
      const berth_reduction_share_t s = berth_reduction_share(&p, i, team);    \
      const uint64_t at = berth_reduction_offset(&p.kept, s.output);           \
      const S *x = (const S *)p.in + at;                                       \
      const uint64_t first = s.begin - team.lane;                              \
      A acc = p.is_line ? kernel##_line(x + first, first, s.end - first, team) \
                        : kernel##_fold(x, &p.folded, s);                      \
      acc = kernel##_team(acc, team);                                          \
      if (team.lane == 0) STORE(&p, i, acc);                                   \
    }                                                                          \
  }

#endif  // BERTH_CUDA_REDUCTION_CUH_
