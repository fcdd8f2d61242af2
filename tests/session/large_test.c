// large_test.c - A million nodes, and processes that fork.
#include "session_testing.h"

// x -> add -> add -> … of |count| nodes, built node by node.
static berth_out_t chain(berth_graph_t *graph, berth_out_t x, int count) {
  berth_out_t one = const_scalar(graph, "one", 1), last = x;
  for (int i = 0; i < count; ++i) {
    last = berth_add_v2(graph, NULL, last, one);
  }
  return last;
}

TEST(large, a_chain_of_a_million_nodes) {
  enum { COUNT = 1000000 };
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t last = chain(rig.graph, x, COUNT);
  EXPECT_EQ(berth_graph_node_count(rig.graph), COUNT + 2);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch_fed(&rig, last, x, scalar(0)), COUNT);
  EXPECT_EQ(fetch_fed(&rig, last, x, scalar(5)), COUNT + 5);
  rig_clear(&rig);
}

TEST(large, a_chain_of_a_million_constants) {
  enum { COUNT = 1000000 };
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = const_scalar(rig.graph, "x", 3);
  berth_out_t last = chain(rig.graph, x, COUNT);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch(&rig, last), COUNT + 3);
  rig_clear(&rig);
}

TEST(large, a_chain_of_control_edges) {
  enum { COUNT = 200000 };
  rig_t rig;
  rig_init(&rig);
  berth_node_id_t last = berth_no_op(rig.graph, NULL);
  for (int i = 1; i < COUNT; ++i) {
    berth_op_t *op = berth_op_begin(rig.graph, "NoOp", NULL);
    berth_op_control(op, last);
    last = berth_op_finish(op);
  }
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  ASSERT_OK(run_target(&rig, last), &rig.err);
  rig_clear(&rig);
}

TEST(large, a_graph_goes_out_and_in_again) {
  enum { COUNT = 100000 };
  rig_t rig, again;
  rig_init(&rig);
  berth_out_t last = chain(rig.graph, hole(rig.graph, "x"), COUNT);
  void *bytes = NULL;
  size_t size = 0;
  ASSERT_OK(berth_graph_export(rig.graph, &bytes, &size, &rig.err), &rig.err);
  rig_init(&again);
  ASSERT_OK(berth_graph_import(again.graph, bytes, size, NULL, &again.err),
            &again.err);
  ASSERT_OK(rig_open(&again, NULL), &again.err);
  berth_out_t x = {berth_graph_find(again.graph, "x"), 0};
  berth_out_t out = {
      berth_graph_find(again.graph, berth_node_name(rig.graph, last.node)), 0};
  EXPECT_EQ(fetch_fed(&again, out, x, scalar(1)), COUNT + 1);
  berth_text_free(bytes);
  rig_clear(&again);
  rig_clear(&rig);
}

// ---- Fork ----

// A session with a product large enough for several threads.
typedef struct product {
  rig_t rig;
  berth_out_t x, y;
} product_t;

static void open_product(product_t *p) {
  rig_init(&p->rig);
  p->x = hole(p->rig.graph, "x");
  p->y = berth_matmul(p->rig.graph, "y", p->x, p->x);
  EXPECT_EQ(rig_open(&p->rig, NULL), BERTH_OK);
}

static double run_product(product_t *p, float value) {
  enum { SIZE = 300 };
  berth_tensor_t *matrix = NULL;
  EXPECT_EQ(
      berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(SIZE, SIZE), &matrix, NULL),
      BERTH_OK);
  float *values = berth_tensor_data(matrix);
  for (int i = 0; i < SIZE * SIZE; ++i) values[i] = value;
  return fetch_fed(&p->rig, p->y, p->x, matrix) / SIZE;
}

// Runs |p| in a child and returns its exit status.
static int run_in_child(product_t *p) {
  pid_t child = fork();
  if (child == 0) {
    bool ok = run_product(p, 3) == 9;
    product_t fresh;
    open_product(&fresh);
    ok = ok && run_product(&fresh, 4) == 16;
    rig_clear(&fresh.rig);
    _exit(ok ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(fork, after_use_works) {
  product_t p;
  open_product(&p);
  EXPECT_EQ(run_product(&p, 2), 4);
  EXPECT_EQ(run_in_child(&p), 0);
  EXPECT_EQ(run_product(&p, 2), 4);
  EXPECT_EQ(run_in_child(&p), 0);
  rig_clear(&p.rig);
}

TEST(fork, before_use_works) {
  product_t p;
  open_product(&p);
  EXPECT_EQ(run_in_child(&p), 0);
  EXPECT_EQ(run_product(&p, 2), 4);
  rig_clear(&p.rig);
}
