// eager_test.c - Ops called at once, from the outside.
#include "session_testing.h"

#define HERE "/job:localhost/replica:0/task:0/device:CPU:0"
#define MISSING "/job:localhost/replica:0/task:0/device:CPU:7"

static berth_context_t *context_open(void) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.allow_soft_placement = true;
  berth_context_t *context = NULL;
  if (berth_context_create(&config, &context, NULL) != BERTH_OK) abort();
  return context;
}

// Calls an op of one input and one output on 1.5, and stores the output's
// value.
static berth_code_t call_one(berth_context_t *context, const char *op,
                             const char *device, float *out_value,
                             berth_error_t *err) {
  float value = 1.5f;
  berth_tensor_t *input = NULL, *output = NULL;
  int count = 1;
  berth_code_t code =
      berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &value, &input, err);
  if (code != BERTH_OK) return code;
  code = berth_eager_call(context, op, device, &input, 1, &output, &count, err);
  if (code == BERTH_OK) *out_value = *(const float *)berth_tensor_data(output);
  berth_tensor_release(input);
  if (code == BERTH_OK) berth_tensor_release(output);
  return code;
}

TEST(eager, runs_ops_of_the_runtimes_own) {
  berth_context_t *context = context_open();
  berth_error_t err = BERTH_ERROR_INIT;
  float value = 0;
  EXPECT_EQ(call_one(context, "_EagerConst", NULL, &value, &err), BERTH_OK);
  EXPECT_STR(berth_error_message(&err), "");
  EXPECT_TRUE(value == 1.5f);
  berth_context_destroy(context);
}

TEST(eager, forgets_where_soft_placement_went_when_it_is_off) {
  berth_context_t *context = context_open();
  berth_error_t err = BERTH_ERROR_INIT;
  float value = 0;
  EXPECT_EQ(call_one(context, "Neg", MISSING, &value, &err), BERTH_OK);
  EXPECT_TRUE(value == -1.5f);
  berth_context_set_soft_placement(context, false);
  EXPECT_FAILS(call_one(context, "Neg", MISSING, &value, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Could not satisfy device specification '" MISSING
               "'. enable_soft_placement=0. Supported device types [CPU]. All "
               "available devices [" HERE "].");
  EXPECT_EQ(call_one(context, "Neg", HERE, &value, &err), BERTH_OK);
  berth_context_set_soft_placement(context, true);
  EXPECT_EQ(call_one(context, "Neg", MISSING, &value, &err), BERTH_OK);
  berth_context_destroy(context);
}

TEST(eager, tells_how_much_room_outputs_need) {
  berth_context_t *context = context_open();
  berth_error_t err = BERTH_ERROR_INIT;
  float values[3] = {1, 2, 3};
  int64_t dim = 3;
  berth_tensor_t *input = NULL, *outputs[3] = {NULL};
  ASSERT_OK(berth_tensor_copy_from(BERTH_FLOAT, (berth_dims_t){1, &dim}, values,
                                   &input, &err),
            &err);
  berth_op_t *op = berth_op_begin(NULL, "Unpack", NULL);
  berth_op_attr_int(op, "num", 3);
  int count = 1;
  EXPECT_FAILS(
      berth_eager_call_op(context, op, NULL, &input, 1, outputs, &count, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Unpack has 3 outputs, but there is room for 1");
  EXPECT_EQ(count, 3);
  ASSERT_OK(
      berth_eager_call_op(context, op, NULL, &input, 1, outputs, &count, &err),
      &err);
  EXPECT_TRUE(*(const float *)berth_tensor_data(outputs[2]) == 3);
  for (int i = 0; i < count; ++i) berth_tensor_release(outputs[i]);
  berth_tensor_release(input);
  berth_op_abandon(op);
  berth_context_destroy(context);
}

// ---- Parts ----

static berth_tensor_t *vector_of(berth_dtype_t dtype, int64_t count,
                                 const void *values) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_copy_from(dtype, (berth_dims_t){1, &count}, values, &tensor,
                             NULL) != BERTH_OK) {
    abort();
  }
  return tensor;
}

// Returns the four bytes of |bytes| from |begin| on as one number.
static berth_tensor_t *number_in(berth_context_t *context,
                                 berth_tensor_t *bytes, int32_t begin,
                                 berth_error_t *err) {
  int32_t size = 4;
  berth_tensor_t *inputs[3] = {bytes, vector_of(BERTH_INT32, 1, &begin),
                               vector_of(BERTH_INT32, 1, &size)};
  berth_tensor_t *part = NULL, *number = NULL;
  int count = 1;
  berth_code_t code =
      berth_eager_call(context, "Slice", NULL, inputs, 3, &part, &count, err);
  if (code == BERTH_OK) {
    berth_op_t *op = berth_op_begin(NULL, "Bitcast", NULL);
    berth_op_attr_type(op, "type", BERTH_INT32);
    code =
        berth_eager_call_op(context, op, NULL, &part, 1, &number, &count, err);
    berth_op_abandon(op);
  }
  berth_tensor_release(part);
  berth_tensor_release(inputs[1]);
  berth_tensor_release(inputs[2]);
  return number;
}

TEST(eager, bytes_become_numbers_where_numbers_may_lie) {
  berth_context_t *context = context_open();
  berth_error_t err = BERTH_ERROR_INIT;
  uint8_t values[12] = {0, 1, 0, 0, 0, 7, 0, 0, 0, 9, 0, 0};
  berth_tensor_t *bytes = vector_of(BERTH_UINT8, 12, values);
  const char *data = berth_tensor_data(bytes);
  for (int32_t begin = 0; begin <= 8; ++begin) {
    berth_tensor_t *number = number_in(context, bytes, begin, &err);
    ASSERT_TRUE(number != NULL);
    const char *at = berth_tensor_data(number);
    int32_t wanted = 0;
    memcpy(&wanted, values + begin, sizeof(wanted));
    EXPECT_EQ((uintptr_t)at % sizeof(int32_t), 0u);
    EXPECT_EQ(at == data + begin, begin % 4 == 0);
    EXPECT_EQ(memcmp(at, &wanted, sizeof(wanted)), 0);
    berth_tensor_release(number);
  }
  berth_tensor_release(bytes);
  berth_context_destroy(context);
}

// ---- Ending calls ----

// Ends whatever it is asked about, and counts.
static int end_at_once(void *arg) {
  ++*(int *)arg;
  return 1;
}

static berth_context_t *context_that_ends(int *polls) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.poll = end_at_once;
  config.poll_arg = polls;
  berth_context_t *context = NULL;
  if (berth_context_create(&config, &context, NULL) != BERTH_OK) abort();
  return context;
}

TEST(eager, a_call_that_is_ended_gives_nothing) {
  int polls = 0;
  berth_context_t *context = context_that_ends(&polls);
  berth_error_t err = BERTH_ERROR_INIT;
  // As long as it takes: a short call is over before anybody is asked.
  for (int64_t size = 1000; polls == 0 && size < 5000; size *= 2) {
    berth_tensor_t *square = NULL, *product = NULL;
    ASSERT_OK(berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(size, size), &square,
                                  &err),
              &err);
    memset(berth_tensor_data(square), 0, (size_t)(size * size) * sizeof(float));
    berth_tensor_t *inputs[] = {square, square};
    int count = 1;
    berth_code_t code = berth_eager_call(context, "MatMul", NULL, inputs, 2,
                                         &product, &count, &err);
    if (polls > 0) {
      EXPECT_FAILS(code, BERTH_CANCELLED, &err,
                   "{{function_node __wrapped__MatMul_device_" HERE
                   "}} The call of MatMul was ended");
      EXPECT_TRUE(product == NULL);
    } else {
      EXPECT_EQ(code, BERTH_OK);
    }
    berth_tensor_release(product);
    berth_tensor_release(square);
  }
  EXPECT_TRUE(polls > 0);
  float value = 0;
  EXPECT_EQ(call_one(context, "Neg", NULL, &value, &err), BERTH_OK);
  EXPECT_TRUE(value == -1.5f);
  berth_context_destroy(context);
}

TEST(eager, an_update_is_done_to_its_end) {
  enum { MANY = 48 << 20 };
  int polls = 0;
  berth_context_t *context = context_that_ends(&polls);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_op_t *op = berth_op_begin(NULL, "VarHandleOp", NULL);
  berth_op_attr_type(op, "dtype", BERTH_HALF);
  berth_op_attr_shape(op, "shape", BERTH_SHAPE(MANY));
  berth_tensor_t *handle = NULL, *value = NULL;
  int count = 1;
  ASSERT_OK(
      berth_eager_call_op(context, op, NULL, NULL, 0, &handle, &count, &err),
      &err);
  berth_op_abandon(op);
  ASSERT_OK(berth_tensor_create(BERTH_HALF, BERTH_SHAPE(MANY), &value, &err),
            &err);
  uint16_t *elements = berth_tensor_data(value);
  for (int i = 0; i < MANY; ++i) elements[i] = 0x3C00;  // 1.
  berth_tensor_t *inputs[] = {handle, value};
  static const char *const ops[] = {"AssignVariableOp", "AssignAddVariableOp",
                                    "AssignSubVariableOp"};
  static const uint16_t expected[] = {0x3C00, 0x4000, 0x3C00};
  for (int i = 0; i < 3; ++i) {
    count = 0;
    ASSERT_OK(
        berth_eager_call(context, ops[i], NULL, inputs, 2, NULL, &count, &err),
        &err);
    op = berth_op_begin(NULL, "ReadVariableOp", NULL);
    berth_op_attr_type(op, "dtype", BERTH_HALF);
    berth_tensor_t *read = NULL;
    count = 1;
    ASSERT_OK(
        berth_eager_call_op(context, op, NULL, &handle, 1, &read, &count, &err),
        &err);
    berth_op_abandon(op);
    int64_t odd = 0;
    elements = berth_tensor_data(read);
    for (int k = 0; k < MANY; ++k) odd += elements[k] != expected[i];
    EXPECT_EQ(odd, 0);
    berth_tensor_release(read);
  }
  berth_tensor_release(value);
  berth_tensor_release(handle);
  berth_context_destroy(context);
}

// ---- Where calls with handles run ----

static berth_context_t *context_of_two(void) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.cpu_count = 2;
  berth_context_t *context = NULL;
  if (berth_context_create(&config, &context, NULL) != BERTH_OK) abort();
  return context;
}

TEST(eager, a_handle_tells_where_its_variable_is) {
  berth_context_t *context = context_of_two();
  berth_error_t err = BERTH_ERROR_INIT;
  berth_op_t *op = berth_op_begin(NULL, "VarHandleOp", NULL);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_attr_shape(op, "shape", BERTH_SCALAR);
  berth_tensor_t *handle = NULL, *same = NULL, *value = scalar(3);
  int count = 1;
  ASSERT_OK(berth_eager_call_op(context, op, "/cpu:1", NULL, 0, &handle, &count,
                                &err),
            &err);
  berth_op_abandon(op);
  EXPECT_STR(berth_context_handle_device(context, handle),
             "/job:localhost/replica:0/task:0/device:CPU:1");
  ASSERT_OK(berth_eager_call(context, "Identity", "/cpu:0", &handle, 1, &same,
                             &count, &err),
            &err);
  EXPECT_STR(berth_context_handle_device(context, same),
             "/job:localhost/replica:0/task:0/device:CPU:1");
  EXPECT_TRUE(berth_context_handle_device(context, value) == NULL);
  // The device of a call that fails is that of the variable.
  berth_tensor_t *inputs[] = {same, value};
  EXPECT_FAILS(
      berth_eager_call(context, "AssignAddVariableOp", "/cpu:0", inputs, 2,
                       NULL, &(int){0}, &err),
      BERTH_NOT_FOUND, &err,
      "{{function_node __wrapped__AssignAddVariableOp_device_/job:localhost/"
      "replica:0/task:0/device:CPU:1}} Container localhost does not exist. "
      "(Could not find resource: localhost/)");
  berth_tensor_release(same);
  berth_tensor_release(handle);
  berth_tensor_release(value);
  berth_context_destroy(context);
}

// Calls |op| with |count| times |input|, and returns the first element of what
// it gives.
static float call_on(berth_context_t *context, const char *op,
                     berth_tensor_t *input, int count) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *inputs[] = {input, input}, *output = NULL;
  int outputs = 1;
  if (berth_eager_call(context, op, NULL, inputs, count, &output, &outputs,
                       &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  float value = *(const float *)berth_tensor_data(output);
  berth_tensor_release(output);
  return value;
}

// Ops that compute take denormal numbers for zero, as TensorFlow's do; those
// that hand elements on leave them, and all of them the caller's arithmetic.
TEST(eager, denormal_numbers_are_zero_where_ops_compute) {
  berth_context_t *context = context_open();
  berth_error_t err = BERTH_ERROR_INIT;
  volatile float tiny = 1e-40f;
  float value = tiny;
  berth_tensor_t *input = NULL;
  ASSERT_OK(
      berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &value, &input, &err),
      &err);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(call_on(context, "AddV2", input, 2) == 0);
    EXPECT_TRUE(tiny + tiny > tiny);
    EXPECT_TRUE(call_on(context, "Identity", input, 1) == value);
    EXPECT_TRUE(call_on(context, "Squeeze", input, 1) == value);
    EXPECT_TRUE(tiny + tiny > tiny);
  }
  berth_tensor_release(input);
  berth_context_destroy(context);
}
