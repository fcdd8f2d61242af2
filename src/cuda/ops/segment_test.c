// segment_test.c - SegmentSum, UnsortedSegmentSum and their like on cards,
// against the CPU's.
#include "harness.h"

#include "cuda/kernel_driver.h"

// Makes |rows| numbers of segments, in order or not.
static berth_tensor_t *make_ids(int64_t rows, int64_t count, bool is_sorted) {
  berth_tensor_t *ids = driver_random(BERTH_INT32, BERTH_SHAPE(rows), 0, 1);
  for (int64_t i = 0; ids != NULL && i < rows; ++i) {
    int64_t id = is_sorted ? i * count / rows : i * 7 % (count + 1) - 1;
    ((int32_t *)ids->data)[i] = (int32_t)id;
  }
  return ids;
}

static void check_unsorted(const char *op, berth_dtype_t type, int64_t rows,
                           int64_t inner, int64_t count, double tolerance) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", type);
  driver_type(&driver, "Tindices", BERTH_INT32);
  driver_type(&driver, "Tnumsegments", BERTH_INT32);
  driver_input(&driver, driver_random(type, BERTH_SHAPE(rows, inner), 1, 3));
  driver_input(&driver, make_ids(rows, count, false));
  driver_input(&driver, driver_ints(BERTH_SCALAR, (int)count));
  driver_output(&driver, type);
  driver_check(&driver, tolerance);
}

static void check_sorted(const char *op, berth_dtype_t type, int64_t rows,
                         int64_t inner, int64_t count, double tolerance) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", type);
  driver_type(&driver, "Tindices", BERTH_INT32);
  driver_input(&driver, driver_random(type, BERTH_SHAPE(rows, inner), 1, 3));
  driver_input(&driver, make_ids(rows, count, true));
  driver_output(&driver, type);
  driver_check(&driver, tolerance);
}

static const berth_dtype_t types[] = {BERTH_HALF, BERTH_BFLOAT16, BERTH_FLOAT,
                                      BERTH_DOUBLE};

TEST(segment, unsorted) {
  static const char *const ops[] = {"UnsortedSegmentSum", "UnsortedSegmentProd",
                                    "UnsortedSegmentMin", "UnsortedSegmentMax"};
  for (int k = 0; k < BERTH_COUNT_OF(ops); ++k) {
    for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
      check_unsorted(ops[k], types[i], 11, 3, 5, 0);
    }
    check_unsorted(ops[k], BERTH_INT32, 11, 3, 5, 0);
    check_unsorted(ops[k], BERTH_FLOAT, 0, 3, 2, 0);
    check_unsorted(ops[k], BERTH_FLOAT, 4, 0, 2, 0);
  }
}

// With so many rows for each that threads, warps and blocks are tried.
TEST(segment, sorted) {
  static const char *const ops[] = {"SegmentSum", "SegmentMean", "SegmentProd",
                                    "SegmentMin", "SegmentMax"};
  for (int k = 0; k < BERTH_COUNT_OF(ops); ++k) {
    for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
      check_sorted(ops[k], types[i], 11, 3, 5, 1e-3);
    }
    check_sorted(ops[k], BERTH_DOUBLE, 30, 300, 2, 1e-6);
    check_sorted(ops[k], BERTH_DOUBLE, 60, 2, 2, 1e-6);
    check_sorted(ops[k], BERTH_FLOAT, 0, 3, 1, 0);
  }
}
