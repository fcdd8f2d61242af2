// queue_test.c - Producers and consumers on several threads.
#include "threads_testing.h"

enum { ELEMENTS = 50 };

typedef struct shared {
  rig_t rig;
  berth_out_t x, taken;
  berth_node_id_t put, shut;
  atomic_int sum;
  atomic_int ended;
} shared_t;

static void shared_open(shared_t *s, int capacity) {
  *s = (shared_t){0};
  rig_init(&s->rig);
  berth_graph_t *graph = s->rig.graph;
  berth_out_t queue = float_queue(graph, "queue", capacity);
  s->x = hole(graph, "x");
  s->put = berth_queue_enqueue_v2(graph, "put", queue, &s->x, 1);
  s->taken = dequeue(graph, "taken", queue);
  s->shut = berth_queue_close_v2(graph, "shut", queue);
  EXPECT_EQ(rig_open(&s->rig, NULL), BERTH_OK);
}

static berth_code_t put_value(shared_t *s, float value) {
  berth_tensor_t *fed = scalar(value);
  berth_feed_t feed = {s->x, fed};
  berth_run_t run = {
      .feeds = &feed, .feed_count = 1, .targets = &s->put, .target_count = 1};
  berth_code_t code = berth_session_run_with(s->rig.session, &run, NULL);
  berth_tensor_release(fed);
  return code;
}

// Even threads put, odd ones take.
static void put_or_take(worker_t *worker) {
  shared_t *s = worker->shared;
  for (int i = 0; i < ELEMENTS; ++i) {
    if (worker->index % 2 == 0) {
      EXPECT_EQ(put_value(s, (float)i), BERTH_OK);
    } else {
      atomic_fetch_add(&s->sum,
                       (int)fetch_alone(&s->rig, s->taken, s->taken, NULL));
    }
  }
}

TEST(queues, between_threads) {
  for (int capacity = 1; capacity <= 7; capacity += 3) {
    shared_t s;
    shared_open(&s, capacity);
    crew_run(put_or_take, &s);
    EXPECT_EQ(atomic_load(&s.sum), CREW / 2 * ELEMENTS * (ELEMENTS - 1) / 2);
    rig_clear(&s.rig);
  }
}

// Takes until the queue is closed and empty.
static void take_all(worker_t *worker) {
  shared_t *s = worker->shared;
  for (;;) {
    berth_tensor_t *result = NULL;
    berth_code_t code =
        berth_session_run(s->rig.session, NULL, 0, &s->taken, 1, &result, NULL);
    if (code != BERTH_OK) {
      EXPECT_EQ(code, BERTH_OUT_OF_RANGE);
      atomic_fetch_add(&s->ended, 1);
      return;
    }
    atomic_fetch_add(&s->sum, (int)element(result, 0));
    berth_tensor_release(result);
  }
}

TEST(queues, closing_ends_consumers) {
  shared_t s;
  crew_t crew;
  shared_open(&s, 3);
  crew_start(&crew, take_all, &s);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(put_value(&s, (float)i), BERTH_OK);
  ASSERT_OK(run_target(&s.rig, s.shut), &s.rig.err);
  crew_join(&crew);
  EXPECT_EQ(atomic_load(&s.sum), 4950);
  EXPECT_EQ(atomic_load(&s.ended), CREW);
  EXPECT_EQ(put_value(&s, 1), BERTH_CANCELLED);
  rig_clear(&s.rig);
}

// Consumers that give up again and again, while elements pass.
static void take_or_give_up(worker_t *worker) {
  shared_t *s = worker->shared;
  for (int i = 0; i < ELEMENTS; ++i) {
    if (worker->index == 0) {
      EXPECT_EQ(put_value(s, 1), BERTH_OK);
      continue;
    }
    berth_tensor_t *result = NULL;
    berth_run_t run = {.fetches = &s->taken,
                       .fetch_count = 1,
                       .results = &result,
                       .timeout_ms = 1 + worker->index % 3};
    berth_code_t code = berth_session_run_with(s->rig.session, &run, NULL);
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_DEADLINE_EXCEEDED);
    if (code == BERTH_OK) atomic_fetch_add(&s->sum, 1);
    berth_tensor_release(result);
  }
}

// An element that is handed out in the moment its run gives up is gone, as in
// TensorFlow; none is handed out twice, and the queue works on.
TEST(queues, elements_go_to_one_consumer) {
  shared_t s;
  shared_open(&s, 1000);
  crew_run(take_or_give_up, &s);
  berth_out_t queue = {berth_graph_find(s.rig.graph, "queue"), 0};
  int left =
      (int)fetch(&s.rig, berth_queue_size_v2(s.rig.graph, "size", queue));
  EXPECT_TRUE(atomic_load(&s.sum) + left <= ELEMENTS);
  EXPECT_EQ(put_value(&s, 1), BERTH_OK);
  for (int i = 0; i <= left; ++i) EXPECT_EQ(fetch(&s.rig, s.taken), 1);
  rig_clear(&s.rig);
}

// ---- Host calls ----

static void *finish_later(void *arg) {
  berth_host_call_t *call = arg;
  berth_tensor_t *result =
      scalar((float)element(berth_host_call_input(call, 0), 0) + 1);
  berth_host_call_finish(call, BERTH_OK, NULL, &result, 1);
  return NULL;
}

// Finishes on a thread of its own.
static void elsewhere(berth_host_call_t *call, void *arg) {
  (void)arg;
  pthread_t thread;
  if (pthread_create(&thread, NULL, finish_later, call) != 0) {
    berth_host_call_finish(call, BERTH_INTERNAL, "no thread", NULL, 0);
    return;
  }
  pthread_detach(thread);
}

static void call_host(worker_t *worker) {
  shared_t *s = worker->shared;
  for (int i = 0; i < ELEMENTS; ++i) {
    EXPECT_EQ(fetch_alone(&s->rig, s->taken, s->x, scalar((float)i)), i + 2);
  }
}

TEST(host_calls, finished_by_other_threads) {
  shared_t s = {0};
  rig_init(&s.rig);
  ASSERT_OK(berth_host_register("elsewhere", elsewhere, NULL, NULL), NULL);
  s.x = hole(s.rig.graph, "x");
  berth_out_t once = callback(s.rig.graph, "once", "elsewhere", &s.x, 1);
  s.taken = callback(s.rig.graph, "twice", "elsewhere", &once, 1);
  ASSERT_OK(rig_open(&s.rig, NULL), &s.rig.err);
  crew_run(call_host, &s);
  rig_clear(&s.rig);
  // Detached threads may still be leaving.
  sleep_ms(20);
  ASSERT_OK(berth_host_register("elsewhere", NULL, NULL, NULL), NULL);
}
