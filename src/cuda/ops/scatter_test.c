// scatter_test.c - Kernels that read and write slices at places given as
// indices, against the CPU's.
#include "harness.h"

#include "cuda/kernel_driver.h"

// Describes |op|, of |type|, with random |shape| and |updates| at |indices|,
// which it takes over.
static void describe(driver_t *driver, const char *op, berth_dtype_t type,
                     berth_dims_t shape, berth_tensor_t *indices,
                     berth_dims_t updates) {
  driver->op = op;
  driver_type(driver, "T", type);
  driver_type(driver, "Tindices", indices->dtype);
  driver_input(driver, driver_random(type, shape, 1, 9));
  driver_input(driver, indices);
  driver_input(driver, driver_random(type, updates, 1, 9));
  driver_output(driver, type);
}

static void check(const char *op, berth_dtype_t type, berth_dims_t shape,
                  berth_tensor_t *indices, berth_dims_t updates) {
  driver_t driver = {0};
  describe(&driver, op, type, shape, indices, updates);
  driver_check(&driver, 0);
}

static const berth_dtype_t types[] = {
    BERTH_HALF,   BERTH_BFLOAT16, BERTH_FLOAT, BERTH_DOUBLE,
    BERTH_INT8,   BERTH_INT16,    BERTH_INT64, BERTH_UINT8,
    BERTH_UINT16, BERTH_UINT32,   BERTH_UINT64};

TEST(scatter, every_type_and_way) {
  static const char *const ops[] = {"TensorScatterUpdate", "TensorScatterAdd",
                                    "TensorScatterSub", "TensorScatterMin",
                                    "TensorScatterMax"};
  for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
    for (int k = 0; k < BERTH_COUNT_OF(ops); ++k) {
      check(ops[k], types[i], BERTH_SHAPE(5, 3),
            driver_ints(BERTH_SHAPE(4, 1), 4, 0, 2, 2), BERTH_SHAPE(4, 3));
      check(ops[k], types[i], BERTH_SHAPE(5, 4),
            driver_longs(BERTH_SHAPE(3, 2), 4, 0, 2, 2, 4, 0), BERTH_SHAPE(3));
    }
  }
}

TEST(scatter, complex_numbers) {
  const berth_dtype_t both[] = {BERTH_COMPLEX64, BERTH_COMPLEX128};
  for (int i = 0; i < 2; ++i) {
    check("TensorScatterAdd", both[i], BERTH_SHAPE(3, 2),
          driver_ints(BERTH_SHAPE(2, 1), 1, 1), BERTH_SHAPE(2, 2));
    check("TensorScatterUpdate", both[i], BERTH_SHAPE(3, 2),
          driver_ints(BERTH_SHAPE(2, 1), 1, 0), BERTH_SHAPE(2, 2));
  }
}

TEST(scatter, without_places) {
  check("TensorScatterAdd", BERTH_FLOAT, BERTH_SHAPE(3, 2),
        driver_tensor(BERTH_INT32, BERTH_SHAPE(0, 1), NULL), BERTH_SHAPE(0, 2));
}

TEST(scatter, places_outside_are_left_out) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  describe(&driver, "TensorScatterAdd", BERTH_FLOAT, BERTH_SHAPE(2),
           driver_ints(BERTH_SHAPE(3, 1), -1, 1, 2), BERTH_SHAPE(3));
  ASSERT_OK(driver_call(&driver, &err), &err);
  const float *in = driver.inputs[0]->data, *more = driver.inputs[2]->data;
  const float *out = driver.outputs[0]->data;
  EXPECT_EQ(out[0] == in[0], 1);
  EXPECT_EQ(out[1] == in[1] + more[1], 1);
  driver_deinit(&driver);
}

// Every run gives the same, where that was asked for.
TEST(scatter, in_order) {
  setenv("TF_DETERMINISTIC_OPS", "1", 1);
  check("TensorScatterAdd", BERTH_FLOAT, BERTH_SHAPE(4, 3),
        driver_ints(BERTH_SHAPE(5, 1), 3, 3, 0, 3, 1), BERTH_SHAPE(5, 3));
  check("TensorScatterUpdate", BERTH_DOUBLE, BERTH_SHAPE(4, 3),
        driver_ints(BERTH_SHAPE(3, 1), 3, 3, 0), BERTH_SHAPE(3, 3));
  unsetenv("TF_DETERMINISTIC_OPS");
}

static void check_gather(berth_dtype_t type, berth_dims_t shape,
                         berth_tensor_t *indices) {
  driver_t driver = {.op = "GatherNd"};
  driver_type(&driver, "Tparams", type);
  driver_type(&driver, "Tindices", indices->dtype);
  driver_input(&driver, driver_random(type, shape, -9, 9));
  driver_input(&driver, indices);
  driver_output(&driver, type);
  driver_check(&driver, 0);
}

TEST(scatter, gathers_every_size_of_element) {
  const berth_dtype_t sizes[] = {BERTH_BOOL, BERTH_HALF, BERTH_FLOAT,
                                 BERTH_DOUBLE, BERTH_COMPLEX128};
  for (int i = 0; i < BERTH_COUNT_OF(sizes); ++i) {
    check_gather(sizes[i], BERTH_SHAPE(5, 16),
                 driver_ints(BERTH_SHAPE(3, 1), 4, 0, 4));
    check_gather(sizes[i], BERTH_SHAPE(5, 3, 2),
                 driver_longs(BERTH_SHAPE(2, 2), 4, 0, 1, 2));
    check_gather(sizes[i], BERTH_SHAPE(2, 2),
                 driver_tensor(BERTH_INT32, BERTH_SHAPE(3, 0), NULL));
  }
}
