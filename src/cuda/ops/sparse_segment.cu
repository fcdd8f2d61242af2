// sparse_segment.cu - Kernels of SparseSegmentSum and its like, with a number of
// segments, and of their gradients.
//
// A thread has one element of what comes out. Segments are found by halving:
// their numbers are in order. Indices and segments that are not there are left
// out: a card cannot raise an error.
#include "cuda/math/atomic.cuh"
#include "cuda/math/math.cuh"
#include "cuda/math/number.cuh"
#include "cuda/ops/sparse_segment_params.h"

BERTH_GPU_FN uint64_t sparse_number(const void *numbers, uint32_t is_wide,
                                    uint64_t i) {
  return is_wide ? (uint64_t)((const int64_t *)numbers)[i]
                 : (uint64_t)(int64_t)((const int32_t *)numbers)[i];
}
BERTH_GPU_FN uint64_t sparse_id(const berth_sparse_params_t *p, uint64_t i) {
  return sparse_number(p->ids, p->wide_ids, i);
}
BERTH_GPU_FN uint64_t sparse_index(const berth_sparse_params_t *p, uint64_t i) {
  return sparse_number(p->indices, p->wide_indices, i);
}

// Returns the first place whose segment is not before |id|.
BERTH_GPU_FN uint64_t sparse_find(const berth_sparse_params_t *p, uint64_t id) {
  uint64_t low = 0, high = p->count;
  while (low < high) {
    const uint64_t middle = (low + high) / 2;
    if ((int64_t)sparse_id(p, middle) < (int64_t)id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// What a sum of |count| rows is multiplied by.
BERTH_GPU_FN double sparse_scale(uint32_t join, uint64_t count) {
  if (join == 0) return 1;
  return join == 1 ? 1 / (double)count : 1 / berth_sqrt_f64((double)count);
}

// How many rows segment |id| has: where they are counted, or by counting.
BERTH_GPU_FN uint64_t sparse_size(const berth_sparse_params_t *p, uint64_t id) {
  uint64_t rows = 0;
  if (p->join == 0) return 1;
  if (p->sizes != 0) return p->sizes[id];
  for (uint64_t k = 0; k < p->count; ++k) rows += sparse_id(p, k) == id;
  return rows;
}

// Counts them.
BERTH_KERNEL(berth_sparse_sizes, berth_sparse_params_t) {
  BERTH_EACH(i, p.count) {
    const uint64_t id = sparse_id(&p, i);
    if (id < p.data_rows) berth_join_u32(&p.sizes[id], 1, BERTH_JOIN_ADD);
  }
}

#define SPARSE(type)                                                        \
  BERTH_KERNEL(berth_sparse_segments_##type, berth_sparse_params_t) {       \
    const berth_stored_##type *data = (const berth_stored_##type *)p.data;  \
    berth_stored_##type *out = (berth_stored_##type *)p.out;                \
    BERTH_EACH(at, p.rows *p.inner) {                                       \
      const uint64_t id = at / p.inner, column = at % p.inner;              \
      const uint64_t first = sparse_find(&p, id);                           \
      berth_working_##type sum = 0;                                         \
      uint64_t i = first;                                                   \
      for (; i < p.count && sparse_id(&p, i) == id; ++i) {                  \
        const uint64_t index = sparse_index(&p, i);                         \
        if (index >= p.data_rows) continue;                                 \
        sum += berth_load_##type(data[index * p.inner + column]);           \
      }                                                                     \
      if (i > first + 1) {                                                  \
        sum *= (berth_working_##type)sparse_scale(p.join, i - first);       \
      }                                                                     \
      out[at] = berth_store_##type(sum);                                    \
    }                                                                       \
  }                                                                         \
                                                                            \
  /* In order: the first that names a row adds up all that do. */           \
  BERTH_KERNEL(berth_sparse_grad_##type, berth_sparse_params_t) {           \
    const berth_stored_##type *data = (const berth_stored_##type *)p.data;  \
    berth_stored_##type *out = (berth_stored_##type *)p.out;                \
    BERTH_EACH(at, p.count *p.inner) {                                      \
      const uint64_t first = at / p.inner, column = at % p.inner;           \
      const uint64_t index = sparse_index(&p, first);                       \
      uint64_t before = 0;                                                  \
      while (before < first && sparse_index(&p, before) != index) ++before; \
      if (before < first || index >= p.rows) continue;                      \
      berth_working_##type sum = 0;                                         \
      for (uint64_t i = first; i < p.count; ++i) {                          \
        const uint64_t id = sparse_id(&p, i);                               \
        if (sparse_index(&p, i) != index || id >= p.data_rows) continue;    \
        const berth_working_##type x =                                      \
            berth_load_##type(data[id * p.inner + column]);                 \
        sum += x * (berth_working_##type)sparse_scale(p.join,               \
                                                      sparse_size(&p, id)); \
      }                                                                     \
      out[index * p.inner + column] = berth_store_##type(sum);              \
    }                                                                       \
  }

SPARSE(f32)
SPARSE(f64)
SPARSE(f16)
SPARSE(bf16)

// As they come: rows are joined with what is there.
#define SPARSE_JOIN(type)                                                    \
  BERTH_KERNEL(berth_sparse_join_##type, berth_sparse_params_t) {            \
    const berth_stored_##type *data = (const berth_stored_##type *)p.data;   \
    berth_stored_##type *out = (berth_stored_##type *)p.out;                 \
    BERTH_EACH(at, p.count *p.inner) {                                       \
      const uint64_t i = berth_gpu_divide(at, p.inner);                      \
      const uint64_t index = sparse_index(&p, i), id = sparse_id(&p, i);     \
      if (index >= p.rows || id >= p.data_rows) continue;                    \
      const uint64_t column = at - i * p.inner;                              \
      const berth_stored_##type x = data[id * p.inner + column];             \
      berth_join_##type(                                                     \
          &out[index * p.inner + column],                                    \
          x *(berth_stored_##type)sparse_scale(p.join, sparse_size(&p, id)), \
          BERTH_JOIN_ADD);                                                   \
    }                                                                        \
  }

SPARSE_JOIN(f32)
SPARSE_JOIN(f64)
