// memory_test.c - Memory of cards: what a process holds, what it may hold, and
// two processes on one card.
#include "gpu_testing.h"
#include "runtime/process.h"

// Takes |size| bytes of |name|; NULL when that fails.
static berth_buffer_t *take(const char *name, size_t size, berth_error_t *err) {
  berth_registry_t all = {0};
  berth_device_t *device = NULL;
  berth_buffer_t *buffer = NULL;
  berth_code_t code = berth_process_list(&all, err);
  if (code == BERTH_OK) code = berth_registry_get(&all, name, &device, err);
  if (code == BERTH_OK) {
    code = device->allocator->alloc(device->allocator, size, &buffer, err);
  }
  berth_registry_deinit(&all);
  return code == BERTH_OK ? buffer : NULL;
}

static uint64_t pool_bytes(const char *name) {
  berth_memory_stats_t stats = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_device_memory_stats(name, &stats, &err) != BERTH_OK) {
    HARNESS_FAIL("no figures: %s", berth_error_message(&err));
  }
  berth_error_clear(&err);
  return (uint64_t)stats.pool_bytes;
}

static uint64_t free_bytes(int index) {
  berth_card_t card = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_card_query(index, &card, &err) != BERTH_OK) {
    HARNESS_FAIL("no card: %s", berth_error_message(&err));
  }
  berth_error_clear(&err);
  return card.free_bytes;
}

TEST(memory, all_of_it_from_the_first_use_on) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  ASSERT_OK(open_session(NULL, &session, &err), &err);
  EXPECT_EQ(free_bytes(0), 11439 * MIB);
  berth_buffer_t *buffer = take("GPU:0", 1000, &err);
  ASSERT_TRUE(buffer != NULL);
  // To the piece that the driver hands out.
  EXPECT_TRUE(pool_bytes("GPU:0") > 10936 * MIB);
  EXPECT_TRUE(free_bytes(0) <= 502 * MIB);
  berth_buffer_release(buffer);
  EXPECT_TRUE(free_bytes(0) <= 502 * MIB);
  berth_session_destroy(session);
}

TEST(memory, growth_holds_what_is_used) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  ASSERT_OK(open_session(&config, &session, &err), &err);
  berth_buffer_t *buffer = take("GPU:0", 100 * MIB, &err);
  ASSERT_TRUE(buffer != NULL);
  EXPECT_TRUE(pool_bytes("GPU:0") >= 100 * MIB);
  EXPECT_TRUE(pool_bytes("GPU:0") <= 128 * MIB);
  berth_buffer_release(buffer);
  berth_session_destroy(session);
}

TEST(memory, tensorflows_allocator_grows_by_doubling) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  config.gpu.allocator_type = "BFC";
  ASSERT_OK(berth_process_configure(&config, &err), &err);
  berth_buffer_t *small = take("GPU:0", 1000, &err);
  ASSERT_TRUE(small != NULL);
  EXPECT_EQ(pool_bytes("GPU:0"), 2 * MIB);
  berth_buffer_t *large = take("GPU:0", 3 * MIB, &err);
  ASSERT_TRUE(large != NULL);
  EXPECT_EQ(pool_bytes("GPU:0"), 6 * MIB);
  berth_memory_stats_t stats;
  ASSERT_OK(berth_device_memory_stats("GPU:0", &stats, &err), &err);
  // The whole region of 4 MiB: what is left is less than the request.
  EXPECT_EQ(stats.bytes_in_use, 1024 + 4 * MIB);
  berth_buffer_release(small);
  berth_buffer_release(large);
  EXPECT_EQ(pool_bytes("GPU:0"), 6 * MIB);
}

TEST(memory, an_allocator_that_keeps_nothing) {
  simulate(K40C);
  setenv("TF_GPU_ALLOCATOR", "cuda_malloc", 1);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *buffer = take("GPU:0", 100 * MIB, &err);
  ASSERT_TRUE(buffer != NULL);
  EXPECT_EQ(pool_bytes("GPU:0"), 100 * MIB);
  berth_buffer_release(buffer);
  EXPECT_EQ(pool_bytes("GPU:0"), 0);
}

TEST(memory, more_than_the_card_when_it_is_asked_for) {
  simulate("Small card memory=128MiB cc=8.0");
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.memory_fraction = 2;
  config.gpu.allow_growth = true;
  config.gpu_experimental.no_retry = true;
  ASSERT_OK(berth_process_configure(&config, &err), &err);
  berth_buffer_t *buffer = take("GPU:0", 200 * MIB, &err);
  ASSERT_TRUE(buffer != NULL);
  EXPECT_TRUE(take("GPU:0", 100 * MIB, &err) == NULL);
  berth_error_clear(&err);
  berth_buffer_release(buffer);
}

TEST(memory, never_more_than_the_card_otherwise) {
  simulate("Small card memory=128MiB cc=8.0");
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.memory_fraction = 1;
  config.gpu.allow_growth = true;
  ASSERT_OK(berth_process_configure(&config, &err), &err);
  EXPECT_TRUE(take("GPU:0", 128 * MIB, &err) == NULL);
  EXPECT_EQ(err.code, BERTH_RESOURCE_EXHAUSTED);
  berth_error_clear(&err);
}

TEST(memory, a_limit_is_kept) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  const float limits[] = {64, 256};
  ASSERT_OK(divide_card(limits, 2, &err), &err);
  EXPECT_TRUE(take("GPU:0", 65 * MIB, &err) == NULL);
  EXPECT_EQ(err.code, BERTH_RESOURCE_EXHAUSTED);
  berth_error_clear(&err);
  berth_buffer_t *small = take("GPU:0", 60 * MIB, &err);
  berth_buffer_t *large = take("GPU:1", 200 * MIB, &err);
  ASSERT_TRUE(small != NULL && large != NULL);
  berth_buffer_release(small);
  berth_buffer_release(large);
}

TEST(memory, limits_change_while_running) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  ASSERT_OK(berth_process_configure(&config, &err), &err);
  ASSERT_OK(berth_device_set_memory_limit("GPU:0", 32 * MIB, &err), &err);
  EXPECT_TRUE(take("GPU:0", 33 * MIB, &err) == NULL);
  berth_error_clear(&err);
  berth_device_info_t info;
  ASSERT_OK(berth_device_query(1, &info, &err), &err);
  EXPECT_EQ(info.memory_limit, 32 * MIB);
  ASSERT_OK(berth_device_set_memory_limit("GPU:0", 64 * MIB, &err), &err);
  berth_buffer_t *buffer = take("GPU:0", 33 * MIB, &err);
  ASSERT_TRUE(buffer != NULL);
  berth_buffer_release(buffer);
  ASSERT_OK(berth_device_set_memory_growth("GPU:0", false, &err), &err);
  buffer = take("GPU:0", 1 * MIB, &err);
  ASSERT_TRUE(buffer != NULL);
  EXPECT_EQ(pool_bytes("GPU:0"), 64 * MIB);
  berth_buffer_release(buffer);
  ASSERT_OK(berth_device_set_memory_growth("GPU:0", true, &err), &err);
  ASSERT_OK(berth_device_trim_memory("GPU:0", 0, NULL, &err), &err);
  EXPECT_EQ(pool_bytes("GPU:0"), 0);
}

TEST(memory, changes_that_make_no_sense) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(berth_device_set_memory_limit("GPU:0", 0, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "GPU:0 cannot be limited to 0 bytes: its card has 11994660864");
  EXPECT_FAILS(
      berth_device_set_memory_limit("GPU:0", 11994660865, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "GPU:0 cannot be limited to 11994660865 bytes: its card has 11994660864");
  EXPECT_FAILS(berth_device_set_memory_limit("CPU:0", MIB, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Cannot set a memory limit on non-GPU devices");
  EXPECT_FAILS(berth_device_set_memory_growth("CPU:0", true, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Cannot set memory growth on non-GPU and non-Pluggable devices");
  EXPECT_FAILS(berth_device_set_memory_limit("GPU:1", MIB, &err),
               BERTH_INVALID_ARGUMENT, &err, "GPU:1 unknown device.");
  EXPECT_FAILS(berth_device_reset("CPU:0", &err), BERTH_INVALID_ARGUMENT, &err,
               "CPU:0 does not live on a card");
}

TEST(memory, everything_can_be_given_back) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_buffer_t *buffer = take("GPU:0", MIB, &err);
  ASSERT_TRUE(buffer != NULL);
  berth_buffer_release(buffer);
  EXPECT_TRUE(free_bytes(0) < 1024 * MIB);
  ASSERT_OK(berth_device_release_memory("GPU:0", &err), &err);
  EXPECT_EQ(free_bytes(0), 11439 * MIB);
  buffer = take("GPU:0", MIB, &err);
  ASSERT_TRUE(buffer != NULL);
  berth_buffer_release(buffer);
  ASSERT_OK(berth_device_reset("GPU:0", &err), &err);
  EXPECT_EQ(free_bytes(0), 11439 * MIB);
}

TEST(memory, variables_survive_giving_it_back) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  static float values[1 << 16];
  for (int i = 0; i < 1 << 16; ++i) values[i] = (float)i;
  berth_graph_t *graph = berth_graph_create();
  berth_device_push(graph, "/gpu:0");
  berth_out_t x = berth_const_f32(graph, "x", values, BERTH_SHAPE(1 << 16));
  berth_out_t v =
      berth_variable_v2(graph, "v", BERTH_SHAPE(1 << 16), BERTH_FLOAT);
  berth_out_t set = berth_assign(graph, "set", v, x);
  berth_device_pop(graph);
  berth_session_t *session = NULL;
  berth_tensor_t *value = NULL;
  ASSERT_OK(berth_session_create(graph, NULL, &session, &err), &err);
  ASSERT_OK(berth_session_run(session, NULL, 0, &set, 1, &value, &err), &err);
  berth_tensor_release(value);
  EXPECT_TRUE(free_bytes(0) < 1024 * MIB);
  ASSERT_OK(berth_device_release_memory("GPU:0", &err), &err);
  EXPECT_EQ(free_bytes(0), 11439 * MIB);
  ASSERT_OK(berth_session_run(session, NULL, 0, &v, 1, &value, &err), &err);
  EXPECT_TRUE(memcmp(berth_tensor_data(value), values, sizeof(values)) == 0);
  berth_tensor_release(value);
  berth_session_destroy(session);
  berth_graph_release(graph);
}

// ---- Two processes on one card ----

// A process that holds memory of the card until it is told to end.
typedef struct neighbour {
  pid_t pid;
  int told[2];  // The neighbour reads.
  int said[2];  // The neighbour writes.
} neighbour_t;

static void live_as_neighbour(const neighbour_t *self,
                              const berth_config_t *config) {
  berth_error_t err = BERTH_ERROR_INIT;
  char answer = 'n', word;
  if (berth_process_configure(config, &err) == BERTH_OK &&
      take("GPU:0", MIB, &err) != NULL) {
    answer = 'y';
  }
  if (write(self->said[1], &answer, 1) != 1) _exit(1);
  _exit(read(self->told[0], &word, 1) == 1 ? 0 : 1);
}

// Starts one; false when it got no memory.
static bool neighbour_start(neighbour_t *neighbour,
                            const berth_config_t *config) {
  char answer = '-';
  if (pipe(neighbour->told) != 0 || pipe(neighbour->said) != 0) return false;
  neighbour->pid = fork();
  if (neighbour->pid == 0) live_as_neighbour(neighbour, config);
  return read(neighbour->said[0], &answer, 1) == 1 && answer == 'y';
}

static void neighbour_end(neighbour_t *neighbour) {
  int status = 0;
  if (write(neighbour->told[1], ".", 1) != 1) HARNESS_FAIL("it is gone");
  waitpid(neighbour->pid, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(memory, a_second_process_gets_what_is_left) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  neighbour_t neighbour;
  ASSERT_TRUE(neighbour_start(&neighbour, NULL));
  berth_session_t *session = NULL;
  ASSERT_OK(open_session(NULL, &session, &err), &err);
  berth_card_user_t user = {0};
  int users = 0;
  ASSERT_OK(berth_card_query_users(0, &user, 1, &users, &err), &err);
  EXPECT_EQ(users, 1);
  EXPECT_EQ(user.pid, (uint32_t)neighbour.pid);
  uint64_t left = free_bytes(0);
  EXPECT_TRUE(left <= 502 * MIB && user.bytes == 11439 * MIB - left);
  // Less than 2 GiB are free: 225 MiB stay with the system.
  char line[256];
  snprintf(line, sizeof(line),
           "I Created device " LOCAL
           "GPU:0 with %d MB memory:  -> device: 0, name: Tesla K40c, pci bus "
           "id: 0000:05:00.0, compute capability: 3.5\n",
           (int)(left / MIB) - 225);
  EXPECT_STR(logged, line);
  EXPECT_TRUE(take("GPU:0", 400 * MIB, &err) == NULL);
  EXPECT_EQ(err.code, BERTH_RESOURCE_EXHAUSTED);
  berth_error_clear(&err);
  berth_buffer_t *buffer = take("GPU:0", 10 * MIB, &err);
  ASSERT_TRUE(buffer != NULL);
  berth_buffer_release(buffer);
  neighbour_end(&neighbour);
  berth_session_destroy(session);
}

TEST(memory, a_fraction_that_is_not_left_backs_off) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  neighbour_t neighbour;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.memory_fraction = 0.6;
  ASSERT_TRUE(neighbour_start(&neighbour, &config));
  // The limit is of the whole card, whoever else is on it.
  ASSERT_OK(berth_process_configure(&config, &err), &err);
  berth_buffer_t *buffer = take("GPU:0", 100 * MIB, &err);
  ASSERT_TRUE(buffer != NULL);
  EXPECT_TRUE(take("GPU:0", 6000 * MIB, &err) == NULL);
  EXPECT_EQ(err.code, BERTH_RESOURCE_EXHAUSTED);
  berth_error_clear(&err);
  berth_buffer_release(buffer);
  neighbour_end(&neighbour);
}

TEST(memory, with_growth_both_fit) {
  simulate(K40C);
  berth_error_t err = BERTH_ERROR_INIT;
  neighbour_t neighbour;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  ASSERT_TRUE(neighbour_start(&neighbour, &config));
  ASSERT_OK(berth_process_configure(&config, &err), &err);
  berth_buffer_t *buffer = take("GPU:0", 6000 * MIB, &err);
  ASSERT_TRUE(buffer != NULL);
  berth_buffer_release(buffer);
  neighbour_end(&neighbour);
}
