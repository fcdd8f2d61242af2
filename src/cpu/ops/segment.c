// segment.c - SegmentSum, UnsortedSegmentSum and their like.
#include <float.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/combine.h"
#include "cpu/loops/fold.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/loops/segment.h"
#include "kernel/places.h"
#include "op/group.h"
#include "op/types.h"
#include "op/value.h"
#include "tensor/complex.h"
#include "tensor/half.h"

typedef struct plan {
  berth_segments_t segments;
  berth_combiner_t combiner;
  // Join rows of floating numbers, those of sorted ids and single ones; NULL:
  // see |fold|.
  berth_segment_rows_fn rows, row;
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
  if (count == 0) return;
  if (segments->combine != BERTH_COMBINE_MUL && !has_limit) {
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
// A number takes the place of a NaN, and a NaN that of a number.
#define DEFINE_EACH_OF(slot, type, sum_type)               \
  DEFINE_EACH(add_##slot, type, (sum_type)a + (sum_type)b) \
  DEFINE_EACH(max_##slot, type, a > b ? a : b)             \
  DEFINE_EACH(min_##slot, type, a < b ? a : b)
DEFINE_EACH_OF(f32, float, float)
DEFINE_EACH_OF(f64, double, double)
DEFINE_EACH_OF(i32, int32_t, uint32_t)
DEFINE_EACH_OF(i64, int64_t, uint64_t)

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

// Joins |n| rows with those of their segments.
static void join_each(const plan_t *plan, const char *from, const int64_t *ids,
                      int64_t n, char *out) {
  const int64_t inner = plan->segments.inner;
  size_t row = (size_t)inner * plan->combiner.size;
  for (int64_t i = 0; i < n; ++i, from += row) {
    if (ids[i] < 0) continue;
    char *to = out + (size_t)ids[i] * row;
    if (plan->row != NULL) {
      plan->row(from, 1, inner, to);
    } else {
      (void)berth_combine(&plan->combiner, to, from, inner, false);
    }
  }
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
    if (plan->each != NULL) {
      plan->each(from, ids, n, out);
    } else {
      join_each(plan, from, ids, n, out);
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
  int is_wrong = 0;  // Looked at behind the loops, which are vectors so.
  if (segments->rows == 0 || id_at(segments, ids, 0) < 0) return false;
  for (int64_t i = 1; is_wide && i < segments->rows; ++i) {
    is_wrong |= wide[i] < wide[i - 1];
  }
  for (int64_t i = 1; !is_wide && i < segments->rows; ++i) {
    is_wrong |= narrow[i] < narrow[i - 1];
  }
  return is_wrong == 0;
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
  if (dtype == BERTH_FLOAT && rows <= 1 << FLT_MANT_DIG) {
    const float by = (float)rows;
    for (int64_t i = 0; i < count; ++i) ((float *)(void *)to)[i] /= by;
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (dtype == BERTH_COMPLEX64) {
      ((berth_complex64_t *)(void *)to)[i] /= (float)rows;
    } else if (dtype == BERTH_COMPLEX128) {
      ((berth_complex128_t *)(void *)to)[i] /= (double)rows;
    } else if (dtype == BERTH_INT64) {
      ((int64_t *)(void *)to)[i] /= rows;
    } else if (dtype == BERTH_UINT64) {
      ((uint64_t *)(void *)to)[i] /= (uint64_t)rows;
    } else {
      berth_number_set(dtype, to, i,
                       berth_number_at(dtype, to, i) / (double)rows);
    }
  }
}

// Joins |rows| rows with that at |to|.
static void join_more(const plan_t *plan, const char *from, int64_t rows,
                      char *to) {
  const int64_t inner = plan->segments.inner;
  if (plan->rows != NULL) {
    plan->rows(from, rows, inner, to);
  } else if (plan->fold != NULL) {
    plan->fold(from, rows, inner, inner, to);
  } else {
    size_t row = (size_t)inner * plan->combiner.size;
    for (int64_t i = 0; i < rows; ++i, from += row) {
      (void)berth_combine(&plan->combiner, to, from, inner, false);
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
    join_more(plan, from + row, end - begin - 1, to);
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

// Rows one behind the other; NaN are as segment.h says.
#define DEFINE_ROWS(name, type, JOIN)                                         \
  static void name(const void *in, int64_t rows, int64_t cols, void *acc) {   \
    const type *from = in;                                                    \
    type *to = acc;                                                           \
    for (int64_t r = 0; r < rows; ++r, from += cols) {                        \
      for (int64_t i = 0; i < cols; ++i) to[i] = JOIN(to[i], from[i]);        \
    }                                                                         \
  }
#define DEFINE_LARGEST(name, type, lanes, worst, JOIN)                        \
  static void name(const void *in, int64_t rows, int64_t cols, void *acc) {   \
    const type *from = in;                                                    \
    type *to = acc;                                                           \
    const int64_t whole = cols / (lanes) * (lanes);                           \
    for (int64_t i = 0; rows > 0 && i < whole; ++i) {                         \
      to[i] = JOIN(to[i], (type)(worst));                                     \
    }                                                                         \
    for (int64_t r = 0; r < rows; ++r, from += cols) {                        \
      for (int64_t i = 0; i < whole; ++i) to[i] = JOIN(from[i], to[i]);       \
      for (int64_t i = whole; i < cols; ++i) to[i] = JOIN(to[i], from[i]);    \
    }                                                                         \
  }
#define ADD(x, y) ((x) + (y))
#define MUL(x, y) ((x) * (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define MIN(x, y) ((x) < (y) ? (x) : (y))
DEFINE_ROWS(add_f32, float, ADD)
DEFINE_ROWS(mul_f32, float, MUL)
DEFINE_ROWS(max_f32, float, MAX)
DEFINE_ROWS(min_f32, float, MIN)
DEFINE_ROWS(add_f64, double, ADD)
DEFINE_ROWS(mul_f64, double, MUL)
DEFINE_ROWS(max_f64, double, MAX)
DEFINE_ROWS(min_f64, double, MIN)
DEFINE_LARGEST(sorted_max_f64, double, 4, -__builtin_inf(), MAX)
DEFINE_LARGEST(sorted_min_f64, double, 4, __builtin_inf(), MIN)

// The largest or smallest numbers of 16 bits; NaN are left out of the first
// |whole| columns.
static BERTH_NOINLINE void narrow_rows(const uint16_t *from, int64_t rows,
                                     int64_t cols, int64_t whole, uint16_t *to,
                                     bool is_half, bool is_max) {
#define WIDE(x) \
  (is_half ? berth_half_to_float(x) : berth_bfloat16_to_float(x))
#define JOIN(x, y) (is_max ? MAX(x, y) : MIN(x, y))
  const float worst = is_max ? -__builtin_inff() : __builtin_inff();
  for (int64_t i = 0; rows > 0 && i < cols; ++i) {
    float best = WIDE(to[i]);
    if (i < whole) best = JOIN(best, worst);
    for (int64_t r = 0; r < rows; ++r) {
      float x = WIDE(from[r * cols + i]);
      best = i < whole ? JOIN(x, best) : JOIN(best, x);
    }
    to[i] = is_half ? berth_float_to_half(best) : berth_float_to_bfloat16(best);
  }
#undef JOIN
#undef WIDE
}

#define DEFINE_NARROW(name, is_half, is_max)                                \
  static void name(const void *in, int64_t rows, int64_t cols, void *acc) { \
    narrow_rows(in, rows, cols, 0, acc, is_half, is_max);                   \
  }                                                                         \
  static void sorted_##name(const void *in, int64_t rows, int64_t cols,     \
                            void *acc) {                                    \
    narrow_rows(in, rows, cols, cols / 8 * 8, acc, is_half, is_max);        \
  }
DEFINE_NARROW(max_half, true, true)
DEFINE_NARROW(min_half, true, false)
DEFINE_NARROW(max_bfloat16, false, true)
DEFINE_NARROW(min_bfloat16, false, false)

// Finds the loops of numbers of 16 bits; sums and products need none.
static void find_narrow_rows(plan_t *plan) {
  static const berth_segment_rows_fn each[2][2] = {
      {max_half, min_half}, {max_bfloat16, min_bfloat16}};
  static const berth_segment_rows_fn sorted[2][2] = {
      {sorted_max_half, sorted_min_half},
      {sorted_max_bfloat16, sorted_min_bfloat16}};
  berth_combine_t how = plan->segments.combine;
  if (how != BERTH_COMBINE_MAX && how != BERTH_COMBINE_MIN) return;
  int type = plan->segments.dtype == BERTH_BFLOAT16;
  plan->rows = sorted[type][how == BERTH_COMBINE_MIN];
  plan->row = each[type][how == BERTH_COMBINE_MIN];
}

// Finds the loops of floating numbers.
static void find_rows(plan_t *plan) {
  static const berth_segment_rows_fn each[2][BERTH_SEGMENT_OPS] = {
      {add_f32, mul_f32, max_f32, min_f32},
      {add_f64, mul_f64, max_f64, min_f64}};
  static const berth_segment_rows_fn sorted[] = {add_f64, mul_f64,
                                                 sorted_max_f64,
                                                 sorted_min_f64};
  const berth_segment_loops_t *loops = BERTH_ISA_PICK(berth_cpu_segment_loops);
  berth_combine_t how = plan->segments.combine;
  berth_dtype_t dtype = plan->segments.dtype;
  if (dtype == BERTH_HALF || dtype == BERTH_BFLOAT16) find_narrow_rows(plan);
  if (dtype != BERTH_FLOAT && dtype != BERTH_DOUBLE) return;
  berth_segment_op_t op = how == BERTH_COMBINE_ADD   ? BERTH_SEGMENT_ADD
                          : how == BERTH_COMBINE_MUL ? BERTH_SEGMENT_MUL
                          : how == BERTH_COMBINE_MAX ? BERTH_SEGMENT_MAX
                                                     : BERTH_SEGMENT_MIN;
  plan->rows = dtype == BERTH_FLOAT ? loops->rows[op] : sorted[op];
  plan->row = each[dtype == BERTH_DOUBLE][op];
}

// Returns the loop of reductions that does the same with whole numbers.
static berth_fold_rows_fn find_fold(berth_combine_t how, berth_dtype_t dtype) {
  bool has_sign = how == BERTH_COMBINE_MAX || how == BERTH_COMBINE_MIN;
  berth_fold_op_t op = how == BERTH_COMBINE_ADD   ? BERTH_FOLD_SUM
                       : how == BERTH_COMBINE_MUL ? BERTH_FOLD_PROD
                       : how == BERTH_COMBINE_MAX ? BERTH_FOLD_MAX
                                                  : BERTH_FOLD_MIN;
  const berth_folds_t *folds = BERTH_ISA_PICK(berth_cpu_folds);
  switch (dtype) {
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
  find_rows(plan);
  if (plan->segments.inner == 1) {
    plan->each = find_each(plan->segments.combine, plan->segments.dtype);
  }
  // Ids are looked at where there is data, even if there are no segments.
  prepare->run = plan->segments.count < 0    ? run_sorted
                 : plan->segments.inner == 0 ? berth_run_nothing
                                             : run_unsorted;
  prepare->work = prepare->op.inputs[0].count * 4;
  return BERTH_OK;
}

#define SORTED(name, t)                                               \
  {                                                                   \
    .op = name, .types = {{"T", t}, {"Tindices", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_segments                                       \
  }
#define UNSORTED(name, t)                                                     \
  {                                                                           \
    .op = name,                                                               \
    .types = {{"T", t}, {"Tindices", BERTH_TYPES_INDEX | BERTH_TYPE(INT16)}}, \
    .prepare = prepare_segments                                               \
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
