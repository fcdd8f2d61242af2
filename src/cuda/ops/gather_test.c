// gather_test.c - The kernels Gather and GatherV2, against the CPU's.
#include "harness.h"

#include "cuda/kernel_driver.h"

// Describes a GatherV2 of random |shape| by |indices|, which it takes over.
static void describe(driver_t *driver, berth_dtype_t type, berth_dims_t shape,
                     berth_tensor_t *indices, int64_t axis,
                     int64_t batch_dims) {
  driver->op = "GatherV2";
  driver_type(driver, "Tparams", type);
  driver_type(driver, "Tindices", indices->dtype);
  driver_type(driver, "Taxis", BERTH_INT64);
  driver_int(driver, "batch_dims", batch_dims);
  driver_input(driver, driver_random(type, shape, -100, 100));
  driver_input(driver, indices);
  driver_input(driver, driver_longs(BERTH_SCALAR, axis));
  driver_output(driver, type);
}

static void check_gather(berth_dtype_t type, berth_dims_t shape,
                         berth_tensor_t *indices, int64_t axis,
                         int64_t batch_dims) {
  driver_t driver = {0};
  describe(&driver, type, shape, indices, axis, batch_dims);
  driver_check(&driver, 0);
}

TEST(gather, every_size_of_element) {
  const berth_dtype_t types[] = {BERTH_BOOL, BERTH_HALF, BERTH_FLOAT,
                                 BERTH_DOUBLE, BERTH_COMPLEX128};
  for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
    check_gather(types[i], BERTH_SHAPE(5, 16),
                 driver_ints(BERTH_SHAPE(4), 4, 0, 2, 2), 0, 0);
    check_gather(types[i], BERTH_SHAPE(5, 3),
                 driver_longs(BERTH_SHAPE(2, 2), 1, 4, 3, 0), 0, 0);
    check_gather(types[i], BERTH_SHAPE(7), driver_ints(BERTH_SCALAR, 6), 0, 0);
  }
}

TEST(gather, along_other_axes) {
  check_gather(BERTH_FLOAT, BERTH_SHAPE(3, 4, 5),
               driver_ints(BERTH_SHAPE(3), 3, 1, 0), 1, 0);
  check_gather(BERTH_FLOAT, BERTH_SHAPE(3, 4, 5),
               driver_ints(BERTH_SHAPE(2, 2), 4, 1, 0, 2), -1, 0);
  check_gather(BERTH_DOUBLE, BERTH_SHAPE(2, 3, 4, 2),
               driver_longs(BERTH_SHAPE(2), 2, 2), 2, 0);
}

TEST(gather, in_batches) {
  check_gather(BERTH_FLOAT, BERTH_SHAPE(2, 5, 4),
               driver_ints(BERTH_SHAPE(2, 3), 4, 1, 0, 2, 2, 3), 1, 1);
  check_gather(BERTH_FLOAT, BERTH_SHAPE(2, 3, 5),
               driver_ints(BERTH_SHAPE(2, 2), 4, 1, 0, 2), 2, 1);
  check_gather(BERTH_FLOAT, BERTH_SHAPE(2, 5),
               driver_ints(BERTH_SHAPE(2, 2), 4, 1, 0, 2), 1, -1);
}

TEST(gather, without_elements) {
  check_gather(BERTH_FLOAT, BERTH_SHAPE(4, 0), driver_ints(BERTH_SHAPE(1), 2),
               0, 0);
  check_gather(BERTH_FLOAT, BERTH_SHAPE(4, 2),
               driver_tensor(BERTH_INT32, BERTH_SHAPE(0), NULL), 0, 0);
}

TEST(gather, indices_out_of_range_give_zeros) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  describe(&driver, BERTH_FLOAT, BERTH_SHAPE(2, 2),
           driver_ints(BERTH_SHAPE(3), -1, 1, 2), 0, 0);
  ASSERT_OK(driver_call(&driver, &err), &err);
  const float *out = driver.outputs[0]->data;
  const float *params = driver.inputs[0]->data;
  const float expected[] = {0, 0, params[2], params[3], 0, 0};
  EXPECT_EQ(memcmp(out, expected, sizeof(expected)), 0);
  driver_deinit(&driver);
}

TEST(gather, the_first_version) {
  driver_t driver = {.op = "Gather"};
  driver_type(&driver, "Tparams", BERTH_INT64);
  driver_type(&driver, "Tindices", BERTH_INT64);
  driver_input(&driver, driver_longs(BERTH_SHAPE(3), 7, 8, 9));
  driver_input(&driver, driver_longs(BERTH_SHAPE(2), 2, 0));
  driver_output(&driver, BERTH_INT64);
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2] 9 7");
  driver_deinit(&driver);
}

TEST(gather, errors_are_those_of_the_cpu) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  describe(&driver, BERTH_FLOAT, BERTH_SHAPE(2, 2),
           driver_ints(BERTH_SHAPE(1), 0), 2, 0);
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "Shape must be at least rank 3 but is rank 2");
  driver_deinit(&driver);
}
