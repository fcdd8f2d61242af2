// elementwise_test.c - Elementwise kernels at any size of launch, and at
// addresses of any alignment.
#include "harness.h"

#include "cuda/kernel_driver.h"
#include "cuda/ops/elementwise.h"

enum { ROWS = 37, COLUMNS = 24, COUNT = ROWS * COLUMNS, PAD = 64 };

// A walk of [ROWS,COLUMNS] minus [COLUMNS].
static berth_walk_t walk_of(uint32_t granule) {
  berth_walk_t walk = {.count = COUNT, .level_count = 2, .granule = granule};
  walk.levels[0] = (berth_walk_level_t){
      .count = COLUMNS, .steps = {1, 1}, .by = berth_divider(COLUMNS)};
  walk.levels[1] = (berth_walk_level_t){
      .count = ROWS, .steps = {COLUMNS, 0}, .by = berth_divider(ROWS)};
  return walk;
}

// Subtracts with a launch of this size, the arrays |shift| elements off, and
// compares every element; what lies around the output must stay.
static void expect_differences(unsigned blocks, unsigned threads,
                               uint32_t granule, int shift) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_t *device = NULL;
  berth_tensor_t *on_card[3] = {NULL}, *back = NULL;
  ASSERT_OK(driver_device(&device, &err), &err);
  berth_tensor_t *numbers =
      driver_random(BERTH_FLOAT, BERTH_SHAPE(COUNT + PAD), -9, 9);
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(driver_move(device, numbers, &on_card[i], &err), &err);
  }
  berth_walk_params_t params = {.out = (float *)on_card[0]->data + shift,
                                .in = {(float *)on_card[1]->data + shift,
                                       (float *)on_card[2]->data + shift},
                                .walk = walk_of(granule)};
  berth_call_t call = {.err = &err, .stream = driver_stream(device)};
  int kernel = berth_cuda_kernel("binary_f32", "berth_binary_sub_f32");
  ASSERT_OK(berth_cuda_launch_blocks(&call, kernel, blocks, threads, &params,
                                     sizeof(params)),
            &err);
  ASSERT_OK(driver_move(NULL, on_card[0], &back, &err), &err);
  const float *x = numbers->data, *z = back->data;
  int wrong = 0;
  for (int i = 0; i < COUNT + PAD; ++i) {
    int at = i - shift;
    bool is_inside = at >= 0 && at < COUNT;
    float expected = is_inside ? x[i] - x[at % COLUMNS + shift] : x[i];
    if (z[i] != expected) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
  for (int i = 0; i < 3; ++i) berth_tensor_release(on_card[i]);
  berth_tensor_release(numbers);
  berth_tensor_release(back);
}

TEST(elementwise, any_size_of_launch) {
  static const unsigned blocks[] = {1, 3, 40, 1000};
  static const unsigned threads[] = {32, 96, 256, 1024};
  for (int b = 0; b < 4; ++b) {
    for (int t = 0; t < 4; ++t) {
      expect_differences(blocks[b], threads[t], 8, 0);
      expect_differences(blocks[b], threads[t], 1, 1);
      expect_differences(blocks[b], threads[t], 1, 3);
    }
  }
}

// Where element |n| of |walk| is in input |i|.
static int64_t place_of(const berth_walk_t *walk, uint64_t n, int i) {
  int64_t at = 0;
  for (uint32_t l = 0; l < walk->level_count; ++l) {
    at += (int64_t)(n % walk->levels[l].count) * walk->levels[l].steps[i];
    n /= walk->levels[l].count;
  }
  return at;
}

// All parts together are the walk, and none is larger than allowed.
static void expect_parts(const berth_walk_t *walk, uint64_t limit) {
  berth_walk_t part;
  uint64_t out_at = 0, done = 0;
  int64_t at[2];
  for (uint64_t k = 0; berth_walk_part(walk, 2, limit, k, &part, &out_at, at);
       ++k) {
    ASSERT_TRUE(part.count < limit || part.level_count == 1);
    EXPECT_EQ(out_at, done);
    for (uint64_t n = 0; n < part.count; ++n) {
      for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(at[i] + place_of(&part, n, i) ==
                    place_of(walk, done + n, i));
      }
    }
    done += part.count;
  }
  EXPECT_EQ(done, walk->count);
}

TEST(elementwise, large_walks_in_parts) {
  berth_walk_t walk = {.count = 4 * 3 * 5 * 2, .level_count = 4};
  walk.levels[0] = (berth_walk_level_t){.count = 4, .steps = {1, 0}};
  walk.levels[1] = (berth_walk_level_t){.count = 3, .steps = {0, 1}};
  walk.levels[2] = (berth_walk_level_t){.count = 5, .steps = {4, 0}};
  walk.levels[3] = (berth_walk_level_t){.count = 2, .steps = {0, 3}};
  static const uint64_t limits[] = {3, 5, 8, 13, 30, 60, 61, 121};
  for (int i = 0; i < 8; ++i) expect_parts(&walk, limits[i]);
}

// Views begin anywhere: results must not depend on it.
TEST(elementwise, addresses_of_views) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_t *device = NULL;
  ASSERT_OK(driver_device(&device, &err), &err);
  for (int shift = 0; shift < 5; ++shift) {
    driver_t driver = {.op = "Neg"};
    driver_type(&driver, "T", BERTH_FLOAT);
    driver_input(&driver, driver_random(BERTH_FLOAT, BERTH_SHAPE(67), -9, 9));
    driver_output(&driver, BERTH_FLOAT);
    ASSERT_OK(driver_call(&driver, &err), &err);
    berth_tensor_t *from = NULL, *to = NULL, *back = NULL;
    ASSERT_OK(driver_move(device, driver.inputs[0], &from, &err), &err);
    ASSERT_OK(driver_move(device, driver.inputs[0], &to, &err), &err);
    void *args[] = {(float *)from->data + shift, (float *)to->data};
    berth_call_t call = {.err = &err, .stream = driver_stream(device)};
    ASSERT_OK(driver.prepare.run(driver.prepare.plan, args, &call), &err);
    ASSERT_OK(driver_move(NULL, to, &back, &err), &err);
    int wrong = 0;
    for (int i = 0; i < 67 - shift; ++i) {
      float x = ((const float *)driver.inputs[0]->data)[i + shift];
      if (((const float *)back->data)[i] != -x) ++wrong;
    }
    EXPECT_EQ(wrong, 0);
    berth_tensor_release(from);
    berth_tensor_release(to);
    berth_tensor_release(back);
    driver_deinit(&driver);
  }
}
