// flow_test.c - Conditionals and loops over values in the memory of cards.
#include "gpu_testing.h"
#include "session/flow_testing.h"

TEST(flow, does_what_tensorflow_did_on_a_card) {
  simulate(K40C);
  EXPECT_EQ(flow_replay(), 70);
}

// What is on which device.
typedef struct on_cards {
  rig_t rig;
  berth_out_t limit, exit;
} on_cards_t;

static berth_out_t node_on(berth_graph_t *graph, const char *device,
                           const char *type, berth_out_t a, berth_out_t b) {
  berth_op_t *op = berth_op_begin(graph, type, NULL);
  berth_op_device(op, device);
  berth_op_input(op, a);
  if (b.node != BERTH_NO_NODE) berth_op_input(op, b);
  if (strcmp(type, "Enter") == 0) {
    berth_op_attr_string(op, "frame_name", "f", 1);
  }
  return berth_output(berth_op_finish(op), 0);
}

// Doubles 1 on one card, adds on another, and asks on the host, while the sum
// is below a limit.
static void on_cards_build(on_cards_t *c) {
  static const berth_out_t none = {BERTH_NO_NODE, 0};
  rig_init(&c->rig);
  berth_graph_t *graph = c->rig.graph;
  c->limit = hole(graph, "limit");
  berth_out_t one = const_scalar(graph, "one", 1);
  berth_out_t first = node_on(graph, "/gpu:0", "Enter", one, none);
  berth_out_t bound = node_on(graph, "/cpu:0", "Enter", c->limit, none);
  berth_out_t bounds[2] = {bound, bound}, sums[2] = {first, first};
  berth_op_t *op = berth_op_begin(graph, "Merge", "sum");
  berth_op_device(op, "/gpu:0");
  berth_op_input_list(op, sums, 2);
  berth_out_t sum = berth_output(berth_op_finish(op), 0);
  op = berth_op_begin(graph, "Merge", "bound");
  berth_op_device(op, "/gpu:1");
  berth_op_input_list(op, bounds, 2);
  berth_out_t limit = berth_output(berth_op_finish(op), 0);
  berth_out_t less = node_on(graph, "/gpu:0", "Less", sum, limit);
  berth_out_t cond = node_on(graph, "/cpu:0", "LoopCond", less, none);
  berth_out_t leave = node_on(graph, "/gpu:1", "Switch", sum, cond);
  berth_out_t keep = node_on(graph, "/cpu:0", "Switch", limit, cond);
  berth_out_t twice =
      node_on(graph, "/gpu:1", "AddV2", berth_output(leave.node, 1),
              berth_output(leave.node, 1));
  berth_out_t next = node_on(graph, "/gpu:1", "NextIteration", twice, none);
  berth_out_t kept = node_on(graph, "/cpu:0", "NextIteration",
                             berth_output(keep.node, 1), none);
  c->exit = node_on(graph, "/gpu:1", "Exit", leave, none);
  ASSERT_OK(berth_graph_close_loop(graph, sum.node, next, &c->rig.err),
            &c->rig.err);
  ASSERT_OK(berth_graph_close_loop(graph, limit.node, kept, &c->rig.err),
            &c->rig.err);
}

TEST(flow, goes_round_between_cards_and_host) {
  on_cards_t c;
  simulate(FOUR_K20M);
  on_cards_build(&c);
  ASSERT_OK(rig_open(&c.rig, NULL), &c.rig.err);
  EXPECT_EQ(fetch_fed(&c.rig, c.exit, c.limit, scalar(1)), 1);
  EXPECT_EQ(fetch_fed(&c.rig, c.exit, c.limit, scalar(1000)), 1024);
  EXPECT_EQ(fetch_fed(&c.rig, c.exit, c.limit, scalar(5)), 8);
  rig_clear(&c.rig);
}
