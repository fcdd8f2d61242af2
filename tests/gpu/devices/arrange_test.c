// arrange_test.c - Other GPUs while a program runs: cards that are hidden and
// shown, and divided in another way.
#include <pthread.h>

#include "gpu_testing.h"
#include "runtime/process.h"

#define THREE "Test*3 memory=1GiB cc=8.0"

// Writes the GPUs that there are, and their cards: "0:2 1:1".
static const char *gpus(void) {
  static char text[64];
  int count = 0;
  text[0] = '\0';
  EXPECT_EQ(berth_device_count(&count, NULL), BERTH_OK);
  for (int i = 0; i < count; ++i) {
    berth_device_info_t info;
    int card = 0;
    if (berth_device_query(i, &info, NULL) != BERTH_OK ||
        strcmp(info.type, "GPU") != 0 ||
        berth_device_card(info.name, &card, NULL) != BERTH_OK) {
      continue;
    }
    size_t used = strlen(text);
    snprintf(text + used, sizeof(text) - used, "%s%s:%d", used > 0 ? " " : "",
             strrchr(info.name, ':') + 1, card);
  }
  return text;
}

static berth_code_t show(const char *cards, berth_error_t *err) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.visible_devices = cards;
  config.gpu.allow_growth = true;
  if (cards[0] == '\0') config.gpu_count = 0;
  return berth_process_reconfigure(&config, err);
}

static berth_code_t divide(int parts, float limit, berth_error_t *err) {
  float limits[4] = {limit, limit, limit, limit};
  berth_virtual_devices_t cards[3] = {
      {0}, {.memory_limit_mb = limits, .memory_limit_count = parts}, {0}};
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  config.gpu_experimental.virtual_devices = cards;
  config.gpu_experimental.virtual_device_count = 3;
  return berth_process_reconfigure(&config, err);
}

static uint64_t used_of(int index) {
  berth_card_t card = {0};
  EXPECT_EQ(berth_card_query(index, &card, NULL), BERTH_OK);
  return card.total_bytes - card.free_bytes;
}

// A sum that runs on GPU:1.
static berth_graph_t *make_sum(berth_out_t *out_sum) {
  berth_graph_t *graph = berth_graph_create();
  berth_device_push(graph, "/gpu:1");
  berth_out_t a = berth_const_f32(graph, NULL, (float[]){1, 2}, BERTH_SHAPE(2));
  *out_sum = berth_add(graph, NULL, a, a);
  berth_device_pop(graph);
  return graph;
}

static berth_code_t run_once(berth_session_t *session, berth_out_t sum,
                             berth_error_t *err) {
  berth_tensor_t *result = NULL;
  berth_code_t code =
      berth_session_run(session, NULL, 0, &sum, 1, &result, err);
  berth_tensor_release(result);
  return code;
}

TEST(arrange, cards_are_hidden_and_shown) {
  simulate(THREE);
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(show("0,1,2", &err), &err);
  EXPECT_STR(gpus(), "0:0 1:1 2:2");
  berth_out_t sum;
  berth_graph_t *graph = make_sum(&sum);
  berth_session_t *session = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  ASSERT_OK(berth_session_create(graph, &config, &session, &err), &err);
  ASSERT_OK(run_once(session, sum, &err), &err);
  EXPECT_TRUE(used_of(1) > 0);
  // Its constants are on the card, and would be in the way.
  berth_session_destroy(session);
  ASSERT_OK(berth_session_create(graph, &config, &session, &err), &err);
  ASSERT_OK(show("0,2", &err), &err);
  EXPECT_STR(gpus(), "0:0 1:2");
  EXPECT_EQ(used_of(1), 0);
  EXPECT_EQ(run_once(session, sum, &err), BERTH_FAILED_PRECONDITION);
  EXPECT_TRUE(strstr(berth_error_message(&err),
                     LOCAL "GPU:1 was removed while the program ran") != NULL);
  berth_error_clear(&err);
  ASSERT_OK(show("", &err), &err);
  EXPECT_STR(gpus(), "");
  ASSERT_OK(show("0,1,2", &err), &err);
  EXPECT_STR(gpus(), "0:0 1:1 2:2");
  ASSERT_OK(run_once(session, sum, &err), &err);  // The same device as before.
  berth_session_destroy(session);
  berth_graph_release(graph);
}

TEST(arrange, what_holds_something_is_not_removed) {
  simulate(THREE);
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(divide(2, 64, &err), &err);
  EXPECT_STR(gpus(), "0:0 1:1 2:1 3:2");
  berth_registry_t all = {0};
  berth_device_t *device = NULL;
  berth_buffer_t *buffer = NULL;
  ASSERT_OK(berth_process_list(&all, &err), &err);
  ASSERT_OK(berth_registry_get(&all, "GPU:2", &device, &err), &err);
  ASSERT_OK(
      device->allocator->alloc(device->allocator, 16 * MIB, &buffer, &err),
      &err);
  EXPECT_FAILS(show("0", &err), BERTH_FAILED_PRECONDITION, &err,
               "GPU:2 cannot be removed: tensors and variables hold 16.00MiB: "
               "16.00MiB; drop them and close their sessions first");
  EXPECT_FAILS(divide(2, 8, &err), BERTH_FAILED_PRECONDITION, &err,
               "GPU:2 cannot be limited to 8.00MiB: tensors and variables hold "
               "16.00MiB: 16.00MiB; drop them and close their sessions first");
  EXPECT_STR(gpus(), "0:0 1:1 2:1 3:2");
  ASSERT_OK(divide(1, 32, &err), &err);
  EXPECT_STR(gpus(), "0:0 1:2 2:1");
  berth_buffer_release(buffer);
  ASSERT_OK(divide(3, 32, &err), &err);
  EXPECT_STR(gpus(), "0:0 1:1 2:1 3:1 4:2");
  berth_registry_deinit(&all);
}

static void *change(void *arg) {
  for (int i = 0; i < 12; ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_code_t code =
        arg != NULL ? divide(i % 3 + 1, 64, &err) : show("0,1,2", &err);
    if (code != BERTH_OK && code != BERTH_FAILED_PRECONDITION) {
      HARNESS_FAIL("%s", berth_error_message(&err));
    }
    berth_error_clear(&err);
  }
  return NULL;
}

static void *work(void *unused) {
  (void)unused;
  berth_out_t sum;
  berth_graph_t *graph = make_sum(&sum);
  for (int i = 0; i < 20; ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_session_t *session = NULL;
    berth_config_t config = BERTH_CONFIG_INIT;
    config.gpu.allow_growth = true;
    berth_code_t code = berth_session_create(graph, &config, &session, &err);
    if (code == BERTH_OK) code = run_once(session, sum, &err);
    // Its GPU may be removed at any moment, but nothing else happens.
    if (code != BERTH_OK && code != BERTH_FAILED_PRECONDITION) {
      HARNESS_FAIL("%s", berth_error_message(&err));
    }
    berth_session_destroy(session);
    berth_error_clear(&err);
  }
  berth_graph_release(graph);
  return NULL;
}

TEST(arrange, changes_and_runs_in_many_threads) {
  simulate(THREE);
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(show("0,1,2", &err), &err);
  pthread_t threads[4];
  pthread_create(&threads[0], NULL, change, NULL);
  pthread_create(&threads[1], NULL, change, threads);
  pthread_create(&threads[2], NULL, work, NULL);
  pthread_create(&threads[3], NULL, work, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  ASSERT_OK(show("0,1,2", &err), &err);
  EXPECT_STR(gpus(), "0:0 1:1 2:2");
}
