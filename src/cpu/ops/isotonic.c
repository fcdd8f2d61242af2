// isotonic.c - Kernels on rows in which order matters: IsotonicRegression, the
// nearest row that never rises, and RandomIndexShuffle, the place of an index in
// a row that is shuffled.
#include <math.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "op/types.h"
#include "op/value.h"

// ---- IsotonicRegression ----

// Neighbours that have one value, their mean.
typedef struct pool {
  int64_t begin, end;
  double sum, mean;
} pool_t;

// Rounds as numbers of |type| are, between steps.
static double rounded(berth_dtype_t type, double x) {
  union {
    double wide;
    float single;
    uint16_t half;
  } held;
  if (type == BERTH_DOUBLE) return x;
  berth_number_set(type, &held, 0, x);
  return berth_number_at(type, &held, 0);
}

// Finds the pools of a row of |n| numbers from |first| on; returns how many.
static int64_t find_pools(const berth_tensor_t *in, int64_t first, int64_t n,
                          berth_dtype_t type, pool_t *pools) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    double x = rounded(type, berth_number_at(in->dtype, in->data, first + i));
    pools[count++] = (pool_t){i, i + 1, x, x};
    // What rises is joined.
    while (count > 1 && pools[count - 1].mean > pools[count - 2].mean) {
      pool_t *into = &pools[count - 2];
      into->end = pools[count - 1].end;
      into->sum = rounded(type, into->sum + pools[count - 1].sum);
      into->mean = rounded(
          type, into->sum / rounded(type, (double)(into->end - into->begin)));
      --count;
    }
  }
  return count;
}

static berth_code_t make_isotonic(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *in = call->inputs[0];
  berth_dtype_t type = call->node->output_types[0];
  int64_t n = in->rank > 0 ? in->dims[in->rank - 1] : 1;
  void *values = NULL, *segments = NULL;
  BERTH_TRY(berth_cpu_make(call, 0, in->rank, in->dims, &values));
  BERTH_TRY(berth_cpu_make(call, 1, in->rank, in->dims, &segments));
  pool_t *pools = berth_calloc((size_t)n + 1, sizeof(*pools));
  if (pools == NULL) return berth_error_no_memory(call->err, "pools");
  bool has_ended = false;
  for (int64_t at = 0; at < in->count && !has_ended; at += n) {
    int64_t count = find_pools(in, at, n, type, pools);
    for (int64_t k = 0; k < count; ++k) {
      for (int64_t i = pools[k].begin; i < pools[k].end; ++i) {
        berth_number_set(type, values, at + i, pools[k].mean);
        ((int32_t *)segments)[at + i] = (int32_t)k;
      }
    }
    has_ended = berth_cpu_has_ended(call);
  }
  berth_free(pools);
  return has_ended ? berth_cpu_ended(call) : BERTH_OK;
}

BERTH_CPU_LATE(isotonic)

// ---- RandomIndexShuffle ----
//
// Indices are blocks of a cipher that has as few bits as hold them; where it
// leads out of range it is followed on. The cipher is Simon, with TensorFlow's
// keys.

static uint64_t turn(uint64_t x, int left, int bits) {
  uint64_t mask = (UINT64_C(1) << bits) - 1;
  return ((x << left) | (x >> (bits - left))) & mask;
}

static uint64_t mix(uint64_t x, int bits) {
  return (turn(x, 1, bits) & turn(x, 8 % bits, bits)) ^ turn(x, 2, bits);
}

enum { MOST_ROUNDS = 64 };

static void make_keys(const uint32_t seed[3], int rounds, int bits,
                      uint64_t *keys) {
  uint64_t mask = (UINT64_C(1) << bits) - 1;
  uint64_t z = UINT64_C(0x7369f885192c0ef5) & mask;
  for (int i = 0; i < 3; ++i) keys[i] = seed[i] & mask;
  for (int i = 3; i < rounds; ++i, z >>= 1) {
    keys[i] = ((UINT64_C(0xfffffffc) & mask) ^ (z & 1) ^ keys[i - 3] ^
               turn(keys[i - 1], bits - 3, bits) ^
               turn(keys[i - 1], bits - 4, bits)) &
              mask;
  }
}

static uint64_t encrypt(uint64_t value, const uint64_t *keys, int rounds,
                        int bits) {
  uint64_t mask = (UINT64_C(1) << bits) - 1;
  uint64_t left = (value >> bits) & mask, right = value & mask;
  for (int i = 0; i < rounds; i += 2) {
    left ^= mix(right, bits) ^ keys[i];
    right ^= mix(left, bits) ^ keys[i + 1];
  }
  return left << bits | right;
}

// Stores where |index| of 0 … |most| goes.
static berth_code_t shuffle(const berth_call_t *call, uint64_t index,
                            const uint32_t seed[3], uint64_t most, int rounds,
                            uint64_t *out) {
  uint64_t keys[MOST_ROUNDS];
  *out = 0;
  if (most == 0) return BERTH_OK;
  int size = (int)ceil(log2((double)most));
  size = size + size % 2 < 16 ? 16 : size + size % 2;
  make_keys(seed, rounds, size / 2, keys);
  // An index out of range may lead nowhere.
  int64_t steps = 0;
  do {
    index = encrypt(index, keys, rounds, size / 2);
    if (berth_cpu_ends_at(call, ++steps)) return berth_cpu_ended(call);
  } while (index > most);
  *out = index;
  return BERTH_OK;
}

static uint64_t whole_at(const berth_tensor_t *tensor, int64_t i) {
  switch (tensor->dtype) {
    case BERTH_INT32:
      return (uint64_t)((const int32_t *)tensor->data)[i];
    case BERTH_UINT32:
      return ((const uint32_t *)tensor->data)[i];
    default:
      return ((const uint64_t *)tensor->data)[i];
  }
}

static berth_code_t check_shuffle(berth_call_t *call, int64_t count) {
  char text[BERTH_DIMS_TEXT];
  const berth_tensor_t *index = call->inputs[0], *seed = call->inputs[1];
  const berth_tensor_t *most = call->inputs[2];
  if (index->rank > 1 || (index->rank == 1 && index->count != count)) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Index bust be a scalar or vector.");
  }
  if (!(seed->rank == 1 && seed->count == 3) &&
      !(seed->rank == 2 && seed->dims[0] == count && seed->dims[1] == 3)) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Seed must be a vector of size [3] or a matrix of size [%lld, 3] but "
        "got %s.",
        (long long)count, berth_tensor_dims_text(seed, text));
  }
  if (most->rank == 0 || (most->rank == 1 && most->count == count)) {
    return BERTH_OK;
  }
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "Maxval must be a scalar or a vector of the same size "
                         "as index but got %s",
                         berth_tensor_dims_text(most, text));
}

static berth_code_t make_shuffle(const void *plan, void *const *args,
                                 berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *index = call->inputs[0], *seed = call->inputs[1];
  const berth_tensor_t *most = call->inputs[2];
  int64_t rounds = berth_node_attr_int(call->node, "rounds", 4);
  bool is_one = index->rank == 0 && seed->rank == 1 && most->rank == 0;
  int64_t count = index->count > most->count ? index->count : most->count;
  if (seed->count / 3 > count) count = seed->count / 3;
  void *out = NULL;
  BERTH_TRY(check_shuffle(call, count));
  if (rounds < 4 || rounds % 2 != 0 || rounds > MOST_ROUNDS) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "rounds must be even, at least 4 and at most %d, "
                           "and is %lld",
                           MOST_ROUNDS, (long long)rounds);
  }
  BERTH_TRY(berth_cpu_make(call, 0, is_one ? 0 : 1, &count, &out));
  for (int64_t i = 0; i < count; ++i) {
    uint32_t key[3];
    uint64_t place = 0;
    for (int k = 0; k < 3; ++k) {
      key[k] = (uint32_t)whole_at(seed, (seed->rank == 1 ? 0 : 3 * i) + k);
    }
    BERTH_TRY(shuffle(call, whole_at(index, index->rank > 0 ? i : 0), key,
                      whole_at(most, most->rank > 0 ? i : 0), (int)rounds,
                      &place));
    if (berth_dtype_size(index->dtype) == sizeof(uint32_t)) {
      ((uint32_t *)out)[i] = (uint32_t)place;
    } else {
      ((uint64_t *)out)[i] = place;
    }
  }
  return BERTH_OK;
}

BERTH_CPU_LATE(shuffle)

#define NUMBERS                                                  \
  (BERTH_TYPES_INDEX | BERTH_TYPES_FLOATING | BERTH_TYPE(INT8) | \
   BERTH_TYPE(INT16))
#define WIDE (BERTH_TYPES_INDEX | BERTH_TYPE(UINT32) | BERTH_TYPE(UINT64))

const berth_kernel_t berth_cpu_isotonic_kernels[] = {
    {.op = "IsotonicRegression",
     .types = {{"T", NUMBERS}, {"output_dtype", BERTH_TYPES_FLOATING}},
     .prepare = prepare_isotonic},
    {.op = "RandomIndexShuffle",
     .types = {{"dtype", WIDE}},
     .prepare = prepare_shuffle},
    {.op = NULL},
};
