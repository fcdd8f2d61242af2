// range.c - The kernel Range: numbers at equal distances.
#include "base/parallel.h"
#include "cpu/kernels.h"
#include "op/source.h"
#include "tensor/half.h"

enum { GRAIN = 32768 };

typedef struct work {
  const berth_sequence_t *range;
  void *out;
} work_t;

// Integers wrap, so they are computed without sign, and in their own width.
#define INTEGER_LOOP(type)                                               \
  {                                                                      \
    type *out = (type *)work->out + begin;                               \
    type delta = (type)range->delta.integer;                             \
    type first = (type)range->start.integer + (type)begin * delta;       \
    type count = (type)(end - begin);                                    \
    for (type i = 0; i < count; ++i) out[i] = (type)(first + i * delta); \
  }
#define REAL_LOOP(type)                                              \
  for (int64_t i = begin; i < end; ++i) {                            \
    ((type *)work->out)[i] =                                         \
        (type)range->start.real + (type)i * (type)range->delta.real; \
  }

// The types of two bytes: rounded after each operation.
static void narrow_loop(const berth_sequence_t *range, uint16_t *out,
                        int64_t begin, int64_t end) {
  bool is_half = range->dtype == BERTH_HALF;
  for (int64_t i = begin; i < end; ++i) {
    double index = berth_range_round(range->dtype, (double)i);
    float offset =
        (float)berth_range_round(range->dtype, index * range->delta.real);
    float value = (float)range->start.real + offset;
    out[i] =
        is_half ? berth_float_to_half(value) : berth_float_to_bfloat16(value);
  }
}

static void range_piece(void *arg, int64_t begin, int64_t end) {
  const work_t *work = arg;
  const berth_sequence_t *range = work->range;
  switch (range->dtype) {
    case BERTH_INT32:
      INTEGER_LOOP(uint32_t)
      break;
    case BERTH_INT64:
      INTEGER_LOOP(uint64_t)
      break;
    case BERTH_FLOAT:
      REAL_LOOP(float)
      break;
    case BERTH_DOUBLE:
      REAL_LOOP(double)
      break;
    default:
      narrow_loop(range, work->out, begin, end);
      break;
  }
}

static berth_code_t run_range(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)call;
  work_t work = {plan, args[3]};
  berth_parallel_for(work.range->count, GRAIN, range_piece, &work);
  return BERTH_OK;
}

static berth_code_t prepare_range(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_sequence_t *range = berth_prepare_plan(prepare, sizeof(*range));
  if (range == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_range(&prepare->op, range, err));
  prepare->run = run_range;
  prepare->work = range->count / 2;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_range_kernels[] = {
    {.op = "Range",
     .types = {{"Tidx", BERTH_TYPES_FLOATING | BERTH_TYPES_INDEX}},
     .prepare = prepare_range},
    {.op = NULL},
};
