// queue_kinds_test.c - Queues that pad what they join, and queues that go by
// priority.
#include "harness.h"
#include "state/queue.h"

static void no_call(berth_queue_waiter_t *waiter, berth_code_t code,
                    const char *text, berth_tensor_t **outputs) {
  (void)waiter;
  (void)code;
  (void)text;
  (void)outputs;
}

static berth_queue_t *get(berth_container_t *container,
                          berth_queue_options_t options) {
  berth_queue_t *queue = NULL;
  options.capacity = 10;
  options.is_shared = true;
  EXPECT_EQ(berth_queue_get(container, "", "q", &options, &queue, NULL),
            BERTH_OK);
  return queue;
}

static berth_code_t put(berth_queue_t *queue, berth_tensor_t **tensors,
                        int count, berth_error_t *err) {
  berth_queue_waiter_t waiter = {.done = no_call};
  bool is_parked = false;
  berth_code_t code =
      berth_queue_enqueue(queue, tensors, count, &waiter, &is_parked, err);
  EXPECT_FALSE(is_parked);
  for (int i = 0; i < count; ++i) berth_tensor_release(tensors[i]);
  return code;
}

// Makes a matrix of |rows| and |columns|, all |value|.
static berth_tensor_t *matrix(int64_t rows, int64_t columns, int32_t value) {
  berth_tensor_t *made = NULL;
  EXPECT_EQ(
      berth_tensor_create(BERTH_INT32, BERTH_SHAPE(rows, columns), &made, NULL),
      BERTH_OK);
  for (int64_t i = 0; i < made->count; ++i) ((int32_t *)made->data)[i] = value;
  return made;
}

TEST(queue_kinds, batches_have_zeros_where_an_element_ends) {
  static const berth_dtype_t types[] = {BERTH_INT32};
  static const int64_t any[] = {-1, -1};
  static const berth_dims_t shapes[] = {{2, any}};
  static const int32_t expected[] = {1, 1, 1, 0, 0, 0, 2, 0, 0, 2, 0, 0};
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, NULL), NULL);
  berth_queue_t *queue =
      get(container, (berth_queue_options_t){.component_count = 1,
                                             .types = types,
                                             .shape_count = 1,
                                             .shapes = shapes,
                                             .is_padded = true});
  berth_tensor_t *one = matrix(1, 3, 1), *two = matrix(2, 1, 2);
  EXPECT_EQ(put(queue, &one, 1, NULL), BERTH_OK);
  EXPECT_EQ(put(queue, &two, 1, NULL), BERTH_OK);
  berth_queue_waiter_t waiter = {.done = no_call};
  berth_tensor_t *batch = NULL;
  bool is_parked = false;
  EXPECT_EQ(berth_queue_dequeue_many(queue, 2, false, &waiter, &batch,
                                     &is_parked, NULL),
            BERTH_OK);
  ASSERT_TRUE(batch != NULL);
  EXPECT_EQ(batch->rank, 3);
  EXPECT_EQ(batch->dims[1], 2);
  EXPECT_EQ(batch->dims[2], 3);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(((const int32_t *)batch->data)[i], expected[i]);
  }
  berth_tensor_release(batch);
  berth_tensor_t *flat = NULL;
  ASSERT_OK(berth_tensor_create(BERTH_INT32, BERTH_SHAPE(4), &flat, NULL),
            NULL);
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_EQ(put(queue, &flat, 1, &err), BERTH_INVALID_ARGUMENT);
  EXPECT_STR(berth_error_message(&err),
             "Shape mismatch in tuple component 0. Expected [?,?], got [4]");
  berth_error_clear(&err);
  berth_resource_release((berth_resource_t *)queue);
  berth_container_destroy(container);
}

// Puts |value| in with a priority.
static void put_at(berth_queue_t *queue, int64_t priority, int32_t value) {
  berth_tensor_t *tensors[2] = {NULL, NULL};
  EXPECT_EQ(berth_tensor_create(BERTH_INT64, (berth_dims_t){0, NULL},
                                &tensors[0], NULL),
            BERTH_OK);
  EXPECT_EQ(berth_tensor_create(BERTH_INT32, (berth_dims_t){0, NULL},
                                &tensors[1], NULL),
            BERTH_OK);
  *(int64_t *)tensors[0]->data = priority;
  *(int32_t *)tensors[1]->data = value;
  EXPECT_EQ(put(queue, tensors, 2, NULL), BERTH_OK);
}

TEST(queue_kinds, the_smallest_priority_comes_first) {
  static const berth_dtype_t types[] = {BERTH_INT64, BERTH_INT32};
  static const berth_dims_t shapes[] = {{0, NULL}, {0, NULL}};
  static const int32_t expected[] = {5, 2, 3, 1, 4};
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, NULL), NULL);
  berth_queue_t *queue =
      get(container, (berth_queue_options_t){.component_count = 2,
                                             .types = types,
                                             .shape_count = 2,
                                             .shapes = shapes,
                                             .is_ordered = true});
  put_at(queue, 7, 1);
  put_at(queue, 0, 2);
  put_at(queue, 0, 3);
  put_at(queue, 9, 4);
  put_at(queue, -3, 5);
  for (int i = 0; i < 5; ++i) {
    berth_queue_waiter_t waiter = {.done = no_call};
    berth_tensor_t *outputs[2] = {NULL, NULL};
    bool is_parked = false;
    EXPECT_EQ(berth_queue_dequeue(queue, &waiter, outputs, &is_parked, NULL),
              BERTH_OK);
    EXPECT_EQ(*(const int32_t *)outputs[1]->data, expected[i]);
    berth_tensor_release(outputs[0]);
    berth_tensor_release(outputs[1]);
  }
  berth_resource_release((berth_resource_t *)queue);
  berth_container_destroy(container);
}
