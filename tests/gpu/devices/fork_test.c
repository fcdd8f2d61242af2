// fork_test.c - Forks while other threads are busy with everything.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>

#include "gpu_testing.h"

enum { FORKS = 25, CHILD_SECONDS = 60 };

static berth_context_t *context;
static atomic_bool is_over;

static void drop_line(berth_log_level_t level, const char *file, int line,
                      const char *text, void *arg) {
  (void)level, (void)file, (void)line, (void)text, (void)arg;
}

// Twice |value|, in a session of its own, with a step that is prepared late.
static float run_late(float value, const char *device, berth_error_t *err) {
  berth_graph_t *graph = berth_graph_create();
  berth_session_t *session = NULL;
  berth_tensor_t *fed = NULL;
  float got = -1;
  berth_out_t x = berth_placeholder(graph, "x", BERTH_FLOAT);
  berth_op_t *where = berth_op_begin(graph, "Where", NULL);
  berth_op_input(where, x);
  berth_op_device(where, device);
  berth_out_t places = {berth_op_finish(where), 0};
  berth_op_t *twice = berth_op_begin(graph, "AddV2", NULL);
  berth_op_input(twice, x);
  berth_op_input(twice, x);
  berth_op_device(twice, device);
  berth_out_t both[2] = {{berth_op_finish(twice), 0}, places};
  berth_tensor_t *results[2] = {NULL, NULL};
  if (berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(1), &value, &fed, err) ==
          BERTH_OK &&
      berth_session_create(graph, NULL, &session, err) == BERTH_OK) {
    berth_feed_t feed = {x, fed};
    if (berth_session_run(session, &feed, 1, both, 2, results, err) ==
        BERTH_OK) {
      got = *(float *)berth_tensor_data(results[0]);
    }
  }
  for (int i = 0; i < 2; ++i) berth_tensor_release(results[i]);
  berth_tensor_release(fed);
  berth_session_destroy(session);
  berth_graph_release(graph);
  return got;
}

static void *hammer_sessions(void *arg) {
  const char *device = arg;
  while (!atomic_load(&is_over)) {
    berth_error_t err = BERTH_ERROR_INIT;
    EXPECT_EQ(run_late(3, device, &err), 6);
    berth_error_clear(&err);
  }
  return NULL;
}

// Products by the vendor's library, copies, memory that is pinned.
static void *hammer_calls(void *arg) {
  enum { SIDE = 200 };
  static float values[SIDE * SIDE];
  (void)arg;
  while (!atomic_load(&is_over)) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_tensor_t *host = NULL, *in[2] = {NULL, NULL}, *out = NULL;
    int count = 1;
    if (berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(SIDE, SIDE), values,
                               &host, &err) == BERTH_OK &&
        berth_eager_copy(context, host, "GPU:0", &in[0], &err) == BERTH_OK) {
      in[1] = in[0];
      EXPECT_EQ(berth_eager_call(context, "MatMul", "/gpu:0", in, 2, &out,
                                 &count, &err),
                BERTH_OK);
    }
    berth_error_clear(&err);
    berth_tensor_release(out);
    berth_tensor_release(in[0]);
    berth_tensor_release(host);
  }
  return NULL;
}

static void *hammer_cards(void *arg) {
  (void)arg;
  while (!atomic_load(&is_over)) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_memory_stats_t stats;
    if (berth_device_release_memory("GPU:0", &err) != BERTH_OK ||
        berth_device_memory_stats("GPU:0", &stats, &err) != BERTH_OK) {
      berth_error_clear(&err);
    }
  }
  return NULL;
}

// What a child can do: work on the CPU, let go of what it has, and be told that
// there is no GPU.
static bool live_as_child(berth_tensor_t *pinned, berth_tensor_t *on_card) {
  berth_error_t err = BERTH_ERROR_INIT;
  if (run_late(4, "/cpu:0", &err) != 8) {
    fprintf(stderr, "child: %s\n", berth_error_message(&err));
    return false;
  }
  if (run_late(4, "/gpu:0", &err) == 8) return false;
  bool is_told = err.code == BERTH_FAILED_PRECONDITION;
  if (!is_told) fprintf(stderr, "child: %s\n", berth_error_message(&err));
  berth_error_clear(&err);
  berth_code_t code = berth_device_release_memory("GPU:0", &err);
  berth_error_clear(&err);
  berth_tensor_release(pinned);
  berth_tensor_release(on_card);
  return is_told && code != BERTH_OK;
}

static void fork_once(berth_tensor_t *pinned, berth_tensor_t *on_card) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    alarm(CHILD_SECONDS);
    _exit(live_as_child(pinned, on_card) ? 0 : 1);
  }
  int status = -1;
  EXPECT_TRUE(child > 0 && waitpid(child, &status, 0) == child);
  EXPECT_EQ(status, 0);
}

// No child hangs in a lock that another thread held.
TEST(fork, beside_busy_threads) {
#if defined(__SANITIZE_ADDRESS__)
  SKIP("the address sanitizer's own heap may be locked in a forked child");
#endif
  static void *(*const hammers[])(void *) = {hammer_sessions, hammer_sessions,
                                             hammer_calls, hammer_cards};
  static const char *const devices[] = {"/cpu:0", "/gpu:0", "", ""};
  pthread_t threads[4];
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *host = NULL, *on_card = NULL;
  static float values[100000];
  simulate(K40C);
  berth_log_set_callback(drop_line, NULL);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  ASSERT_OK(berth_process_configure(&config, &err), &err);
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  ASSERT_OK(berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(100000), values,
                                   &host, &err),
            &err);
  ASSERT_OK(berth_eager_copy(context, host, "GPU:0", &on_card, &err), &err);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(pthread_create(&threads[i], NULL, hammers[i],
                               (void *)(uintptr_t)devices[i]) == 0);
  }
  for (int i = 0; i < FORKS; ++i) {
    berth_tensor_t *kept = NULL;
    ASSERT_OK(berth_tensor_to_host(on_card, &kept, &err), &err);
    fork_once(kept, on_card);
    berth_tensor_release(kept);
  }
  atomic_store(&is_over, true);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  berth_tensor_release(on_card);
  berth_tensor_release(host);
  berth_context_destroy(context);
}
