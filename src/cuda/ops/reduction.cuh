// reduction.cuh - The loops of kernels that reduce.
//
// A team makes one result at a time: its threads fold their shares of the
// values and then meet. Sums are made in several accumulators and in groups, so
// that their error grows far slower than with one, on the host above all, where
// the team is one thread. Where outputs are neighbours, a thread may make
// several at once instead.
#ifndef BERTH_CUDA_OPS_REDUCTION_CUH_
#define BERTH_CUDA_OPS_REDUCTION_CUH_

#include "cuda/math/block.cuh"
#include "cuda/ops/reduction_params.h"

// How often an accumulator is used before it meets others.
#define BERTH_REDUCTION_GROUP 64

// Loads of short lines that are under way together.
#define BERTH_REDUCTION_LOADS 4

// Returns how far index |index| of the |rank| slowest |axes| is from the first.
BERTH_GPU_FN uint64_t berth_reduction_offset(const berth_reduction_axes_t *axes,
                                             uint32_t rank, uint64_t index) {
  uint64_t offset = 0;
  BERTH_NO_UNROLL
  for (uint32_t d = rank; d > 1; --d) {
    const uint64_t next = berth_gpu_divide(index, axes->dims[d - 1]);
    offset += (index - next * axes->dims[d - 1]) * axes->steps[d - 1];
    index = next;
  }
  return rank > 0 ? offset + index * axes->steps[0] : 0;
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
      p->chunks > 1 ? berth_gpu_divide(item, p->outputs) : 0;
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
// are equally far apart need no division, so that several are on their way from
// memory at a time.
#define BERTH_REDUCTION_FOLD(name, S, A, GET, OP, IDENTITY)                   \
  BERTH_GPU_FN A name##_column(const S *x, uint64_t step,                     \
                               berth_reduction_share_t s) {                   \
    const uint64_t hop = s.step * step;                                       \
    const S *at = x + s.begin * step;                                         \
    A total = IDENTITY;                                                       \
    uint64_t i = s.begin;                                                     \
    while (i + 3 * s.step < s.end) {                                          \
      A a = IDENTITY, b = IDENTITY, c = IDENTITY, d = IDENTITY;               \
      BERTH_NO_UNROLL                                                         \
      for (uint32_t n = 0;                                                    \
           n < BERTH_REDUCTION_GROUP && i + 3 * s.step < s.end; ++n) {        \
        a = OP(a, GET(at[0], i));                                             \
        b = OP(b, GET(at[hop], i + s.step));                                  \
        c = OP(c, GET(at[2 * hop], i + 2 * s.step));                          \
        d = OP(d, GET(at[3 * hop], i + 3 * s.step));                          \
        at += 4 * hop;                                                        \
        i += 4 * s.step;                                                      \
      }                                                                       \
      total = OP(total, OP(OP(a, b), OP(c, d)));                              \
    }                                                                         \
    BERTH_NO_UNROLL                                                           \
    for (; i < s.end; i += s.step) total = OP(total, GET(x[i * step], i));    \
    return total;                                                             \
  }                                                                           \
                                                                              \
  BERTH_GPU_FN A name##_fold(const S *x, const berth_reduction_axes_t *axes,  \
                             berth_reduction_share_t s) {                     \
    if (axes->rank == 1) return name##_column(x, axes->steps[0], s);          \
    A total = IDENTITY;                                                       \
    uint64_t i = s.begin;                                                     \
    while (i < s.end) {                                                       \
      A part = IDENTITY;                                                      \
      BERTH_NO_UNROLL                                                         \
      for (uint32_t n = 0; n < BERTH_REDUCTION_GROUP && i < s.end; ++n) {     \
        part =                                                                \
            OP(part, GET(x[berth_reduction_offset(axes, axes->rank, i)], i)); \
        i += s.step;                                                          \
      }                                                                       \
      total = OP(total, part);                                                \
    }                                                                         \
    return total;                                                             \
  }

// Defines name_lines(x, axes, share, team), the same for values that lie in
// lines of neighbours, which the team reads 16 bytes at a time once they are
// aligned.
#define BERTH_REDUCTION_LINES(name, S, A, GET, OP, IDENTITY)                  \
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
  /* Value |first| is the first of a line, or of what is left of it. */       \
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
  }                                                                           \
                                                                              \
  BERTH_GPU_FN A name##_lines(const S *x, const berth_reduction_axes_t *axes, \
                              berth_reduction_share_t s, berth_team_t team) { \
    const uint64_t length = axes->dims[axes->rank - 1];                       \
    A total = IDENTITY;                                                       \
    uint64_t i = s.begin - team.lane, line = 0, at = i;                       \
    if (axes->rank > 1) {                                                     \
      line = berth_gpu_divide(i, length);                               \
      at = i - line * length;                                                 \
    }                                                                         \
    BERTH_NO_UNROLL                                                           \
    while (i < s.end) {                                                       \
      const uint64_t n = length - at < s.end - i ? length - at : s.end - i;   \
      const uint64_t offset =                                                 \
          berth_reduction_offset(axes, axes->rank - 1, line);                 \
      total = OP(total, name##_line(x + offset + at, i, n, team));            \
      i += n;                                                                 \
      line += 1;                                                              \
      at = 0;                                                                 \
    }                                                                         \
    return total;                                                             \
  }

// Defines name_short(x, vectors, lane, lanes), which folds a line of |vectors|
// loads of 16 bytes; several are under way at a time.
#define BERTH_REDUCTION_SHORT(name, S, A, GET, OP, IDENTITY)                   \
  BERTH_GPU_FN A name##_short(const S *x, uint64_t vectors, uint64_t lane,     \
                              uint64_t lanes) {                                \
    A acc[name##_width];                                                       \
    BERTH_UNROLL                                                               \
    for (int j = 0; j < name##_width; ++j) acc[j] = IDENTITY;                  \
    BERTH_NO_UNROLL                                                            \
    for (uint64_t v = lane; v < vectors; v += BERTH_REDUCTION_LOADS * lanes) { \
      S values[BERTH_REDUCTION_LOADS][name##_width];                           \
      BERTH_UNROLL                                                             \
      for (uint64_t k = 0; k < BERTH_REDUCTION_LOADS; ++k) {                   \
        const uint64_t at = (v + k * lanes) * name##_width;                    \
        if (v + k * lanes >= vectors) continue;                                \
        __builtin_memcpy(values[k], __builtin_assume_aligned(x + at, 16), 16); \
      }                                                                        \
      BERTH_UNROLL                                                             \
      for (uint64_t k = 0; k < BERTH_REDUCTION_LOADS; ++k) {                   \
        const uint64_t at = (v + k * lanes) * name##_width;                    \
        if (v + k * lanes >= vectors) continue;                                \
        BERTH_UNROLL                                                           \
        for (int j = 0; j < name##_width; ++j) {                               \
          acc[j] = OP(acc[j], GET(values[k][j], at + (uint64_t)j));            \
        }                                                                      \
      }                                                                        \
    }                                                                          \
    BERTH_UNROLL                                                               \
    for (int w = name##_width / 2; w > 0; w /= 2) {                            \
      BERTH_UNROLL                                                             \
      for (int j = 0; j < w; ++j) acc[j] = OP(acc[j], acc[j + w]);             \
    }                                                                          \
    return acc[0];                                                             \
  }

// Defines name_wide(x, step, share, total), which folds name_width neighbouring
// columns at once. Rows are aligned.
#define BERTH_REDUCTION_WIDE(name, S, A, GET, OP, IDENTITY)                   \
  BERTH_GPU_FN void name##_wide(const S *x, uint64_t step,                    \
                                berth_reduction_share_t s,                    \
                                A total[name##_width]) {                      \
    const S *at = x + s.begin * step;                                         \
    uint64_t i = s.begin;                                                     \
    BERTH_UNROLL                                                              \
    for (int j = 0; j < name##_width; ++j) total[j] = IDENTITY;               \
    while (i < s.end) {                                                       \
      A acc[name##_width];                                                    \
      BERTH_UNROLL                                                            \
      for (int j = 0; j < name##_width; ++j) acc[j] = IDENTITY;               \
      BERTH_NO_UNROLL                                                         \
      for (uint32_t n = 0; n < BERTH_REDUCTION_GROUP && i < s.end; ++n) {     \
        S values[name##_width];                                               \
        __builtin_memcpy(values, __builtin_assume_aligned(at, 16), 16);       \
        BERTH_UNROLL                                                          \
        for (int j = 0; j < name##_width; ++j) {                              \
          acc[j] = OP(acc[j], GET(values[j], i));                             \
        }                                                                     \
        at += s.step * step;                                                  \
        i += s.step;                                                          \
      }                                                                       \
      BERTH_UNROLL                                                            \
      for (int j = 0; j < name##_width; ++j) total[j] = OP(total[j], acc[j]); \
    }                                                                         \
  }

// Defines the kernel |kernel|, which folds values of type |S| into accumulators
// |A| and hands them to STORE(params, index, accumulator).
#define BERTH_REDUCTION_KERNEL(kernel, S, A, GET, OP, IDENTITY, STORE)       \
  enum { kernel##_width = 16 / (int)sizeof(S) };                             \
                                                                             \
  BERTH_BLOCK_REDUCE(kernel, A, OP)                                          \
  BERTH_REDUCTION_FOLD(kernel, S, A, GET, OP, IDENTITY)                      \
  BERTH_REDUCTION_LINES(kernel, S, A, GET, OP, IDENTITY)                     \
  BERTH_REDUCTION_WIDE(kernel, S, A, GET, OP, IDENTITY)                      \
  BERTH_REDUCTION_SHORT(kernel, S, A, GET, OP, IDENTITY)                     \
                                                                             \
  BERTH_GPU_FN void kernel##_by_columns(const berth_reduction_params_t *p) { \
    const uint64_t columns = p->outputs / kernel##_width;                    \
    BERTH_EACH(i, columns * p->chunks) {                                     \
      const uint64_t chunk = berth_gpu_divide(i, columns);             \
      const uint64_t output = (i - chunk * columns) * kernel##_width;        \
      const S *x = (const S *)p->in +                                        \
                   berth_reduction_offset(&p->kept, p->kept.rank, output);   \
      berth_reduction_share_t s;                                             \
      s.output = output;                                                     \
      s.begin = chunk;                                                       \
      s.end = p->values;                                                     \
      s.step = p->chunks;                                                    \
      A total[kernel##_width];                                               \
      kernel##_wide(x, p->folded.steps[0], s, total);                        \
      BERTH_UNROLL                                                           \
      for (uint64_t j = 0; j < kernel##_width; ++j) {                        \
        STORE(p, chunk * p->outputs + output + j, total[j]);                 \
      }                                                                      \
    }                                                                        \
  }                                                                          \
                                                                             \
  BERTH_GPU_FN void kernel##_by_teams(const berth_reduction_params_t *p) {   \
    const berth_team_t team = berth_team(p->team);                           \
    const uint64_t results = p->outputs * p->chunks;                         \
    for (uint64_t i = team.index; i < results; i += team.count) {            \
      const berth_reduction_share_t s = berth_reduction_share(p, i, team);   \
      const S *x = (const S *)p->in +                                        \
                   berth_reduction_offset(&p->kept, p->kept.rank, s.output); \
      A acc = p->has_lines ? kernel##_lines(x, &p->folded, s, team)          \
                           : kernel##_fold(x, &p->folded, s);                \
      acc = kernel##_team(acc, team);                                        \
      if (team.lane == 0) STORE(p, i, acc);                                  \
    }                                                                        \
  }                                                                          \
                                                                             \
  /* Threads of a warp stay together: they meet in shuffles. */              \
  BERTH_GPU_FN void kernel##_by_groups(const berth_reduction_params_t *p) {  \
    const uint64_t most = berth_warp_lanes();                                \
    const uint64_t lanes = p->lanes < most ? p->lanes : most;                \
    const uint64_t vectors = p->values / kernel##_width;                     \
    const uint64_t of_warp = most / lanes;                                   \
    const uint64_t lane = berth_warp_lane() % lanes;                         \
    const uint64_t group = berth_warp_lane() / lanes;                        \
    const uint64_t hop = berth_gpu_threads() / most * of_warp;               \
    uint64_t first = berth_gpu_thread() / most * of_warp;                    \
    for (; first < p->outputs; first += hop) {                               \
      const uint64_t i = first + group;                                      \
      const int is_there = i < p->outputs;                                   \
      const S *x = (const S *)p->in + (is_there ? i : first) * p->values;    \
      A acc = kernel##_short(x, vectors, lane, lanes);                       \
      acc = kernel##_group(acc, (uint32_t)lanes);                            \
      if (is_there && lane == 0) STORE(p, i, acc);                           \
    }                                                                        \
  }                                                                          \
                                                                             \
  BERTH_KERNEL(kernel, berth_reduction_params_t) {                           \
    if (p.is_wide) {                                                         \
      kernel##_by_columns(&p);                                               \
    } else if (p.lanes > 0) {                                                \
      kernel##_by_groups(&p);                                                \
    } else {                                                                 \
      kernel##_by_teams(&p);                                                 \
    }                                                                        \
  }

#endif  // BERTH_CUDA_OPS_REDUCTION_CUH_
