// eager_entry_test.c - Kinds of eager calls: which are kept, and until when.
#include <pthread.h>

#include "harness.h"
#include "runtime/eager_internal.h"

#define ANONYMOUS "cd2c89b7-88b7-44c8-ad83-06c2a9158347"

static berth_context_t *context_open(int limit) {
  berth_context_t *context = NULL;
  if (berth_context_create(NULL, &context, NULL) != BERTH_OK) abort();
  berth_context_set_cache_limit(context, limit);
  return context;
}

static berth_tensor_t *scalar(float value) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &value, &tensor,
                             NULL) != BERTH_OK) {
    abort();
  }
  return tensor;
}

// Calls |op|, which is abandoned, and returns its first output, if any.
static berth_tensor_t *call(berth_context_t *context, berth_op_t *op,
                            berth_tensor_t *a, berth_tensor_t *b) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *inputs[] = {a, b}, *output = NULL;
  int count = 1;
  int input_count = a == NULL ? 0 : b == NULL ? 1 : 2;
  if (berth_eager_call_op(context, op, NULL, inputs, input_count, &output,
                          &count, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  berth_error_clear(&err);
  berth_op_abandon(op);
  return output;
}

// Calls an op of one input on 2, and returns the value.
static float call_on_two(berth_context_t *context, berth_op_t *op) {
  berth_tensor_t *two = scalar(2), *output = call(context, op, two, NULL);
  float value = *(const float *)berth_tensor_data(output);
  berth_tensor_release(two);
  berth_tensor_release(output);
  return value;
}

// Raises -2 by the slope |alpha|: a kind of call for each.
static float leak(berth_context_t *context, float alpha) {
  berth_op_t *op = berth_op_begin(NULL, "LeakyRelu", NULL);
  berth_op_attr_float(op, "alpha", alpha);
  berth_tensor_t *in = scalar(-2), *out = call(context, op, in, NULL);
  float value = *(const float *)berth_tensor_data(out);
  berth_tensor_release(in);
  berth_tensor_release(out);
  return value;
}

static float negate(berth_context_t *context) {
  return call_on_two(context, berth_op_begin(NULL, "Neg", NULL));
}

TEST(eager_entry, ever_new_attributes_are_forgotten) {
  berth_context_t *context = context_open(8);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(leak(context, (float)i) == -2 * (float)i);
    EXPECT_TRUE(berth_context_cache_size(context) <= 8);
    EXPECT_TRUE(context->retired == NULL);
    // A kind that comes again and again is never the least recently used.
    EXPECT_TRUE(negate(context) == -2);
  }
  EXPECT_EQ(atomic_load(&context->made), 1001);
  berth_context_destroy(context);
}

TEST(eager_entry, the_least_recently_used_goes_first) {
  berth_context_t *context = context_open(4);
  for (int i = 0; i < 4; ++i) leak(context, (float)i);
  leak(context, 0);
  EXPECT_EQ(atomic_load(&context->made), 4);
  leak(context, 4);  // 1 goes, and with a quarter of four 2.
  EXPECT_EQ(berth_context_cache_size(context), 3);
  leak(context, 0);
  leak(context, 3);
  EXPECT_EQ(atomic_load(&context->made), 5);
  leak(context, 1);
  EXPECT_EQ(atomic_load(&context->made), 6);
  berth_context_destroy(context);
}

TEST(eager_entry, a_limit_may_change) {
  berth_context_t *context = context_open(100);
  for (int i = 0; i < 50; ++i) leak(context, (float)i);
  EXPECT_EQ(berth_context_cache_size(context), 50);
  berth_context_set_cache_limit(context, 10);
  EXPECT_EQ(berth_context_cache_size(context), 10);
  berth_context_set_cache_limit(context, 0);
  EXPECT_EQ(berth_context_cache_size(context), 0);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(negate(context) == -2);
  EXPECT_EQ(berth_context_cache_size(context), 0);
  berth_context_set_cache_limit(context, 1);
  for (int i = 0; i < 3; ++i) leak(context, (float)i);
  EXPECT_EQ(berth_context_cache_size(context), 1);
  berth_context_destroy(context);
}

TEST(eager_entry, the_environment_says_how_many) {
  setenv("BERTH_EAGER_CACHE", "3", 1);
  berth_context_t *context = NULL;
  ASSERT_OK(berth_context_create(NULL, &context, NULL), NULL);
  for (int i = 0; i < 9; ++i) leak(context, (float)i);
  EXPECT_TRUE(berth_context_cache_size(context) <= 3);
  berth_context_destroy(context);
  unsetenv("BERTH_EAGER_CACHE");
}

TEST(eager_entry, the_graph_that_checks_stays_small) {
  berth_context_t *context = context_open(2);
  for (int i = 0; i < 20000; ++i) leak(context, (float)i);
  EXPECT_TRUE(berth_graph_node_count(context->scratch.graph) < 4);
  EXPECT_TRUE(context->scratch.graph->arena.total_bytes < 1 << 20);
  berth_context_destroy(context);
}

// ---- Resources ----

static berth_tensor_t *handle_of(berth_context_t *context, const char *name) {
  berth_op_t *op = berth_op_begin(NULL, "VarHandleOp", NULL);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_attr_shape(op, "shape", BERTH_SCALAR);
  berth_op_attr_string(op, "shared_name", name, strlen(name));
  return call(context, op, NULL, NULL);
}

static void count_down(void *data, size_t size, void *arg) {
  (void)data;
  (void)size;
  --*(int *)arg;
}

// Makes a value whose end is counted down.
static berth_tensor_t *counted(int *alive) {
  static float value = 3;
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_wrap(BERTH_FLOAT, BERTH_SCALAR, &value, sizeof(value),
                        count_down, alive, &tensor, NULL) != BERTH_OK) {
    abort();
  }
  ++*alive;
  return tensor;
}

static void assign(berth_context_t *context, berth_tensor_t *handle,
                   berth_tensor_t *value) {
  berth_op_t *op = berth_op_begin(NULL, "AssignVariableOp", NULL);
  berth_tensor_release(call(context, op, handle, value));
}

TEST(eager_entry, a_variable_of_no_name_goes_with_its_handle) {
  berth_context_t *context = context_open(100);
  int alive = 0;
  for (int i = 0; i < 100; ++i) {
    berth_tensor_t *handle = handle_of(context, ANONYMOUS);
    berth_tensor_t *value = counted(&alive);
    assign(context, handle, value);
    berth_tensor_release(value);
    EXPECT_EQ(alive, 1);
    berth_tensor_release(call(context,
                              berth_op_begin(NULL, "DestroyResourceOp", NULL),
                              handle, NULL));
    EXPECT_EQ(alive, 1);
    berth_tensor_release(handle);
    EXPECT_EQ(alive, 0);
  }
  EXPECT_EQ(atomic_load(&context->made), 3);
  berth_context_destroy(context);
}

TEST(eager_entry, names_of_variables_are_not_kept_as_kinds) {
  berth_context_t *context = context_open(100);
  for (int i = 0; i < 200; ++i) {
    char name[16];
    snprintf(name, sizeof(name), "v%d", i);
    berth_tensor_release(handle_of(context, name));
  }
  EXPECT_EQ(berth_context_cache_size(context), 0);
  // It is the same variable still.
  int alive = 0;
  berth_tensor_t *handle = handle_of(context, "v7"), *value = counted(&alive);
  assign(context, handle, value);
  berth_tensor_release(handle);
  berth_tensor_release(value);
  handle = handle_of(context, "v7");
  berth_op_t *op = berth_op_begin(NULL, "ReadVariableOp", NULL);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  value = call(context, op, handle, NULL);
  EXPECT_TRUE(*(const float *)berth_tensor_data(value) == 3);
  berth_tensor_release(handle);
  berth_tensor_release(value);
  EXPECT_EQ(alive, 1);
  berth_context_destroy(context);
  EXPECT_EQ(alive, 0);
}

static berth_tensor_t *queue_open(berth_context_t *context) {
  berth_op_t *op = berth_op_begin(NULL, "FIFOQueueV2", NULL);
  berth_op_attr_types(op, "component_types", (berth_dtype_t[]){BERTH_FLOAT}, 1);
  return call(context, op, NULL, NULL);
}

static void enqueue(berth_context_t *context, berth_tensor_t *queue,
                    berth_tensor_t *value) {
  berth_op_t *op = berth_op_begin(NULL, "QueueEnqueueV2", NULL);
  berth_tensor_release(call(context, op, queue, value));
}

static berth_tensor_t *dequeue(berth_context_t *context,
                               berth_tensor_t *queue) {
  berth_op_t *op = berth_op_begin(NULL, "QueueDequeueV2", NULL);
  berth_op_attr_types(op, "component_types", (berth_dtype_t[]){BERTH_FLOAT}, 1);
  return call(context, op, queue, NULL);
}

TEST(eager_entry, a_queue_of_no_name_goes_with_its_handle) {
  berth_context_t *context = context_open(100);
  int alive = 0;
  berth_tensor_t *one = queue_open(context), *other = queue_open(context);
  berth_tensor_t *value = counted(&alive);
  enqueue(context, one, value);
  berth_tensor_release(value);
  EXPECT_EQ(alive, 1);
  berth_tensor_release(other);
  EXPECT_EQ(alive, 1);
  berth_tensor_release(one);
  EXPECT_EQ(alive, 0);
  berth_context_destroy(context);
}

static float random_number(berth_context_t *context, int seed) {
  berth_op_t *op = berth_op_begin(NULL, "RandomUniform", NULL);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_attr_int(op, "seed", seed);
  berth_op_attr_int(op, "seed2", 7);
  berth_tensor_t *shape = NULL;
  if (berth_tensor_create(BERTH_INT32, BERTH_SHAPE(0), &shape, NULL) !=
      BERTH_OK) {
    abort();
  }
  berth_tensor_t *made = call(context, op, shape, NULL);
  float value = *(const float *)berth_tensor_data(made);
  berth_tensor_release(shape);
  berth_tensor_release(made);
  return value;
}

TEST(eager_entry, random_sequences_are_each_kinds_own) {
  berth_context_t *context = context_open(4);
  float first = random_number(context, 1);
  EXPECT_TRUE(random_number(context, 1) != first);
  for (int i = 2; i < 50; ++i) random_number(context, i);
  // It was forgotten, and begins anew.
  EXPECT_TRUE(random_number(context, 1) == first);
  berth_context_destroy(context);
}

// ---- In use ----

typedef struct reader {
  berth_context_t *context;
  berth_tensor_t *queue;
  atomic_bool has_begun;
  float value;
} reader_t;

static void *read_queue(void *arg) {
  reader_t *reader = arg;
  atomic_store(&reader->has_begun, true);
  berth_tensor_t *value = dequeue(reader->context, reader->queue);
  reader->value = *(const float *)berth_tensor_data(value);
  berth_tensor_release(value);
  return NULL;
}

static int retired_count(berth_context_t *context) {
  int count = 0;
  berth_mutex_lock(&context->lock);
  for (berth_eager_entry_t *e = context->retired; e != NULL;
       e = e->next_retired) {
    ++count;
  }
  berth_mutex_unlock(&context->lock);
  return count;
}

TEST(eager_entry, a_call_that_waits_keeps_its_own_kind_alone) {
  berth_context_t *context = context_open(4);
  reader_t reader = {context, queue_open(context), false, 0};
  pthread_t thread;
  ASSERT_TRUE(pthread_create(&thread, NULL, read_queue, &reader) == 0);
  while (!atomic_load(&reader.has_begun) ||
         berth_context_cache_size(context) == 0) {
    sched_yield();
  }
  for (int i = 0; i < 500; ++i) {
    leak(context, (float)i);
    EXPECT_TRUE(retired_count(context) <= 1);
  }
  berth_tensor_t *value = scalar(5);
  enqueue(context, reader.queue, value);
  pthread_join(thread, NULL);
  EXPECT_TRUE(reader.value == 5);
  leak(context, -1);
  leak(context, -2);
  EXPECT_EQ(retired_count(context), 0);
  berth_tensor_release(value);
  berth_tensor_release(reader.queue);
  berth_context_destroy(context);
}

// A poll that makes calls of its own, as handlers of signals do, and forgets
// every kind of call meanwhile.
typedef struct meddler {
  berth_context_t *context;
  berth_tensor_t *queue;
  int polls;
} meddler_t;

static int meddle(void *arg) {
  meddler_t *meddler = arg;
  berth_context_t *context = meddler->context;
  if (context == NULL || meddler->polls >= 4) return 0;
  int number = ++meddler->polls;
  if (number == 1) {  // A call that waits, in the call that waits.
    float value = 7;
    berth_tensor_t *tensor = scalar(value), *own = queue_open(context);
    enqueue(context, own, tensor);
    berth_tensor_release(dequeue(context, own));
    berth_tensor_release(own);
    berth_tensor_release(tensor);
  }
  for (int i = 0; i < 10; ++i) leak(context, (float)i);
  berth_context_set_cache_limit(context, 0);
  berth_context_set_cache_limit(context, 4);
  EXPECT_EQ(retired_count(context), 1);
  if (number == 4) {
    berth_tensor_t *tensor = scalar(9);
    enqueue(context, meddler->queue, tensor);
    berth_tensor_release(tensor);
  }
  return 0;
}

TEST(eager_entry, calls_in_a_call_leave_its_kind_alone) {
  meddler_t meddler = {0};
  berth_config_t config = BERTH_CONFIG_INIT;
  config.poll = meddle;
  config.poll_arg = &meddler;
  ASSERT_OK(berth_context_create(&config, &meddler.context, NULL), NULL);
  berth_context_t *context = meddler.context;
  meddler.queue = queue_open(context);
  berth_tensor_t *value = dequeue(context, meddler.queue);
  EXPECT_TRUE(*(const float *)berth_tensor_data(value) == 9);
  EXPECT_EQ(meddler.polls, 4);
  berth_context_set_cache_limit(context, 0);
  EXPECT_EQ(retired_count(context), 0);
  berth_tensor_release(value);
  berth_tensor_release(meddler.queue);
  berth_context_destroy(context);
}

TEST(eager_entry, handles_outlive_their_context) {
  berth_context_t *context = context_open(4);
  int alive = 0;
  berth_tensor_t *handles[] = {handle_of(context, ANONYMOUS),
                               handle_of(context, "named"),
                               queue_open(context)};
  berth_tensor_t *value = counted(&alive);
  assign(context, handles[0], value);
  assign(context, handles[1], value);
  enqueue(context, handles[2], value);
  berth_tensor_release(value);
  berth_context_destroy(context);
  EXPECT_EQ(alive, 1);
  context = context_open(4);
  berth_op_t *op = berth_op_begin(NULL, "ReadVariableOp", NULL);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_tensor_release(call(context, op, handles[1], NULL));
  for (int i = 0; i < 3; ++i) berth_tensor_release(handles[i]);
  EXPECT_EQ(alive, 0);
  berth_context_destroy(context);
}
