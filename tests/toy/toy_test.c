// toy_test.c - A backend that a program brings along, beside those of the
// build.
#include "berth/berth.h"

#include "harness.h"

#include "kept_log.h"
#include "runtime/backends.h"
#include "simulate.h"
#include "toy.h"

// The machine has a simulated card, GPU:0, and the toy's, GPU:1.
static void join(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  simulate_cards("H100");
  atexit(simulate_forget);
  keep_log();
  ASSERT_OK(berth_backends_add(&toy_backend, &err), &err);
}

// Transposes x, a matrix, on |first| and negates it on |second|.
typedef struct program {
  berth_graph_t *graph;
  berth_out_t x, result;
} program_t;

static program_t program_make(const char *first, const char *second) {
  program_t program = {.graph = berth_graph_create()};
  berth_graph_t *g = program.graph;
  program.x = berth_placeholder(g, "x", BERTH_FLOAT);
  berth_device_push(g, first);
  int32_t order[] = {1, 0};
  berth_out_t perm = berth_const_i32(g, "perm", order, BERTH_SHAPE(2));
  berth_out_t turned = berth_transpose(g, "turned", program.x, perm);
  berth_device_pop(g);
  berth_device_push(g, second);
  program.result = berth_neg(g, "result", turned);
  berth_device_pop(g);
  return program;
}

// Runs |session| with a matrix of |rows| by 3 that counts from |begin| on.
static void run_once(berth_session_t *session, const program_t *program,
                     int64_t rows, float begin) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *x = NULL, *result = NULL;
  ASSERT_OK(berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(rows, 3), &x, &err),
            &err);
  float *values = berth_tensor_data(x);
  for (int64_t i = 0; i < rows * 3; ++i) values[i] = begin + (float)i;
  berth_feed_t feed = {program->x, x};
  ASSERT_OK(
      berth_session_run(session, &feed, 1, &program->result, 1, &result, &err),
      &err);
  const float *got = berth_tensor_data(result);
  int wrong = 0;
  for (int64_t i = 0; i < rows * 3; ++i) {
    wrong += got[i % 3 * rows + i / 3] != -values[i];
  }
  EXPECT_EQ(wrong, 0);
  berth_tensor_release(x);
  berth_tensor_release(result);
}

enum { RUNS = 5 };

// Runs |program| with few elements, which lie in pinned memory, and with many;
// several times, so that layouts and recordings are used again.
static void run_program(const program_t *program) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  ASSERT_OK(berth_session_create(program->graph, NULL, &session, &err), &err);
  for (int i = 0; i < RUNS; ++i) {
    run_once(session, program, 2, (float)i);
    run_once(session, program, 1000, (float)i);
  }
  berth_session_destroy(session);
}

TEST(toy, has_its_cards_behind_those_of_the_build) {
  berth_error_t err = BERTH_ERROR_INIT;
  join();
  int count = 0;
  ASSERT_OK(berth_card_count(&count, &err), &err);
  EXPECT_EQ(count, 2);
  berth_card_t card;
  ASSERT_OK(berth_card_query(1, &card, &err), &err);
  EXPECT_STR(card.name, "Toy");
  ASSERT_OK(berth_device_card("/device:GPU:1", &count, &err), &err);
  EXPECT_EQ(count, 1);
  EXPECT_FAILS(berth_card_query(2, &card, &err), BERTH_OUT_OF_RANGE, &err,
               "card 2 of 2 was asked for");
}

TEST(toy, computes_what_is_placed_on_it) {
  join();
  program_t program = program_make("/device:GPU:1", "/device:GPU:1");
  run_program(&program);
  EXPECT_EQ(toy_kernels_queued, 2 * 2 * RUNS);
  berth_graph_release(program.graph);
}

// Neither backend knows the other's memory: values go through the host's.
TEST(toy, takes_values_of_another_backend) {
  join();
  program_t there = program_make("/device:GPU:0", "/device:GPU:1");
  run_program(&there);
  EXPECT_EQ(toy_kernels_queued, 2 * RUNS);
  program_t back = program_make("/device:GPU:1", "/device:GPU:0");
  run_program(&back);
  EXPECT_EQ(toy_kernels_queued, 4 * RUNS);
  // Its own, in and out, whatever their size.
  EXPECT_TRUE(toy_copies_queued >= 2 * RUNS);
  berth_graph_release(there.graph);
  berth_graph_release(back.graph);
}

TEST(toy, takes_eager_calls_and_copies) {
  berth_error_t err = BERTH_ERROR_INIT;
  join();
  berth_context_t *context = NULL;
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  float value = 2;
  berth_tensor_t *host = NULL, *card = NULL, *toy = NULL, *back = NULL;
  ASSERT_OK(berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(1), &host, &err),
            &err);
  memcpy(berth_tensor_data(host), &value, sizeof(value));
  ASSERT_OK(berth_eager_copy(context, host, "/device:GPU:0", &card, &err),
            &err);
  ASSERT_OK(berth_eager_copy(context, card, "/device:GPU:1", &toy, &err), &err);
  ASSERT_OK(berth_eager_copy(context, toy, "/device:GPU:0", &back, &err), &err);
  berth_tensor_t *result = NULL;
  ASSERT_OK(berth_tensor_to_host(back, &result, &err), &err);
  EXPECT_EQ(*(float *)berth_tensor_data(result), 2);
  berth_tensor_release(host);
  berth_tensor_release(card);
  berth_tensor_release(toy);
  berth_tensor_release(back);
  berth_tensor_release(result);
  berth_context_destroy(context);
}

TEST(toy, says_which_kernels_it_lacks) {
  berth_error_t err = BERTH_ERROR_INIT;
  join();
  berth_graph_t *g = berth_graph_create();
  berth_out_t x = berth_placeholder(g, "x", BERTH_FLOAT);
  berth_device_push(g, "/device:GPU:1");
  berth_out_t y = berth_tanh(g, "y", x);
  berth_device_pop(g);
  berth_session_t *session = NULL;
  ASSERT_OK(berth_session_create(g, NULL, &session, &err), &err);
  berth_tensor_t *value = NULL, *result = NULL;
  ASSERT_OK(berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(1), &value, &err),
            &err);
  berth_feed_t feed = {x, value};
  EXPECT_EQ(berth_session_run(session, &feed, 1, &y, 1, &result, &err),
            BERTH_UNIMPLEMENTED);
  EXPECT_TRUE(strstr(berth_error_message(&err), "y (Tanh) on") != NULL);
  berth_error_clear(&err);
  berth_tensor_release(value);
  berth_session_destroy(session);
  berth_graph_release(g);
}

TEST(toy, comes_too_late_once_devices_are_there) {
  berth_error_t err = BERTH_ERROR_INIT;
  int count = 0;
  setenv("BERTH_SIMULATE_GPUS", "none", 1);
  ASSERT_OK(berth_device_count(&count, &err), &err);
  EXPECT_EQ(berth_backends_add(&toy_backend, &err), BERTH_FAILED_PRECONDITION);
  berth_error_clear(&err);
}
