// cast_test.c - The GPU kernel Cast, against the CPU's.
#include "harness.h"

#include "cuda/kernel_driver.h"

extern const berth_kernel_t berth_cuda_cast_kernels[];

static driver_t begin(berth_dtype_t from, berth_dtype_t to) {
  driver_t driver = {.op = "Cast"};
  driver_type(&driver, "SrcT", from);
  driver_type(&driver, "DstT", to);
  driver_output(&driver, to);
  return driver;
}

// Expects the same bytes from the card as from the CPU.
static void expect_bytes(driver_t *driver) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *expected[DRIVER_MAX] = {NULL};
  ASSERT_OK(driver_call(driver, &err), &err);
  ASSERT_OK(driver_call_cpu(driver, expected, &err), &err);
  ASSERT_TRUE(driver->outputs[0]->size == expected[0]->size);
  if (memcmp(driver->outputs[0]->data, expected[0]->data, expected[0]->size) !=
      0) {
    HARNESS_FAIL("%s to %s differs", berth_dtype_name(driver->inputs[0]->dtype),
                 berth_dtype_name(expected[0]->dtype));
  }
  berth_tensor_release(expected[0]);
  driver_deinit(driver);
}

// Numbers with whole and other parts, in range of everything; bytes as they
// come for types that the driver cannot print.
static berth_tensor_t *numbers(berth_dtype_t dtype) {
  bool is_byte = (BERTH_DTYPE_BIT(dtype) &
                  (BERTH_DTYPE_BIT(BERTH_INT4) | BERTH_DTYPE_BIT(BERTH_UINT4) |
                   BERTH_DTYPE_BIT(BERTH_FLOAT8_E5M2) |
                   BERTH_DTYPE_BIT(BERTH_FLOAT8_E4M3FN))) != 0;
  if (!is_byte) return driver_random(dtype, BERTH_SHAPE(131), -120, 120);
  berth_tensor_t *bytes = driver_random(BERTH_UINT8, BERTH_SHAPE(131), 0, 255);
  // No NaN: its bytes may differ.
  for (int64_t i = 0; i < bytes->count; ++i) {
    uint8_t *byte = (uint8_t *)bytes->data + i;
    if (dtype == BERTH_FLOAT8_E5M2 && (*byte & 0x7c) == 0x7c) *byte = 1;
    if (dtype == BERTH_FLOAT8_E4M3FN && (*byte & 0x7f) == 0x7f) *byte = 1;
    if (dtype == BERTH_INT4 || dtype == BERTH_UINT4) *byte &= 7;
  }
  bytes->dtype = dtype;
  return bytes;
}

TEST(cast, every_pair) {
  int pairs = 0;
  for (int i = 0; berth_cuda_cast_kernels[i].op != NULL; ++i) {
    const berth_kernel_types_t *types = berth_cuda_cast_kernels[i].types;
    for (int from = 1; from < BERTH_DTYPE_COUNT; ++from) {
      for (int to = 1; to < BERTH_DTYPE_COUNT; ++to) {
        if ((types[0].types >> from & types[1].types >> to & 1) == 0) continue;
        driver_t driver = begin((berth_dtype_t)from, (berth_dtype_t)to);
        driver_input(&driver, numbers((berth_dtype_t)from));
        expect_bytes(&driver);
        ++pairs;
      }
    }
  }
  EXPECT_EQ(pairs, 3 * 17 + 4 * 15 + 2 * 5 + 8 * 17 + 2 * 10);
}

// What does not fit, cut off or not.
TEST(cast, numbers_that_do_not_fit) {
  const float values[] = {3e9f,   -3e9f,    5e9f,     1e19f, -1e19f,
                          2e19f,  300.7f,   -1.5f,    1e30f, NAN,
                          1e-30f, INFINITY, -INFINITY};
  const berth_dtype_t targets[] = {BERTH_INT8,   BERTH_UINT8,      BERTH_INT16,
                                   BERTH_UINT16, BERTH_INT32,      BERTH_UINT32,
                                   BERTH_INT64,  BERTH_UINT64,     BERTH_BOOL,
                                   BERTH_DOUBLE, BERTH_FLOAT8_E5M2};
  for (int i = 0; i < BERTH_COUNT_OF(targets); ++i) {
    driver_t driver = begin(BERTH_FLOAT, targets[i]);
    driver_input(&driver, driver_tensor(BERTH_FLOAT, BERTH_SHAPE(13), values));
    expect_bytes(&driver);
  }
}

TEST(cast, cuts_off) {
  const berth_dtype_t pairs[][2] = {
      {BERTH_DOUBLE, BERTH_FLOAT},     {BERTH_DOUBLE, BERTH_HALF},
      {BERTH_FLOAT, BERTH_HALF},       {BERTH_FLOAT, BERTH_BFLOAT16},
      {BERTH_DOUBLE, BERTH_BFLOAT16},  {BERTH_COMPLEX128, BERTH_COMPLEX64},
      {BERTH_COMPLEX64, BERTH_HALF},   {BERTH_HALF, BERTH_FLOAT8_E4M3FN},
      {BERTH_FLOAT, BERTH_FLOAT8_E5M2}};
  for (int i = 0; i < BERTH_COUNT_OF(pairs); ++i) {
    driver_t driver = begin(pairs[i][0], pairs[i][1]);
    driver_bool(&driver, "Truncate", true);
    driver_input(&driver, numbers(pairs[i][0]));
    expect_bytes(&driver);
  }
}
