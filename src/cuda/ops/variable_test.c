// variable_test.c - Variables whose values live on a card.
#include "harness.h"

#include "cuda/kernel_driver.h"
#include "state/container.h"
#include "state/variable.h"

static berth_container_t *container = NULL;

// Makes a variable "v" by |op| and returns its handle.
static berth_tensor_t *make_variable(const char *op, berth_dtype_t dtype,
                                     berth_dims_t shape) {
  driver_t driver = {.op = op};
  berth_tensor_t *handle = NULL;
  if (container == NULL &&
      berth_container_create(&container, NULL) != BERTH_OK) {
    return NULL;
  }
  driver.container = container;
  driver_type(&driver, "dtype", dtype);
  driver_shape(&driver, "shape", shape);
  driver_text(&driver, "shared_name", "v");
  driver_output(&driver, strcmp(op, "VarHandleOp") == 0
                             ? BERTH_RESOURCE
                             : berth_dtype_ref(dtype));
  // Handles are the CPU's business on any device.
  EXPECT_EQ(driver_call_cpu(&driver, &handle, NULL), BERTH_OK);
  driver_deinit(&driver);
  return handle;
}

static berth_variable_t *variable_of(const berth_tensor_t *handle) {
  return (berth_variable_t *)((berth_handle_t *)handle->data)->resource;
}

static void drop(berth_tensor_t *handle) {
  berth_tensor_release(handle);
  berth_container_destroy(container);
  container = NULL;
}

// Calls |op| on the card with |value|, taken over.
static berth_code_t call(const char *op, berth_tensor_t *handle,
                         berth_tensor_t *value, berth_error_t *err) {
  bool is_ref = strstr(op, "VariableOp") == NULL;
  driver_t driver = {.op = op, .container = container};
  driver_type(&driver, is_ref ? "T" : "dtype", value->dtype);
  driver_bool(&driver, "validate_shape", true);
  driver_input(&driver, berth_tensor_retain(handle));
  driver_input(&driver, value);
  if (is_ref) driver_output(&driver, berth_dtype_ref(value->dtype));
  berth_code_t code = driver_call(&driver, err);
  if (code == BERTH_OK && is_ref) {
    // The reference is given on.
    EXPECT_TRUE(variable_of(driver.outputs[0]) == variable_of(handle));
  }
  driver_deinit(&driver);
  return code;
}

// Reads the variable on the card; its value as text, or the error's.
static const char *read_text(berth_tensor_t *handle, berth_dtype_t dtype) {
  driver_t driver = {.op = "ReadVariableOp", .container = container};
  driver_type(&driver, "dtype", dtype);
  driver_input(&driver, berth_tensor_retain(handle));
  driver_output(&driver, dtype);
  return driver_result(&driver);
}

#define TWO(a, b) driver_floats(BERTH_SHAPE(2), a, b)

TEST(variable, reference) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *v = make_variable("VariableV2", BERTH_FLOAT, BERTH_SHAPE(2));
  EXPECT_FAILS(call("AssignAdd", v, TWO(1, 2), &err), BERTH_FAILED_PRECONDITION,
               &err, "Attempting to use uninitialized value v");
  EXPECT_FAILS(
      call("Assign", v, driver_floats(BERTH_SHAPE(3), 1, 2, 3), &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Assign requires shapes of both tensors to match. lhs shape= [2] rhs "
      "shape= [3]");
  ASSERT_OK(call("Assign", v, TWO(1, 2), &err), &err);
  ASSERT_OK(call("AssignAdd", v, TWO(10, 20), &err), &err);
  ASSERT_OK(call("AssignSub", v, TWO(1, 1), &err), &err);
  EXPECT_FAILS(call("AssignSub", v, driver_floats(BERTH_SCALAR, 1), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Parameters and update must be the same size");
  EXPECT_STR(read_text(v, BERTH_FLOAT), "[2] 10 21");
  drop(v);
}

TEST(variable, resource) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *v = make_variable("VarHandleOp", BERTH_FLOAT, BERTH_SHAPE(2));
  EXPECT_FAILS(call("AssignAddVariableOp", v, TWO(1, 2), &err), BERTH_NOT_FOUND,
               &err,
               "Container localhost does not exist. (Could not find resource: "
               "localhost/v)");
  EXPECT_STR(read_text(v, BERTH_FLOAT),
             "Could not find variable v. This could mean that the variable has "
             "been deleted. In TF1, it can also mean the variable is "
             "uninitialized. Debug info: container=localhost, status error "
             "message=Container localhost does not exist. (Could not find "
             "resource: localhost/v)");
  ASSERT_OK(call("AssignVariableOp", v, TWO(1, 2), &err), &err);
  ASSERT_OK(call("AssignAddVariableOp", v, TWO(10, 20), &err), &err);
  ASSERT_OK(call("AssignSubVariableOp", v, TWO(1, 1), &err), &err);
  EXPECT_FAILS(call("AssignAddVariableOp", v,
                    driver_floats(BERTH_SHAPE(1, 2), 1, 1), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Cannot update variable with shape [2] using a Tensor with "
               "shape [1,2], shapes must be equal.");
  EXPECT_STR(read_text(v, BERTH_FLOAT), "[2] 10 21");
  drop(v);
}

// In place when alone, which saves memory; else whoever reads keeps the value.
TEST(variable, updates_in_place_only_when_alone) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *v = make_variable("VarHandleOp", BERTH_FLOAT, BERTH_SHAPE(2));
  ASSERT_OK(call("AssignVariableOp", v, TWO(1, 2), &err), &err);
  berth_tensor_t *value = berth_variable_read(variable_of(v));
  const void *first = value->data;
  EXPECT_TRUE(value->device != NULL);
  berth_tensor_release(value);

  ASSERT_OK(call("AssignAddVariableOp", v, TWO(1, 1), &err), &err);
  value = berth_variable_read(variable_of(v));
  EXPECT_TRUE(value->data == first);
  ASSERT_OK(call("AssignAddVariableOp", v, TWO(1, 1), &err), &err);
  berth_tensor_t *next = berth_variable_read(variable_of(v));
  EXPECT_TRUE(next->data != first);
  EXPECT_TRUE(next->device == value->device);
  EXPECT_STR(read_text(v, BERTH_FLOAT), "[2] 3 4");
  berth_tensor_t *kept = NULL;
  ASSERT_OK(driver_move(NULL, value, &kept, &err), &err);
  EXPECT_NEAR(((float *)kept->data)[1], 3, 0);
  berth_tensor_release(kept);
  berth_tensor_release(next);
  berth_tensor_release(value);
  drop(v);
}

TEST(variable, every_type_is_updated) {
  static const berth_dtype_t types[] = {
      BERTH_HALF,   BERTH_BFLOAT16, BERTH_FLOAT, BERTH_DOUBLE,
      BERTH_INT8,   BERTH_INT16,    BERTH_INT64, BERTH_UINT8,
      BERTH_UINT16, BERTH_UINT32,   BERTH_UINT64};
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
    berth_dims_t shape = BERTH_SHAPE(3);
    berth_tensor_t *v = make_variable("VariableV2", types[i], shape);
    ASSERT_OK(call("Assign", v, driver_random(types[i], shape, 5, 5), &err),
              &err);
    ASSERT_OK(call("AssignAdd", v, driver_random(types[i], shape, 9, 9), &err),
              &err);
    ASSERT_OK(call("AssignSub", v, driver_random(types[i], shape, 4, 4), &err),
              &err);
    EXPECT_STR(read_text(v, types[i]), "[3] 10 10 10");
    drop(v);
  }
}

TEST(variable, values_stay_on_their_device) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *v = make_variable("VarHandleOp", BERTH_FLOAT, BERTH_SHAPE(2));
  berth_tensor_t *host = TWO(1, 2);
  berth_variable_assign(variable_of(v), host);
  berth_tensor_release(host);
  const char *problem =
      "The value of variable v is on the host and cannot be used on "
      "/job:localhost/replica:0/task:0/device:GPU:0: give variables on "
      "different devices different names";
  EXPECT_STR(read_text(v, BERTH_FLOAT), problem);
  EXPECT_FAILS(call("AssignAddVariableOp", v, TWO(1, 1), &err),
               BERTH_FAILED_PRECONDITION, &err, problem);
  drop(v);
}
