// threads_test.c - Sessions on GPUs created from many threads at once.
#include <pthread.h>

#include "gpu_testing.h"

enum { THREADS = 8, ROUNDS = 20 };

// What one thread asks for, and how often it got it.
typedef struct client {
  const char *visible;
  int opened, refused, failed;
} client_t;

static void *open_sessions(void *arg) {
  client_t *client = arg;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.visible_devices = client->visible;
  for (int i = 0; i < ROUNDS; ++i) {
    berth_graph_t *graph = berth_graph_create();
    berth_session_t *session = NULL;
    berth_error_t err = BERTH_ERROR_INIT;
    berth_code_t code = berth_session_create(graph, &config, &session, &err);
    if (code == BERTH_OK && berth_session_device_count(session) == 3) {
      ++client->opened;
    } else if (code == BERTH_ALREADY_EXISTS) {
      ++client->refused;
    } else {
      ++client->failed;
    }
    berth_error_clear(&err);
    berth_session_destroy(session);
    berth_graph_release(graph);
  }
  return NULL;
}

static void drop_line(berth_log_level_t level, const char *file, int line,
                      const char *text, void *arg) {
  (void)level;
  (void)file;
  (void)line;
  (void)text;
  (void)arg;
}

// Runs all of |clients| at once.
static void run(client_t *clients) {
  pthread_t threads[THREADS];
  simulate(FOUR_K20M);
  berth_log_set_callback(drop_line, NULL);
  for (int i = 0; i < THREADS; ++i) {
    if (pthread_create(&threads[i], NULL, open_sessions, &clients[i]) != 0) {
      HARNESS_FAIL("no thread");
      _Exit(1);
    }
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
}

TEST(threads, share_what_the_first_has_opened) {
  client_t clients[THREADS];
  for (int i = 0; i < THREADS; ++i) clients[i] = (client_t){.visible = "2,1"};
  run(clients);
  for (int i = 0; i < THREADS; ++i) EXPECT_EQ(clients[i].opened, ROUNDS);
  int count = 0;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_device_count(&count, &err), &err);
  EXPECT_EQ(count, 3);
}

TEST(threads, agree_on_one_mapping) {
  client_t clients[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    clients[i] = (client_t){.visible = i % 2 == 0 ? "0,1" : "3,2"};
  }
  run(clients);
  // One wish is granted always, the other one never.
  bool is_first = clients[0].opened > 0;
  for (int i = 0; i < THREADS; ++i) {
    bool is_granted = (i % 2 == 0) == is_first;
    EXPECT_EQ(clients[i].opened, is_granted ? ROUNDS : 0);
    EXPECT_EQ(clients[i].refused, is_granted ? 0 : ROUNDS);
  }
}
