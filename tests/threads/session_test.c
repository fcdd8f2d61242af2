// session_test.c - One session, many threads.
#include "threads_testing.h"

enum { ROUNDS = 60 };

typedef struct shared {
  rig_t rig;
  berth_out_t x, y, v;
  berth_node_id_t add;
  atomic_int stop;
  atomic_int runs;
  atomic_int cancelled;
} shared_t;

static void shared_open(shared_t *s) {
  *s = (shared_t){0};
  rig_init(&s->rig);
  s->x = hole(s->rig.graph, "x");
  berth_out_t square = berth_square(s->rig.graph, "square", s->x);
  s->y = berth_add_v2(s->rig.graph, "y", square, s->x);
  EXPECT_EQ(rig_open(&s->rig, NULL), BERTH_OK);
}

static void run_same(worker_t *worker) {
  shared_t *s = worker->shared;
  for (int i = 0; i < ROUNDS; ++i) {
    float value = (float)(worker->index * 100 + i);
    EXPECT_EQ(fetch_alone(&s->rig, s->y, s->x, scalar(value)),
              value * value + value);
  }
}

TEST(threads, run_one_program) {
  shared_t s;
  shared_open(&s);
  crew_run(run_same, &s);
  rig_clear(&s.rig);
}

// Another shape in every thread and round, past the limit on layouts.
static void run_shapes(worker_t *worker) {
  shared_t *s = worker->shared;
  for (int i = 0; i < ROUNDS; ++i) {
    int64_t count = 1 + (worker->index * 7 + i * 5) % 40;
    berth_tensor_t *fed = ramp(count), *result = NULL;
    EXPECT_EQ(berth_session_run(s->rig.session, &(berth_feed_t){s->x, fed}, 1,
                                &s->y, 1, &result, NULL),
              BERTH_OK);
    double last = (double)(count - 1);
    EXPECT_EQ(element(result, count - 1), last * last + last);
    berth_tensor_release(result);
    berth_tensor_release(fed);
  }
}

TEST(threads, run_many_shapes) {
  shared_t s;
  shared_open(&s);
  crew_run(run_shapes, &s);
  rig_clear(&s.rig);
}

// ---- Growth ----

// Adds a node and runs it, as all the others do.
static void extend_and_run(worker_t *worker) {
  shared_t *s = worker->shared;
  for (int i = 0; i < ROUNDS / 2; ++i) {
    berth_out_t c = const_scalar(s->rig.graph, NULL, (float)i);
    berth_out_t sum = berth_add_v2(s->rig.graph, NULL, s->y, c);
    EXPECT_EQ(fetch_alone(&s->rig, sum, s->x, scalar(3)), 12 + i);
    EXPECT_EQ(fetch_alone(&s->rig, s->y, s->x, scalar(2)), 6);
  }
}

TEST(threads, extend_the_graph_while_others_run) {
  shared_t s;
  shared_open(&s);
  crew_run(extend_and_run, &s);
  EXPECT_EQ(berth_graph_node_count(s.rig.graph), 3 + CREW * (ROUNDS / 2) * 2);
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_graph_error(s.rig.graph, &err), &err);
  rig_clear(&s.rig);
}

// Half of the threads look at the graph and its placement, half extend it.
static void extend_and_look(worker_t *worker) {
  shared_t *s = worker->shared;
  for (int i = 0; i < ROUNDS; ++i) {
    if (worker->index % 2 == 0) {
      berth_neg(s->rig.graph, NULL, s->x);
      continue;
    }
    int count = berth_graph_node_count(s->rig.graph);
    berth_node_placement_t placement = {0};
    EXPECT_EQ(
        berth_session_placement(s->rig.session, count - 1, &placement, NULL),
        BERTH_OK);
    EXPECT_TRUE(placement.device != NULL);
    EXPECT_TRUE(berth_node_name(s->rig.graph, count - 1)[0] != '\0');
    char *text = NULL;
    EXPECT_EQ(berth_session_explain(s->rig.session, count - 1, &text, NULL),
              BERTH_OK);
    berth_text_free(text);
  }
}

TEST(threads, look_at_a_graph_that_grows) {
  shared_t s;
  shared_open(&s);
  crew_run(extend_and_look, &s);
  rig_clear(&s.rig);
}

// ---- Variables ----

static void add_one(worker_t *worker) {
  shared_t *s = worker->shared;
  rig_t own = {.graph = s->rig.graph, .session = s->rig.session};
  for (int i = 0; i < ROUNDS; ++i) {
    EXPECT_EQ(run_target(&own, s->add), BERTH_OK);
    double now = fetch(&own, s->v);
    EXPECT_TRUE(now >= i + 1 && now <= CREW * ROUNDS);
  }
  berth_error_clear(&own.err);
}

TEST(threads, update_a_variable) {
  shared_t s;
  shared_open(&s);
  berth_graph_t *graph = s.rig.graph;
  s.v = berth_variable_v2(graph, "v", BERTH_SCALAR, BERTH_FLOAT);
  berth_out_t zero = const_scalar(graph, "zero", 0);
  berth_out_t one = const_scalar(graph, "one", 1);
  berth_out_t set = berth_assign(graph, "set", s.v, zero);
  berth_assign_add_attrs_t locked = {.use_locking = true};
  s.add = berth_assign_add_with(graph, "add", s.v, one, &locked).node;
  ASSERT_OK(run_target(&s.rig, set.node), &s.rig.err);
  crew_run(add_one, &s);
  EXPECT_EQ(fetch(&s.rig, s.v), CREW * ROUNDS);
  rig_clear(&s.rig);
}

// A vector of equal numbers stays one, whoever reads or writes it.
static void replace_all(worker_t *worker) {
  shared_t *s = worker->shared;
  for (int i = 0; i < ROUNDS; ++i) {
    berth_tensor_t *result = NULL;
    if (worker->index % 2 == 0) {
      float values[64];
      for (int k = 0; k < 64; ++k) values[k] = (float)(worker->index + i);
      fetch_alone(&s->rig, berth_output(s->add, 0), s->x,
                  tensor_of(BERTH_FLOAT, BERTH_SHAPE(64), values));
      continue;
    }
    EXPECT_EQ(
        berth_session_run(s->rig.session, NULL, 0, &s->v, 1, &result, NULL),
        BERTH_OK);
    for (int k = 1; k < 64; ++k) {
      EXPECT_EQ(element(result, k), element(result, 0));
    }
    berth_tensor_release(result);
  }
}

TEST(threads, replace_a_variable_while_others_read) {
  shared_t s;
  shared_open(&s);
  s.v = berth_variable_v2(s.rig.graph, "v", BERTH_SHAPE(64), BERTH_FLOAT);
  berth_out_t set = berth_assign(s.rig.graph, "set", s.v, s.x);
  s.add = set.node;
  fetch_fed(&s.rig, set, s.x,
            tensor_of(BERTH_FLOAT, BERTH_SHAPE(64), (float[64]){0}));
  crew_run(replace_all, &s);
  rig_clear(&s.rig);
}

// ---- Ends ----

static void run_until_closed(worker_t *worker) {
  shared_t *s = worker->shared;
  for (;;) {
    berth_tensor_t *fed = ramp(1000), *result = NULL;
    berth_error_t err = BERTH_ERROR_INIT;
    berth_code_t code = berth_session_run(
        s->rig.session, &(berth_feed_t){s->x, fed}, 1, &s->y, 1, &result, &err);
    berth_tensor_release(fed);
    berth_tensor_release(result);
    if (code == BERTH_OK) atomic_fetch_add(&s->runs, 1);
    bool is_closed = code == BERTH_CANCELLED;
    if (is_closed) {
      EXPECT_STR(berth_error_message(&err), "Session has been closed.");
      atomic_fetch_add(&s->cancelled, 1);
    }
    berth_error_clear(&err);
    if (code != BERTH_OK) return;
  }
}

TEST(threads, close_while_others_run) {
  for (int i = 0; i < 5; ++i) {
    shared_t s;
    crew_t crew;
    shared_open(&s);
    crew_start(&crew, run_until_closed, &s);
    while (atomic_load(&s.runs) < CREW) sleep_ms(1);
    berth_session_close(s.rig.session);
    crew_join(&crew);
    EXPECT_EQ(atomic_load(&s.cancelled), CREW);
    rig_clear(&s.rig);
  }
}

typedef struct cancelling {
  shared_t shared;
  berth_out_t taken;
  berth_cancel_t *cancel;
} cancelling_t;

// Waits for an element that never comes, until it is cancelled.
static void wait_for_nothing(worker_t *worker) {
  cancelling_t *c = worker->shared;
  berth_tensor_t *result = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_run_t run = {.fetches = &c->taken,
                     .fetch_count = 1,
                     .results = &result,
                     .cancel = c->cancel};
  EXPECT_FAILS(berth_session_run_with(c->shared.rig.session, &run, &err),
               BERTH_CANCELLED, &err, "Run call was cancelled");
}

TEST(threads, cancel_all_at_once) {
  cancelling_t c;
  crew_t crew;
  shared_open(&c.shared);
  berth_out_t queue = float_queue(c.shared.rig.graph, "queue", 1);
  c.taken = dequeue(c.shared.rig.graph, "taken", queue);
  c.cancel = berth_cancel_create();
  crew_start(&crew, wait_for_nothing, &c);
  sleep_ms(20);
  berth_cancel_fire(c.cancel);
  crew_join(&crew);
  berth_cancel_release(c.cancel);
  EXPECT_EQ(fetch_fed(&c.shared.rig, c.shared.y, c.shared.x, scalar(1)), 2);
  rig_clear(&c.shared.rig);
}

// Each thread has sessions of its own on one graph.
static void open_and_run(worker_t *worker) {
  shared_t *s = worker->shared;
  for (int i = 0; i < 10; ++i) {
    rig_t own = {.graph = berth_graph_retain(s->rig.graph)};
    EXPECT_EQ(rig_open(&own, NULL), BERTH_OK);
    EXPECT_EQ(fetch_fed(&own, s->y, s->x, scalar(3)), 12);
    rig_clear(&own);
  }
}

TEST(threads, open_sessions) {
  shared_t s;
  shared_open(&s);
  crew_run(open_and_run, &s);
  rig_clear(&s.rig);
}

// The process object is made by whoever comes first.
static void open_first(worker_t *worker) {
  (void)worker;
  rig_t own;
  rig_init(&own);
  berth_out_t c = const_scalar(own.graph, "c", 4);
  EXPECT_EQ(rig_open(&own, NULL), BERTH_OK);
  EXPECT_EQ(fetch(&own, berth_neg(own.graph, "n", c)), -4);
  rig_clear(&own);
}

TEST(threads, make_the_process_object) { crew_run(open_first, NULL); }

// Products large enough to go wide: one has the pool, the others go alone.
static void multiply(worker_t *worker) {
  enum { SIZE = 128 };
  shared_t *s = worker->shared;
  for (int i = 0; i < 3; ++i) {
    static float values[SIZE * SIZE];  // Zeros.
    berth_tensor_t *matrix =
        tensor_of(BERTH_FLOAT, BERTH_SHAPE(SIZE, SIZE), values);
    EXPECT_EQ(fetch_alone(&s->rig, s->y, s->x, matrix), 0);
  }
}

TEST(threads, go_wide) {
  shared_t s;
  shared_open(&s);
  s.y = berth_matmul(s.rig.graph, "product", s.x, s.x);
  crew_run(multiply, &s);
  rig_clear(&s.rig);
}
