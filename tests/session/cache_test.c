// cache_test.c - What a session keeps of its runs, and forgets.
#include "runtime/session_internal.h"
#include "session_testing.h"

enum { THREADS = 16, CHAIN = 20 };

static int program_count(const rig_t *rig) {
  return rig->session->programs.count;
}

// Returns the only program of the session.
static berth_program_t *only_program(const rig_t *rig) {
  for (int i = 0; i < BERTH_PROGRAM_BUCKETS; ++i) {
    berth_program_entry_t *entry =
        atomic_load(&rig->session->programs.buckets[i]);
    if (entry != NULL) return entry->program;
  }
  return NULL;
}

// Runs |fetch| with a ramp of |size| fed to |x| and returns the last element.
static double run_with(rig_t *rig, berth_out_t x, berth_out_t fetch,
                       int64_t size) {
  berth_tensor_t *fed = ramp(size), *result = NULL;
  berth_feed_t feed = {x, fed};
  berth_code_t code =
      berth_session_run(rig->session, &feed, 1, &fetch, 1, &result, &rig->err);
  double last = -1;
  if (code == BERTH_OK) {
    last = element(result, berth_tensor_count(result) - 1);
  } else {
    HARNESS_FAIL("%s", berth_error_message(&rig->err));
  }
  berth_tensor_release(result);
  berth_tensor_release(fed);
  return last;
}

// A chain that doubles: its first outputs are fetched, one per run.
static void chain_open(rig_t *rig, int most, berth_out_t *x,
                       berth_out_t *outs) {
  rig_init(rig);
  *x = hole(rig->graph, "x");
  berth_out_t last = *x;
  for (int i = 0; i < CHAIN; ++i) {
    outs[i] = last = berth_add_v2(rig->graph, NULL, last, last);
  }
  berth_config_t config = BERTH_CONFIG_INIT;
  config.max_programs = most;
  ASSERT_OK(rig_open(rig, &config), &rig->err);
}

// ---- Programs ----

TEST(programs, only_those_used_last_are_kept) {
  rig_t rig;
  berth_out_t x, outs[CHAIN];
  chain_open(&rig, 4, &x, outs);
  for (int i = 0; i < CHAIN; ++i) {
    // The first one is used all the time, and is never forgotten.
    EXPECT_EQ(run_with(&rig, x, outs[0], 3), 4);
    EXPECT_EQ(run_with(&rig, x, outs[i], 3), (double)(4 << i));
    EXPECT_TRUE(program_count(&rig) <= 4);
  }
  unsigned made = atomic_load(&rig.session->programs.tick);
  EXPECT_EQ(made, CHAIN);
  rig_clear(&rig);
}

TEST(programs, a_callable_outlives_its_place) {
  rig_t rig;
  berth_out_t x, outs[CHAIN];
  chain_open(&rig, 1, &x, outs);
  berth_callable_t *callable = NULL;
  ASSERT_OK(berth_callable_create(rig.session, &x, 1, &outs[3], 1, NULL, 0,
                                  &callable, &rig.err),
            &rig.err);
  for (int i = 4; i < CHAIN; ++i) run_with(&rig, x, outs[i], 3);
  berth_tensor_t *fed = ramp(2), *result = NULL;
  ASSERT_OK(berth_callable_run(callable, &fed, &result, &rig.err), &rig.err);
  EXPECT_EQ(element(result, 1), 16);
  berth_tensor_release(result);
  berth_tensor_release(fed);
  berth_callable_destroy(callable);
  rig_clear(&rig);
}

TEST(programs, a_partial_run_outlives_its_place) {
  rig_t rig;
  berth_out_t x, outs[CHAIN];
  chain_open(&rig, 1, &x, outs);
  berth_partial_t *partial = NULL;
  ASSERT_OK(berth_partial_create(rig.session, &x, 1, &outs[3], 1, NULL, 0,
                                 &partial, &rig.err),
            &rig.err);
  for (int i = 4; i < CHAIN; ++i) run_with(&rig, x, outs[i], 3);
  berth_tensor_t *fed = ramp(2), *result = NULL;
  berth_feed_t feed = {x, fed};
  ASSERT_OK(
      berth_partial_run(partial, &feed, 1, &outs[3], 1, &result, &rig.err),
      &rig.err);
  EXPECT_EQ(element(result, 1), 16);
  berth_tensor_release(result);
  berth_tensor_release(fed);
  berth_partial_destroy(partial);
  rig_clear(&rig);
}

typedef struct worker {
  rig_t *rig;
  berth_out_t x;
  const berth_out_t *outs;
  int number;
} worker_t;

static void *run_many(void *arg) {
  const worker_t *worker = arg;
  for (int i = 0; i < 300; ++i) {
    int out = (i * 7 + worker->number) % CHAIN;
    rig_t own = {.graph = worker->rig->graph, .session = worker->rig->session};
    EXPECT_EQ(run_with(&own, worker->x, worker->outs[out], 1 + i % 40),
              (double)(i % 40) * (double)(2 << out));
  }
  return NULL;
}

// Every run makes somebody else's program disappear.
TEST(programs, are_forgotten_while_others_run) {
  rig_t rig;
  berth_out_t x, outs[CHAIN];
  chain_open(&rig, 2, &x, outs);
  pthread_t threads[4];
  worker_t workers[4];
  for (int i = 0; i < 4; ++i) {
    workers[i] = (worker_t){&rig, x, outs, i};
    pthread_create(&threads[i], NULL, run_many, &workers[i]);
  }
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  EXPECT_TRUE(program_count(&rig) <= 2);
  rig_clear(&rig);
}

// Runs other programs, once, while a run asks whether to go on.
static int run_others(void *arg) {
  worker_t *worker = arg;
  rig_t own = {.graph = worker->rig->graph, .session = worker->rig->session};
  if (worker->number++ > 0) return 0;
  for (int i = 1; i < CHAIN; ++i) {
    EXPECT_EQ(run_with(&own, worker->x, worker->outs[i], 2), 2 << i);
  }
  return 0;
}

TEST(programs, one_is_forgotten_while_it_runs) {
  rig_t rig;
  berth_out_t x, outs[CHAIN];
  chain_open(&rig, 2, &x, outs);
  EXPECT_EQ(run_with(&rig, x, outs[0], 2), 2);
  worker_t worker = {&rig, x, outs, 0};
  berth_tensor_t *fed = ramp(2), *result = NULL;
  berth_feed_t feed = {x, fed};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = outs,
                     .fetch_count = 1,
                     .results = &result,
                     .poll = run_others,
                     .poll_arg = &worker};
  ASSERT_OK(berth_session_run_with(rig.session, &run, &rig.err), &rig.err);
  EXPECT_EQ(element(result, 1), 2);
  EXPECT_TRUE(worker.number > 0);
  EXPECT_EQ(program_count(&rig), 2);
  berth_tensor_release(result);
  berth_tensor_release(fed);
  rig_clear(&rig);
}

// ---- Layouts ----

TEST(layouts, equal_ones_are_made_once) {
  rig_t rig;
  berth_out_t x, outs[CHAIN];
  chain_open(&rig, 4, &x, outs);
  run_with(&rig, x, outs[0], 1);
  worker_t workers[THREADS];
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    workers[i] = (worker_t){&rig, x, outs, 0};
    pthread_create(&threads[i], NULL, run_many, &workers[i]);
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  rig_clear(&rig);
}

TEST(layouts, those_used_last_are_kept) {
  rig_t rig;
  berth_out_t x, outs[CHAIN];
  chain_open(&rig, 4, &x, outs);
  for (int i = 0; i < 10 * BERTH_MAX_LAYOUTS; ++i) {
    for (int k = 0; k < 5; ++k) {
      EXPECT_EQ(run_with(&rig, x, outs[0], 1), 0);
      EXPECT_EQ(run_with(&rig, x, outs[0], 2 + i), 2 * (i + 1));
    }
  }
  berth_program_t *program = only_program(&rig);
  EXPECT_EQ(program->layout_count, BERTH_MAX_LAYOUTS);
  EXPECT_EQ(atomic_load(&program->tick), 10 * BERTH_MAX_LAYOUTS + 1);
  EXPECT_TRUE(atomic_load(&program->late_layout) == NULL);
  rig_clear(&rig);
}

// Shapes that never come again are not planned for, but now and then.
TEST(layouts, shapes_that_always_change_go_without) {
  rig_t rig;
  berth_out_t x, outs[CHAIN];
  chain_open(&rig, 4, &x, outs);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(run_with(&rig, x, outs[0], 1 + i), 2 * i);
  }
  berth_program_t *program = only_program(&rig);
  EXPECT_TRUE(atomic_load(&program->late_layout) != NULL);
  EXPECT_TRUE(atomic_load(&program->tick) < 300);
  rig_clear(&rig);
}

// ---- Variables ----

typedef struct holder {
  rig_t rig;
  berth_out_t handle, x, sum;
  berth_node_id_t assign;
} holder_t;

static void holder_open(holder_t *h) {
  rig_init(&h->rig);
  berth_graph_t *graph = h->rig.graph;
  h->x = hole(graph, "x");
  berth_op_t *op = berth_op_begin(graph, "VarHandleOp", "v");
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_attr_shape(op, "shape", ((berth_dims_t){-1, NULL}));
  berth_op_attr_string(op, "shared_name", "v", 1);
  h->handle = (berth_out_t){berth_op_finish(op), 0};
  op = berth_op_begin(graph, "AssignVariableOp", "assign");
  berth_op_input(op, h->handle);
  berth_op_input(op, h->x);
  h->assign = berth_op_finish(op);
  op = berth_op_begin(graph, "ReadVariableOp", "read");
  berth_op_input(op, h->handle);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_out_t read = {berth_op_finish(op), 0};
  h->sum = berth_add_v2(graph, NULL, read, read);
  ASSERT_OK(rig_open(&h->rig, NULL), &h->rig.err);
}

static void holder_assign(holder_t *h, int64_t size) {
  berth_tensor_t *fed = ramp(size);
  berth_feed_t feed = {h->x, fed};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .targets = &h->assign,
                     .target_count = 1};
  ASSERT_OK(berth_session_run_with(h->rig.session, &run, &h->rig.err),
            &h->rig.err);
  berth_tensor_release(fed);
}

static berth_code_t holder_sum(holder_t *h, double *out_last) {
  berth_tensor_t *result = NULL;
  berth_code_t code = berth_session_run(h->rig.session, NULL, 0, &h->sum, 1,
                                        &result, &h->rig.err);
  if (code == BERTH_OK) {
    *out_last = element(result, berth_tensor_count(result) - 1);
  }
  berth_tensor_release(result);
  return code;
}

// Returns the layout that the sum used last.
static const berth_layout_t *sum_layout(const holder_t *h) {
  for (int i = 0; i < BERTH_PROGRAM_BUCKETS; ++i) {
    berth_program_entry_t *entry =
        atomic_load(&h->rig.session->programs.buckets[i]);
    for (; entry != NULL; entry = atomic_load(&entry->next)) {
      if (entry->program->signature.fetch_count == 1) {
        return atomic_load(&entry->program->layouts);
      }
    }
  }
  return NULL;
}

// A layout that was made before there was a value is replaced by a better one.
TEST(layouts, planned_once_a_variable_has_a_value) {
  holder_t h;
  double last = 0;
  holder_open(&h);
  EXPECT_EQ(holder_sum(&h, &last), BERTH_FAILED_PRECONDITION);
  holder_assign(&h, 5);
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(holder_sum(&h, &last), &h.rig.err);
    EXPECT_EQ(last, 8);
  }
  const berth_layout_t *layout = sum_layout(&h);
  ASSERT_TRUE(layout != NULL);
  EXPECT_FALSE(layout->has_late);
  EXPECT_TRUE(atomic_load(&layout->next) == NULL);
  rig_clear(&h.rig);
}

// However often its shape changes, what comes after is planned.
TEST(layouts, follow_a_variable_whose_shape_changes) {
  holder_t h;
  double last = 0;
  holder_open(&h);
  for (int i = 1; i < 4 * BERTH_MAX_LAYOUTS; ++i) {
    holder_assign(&h, i);
    for (int k = 0; k < 6; ++k) {
      ASSERT_OK(holder_sum(&h, &last), &h.rig.err);
      EXPECT_EQ(last, 2 * (i - 1));
    }
    const berth_layout_t *layout = sum_layout(&h);
    ASSERT_TRUE(layout != NULL);
    EXPECT_FALSE(layout->has_late);
    EXPECT_TRUE(atomic_load(&layout->next) == NULL);
  }
  rig_clear(&h.rig);
}
