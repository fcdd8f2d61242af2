// exit_test.c - Processes that end while products are under way.
//
// Each round is a process of its own. It has a handler, registered before
// anything else and so called after everything else, that sleeps: a thread that
// uses what has been destroyed by then has time to fall over it.
#define HARNESS_ASAN_OPTIONS "detect_leaks=0"
#include <pthread.h>
#include <stdatomic.h>

#include "gpu_testing.h"

// The thread sanitizer waits a second at every end, and is slow in loops that
// do without oneDNN, which takes products from this size on.
#ifdef __SANITIZE_THREAD__
enum { ROUNDS = 2 };
#else
enum { ROUNDS = 6 };
#endif
enum { SIZE = 448, MANY = 40, FEW = 3 };

static berth_context_t *context = NULL;
static const char *device = NULL;
static atomic_int begun = 0;
static void (*early_handler)(void) = NULL;

static void linger(void) { usleep(100000); }

// Makes a matrix of |value| on |device|; NULL when that fails.
static berth_tensor_t *make_matrix(float value) {
  float *values = malloc(sizeof(float) * SIZE * SIZE);
  berth_tensor_t *host = NULL, *matrix = NULL;
  for (int i = 0; i < SIZE * SIZE; ++i) values[i] = value;
  bool is_made =
      berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(SIZE, SIZE), values,
                             &host, NULL) == BERTH_OK &&
      berth_eager_copy(context, host, device, &matrix, NULL) == BERTH_OK;
  berth_tensor_release(host);
  free(values);
  return is_made ? matrix : NULL;
}

// Multiplies |matrix| by itself; NULL when that fails.
static berth_tensor_t *square(berth_tensor_t *matrix) {
  berth_tensor_t *inputs[] = {matrix, matrix}, *outputs[1] = {NULL};
  int count = 1;
  bool is_made = berth_eager_call(context, "MatMul", device, inputs, 2, outputs,
                                  &count, NULL) == BERTH_OK;
  return is_made ? outputs[0] : NULL;
}

// Queues |count| products and drops the results; false when one fails.
static bool queue_products(int count) {
  berth_tensor_t *matrix = make_matrix(1);
  bool is_queued = matrix != NULL;
  for (int i = 0; is_queued && i < count; ++i) {
    berth_tensor_t *product = square(matrix);
    is_queued = product != NULL;
    berth_tensor_release(product);
    atomic_store(&begun, 1);
  }
  berth_tensor_release(matrix);
  return is_queued;
}

// Multiplies until the process ends; a card that ends first is no failure.
static void *multiply_on(void *arg) {
  (void)arg;
  while (queue_products(1000)) continue;
  for (;;) pause();
  return NULL;
}

static void start_thread(void *(*fn)(void *)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, fn, NULL) != 0) _Exit(3);
  pthread_detach(thread);
}

static void start_multiplying(void) {
  start_thread(multiply_on);
  while (!atomic_load(&begun)) usleep(100);
}

// ---- Rounds ----

static void drop_line(berth_log_level_t level, const char *file, int line,
                      const char *text, void *arg) {
  (void)level, (void)file, (void)line, (void)text, (void)arg;
}

// Begins the life of a process that is to end.
static void open_device(const char *name) {
  device = name;
  atexit(linger);
  if (early_handler != NULL) atexit(early_handler);
  berth_log_set_callback(drop_line, NULL);
  if (berth_context_create(NULL, &context, NULL) != BERTH_OK) _Exit(2);
}

// Lives |life| in ROUNDS processes, each of which must end well.
static void expect_ends(const char *name, void (*life)(void)) {
  simulate("Tesla K20m");
  for (int round = 0; round < ROUNDS; ++round) {
    pid_t child = fork();
    if (child == 0) {
      open_device(name);
      life();
      _Exit(4);  // It was to end.
    }
    int status = -1;
    ASSERT_TRUE(waitpid(child, &status, 0) == child);
    EXPECT_EQ(status, 0);
  }
}

static void exit_with_a_queue(void) {
  if (!queue_products(MANY)) _Exit(5);
  exit(0);
}

TEST(exit, leaves_a_queue_behind) { expect_ends("GPU:0", exit_with_a_queue); }

static void exit_at_the_first(void) {
  if (!queue_products(1)) _Exit(5);
  exit(0);
}

TEST(exit, comes_in_the_middle_of_the_first_product) {
  expect_ends("GPU:0", exit_at_the_first);
}

static void exit_beside_a_thread(void) {
  start_multiplying();
  exit(0);
}

TEST(exit, comes_while_a_thread_multiplies_on_the_host) {
  expect_ends("CPU:0", exit_beside_a_thread);
}

TEST(exit, comes_while_a_thread_multiplies_on_a_card) {
  expect_ends("GPU:0", exit_beside_a_thread);
}

static void *exit_here(void *arg) {
  (void)arg;
  exit(0);
}

static void exit_in_a_thread(void) {
  start_multiplying();
  usleep(50000);
  start_thread(exit_here);
  for (;;) pause();
}

TEST(exit, may_be_called_by_any_thread) {
  expect_ends("CPU:0", exit_in_a_thread);
}

TEST(exit, may_be_called_by_any_thread_on_a_card) {
  expect_ends("GPU:0", exit_in_a_thread);
}

static void exit_quickly(void) {
  if (!queue_products(MANY)) _Exit(5);
  quick_exit(0);
}

TEST(exit, may_be_quick) { expect_ends("GPU:0", exit_quickly); }

// ---- Handlers of the program ----

static void destroy_context(void) { berth_context_destroy(context); }

// Called after the cards have ended, because it was registered before.
TEST(exit, lets_an_early_handler_destroy_what_is_left) {
  early_handler = destroy_context;
  expect_ends("GPU:0", exit_with_a_queue);
}

static void *multiply_once(void *arg) {
  (void)arg;
  (void)queue_products(FEW);
  return NULL;
}

static pthread_t awaited;

static void await_thread(void) { pthread_join(awaited, NULL); }

static void exit_and_await(void) {
  if (pthread_create(&awaited, NULL, multiply_once, NULL) != 0) _Exit(3);
  while (!atomic_load(&begun)) usleep(100);
  exit(0);
}

TEST(exit, lets_an_early_handler_await_a_thread_on_the_host) {
  early_handler = await_thread;
  expect_ends("CPU:0", exit_and_await);
}

TEST(exit, lets_an_early_handler_await_a_thread_on_a_card) {
  early_handler = await_thread;
  expect_ends("GPU:0", exit_and_await);
}

// Called while the cards still work: what it computes is right.
static void compute_at_the_end(void) {
  berth_tensor_t *matrix = make_matrix(1);
  berth_tensor_t *product = matrix != NULL ? square(matrix) : NULL;
  berth_tensor_t *host = NULL;
  if (product == NULL ||
      berth_eager_copy(context, product, "CPU:0", &host, NULL) != BERTH_OK) {
    _Exit(6);
  }
  const float *values = berth_tensor_data(host);
  for (int i = 0; i < SIZE * SIZE; ++i) {
    if (values[i] != SIZE) _Exit(7);
  }
}

static void exit_and_compute(void) {
  if (!queue_products(1)) _Exit(5);
  atexit(compute_at_the_end);
  exit(0);
}

TEST(exit, lets_a_late_handler_compute_on_a_card) {
  expect_ends("GPU:0", exit_and_compute);
}

TEST(exit, lets_a_late_handler_compute_on_the_host) {
  expect_ends("CPU:0", exit_and_compute);
}

// ---- Children ----

// A child ends as it likes; its parent's products are not its business.
static void exit_after_a_child(void) {
  if (!queue_products(MANY)) _Exit(5);
  pid_t child = fork();
  if (child == 0) exit(0);
  int status = -1;
  if (waitpid(child, &status, 0) != child || status != 0) _Exit(8);
  compute_at_the_end();
  exit(0);
}

TEST(exit, of_a_child_leaves_the_parent_alone) {
#if defined(__SANITIZE_ADDRESS__)
  SKIP("the address sanitizer's own heap may be locked in a forked child");
#endif
  expect_ends("GPU:0", exit_after_a_child);
}

static void exit_after_a_child_on_the_host(void) {
  start_multiplying();
  exit_after_a_child();
}

TEST(exit, of_a_child_leaves_threads_of_the_parent_alone) {
#if defined(__SANITIZE_ADDRESS__)
  SKIP("the address sanitizer's own heap may be locked in a forked child");
#endif
  expect_ends("CPU:0", exit_after_a_child_on_the_host);
}
