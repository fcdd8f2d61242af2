// search_loops.c - Loops that look for places.
#include <stddef.h>

#include "base/compiler.h"
#include "cpu/loops/number.h"
#include "cpu/loops/search.h"

// ---- Bounds, and the n-th ----

// All searches of a group take the same steps: |left| elements from out[k] on are
// still in question for each. A mask, and no branch, takes the upper half:
// nothing could be guessed.
#define HALVE(type, is_before)                     \
  for (int64_t k = 0; k < count; ++k) {            \
    type x = row[out[k] + half - 1], v = value[k]; \
    out[k] += half & -(int64_t)(is_before);        \
  }

#define DEFINE_SEARCH(name, type)                                            \
  static void bound_##name(const void *sorted, int64_t columns,              \
                           const void *values, int64_t count, bool is_upper, \
                           int64_t *out) {                                   \
    const type *row = sorted, *value = values;                               \
    for (int64_t k = 0; k < count; ++k) out[k] = 0;                          \
    for (int64_t left = columns, half; left > 0; left -= half) {             \
      half = (left + 1) / 2;                                                 \
      if (is_upper) {                                                        \
        HALVE(type, !(v < x))                                                \
      } else {                                                               \
        HALVE(type, x < v)                                                   \
      }                                                                      \
    }                                                                        \
  }                                                                          \
  static void nth_##name(void *elements, int64_t count, int64_t nth) {       \
    type *row = elements;                                                    \
    int64_t low = 0, high = count - 1;                                       \
    while (low < high) {                                                     \
      type pivot = row[(low + high) / 2];                                    \
      int64_t i = low, k = high;                                             \
      while (i <= k) {                                                       \
        while (row[i] < pivot) ++i;                                          \
        while (pivot < row[k]) --k;                                          \
        if (i > k) break;                                                    \
        type swap = row[i];                                                  \
        row[i++] = row[k];                                                   \
        row[k--] = swap;                                                     \
      }                                                                      \
      if (nth <= k) {                                                        \
        high = k;                                                            \
      } else if (nth >= i) {                                                 \
        low = i;                                                             \
      } else {                                                               \
        return;                                                              \
      }                                                                      \
    }                                                                        \
  }
DEFINE_SEARCH(f32, float)
DEFINE_SEARCH(f64, double)
DEFINE_SEARCH(i32, int32_t)
DEFINE_SEARCH(i64, int64_t)

#define CHOOSE(what)     \
  switch (dtype) {       \
    case BERTH_FLOAT:    \
      return what##_f32; \
    case BERTH_DOUBLE:   \
      return what##_f64; \
    case BERTH_INT32:    \
      return what##_i32; \
    case BERTH_INT64:    \
      return what##_i64; \
    default:             \
      return NULL;       \
  }

berth_bound_fn berth_bound_loop(berth_dtype_t dtype){CHOOSE(bound)} berth_nth_fn
    berth_nth_loop(berth_dtype_t dtype){CHOOSE(nth)}
// ---- Bins ----

// True when all are numbers.
#define DEFINE_BINS(name, type)                                           \
  static bool bins_##name(const type *x, int64_t count,                   \
                          const berth_bin_range_t *range, int64_t *out) { \
    double low = range->low, step = range->step, last = range->last;      \
    int nans = 0;                                                         \
    for (int64_t i = 0; i < count; ++i) {                                 \
      double value = (double)x[i];                                        \
      nans |= value != value;                                             \
      double place = ((value > low ? value : low) - low) / step;          \
      out[i] = (int32_t)(place < last ? place : last);                    \
    }                                                                     \
    return nans == 0;                                                     \
  }
DEFINE_BINS(f32, float) DEFINE_BINS(f64, double) DEFINE_BINS(i32, int32_t)

    bool berth_bins_find(berth_dtype_t dtype, const void *data, int64_t begin,
                         int64_t count, const berth_bin_range_t *range,
                         int64_t *out) {
  enum { AT_ONCE = 64 };
  double wide[AT_ONCE];
  switch (dtype) {
    case BERTH_FLOAT:
      return bins_f32((const float *)data + begin, count, range, out);
    case BERTH_DOUBLE:
      return bins_f64((const double *)data + begin, count, range, out);
    case BERTH_INT32:
      return bins_i32((const int32_t *)data + begin, count, range, out);
    default:
      break;
  }
  bool are_numbers = true;
  for (int64_t done = 0; done < count; done += AT_ONCE) {
    int64_t n = count - done < AT_ONCE ? count - done : AT_ONCE;
    for (int64_t i = 0; i < n; ++i) {
      wide[i] = berth_number_at(dtype, data, begin + done + i);
    }
    are_numbers = bins_f64(wide, n, range, out + done) && are_numbers;
  }
  return are_numbers;
}
