// sparse_reduce.c - Kernels along axes of a sparse tensor: sums, maxima,
// Softmax.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/combine.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "cpu/ops/sparse_order.h"
#include "op/sparse_math.h"

// ---- Sums and maxima ----

// One reduction: elements whose kept indices agree are joined.
typedef struct reduction {
  berth_combiner_t join;
  const berth_tensor_t *at, *values, *shape;
  bool is_reduced[BERTH_MAX_RANK];
  bool keeps;
  int64_t rank, kept;             // Dimensions, and those that stay.
  int64_t *keys;                  // The kept indices of each element.
  berth_sparse_entry_t *entries;  // Sorted by key.
} reduction_t;

static berth_code_t read_axes(reduction_t *r, const berth_tensor_t *axes,
                              berth_error_t *err) {
  const int64_t *shape = r->shape->data;
  const int32_t *axis = axes->data;
  for (int64_t i = 0; i < r->rank; ++i) {
    if (shape[i] >= 0) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Expected shape dimensions to be non-negative, got %lld",
        (long long)shape[i]);
  }
  for (int64_t i = 0; i < axes->count; ++i) {
    if (axis[i] < -r->rank || axis[i] >= r->rank) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Invalid reduction dimension %d, for input with %lld dimensions.",
          (int)axis[i], (long long)r->rank);
    }
    r->is_reduced[axis[i] < 0 ? axis[i] + r->rank : axis[i]] = true;
  }
  for (int64_t i = 0; i < r->rank; ++i) r->kept += r->is_reduced[i] ? 0 : 1;
  return BERTH_OK;
}

// Fills in keys and entries.
static void sort_elements(reduction_t *r) {
  const int64_t *at = r->at->data;
  for (int64_t i = 0; i < r->values->count; ++i) {
    int64_t *key = r->keys + i * r->kept;
    for (int64_t d = 0, k = 0; d < r->rank; ++d) {
      if (!r->is_reduced[d]) key[k++] = at[i * r->rank + d];
    }
    r->entries[i] = (berth_sparse_entry_t){key, r->kept, i};
  }
  berth_sparse_sort(r->entries, r->values->count);
}

// Joins the elements of the group that begins at |first| into |out|; returns
// where the next begins.
static int64_t join_group(const reduction_t *r, int64_t first, void *out) {
  const char *values = r->values->data;
  int64_t i = first;
  for (; i < r->values->count; ++i) {
    const berth_sparse_entry_t *entry = &r->entries[i];
    const char *value = values + (size_t)entry->index * r->join.size;
    if (i == first) {
      memcpy(out, value, r->join.size);
    } else if (berth_sparse_compare(entry->at, r->entries[first].at, r->kept) ==
               0) {
      (void)berth_combine(&r->join, out, value, 1, false);
    } else {
      break;
    }
  }
  return i;
}

// Stores the dimensions that are left; returns how many.
static int32_t left_dims(const reduction_t *r, int64_t *dims) {
  const int64_t *shape = r->shape->data;
  int32_t rank = 0;
  for (int64_t i = 0; i < r->rank; ++i) {
    if (!r->is_reduced[i]) {
      dims[rank++] = shape[i];
    } else if (r->keeps) {
      dims[rank++] = 1;
    }
  }
  return rank;
}

static berth_code_t make_dense(const reduction_t *r, berth_call_t *call) {
  const int64_t *shape = r->shape->data;
  int64_t dims[BERTH_MAX_RANK];
  void *out = NULL;
  BERTH_TRY(berth_cpu_make(call, 0, left_dims(r, dims), dims, &out));
  const berth_tensor_t *made = call->outputs[0];
  if (made->count > 0) memset(out, 0, made->size);
  _Alignas(16) char value[16];
  for (int64_t i = 0; i < r->values->count;) {
    const int64_t *key = r->entries[i].at;
    int64_t element = 0;
    bool is_inside = true;
    for (int64_t d = 0, k = 0; d < r->rank; ++d) {
      if (r->is_reduced[d]) continue;
      is_inside = is_inside && key[k] >= 0 && key[k] < shape[d];
      element = (int64_t)((uint64_t)element * (uint64_t)shape[d] +
                          (uint64_t)key[k]);
      ++k;
    }
    if (!is_inside || element >= made->count) {
      return berth_error_set(call->err, BERTH_INTERNAL,
                             "Obtained a write index of %lld which is outside "
                             "of bounds of [0, %lld)",
                             (long long)element, (long long)made->count);
    }
    i = join_group(r, i, value);
    memcpy((char *)out + (size_t)element * r->join.size, value, r->join.size);
  }
  return BERTH_OK;
}

static int64_t count_groups(const reduction_t *r) {
  int64_t groups = 0;
  for (int64_t i = 0; i < r->values->count; ++i) {
    groups += i == 0 || berth_sparse_compare(r->entries[i].at,
                                             r->entries[i - 1].at, r->kept) != 0
                  ? 1
                  : 0;
  }
  return groups;
}

static berth_code_t make_sparse(const reduction_t *r, berth_call_t *call) {
  int64_t dims[BERTH_MAX_RANK];
  int32_t rank = left_dims(r, dims);
  int64_t size[2] = {count_groups(r), rank}, vector = rank;
  void *at = NULL, *values = NULL, *shape = NULL;
  BERTH_TRY(berth_cpu_make(call, 0, 2, size, &at));
  BERTH_TRY(berth_cpu_make(call, 1, 1, size, &values));
  BERTH_TRY(berth_cpu_make(call, 2, 1, &vector, &shape));
  if (rank > 0) memcpy(shape, dims, (size_t)rank * sizeof(*dims));
  int64_t *place = at;
  char *value = values;
  for (int64_t i = 0; i < r->values->count;) {
    const int64_t *key = r->entries[i].at;
    for (int64_t d = 0, k = 0; d < r->rank; ++d) {
      if (!r->is_reduced[d]) {
        *place++ = key[k++];
      } else if (r->keeps) {
        *place++ = 0;
      }
    }
    i = join_group(r, i, value);
    value += r->join.size;
  }
  return BERTH_OK;
}

static berth_code_t make_reduce(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  (void)args;
  bool is_sum = strncmp(call->node->op->name, "SparseReduceSum", 15) == 0;
  reduction_t r = {
      .join = berth_combiner_of(is_sum ? BERTH_COMBINE_ADD : BERTH_COMBINE_MAX,
                                call->inputs[1]->dtype),
      .at = call->inputs[0],
      .values = call->inputs[1],
      .shape = call->inputs[2],
      .keeps = berth_node_attr_bool(call->node, "keep_dims", false),
      .rank = call->inputs[2]->count};
  if (r.rank > BERTH_MAX_RANK) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "a sparse tensor has too many dimensions: %lld",
                           (long long)r.rank);
  }
  BERTH_TRY(read_axes(&r, call->inputs[3], call->err));
  size_t count = (size_t)r.values->count;
  r.keys = berth_calloc(count * (size_t)r.kept + 1, sizeof(*r.keys));
  r.entries = berth_calloc(count + 1, sizeof(*r.entries));
  berth_code_t code = BERTH_RESOURCE_EXHAUSTED;
  if (r.keys == NULL || r.entries == NULL) {
    code = berth_error_no_memory(call->err, "a reduction");
  } else {
    sort_elements(&r);
    code = call->node->output_count == 1 ? make_dense(&r, call)
                                         : make_sparse(&r, call);
  }
  berth_free(r.keys);
  berth_free(r.entries);
  return code;
}

BERTH_CPU_MAKES(reduce)

static berth_code_t prepare_reduce(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  BERTH_TRY(berth_op_sparse_reduce(&prepare->op, err));
  prepare->run = run_reduce;
  prepare->work = prepare->op.inputs[1].count * 50;
  return BERTH_OK;
}

// ---- Softmax ----

typedef struct softmax_plan {
  berth_dtype_t dtype;
  int64_t count, rank;
} softmax_plan_t;

// Elements [first, end) of |entries| share all but the last index.
static void softmax_row(const softmax_plan_t *plan,
                        const berth_sparse_entry_t *entries, const void *x,
                        void *y, int64_t first, int64_t end) {
  berth_dtype_t dtype = plan->dtype;
  double most = berth_number_at(dtype, x, entries[first].index), sum = 0;
  for (int64_t i = first + 1; i < end; ++i) {
    double value = berth_number_at(dtype, x, entries[i].index);
    most = value > most ? value : most;
  }
  for (int64_t i = first; i < end; ++i) {
    double less = berth_number_at(dtype, x, entries[i].index) - most;
    double value =
        dtype == BERTH_DOUBLE ? exp(less) : (double)expf((float)less);
    berth_number_set(dtype, y, i, value);
    sum += value;
  }
  for (int64_t i = first; i < end; ++i) {
    berth_number_set(dtype, y, i, berth_number_at(dtype, y, i) / sum);
  }
}

// The results are in the order of places, whatever that of the inputs is.
static berth_code_t run_softmax(const void *data, void *const *args,
                                berth_call_t *call) {
  const softmax_plan_t *plan = data;
  const int64_t *at = args[0], rank = plan->rank;
  if (rank < 2) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Input should have rank >= 2, but received shape: %lld",
        (long long)(rank > 0 ? *(const int64_t *)args[2] : 0));
  }
  berth_sparse_entry_t *entries = args[4];
  for (int64_t i = 0; i < plan->count; ++i) {
    entries[i] = (berth_sparse_entry_t){at + i * rank, rank, i};
  }
  berth_sparse_sort(entries, plan->count);
  for (int64_t first = 0, end; first < plan->count; first = end) {
    if (berth_cpu_ends_at(call, first)) return BERTH_OK;
    for (end = first + 1; end < plan->count; ++end) {
      if (berth_sparse_compare(entries[first].at, entries[end].at, rank - 1) !=
          0) {
        break;
      }
    }
    softmax_row(plan, entries, args[1], args[3], first, end);
  }
  return BERTH_OK;
}

static berth_code_t prepare_softmax(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  softmax_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_sparse_softmax(&prepare->op, err));
  *plan =
      (softmax_plan_t){prepare->op.inputs[1].dtype, prepare->op.inputs[1].count,
                       prepare->op.inputs[2].count};
  prepare->run = run_softmax;
  prepare->scratch_size = (size_t)plan->count * sizeof(berth_sparse_entry_t);
  prepare->work = plan->count * 20;
  return BERTH_OK;
}

#define REDUCTION(name, set) \
  { .op = name, .types = {{"T", set}}, .prepare = prepare_reduce }

const berth_kernel_t berth_cpu_sparse_reduce_kernels[] = {
    REDUCTION("SparseReduceSum", BERTH_TYPES_ARITHMETIC),
    REDUCTION("SparseReduceSumSparse", BERTH_TYPES_ARITHMETIC),
    REDUCTION("SparseReduceMax", BERTH_TYPES_REAL),
    REDUCTION("SparseReduceMaxSparse", BERTH_TYPES_REAL),
    {.op = "SparseSoftmax",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = prepare_softmax},
    {.op = NULL},
};
