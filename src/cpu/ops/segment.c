// segment.c - SegmentSum, UnsortedSegmentSum and their like.
#include <float.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/combine.h"
#include "cpu/loops/fold.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "kernel/places.h"
#include "op/group.h"
#include "op/types.h"
#include "op/value.h"
#include "tensor/complex.h"

typedef struct plan {
  berth_segments_t segments;
  berth_combiner_t combiner;
  berth_fold_rows_fn fold;  // Joins many rows at once; NULL: one by one.
  // Joins rows of a single number; NULL: as others.
  void (*each)(const void *x, const int64_t *ids, int64_t n, void *y);
} plan_t;

static int64_t id_at(const berth_segments_t *segments, const void *ids,
                     int64_t i) {
  return berth_index_at(segments->index_type, ids, i);
}

// Writes the smallest or largest number of |dtype|.
static void set_limit(berth_dtype_t dtype, void *to, int64_t i, bool is_low) {
  uint64_t ones = ~UINT64_C(0);
  size_t size = berth_dtype_size(dtype);
  uint64_t sign = UINT64_C(1) << (size * 8 - 1), bits = 0;
  switch (dtype) {
    case BERTH_FLOAT:
      berth_number_set(dtype, to, i, is_low ? -(double)FLT_MAX : FLT_MAX);
      return;
    case BERTH_DOUBLE:
      berth_number_set(dtype, to, i, is_low ? -DBL_MAX : DBL_MAX);
      return;
    case BERTH_HALF:
      bits = is_low ? 0xfbff : 0x7bff;
      break;
    case BERTH_BFLOAT16:
      bits = is_low ? 0xff7f : 0x7f7f;
      break;
    default:
      if (berth_type_in(dtype, BERTH_TYPES_SIGNED)) {
        bits = is_low ? sign : sign - 1;
      } else {
        bits = is_low ? 0 : ones;
      }
  }
  memcpy((char *)to + (size_t)i * size, &bits, size);
}

// Writes |count| times what a segment without rows is.
static void fill_empty(const plan_t *plan, char *to, int64_t count) {
  const berth_segments_t *segments = &plan->segments;
  const size_t size = plan->combiner.size, all = (size_t)count * size;
  bool has_limit =
      segments->count >= 0 && (segments->combine == BERTH_COMBINE_MAX ||
                               segments->combine == BERTH_COMBINE_MIN);
  if (count == 0 || (segments->combine != BERTH_COMBINE_MUL && !has_limit)) {
    memset(to, 0, all);
    return;
  }
  memset(to, 0, size);
  if (has_limit) {
    set_limit(segments->dtype, to, 0, segments->combine == BERTH_COMBINE_MAX);
  } else if (segments->dtype == BERTH_COMPLEX64) {
    *(berth_complex64_t *)(void *)to = 1;
  } else if (segments->dtype == BERTH_COMPLEX128) {
    *(berth_complex128_t *)(void *)to = 1;
  } else {
    berth_number_set(segments->dtype, to, 0, 1);
  }
  for (size_t done = size; done < all; done *= 2) {
    memcpy(to + done, to, all - done < done ? all - done : done);
  }
}

// ---- Unsorted ----

// Joins single numbers with those of their segments; ids below 0 have none.
typedef void (*each_fn)(const void *x, const int64_t *ids, int64_t n, void *y);

#define DEFINE_EACH(name, type, expr)                                    \
  static void each_##name(const void *in, const int64_t *ids, int64_t n, \
                          void *out) {                                   \
    const type *x = in;                                                  \
    type *to = out;                                                      \
    for (int64_t i = 0; i < n; ++i) {                                    \
      if (ids[i] < 0) continue;                                          \
      const type a = to[ids[i]], b = x[i];                               \
      to[ids[i]] = (type)(expr);                                         \
    }                                                                    \
  }
// A NaN that is there stays.
#define DEFINE_FLOATS(slot, type)                        \
  DEFINE_EACH(add_##slot, type, a + b)                   \
  DEFINE_EACH(max_##slot, type, a > b || a != a ? a : b) \
  DEFINE_EACH(min_##slot, type, a < b || a != a ? a : b)
#define DEFINE_WHOLE(slot, type, unsigned_type)                      \
  DEFINE_EACH(add_##slot, type, (unsigned_type)a + (unsigned_type)b) \
  DEFINE_EACH(max_##slot, type, a > b ? a : b)                       \
  DEFINE_EACH(min_##slot, type, a < b ? a : b)
DEFINE_FLOATS(f32, float)
DEFINE_FLOATS(f64, double)
DEFINE_WHOLE(i32, int32_t, uint32_t)
DEFINE_WHOLE(i64, int64_t, uint64_t)

// Returns the loop of a type in most use, or NULL.
static each_fn find_each(berth_combine_t how, berth_dtype_t dtype) {
#define PICK(slot)                                    \
  return how == BERTH_COMBINE_ADD   ? each_add_##slot \
         : how == BERTH_COMBINE_MAX ? each_max_##slot \
         : how == BERTH_COMBINE_MIN ? each_min_##slot \
                                    : NULL
  switch (dtype) {
    case BERTH_FLOAT:
      PICK(f32);
    case BERTH_DOUBLE:
      PICK(f64);
    case BERTH_INT32:
      PICK(i32);
    case BERTH_INT64:
      PICK(i64);
    default:
      return NULL;
  }
#undef PICK
}

enum { IDS_AT_ONCE = 512 };

// Reads |n| ids from |begin| on; fails on one that is too large.
static berth_code_t read_ids(const berth_segments_t *segments, const void *from,
                             int64_t begin, int64_t n, int64_t *ids,
                             berth_error_t *err) {
  const int64_t *wide = from;
  const int32_t *narrow = from;
  const int64_t most = segments->count;
  bool fits = true;
  for (int64_t i = 0; i < n; ++i) {
    ids[i] = segments->index_type == BERTH_INT64 ? wide[begin + i]
             : segments->index_type == BERTH_INT32
                 ? narrow[begin + i]
                 : id_at(segments, from, begin + i);
    fits &= ids[i] < most;
  }
  for (int64_t i = 0; !fits && i < n; ++i) {
    if (ids[i] < most) continue;
    berth_str_t at = {0};
    berth_place_print(segments->ids, begin + i, &at);
    berth_code_t code =
        berth_error_set(err, BERTH_INVALID_ARGUMENT,
                        "segment_ids%s = %lld is out of range [0, %lld)",
                        berth_str_get(&at), (long long)ids[i], (long long)most);
    berth_str_clear(&at);
    return code;
  }
  return BERTH_OK;
}

static berth_code_t run_unsorted(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_segments_t *segments = &plan->segments;
  size_t row = (size_t)segments->inner * plan->combiner.size;
  char *out = args[3];
  int64_t ids[IDS_AT_ONCE];
  fill_empty(plan, out, segments->count * segments->inner);
  for (int64_t at = 0; at < segments->rows; at += IDS_AT_ONCE) {
    int64_t left = segments->rows - at;
    int64_t n = left < IDS_AT_ONCE ? left : IDS_AT_ONCE;
    BERTH_TRY(read_ids(segments, args[1], at, n, ids, call->err));
    const char *from = (const char *)args[0] + (size_t)at * row;
    if (plan->each != NULL) plan->each(from, ids, n, out);
    for (int64_t i = 0; plan->each == NULL && i < n; ++i) {
      if (ids[i] < 0) continue;
      (void)berth_combine(&plan->combiner, out + (size_t)ids[i] * row,
                          from + (size_t)i * row, segments->inner, false);
    }
    if (berth_cpu_has_ended(call)) return BERTH_OK;
  }
  return BERTH_OK;
}

// ---- Sorted ----

// True when the ids ascend from 0 or more.
static bool are_sorted(const berth_segments_t *segments, const void *ids) {
  const int64_t *wide = ids;
  const int32_t *narrow = ids;
  bool is_wide = segments->index_type == BERTH_INT64;
  if (segments->rows == 0 || id_at(segments, ids, 0) < 0) return false;
  for (int64_t i = 1; is_wide && i < segments->rows; ++i) {
    if (wide[i] < wide[i - 1]) return false;
  }
  for (int64_t i = 1; !is_wide && i < segments->rows; ++i) {
    if (narrow[i] < narrow[i - 1]) return false;
  }
  return true;
}

// Returns the row behind the last one from |begin| on that has its id.
static int64_t find_end(const berth_segments_t *segments, const void *ids,
                        int64_t begin) {
  const int64_t *wide = ids;
  const int32_t *narrow = ids;
  int64_t end = begin + 1;
  if (segments->index_type == BERTH_INT64) {
    while (end < segments->rows && wide[end] == wide[begin]) ++end;
  } else {
    while (end < segments->rows && narrow[end] == narrow[begin]) ++end;
  }
  return end;
}

static berth_code_t check_ids(const berth_segments_t *segments, const void *ids,
                              int64_t *out_count, berth_error_t *err) {
  int64_t last =
      segments->rows > 0 ? id_at(segments, ids, segments->rows - 1) : -1;
  *out_count = last + 1;
  if (segments->rows > 0 && last < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "segment ids must be >= 0");
  }
  if (are_sorted(segments, ids)) return BERTH_OK;
  for (int64_t i = 0; i < segments->rows; ++i) {
    int64_t id = id_at(segments, ids, i);
    if (i + 1 < segments->rows && id_at(segments, ids, i + 1) < id) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "segment ids are not increasing");
    }
    if (id < 0 || id > last) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Segment id %lld out of range [0, %lld), possibly "
                             "because 'segment_ids' input is not sorted.",
                             (long long)id, (long long)*out_count);
    }
  }
  return BERTH_OK;
}

// Divides the sums of |count| elements by the number of rows.
static void divide(berth_dtype_t dtype, char *to, int64_t count, int64_t rows) {
  for (int64_t i = 0; i < count; ++i) {
    if (dtype == BERTH_COMPLEX64) {
      ((berth_complex64_t *)(void *)to)[i] /= (float)rows;
    } else if (dtype == BERTH_COMPLEX128) {
      ((berth_complex128_t *)(void *)to)[i] /= (double)rows;
    } else if (dtype == BERTH_INT64) {
      ((int64_t *)(void *)to)[i] /= rows;
    } else if (dtype == BERTH_UINT64) {
      ((uint64_t *)(void *)to)[i] /= (uint64_t)rows;
    } else if (dtype == BERTH_FLOAT) {
      float *sum = (float *)(void *)to + i;
      *sum = (float)((double)*sum / (double)rows);
    } else {
      berth_number_set(dtype, to, i,
                       berth_number_at(dtype, to, i) / (double)rows);
    }
  }
}

static void join_rows(const plan_t *plan, const void *data, const void *ids,
                      char *out) {
  const berth_segments_t *segments = &plan->segments;
  size_t row = (size_t)segments->inner * plan->combiner.size;
  int64_t begin = 0;
  while (begin < segments->rows) {
    int64_t id = id_at(segments, ids, begin);
    int64_t end = find_end(segments, ids, begin);
    char *to = out + (size_t)id * row;
    const char *from = (const char *)data + (size_t)begin * row;
    memcpy(to, from, row);
    if (plan->fold != NULL) {
      plan->fold(from + row, end - begin - 1, segments->inner, segments->inner,
                 to);
    }
    for (int64_t i = begin + 1; plan->fold == NULL && i < end; ++i) {
      from += row;
      (void)berth_combine(&plan->combiner, to, from, segments->inner, false);
    }
    if (segments->is_mean && end - begin > 1) {
      divide(segments->dtype, to, segments->inner, end - begin);
    }
    begin = end;
  }
}

static berth_code_t run_sorted(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_segments_t *segments = &plan->segments;
  int64_t count = 0, total = 1;
  berth_shape_t shape = {.rank = 0};
  BERTH_TRY(check_ids(segments, args[1], &count, call->err));
  BERTH_TRY(berth_shape_push(&shape, &total, count, call->err));
  for (int32_t i = 0; i < segments->rest.rank; ++i) {
    BERTH_TRY(
        berth_shape_push(&shape, &total, segments->rest.dims[i], call->err));
  }
  berth_tensor_t *out = NULL;
  BERTH_TRY(berth_tensor_make(call->allocator, segments->dtype, shape.rank,
                              shape.dims, total, &out, call->err));
  fill_empty(plan, out->data, total);
  if (total > 0) join_rows(plan, args[0], args[1], out->data);
  call->outputs[0] = out;
  return BERTH_OK;
}

// Joins rows one behind the other, as TensorFlow does: sums of floating numbers
// made in another order would have other bits. A few columns at a time stay in
// registers, which rows that are shorter than a long vector gain from.
#define DEFINE_ROWS(name, type, expr)                                 \
  static void rows_##name(const void *in, int64_t rows, int64_t step, \
                          int64_t cols, void *acc) {                  \
    enum { AT_ONCE = 8 };                                             \
    const type *from = in;                                            \
    type *to = acc;                                                   \
    int64_t c = 0;                                                    \
    for (; c + AT_ONCE <= cols; c += AT_ONCE) {                       \
      type sums[AT_ONCE];                                             \
      for (int k = 0; k < AT_ONCE; ++k) sums[k] = to[c + k];          \
      for (int64_t r = 0; r < rows; ++r) {                            \
        for (int k = 0; k < AT_ONCE; ++k) {                           \
          const type x = sums[k], y = from[r * step + c + k];         \
          sums[k] = (expr);                                           \
        }                                                             \
      }                                                               \
      for (int k = 0; k < AT_ONCE; ++k) to[c + k] = sums[k];          \
    }                                                                 \
    for (int64_t r = 0; r < rows; ++r) {                              \
      for (int64_t i = c; i < cols; ++i) {                            \
        const type x = to[i], y = from[r * step + i];                 \
        to[i] = (expr);                                               \
      }                                                               \
    }                                                                 \
  }
DEFINE_ROWS(add_f32, float, x + y)
DEFINE_ROWS(add_f64, double, x + y)
DEFINE_ROWS(mul_f32, float, x *y)
DEFINE_ROWS(max_f32, float, ((x > y) | (x != x)) != 0 ? x : y)
DEFINE_ROWS(min_f32, float, ((x < y) | (x != x)) != 0 ? x : y)

// Returns the loop for rows of a few floats.
static berth_fold_rows_fn find_short(berth_combine_t how) {
  return how == BERTH_COMBINE_ADD   ? rows_add_f32
         : how == BERTH_COMBINE_MUL ? rows_mul_f32
         : how == BERTH_COMBINE_MAX ? rows_max_f32
                                    : rows_min_f32;
}

// Returns the loop of reductions that does the same, of a type in most use.
static berth_fold_rows_fn find_fold(berth_combine_t how, berth_dtype_t dtype) {
  bool has_sign = how == BERTH_COMBINE_MAX || how == BERTH_COMBINE_MIN;
  berth_fold_op_t op = how == BERTH_COMBINE_ADD   ? BERTH_FOLD_SUM
                       : how == BERTH_COMBINE_MUL ? BERTH_FOLD_PROD
                       : how == BERTH_COMBINE_MAX ? BERTH_FOLD_MAX
                                                  : BERTH_FOLD_MIN;
  const berth_folds_t *folds = BERTH_ISA_PICK(berth_cpu_folds);
  switch (dtype) {
    case BERTH_FLOAT:
      return how == BERTH_COMBINE_ADD ? rows_add_f32
                                      : folds->of[op][BERTH_FOLD_F32].rows;
    case BERTH_DOUBLE:
      return how == BERTH_COMBINE_ADD ? rows_add_f64
                                      : folds->of[op][BERTH_FOLD_F64].rows;
    case BERTH_INT32:
      return folds->of[op][has_sign ? BERTH_FOLD_I32 : BERTH_FOLD_U32].rows;
    case BERTH_INT64:
      return folds->of[op][has_sign ? BERTH_FOLD_I64 : BERTH_FOLD_U64].rows;
    default:
      return NULL;
  }
}

static berth_code_t prepare_segments(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_segments(&prepare->op, &plan->segments, err));
  plan->combiner =
      berth_combiner_of(plan->segments.combine, plan->segments.dtype);
  plan->fold = find_fold(plan->segments.combine, plan->segments.dtype);
  if (plan->segments.dtype == BERTH_FLOAT && plan->segments.inner < 16) {
    plan->fold = find_short(plan->segments.combine);
  }
  if (plan->segments.inner == 1) {
    plan->each = find_each(plan->segments.combine, plan->segments.dtype);
  }
  prepare->run = plan->segments.count < 0 ? run_sorted : run_unsorted;
  if (plan->segments.count * plan->segments.inner == 0) {
    prepare->run = berth_run_nothing;
  }
  if (plan->segments.count < 0) prepare->run = run_sorted;
  prepare->work = prepare->op.inputs[0].count * 4;
  return BERTH_OK;
}

#define SORTED(name, t)                                               \
  {                                                                   \
    .op = name, .types = {{"T", t}, {"Tindices", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_segments                                       \
  }
#define UNSORTED(name, t)                                          \
  {                                                                \
    .op = name,                                                    \
    .types = {{"T", t},                                            \
              {"Tindices", BERTH_TYPES_INDEX | BERTH_TYPE(INT16)}, \
              {"Tnumsegments", BERTH_TYPES_INDEX}},                \
    .prepare = prepare_segments                                    \
  }

const berth_kernel_t berth_cpu_segment_kernels[] = {
    SORTED("SegmentSum", BERTH_TYPES_ARITHMETIC),
    SORTED("SegmentMean", BERTH_TYPES_ARITHMETIC),
    SORTED("SegmentProd", BERTH_TYPES_ARITHMETIC),
    SORTED("SegmentMax", BERTH_TYPES_REAL),
    SORTED("SegmentMin", BERTH_TYPES_REAL),
    UNSORTED("UnsortedSegmentSum", BERTH_TYPES_ARITHMETIC),
    UNSORTED("UnsortedSegmentProd", BERTH_TYPES_ARITHMETIC),
    UNSORTED("UnsortedSegmentMax", BERTH_TYPES_REAL),
    UNSORTED("UnsortedSegmentMin", BERTH_TYPES_REAL),
    {.op = NULL},
};
