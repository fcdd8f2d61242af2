// queue_shuffle_test.c - Shuffled queues, in the order of TensorFlow 2.21.
#include "harness.h"
#include "state/queue.h"

static const berth_dtype_t types[] = {BERTH_INT32};
static const berth_dims_t shapes[] = {{0, NULL}};

static berth_queue_options_t shuffled(int64_t capacity, int64_t spared) {
  return (berth_queue_options_t){.capacity = capacity,
                                 .component_count = 1,
                                 .types = types,
                                 .shape_count = 1,
                                 .shapes = shapes,
                                 .is_shared = true,
                                 .is_shuffled = true,
                                 .spared = spared,
                                 .seed = 87654321,
                                 .seed2 = 3};
}

static berth_queue_t *get(berth_container_t *container,
                          berth_queue_options_t options) {
  berth_queue_t *queue = NULL;
  EXPECT_EQ(berth_queue_get(container, "", "q", &options, &queue, NULL),
            BERTH_OK);
  return queue;
}

static void no_call(berth_queue_waiter_t *waiter, berth_code_t code,
                    const char *text, berth_tensor_t **outputs) {
  (void)code;
  (void)text;
  *(bool *)waiter->arg = true;
  if (outputs != NULL) berth_tensor_release(outputs[0]);
}

// Puts 0, 1, … |count| - 1 in.
static void fill(berth_queue_t *queue, int32_t count) {
  berth_tensor_t *batch = NULL;
  EXPECT_EQ(berth_tensor_create(BERTH_INT32, BERTH_SHAPE(count), &batch, NULL),
            BERTH_OK);
  for (int32_t i = 0; i < count; ++i) ((int32_t *)batch->data)[i] = i;
  berth_queue_waiter_t waiter = {.done = no_call};
  bool is_parked = false;
  EXPECT_EQ(
      berth_queue_enqueue_many(queue, &batch, 1, &waiter, &is_parked, NULL),
      BERTH_OK);
  EXPECT_FALSE(is_parked);
  berth_tensor_release(batch);
}

static int32_t take(berth_queue_t *queue) {
  berth_queue_waiter_t waiter = {.done = no_call};
  berth_tensor_t *output = NULL;
  bool is_parked = false;
  EXPECT_EQ(berth_queue_dequeue(queue, &waiter, &output, &is_parked, NULL),
            BERTH_OK);
  EXPECT_FALSE(is_parked);
  int32_t value = *(const int32_t *)output->data;
  berth_tensor_release(output);
  return value;
}

static void close_queue(berth_queue_t *queue) {
  berth_queue_waiter_t waiter = {.done = no_call};
  bool is_parked = false;
  EXPECT_EQ(berth_queue_close(queue, false, &waiter, &is_parked, NULL),
            BERTH_OK);
}

TEST(queue_shuffle, two_seeds_give_one_order) {
  static const int32_t expected[] = {7, 1, 4, 5};
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, NULL), NULL);
  berth_queue_t *queue = get(container, shuffled(20, 2));
  fill(queue, 10);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(take(queue), expected[i]);
  EXPECT_EQ(berth_queue_size(queue), 6);
  berth_resource_release((berth_resource_t *)queue);
  berth_container_destroy(container);
}

TEST(queue_shuffle, some_stay_until_it_is_closed) {
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, NULL), NULL);
  berth_queue_t *queue = get(container, shuffled(20, 2));
  fill(queue, 3);
  (void)take(queue);
  bool is_told = false, is_parked = false;
  berth_queue_waiter_t waiter = {.done = no_call, .arg = &is_told};
  berth_tensor_t *output = NULL;
  EXPECT_EQ(berth_queue_dequeue(queue, &waiter, &output, &is_parked, NULL),
            BERTH_OK);
  EXPECT_TRUE(is_parked && !is_told);
  close_queue(queue);
  EXPECT_TRUE(is_told);
  EXPECT_EQ(berth_queue_size(queue), 1);
  (void)take(queue);
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_EQ(berth_queue_dequeue(queue, &waiter, &output, &is_parked, &err),
            BERTH_OUT_OF_RANGE);
  EXPECT_STR(berth_error_message(&err),
             "RandomShuffleQueue 'q' is closed and has insufficient elements "
             "(requested 1, current size 0)");
  berth_error_clear(&err);
  berth_resource_release((berth_resource_t *)queue);
  berth_container_destroy(container);
}

static void expect_refused(berth_container_t *container,
                           berth_queue_options_t options, const char *text) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_queue_t *queue = NULL;
  EXPECT_EQ(berth_queue_get(container, "", "q", &options, &queue, &err),
            BERTH_INVALID_ARGUMENT);
  EXPECT_STR(berth_error_message(&err), text);
  berth_error_clear(&err);
}

TEST(queue_shuffle, options_must_make_sense_and_agree) {
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, NULL), NULL);
  expect_refused(container, shuffled(5, -1),
                 "min_after_dequeue -1 must be >= 0");
  expect_refused(container, shuffled(5, 5),
                 "min_after_dequeue 5 must be < capacity 5");
  berth_queue_t *queue = get(container, shuffled(5, 1));
  expect_refused(container, shuffled(5, 2),
                 "Shared queue 'q' has min_after_dequeue 1 but requested "
                 "min_after_dequeue was 2.");
  berth_queue_options_t other = shuffled(5, 1);
  other.seed2 = 4;
  expect_refused(container, other,
                 "Shared queue 'q' has random seeds (87654321, 3) but "
                 "requested seeds are (87654321, 4).");
  other.seed = other.seed2 = 0;
  berth_resource_release((berth_resource_t *)get(container, other));
  other.is_shuffled = false;
  other.spared = 0;
  expect_refused(container, other,
                 "Shared queue 'q' has type 'RandomShuffleQueue' that does not "
                 "match the one requested");
  berth_resource_release((berth_resource_t *)queue);
  berth_container_destroy(container);
}
