// update.c - Adding to, and subtracting from, what is there.
#include "cpu/loops/update.h"

#include "base/parallel.h"
#include "cpu/loops/binary.h"
#include "tensor/half.h"

enum { GRAIN = 65536 };

typedef struct work {
  const berth_update_t *update;
  const char *from;
  const char *value;
  char *to;
} work_t;

static void whole_piece(void *arg, int64_t begin, int64_t end) {
  const work_t *work = arg;
  size_t offset = (size_t)begin * work->update->size;
  work->update->loops->both(work->from + offset, work->value + offset,
                            work->to + offset, end - begin);
}

// Half and bfloat16 compute in float.
static void narrow_piece(void *arg, int64_t begin, int64_t end) {
  const work_t *work = arg;
  uint16_t *to = (uint16_t *)(void *)work->to;
  const uint16_t *from = (const uint16_t *)(const void *)work->from;
  const uint16_t *value = (const uint16_t *)(const void *)work->value;
  float sign = work->update->subtracts ? -1.0F : 1.0F;
  if (work->update->dtype == BERTH_HALF) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = berth_float_to_half(berth_half_to_float(from[i]) +
                                  sign * berth_half_to_float(value[i]));
    }
    return;
  }
  for (int64_t i = begin; i < end; ++i) {
    to[i] = berth_float_to_bfloat16(berth_bfloat16_to_float(from[i]) +
                                    sign * berth_bfloat16_to_float(value[i]));
  }
}

berth_update_t berth_update_of(berth_dtype_t dtype, bool subtracts) {
  berth_binary_op_t op = subtracts ? BERTH_BINARY_SUB : BERTH_BINARY_ADD;
  bool is_narrow = dtype == BERTH_HALF || dtype == BERTH_BFLOAT16;
  return (berth_update_t){is_narrow ? NULL : berth_binary_loops(op, dtype),
                          dtype, subtracts, berth_dtype_size(dtype)};
}

void berth_update_do(const berth_update_t *update, const void *from,
                     const void *value, void *to, int64_t count) {
  work_t work = {update, from, value, to};
  berth_parallel_for(count, GRAIN,
                     update->loops != NULL ? whole_piece : narrow_piece, &work);
}
