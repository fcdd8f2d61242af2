// variable_test.c - Variables: references, resources, and what Print and Assert
// say.
#include "cpu/kernels.h"
#include "harness.h"

#include "cpu/kernel_driver.h"
#include "state/container.h"
#include "tensor/half.h"

static berth_container_t *container = NULL;

// Makes a variable "v" of |dtype| and |shape| by |op| and returns its handle.
static berth_tensor_t *make_variable(const char *op, berth_dtype_t dtype,
                                     berth_dims_t shape, const char *shared) {
  driver_t driver = {.op = op, .name = "v"};
  if (container == NULL &&
      berth_container_create(&container, NULL) != BERTH_OK) {
    return NULL;
  }
  driver.container = container;
  driver_type(&driver, "dtype", dtype);
  driver_shape(&driver, "shape", shape);
  driver_text(&driver, "shared_name", shared);
  driver_output(&driver, strcmp(op, "VarHandleOp") == 0
                             ? BERTH_RESOURCE
                             : berth_dtype_ref(dtype));
  berth_tensor_t *handle = NULL;
  if (driver_call(&driver, NULL) == BERTH_OK) {
    handle = berth_tensor_retain(driver.outputs[0]);
  }
  driver_deinit(&driver);
  return handle;
}

static void drop_container(void) {
  berth_container_destroy(container);
  container = NULL;
}

// Calls |op| of a reference with |value|, taken over.
static berth_code_t call_ref(driver_t *driver, const char *op,
                             berth_tensor_t *handle, berth_tensor_t *value,
                             berth_error_t *err) {
  driver_deinit(driver);
  driver->op = op;
  driver_type(driver, "T", value->dtype);
  driver_input(driver, berth_tensor_retain(handle));
  driver_input(driver, value);
  driver_output(driver, berth_dtype_ref(value->dtype));
  return driver_call(driver, err);
}

// Calls |op| of a resource with |value|, taken over.
static berth_code_t call_resource(driver_t *driver, const char *op,
                                  berth_tensor_t *handle, berth_tensor_t *value,
                                  berth_error_t *err) {
  driver_deinit(driver);
  driver->op = op;
  driver->container = container;
  driver_type(driver, "dtype", value->dtype);
  driver_input(driver, berth_tensor_retain(handle));
  driver_input(driver, value);
  return driver_call(driver, err);
}

static berth_code_t read_variable(driver_t *driver, berth_tensor_t *handle,
                                  berth_dtype_t dtype, berth_error_t *err) {
  driver_deinit(driver);
  driver->op = "ReadVariableOp";
  driver->container = container;
  driver_type(driver, "dtype", dtype);
  driver_input(driver, berth_tensor_retain(handle));
  driver_output(driver, dtype);
  return driver_call(driver, err);
}

static bool is_initialized(const char *op, berth_tensor_t *handle) {
  driver_t driver = {.op = op};
  driver_input(&driver, berth_tensor_retain(handle));
  driver_output(&driver, BERTH_BOOL);
  bool is = driver_call(&driver, NULL) == BERTH_OK &&
            *(bool *)driver_data(&driver, 0);
  driver_deinit(&driver);
  return is;
}

#define TWO(a, b) driver_floats(BERTH_SHAPE(2), a, b)

TEST(variable, reference) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = {0};
  berth_tensor_t *v =
      make_variable("VariableV2", BERTH_FLOAT, BERTH_SHAPE(2), "");
  ASSERT_TRUE(v != NULL);
  EXPECT_FALSE(is_initialized("IsVariableInitialized", v));
  EXPECT_FAILS(call_ref(&driver, "AssignAdd", v, TWO(1, 2), &err),
               BERTH_FAILED_PRECONDITION, &err,
               "Attempting to use uninitialized value v");
  EXPECT_FAILS(call_ref(&driver, "Assign", v,
                        driver_floats(BERTH_SHAPE(3), 1, 2, 3), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Assign requires shapes of both tensors to match. lhs shape= "
               "[2] rhs shape= [3]");
  ASSERT_OK(call_ref(&driver, "Assign", v, TWO(1, 2), &err), &err);
  EXPECT_TRUE(is_initialized("IsVariableInitialized", v));
  // The reference is given on.
  EXPECT_TRUE(((berth_handle_t *)driver_data(&driver, 0))->resource ==
              ((berth_handle_t *)v->data)->resource);
  ASSERT_OK(call_ref(&driver, "AssignAdd", v, TWO(10, 20), &err), &err);
  ASSERT_OK(call_ref(&driver, "AssignSub", v, TWO(1, 1), &err), &err);
  EXPECT_FAILS(
      call_ref(&driver, "AssignSub", v, driver_floats(BERTH_SCALAR, 1), &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Parameters and update must be the same size");
  ASSERT_OK(read_variable(&driver, v, BERTH_FLOAT, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2] 10 21");
  driver_deinit(&driver);
  berth_tensor_release(v);
  drop_container();
}

// What was read before an update does not change.
TEST(variable, readers_keep_their_value) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t before = {0}, driver = {0};
  berth_tensor_t *v =
      make_variable("VarHandleOp", BERTH_FLOAT, BERTH_SHAPE(2), "v");
  ASSERT_OK(call_resource(&driver, "AssignVariableOp", v, TWO(1, 2), &err),
            &err);
  ASSERT_OK(read_variable(&before, v, BERTH_FLOAT, &err), &err);
  ASSERT_OK(call_resource(&driver, "AssignAddVariableOp", v, TWO(1, 1), &err),
            &err);
  EXPECT_STR(driver_show(&before, 0), "[2] 1 2");
  ASSERT_OK(read_variable(&driver, v, BERTH_FLOAT, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2] 2 3");
  driver_deinit(&before);
  driver_deinit(&driver);
  berth_tensor_release(v);
  drop_container();
}

#define NO_CONTAINER                                               \
  "Container localhost does not exist. (Could not find resource: " \
  "localhost/rv)"
#define NOT_FOUND "Resource localhost/rv/N10tensorflow3VarE does not exist."

TEST(variable, resource_errors) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = {0};
  berth_tensor_t *v =
      make_variable("VarHandleOp", BERTH_FLOAT, BERTH_SHAPE(2), "rv");
  ASSERT_TRUE(v != NULL);
  EXPECT_FALSE(is_initialized("VarIsInitializedOp", v));
  EXPECT_FAILS(read_variable(&driver, v, BERTH_FLOAT, &err),
               BERTH_FAILED_PRECONDITION, &err,
               "Could not find variable rv. This could mean that the variable "
               "has been deleted. In TF1, it can also mean the variable is "
               "uninitialized. Debug info: container=localhost, status error "
               "message=" NO_CONTAINER);
  EXPECT_FAILS(
      call_resource(&driver, "AssignSubVariableOp", v, TWO(1, 2), &err),
      BERTH_NOT_FOUND, &err, NO_CONTAINER);
  // With something in it, the container is there.
  berth_container_mark(container);
  EXPECT_FAILS(
      call_resource(&driver, "AssignSubVariableOp", v, TWO(1, 2), &err),
      BERTH_NOT_FOUND, &err, NOT_FOUND);
  EXPECT_FAILS(call_resource(&driver, "AssignVariableOp", v,
                             driver_ints(BERTH_SHAPE(2), 1, 2), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Trying to assign variable with wrong dtype. Expected float "
               "got int32");
  // Shapes may change unless they are validated.
  ASSERT_OK(call_resource(&driver, "AssignVariableOp", v,
                          driver_floats(BERTH_SHAPE(3), 1, 2, 3), &err),
            &err);
  EXPECT_FAILS(
      call_resource(&driver, "AssignAddVariableOp", v, TWO(1, 2), &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Cannot update variable with shape [3] using a Tensor with "
      "shape [2], shapes must be equal.");
  EXPECT_FAILS(read_variable(&driver, v, BERTH_INT32, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Trying to read variable with wrong dtype. Expected int32 got "
               "float");
  driver_deinit(&driver);
  berth_tensor_release(v);
  drop_container();
}

TEST(variable, validated_shapes_and_destruction) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = {0};
  berth_tensor_t *v =
      make_variable("VarHandleOp", BERTH_FLOAT, BERTH_SHAPE(2), "rv");
  ASSERT_OK(call_resource(&driver, "AssignVariableOp", v, TWO(1, 2), &err),
            &err);
  driver_bool(&driver, "validate_shape", true);
  berth_tensor_release(driver.inputs[1]);
  driver.inputs[1] = driver_floats(BERTH_SHAPE(3), 1, 2, 3);
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "Trying to assign to variable with tensor with wrong shape. "
               "Expected [2] got [3]");
  driver_deinit(&driver);
  driver.op = "DestroyResourceOp";
  driver_bool(&driver, "ignore_lookup_error", false);
  driver_input(&driver, berth_tensor_retain(v));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_FALSE(is_initialized("VarIsInitializedOp", v));
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_NOT_FOUND, &err,
               "Resource localhost/rv/<unknown> does not exist.");
  driver_deinit(&driver);
  berth_tensor_release(v);
  drop_container();
}

// Handles of one shared name lead to one variable, anonymous ones to none
// other.
TEST(variable, sharing) {
  const char *anonymous = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";
  berth_dims_t two = BERTH_SHAPE(2);
  berth_tensor_t *a = make_variable("VarHandleOp", BERTH_FLOAT, two, "s");
  berth_tensor_t *b = make_variable("VarHandleOp", BERTH_FLOAT, two, "s");
  berth_tensor_t *c = make_variable("VarHandleOp", BERTH_FLOAT, two, anonymous);
  berth_tensor_t *d = make_variable("VarHandleOp", BERTH_FLOAT, two, anonymous);
  ASSERT_TRUE(a != NULL && b != NULL && c != NULL && d != NULL);
  EXPECT_TRUE(((berth_handle_t *)a->data)->resource ==
              ((berth_handle_t *)b->data)->resource);
  EXPECT_TRUE(((berth_handle_t *)c->data)->resource !=
              ((berth_handle_t *)d->data)->resource);
  berth_tensor_release(a);
  berth_tensor_release(b);
  berth_tensor_release(c);
  berth_tensor_release(d);
  drop_container();
}

TEST(variable, halves_round_once) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = {0};
  berth_tensor_t *v =
      make_variable("VarHandleOp", BERTH_HALF, BERTH_SCALAR, "h");
  uint16_t one = berth_float_to_half(1), small = berth_float_to_half(0.001f);
  ASSERT_OK(call_resource(&driver, "AssignVariableOp", v,
                          driver_tensor(BERTH_HALF, BERTH_SCALAR, &one), &err),
            &err);
  ASSERT_OK(
      call_resource(&driver, "AssignSubVariableOp", v,
                    driver_tensor(BERTH_HALF, BERTH_SCALAR, &small), &err),
      &err);
  ASSERT_OK(read_variable(&driver, v, BERTH_HALF, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[] 3bfe");
  driver_deinit(&driver);
  berth_tensor_release(v);
  drop_container();
}

static void expect_assert(driver_t *driver, const char *message) {
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(driver_call(driver, &err), BERTH_INVALID_ARGUMENT, &err,
               message);
  driver_deinit(driver);
}

TEST(report, assert_shows_its_data) {
  bool no = false;
  const char *texts[] = {"x"};
  driver_t driver = {.op = "Assert"};
  driver_input(&driver, driver_tensor(BERTH_BOOL, BERTH_SCALAR, &no));
  driver_input(&driver, driver_strings(texts, 1));
  driver_input(&driver, driver_count_up(BERTH_SHAPE(5)));
  driver_input(&driver, driver_count_up(BERTH_SHAPE(2, 2)));
  expect_assert(&driver, "assertion failed: [x] [0 1 2...] [[0 1][2...]...]");
  driver.op = "Assert";
  driver_int(&driver, "summarize", -1);
  driver_input(&driver, driver_tensor(BERTH_BOOL, BERTH_SCALAR, &no));
  driver_input(&driver, driver_count_up(BERTH_SHAPE(2, 2)));
  expect_assert(&driver, "assertion failed: [[0 1][2 3]]");
  driver.op = "Assert";
  driver_input(&driver, driver_tensor(BERTH_BOOL, BERTH_SHAPE(1), &no));
  expect_assert(&driver, "In[0] should be a scalar: [1]");
}

TEST(report, assert_holds) {
  bool yes = true;
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = {.op = "Assert"};
  driver_input(&driver, driver_tensor(BERTH_BOOL, BERTH_SCALAR, &yes));
  driver_input(&driver, driver_count_up(BERTH_SHAPE(5)));
  ASSERT_OK(driver_call(&driver, &err), &err);
  driver_deinit(&driver);
}

// Reads what went to standard error while |driver| was called twice.
static void call_captured(driver_t *driver, char *text, size_t size) {
  berth_error_t err = BERTH_ERROR_INIT;
  FILE *file = tmpfile();
  ASSERT_TRUE(file != NULL);
  fflush(stderr);
  int saved = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  berth_code_t first = driver_call(driver, &err);
  berth_code_t second = driver_call(driver, &err);
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  EXPECT_EQ(first, BERTH_OK);
  EXPECT_EQ(second, BERTH_OK);
  rewind(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

TEST(report, print_speaks_first_n_times) {
  char text[256];
  driver_t driver = {.op = "Print"};
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_text(&driver, "message", "msg: ");
  driver_int(&driver, "first_n", 1);
  driver_input(&driver, driver_count_up(BERTH_SHAPE(4)));
  driver_input(&driver, driver_count_up(BERTH_SHAPE(4)));
  driver_input(&driver, driver_ints(BERTH_SCALAR, 7));
  driver_output(&driver, BERTH_FLOAT);
  call_captured(&driver, text, sizeof(text));
  EXPECT_STR(text, "msg: [0 1 2...][7]\n");
  EXPECT_TRUE(driver.outputs[0]->data == driver.inputs[0]->data);
  driver_deinit(&driver);
}
