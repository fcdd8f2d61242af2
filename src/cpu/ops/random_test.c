// random_test.c - Random numbers are TensorFlow's, run after run.
//
// The expected numbers are those of TensorFlow 2.21 for one node that is run
// with several sizes in turn: 1, 3, 4, 5, 17, 1000 and 70001.
#include "cpu/kernels.h"
#include "harness.h"

#include "cpu/kernel_driver.h"
#include "state/container.h"
#include "tensor/half.h"

typedef struct golden {
  const char *op;
  berth_dtype_t dtype;
  uint64_t three[3];  // Bits of the second run.
  uint64_t last;      // Of the last number of the seventh.
} golden_t;

static const golden_t goldens[] = {
    {"RandomUniform",
     BERTH_FLOAT,
     {0x3edcfa78, 0x3d468420, 0x3f75a81c},
     0x3f2f5918},
    {"RandomUniform",
     BERTH_DOUBLE,
     {0x3fdcfa786c18d084, 0x3fe5a81cf25796ba, 0x3fe1341e5c2c28b2},
     0x3fce30ddbb930bc0},
    {"RandomUniform", BERTH_HALF, {0x393c, 0x2820, 0x2300}, 0x3060},
    {"RandomUniform", BERTH_BFLOAT16, {0x3e70, 0x3e84, 0x3de0}, 0x3dc0},
    {"RandomStandardNormal",
     BERTH_FLOAT,
     {0x3ec7027f, 0x3f9e4c57, 0x3e762ae7},
     0x3af3edc0},
    {"RandomStandardNormal",
     BERTH_DOUBLE,
     {0xbff20bf7ca0d8c29, 0xbfe1e326f34231da, 0x3fe3e7de02afee2c},
     0xbff2c1fb55713dc0},
    {"RandomStandardNormal", BERTH_HALF, {0x3638, 0x3cf2, 0x33b1}, 0x179f},
    {"RandomStandardNormal", BERTH_BFLOAT16, {0x3ec7, 0x3f9e, 0x3e76}, 0x3af4},
    {"TruncatedNormal",
     BERTH_FLOAT,
     {0x3ec7027f, 0x3f9e4c57, 0x3e762ae7},
     0x3c92c19f},
    {"TruncatedNormal",
     BERTH_DOUBLE,
     {0xbff20bf7ca0d8c29, 0xbfe1e326f34231da, 0x3ff013f256794a06},
     0x3fd36f1b4ac42844},
    {"TruncatedNormal", BERTH_HALF, {0x3638, 0x3cf2, 0x33b1}, 0x2496},
    {"TruncatedNormal", BERTH_BFLOAT16, {0x3ec7, 0x3f9e, 0x3e76}, 0x3c93},
};

static double real_of(berth_dtype_t dtype, uint64_t bits) {
  float single;
  double wide;
  uint32_t low = (uint32_t)bits;
  memcpy(&single, &low, sizeof(single));
  memcpy(&wide, &bits, sizeof(wide));
  switch (dtype) {
    case BERTH_FLOAT:
      return (double)single;
    case BERTH_DOUBLE:
      return wide;
    case BERTH_HALF:
      return (double)berth_half_to_float((uint16_t)bits);
    default:
      return (double)berth_bfloat16_to_float((uint16_t)bits);
  }
}

// Uniform numbers are exact; normal ones depend on the C library's functions,
// which may differ in the last bit.
static void expect_element(const golden_t *golden, const berth_tensor_t *tensor,
                           int64_t index, uint64_t expected) {
  uint64_t bits = 0;
  size_t size = berth_dtype_size(golden->dtype);
  memcpy(&bits, (char *)tensor->data + (size_t)index * size, size);
  if (strcmp(golden->op, "RandomUniform") == 0) {
    EXPECT_EQ(bits, expected);
    return;
  }
  double value = real_of(golden->dtype, expected);
  double ulp = size == 8 ? 0x1p-51 : size == 4 ? 0x1p-22 : 0x1p-7;
  EXPECT_NEAR(real_of(golden->dtype, bits), value, fabs(value) * ulp);
}

static void make_node(driver_t *driver, const char *op, berth_dtype_t dtype,
                      const char *attr) {
  driver->op = op;
  driver_type(driver, attr, dtype);
  driver_type(driver, "T", BERTH_INT32);
  driver_int(driver, "seed", 1);
  driver_int(driver, "seed2", 2);
  driver_input(driver, driver_ints(BERTH_SHAPE(1), 0));
  driver_output(driver, dtype);
}

static void expect_golden(const golden_t *golden,
                          berth_container_t *container) {
  static const int32_t sizes[] = {1, 3, 4, 5, 17, 1000, 70001};
  driver_t driver = {.container = container};
  char name[64];
  snprintf(name, sizeof(name), "%s_%s", golden->op,
           berth_dtype_name(golden->dtype));
  driver.name = name;
  make_node(&driver, golden->op, golden->dtype, "dtype");
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < BERTH_COUNT_OF(sizes); ++i) {
    *(int32_t *)driver.inputs[0]->data = sizes[i];
    ASSERT_OK(driver_call(&driver, &err), &err);
    EXPECT_EQ(driver.outputs[0]->count, sizes[i]);
    for (int k = 0; i == 1 && k < 3; ++k) {
      expect_element(golden, driver.outputs[0], k, golden->three[k]);
    }
  }
  expect_element(golden, driver.outputs[0], 70000, golden->last);
  driver_deinit(&driver);
}

TEST(random, numbers_of_tensorflow) {
  berth_container_t *container = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  for (int i = 0; i < BERTH_COUNT_OF(goldens); ++i) {
    expect_golden(&goldens[i], container);
  }
  berth_container_destroy(container);
}

// The first run of seeds 1 and 2, between -7 and 1000003.
TEST(random, integers) {
  berth_container_t *container = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  driver_t driver = {.container = container};
  make_node(&driver, "RandomUniformInt", BERTH_INT32, "Tout");
  driver.attrs[2].value.i = 3;
  driver.attrs[3].value.i = 9;
  driver_input(&driver, driver_ints(BERTH_SCALAR, -7));
  driver_input(&driver, driver_ints(BERTH_SCALAR, 1000003));
  *(int32_t *)driver.inputs[0]->data = 1;
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[1] 753125");
  *(int32_t *)driver.inputs[0]->data = 3;
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[3] 503410 117830 506501");
  ((int32_t *)driver.inputs[1]->data)[0] = 1000003;
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "Need minval < maxval, got 1000003 >= 1000003");
  driver_deinit(&driver);
  berth_container_destroy(container);
}

static void expect_shape_error(berth_tensor_t *shape, const char *message) {
  berth_container_t *container = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  driver_t driver = {.container = container};
  make_node(&driver, "RandomUniform", BERTH_FLOAT, "dtype");
  berth_tensor_release(driver.inputs[0]);
  driver.inputs[0] = shape;
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               message);
  driver_deinit(&driver);
  berth_container_destroy(container);
}

TEST(random, shape_errors) {
  expect_shape_error(driver_ints(BERTH_SCALAR, 2),
                     "shape must be a vector of {int32,int64}, got shape []");
  expect_shape_error(driver_ints(BERTH_SHAPE(1), -2),
                     "Dimension -2 must be >= 0");
}
