// bits_test.c - Results have the same bits on any number of threads.
//
// The kernels that go wide are run by sessions of 1, 2, 3 and 8 threads, on a
// machine that pretends to have 8 CPUs. Sizes are odd, so that vectors, tiles
// and pieces end anywhere.
#include "base/parallel.h"
#include "threads_testing.h"

enum { ROWS = 517, COLS = 1031, MOST = 128 };

typedef struct bits {
  berth_graph_t *graph;
  berth_out_t fed;
  berth_out_t fetches[MOST];
  char names[MOST][48];
  int count;
  berth_tensor_t *first[MOST];  // Of the session with one thread.
} bits_t;

static berth_out_t add(bits_t *bits, berth_op_t *op, const char *name,
                       const char *type) {
  berth_out_t out = berth_output(berth_op_finish(op), 0);
  if (bits->count == MOST) {
    HARNESS_FAIL("there is no room for %s", name);
    return out;
  }
  snprintf(bits->names[bits->count], sizeof(bits->names[0]), "%s of %s", name,
           type);
  bits->fetches[bits->count++] = out;
  return out;
}

static berth_out_t add_call(bits_t *bits, const char *op, const char *type,
                            berth_out_t a, const berth_out_t *b) {
  berth_op_t *node = berth_op_begin(bits->graph, op, NULL);
  berth_op_input(node, a);
  if (b != NULL) berth_op_input(node, *b);
  return add(bits, node, op, type);
}

static berth_out_t ints(bits_t *bits, int count, int32_t first) {
  const int32_t values[] = {first, 1};
  berth_dims_t shape = {1, (const int64_t[]){count}};
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_copy_from(BERTH_INT32, shape, values, &tensor, NULL) !=
      BERTH_OK) {
    HARNESS_FAIL("no tensor");
  }
  berth_out_t out = berth_const(bits->graph, NULL, tensor);
  berth_tensor_release(tensor);
  return out;
}

// ---- What goes wide ----

static void add_reductions(bits_t *bits, const char *type, berth_out_t x) {
  static const char *const ops[] = {"Sum", "Mean", "Prod", "Max", "Min"};
  berth_out_t axes[] = {ints(bits, 1, 0), ints(bits, 1, 1), ints(bits, 2, 0)};
  for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); ++i) {
    for (int k = 0; k < 3; ++k) add_call(bits, ops[i], type, x, &axes[k]);
  }
  add_call(bits, "L2Loss", type, x, NULL);
}

static void add_elementwise(bits_t *bits, const char *type, berth_out_t x,
                            berth_out_t row) {
  static const char *const ops[] = {"Exp",     "Tanh",     "Erf",
                                    "Sigmoid", "Sin",      "Log1p",
                                    "Softmax", "Softplus", "LogSoftmax"};
  for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); ++i) {
    add_call(bits, ops[i], type, x, NULL);
  }
  add_call(bits, "Pow", type, x, &x);
  add_call(bits, "RealDiv", type, x, &row);
  add_call(bits, "BiasAdd", type, x, &row);
  berth_out_t many[11];
  for (int i = 0; i < 11; ++i) many[i] = x;
  berth_op_t *sum = berth_op_begin(bits->graph, "AddN", NULL);
  berth_op_input_list(sum, many, 11);
  add(bits, sum, "AddN", type);
}

static void add_products(bits_t *bits, const char *type, berth_out_t x) {
  static const char *const turns[] = {"transpose_a", "transpose_b"};
  for (int i = 0; i < 2; ++i) {
    berth_op_t *product = berth_op_begin(bits->graph, "MatMul", NULL);
    berth_op_input(product, x);
    berth_op_input(product, x);
    berth_op_attr_bool(product, turns[i], true);
    add(bits, product, turns[i], type);
  }
  const berth_out_t both[] = {x, x};
  berth_op_t *einsum = berth_op_begin(bits->graph, "Einsum", NULL);
  berth_op_input_list(einsum, both, 2);
  berth_op_attr_string(einsum, "equation", "ij,ij->j", 8);
  add(bits, einsum, "Einsum", type);
}

static void add_random(bits_t *bits, berth_dtype_t dtype, const char *type) {
  static const char *const ops[] = {"RandomUniform", "RandomStandardNormal",
                                    "TruncatedNormal"};
  berth_out_t shape = ints(bits, 1, ROWS * COLS);
  for (int i = 0; i < 3; ++i) {
    berth_op_t *random = berth_op_begin(bits->graph, ops[i], NULL);
    berth_op_input(random, shape);
    berth_op_attr_type(random, "dtype", dtype);
    berth_op_attr_int(random, "seed", 7);
    berth_op_attr_int(random, "seed2", 11);
    add(bits, random, ops[i], type);
  }
}

// ---- Runs ----

static void build(bits_t *bits, berth_dtype_t dtype, const char *type) {
  berth_graph_t *graph = bits->graph = berth_graph_create();
  berth_placeholder_attrs_t attrs = {BERTH_SHAPE(ROWS, COLS)};
  bits->fed = berth_placeholder_with(graph, "x", BERTH_FLOAT, &attrs);
  berth_out_t x = bits->fed;
  if (dtype != BERTH_FLOAT) x = berth_cast(graph, NULL, bits->fed, dtype);
  berth_out_t row = berth_max(graph, NULL, x, ints(bits, 1, 0));
  add_reductions(bits, type, x);
  add_elementwise(bits, type, x, row);
  add_products(bits, type, x);
  add_random(bits, dtype, type);
}

static berth_tensor_t *make_feed(void) {
  berth_tensor_t *tensor = NULL;
  static float values[ROWS * COLS];
  for (int i = 0; i < ROWS * COLS; ++i) {
    values[i] = 1 + 0.5F * sinf((float)i * 0.37F);
  }
  if (berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(ROWS, COLS), values,
                             &tensor, NULL) != BERTH_OK) {
    HARNESS_FAIL("no tensor");
  }
  return tensor;
}

// Runs everything on |threads|, and compares with what was first.
static void run_on(bits_t *bits, int threads, berth_tensor_t *fed) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.intra_op_threads = threads;
  ASSERT_OK(berth_session_create(bits->graph, &config, &session, &err), &err);
  berth_feed_t feed = {bits->fed, fed};
  berth_tensor_t *results[MOST];
  ASSERT_OK(berth_session_run(session, &feed, 1, bits->fetches, bits->count,
                              results, &err),
            &err);
  for (int i = 0; i < bits->count; ++i) {
    if (threads == 1) {
      bits->first[i] = results[i];
      continue;
    }
    if (memcmp(berth_tensor_data(results[i]), berth_tensor_data(bits->first[i]),
               berth_tensor_size(results[i])) != 0) {
      HARNESS_FAIL("%s has other bits on %d threads", bits->names[i], threads);
    }
    berth_tensor_release(results[i]);
  }
  berth_session_destroy(session);
}

static void expect_same_bits(berth_dtype_t dtype, const char *type) {
  static const int threads[] = {1, 2, 3, 8};
  berth_parallel_pretend_cpus(8);
  bits_t bits = {0};
  build(&bits, dtype, type);
  berth_tensor_t *fed = make_feed();
  for (int i = 0; i < 4; ++i) run_on(&bits, threads[i], fed);
  for (int i = 0; i < bits.count; ++i) berth_tensor_release(bits.first[i]);
  berth_tensor_release(fed);
  berth_graph_release(bits.graph);
}

TEST(bits, are_the_same_for_floats) { expect_same_bits(BERTH_FLOAT, "float"); }

TEST(bits, are_the_same_for_doubles) {
  expect_same_bits(BERTH_DOUBLE, "double");
}

TEST(bits, are_the_same_for_halves) { expect_same_bits(BERTH_HALF, "half"); }

TEST(bits, are_the_same_for_bfloat16) {
  expect_same_bits(BERTH_BFLOAT16, "bfloat16");
}
