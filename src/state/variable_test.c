// variable_test.c - Variables: reading, assigning and updating.
#include "state/variable.h"

#include "device/device.h"
#include "state/variable_testing.h"

static void drop(berth_variable_t *variable) {
  berth_resource_release((berth_resource_t *)variable);
  berth_container_destroy(container);
  container = NULL;
}

static int64_t first_of(const berth_tensor_t *tensor) {
  return ((const int64_t *)tensor->data)[0];
}

TEST(variable, begins_without_a_value) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variable = make("v", 0);
  EXPECT_STR(berth_variable_name(variable), "v");
  EXPECT_EQ(berth_variable_dtype(variable), BERTH_INT64);
  EXPECT_FALSE(berth_variable_is_initialized(variable));
  EXPECT_TRUE(berth_variable_read(variable) == NULL);
  EXPECT_FAILS(berth_variable_fail_update(variable, container, true, &err),
               BERTH_FAILED_PRECONDITION, &err,
               "Attempting to use uninitialized value v");
  drop(variable);
}

TEST(variable, assigning_leaves_readers_what_they_read) {
  berth_variable_t *variable = make("v", 3);
  berth_tensor_t *old = berth_variable_read(variable);
  berth_variable_t *same = make("v", 4);
  EXPECT_TRUE(same == variable);
  berth_tensor_t *new = berth_variable_read(variable);
  EXPECT_EQ(first_of(old), 3);
  EXPECT_EQ(first_of(new), 4);
  EXPECT_TRUE(berth_tensor_is_exclusive(old));
  berth_tensor_release(old);
  berth_tensor_release(new);
  berth_variable_reset(variable);
  EXPECT_FALSE(berth_variable_is_initialized(variable));
  berth_resource_release((berth_resource_t *)same);
  drop(variable);
}

TEST(variable, remembers_the_first_shape_declared) {
  berth_variable_t *variable = make("v", 0);
  EXPECT_EQ(berth_variable_declared(variable).rank, 0);
  ASSERT_OK(berth_variable_declare(variable, BERTH_SHAPE(2, 3), NULL), NULL);
  ASSERT_OK(berth_variable_declare(variable, BERTH_SHAPE(7), NULL), NULL);
  EXPECT_TRUE(
      berth_dims_equal(berth_variable_declared(variable), BERTH_SHAPE(2, 3)));
  drop(variable);
}

TEST(variable, says_where_its_value_is_wanted) {
  berth_error_t err = BERTH_ERROR_INIT;
  char name[] = "/job:localhost/replica:0/task:0/device:GPU:1";
  berth_device_t device = {.names = {[BERTH_NAME_FULL] = name}};
  berth_variable_t *variable = make("v", 3);
  berth_tensor_t *value = berth_variable_read(variable);
  ASSERT_OK(berth_variable_check_device(variable, value, NULL, &err), &err);
  EXPECT_FAILS(berth_variable_check_device(variable, value, &device, &err),
               BERTH_FAILED_PRECONDITION, &err,
               "The value of variable v is on the host and cannot be used on "
               "/job:localhost/replica:0/task:0/device:GPU:1: give variables "
               "on different devices different names");
  berth_tensor_release(value);
  drop(variable);
}
