// select_test.c - The GPU kernels Select, SelectV2, Fill, ZerosLike, OnesLike,
// AddN and BiasAdd, against the CPU's.
#include "harness.h"

#include "cuda/kernel_driver.h"

extern const berth_kernel_t berth_cuda_fill_kernels[];
extern const berth_kernel_t berth_cuda_add_n_kernels[];

static const berth_dtype_t by_size[] = {BERTH_BOOL, BERTH_HALF, BERTH_FLOAT,
                                        BERTH_DOUBLE, BERTH_COMPLEX128};
enum { SIZES = 5 };

static void check_select(const char *op, berth_dtype_t dtype,
                         berth_dims_t condition, berth_dims_t then,
                         berth_dims_t other) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", dtype);
  driver_input(&driver, driver_random(BERTH_BOOL, condition, -1, 1));
  driver_input(&driver, driver_random(dtype, then, -9, 9));
  driver_input(&driver, driver_random(dtype, other, -9, 9));
  driver_output(&driver, dtype);
  driver_check(&driver, 0);
}

TEST(select, broadcasts) {
  for (int i = 0; i < SIZES; ++i) {
    check_select("SelectV2", by_size[i], BERTH_SHAPE(67), BERTH_SHAPE(67),
                 BERTH_SHAPE(67));
    check_select("SelectV2", by_size[i], BERTH_SHAPE(4, 1), BERTH_SHAPE(16),
                 BERTH_SCALAR);
    check_select("SelectV2", by_size[i], BERTH_SCALAR, BERTH_SHAPE(4, 16),
                 BERTH_SHAPE(4, 1));
    check_select("Select", by_size[i], BERTH_SHAPE(3), BERTH_SHAPE(3, 5),
                 BERTH_SHAPE(3, 5));
    check_select("Select", by_size[i], BERTH_SCALAR, BERTH_SHAPE(32),
                 BERTH_SHAPE(32));
    check_select("Select", by_size[i], BERTH_SHAPE(2, 8), BERTH_SHAPE(2, 8),
                 BERTH_SHAPE(2, 8));
    check_select("Select", by_size[i], BERTH_SHAPE(0), BERTH_SHAPE(0, 5),
                 BERTH_SHAPE(0, 5));
  }
}

TEST(fill, stores_an_element) {
  for (int i = 0; i < SIZES; ++i) {
    for (int64_t count = 0; count < 40; count += 13) {
      driver_t driver = {.op = "Fill"};
      driver_type(&driver, "T", by_size[i]);
      driver_type(&driver, "index_type", BERTH_INT32);
      driver_input(&driver, driver_ints(BERTH_SHAPE(2), (int32_t)count, 3));
      driver_input(&driver, driver_random(by_size[i], BERTH_SCALAR, 1, 9));
      driver_output(&driver, by_size[i]);
      driver_check(&driver, 0);
    }
  }
}

TEST(fill, zeros_and_ones) {
  static const char *const ops[] = {"ZerosLike", "OnesLike"};
  for (int i = 0; i < 2 * BERTH_DTYPE_COUNT; ++i) {
    const berth_kernel_t *kernel = &berth_cuda_fill_kernels[1];
    berth_dtype_t dtype = (berth_dtype_t)(i / 2);
    if ((kernel->types[0].types >> (i / 2) & 1) == 0) continue;
    driver_t driver = {.op = ops[i % 2]};
    driver_type(&driver, "T", dtype);
    driver_input(&driver, driver_random(dtype, BERTH_SHAPE(5, 7), 2, 9));
    driver_output(&driver, dtype);
    driver_check(&driver, 0);
  }
}

static void check_sum(berth_dtype_t dtype, int inputs, int64_t count) {
  driver_t driver = {.op = "AddN"};
  driver_type(&driver, "T", dtype);
  driver_int(&driver, "N", inputs);
  for (int i = 0; i < inputs; ++i) {
    driver_input(&driver, driver_random(dtype, BERTH_SHAPE(count), -9, 9));
  }
  driver_output(&driver, dtype);
  driver_check(&driver, 0);
}

TEST(add_n, adds_up) {
  const berth_kernel_t *kernel = &berth_cuda_add_n_kernels[0];
  for (int dtype = 1; dtype < BERTH_DTYPE_COUNT; ++dtype) {
    if ((kernel->types[0].types >> dtype & 1) == 0) continue;
    check_sum((berth_dtype_t)dtype, 1, 5);
    check_sum((berth_dtype_t)dtype, 2, 67);
    check_sum((berth_dtype_t)dtype, 15, 64);
    check_sum((berth_dtype_t)dtype, 40, 33);
    check_sum((berth_dtype_t)dtype, 3, 0);
  }
}

static void check_bias(berth_dtype_t dtype, const char *format,
                       berth_dims_t value, int64_t channels) {
  driver_t driver = {.op = "BiasAdd"};
  driver_type(&driver, "T", dtype);
  driver_text(&driver, "data_format", format);
  driver_input(&driver, driver_random(dtype, value, -9, 9));
  driver_input(&driver, driver_random(dtype, BERTH_SHAPE(channels), -9, 9));
  driver_output(&driver, dtype);
  driver_check(&driver, 0);
}

TEST(bias, adds_to_channels) {
  const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_HALF, BERTH_BFLOAT16,
                                 BERTH_DOUBLE, BERTH_INT32};
  for (int i = 0; i < 5; ++i) {
    check_bias(types[i], "NHWC", BERTH_SHAPE(2, 3, 16), 16);
    check_bias(types[i], "NHWC", BERTH_SHAPE(7, 3), 3);
    check_bias(types[i], "NCHW", BERTH_SHAPE(2, 3, 4, 4), 3);
  }
}
