// fan_test.c - Towers of a program that run beside each other.
//
// Each tower reads a variable of its own, so that reads stand between them, and
// is long enough for a thread. Sums of whole numbers are exact, so what each
// tower makes is known.
#include "base/parallel.h"
#include "threads_testing.h"

enum { TOWERS = 4, FLOORS = 3, SIDE = 128 };

typedef struct block {
  rig_t rig;
  berth_out_t x, all;
  berth_out_t towers[TOWERS];
  berth_out_t handles[TOWERS];
  berth_node_id_t inits[TOWERS], init;
} block_t;

static berth_out_t handle_add(berth_graph_t *graph, int index) {
  char name[16];
  snprintf(name, sizeof(name), "v%d", index);
  berth_op_t *op = berth_op_begin(graph, "VarHandleOp", name);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_attr_shape(op, "shape", (berth_dims_t){-1, NULL});
  berth_op_attr_string(op, "shared_name", name, strlen(name));
  return berth_output(berth_op_finish(op), 0);
}

static berth_node_id_t change_add(berth_graph_t *graph, const char *type,
                                  berth_out_t handle, berth_out_t value) {
  berth_op_t *op = berth_op_begin(graph, type, NULL);
  berth_op_input(op, handle);
  berth_op_input(op, value);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  return berth_op_finish(op);
}

static berth_out_t read_add(berth_graph_t *graph, berth_out_t handle) {
  berth_op_t *op = berth_op_begin(graph, "ReadVariableOp", NULL);
  berth_op_input(op, handle);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  return berth_output(berth_op_finish(op), 0);
}

// A tower: products with its variable, so that each floor is SIDE times it.
static berth_out_t tower_add(block_t *b, int index) {
  berth_graph_t *graph = b->rig.graph;
  berth_out_t y = b->x;
  for (int i = 0; i < FLOORS; ++i) {
    char name[40];
    snprintf(name, sizeof(name), "tower%d_floor%d", index, i);
    berth_out_t w = read_add(graph, b->handles[index]);
    y = berth_matmul(graph, NULL, y, w);
    y = berth_mul(graph, name, y, const_scalar(graph, NULL, 1.0F / SIDE));
  }
  return y;
}

static void block_init(block_t *b) {
  berth_parallel_pretend_cpus(4);
  rig_init(&b->rig);
  berth_graph_t *graph = b->rig.graph;
  b->x = hole(graph, "x");
  for (int i = 0; i < TOWERS; ++i) b->handles[i] = handle_add(graph, i);
  for (int i = 0; i < TOWERS; ++i) {
    // All elements of variable i are i + 1.
    berth_out_t by = const_scalar(graph, NULL, (float)(i + 1));
    berth_op_t *op = berth_op_begin(graph, "Mul", NULL);
    berth_op_input(op, b->x);
    berth_op_input(op, by);
    b->inits[i] = change_add(graph, "AssignVariableOp", b->handles[i],
                             berth_output(berth_op_finish(op), 0));
  }
  berth_op_t *op = berth_op_begin(graph, "NoOp", "init");
  for (int i = 0; i < TOWERS; ++i) berth_op_control(op, b->inits[i]);
  b->init = berth_op_finish(op);
  for (int i = 0; i < TOWERS; ++i) b->towers[i] = tower_add(b, i);
  op = berth_op_begin(graph, "AddN", "all");
  berth_op_input_list(op, b->towers, TOWERS);
  b->all = berth_output(berth_op_finish(op), 0);
}

static berth_tensor_t *ones(int64_t side) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(side, side), &tensor,
                          NULL) != BERTH_OK) {
    HARNESS_FAIL("no tensor");
    exit(1);
  }
  float *values = berth_tensor_data(tensor);
  for (int64_t i = 0; i < side * side; ++i) values[i] = 1;
  return tensor;
}

// Sets variables, with |init|, for feeds of |side| by |side|.
static void variables_set(block_t *b, berth_node_id_t init, int64_t side) {
  berth_tensor_t *fed = ones(side);
  berth_feed_t feed = {b->x, fed};
  berth_run_t run = {
      .feeds = &feed, .feed_count = 1, .targets = &init, .target_count = 1};
  ASSERT_OK(berth_session_run_with(b->rig.session, &run, &b->rig.err),
            &b->rig.err);
  berth_tensor_release(fed);
}

static void block_set(block_t *b, int64_t side) {
  variables_set(b, b->init, side);
}

// Returns what each element of tower |index| is, for feeds of ones.
static float tower_value(int index, int64_t side) {
  float value = 1;
  for (int i = 0; i < FLOORS; ++i) {
    value = value * (float)((index + 1) * side) * (1.0F / SIDE);
  }
  return value;
}

// Runs once and compares all towers and their sum.
static void expect_right(block_t *b, int64_t side, berth_error_t *err) {
  berth_tensor_t *fed = ones(side), *results[TOWERS + 1] = {0};
  berth_feed_t feed = {b->x, fed};
  berth_out_t fetches[TOWERS + 1];
  float sum = 0;
  memcpy(fetches, b->towers, sizeof(b->towers));
  fetches[TOWERS] = b->all;
  ASSERT_OK(berth_session_run(b->rig.session, &feed, 1, fetches, TOWERS + 1,
                              results, err),
            err);
  for (int i = 0; i <= TOWERS; ++i) {
    float wanted = i < TOWERS ? tower_value(i, side) : sum;
    sum += wanted;
    for (int64_t k = 0; k < side * side; ++k) {
      const float *values = berth_tensor_data(results[i]);
      if (fabsf(values[k] - wanted) <= 1e-5F * wanted) continue;
      HARNESS_FAIL("tower %d is %g, not %g", i, (double)values[k],
                   (double)wanted);
      break;
    }
    berth_tensor_release(results[i]);
  }
  berth_tensor_release(fed);
}

TEST(fan, reads_variables_before_its_parts) {
  block_t b;
  block_init(&b);
  ASSERT_OK(rig_open(&b.rig, NULL), &b.rig.err);
  block_set(&b, SIDE);
  for (int i = 0; i < 20; ++i) expect_right(&b, SIDE, &b.rig.err);
  rig_clear(&b.rig);
}

// Runs once with variables that products of what is fed cannot be made with.
static void expect_refused(block_t *b) {
  berth_tensor_t *fed = ones(SIDE), *results[TOWERS + 1] = {0};
  berth_feed_t feed = {b->x, fed};
  berth_out_t fetches[TOWERS + 1];
  memcpy(fetches, b->towers, sizeof(b->towers));
  fetches[TOWERS] = b->all;
  EXPECT_EQ(berth_session_run(b->rig.session, &feed, 1, fetches, TOWERS + 1,
                              results, &b->rig.err),
            BERTH_INVALID_ARGUMENT);
  for (int i = 0; i <= TOWERS; ++i) EXPECT_TRUE(results[i] == NULL);
  berth_error_clear(&b->rig.err);
  berth_tensor_release(fed);
}

// The variables have another shape than the layout expects: that is known when
// they are read, and the rest goes without a layout.
TEST(fan, goes_on_with_variables_of_another_shape) {
  block_t b;
  block_init(&b);
  ASSERT_OK(rig_open(&b.rig, NULL), &b.rig.err);
  block_set(&b, SIDE);
  expect_right(&b, SIDE, &b.rig.err);
  for (int i = 0; i < TOWERS; ++i) {
    variables_set(&b, b.inits[i], SIDE / 2);
    expect_refused(&b);
    variables_set(&b, b.inits[i], SIDE);
    expect_right(&b, SIDE, &b.rig.err);
  }
  for (int i = 0; i < 6; ++i) {
    int64_t side = i % 2 == 0 ? SIDE / 2 : SIDE;
    block_set(&b, side);
    expect_right(&b, side, &b.rig.err);
  }
  rig_clear(&b.rig);
}

// What changes variables between towers is no part of them, and is done.
TEST(fan, stands_beside_changes) {
  block_t b;
  block_init(&b);
  berth_graph_t *graph = b.rig.graph;
  berth_node_id_t sets[TOWERS];
  for (int i = 0; i < TOWERS; ++i) {
    berth_out_t y =
        berth_mul(graph, NULL, b.x, const_scalar(graph, NULL, (float)(i + 2)));
    for (int k = 0; k < FLOORS; ++k) {
      y = berth_matmul(graph, NULL, y, b.x);
      y = berth_mul(graph, NULL, y, const_scalar(graph, NULL, 1.0F / SIDE));
    }
    sets[i] = change_add(graph, "AssignAddVariableOp", b.handles[i], y);
  }
  ASSERT_OK(rig_open(&b.rig, NULL), &b.rig.err);
  block_set(&b, SIDE);
  berth_tensor_t *fed = ones(SIDE);
  berth_feed_t feed = {b.x, fed};
  berth_run_t run = {
      .feeds = &feed, .feed_count = 1, .targets = sets, .target_count = TOWERS};
  ASSERT_OK(berth_session_run_with(b.rig.session, &run, &b.rig.err),
            &b.rig.err);
  for (int i = 0; i < TOWERS; ++i) {
    EXPECT_EQ(fetch(&b.rig, read_add(graph, b.handles[i])), 2 * i + 3);
  }
  berth_tensor_release(fed);
  rig_clear(&b.rig);
}

static void work_alone(worker_t *worker) {
  block_t *b = worker->shared;
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < 20; ++i) expect_right(b, SIDE, &err);
  berth_error_clear(&err);
}

TEST(fan, is_run_by_several_threads_at_once) {
  block_t b;
  block_init(&b);
  ASSERT_OK(rig_open(&b.rig, NULL), &b.rig.err);
  block_set(&b, SIDE);
  crew_run(work_alone, &b);
  rig_clear(&b.rig);
}

TEST(fan, is_traced_step_by_step) {
  block_t b;
  block_init(&b);
  ASSERT_OK(rig_open(&b.rig, NULL), &b.rig.err);
  block_set(&b, SIDE);
  berth_tensor_t *fed = ones(SIDE), *result = NULL;
  berth_feed_t feed = {b.x, fed};
  void *metadata = NULL;
  size_t size = 0;
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = &b.all,
                     .fetch_count = 1,
                     .results = &result,
                     .trace = true,
                     .out_metadata = &metadata,
                     .out_metadata_size = &size};
  ASSERT_OK(berth_session_run_with(b.rig.session, &run, &b.rig.err),
            &b.rig.err);
  for (int i = 0; i < TOWERS * FLOORS; ++i) {
    char text[40];
    snprintf(text, sizeof(text), "tower%d_floor%d = MatMul+Mul(", i / FLOORS,
             i % FLOORS);
    EXPECT_EQ(occurrences(metadata, size, text), 1);
  }
  EXPECT_EQ(occurrences(metadata, size, "= ReadVariableOp("), TOWERS * FLOORS);
  berth_text_free(metadata);
  berth_tensor_release(result);
  berth_tensor_release(fed);
  rig_clear(&b.rig);
}

// Of several towers that fail the first is told, whoever was quicker.
TEST(fan, tells_the_first_failure) {
  berth_parallel_pretend_cpus(4);
  rig_t rig;
  rig_init(&rig);
  berth_graph_t *graph = rig.graph;
  berth_out_t x = hole(graph, "x"), towers[3];
  berth_out_t corner =
      berth_const_f32(graph, NULL, (float[]){1}, BERTH_SHAPE(1));
  berth_out_t axis = berth_const_i32(graph, NULL, (int32_t[]){0}, BERTH_SCALAR);
  for (int i = 0; i < 3; ++i) {
    char name[16];
    snprintf(name, sizeof(name), "bad%d", i);
    berth_out_t y = berth_matmul(graph, NULL, x, x);
    y = berth_matmul(graph, NULL, y, x);
    // There is no row before the first.
    berth_out_t rows = berth_cast(
        graph, NULL, i == 0 ? berth_relu(graph, NULL, y) : y, BERTH_INT32);
    towers[i] = berth_gather_v2(graph, name, corner, rows, axis);
    towers[i] = berth_matmul(graph, NULL, towers[i], x);
    towers[i] = berth_matmul(graph, NULL, towers[i], x);
  }
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_tensor_t *fed = ones(SIDE), *results[3] = {0};
  float *values = berth_tensor_data(fed);
  for (int i = 0; i < SIDE * SIDE; ++i) values[i] = i % 2 == 0 ? -1 : -2;
  for (int i = 0; i < 50; ++i) {
    berth_feed_t feed = {x, fed};
    berth_code_t code =
        berth_session_run(rig.session, &feed, 1, towers, 3, results, &rig.err);
    EXPECT_EQ(code, BERTH_INVALID_ARGUMENT);
    EXPECT_TRUE(strstr(berth_error_message(&rig.err), "bad1") != NULL);
    EXPECT_TRUE(strstr(berth_error_message(&rig.err), "bad2") == NULL);
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(results[k] == NULL);
    berth_error_clear(&rig.err);
  }
  berth_tensor_release(fed);
  rig_clear(&rig);
}
