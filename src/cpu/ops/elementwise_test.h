// elementwise_test.h - What the tests of elementwise kernels share.
#ifndef BERTH_CPU_OPS_ELEMENTWISE_TEST_H_
#define BERTH_CPU_OPS_ELEMENTWISE_TEST_H_

#include "cpu/kernels.h"
#include "harness.h"

#include "cpu/kernel_driver.h"

// Begins a call of |op| with attribute T = |type|.
static inline driver_t driver_of(const char *op, berth_dtype_t type,
                                 berth_dtype_t output) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", type);
  driver_output(&driver, output);
  return driver;
}

// Runs |driver|, expects output 0 to read |expected|, and ends it.
static inline void expect_output(driver_t *driver, const char *expected) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(driver_call(driver, &err), &err);
  EXPECT_STR(driver_show(driver, 0), expected);
  driver_deinit(driver);
}

static inline void expect_failure(driver_t *driver, berth_code_t code,
                                  const char *message) {
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(driver_call(driver, &err), code, &err, message);
  driver_deinit(driver);
}

// Runs the prepared call of |driver| once more with output 0 in the memory of
// input |index|, which it must allow, and expects the same result.
static inline void expect_in_place(driver_t *driver, int index) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(driver_call(driver, &err), &err);
  ASSERT_TRUE((driver->prepare.op.may_overwrite >> index & 1) != 0);
  const berth_tensor_t *out = driver->outputs[0];
  void *args[DRIVER_MAX + 2];
  for (int i = 0; i < driver->input_count; ++i) {
    args[i] = driver->inputs[i]->data;
  }
  args[driver->input_count] = args[index];
  void *scratch = aligned_alloc(64, (driver->prepare.scratch_size | 63) + 1);
  args[driver->input_count + 1] = scratch;
  berth_call_t call = {.err = &err, .node = &driver->node};
  ASSERT_OK(driver->prepare.run(driver->prepare.plan, args, &call), &err);
  EXPECT_TRUE(memcmp(args[index], out->data, out->size) == 0);
  free(scratch);
}

#endif  // BERTH_CPU_OPS_ELEMENTWISE_TEST_H_
