// give_back_test.c - Cards that are given back beside those who use them.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/fault.h"
#include "gpu_testing.h"

#define TWO_K20M "Tesla K20m*2@0000:02:00.0,0000:03:00.0"

// ---- Graphs ----

static berth_out_t binary_on(berth_graph_t *graph, const char *op,
                             const char *device, berth_out_t a, berth_out_t b) {
  berth_op_t *made = berth_op_begin(graph, op, NULL);
  berth_op_input(made, a);
  berth_op_input(made, b);
  berth_op_device(made, device);
  return (berth_out_t){berth_op_finish(made), 0};
}

static berth_out_t twice(berth_graph_t *graph, const char *device,
                         berth_out_t x) {
  return binary_on(graph, "AddV2", device, x, x);
}

// An op without a value, on the first card.
static berth_node_id_t assign_on(berth_graph_t *graph, const char *op,
                                 berth_out_t variable, berth_out_t value) {
  berth_op_t *made = berth_op_begin(graph, op, NULL);
  berth_op_input(made, variable);
  berth_op_input(made, value);
  berth_op_device(made, "/gpu:0");
  return berth_op_finish(made);
}

static berth_out_t callback(berth_graph_t *graph, const char *token,
                            berth_out_t x) {
  static const berth_dtype_t types[] = {BERTH_FLOAT};
  berth_op_t *op = berth_op_begin(graph, "BerthCallback", NULL);
  berth_op_input_list(op, &x, 1);
  berth_op_attr_string(op, "token", token, strlen(token));
  berth_op_attr_types(op, "Tin", types, 1);
  berth_op_attr_types(op, "Tout", types, 1);
  return (berth_out_t){berth_op_finish(op), 0};
}

static berth_tensor_t *floats(int64_t count, float first, berth_error_t *err) {
  float *values = malloc((size_t)count * sizeof(*values));
  berth_tensor_t *tensor = NULL;
  for (int64_t i = 0; values != NULL && i < count; ++i) {
    values[i] = first + (float)(i % 1000);
  }
  if (berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(count), values, &tensor,
                             err) != BERTH_OK) {
    HARNESS_FAIL("no tensor: %s", berth_error_message(err));
  }
  free(values);
  return tensor;
}

// True when |tensor| has |factor| times what floats() puts there.
static bool is_right(const berth_tensor_t *tensor, float first, float factor) {
  const float *values = berth_tensor_data(tensor);
  int64_t count = berth_tensor_count(tensor);
  for (int64_t i = 0; i < count; ++i) {
    if (values[i] != factor * (first + (float)(i % 1000))) return false;
  }
  return true;
}

// ---- Those who work ----

enum { ROUNDS = 25, COUNT = 40000 };

// What all workers share, and what went wrong with it.
static struct stage {
  berth_context_t *context;
  berth_session_t *session;  // x -> 2x on one card -> 4x on the other.
  berth_out_t x, y;
  berth_node_id_t init, add;  // Of a variable.
  berth_out_t value;
  berth_session_t *function;  // The same as |session|, in |context|.
  berth_out_t fx, fy;
  atomic_int working, wrong, failed, given_back, refused;
  pthread_mutex_t lock;
  char first[600];  // What failed first.
} stage;

static void note(const char *who, berth_error_t *err) {
  pthread_mutex_lock(&stage.lock);
  if (stage.first[0] == '\0') {
    snprintf(stage.first, sizeof(stage.first), "%s: %s", who,
             berth_error_message(err));
  }
  pthread_mutex_unlock(&stage.lock);
  atomic_fetch_add(&stage.failed, 1);
  berth_error_clear(err);
}

// Checks |result|, which may be on a card, and releases it.
static void check(const char *who, berth_tensor_t *result, float first,
                  float factor) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *host = NULL;
  if (berth_tensor_to_host(result, &host, &err) != BERTH_OK) {
    note(who, &err);
  } else if (!is_right(host, first, factor)) {
    atomic_fetch_add(&stage.wrong, 1);
  }
  berth_tensor_release(host);
  berth_tensor_release(result);
}

static void run_session(int round) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *fed = floats(COUNT + round % 3, (float)round, &err);
  berth_tensor_t *result = NULL;
  berth_feed_t feed = {stage.x, fed};
  if (berth_session_run(stage.session, &feed, 1, &stage.y, 1, &result, &err) !=
      BERTH_OK) {
    note("a run", &err);
  } else {
    check("a run", result, (float)round, 4);
  }
  berth_tensor_release(fed);
}

// A variable keeps its value whatever is given back meanwhile.
static void update_variable(int round) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *result = NULL;
  berth_node_id_t target = round == 0 ? stage.init : stage.add;
  berth_run_t update = {.targets = &target, .target_count = 1};
  if (berth_session_run_with(stage.session, &update, &err) != BERTH_OK) {
    note("an update", &err);
  } else if (berth_session_run(stage.session, NULL, 0, &stage.value, 1, &result,
                               &err) != BERTH_OK) {
    note("a read", &err);
  } else {
    check("a read", result, 1, (float)(round + 1));
  }
}

static void call_function(int round) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *host = floats(COUNT, (float)round, &err);
  berth_tensor_t *fed = NULL, *result = NULL;
  const char *device = round % 2 == 0 ? "GPU:0" : "CPU:0";
  if (berth_eager_copy(stage.context, host, device, &fed, &err) != BERTH_OK) {
    note("a copy for a function", &err);
  } else {
    berth_feed_t feed = {stage.fx, fed};
    if (berth_session_run(stage.function, &feed, 1, &stage.fy, 1, &result,
                          &err) != BERTH_OK) {
      note("a function", &err);
    } else {
      check("a function", result, (float)round, 4);
    }
  }
  berth_tensor_release(fed);
  berth_tensor_release(host);
}

// Inputs on two cards, the call on one of them.
static void call_eagerly(int round) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *host = floats(COUNT, (float)round, &err);
  berth_tensor_t *in[2] = {NULL, NULL}, *result = NULL;
  int count = 1;
  const char *device = round % 2 == 0 ? "/gpu:0" : "/gpu:1";
  if (berth_eager_copy(stage.context, host, "GPU:0", &in[0], &err) !=
          BERTH_OK ||
      berth_eager_copy(stage.context, host, "GPU:1", &in[1], &err) !=
          BERTH_OK) {
    note("a copy for a call", &err);
  } else if (berth_eager_call(stage.context, "AddV2", device, in, 2, &result,
                              &count, &err) != BERTH_OK) {
    note("a call", &err);
  } else {
    check("a call", result, (float)round, 2);
  }
  berth_tensor_release(in[0]);
  berth_tensor_release(in[1]);
  berth_tensor_release(host);
}

// There, across and back.
static void copy_about(int round) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *host = floats(COUNT * 2, (float)round, &err);
  berth_tensor_t *first = NULL, *second = NULL;
  if (berth_eager_copy(stage.context, host, "GPU:0", &first, &err) !=
          BERTH_OK ||
      berth_eager_copy(stage.context, first, "GPU:1", &second, &err) !=
          BERTH_OK) {
    note("a copy", &err);
  } else {
    check("a copy", second, (float)round, 1);
  }
  berth_tensor_release(first);
  berth_tensor_release(host);
}

// Programs are made, with constants on a card, and destroyed.
static void make_programs(int round) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_session_t *session = NULL;
  berth_tensor_t *fed = floats(COUNT, (float)round, &err), *result = NULL;
  berth_out_t x = berth_placeholder(graph, "x", BERTH_FLOAT);
  berth_out_t one = berth_const_f32(graph, "one", (float[]){1}, BERTH_SCALAR);
  const char *device = round % 2 == 0 ? "/gpu:0" : "/gpu:1";
  berth_out_t two = twice(graph, device, one);
  berth_out_t y = binary_on(graph, "Mul", device, x, two);
  berth_feed_t feed = {x, fed};
  if (berth_session_create(graph, NULL, &session, &err) != BERTH_OK ||
      berth_session_run(session, &feed, 1, &y, 1, &result, &err) != BERTH_OK) {
    note("a new session", &err);
  } else {
    check("a new session", result, (float)round, 2);
  }
  berth_session_destroy(session);
  berth_graph_release(graph);
  berth_tensor_release(fed);
}

typedef void (*work_fn)(int round);

static void *work(void *arg) {
  work_fn fn = *(work_fn *)arg;
  for (int round = 0; round < ROUNDS; ++round) fn(round);
  atomic_fetch_sub(&stage.working, 1);
  return NULL;
}

// ---- Those who give back ----

static void *give_back(void *arg) {
  const char *name = arg;
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; atomic_load(&stage.working) > 0; ++i) {
    berth_code_t code = berth_device_release_memory(name, &err);
    if (code == BERTH_OK) {
      atomic_fetch_add(&stage.given_back, 1);
    } else if (code == BERTH_FAILED_PRECONDITION) {
      atomic_fetch_add(&stage.refused, 1);
      berth_error_clear(&err);
    } else {
      note("giving back", &err);
    }
    // Other ways of changing a card while it works.
    if (berth_device_set_memory_limit(name, (512 + (uint64_t)i % 2) * MIB,
                                      &err) != BERTH_OK ||
        berth_device_trim_memory(name, 0, NULL, &err) != BERTH_OK) {
      note("changing a card", &err);
    }
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  return NULL;
}

static void drop_line(berth_log_level_t level, const char *file, int line,
                      const char *text, void *arg) {
  (void)level, (void)file, (void)line, (void)text, (void)arg;
}

static void build_session(berth_error_t *err) {
  berth_graph_t *graph = berth_graph_create();
  float *ones = malloc(COUNT * sizeof(*ones));
  for (int i = 0; i < COUNT; ++i) ones[i] = 1 + (float)(i % 1000);
  stage.x = berth_placeholder(graph, "x", BERTH_FLOAT);
  stage.y = twice(graph, "/gpu:1", twice(graph, "/gpu:0", stage.x));
  berth_out_t one = berth_const_f32(graph, "one", ones, BERTH_SHAPE(COUNT));
  berth_op_t *op = berth_op_begin(graph, "VarHandleOp", "v");
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_attr_shape(op, "shape", BERTH_SHAPE(COUNT));
  berth_op_device(op, "/gpu:0");
  berth_out_t v = {berth_op_finish(op), 0};
  stage.init = assign_on(graph, "AssignVariableOp", v, one);
  stage.add = assign_on(graph, "AssignAddVariableOp", v, one);
  op = berth_op_begin(graph, "ReadVariableOp", NULL);
  berth_op_input(op, v);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_device(op, "/gpu:0");
  stage.value = (berth_out_t){berth_op_finish(op), 0};
  ASSERT_OK(berth_session_create(graph, NULL, &stage.session, err), err);
  berth_graph_release(graph);
  free(ones);
}

static void build_function(berth_error_t *err) {
  berth_graph_t *graph = berth_graph_create();
  stage.fx = berth_placeholder(graph, "x", BERTH_FLOAT);
  stage.fy = twice(graph, "/gpu:0", twice(graph, "/gpu:1", stage.fx));
  ASSERT_OK(berth_context_session(stage.context, graph, &stage.function, err),
            err);
  berth_graph_release(graph);
}

static void stage_open(berth_error_t *err) {
  berth_config_t config = BERTH_CONFIG_INIT;
  simulate(TWO_K20M);
  berth_log_set_callback(drop_line, NULL);
  pthread_mutex_init(&stage.lock, NULL);
  config.gpu.allow_growth = true;
  ASSERT_OK(berth_process_configure(&config, err), err);
  ASSERT_OK(berth_context_create(NULL, &stage.context, err), err);
  build_session(err);
  build_function(err);
}

static void stage_close(void) {
  berth_session_destroy(stage.function);
  berth_session_destroy(stage.session);
  berth_context_destroy(stage.context);
}

// Every kind of work on two cards, while both are given back again and again:
// nothing fails, and every value is right.
TEST(give_back, beside_everything_else) {
  static work_fn kinds[] = {run_session,   run_session,  update_variable,
                            call_function, call_eagerly, copy_about,
                            make_programs};
  enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
  pthread_t workers[KINDS], givers[2];
  berth_error_t err = BERTH_ERROR_INIT;
  stage_open(&err);
  atomic_store(&stage.working, KINDS);
  for (int i = 0; i < KINDS; ++i) {
    ASSERT_TRUE(pthread_create(&workers[i], NULL, work, &kinds[i]) == 0);
  }
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(pthread_create(&givers[i], NULL, give_back,
                               i == 0 ? "GPU:0" : "GPU:1") == 0);
  }
  for (int i = 0; i < KINDS; ++i) pthread_join(workers[i], NULL);
  for (int i = 0; i < 2; ++i) pthread_join(givers[i], NULL);
  EXPECT_EQ(atomic_load(&stage.wrong), 0);
  EXPECT_EQ(atomic_load(&stage.failed), 0);
  EXPECT_STR(stage.first, "");
  EXPECT_TRUE(atomic_load(&stage.given_back) > 0);
  ASSERT_OK(berth_device_release_memory("GPU:0", &err), &err);
  run_session(ROUNDS);
  EXPECT_EQ(atomic_load(&stage.wrong) + atomic_load(&stage.failed), 0);
  stage_close();
}

// ---- Who is named ----

// A callback that says when it is called, and waits until it may go on.
static struct scene {
  atomic_bool is_inside, may_go;
  berth_code_t code;  // Of giving back, or running, from inside.
  char text[600];
} scene;

static void wait_inside(berth_host_call_t *call, void *arg) {
  berth_tensor_t *input = berth_tensor_retain(berth_host_call_input(call, 0));
  (void)arg;
  atomic_store(&scene.is_inside, true);
  while (!atomic_load(&scene.may_go)) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  berth_host_call_finish(call, BERTH_OK, NULL, &input, 1);
}

static void give_back_inside(berth_host_call_t *call, void *arg) {
  berth_tensor_t *input = berth_tensor_retain(berth_host_call_input(call, 0));
  berth_error_t err = BERTH_ERROR_INIT;
  (void)arg;
  scene.code = berth_device_release_memory("GPU:0", &err);
  snprintf(scene.text, sizeof(scene.text), "%s", berth_error_message(&err));
  berth_error_clear(&err);
  run_session(0);  // Of another session; the same thread.
  call_eagerly(0);
  berth_host_call_finish(call, BERTH_OK, NULL, &input, 1);
}

// A session whose run on the first card calls |token| on the way.
static void open_calling(const char *token, berth_session_t **out_session,
                         berth_out_t *out_y, berth_error_t *err) {
  berth_graph_t *graph = berth_graph_create();
  berth_out_t x = berth_const_f32(graph, "x", (float[]){3}, BERTH_SCALAR);
  berth_out_t called = callback(graph, token, x);
  *out_y = twice(graph, "/gpu:0", called);
  ASSERT_OK(berth_session_create(graph, NULL, out_session, err), err);
  berth_graph_release(graph);
}

typedef struct runner {
  berth_session_t *session;
  berth_out_t y;
  berth_code_t code;
  float value;
} runner_t;

static void *run_one(void *arg) {
  runner_t *runner = arg;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *result = NULL;
  runner->code =
      berth_session_run(runner->session, NULL, 0, &runner->y, 1, &result, &err);
  if (runner->code == BERTH_OK) {
    runner->value = *(float *)berth_tensor_data(result);
  }
  berth_tensor_release(result);
  berth_error_clear(&err);
  return NULL;
}

TEST(give_back, names_a_run_that_goes_on) {
  berth_error_t err = BERTH_ERROR_INIT;
  runner_t runner = {0};
  pthread_t thread;
  stage_open(&err);
  ASSERT_OK(berth_host_register("wait", wait_inside, NULL, &err), &err);
  open_calling("wait", &runner.session, &runner.y, &err);
  ASSERT_TRUE(pthread_create(&thread, NULL, run_one, &runner) == 0);
  while (!atomic_load(&scene.is_inside)) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  EXPECT_EQ(berth_device_release_memory("GPU:0", &err),
            BERTH_FAILED_PRECONDITION);
  const char *text = berth_error_message(&err);
  EXPECT_TRUE(
      strncmp(text, "GPU:0 is in use by a run of a session (thread ", 46) == 0);
  EXPECT_TRUE(strstr(text, " s); try again when that is over") != NULL);
  berth_error_clear(&err);
  EXPECT_EQ(berth_device_reset("GPU:0", &err), BERTH_FAILED_PRECONDITION);
  berth_error_clear(&err);
  // It concerns one card alone, and others go on meanwhile.
  run_session(1);
  ASSERT_OK(berth_device_release_memory("GPU:1", &err), &err);
  run_session(2);
  atomic_store(&scene.may_go, true);
  pthread_join(thread, NULL);
  EXPECT_EQ(runner.code, BERTH_OK);
  EXPECT_EQ(runner.value, 6);
  ASSERT_OK(berth_device_release_memory("GPU:0", &err), &err);
  EXPECT_EQ(atomic_load(&stage.wrong) + atomic_load(&stage.failed), 0);
  berth_session_destroy(runner.session);
  stage_close();
}

TEST(give_back, is_refused_from_inside) {
  berth_error_t err = BERTH_ERROR_INIT;
  runner_t runner = {0};
  stage_open(&err);
  ASSERT_OK(berth_host_register("give", give_back_inside, NULL, &err), &err);
  open_calling("give", &runner.session, &runner.y, &err);
  (void)run_one(&runner);
  EXPECT_EQ(runner.code, BERTH_OK);
  EXPECT_EQ(runner.value, 6);
  EXPECT_EQ(scene.code, BERTH_FAILED_PRECONDITION);
  EXPECT_STR(scene.text,
             "GPU:0 cannot be given back from inside a run of a session, which "
             "uses it; do that when it is over");
  EXPECT_EQ(atomic_load(&stage.wrong) + atomic_load(&stage.failed), 0);
  ASSERT_OK(berth_device_release_memory("GPU:0", &err), &err);
  berth_session_destroy(runner.session);
  stage_close();
}

static void *run_elsewhere(void *arg) {
  (void)arg;
  run_session(3);
  return NULL;
}

// Waits for a thread that has to run, as a callback may.
static void wait_for_a_thread(berth_host_call_t *call, void *arg) {
  pthread_t thread;
  berth_tensor_t *input = berth_tensor_retain(berth_host_call_input(call, 0));
  (void)arg;
  atomic_store(&scene.is_inside, true);
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  if (pthread_create(&thread, NULL, run_elsewhere, NULL) == 0) {
    pthread_join(thread, NULL);
  }
  berth_host_call_finish(call, BERTH_OK, NULL, &input, 1);
}

// The giver waits for the run, which waits for a thread, which waits for the
// giver: that ends when the giver's time is over.
TEST(give_back, does_not_wait_in_a_circle) {
  berth_error_t err = BERTH_ERROR_INIT;
  runner_t runner = {0};
  pthread_t thread;
  stage_open(&err);
  ASSERT_OK(berth_host_register("thread", wait_for_a_thread, NULL, &err), &err);
  open_calling("thread", &runner.session, &runner.y, &err);
  ASSERT_TRUE(pthread_create(&thread, NULL, run_one, &runner) == 0);
  while (!atomic_load(&scene.is_inside)) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  berth_code_t code = berth_device_release_memory("GPU:0", &err);
  EXPECT_TRUE(code == BERTH_FAILED_PRECONDITION || code == BERTH_OK);
  berth_error_clear(&err);
  pthread_join(thread, NULL);
  EXPECT_EQ(runner.code, BERTH_OK);
  EXPECT_EQ(runner.value, 6);
  EXPECT_EQ(atomic_load(&stage.wrong) + atomic_load(&stage.failed), 0);
  berth_session_destroy(runner.session);
  stage_close();
}

// Returns how many copies to the host giving both cards back takes.
static int64_t count_saved(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_fault_arm("cuMemcpyDtoHAsync_v2", 0);
  EXPECT_EQ(berth_device_release_memory("GPU:0", &err), BERTH_OK);
  EXPECT_EQ(berth_device_release_memory("GPU:1", &err), BERTH_OK);
  return berth_fault_disarm();
}

// What runs keep for the next one is given up; what somebody holds is saved.
TEST(give_back, saves_nothing_that_is_idle) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *there = NULL;
  stage_open(&err);
  (void)count_saved();
  for (int i = 0; i < 3; ++i) run_session(i);
  EXPECT_EQ(count_saved(), 0);
  berth_tensor_t *host = floats(COUNT, 5, &err);
  ASSERT_OK(berth_eager_copy(stage.context, host, "GPU:0", &there, &err), &err);
  EXPECT_TRUE(count_saved() > 0);
  check("a tensor that was saved", there, 5, 1);
  EXPECT_EQ(atomic_load(&stage.wrong) + atomic_load(&stage.failed), 0);
  berth_tensor_release(host);
  stage_close();
}

// Tensors that stay on a card that was given back say so, and can be read.
TEST(give_back, leaves_tensors_where_they_are) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *there = NULL;
  stage_open(&err);
  berth_tensor_t *host = floats(COUNT, 5, &err);
  ASSERT_OK(berth_eager_copy(stage.context, host, "GPU:0", &there, &err), &err);
  ASSERT_OK(berth_device_release_memory("GPU:0", &err), &err);
  EXPECT_TRUE(berth_tensor_stream(there) != NULL);
  EXPECT_STR(berth_tensor_device(there), LOCAL "GPU:0");
  check("a tensor that was away", there, 5, 1);
  EXPECT_EQ(atomic_load(&stage.wrong) + atomic_load(&stage.failed), 0);
  berth_tensor_release(host);
  stage_close();
}

// Whoever knows an address may use it at any time.
TEST(give_back, is_refused_while_an_address_is_known) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *there = NULL;
  stage_open(&err);
  berth_tensor_t *host = floats(COUNT, 5, &err);
  ASSERT_OK(berth_eager_copy(stage.context, host, "GPU:0", &there, &err), &err);
  ASSERT_OK(berth_device_release_memory("GPU:0", &err), &err);
  // Asking brings it back.
  EXPECT_TRUE(berth_tensor_data(there) != NULL);
  EXPECT_EQ(berth_device_release_memory("GPU:0", &err),
            BERTH_FAILED_PRECONDITION);
  EXPECT_TRUE(strstr(berth_error_message(&err),
                     "the address of 160000 bytes of a copy is known "
                     "outside") != NULL);
  berth_error_clear(&err);
  check("a known tensor", there, 5, 1);
  ASSERT_OK(berth_device_release_memory("GPU:0", &err), &err);
  EXPECT_EQ(atomic_load(&stage.wrong) + atomic_load(&stage.failed), 0);
  berth_tensor_release(host);
  stage_close();
}

// Memory of others goes with the context: it is in use until it is released.
TEST(give_back, is_refused_while_memory_of_others_is_in_use) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *own = NULL, *lent = NULL;
  stage_open(&err);
  berth_tensor_t *host = floats(COUNT, 5, &err);
  ASSERT_OK(berth_eager_copy(stage.context, host, "GPU:0", &own, &err), &err);
  ASSERT_OK(berth_eager_wrap(stage.context, "GPU:0", BERTH_FLOAT,
                             BERTH_SHAPE(COUNT), berth_tensor_data(own),
                             COUNT * sizeof(float), NULL, NULL, &lent, &err),
            &err);
  EXPECT_EQ(berth_device_release_memory("GPU:0", &err),
            BERTH_FAILED_PRECONDITION);
  EXPECT_TRUE(strncmp(berth_error_message(&err),
                      "GPU:0 is in use by memory of others (thread ", 44) == 0);
  berth_error_clear(&err);
  check("lent memory", lent, 5, 1);
  check("own memory", own, 5, 1);
  ASSERT_OK(berth_device_release_memory("GPU:0", &err), &err);
  EXPECT_EQ(atomic_load(&stage.wrong) + atomic_load(&stage.failed), 0);
  berth_tensor_release(host);
  stage_close();
}

static bool is_over(void *arg) { return atomic_load((atomic_bool *)arg); }

static int poll_over(void *arg) { return is_over(arg) ? 1 : 0; }

typedef struct waiter {
  berth_session_t *session;
  berth_out_t y;
  berth_feed_t feed;
  atomic_bool is_ended;
  berth_code_t code;
} waiter_t;

static void *run_polled(void *arg) {
  waiter_t *waiter = arg;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *result = NULL;
  berth_run_t run = {.feeds = &waiter->feed,
                     .feed_count = 1,
                     .fetches = &waiter->y,
                     .fetch_count = 1,
                     .results = &result,
                     .poll = poll_over,
                     .poll_arg = &waiter->is_ended};
  waiter->code = berth_session_run_with(waiter->session, &run, &err);
  berth_tensor_release(result);
  berth_error_clear(&err);
  return NULL;
}

static void *give_back_once(void *arg) {
  berth_error_t err = BERTH_ERROR_INIT;
  (void)arg;
  berth_code_t code = berth_device_release_memory("GPU:0", &err);
  if (code != BERTH_OK) berth_error_clear(&err);
  return NULL;
}

// A run that waits outside while somebody wants the card alone can be ended.
TEST(give_back, lets_those_who_wait_outside_be_ended) {
  berth_error_t err = BERTH_ERROR_INIT;
  runner_t runner = {0};
  pthread_t inside, giver, outside;
  stage_open(&err);
  waiter_t waiter = {.session = stage.session,
                     .y = stage.y,
                     .feed = {stage.x, floats(COUNT, 0, &err)}};
  ASSERT_OK(berth_host_register("wait", wait_inside, NULL, &err), &err);
  open_calling("wait", &runner.session, &runner.y, &err);
  ASSERT_TRUE(pthread_create(&inside, NULL, run_one, &runner) == 0);
  while (!atomic_load(&scene.is_inside)) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  ASSERT_TRUE(pthread_create(&giver, NULL, give_back_once, NULL) == 0);
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  atomic_store(&waiter.is_ended, true);
  ASSERT_TRUE(pthread_create(&outside, NULL, run_polled, &waiter) == 0);
  pthread_join(outside, NULL);
  EXPECT_EQ(waiter.code, BERTH_CANCELLED);
  atomic_store(&scene.may_go, true);
  pthread_join(giver, NULL);
  pthread_join(inside, NULL);
  EXPECT_EQ(runner.code, BERTH_OK);
  berth_tensor_release((berth_tensor_t *)(uintptr_t)waiter.feed.tensor);
  berth_session_destroy(runner.session);
  stage_close();
}
