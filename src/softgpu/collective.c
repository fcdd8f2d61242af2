// collective.c - What a collective computes.
#include <string.h>

#include "softgpu/nccl.h"
#include "softgpu/number.h"

size_t berth_soft_nccl_size(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
      return 8;
  }
  return 1;
}

size_t berth_soft_collective_size(const berth_soft_collective_t *what) {
  size_t size = what->count * berth_soft_nccl_size(what->type);
  return what->kind == BERTH_SOFT_ALL_GATHER ? size * (size_t)what->ranks
                                             : size;
}

// ---- Numbers ----

// Puts two numbers together; an average is a sum that is divided at the end.
#define COMBINE(op, a, b)                  \
  ((op) == ncclProd  ? (a) * (b)           \
   : (op) == ncclMax ? ((a) > (b) ? a : b) \
   : (op) == ncclMin ? ((a) < (b) ? a : b) \
                     : (a) + (b))

// Defines a loop over elements of |type| that computes with |wide|.
#define LOOP(name, type, wide, load, store)                             \
  static void name(const berth_soft_collective_t *what, void *result) { \
    for (size_t i = 0; i < what->count; ++i) {                          \
      wide sum = (wide)load(((const type *)what->from[0])[i]);          \
      for (int r = 1; r < what->ranks; ++r) {                           \
        wide next = (wide)load(((const type *)what->from[r])[i]);       \
        sum = (wide)COMBINE(what->op, sum, next);                       \
      }                                                                 \
      if (what->op == ncclAvg) sum = (wide)(sum / (wide)what->ranks);   \
      ((type *)result)[i] = (type)store(sum);                           \
    }                                                                   \
  }

LOOP(run_uint8, uint8_t, uint32_t, , )
LOOP(run_uint32, uint32_t, uint32_t, , )
LOOP(run_uint64, uint64_t, uint64_t, , )
LOOP(run_float, float, float, , )
LOOP(run_double, double, double, , )
LOOP(run_half, uint16_t, float, berth_soft_from_half, berth_soft_to_half)
LOOP(run_bf16, uint16_t, float, berth_soft_from_bf16, berth_soft_to_bf16)

// Integers wrap around.
static int64_t combine_signed(ncclRedOp_t op, int64_t a, int64_t b) {
  if (op == ncclProd) return (int64_t)((uint64_t)a * (uint64_t)b);
  if (op == ncclMax) return a > b ? a : b;
  if (op == ncclMin) return a < b ? a : b;
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

// Defines the same for integers with a sign.
#define LOOP_SIGNED(name, type)                                                \
  static void name(const berth_soft_collective_t *what, void *result) {        \
    for (size_t i = 0; i < what->count; ++i) {                                 \
      int64_t sum = ((const type *)what->from[0])[i];                          \
      for (int r = 1; r < what->ranks; ++r) {                                  \
        sum = combine_signed(what->op, sum, ((const type *)what->from[r])[i]); \
      }                                                                        \
      if (what->op == ncclAvg) sum /= what->ranks;                             \
      ((type *)result)[i] = (type)sum;                                         \
    }                                                                          \
  }

LOOP_SIGNED(run_int8, int8_t)
LOOP_SIGNED(run_int32, int32_t)
LOOP_SIGNED(run_int64, int64_t)

static void reduce(const berth_soft_collective_t *what, void *result) {
  switch (what->type) {
    case ncclInt8:
      run_int8(what, result);
      break;
    case ncclUint8:
      run_uint8(what, result);
      break;
    case ncclInt32:
      run_int32(what, result);
      break;
    case ncclUint32:
      run_uint32(what, result);
      break;
    case ncclInt64:
      run_int64(what, result);
      break;
    case ncclUint64:
      run_uint64(what, result);
      break;
    case ncclFloat16:
      run_half(what, result);
      break;
    case ncclFloat32:
      run_float(what, result);
      break;
    case ncclFloat64:
      run_double(what, result);
      break;
    case ncclBfloat16:
      run_bf16(what, result);
      break;
  }
}

void berth_soft_collective_run(const berth_soft_collective_t *what,
                               void *result) {
  size_t size = what->count * berth_soft_nccl_size(what->type);
  if (size == 0) return;
  if (what->kind == BERTH_SOFT_ALL_REDUCE) {
    reduce(what, result);
  } else if (what->kind == BERTH_SOFT_BROADCAST) {
    memcpy(result, what->from[what->root], size);
  } else {
    for (int r = 0; r < what->ranks; ++r) {
      memcpy((char *)result + (size_t)r * size, what->from[r], size);
    }
  }
}
