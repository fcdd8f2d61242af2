// queue_test.c - Kernels on queues: at once, parked, cancelled.
#include "cpu/kernels.h"
#include "harness.h"

#include "cpu/kernel_driver.h"
#include "state/container.h"

// A queue "q" of one float vector of two, with room for two.
typedef struct fixture {
  berth_container_t *container;
  berth_tensor_t *handle;
} fixture_t;

static const berth_dtype_t float_type[] = {BERTH_FLOAT};
static const int64_t two[] = {2};
static const berth_dims_t vector_shape[] = {{1, two}};

static bool fixture_init(fixture_t *fixture) {
  if (berth_container_create(&fixture->container, NULL) != BERTH_OK) {
    return false;
  }
  driver_t driver = {
      .op = "FIFOQueueV2", .name = "q", .container = fixture->container};
  berth_attr_value_t *types =
      driver_attr(&driver, "component_types",
                  (berth_attr_kind_t)(BERTH_ATTR_LIST + BERTH_ATTR_TYPE));
  types->count = 1;
  types->type_list = float_type;
  berth_attr_value_t *shapes =
      driver_attr(&driver, "shapes",
                  (berth_attr_kind_t)(BERTH_ATTR_LIST + BERTH_ATTR_SHAPE));
  shapes->count = 1;
  shapes->shape_list = vector_shape;
  driver_int(&driver, "capacity", 2);
  driver_output(&driver, BERTH_RESOURCE);
  bool made = driver_call(&driver, NULL) == BERTH_OK;
  if (made) fixture->handle = berth_tensor_retain(driver.outputs[0]);
  driver_deinit(&driver);
  return made;
}

static void fixture_deinit(fixture_t *fixture) {
  berth_tensor_release(fixture->handle);
  berth_container_destroy(fixture->container);
}

// A completion that remembers how it ended.
typedef struct ending {
  berth_completion_t completion;
  int calls;
  berth_code_t code;
  char text[256];
  berth_tensor_t *output;
} ending_t;

static void ending_done(berth_completion_t *completion, berth_code_t code,
                        const char *text, berth_tensor_t **outputs) {
  ending_t *ending = (ending_t *)completion;
  ++ending->calls;
  ending->code = code;
  snprintf(ending->text, sizeof(ending->text), "%s", text != NULL ? text : "");
  ending->output = outputs != NULL ? outputs[0] : NULL;
}

// Calls |op| on the queue; |input| (may be NULL) is taken over.
static berth_code_t call(driver_t *driver, const char *op,
                         const fixture_t *fixture, berth_tensor_t *input,
                         bool has_output, ending_t *ending,
                         berth_error_t *err) {
  driver_deinit(driver);
  *ending = (ending_t){.completion.done = ending_done};
  driver->op = op;
  driver->completion = &ending->completion;
  driver_input(driver, berth_tensor_retain(fixture->handle));
  if (input != NULL) driver_input(driver, input);
  const char *attr = has_output ? "component_types" : "Tcomponents";
  berth_attr_value_t *types = driver_attr(
      driver, attr, (berth_attr_kind_t)(BERTH_ATTR_LIST + BERTH_ATTR_TYPE));
  types->count = 1;
  types->type_list = input != NULL && !has_output ? &input->dtype : float_type;
  if (has_output) driver_output(driver, BERTH_FLOAT);
  return driver_call(driver, err);
}

#define TWO(a, b) driver_floats(BERTH_SHAPE(2), a, b)

TEST(queue, in_and_out) {
  fixture_t fixture = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = {0};
  ending_t ending;
  ASSERT_TRUE(fixture_init(&fixture));
  ASSERT_OK(call(&driver, "QueueEnqueueV2", &fixture, TWO(1, 2), false, &ending,
                 &err),
            &err);
  ASSERT_OK(call(&driver, "QueueEnqueueV2", &fixture, TWO(3, 4), false, &ending,
                 &err),
            &err);
  ASSERT_OK(
      call(&driver, "QueueDequeueV2", &fixture, NULL, true, &ending, &err),
      &err);
  EXPECT_STR(driver_show(&driver, 0), "[2] 1 2");
  EXPECT_EQ(ending.calls, 0);
  ASSERT_OK(call(&driver, "QueueDequeueManyV2", &fixture,
                 driver_ints(BERTH_SCALAR, 1), true, &ending, &err),
            &err);
  EXPECT_STR(driver_show(&driver, 0), "[1,2] 3 4");
  driver_deinit(&driver);
  fixture_deinit(&fixture);
}

TEST(queue, dequeue_waits_for_an_element) {
  fixture_t fixture = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t waiting = {0}, driver = {0};
  ending_t parked, ending;
  ASSERT_TRUE(fixture_init(&fixture));
  EXPECT_EQ(
      call(&waiting, "QueueDequeueV2", &fixture, NULL, true, &parked, &err),
      BERTH_PENDING);
  EXPECT_EQ(parked.calls, 0);
  ASSERT_OK(call(&driver, "QueueEnqueueV2", &fixture, TWO(5, 6), false, &ending,
                 &err),
            &err);
  EXPECT_EQ(parked.calls, 1);
  EXPECT_EQ(parked.code, BERTH_OK);
  ASSERT_TRUE(parked.output != NULL);
  EXPECT_NEAR(((float *)parked.output->data)[1], 6, 0);
  berth_tensor_release(parked.output);
  driver_deinit(&waiting);
  driver_deinit(&driver);
  fixture_deinit(&fixture);
}

TEST(queue, cancelled_while_it_waits) {
  fixture_t fixture = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = {0};
  ending_t parked;
  ASSERT_TRUE(fixture_init(&fixture));
  EXPECT_EQ(
      call(&driver, "QueueDequeueV2", &fixture, NULL, true, &parked, &err),
      BERTH_PENDING);
  parked.completion.cancel(&parked.completion);
  EXPECT_EQ(parked.calls, 1);
  EXPECT_EQ(parked.code, BERTH_CANCELLED);
  EXPECT_STR(parked.text, "Dequeue operation was cancelled");
  driver_deinit(&driver);
  fixture_deinit(&fixture);
}

TEST(queue, closing) {
  fixture_t fixture = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = {0}, waiting = {0};
  ending_t ending, parked;
  ASSERT_TRUE(fixture_init(&fixture));
  EXPECT_EQ(call(&waiting, "QueueDequeueManyV2", &fixture,
                 driver_ints(BERTH_SCALAR, 2), true, &parked, &err),
            BERTH_PENDING);
  driver.op = "QueueCloseV2";
  ending = (ending_t){.completion.done = ending_done};
  driver.completion = &ending.completion;
  driver_input(&driver, berth_tensor_retain(fixture.handle));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(parked.calls, 1);
  EXPECT_EQ(parked.code, BERTH_OUT_OF_RANGE);
  EXPECT_STR(parked.text,
             "FIFOQueue '_0_q' is closed and has insufficient elements "
             "(requested 2, current size 0)");
  EXPECT_FAILS(call(&driver, "QueueEnqueueV2", &fixture, TWO(1, 2), false,
                    &ending, &err),
               BERTH_CANCELLED, &err, "FIFOQueue '_0_q' is closed.");
  driver_deinit(&driver);
  driver_deinit(&waiting);
  fixture_deinit(&fixture);
}

TEST(queue, errors) {
  fixture_t fixture = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = {0};
  ending_t ending;
  ASSERT_TRUE(fixture_init(&fixture));
  EXPECT_FAILS(call(&driver, "QueueEnqueueV2", &fixture,
                    driver_ints(BERTH_SCALAR, 1), false, &ending, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Signature mismatch, have: resource, int32-> expected: "
               "resource, float->");
  EXPECT_FAILS(call(&driver, "QueueEnqueueV2", &fixture,
                    driver_floats(BERTH_SCALAR, 1), false, &ending, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Shape mismatch in tuple component 0. Expected [2], got []");
  EXPECT_FAILS(call(&driver, "QueueDequeueUpToV2", &fixture,
                    driver_ints(BERTH_SCALAR, -1), true, &ending, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "DequeueUpToOp requested -1 < 0 elements");
  driver.output_types[0] = BERTH_INT32;
  *(int32_t *)driver.inputs[1]->data = 1;
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "Signature mismatch, have: resource, int32->int32 expected: "
               "resource, int32->float");
  driver_deinit(&driver);
  fixture_deinit(&fixture);
}
