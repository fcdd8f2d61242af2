// one_hot.c - The kernel OneHot.
//
// Indices are seen as [prefix, suffix] around the new axis; the result is
// [prefix, depth, suffix], off everywhere but where the index says on.
#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/ops/move.h"
#include "op/index.h"

enum { PIECE_NS = 20000 };

typedef struct plan {
  int64_t prefix, depth, suffix;
  size_t size;  // Of an element.
  berth_dtype_t dtype, index_type;
  berth_rows_fn repeat;  // Of elements of this size, if they are plain.
} plan_t;

typedef struct work {
  const plan_t *plan;
  const void *indices;
  const char *on, *off;
  char *out;
} work_t;

static int64_t index_at(const plan_t *plan, const void *indices, int64_t i) {
  switch (plan->index_type) {
    case BERTH_UINT8:
      return ((const uint8_t *)indices)[i];
    case BERTH_INT8:
      return ((const int8_t *)indices)[i];
    case BERTH_INT32:
      return ((const int32_t *)indices)[i];
    default:
      return ((const int64_t *)indices)[i];
  }
}

// Writes |count| copies of the element at |from|.
static bool fill(const plan_t *plan, char *to, const char *from,
                 int64_t count) {
  if (!berth_dtype_is_plain(plan->dtype)) {
    for (int64_t i = 0; i < count; ++i, to += plan->size) {
      if (!berth_elements_copy(plan->dtype, to, from, 1)) return false;
    }
    return true;
  }
  int64_t size = (int64_t)plan->size;
  berth_cpu_move_level_t row = {count, 0, size}, once = {1, 0, 0};
  plan->repeat(from, to, size, row, once);
  return true;
}

// Stores the element at |from|, of a plain type.
static void put(char *to, const char *from, size_t size) {
  switch (size) {
    case 4:
      memcpy(to, from, 4);
      return;
    case 8:
      memcpy(to, from, 8);
      return;
    default:
      memcpy(to, from, size);
  }
}

// Puts |on| where |count| indices say, each of which has |depth| elements to
// itself: most are of this kind.
#define DEFINE_LIGHT(name, type, index_type)                                   \
  static void light_##name(const void *indices, const char *on, int64_t count, \
                           int64_t depth, void *to) {                          \
    const index_type *index = indices;                                         \
    type *out = to, value = 0;                                                 \
    memcpy(&value, on, sizeof(value));                                         \
    for (int64_t i = 0; i < count; ++i, out += depth) {                        \
      if ((uint64_t)index[i] < (uint64_t)depth) out[index[i]] = value;         \
    }                                                                          \
  }
DEFINE_LIGHT(narrow, uint32_t, int32_t)
DEFINE_LIGHT(wide, uint32_t, int64_t)

// Does that for prefixes [begin, end), if it can.
static bool light_all(const work_t *work, int64_t begin, int64_t end,
                      char *first) {
  const plan_t *plan = work->plan;
  bool is_wide = plan->index_type == BERTH_INT64;
  if (plan->suffix != 1 || plan->size != 4 ||
      (!is_wide && plan->index_type != BERTH_INT32)) {
    return false;
  }
  if (is_wide) {
    light_wide((const int64_t *)work->indices + begin, work->on, end - begin,
               plan->depth, first);
  } else {
    light_narrow((const int32_t *)work->indices + begin, work->on, end - begin,
                 plan->depth, first);
  }
  return true;
}

// Does the prefixes [begin, end).
static bool do_prefixes(const work_t *work, int64_t begin, int64_t end) {
  const plan_t *plan = work->plan;
  bool is_plain = berth_dtype_is_plain(plan->dtype);
  int64_t block = plan->depth * plan->suffix;
  char *first = work->out + (size_t)(begin * block) * plan->size;
  if (!fill(plan, first, work->off, (end - begin) * block)) return false;
  if (light_all(work, begin, end, first)) return true;
  for (int64_t p = begin; p < end; ++p) {
    char *out = work->out + (size_t)(p * block) * plan->size;
    for (int64_t s = 0; s < plan->suffix; ++s) {
      int64_t index = index_at(plan, work->indices, p * plan->suffix + s);
      if (index < 0 || index >= plan->depth) continue;
      char *to = out + (size_t)(index * plan->suffix + s) * plan->size;
      if (is_plain) {
        put(to, work->on, plan->size);
      } else if (!berth_elements_copy(plan->dtype, to, work->on, 1)) {
        return false;
      }
    }
  }
  return true;
}

static void prefixes_piece(void *arg, int64_t begin, int64_t end) {
  // Only elements that own something can fail, and those are never split.
  (void)do_prefixes(arg, begin, end);
}

static berth_code_t run_one_hot(const void *plan, void *const *args,
                                berth_call_t *call) {
  const plan_t *one_hot = plan;
  work_t work = {one_hot, args[0], args[2], args[3], args[4]};
  if (!berth_dtype_is_plain(one_hot->dtype)) {
    if (do_prefixes(&work, 0, one_hot->prefix)) return BERTH_OK;
    return berth_error_no_memory(call->err, "the elements of a tensor");
  }
  int64_t ns = one_hot->depth * one_hot->suffix / 4 + 2;
  berth_parallel_for(one_hot->prefix, PIECE_NS / ns + 1, prefixes_piece, &work);
  return BERTH_OK;
}

static berth_rows_fn repeat_of(berth_dtype_t dtype) {
  int class = 0;
  if (!berth_dtype_is_plain(dtype)) return NULL;
  while (berth_dtype_size(dtype) > (size_t)1 << class) ++class;
  return BERTH_ISA_PICK(berth_cpu_row_loops)->elements[class];
}

static berth_code_t prepare_one_hot(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  berth_one_hot_t one_hot;
  BERTH_TRY(berth_op_one_hot(&prepare->op, &one_hot, err));
  prepare->run = one_hot.count > 0 ? run_one_hot : berth_run_nothing;
  if (one_hot.count == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  berth_dtype_t dtype = prepare->op.inputs[2].dtype;
  *plan = (plan_t){.prefix = one_hot.prefix,
                   .depth = one_hot.depth,
                   .suffix = one_hot.suffix,
                   .size = berth_dtype_size(dtype),
                   .dtype = dtype,
                   .index_type = prepare->op.inputs[0].dtype,
                   .repeat = repeat_of(dtype)};
  prepare->work = one_hot.count / 4;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_one_hot_kernels[] = {
    {.op = "OneHot",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT},
               {"TI",
                BERTH_TYPES_INDEX | BERTH_TYPE(INT8) | BERTH_TYPE(UINT8)}},
     .prepare = prepare_one_hot},
    {.op = NULL},
};
