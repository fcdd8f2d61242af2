// sparse_segment.c - SparseSegmentSum and its like, and their gradients.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/combine.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/loops/segment.h"
#include "kernel/places.h"
#include "op/group.h"
#include "op/value.h"

typedef struct plan {
  berth_sparse_segments_t segments;
  berth_combiner_t combiner;  // Adds.
  berth_segment_gather_fn gather;  // Adds rows of floats; NULL: one by one.
} plan_t;

// What one call works on.
typedef struct work {
  const plan_t *plan;
  const char *data;
  const void *indices, *ids;
  char *out;
  int64_t rows;  // Of |out|.
  float *sums;   // What becomes |out| at the end; NULL: none are needed.
} work_t;

static inline int64_t index_at(const work_t *work, int64_t i) {
  return berth_index_at(work->plan->segments.index_type, work->indices, i);
}

static inline int64_t id_at(const work_t *work, int64_t i) {
  return berth_index_at(work->plan->segments.id_type, work->ids, i);
}

static bool is_narrow(berth_dtype_t dtype) {
  return dtype == BERTH_HALF || dtype == BERTH_BFLOAT16;
}

// What a sum of |count| rows is multiplied by.
static double scale_of(berth_sparse_join_t join, int64_t count) {
  switch (join) {
    case BERTH_SPARSE_MEAN:
      return 1 / (double)count;
    case BERTH_SPARSE_SQRT_N:
      return 1 / sqrt((double)count);
    default:
      return 1;
  }
}

// ---- Segments ----

// Says which id or index is wrong, the first of them; fine where none is.
static berth_code_t find_wrong(const work_t *work, berth_error_t *err) {
  const berth_sparse_segments_t *segments = &work->plan->segments;
  for (int64_t i = 0; i < segments->count; ++i) {
    int64_t id = id_at(work, i), index = index_at(work, i);
    if (i + 1 < segments->count && id_at(work, i + 1) < id) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "segment ids are not increasing");
    }
    if (id < 0 || id >= work->rows) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Segment id %lld out of range [0, %lld), possibly "
                             "because 'segment_ids' input is not sorted.",
                             (long long)id, (long long)work->rows);
    }
    if (index < 0 || index >= segments->data_rows) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Bad: indices[%lld] == %lld out of range [0, %lld)", (long long)i,
          (long long)index, (long long)segments->data_rows);
    }
  }
  return BERTH_OK;
}

// Return whether |count| numbers are in [0, limit), and do not descend.
#define DEFINE_CHECKS(name, type)                                             \
  static bool are_inside_##name(const type *x, int64_t count,                 \
                                int64_t limit) {                              \
    bool is_wrong = false;                                                    \
    for (int64_t i = 0; i < count; ++i) {                                     \
      is_wrong |= (uint64_t)(int64_t)x[i] >= (uint64_t)limit;                 \
    }                                                                         \
    return !is_wrong;                                                         \
  }                                                                           \
  static bool do_ascend_##name(const type *x, int64_t count) {                \
    bool is_wrong = false;                                                    \
    for (int64_t i = 1; i < count; ++i) is_wrong |= x[i] < x[i - 1];          \
    return !is_wrong;                                                         \
  }
DEFINE_CHECKS(32, int32_t)
DEFINE_CHECKS(64, int64_t)

// Checks everything before anything is written.
static berth_code_t check_all(const work_t *work, berth_error_t *err) {
  const berth_sparse_segments_t *segments = &work->plan->segments;
  const int64_t n = segments->count;
  if (n == 0) return BERTH_OK;
  bool is_fine = segments->index_type == BERTH_INT64
                     ? are_inside_64(work->indices, n, segments->data_rows)
                     : are_inside_32(work->indices, n, segments->data_rows);
  is_fine = is_fine && (segments->id_type == BERTH_INT64
                            ? do_ascend_64(work->ids, n)
                            : do_ascend_32(work->ids, n));
  is_fine = is_fine && id_at(work, 0) >= 0 && id_at(work, n - 1) < work->rows;
  return is_fine ? BERTH_OK : find_wrong(work, err);
}

// The sum of half precision is one of floats, rounded at the end.
static void join_narrow(const work_t *work, int64_t begin, int64_t end,
                        char *to) {
  const berth_sparse_segments_t *segments = &work->plan->segments;
  float scale = (float)scale_of(segments->join, end - begin);
  for (int64_t k = 0; k < segments->inner; ++k) {
    float sum = 0;
    for (int64_t i = begin; i < end; ++i) {
      int64_t at = index_at(work, i) * segments->inner + k;
      sum += (float)berth_number_at(segments->dtype, work->data, at);
    }
    berth_number_set(segments->dtype, to, k, (double)(sum * scale));
  }
}

static void scale_row(const berth_sparse_segments_t *segments, int64_t count,
                      char *to) {
  if (segments->join == BERTH_SPARSE_SUM || count == 1) return;
  double scale = scale_of(segments->join, count);
  for (int64_t k = 0; k < segments->inner; ++k) {
    if (segments->dtype == BERTH_FLOAT) {
      ((float *)(void *)to)[k] *= (float)scale;
    } else {
      ((double *)(void *)to)[k] *= scale;
    }
  }
}

static void join_rows(const work_t *work, int64_t begin, int64_t end,
                      char *to) {
  const plan_t *plan = work->plan;
  size_t row = (size_t)plan->segments.inner * plan->combiner.size;
  if (is_narrow(plan->segments.dtype)) {
    join_narrow(work, begin, end, to);
    return;
  }
  if (plan->gather != NULL) {
    const char *places = work->indices;
    places += (size_t)begin * berth_dtype_size(plan->segments.index_type);
    plan->gather((const void *)work->data, places, end - begin,
                 plan->segments.inner, (void *)to);
    scale_row(&plan->segments, end - begin, to);
    return;
  }
  memcpy(to, work->data + (size_t)index_at(work, begin) * row, row);
  for (int64_t i = begin + 1; i < end; ++i) {
    (void)berth_combine(&plan->combiner, to,
                        work->data + (size_t)index_at(work, i) * row,
                        plan->segments.inner, false);
  }
  scale_row(&plan->segments, end - begin, to);
}

static void join_all(const work_t *work, const berth_call_t *call) {
  const plan_t *plan = work->plan;
  size_t row = (size_t)plan->segments.inner * plan->combiner.size;
  memset(work->out, 0, (size_t)work->rows * row);
  for (int64_t begin = 0; begin < plan->segments.count;) {
    if (berth_cpu_ends_at(call, begin)) return;
    int64_t id = id_at(work, begin), end = begin + 1;
    while (end < plan->segments.count && id_at(work, end) == id) ++end;
    join_rows(work, begin, end, work->out + (size_t)id * row);
    begin = end;
  }
}

static work_t work_of(const plan_t *plan, void *const *args) {
  return (work_t){plan, args[0], args[1], args[2], NULL, plan->segments.rows, NULL};
}

static int64_t last_id(const work_t *work) {
  int64_t count = work->plan->segments.count;
  return count > 0 ? id_at(work, count - 1) : -1;
}

static berth_code_t run_sized(const void *arg, void *const *args,
                              berth_call_t *call) {
  work_t work = work_of(arg, args);
  work.out = args[4];
  if (last_id(&work) >= work.rows) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "segment ids must be < num_segments");
  }
  BERTH_TRY(check_all(&work, call->err));
  if (work.rows * work.plan->segments.inner > 0) join_all(&work, call);
  return BERTH_OK;
}

// Makes an output of |rows| rows.
static berth_code_t make_rows(const berth_sparse_segments_t *segments,
                              int64_t rows, berth_call_t *call,
                              berth_tensor_t **out) {
  berth_shape_t shape = {.rank = 0};
  int64_t total = 1;
  BERTH_TRY(berth_shape_push(&shape, &total, rows, call->err));
  for (int32_t i = 0; i < segments->rest.rank; ++i) {
    BERTH_TRY(
        berth_shape_push(&shape, &total, segments->rest.dims[i], call->err));
  }
  return berth_tensor_make(call->allocator, segments->dtype, shape.rank,
                           shape.dims, total, out, call->err);
}

static berth_code_t run_late(const void *arg, void *const *args,
                             berth_call_t *call) {
  work_t work = work_of(arg, args);
  work.rows = last_id(&work) + 1;
  if (work.rows < 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "segment ids must be >= 0");
  }
  BERTH_TRY(check_all(&work, call->err));
  berth_tensor_t *out = NULL;
  BERTH_TRY(make_rows(&work.plan->segments, work.rows, call, &out));
  work.out = out->data;
  if (out->count > 0) join_all(&work, call);
  call->outputs[0] = out;
  return BERTH_OK;
}

// ---- Gradients ----

static berth_code_t check_grad(const work_t *work, berth_error_t *err) {
  const berth_sparse_segments_t *segments = &work->plan->segments;
  if (segments->count > 0 && last_id(work) + 1 > segments->data_rows) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Invalid number of segments");
  }
  for (int64_t i = 0; i < segments->count; ++i) {
    int64_t id = id_at(work, i), index = index_at(work, i);
    if (id < 0 || id >= segments->data_rows) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Segment id %lld out of range [0, %lld).",
                             (long long)id, (long long)segments->data_rows);
    }
    if (index < 0 || index >= segments->rows) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Index %lld out of range [0, %lld).",
                             (long long)index, (long long)segments->rows);
    }
  }
  return BERTH_OK;
}

// Counts the rows of each segment, in memory to be freed.
static berth_code_t count_rows(const work_t *work, int64_t **out_counts,
                               berth_error_t *err) {
  const berth_sparse_segments_t *segments = &work->plan->segments;
  int64_t *counts =
      berth_calloc((size_t)segments->data_rows + 1, sizeof(*counts));
  if (counts == NULL) return berth_error_no_memory(err, "counts");
  for (int64_t i = 0; i < segments->count; ++i) ++counts[id_at(work, i)];
  *out_counts = counts;
  return BERTH_OK;
}

// Adds the row of segment |id|, by |scale|, to row |to|. Numbers of 16 bits are
// added up in |sums|: in their own type sums would stand still.
static void add_scaled(const work_t *work, int64_t id, double scale,
                       int64_t to) {
  const berth_sparse_segments_t *segments = &work->plan->segments;
  int64_t from = id * segments->inner, at = to * segments->inner;
  if (work->sums != NULL) {
    for (int64_t k = 0; k < segments->inner; ++k) {
      double x = berth_number_at(segments->dtype, work->data, from + k);
      work->sums[at + k] += (float)(x * scale);
    }
    return;
  }
  if (segments->dtype == BERTH_FLOAT) {
    const float *x = (const float *)(const void *)work->data + from;
    float *y = (float *)(void *)work->out + at, by = (float)scale;
    for (int64_t k = 0; k < segments->inner; ++k) {
      y[k] = y[k] + x[k] * by;
    }
    return;
  }
  for (int64_t k = 0; k < segments->inner; ++k) {
    double x = berth_number_at(segments->dtype, work->data, from + k) * scale;
    double y = berth_number_at(segments->dtype, work->out, at + k);
    berth_number_set(segments->dtype, work->out, at + k, x + y);
  }
}

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

// Returns the row of |work->out| for |index|: its place in |sorted|, if any.
static int64_t row_of(const work_t *work, const int64_t *sorted,
                      int64_t index) {
  if (sorted == NULL) return index;
  const int64_t *at =
      bsearch(&index, sorted, (size_t)work->rows, sizeof(*sorted), compare);
  return at - sorted;
}

// Adds up into |work->out|, whose rows are those of |sorted|; NULL: all.
static berth_code_t add_all(work_t *work, const int64_t *sorted,
                            berth_error_t *err) {
  const plan_t *plan = work->plan;
  int64_t *counts = NULL, total = work->rows * plan->segments.inner;
  BERTH_TRY(count_rows(work, &counts, err));
  if (is_narrow(plan->segments.dtype)) {
    work->sums = berth_calloc((size_t)total, sizeof(*work->sums));
    if (work->sums == NULL) {
      berth_free(counts);
      return berth_error_no_memory(err, "sums");
    }
  }
  memset(work->out, 0, (size_t)total * plan->combiner.size);
  for (int64_t i = 0; i < plan->segments.count; ++i) {
    int64_t id = id_at(work, i);
    double scale = scale_of(plan->segments.join, counts[id]);
    add_scaled(work, id, scale, row_of(work, sorted, index_at(work, i)));
  }
  for (int64_t i = 0; work->sums != NULL && i < total; ++i) {
    berth_number_set(plan->segments.dtype, work->out, i,
                     (double)work->sums[i]);
  }
  berth_free(work->sums);
  berth_free(counts);
  return BERTH_OK;
}

static berth_code_t run_grad(const void *arg, void *const *args,
                             berth_call_t *call) {
  work_t work = work_of(arg, args);
  work.out = args[4];
  BERTH_TRY(check_grad(&work, call->err));
  if (work.rows * work.plan->segments.inner == 0) return BERTH_OK;
  return add_all(&work, NULL, call->err);
}

// ---- Gradients of the rows that are named alone ----

// Stores the indices in order, each once, in memory to be freed.
static berth_code_t sort_indices(const work_t *work, int64_t **out_sorted,
                                 int64_t *out_count, berth_error_t *err) {
  int64_t count = work->plan->segments.count, kept = 0;
  int64_t *sorted = berth_calloc((size_t)count + 1, sizeof(*sorted));
  if (sorted == NULL) return berth_error_no_memory(err, "indices");
  for (int64_t i = 0; i < count; ++i) sorted[i] = index_at(work, i);
  qsort(sorted, (size_t)count, sizeof(*sorted), compare);
  for (int64_t i = 0; i < count; ++i) {
    if (i == 0 || sorted[i] != sorted[i - 1]) sorted[kept++] = sorted[i];
  }
  *out_sorted = sorted;
  *out_count = kept;
  return BERTH_OK;
}

static berth_code_t make_named(work_t *work, const int64_t *sorted,
                               berth_call_t *call) {
  const berth_sparse_segments_t *segments = &work->plan->segments;
  berth_tensor_t *out = NULL, *names = NULL;
  BERTH_TRY(make_rows(segments, work->rows, call, &out));
  berth_code_t code =
      berth_tensor_make(call->allocator, segments->index_type, 1, &work->rows,
                        work->rows, &names, call->err);
  if (code == BERTH_OK && out->count > 0) {
    work->out = out->data;
    code = add_all(work, sorted, call->err);
  }
  if (code != BERTH_OK) {
    berth_tensor_release(out);
    berth_tensor_release(names);
    return code;
  }
  for (int64_t i = 0; i < work->rows; ++i) {
    berth_index_set(segments->index_type, names->data, i, sorted[i]);
  }
  call->outputs[0] = out;
  call->outputs[1] = names;
  return BERTH_OK;
}

static berth_code_t run_named(const void *arg, void *const *args,
                              berth_call_t *call) {
  work_t work = work_of(arg, args);
  int64_t *sorted = NULL;
  BERTH_TRY(check_grad(&work, call->err));
  BERTH_TRY(sort_indices(&work, &sorted, &work.rows, call->err));
  berth_code_t code = make_named(&work, sorted, call);
  berth_free(sorted);
  return code;
}

// ---- Preparing ----

static berth_code_t prepare_segments(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_sparse_segments(&prepare->op, &plan->segments, err));
  plan->combiner = berth_combiner_of(BERTH_COMBINE_ADD, plan->segments.dtype);
  if (plan->segments.dtype == BERTH_FLOAT) {
    bool is_wide = plan->segments.index_type == BERTH_INT64;
    plan->gather = BERTH_ISA_PICK(berth_cpu_segment_loops)->gather[is_wide];
  }
  prepare->work = plan->segments.count * plan->segments.inner;
  if (prepare->op.output_count == 2) {
    prepare->run = run_named;
  } else if (plan->segments.is_grad) {
    prepare->run = run_grad;
  } else {
    prepare->run = plan->segments.rows < 0 ? run_late : run_sized;
  }
  return BERTH_OK;
}

#define REAL BERTH_TYPES_REAL
#define FLOATING BERTH_TYPES_FLOATING
#define SEGMENTS(name, t)                                         \
  {                                                               \
    .op = name, .types = {{"T", t}, {"Tidx", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_segments                                   \
  }

const berth_kernel_t berth_cpu_sparse_segment_kernels[] = {
    SEGMENTS("SparseSegmentSum", REAL),
    SEGMENTS("SparseSegmentSumWithNumSegments", REAL),
    SEGMENTS("SparseSegmentMean", FLOATING),
    SEGMENTS("SparseSegmentMeanWithNumSegments", FLOATING),
    SEGMENTS("SparseSegmentSqrtN", FLOATING),
    SEGMENTS("SparseSegmentSqrtNWithNumSegments", FLOATING),
    SEGMENTS("SparseSegmentSumGrad", FLOATING),
    SEGMENTS("SparseSegmentMeanGrad", FLOATING),
    SEGMENTS("SparseSegmentSqrtNGrad", FLOATING),
    SEGMENTS("SparseSegmentSumGradV2", FLOATING),
    SEGMENTS("SparseSegmentMeanGradV2", FLOATING),
    SEGMENTS("SparseSegmentSqrtNGradV2", FLOATING),
    {.op = NULL},
};
