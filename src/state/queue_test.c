// queue_test.c - Queues, against the behaviour and texts of TensorFlow 2.21.
#include "state/queue.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "base/thread.h"
#include "harness.h"

// ---- A queue of scalars, and operations that remember their end ----

static berth_container_t *container = NULL;

static berth_queue_t *make(int64_t capacity) {
  static const berth_dtype_t types[] = {BERTH_INT32};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_queue_t *queue = NULL;
  berth_queue_options_t options = {capacity, 1, types, 1, &BERTH_SCALAR, false};
  if (container == NULL) {
    EXPECT_EQ(berth_container_create(&container, &err), BERTH_OK);
  }
  EXPECT_EQ(berth_queue_get(container, "", "q", &options, &queue, &err),
            BERTH_OK);
  return queue;
}

static void drop(berth_queue_t *queue) {
  berth_resource_release((berth_resource_t *)queue);
  berth_container_destroy(container);
  container = NULL;
}

static berth_tensor_t *scalar(int32_t value) {
  berth_tensor_t *tensor = NULL;
  EXPECT_EQ(
      berth_tensor_copy_from(BERTH_INT32, BERTH_SCALAR, &value, &tensor, NULL),
      BERTH_OK);
  return tensor;
}

typedef struct operation {
  berth_queue_waiter_t waiter;  // First.
  bool is_parked;
  bool is_done;
  berth_code_t code;
  char text[160];
  berth_tensor_t *output;
} operation_t;

static void note(operation_t *operation, berth_code_t code, const char *text,
                 berth_tensor_t *output) {
  EXPECT_FALSE(operation->is_done);
  operation->is_done = true;
  operation->code = code;
  operation->output = output;
  snprintf(operation->text, sizeof(operation->text), "%s", text);
}

static void note_done(berth_queue_waiter_t *waiter, berth_code_t code,
                      const char *text, berth_tensor_t **outputs) {
  note((operation_t *)waiter, code, text, outputs != NULL ? outputs[0] : NULL);
}

// Ends the start of an operation: remembers its result unless it is parked.
static void started(operation_t *operation, berth_code_t code,
                    berth_error_t *err, berth_tensor_t *output) {
  if (!operation->is_parked) {
    note(operation, code, berth_error_message(err), output);
  }
  berth_error_clear(err);
}

static void enqueue(berth_queue_t *queue, operation_t *operation,
                    int32_t value) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = scalar(value);
  *operation = (operation_t){.waiter.done = note_done};
  berth_code_t code = berth_queue_enqueue(queue, &tensor, 1, &operation->waiter,
                                          &operation->is_parked, &err);
  berth_tensor_release(tensor);
  started(operation, code, &err, NULL);
}

// Puts in |first|, |first| + 1, ….
static void enqueue_many(berth_queue_t *queue, operation_t *operation,
                         int32_t first, int32_t count) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *batch = NULL;
  EXPECT_EQ(berth_tensor_create(BERTH_INT32, BERTH_SHAPE(count), &batch, NULL),
            BERTH_OK);
  for (int32_t i = 0; i < count; ++i) {
    ((int32_t *)batch->data)[i] = first + i;
  }
  *operation = (operation_t){.waiter.done = note_done};
  berth_code_t code = berth_queue_enqueue_many(
      queue, &batch, 1, &operation->waiter, &operation->is_parked, &err);
  berth_tensor_release(batch);
  started(operation, code, &err, NULL);
}

static void dequeue(berth_queue_t *queue, operation_t *operation) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *output = NULL;
  *operation = (operation_t){.waiter.done = note_done};
  berth_code_t code = berth_queue_dequeue(queue, &operation->waiter, &output,
                                          &operation->is_parked, &err);
  started(operation, code, &err, output);
}

static void peek(berth_queue_t *queue, operation_t *operation, int64_t index) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *output = NULL;
  *operation = (operation_t){.waiter.done = note_done};
  berth_code_t code =
      berth_queue_peek(queue, index, &operation->waiter, &output,
                       &operation->is_parked, &err);
  started(operation, code, &err, output);
}

static void dequeue_many(berth_queue_t *queue, operation_t *operation,
                         int64_t count, bool or_fewer) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *output = NULL;
  *operation = (operation_t){.waiter.done = note_done};
  berth_code_t code =
      berth_queue_dequeue_many(queue, count, or_fewer, &operation->waiter,
                               &output, &operation->is_parked, &err);
  started(operation, code, &err, output);
}

static void close_queue(berth_queue_t *queue, operation_t *operation,
                        bool cancel_pending) {
  berth_error_t err = BERTH_ERROR_INIT;
  *operation = (operation_t){.waiter.done = note_done};
  berth_code_t code = berth_queue_close(
      queue, cancel_pending, &operation->waiter, &operation->is_parked, &err);
  started(operation, code, &err, NULL);
}

// Expects a finished operation to have succeeded with an output that prints as
// |text| (NULL: none).
static void expect_ok(operation_t *operation, const char *text) {
  EXPECT_TRUE(operation->is_done);
  EXPECT_EQ(operation->code, BERTH_OK);
  EXPECT_STR(operation->text, "");
  EXPECT_EQ(operation->output != NULL, text != NULL);
  if (operation->output == NULL) return;
  char *got = NULL;
  EXPECT_EQ(berth_tensor_format(operation->output, &got, NULL), BERTH_OK);
  EXPECT_STR(got, text);
  berth_text_free(got);
  berth_tensor_release(operation->output);
}

static void expect_failed(const operation_t *operation, berth_code_t code,
                          const char *text) {
  EXPECT_TRUE(operation->is_done);
  EXPECT_EQ(operation->code, code);
  EXPECT_STR(operation->text, text);
  EXPECT_TRUE(operation->output == NULL);
}

static void expect_parked(const operation_t *operation) {
  EXPECT_TRUE(operation->is_parked);
  EXPECT_FALSE(operation->is_done);
}

#define INSUFFICIENT(requested, size)                         \
  "FIFOQueue '_0_q' is closed and has insufficient elements " \
  "(requested " #requested ", current size " #size ")"

// ---- Tests ----

TEST(queue, first_in_first_out) {
  berth_queue_t *queue = make(10);
  operation_t in[3], out[3];
  for (int i = 0; i < 3; ++i) {
    enqueue(queue, &in[i], i);
    EXPECT_FALSE(in[i].is_parked);
    expect_ok(&in[i], NULL);
  }
  EXPECT_EQ(berth_queue_size(queue), 3);
  dequeue(queue, &out[0]);
  expect_ok(&out[0], "0");
  dequeue_many(queue, &out[1], 2, false);
  expect_ok(&out[1], "[1 2]");
  dequeue_many(queue, &out[2], 0, false);
  expect_ok(&out[2], "[]");
  EXPECT_EQ(berth_queue_size(queue), 0);
  drop(queue);
}

TEST(queue, a_full_queue_parks_in_order) {
  berth_queue_t *queue = make(2);
  operation_t fill, in[2], out[4];
  enqueue_many(queue, &fill, 1, 2);
  expect_ok(&fill, NULL);
  enqueue(queue, &in[0], 3);
  enqueue(queue, &in[1], 4);
  expect_parked(&in[0]);
  expect_parked(&in[1]);
  dequeue(queue, &out[0]);
  expect_ok(&out[0], "1");
  expect_ok(&in[0], NULL);
  expect_parked(&in[1]);
  dequeue(queue, &out[1]);
  expect_ok(&in[1], NULL);
  dequeue(queue, &out[2]);
  dequeue(queue, &out[3]);
  expect_ok(&out[1], "2");
  expect_ok(&out[2], "3");
  expect_ok(&out[3], "4");
  drop(queue);
}

TEST(queue, many_may_be_more_than_fit) {
  berth_queue_t *queue = make(2);
  operation_t in, out;
  enqueue_many(queue, &in, 0, 5);
  expect_parked(&in);
  EXPECT_EQ(berth_queue_size(queue), 2);
  dequeue_many(queue, &out, 5, false);
  expect_ok(&in, NULL);
  expect_ok(&out, "[0 1 2 3 4]");
  drop(queue);
}

TEST(queue, a_waiting_dequeue_takes_what_comes) {
  berth_queue_t *queue = make(10);
  operation_t many, one, in;
  dequeue_many(queue, &many, 2, false);
  dequeue(queue, &one);
  enqueue(queue, &in, 1);
  EXPECT_EQ(berth_queue_size(queue), 0);
  expect_parked(&many);
  expect_parked(&one);
  enqueue(queue, &in, 2);
  expect_ok(&many, "[1 2]");
  expect_parked(&one);
  enqueue(queue, &in, 3);
  expect_ok(&one, "3");
  drop(queue);
}

TEST(queue, a_closed_queue_gives_what_it_has) {
  berth_queue_t *queue = make(10);
  operation_t operation;
  enqueue_many(queue, &operation, 1, 1);
  EXPECT_FALSE(berth_queue_is_closed(queue));
  close_queue(queue, &operation, false);
  expect_ok(&operation, NULL);
  EXPECT_TRUE(berth_queue_is_closed(queue));
  enqueue(queue, &operation, 1);
  expect_failed(&operation, BERTH_CANCELLED, "FIFOQueue '_0_q' is closed.");
  enqueue_many(queue, &operation, 1, 2);
  expect_failed(&operation, BERTH_CANCELLED, "FIFOQueue '_0_q' is closed.");
  close_queue(queue, &operation, false);
  expect_failed(&operation, BERTH_CANCELLED, "Queue '_0_q' is already closed.");
  close_queue(queue, &operation, true);
  expect_ok(&operation, NULL);
  dequeue_many(queue, &operation, 2, false);
  expect_failed(&operation, BERTH_OUT_OF_RANGE, INSUFFICIENT(2, 1));
  dequeue(queue, &operation);
  expect_ok(&operation, "1");
  dequeue(queue, &operation);
  expect_failed(&operation, BERTH_OUT_OF_RANGE, INSUFFICIENT(1, 0));
  dequeue_many(queue, &operation, 0, false);
  expect_ok(&operation, "[]");
  dequeue_many(queue, &operation, 2, true);
  expect_failed(&operation, BERTH_OUT_OF_RANGE, INSUFFICIENT(2, 0));
  drop(queue);
}

TEST(queue, closing_ends_waiting_dequeues) {
  berth_queue_t *queue = make(10);
  operation_t in, many, one, close;
  enqueue(queue, &in, 7);
  dequeue_many(queue, &many, 3, false);
  dequeue(queue, &one);
  EXPECT_EQ(berth_queue_size(queue), 0);
  close_queue(queue, &close, false);
  // What the first had taken is put back, and serves the second.
  expect_failed(&many, BERTH_OUT_OF_RANGE, INSUFFICIENT(2, 0));
  expect_ok(&one, "7");
  drop(queue);
}

TEST(queue, up_to_waits_for_all_and_settles_when_closed) {
  berth_queue_t *queue = make(10);
  operation_t in, out, close;
  dequeue_many(queue, &out, 3, true);
  enqueue(queue, &in, 9);
  expect_parked(&out);
  close_queue(queue, &close, false);
  expect_ok(&out, "[9]");
  drop(queue);
}

TEST(queue, closing_waits_for_enqueues_before_it) {
  berth_queue_t *queue = make(2);
  operation_t fill, in, close, late, again, out[4];
  enqueue_many(queue, &fill, 1, 2);
  enqueue(queue, &in, 9);
  close_queue(queue, &close, false);
  enqueue(queue, &late, 10);
  close_queue(queue, &again, false);
  expect_parked(&close);
  expect_parked(&late);
  expect_parked(&again);
  EXPECT_FALSE(berth_queue_is_closed(queue));
  dequeue(queue, &out[0]);
  expect_ok(&in, NULL);
  expect_ok(&close, NULL);
  expect_failed(&late, BERTH_CANCELLED, "FIFOQueue '_0_q' is closed.");
  expect_failed(&again, BERTH_CANCELLED, "Queue '_0_q' is already closed.");
  for (int i = 1; i < 4; ++i) dequeue(queue, &out[i]);
  expect_ok(&out[0], "1");
  expect_ok(&out[1], "2");
  expect_ok(&out[2], "9");
  expect_failed(&out[3], BERTH_OUT_OF_RANGE, INSUFFICIENT(1, 0));
  drop(queue);
}

TEST(queue, closing_may_cancel_enqueues) {
  berth_queue_t *queue = make(2);
  operation_t fill, in, many, close, now;
  enqueue_many(queue, &fill, 1, 2);
  enqueue(queue, &in, 3);
  enqueue_many(queue, &many, 4, 3);
  close_queue(queue, &close, false);
  close_queue(queue, &now, true);
  expect_ok(&now, NULL);
  expect_failed(&in, BERTH_CANCELLED, "Enqueue operation was cancelled");
  expect_failed(&many, BERTH_CANCELLED, "Enqueue operation was cancelled");
  expect_failed(&close, BERTH_CANCELLED, "Enqueue operation was cancelled");
  EXPECT_EQ(berth_queue_size(queue), 2);
  drop(queue);
}

TEST(queue, a_peek_leaves_the_element_and_holds_nobody_up) {
  berth_queue_t *queue = make(3);
  operation_t in[3], far, near, gone, bad, out;
  peek(queue, &far, 1);
  expect_parked(&far);
  enqueue(queue, &in[0], 7);
  expect_parked(&far);
  peek(queue, &near, 0);
  expect_ok(&near, "7");
  dequeue(queue, &out);  // The one that waits does not come first.
  expect_ok(&out, "7");
  enqueue(queue, &in[1], 8);
  enqueue(queue, &in[2], 9);
  expect_ok(&far, "9");
  EXPECT_EQ(berth_queue_size(queue), 2);
  peek(queue, &gone, 2);
  berth_queue_cancel(&gone.waiter);
  expect_failed(&gone, BERTH_CANCELLED, "Dequeue operation was cancelled");
  peek(queue, &bad, -1);
  expect_failed(&bad, BERTH_INVALID_ARGUMENT, "There is no element -1");
  EXPECT_EQ(berth_queue_size(queue), 2);
  drop(queue);
}

TEST(queue, cancelling_lets_others_pass) {
  berth_queue_t *queue = make(2);
  operation_t in, many, one;
  enqueue(queue, &in, 1);
  dequeue_many(queue, &many, 3, false);
  dequeue(queue, &one);
  expect_parked(&one);
  berth_queue_cancel(&many.waiter);
  expect_failed(&many, BERTH_CANCELLED, "Dequeue operation was cancelled");
  expect_ok(&one, "1");
  berth_queue_cancel(&one.waiter);  // Too late, and harmless.
  operation_t first, second;
  enqueue_many(queue, &first, 1, 5);
  enqueue(queue, &second, 6);
  berth_queue_cancel(&first.waiter);
  expect_failed(&first, BERTH_CANCELLED, "Enqueue operation was cancelled");
  expect_parked(&second);
  EXPECT_EQ(berth_queue_size(queue), 2);
  berth_queue_cancel(&second.waiter);
  expect_failed(&second, BERTH_CANCELLED, "Enqueue operation was cancelled");
  drop(queue);
}

TEST(queue, a_queue_without_room_takes_nothing) {
  berth_queue_t *queue = make(0);
  operation_t in;
  enqueue(queue, &in, 1);
  expect_parked(&in);
  berth_queue_cancel(&in.waiter);
  expect_failed(&in, BERTH_CANCELLED, "Enqueue operation was cancelled");
  drop(queue);
}

TEST(queue, the_ring_grows_and_turns) {
  berth_queue_t *queue = make(-1);
  operation_t operation;
  int32_t next_in = 0, next_out = 0;
  for (int round = 0; round < 50; ++round) {
    enqueue_many(queue, &operation, next_in, 7);
    next_in += 7;
    for (int i = 0; i < 5; ++i) {
      dequeue(queue, &operation);
      ASSERT_TRUE(operation.output != NULL);
      EXPECT_EQ(*(int32_t *)operation.output->data, next_out++);
      berth_tensor_release(operation.output);
    }
  }
  EXPECT_EQ(berth_queue_size(queue), 100);
  drop(queue);
}

TEST(queue, negative_counts) {
  berth_queue_t *queue = make(1);
  operation_t operation;
  dequeue_many(queue, &operation, -1, false);
  expect_failed(&operation, BERTH_INVALID_ARGUMENT,
                "DequeueManyOp requested -1 < 0 elements");
  dequeue_many(queue, &operation, -1, true);
  expect_failed(&operation, BERTH_INVALID_ARGUMENT,
                "DequeueUpToOp requested -1 < 0 elements");
  drop(queue);
}

// ---- Tuples ----

static berth_tensor_t *filled(berth_dtype_t dtype, berth_dims_t shape) {
  berth_tensor_t *tensor = NULL;
  EXPECT_EQ(berth_tensor_create(dtype, shape, &tensor, NULL), BERTH_OK);
  if (berth_dtype_is_plain(dtype)) memset(tensor->data, 0, tensor->size);
  return tensor;
}

// Tries to put |a| and |b| (released; NULL: only one) in and expects |text|.
static void expect_refused(berth_queue_t *queue, bool is_many,
                           berth_tensor_t *a, berth_tensor_t *b,
                           const char *text) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_queue_waiter_t waiter = {.done = note_done};
  berth_tensor_t *tensors[2] = {a, b};
  bool is_parked = true;
  int count = b != NULL ? 2 : 1;
  EXPECT_FAILS(is_many ? berth_queue_enqueue_many(queue, tensors, count,
                                                  &waiter, &is_parked, &err)
                       : berth_queue_enqueue(queue, tensors, count, &waiter,
                                             &is_parked, &err),
               BERTH_INVALID_ARGUMENT, &err, text);
  EXPECT_FALSE(is_parked);
  berth_tensor_release(a);
  berth_tensor_release(b);
}

static berth_queue_t *make_pairs(bool has_shapes) {
  static const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_STRING};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_dims_t shapes[] = {BERTH_SCALAR, BERTH_SHAPE(2)};
  berth_queue_options_t options = {2,      2,   types, has_shapes ? 2 : 0,
                                   shapes, true};
  berth_queue_t *queue = NULL;
  EXPECT_EQ(berth_container_create(&container, &err), BERTH_OK);
  EXPECT_EQ(berth_queue_get(container, "", "pairs", &options, &queue, &err),
            BERTH_OK);
  return queue;
}

TEST(queue, refuses_what_does_not_fit) {
  berth_queue_t *queue = make_pairs(true);
  expect_refused(queue, false, filled(BERTH_FLOAT, BERTH_SHAPE(1)),
                 filled(BERTH_STRING, BERTH_SHAPE(2)),
                 "Shape mismatch in tuple component 0. Expected [], got [1]");
  expect_refused(queue, false, filled(BERTH_FLOAT, BERTH_SCALAR),
                 filled(BERTH_STRING, BERTH_SHAPE(3)),
                 "Shape mismatch in tuple component 1. Expected [2], got [3]");
  expect_refused(queue, false, filled(BERTH_FLOAT, BERTH_SCALAR),
                 filled(BERTH_INT32, BERTH_SHAPE(2)),
                 "Type mismatch in tuple component 1. Expected string, got "
                 "int32");
  expect_refused(queue, false, filled(BERTH_FLOAT, BERTH_SCALAR), NULL,
                 "Wrong number of components in tuple. Expected 2, got 1");
  expect_refused(queue, true, filled(BERTH_FLOAT, BERTH_SHAPE(2)),
                 filled(BERTH_STRING, BERTH_SHAPE(1, 2)),
                 "Shape mismatch in tuple component 1. Expected [2,2], got "
                 "[1,2]");
  expect_refused(queue, true, filled(BERTH_FLOAT, BERTH_SHAPE(2, 1)),
                 filled(BERTH_STRING, BERTH_SHAPE(2, 2)),
                 "Shape mismatch in tuple component 0. Expected [2], got "
                 "[2,1]");
  expect_refused(queue, true, filled(BERTH_FLOAT, BERTH_SCALAR),
                 filled(BERTH_STRING, BERTH_SHAPE(2, 2)),
                 "Shape mismatch in tuple component 0. Expected [?], got []");
  drop(queue);
}

TEST(queue, without_shapes_only_the_first_dimension_counts) {
  berth_queue_t *queue = make_pairs(false);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_queue_waiter_t waiter = {.done = note_done};
  berth_tensor_t *outputs[2] = {NULL, NULL};
  bool is_parked = false;
  expect_refused(queue, true, filled(BERTH_FLOAT, BERTH_SHAPE(2)),
                 filled(BERTH_STRING, BERTH_SHAPE(1)),
                 "All input tensors must have the same size in the 0th "
                 "dimension. Component 1 has 1, and should have 2");
  expect_refused(queue, true, filled(BERTH_FLOAT, BERTH_SHAPE(2)),
                 filled(BERTH_STRING, BERTH_SCALAR),
                 "Shape mismatch in tuple component 1. Expected [2], got []");
  EXPECT_FAILS(berth_queue_dequeue_many(queue, 1, false, &waiter, outputs,
                                        &is_parked, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "FIFOQueue's DequeueMany and DequeueUpTo require the components "
               "to have specified shapes.");
  drop(queue);
}

TEST(queue, tuples_of_strings_come_out_as_they_went_in) {
  berth_queue_t *queue = make_pairs(true);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_queue_waiter_t waiter = {.done = note_done};
  bool is_parked = false;
  berth_tensor_t *in[2] = {filled(BERTH_FLOAT, BERTH_SHAPE(2)),
                           filled(BERTH_STRING, BERTH_SHAPE(2, 2))};
  static const char *const texts[] = {
      "a", "a text that is owned by its element", "", "d"};
  for (int i = 0; i < 4; ++i) {
    ASSERT_OK(
        berth_tensor_set_string(in[1], i, texts[i], strlen(texts[i]), &err),
        &err);
  }
  ASSERT_OK(berth_queue_enqueue_many(queue, in, 2, &waiter, &is_parked, &err),
            &err);
  berth_tensor_release(in[0]);
  berth_tensor_release(in[1]);
  berth_tensor_t *out[2] = {NULL, NULL};
  ASSERT_OK(
      berth_queue_dequeue_many(queue, 2, false, &waiter, out, &is_parked, &err),
      &err);
  EXPECT_TRUE(berth_dims_equal(berth_tensor_shape(out[0]), BERTH_SHAPE(2)));
  char *text = NULL;
  ASSERT_OK(berth_tensor_format(out[1], &text, &err), &err);
  EXPECT_STR(text,
             "[[b'a' b'a text that is owned by its element']\n [b'' b'd']]");
  berth_text_free(text);
  berth_tensor_release(out[0]);
  berth_tensor_release(out[1]);
  drop(queue);
}

// ---- Finding queues ----

TEST(queue, options_must_make_sense_and_agree) {
  static const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_INT32};
  static const berth_dtype_t others[] = {BERTH_FLOAT, BERTH_INT64};
  berth_dims_t shapes[] = {BERTH_SCALAR, BERTH_SHAPE(2)};
  berth_dims_t other_shapes[] = {BERTH_SCALAR, BERTH_SHAPE(3)};
  berth_dims_t partial[] = {BERTH_SCALAR, BERTH_SHAPE(-1)};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_queue_t *queue = NULL, *same = NULL, *none = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  berth_queue_options_t options = {2, 2, types, 2, shapes, true};
  ASSERT_OK(berth_queue_get(container, "", "sh", &options, &queue, &err), &err);
  EXPECT_STR(berth_queue_name(queue), "sh");
  EXPECT_EQ(berth_queue_component_count(queue), 2);
  EXPECT_EQ(berth_queue_types(queue)[1], BERTH_INT32);
  ASSERT_OK(berth_queue_get(container, "", "sh", &options, &same, &err), &err);
  EXPECT_TRUE(same == queue);
  berth_resource_release((berth_resource_t *)same);
  static const char *const wrong[] = {
      "Shared queue 'sh' has capacity 2 but requested capacity was 3",
      "Shared queue 'sh' has component types float, int32 but requested "
      "component types were float, int64",
      "Shared queue 'sh' has component shapes [[], [2]] but requested "
      "component shapes were [[], [3]]",
      "Shared queue 'sh' has component shapes [[], [2]] but requested "
      "component shapes were []",
      "Different number of component types.  Types: float, int32, Shapes: [[]]",
      "Shape [?] is not fully defined",
  };
  berth_queue_options_t bad[] = {
      {3, 2, types, 2, shapes, true},       {2, 2, others, 2, shapes, true},
      {2, 2, types, 2, other_shapes, true}, {2, 2, types, 0, NULL, true},
      {2, 2, types, 1, shapes, true},       {2, 2, types, 2, partial, true}};
  for (int i = 0; i < 6; ++i) {
    EXPECT_FAILS(berth_queue_get(container, "", "sh", &bad[i], &none, &err),
                 BERTH_INVALID_ARGUMENT, &err, wrong[i]);
  }
  drop(queue);
}

// ---- Lack of memory ----

// Runs a little of everything with the |nth| allocation failing; returns
// whether all operations succeeded.
static bool scenario(int64_t nth) {
  berth_queue_t *queue = make(4);
  operation_t operations[6];
  berth_tensor_t *batch = filled(BERTH_INT32, BERTH_SHAPE(12));
  bool is_ok = true;
  berth_fault_arm("alloc", nth);
  dequeue_many(queue, &operations[0], 9, false);
  operations[1] = (operation_t){.waiter.done = note_done};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = berth_queue_enqueue_many(
      queue, &batch, 1, &operations[1].waiter, &operations[1].is_parked, &err);
  started(&operations[1], code, &err, NULL);
  dequeue_many(queue, &operations[2], 3, true);
  close_queue(queue, &operations[3], false);
  berth_fault_disarm();
  berth_tensor_release(batch);
  for (int i = 0; i < 4; ++i) {
    if (!operations[i].is_done) berth_queue_cancel(&operations[i].waiter);
    EXPECT_TRUE(operations[i].is_done);
    is_ok = is_ok && operations[i].code == BERTH_OK;
    berth_tensor_release(operations[i].output);
  }
  drop(queue);
  return is_ok;
}

TEST(queue, survives_every_failed_allocation) {
  int64_t nth = 1;
  while (nth < 100 && !scenario(nth)) ++nth;
  EXPECT_TRUE(nth > 15 && nth < 100);
}

// ---- Threads ----

enum { PRODUCERS = 3, CONSUMERS = 3, EACH = 2000 };

typedef struct latch {
  berth_queue_waiter_t waiter;  // First.
  berth_mutex_t lock;           // Guards the rest.
  berth_cond_t cond;
  bool is_done;
  berth_code_t code;
  berth_tensor_t *output;
} latch_t;

static void latch_done(berth_queue_waiter_t *waiter, berth_code_t code,
                       const char *text, berth_tensor_t **outputs) {
  (void)text;
  latch_t *latch = (latch_t *)waiter;
  berth_mutex_lock(&latch->lock);
  latch->is_done = true;
  latch->code = code;
  latch->output = outputs != NULL ? outputs[0] : NULL;
  berth_cond_signal(&latch->cond);
  berth_mutex_unlock(&latch->lock);
}

static void latch_wait(latch_t *latch) {
  berth_mutex_lock(&latch->lock);
  while (!latch->is_done) berth_cond_wait(&latch->cond, &latch->lock);
  berth_mutex_unlock(&latch->lock);
}

static void latch_init(latch_t *latch) {
  *latch = (latch_t){.waiter.done = latch_done};
  berth_mutex_init(&latch->lock);
  berth_cond_init(&latch->cond);
}

static void latch_deinit(latch_t *latch) {
  berth_cond_deinit(&latch->cond);
  berth_mutex_deinit(&latch->lock);
}

typedef struct worker {
  berth_queue_t *queue;
  int64_t sum, count;
} worker_t;

static void produce(void *arg) {
  worker_t *worker = arg;
  latch_t latch;
  latch_init(&latch);
  for (int32_t i = 0; i < EACH; ++i) {
    berth_tensor_t *tensor = scalar(i);
    bool is_parked = false;
    latch.is_done = false;
    berth_code_t code = berth_queue_enqueue(worker->queue, &tensor, 1,
                                            &latch.waiter, &is_parked, NULL);
    berth_tensor_release(tensor);
    if (is_parked) latch_wait(&latch);
    EXPECT_EQ(is_parked ? latch.code : code, BERTH_OK);
    worker->sum += i;
  }
  latch_deinit(&latch);
}

// Takes one or three at a time until the queue is closed and empty.
static void consume(void *arg) {
  worker_t *worker = arg;
  latch_t latch;
  latch_init(&latch);
  for (int round = 0;; ++round) {
    bool is_parked = false;
    latch.is_done = false;
    berth_tensor_t *output = NULL;
    berth_code_t code =
        round % 2 == 0
            ? berth_queue_dequeue(worker->queue, &latch.waiter, &output,
                                  &is_parked, NULL)
            : berth_queue_dequeue_many(worker->queue, 3, true, &latch.waiter,
                                       &output, &is_parked, NULL);
    if (is_parked) {
      latch_wait(&latch);
      code = latch.code;
      output = latch.output;
    }
    if (code != BERTH_OK) break;
    for (int64_t i = 0; i < output->count; ++i) {
      worker->sum += ((int32_t *)output->data)[i];
      ++worker->count;
    }
    berth_tensor_release(output);
  }
  latch_deinit(&latch);
}

TEST(queue, producers_and_consumers) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_queue_t *queue = make(5);
  worker_t workers[PRODUCERS + CONSUMERS];
  berth_thread_t threads[PRODUCERS + CONSUMERS];
  for (int i = 0; i < PRODUCERS + CONSUMERS; ++i) {
    workers[i] = (worker_t){queue, 0, 0};
    ASSERT_OK(berth_thread_start(&threads[i], i < PRODUCERS ? produce : consume,
                                 &workers[i], &err),
              &err);
  }
  int64_t in = 0, out = 0, count = 0;
  for (int i = 0; i < PRODUCERS; ++i) {
    berth_thread_join(&threads[i]);
    in += workers[i].sum;
  }
  operation_t close;
  close_queue(queue, &close, false);
  expect_ok(&close, NULL);
  for (int i = PRODUCERS; i < PRODUCERS + CONSUMERS; ++i) {
    berth_thread_join(&threads[i]);
    out += workers[i].sum;
    count += workers[i].count;
  }
  EXPECT_EQ(count, PRODUCERS * EACH);
  EXPECT_EQ(out, in);
  drop(queue);
}

static void cancel_latch(void *arg) { berth_queue_cancel(arg); }

TEST(queue, cancelling_races_with_finishing) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_queue_t *queue = make(5);
  int64_t taken = 0;
  for (int i = 0; i < 300; ++i) {
    latch_t latch;
    latch_init(&latch);
    berth_tensor_t *output = NULL;
    bool is_parked = false;
    berth_code_t code = berth_queue_dequeue_many(queue, 1, false, &latch.waiter,
                                                 &output, &is_parked, &err);
    operation_t in = {0};
    berth_thread_t thread;
    if (is_parked) {
      ASSERT_OK(berth_thread_start(&thread, cancel_latch, &latch.waiter, &err),
                &err);
      enqueue(queue, &in, i);
      berth_thread_join(&thread);
      latch_wait(&latch);
      code = latch.code;
      output = latch.output;
    }
    EXPECT_EQ(code == BERTH_OK, output != NULL);
    taken += code == BERTH_OK;
    berth_tensor_release(output);
    latch_deinit(&latch);
  }
  EXPECT_TRUE(taken + berth_queue_size(queue) >= 150);
  drop(queue);
}
