// combine.c - Joining values with what is there.
#include "cpu/loops/combine.h"

#include <string.h>

#include "base/alloc.h"
#include "cpu/loops/binary.h"
#include "tensor/half.h"
#include "tensor/string.h"
#include "tensor/tensor.h"

berth_combiner_t berth_combiner_of(berth_combine_t how, berth_dtype_t dtype) {
  static const berth_binary_op_t functions[] = {
      [BERTH_COMBINE_ADD] = BERTH_BINARY_ADD,
      [BERTH_COMBINE_SUB] = BERTH_BINARY_SUB,
      [BERTH_COMBINE_MUL] = BERTH_BINARY_MUL,
      [BERTH_COMBINE_DIV] = BERTH_BINARY_DIV,
      [BERTH_COMBINE_MIN] = BERTH_BINARY_MIN,
      [BERTH_COMBINE_MAX] = BERTH_BINARY_MAX};
  berth_combiner_t made = {how, dtype, berth_dtype_size(dtype), NULL};
  bool is_narrow = dtype == BERTH_HALF || dtype == BERTH_BFLOAT16;
  if (how == BERTH_COMBINE_SET || is_narrow || dtype == BERTH_STRING) {
    return made;
  }
  berth_binary_op_t function = functions[how];
  if (dtype == BERTH_BOOL) {
    function =
        how == BERTH_COMBINE_SUB ? BERTH_BINARY_NOT_EQUAL : BERTH_BINARY_OR;
  }
  made.loops = berth_binary_loops(function, dtype);
  if (made.loops == NULL && function == BERTH_BINARY_DIV) {
    made.loops = berth_binary_loops(BERTH_BINARY_TRUNC_DIV, dtype);
  }
  return made;
}

static float join(berth_combine_t how, float x, float y) {
  switch (how) {
    case BERTH_COMBINE_ADD:
      return x + y;
    case BERTH_COMBINE_SUB:
      return x - y;
    case BERTH_COMBINE_MUL:
      return x * y;
    case BERTH_COMBINE_DIV:
      return x / y;
    case BERTH_COMBINE_MIN:
      return x < y || x != x ? x : y;
    case BERTH_COMBINE_MAX:
      return x > y || x != x ? x : y;
    case BERTH_COMBINE_SET:
      break;
  }
  return y;
}

// Half and bfloat16 compute in float.
static void combine_narrow(const berth_combiner_t *combiner, uint16_t *to,
                           const uint16_t *value, int64_t count, bool is_one) {
  for (int64_t i = 0; i < count; ++i) {
    uint16_t y = value[is_one ? 0 : i];
    if (combiner->dtype == BERTH_HALF) {
      to[i] = berth_float_to_half(join(
          combiner->how, berth_half_to_float(to[i]), berth_half_to_float(y)));
    } else {
      to[i] = berth_float_to_bfloat16(join(combiner->how,
                                           berth_bfloat16_to_float(to[i]),
                                           berth_bfloat16_to_float(y)));
    }
  }
}

static bool set_all(const berth_combiner_t *combiner, char *to,
                    const char *value, int64_t count, bool is_one) {
  if (!is_one) {
    return berth_elements_copy(combiner->dtype, to, value, count);
  }
  for (int64_t i = 0; i < count; ++i) {
    if (!berth_elements_copy(combiner->dtype, to + (size_t)i * combiner->size,
                             value, 1)) {
      return false;
    }
  }
  return true;
}

// Puts strings behind those that are there.
static bool append_all(berth_string_t *to, const berth_string_t *value,
                       int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    size_t size = 0, more = 0;
    const char *text = berth_string_get(&to[i], &size);
    const char *rest = berth_string_get(&value[i], &more);
    char *joined = berth_alloc(size + more + 1);
    if (joined == NULL) return false;
    memcpy(joined, text, size);
    memcpy(joined + size, rest, more);
    bool is_set = berth_string_set(&to[i], joined, size + more);
    berth_free(joined);
    if (!is_set) return false;
  }
  return true;
}

bool berth_combine(const berth_combiner_t *combiner, void *to,
                   const void *value, int64_t count, bool is_one) {
  if (combiner->how == BERTH_COMBINE_SET) {
    return set_all(combiner, to, value, count, is_one);
  }
  if (combiner->dtype == BERTH_STRING) return append_all(to, value, count);
  if (combiner->loops == NULL) {
    combine_narrow(combiner, to, value, count, is_one);
  } else if (is_one) {
    combiner->loops->right(to, value, to, count);
  } else {
    combiner->loops->both(to, value, to, count);
  }
  return true;
}
