// suppress_test.c - Tests of NonMaxSuppression on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

// Boxes whose corners are on a grid, so that some are equal, some empty and
// some have their corners the other way round.
static berth_tensor_t *make_boxes(int64_t count, double grid) {
  berth_tensor_t *boxes =
      driver_random(BERTH_FLOAT, BERTH_SHAPE(count, 4), 0, grid);
  for (int64_t i = 0; i < boxes->count; ++i) {
    driver_set(boxes, i, floor(driver_get(boxes, i, 0)));
  }
  return boxes;
}

static berth_tensor_t *make_scalar(berth_dtype_t dtype, double value) {
  berth_tensor_t *scalar = driver_random(dtype, BERTH_SCALAR, 0, 0);
  driver_set(scalar, 0, value);
  return scalar;
}

typedef struct wish {
  int version;
  int64_t count, most;
  double grid, levels, overlap, score;
  bool is_padded;
} wish_t;

// Compares with the CPU, bit by bit.
static void check(wish_t wish) {
  static const char *const ops[] = {
      "NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4"};
  driver_t driver = {.op = ops[wish.version - 2]};
  berth_tensor_t *scores =
      driver_random(BERTH_FLOAT, BERTH_SHAPE(wish.count), -1, 1);
  for (int64_t i = 0; i < scores->count; ++i) {
    driver_set(scores, i,
               round(driver_get(scores, i, 0) * wish.levels) / wish.levels);
  }
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_type(&driver, "T_threshold", BERTH_FLOAT);
  if (wish.version == 4) {
    driver_bool(&driver, "pad_to_max_output_size", wish.is_padded);
  }
  driver_input(&driver, make_boxes(wish.count, wish.grid));
  driver_input(&driver, scores);
  driver_input(&driver, make_scalar(BERTH_INT32, (double)wish.most));
  driver_input(&driver, make_scalar(BERTH_FLOAT, wish.overlap));
  if (wish.version > 2) {
    driver_input(&driver, make_scalar(BERTH_FLOAT, wish.score));
  }
  driver_output(&driver, BERTH_INT32);
  if (wish.version == 4) driver_output(&driver, BERTH_INT32);
  driver_check(&driver, 0);
}

TEST(suppress, takes_what_the_cpu_takes) {
  for (int version = 2; version <= 4; ++version) {
    check((wish_t){version, 1, 5, 9, 100, 0.5, 0, false});
    check((wish_t){version, 40, 10, 9, 100, 0.3, -0.5, true});
    check((wish_t){version, 3000, 400, 30, 1e6, 0.5, 0, true});
    check((wish_t){version, 3000, 5000, 200, 1e6, 0.2, -2, false});
  }
}

// Of equal scores, zeros of both signs among them, the first is taken.
TEST(suppress, takes_the_first_of_equal_scores) {
  for (int version = 2; version <= 4; ++version) {
    check((wish_t){version, 500, 500, 12, 2, 0.4, -0.75, false});
    check((wish_t){version, 500, 50, 12, 1, 0.0, -0.1, true});
    check((wish_t){version, 200, 200, 3, 1, 1, -3, false});
  }
}

TEST(suppress, of_nothing) {
  for (int version = 2; version <= 4; ++version) {
    check((wish_t){version, 0, 5, 9, 100, 0.5, 0, true});
    check((wish_t){version, 20, 0, 9, 100, 0.5, 0, true});
  }
  check((wish_t){3, 20, 9, 9, 100, 0.5, 2, false});
  check((wish_t){4, 20, 9, 9, 100, 0.5, 2, true});
}

// What is no number is no score, and overlaps nothing.
TEST(suppress, leaves_out_what_is_no_number) {
  driver_t driver = {.op = "NonMaxSuppressionV3"};
  berth_tensor_t *boxes = make_boxes(50, 6);
  berth_tensor_t *scores = driver_random(BERTH_FLOAT, BERTH_SHAPE(50), 0, 1);
  ((float *)boxes->data)[4 * 7 + 1] = NAN;
  ((float *)boxes->data)[4 * 9 + 2] = INFINITY;
  ((float *)scores->data)[3] = NAN;
  ((float *)scores->data)[11] = INFINITY;
  ((float *)scores->data)[12] = -INFINITY;
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_type(&driver, "T_threshold", BERTH_FLOAT);
  driver_input(&driver, boxes);
  driver_input(&driver, scores);
  driver_input(&driver, make_scalar(BERTH_INT32, 50));
  driver_input(&driver, make_scalar(BERTH_FLOAT, 0.3));
  driver_input(&driver, make_scalar(BERTH_FLOAT, 0.1));
  driver_output(&driver, BERTH_INT32);
  driver_check(&driver, 0);
}
