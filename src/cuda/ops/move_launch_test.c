// move_launch_test.c - Kernels that move elements, at any size of launch.
//
// The software GPU runs one thread whatever it is asked for, so this says most
// on a real card.
#include "harness.h"

#include "cuda/kernel_driver.h"
#include "cuda/ops/move_plan.h"

// A transposition of random |shape|.
static void describe(driver_t *driver, berth_dtype_t type, berth_dims_t shape,
                     const int32_t *perm) {
  driver->op = "Transpose";
  driver_type(driver, "T", type);
  driver_type(driver, "Tperm", BERTH_INT32);
  driver_input(driver, driver_random(type, shape, -100, 100));
  driver_input(driver,
               driver_tensor(BERTH_INT32, BERTH_SHAPE(shape.rank), perm));
  driver_output(driver, type);
}

// What the kernels for loops are told; all begin with where the move begins.
typedef union params {
  berth_move_ends_t ends;
  berth_move_nest_t nest;
  berth_move_wide_t wide;
  berth_move_tiles_t tiles;
} params_t;

// Runs |move| from |in| to |out|, on the card, with a launch of this size.
static void launch(const berth_cuda_move_t *move, berth_device_t *device,
                   const berth_tensor_t *in, berth_tensor_t *out,
                   unsigned blocks, unsigned threads) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_call_t call = {.err = &err, .stream = driver_stream(device)};
  params_t params;
  memcpy(&params, move->params, move->params_size);
  params.ends.to = out->data;
  params.ends.from = in->data;
  ASSERT_OK(berth_cuda_clear(&call, out->data, out->size), &err);
  ASSERT_OK(berth_cuda_launch_blocks(&call, move->kernel, blocks, threads,
                                     &params, move->params_size),
            &err);
}

// Runs the only move of |driver| at many sizes of launch, expects |kernel| to
// do it and the result to be the CPU's, and ends |driver|.
static void check_sizes(driver_t *driver, const char *kernel) {
  static const unsigned threads[] = {32, 64, 96, 256, 800, 1024};
  static const unsigned blocks[] = {1, 2, 37, 100};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_t *device = NULL;
  berth_tensor_t *expected = NULL, *in = NULL, *out = NULL;
  berth_shape_t shape;
  ASSERT_OK(driver_call_cpu(driver, &expected, &err), &err);
  ASSERT_OK(driver_device(&device, &err), &err);
  ASSERT_OK(driver_select(driver, &berth_cuda_backend, &err), &err);
  ASSERT_OK(driver_prepare(driver, device, driver->inputs, &shape, &err), &err);
  ASSERT_OK(driver_move(device, driver->inputs[0], &in, &err), &err);
  ASSERT_OK(driver_move(device, expected, &out, &err), &err);
  const berth_cuda_moves_t *moves = driver->prepare.plan;
  ASSERT_TRUE(moves->count == 1);
  const berth_cuda_move_t *move = &moves->items[0];
  EXPECT_EQ(move->kernel, berth_cuda_kernel("move", kernel));
  for (int i = 0; i < BERTH_COUNT_OF(threads) * BERTH_COUNT_OF(blocks); ++i) {
    berth_tensor_t *back = NULL;
    launch(move, device, in, out, blocks[i % BERTH_COUNT_OF(blocks)],
           threads[i / BERTH_COUNT_OF(blocks)]);
    ASSERT_OK(driver_move(NULL, out, &back, &err), &err);
    EXPECT_EQ(memcmp(back->data, expected->data, expected->size), 0);
    berth_tensor_release(back);
  }
  berth_tensor_release(expected);
  berth_tensor_release(in);
  berth_tensor_release(out);
  driver_deinit(driver);
}

static void check(berth_dtype_t type, berth_dims_t shape, const int32_t *perm,
                  const char *kernel) {
  driver_t driver = {0};
  describe(&driver, type, shape, perm);
  check_sizes(&driver, kernel);
}

TEST(move_launch, tiles) {
  const int32_t swap[] = {0, 2, 1};
  berth_dims_t shape = BERTH_SHAPE(3, 45, 70);
  check(BERTH_INT8, shape, swap, "berth_move_tiles_x1");
  check(BERTH_FLOAT, shape, swap, "berth_move_tiles_x4");
  check(BERTH_COMPLEX128, shape, swap, "berth_move_tiles_x16");
}

TEST(move_launch, packed_tiles) {
  const int32_t swap[] = {0, 2, 1};
  berth_dims_t shape = BERTH_SHAPE(2, 140, 260);
  check(BERTH_INT8, shape, swap, "berth_move_packed_x1");
  check(BERTH_HALF, shape, swap, "berth_move_packed_x2");
}

TEST(move_launch, nests) {
  const int32_t perm[] = {1, 0, 2};
  check(BERTH_FLOAT, BERTH_SHAPE(13, 7, 5), perm, "berth_move_nest_x4");
  check(BERTH_FLOAT, BERTH_SHAPE(13, 7, 8), perm, "berth_move_nest_x16");
}

TEST(move_launch, nests_of_many_loops) {
  const int64_t dims[] = {2, 3, 2, 2, 2, 2, 2, 2, 2, 3};
  const int32_t perm[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  check(BERTH_DOUBLE, (berth_dims_t){10, dims}, perm, "berth_move_wide_x8");
}

TEST(move_launch, repeated_elements) {
  driver_t driver = {.op = "BroadcastTo"};
  driver_type(&driver, "T", BERTH_HALF);
  driver_type(&driver, "Tidx", BERTH_INT32);
  driver_input(&driver, driver_random(BERTH_HALF, BERTH_SHAPE(9, 1), -9, 9));
  driver_input(&driver, driver_ints(BERTH_SHAPE(2), 9, 72));
  driver_output(&driver, BERTH_HALF);
  check_sizes(&driver, "berth_move_splat_x2");
}
