// unite.c - Values of several devices put together, element by element.
#include "kernel/unite.h"

#include <strings.h>

#include "base/compiler.h"
#include "tensor/half.h"

bool berth_unite_find(const char *name, berth_unite_t *out_how) {
  static const struct {
    const char *name;
    berth_unite_t how;
  } known[] = {{"sum", BERTH_UNITE_SUM},      {"add", BERTH_UNITE_SUM},
               {"prod", BERTH_UNITE_PRODUCT}, {"mul", BERTH_UNITE_PRODUCT},
               {"max", BERTH_UNITE_MAX},      {"min", BERTH_UNITE_MIN}};
  for (int i = 0; i < BERTH_COUNT_OF(known); ++i) {
    if (strcasecmp(name, known[i].name) != 0) continue;
    *out_how = known[i].how;
    return true;
  }
  return false;
}

#define PICK(how, a, b)                               \
  ((how) == BERTH_UNITE_PRODUCT ? (a) * (b)           \
   : (how) == BERTH_UNITE_MAX   ? ((a) > (b) ? a : b) \
   : (how) == BERTH_UNITE_MIN   ? ((a) < (b) ? a : b) \
                                : (a) + (b))

static double unite_double(berth_unite_t how, double a, double b) {
  return PICK(how, a, b);
}

static float unite_float(berth_unite_t how, float a, float b) {
  return PICK(how, a, b);
}

static int64_t unite_whole(berth_unite_t how, int64_t a, int64_t b) {
  if (how == BERTH_UNITE_MAX) return a > b ? a : b;
  if (how == BERTH_UNITE_MIN) return a < b ? a : b;
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  return (int64_t)(how == BERTH_UNITE_PRODUCT ? x * y : x + y);
}

void berth_unite(berth_unite_t how, berth_dtype_t dtype, void *into,
                 const void *from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (dtype == BERTH_FLOAT) {
      float *to = (float *)into + i;
      *to = unite_float(how, *to, ((const float *)from)[i]);
    } else if (dtype == BERTH_DOUBLE) {
      double *to = (double *)into + i;
      *to = unite_double(how, *to, ((const double *)from)[i]);
    } else if (dtype == BERTH_INT32) {
      int32_t *to = (int32_t *)into + i;
      *to = (int32_t)unite_whole(how, *to, ((const int32_t *)from)[i]);
    } else if (dtype == BERTH_INT64) {
      int64_t *to = (int64_t *)into + i;
      *to = unite_whole(how, *to, ((const int64_t *)from)[i]);
    } else {
      uint16_t *to = (uint16_t *)into + i;
      uint16_t other = ((const uint16_t *)from)[i];
      bool is_half = dtype == BERTH_HALF;
      float a =
          is_half ? berth_half_to_float(*to) : berth_bfloat16_to_float(*to);
      float b =
          is_half ? berth_half_to_float(other) : berth_bfloat16_to_float(other);
      float sum = unite_float(how, a, b);
      *to = is_half ? berth_float_to_half(sum) : berth_float_to_bfloat16(sum);
    }
  }
}
