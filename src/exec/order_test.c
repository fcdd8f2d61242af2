// order_test.c - The order of nodes in a program with conditionals and loops.
#include "exec/order.h"

#include "berth/ops.h"
#include "harness.h"

enum { MOST = 64 };

// A graph, and the order of what its last nodes need.
typedef struct ordered {
  berth_graph_t *graph;
  berth_out_t fetches[MOST], feeds[MOST];
  berth_signature_t signature;
  berth_prune_t prune;
  berth_order_t order;
  berth_error_t err;
} ordered_t;

static void ordered_init(ordered_t *o) {
  memset(o, 0, sizeof(*o));
  o->graph = berth_graph_create();
  o->signature.fetches = o->fetches;
  o->signature.feeds = o->feeds;
}

static void fetch(ordered_t *o, berth_out_t out) {
  o->fetches[o->signature.fetch_count++] = out;
}

static berth_code_t sort(ordered_t *o) {
  BERTH_TRY(berth_graph_error(o->graph, &o->err));
  BERTH_TRY(berth_prune_init(&o->prune, o->graph, &o->signature,
                             berth_graph_node_count(o->graph), false, &o->err));
  return berth_order_init(&o->order, o->graph, &o->prune, &o->err);
}

static void ordered_clear(ordered_t *o) {
  berth_order_deinit(&o->order);
  berth_prune_deinit(&o->prune);
  berth_graph_release(o->graph);
  berth_error_clear(&o->err);
}

// Returns where |item| stands, or -1.
static int place_of(const ordered_t *o, int32_t item) {
  for (int i = 0; i < o->order.count; ++i) {
    if (o->order.items[i] == item) return i;
  }
  return -1;
}

static int begin_of(const ordered_t *o, int32_t loop) {
  return place_of(o, berth_order_mark(loop, false));
}

static int end_of(const ordered_t *o, int32_t loop) {
  return place_of(o, berth_order_mark(loop, true));
}

// What holds for every order: inputs come first, each loop is one stretch with
// its Enters before it, and what comes out of it is used behind it.
static void expect_sound(const ordered_t *o) {
  const berth_order_t *order = &o->order;
  for (int i = 0; i < order->count; ++i) {
    int32_t id = order->items[i];
    if (id < 0) continue;
    const berth_node_t *node = berth_graph_get(o->graph, id);
    for (int k = 0; k < node->input_count; ++k) {
      bool is_fed = berth_prune_feed_of(&o->prune, node->inputs[k]) >= 0;
      if (is_fed) continue;
      bool is_back = berth_order_is_back(order, &o->prune, node, k);
      EXPECT_TRUE((place_of(o, node->inputs[k].node) > i) == is_back);
      int32_t from = node->inputs[k].node;
      if (order->kinds[from] == BERTH_FLOW_EXIT) {
        EXPECT_TRUE(i > end_of(o, order->loop_of[from]));
      }
    }
    for (int k = 0; k < node->control_count; ++k) {
      EXPECT_TRUE(place_of(o, node->controls[k]) < i);
    }
    int32_t loop = order->loop_of[id];
    if (loop == BERTH_NO_LOOP) continue;
    bool is_enter = order->kinds[id] == BERTH_FLOW_ENTER;
    EXPECT_EQ(i < begin_of(o, loop), is_enter);
    EXPECT_TRUE(i < end_of(o, loop));
  }
  for (int32_t l = 0; l < order->loop_count; ++l) {
    int32_t parent = order->loops[l].parent;
    EXPECT_TRUE(begin_of(o, l) >= 0 && begin_of(o, l) < end_of(o, l));
    if (parent == BERTH_NO_LOOP) continue;
    EXPECT_TRUE(begin_of(o, parent) < begin_of(o, l));
    EXPECT_TRUE(end_of(o, l) < end_of(o, parent));
  }
}

// ---- Building ----

static berth_out_t op_of(berth_graph_t *graph, const char *type, berth_out_t a,
                         const berth_out_t *b) {
  berth_op_t *op = berth_op_begin(graph, type, NULL);
  berth_op_input(op, a);
  if (b != NULL) berth_op_input(op, *b);
  return berth_output(berth_op_finish(op), 0);
}

// A loop under construction: doubles what comes round.
typedef struct loop {
  berth_node_id_t merge;
  berth_out_t value;  // In the loop.
  berth_out_t round;  // Behind the Switch, when it goes on.
  berth_out_t exit;
} loop_t;

// Opens the loop |frame|; |limit| ends it.
static loop_t loop_open(berth_graph_t *graph, const char *frame, berth_out_t x,
                        berth_out_t limit) {
  loop_t loop;
  berth_out_t in = berth_enter(graph, NULL, x, frame);
  berth_out_t most = berth_enter(graph, NULL, limit, frame);
  const berth_out_t both[] = {in, in};
  loop.merge = berth_merge(graph, NULL, both, 2);
  loop.value = berth_output(loop.merge, 0);
  berth_out_t less = op_of(graph, "Less", loop.value, &most);
  berth_out_t cond = op_of(graph, "LoopCond", less, NULL);
  berth_node_id_t split = berth_switch(graph, NULL, loop.value, cond);
  loop.exit = op_of(graph, "Exit", berth_output(split, 0), NULL);
  loop.round = op_of(graph, "Identity", berth_output(split, 1), NULL);
  return loop;
}

// Closes it with |last|.
static void loop_close(ordered_t *o, loop_t *loop, berth_out_t last) {
  berth_out_t next = op_of(o->graph, "NextIteration", last, NULL);
  ASSERT_OK(
      berth_merge_set_input(o->graph, berth_graph_get(o->graph, loop->merge), 1,
                            next, &o->err),
      &o->err);
}

static berth_out_t hole(berth_graph_t *graph) {
  return berth_placeholder(graph, NULL, BERTH_FLOAT);
}

// ---- Orders ----

TEST(order, there_is_none_without_conditionals_and_loops) {
  ordered_t o;
  ordered_init(&o);
  berth_out_t x = hole(o.graph);
  fetch(&o, op_of(o.graph, "Neg", x, NULL));
  ASSERT_OK(sort(&o), &o.err);
  EXPECT_TRUE(o.order.items == NULL);
  ordered_clear(&o);
}

// What is not needed does not count.
TEST(order, nor_where_they_are_not_needed) {
  ordered_t o;
  ordered_init(&o);
  berth_out_t x = hole(o.graph);
  loop_t loop = loop_open(o.graph, "loop", x, x);
  loop_close(&o, &loop, loop.round);
  fetch(&o, op_of(o.graph, "Neg", x, NULL));
  ASSERT_OK(sort(&o), &o.err);
  EXPECT_TRUE(o.order.items == NULL);
  ordered_clear(&o);
}

TEST(order, a_conditional_has_no_marks) {
  ordered_t o;
  ordered_init(&o);
  berth_out_t x = hole(o.graph);
  berth_out_t pred = berth_placeholder(o.graph, NULL, BERTH_BOOL);
  berth_node_id_t split = berth_switch(o.graph, NULL, x, pred);
  const berth_out_t sides[] = {
      op_of(o.graph, "Neg", berth_output(split, 0), NULL),
      berth_output(split, 1)};
  fetch(&o, berth_output(berth_merge(o.graph, NULL, sides, 2), 0));
  ASSERT_OK(sort(&o), &o.err);
  EXPECT_EQ(o.order.loop_count, 0);
  EXPECT_EQ(o.order.count, 5);
  expect_sound(&o);
  EXPECT_EQ(o.order.kinds[split], BERTH_FLOW_SWITCH);
  ordered_clear(&o);
}

TEST(order, a_loop_is_one_stretch) {
  ordered_t o;
  ordered_init(&o);
  berth_out_t x = hole(o.graph), y = hole(o.graph);
  loop_t loop = loop_open(o.graph, "loop", x, y);
  // Nodes between those of the loop, by their ids, that are not in it.
  berth_out_t beside = op_of(o.graph, "Neg", x, NULL);
  loop_close(&o, &loop, op_of(o.graph, "AddV2", loop.round, &loop.round));
  fetch(&o, op_of(o.graph, "AddV2", loop.exit, &beside));
  ASSERT_OK(sort(&o), &o.err);
  EXPECT_EQ(o.order.loop_count, 1);
  EXPECT_EQ(o.order.loops[0].depth, 1);
  EXPECT_STR(o.order.loops[0].name, "loop");
  EXPECT_EQ(o.order.loop_of[beside.node], BERTH_NO_LOOP);
  expect_sound(&o);
  int at = place_of(&o, beside.node);
  EXPECT_TRUE(at < begin_of(&o, 0) || at > end_of(&o, 0));
  // The back edge alone goes the other way.
  const berth_node_t *merge = berth_graph_get(o.graph, loop.merge);
  EXPECT_FALSE(berth_order_is_back(&o.order, &o.prune, merge, 0));
  EXPECT_TRUE(berth_order_is_back(&o.order, &o.prune, merge, 1));
  ordered_clear(&o);
}

TEST(order, loops_side_by_side_and_in_a_row) {
  ordered_t o;
  ordered_init(&o);
  berth_out_t x = hole(o.graph), y = hole(o.graph);
  loop_t first = loop_open(o.graph, "first", x, y);
  loop_t second = loop_open(o.graph, "second", y, x);
  loop_close(&o, &first, first.round);
  loop_close(&o, &second, second.round);
  loop_t third = loop_open(o.graph, "third", first.exit, second.exit);
  loop_close(&o, &third, third.round);
  fetch(&o, third.exit);
  ASSERT_OK(sort(&o), &o.err);
  EXPECT_EQ(o.order.loop_count, 3);
  expect_sound(&o);
  EXPECT_TRUE(end_of(&o, 0) < begin_of(&o, 1) ||
              end_of(&o, 1) < begin_of(&o, 0));
  EXPECT_TRUE(end_of(&o, 0) < begin_of(&o, 2));
  EXPECT_TRUE(end_of(&o, 1) < begin_of(&o, 2));
  ordered_clear(&o);
}

TEST(order, loops_in_loops) {
  enum { DEPTH = 5 };
  ordered_t o;
  ordered_init(&o);
  loop_t loops[DEPTH];
  berth_out_t x = hole(o.graph);
  for (int i = 0; i < DEPTH; ++i) {
    char frame[16];
    snprintf(frame, sizeof(frame), "loop_%d", i);
    loops[i] = loop_open(o.graph, frame, x, x);
    x = loops[i].round;
  }
  for (int i = DEPTH - 1; i >= 0; --i) {
    loop_close(&o, &loops[i], x);
    x = loops[i].exit;
  }
  fetch(&o, x);
  ASSERT_OK(sort(&o), &o.err);
  ASSERT_TRUE(o.order.loop_count == DEPTH);
  expect_sound(&o);
  for (int32_t i = 0; i < DEPTH; ++i) {
    EXPECT_EQ(o.order.loops[i].depth, i + 1);
    EXPECT_EQ(o.order.loops[i].parent, i - 1);
    EXPECT_EQ(berth_order_mark_loop(berth_order_mark(i, true)), i);
    EXPECT_TRUE(berth_order_mark_is_end(berth_order_mark(i, true)));
    EXPECT_FALSE(berth_order_mark_is_end(berth_order_mark(i, false)));
  }
  ordered_clear(&o);
}

// A loop of the same name in another loop is another loop.
TEST(order, names_count_within_a_loop) {
  ordered_t o;
  ordered_init(&o);
  berth_out_t x = hole(o.graph);
  loop_t outer = loop_open(o.graph, "same", x, x);
  loop_t inner = loop_open(o.graph, "same", outer.round, outer.round);
  loop_close(&o, &inner, inner.round);
  loop_close(&o, &outer, inner.exit);
  fetch(&o, outer.exit);
  ASSERT_OK(sort(&o), &o.err);
  EXPECT_EQ(o.order.loop_count, 2);
  expect_sound(&o);
  ordered_clear(&o);
}

// What is fed round a loop closes none.
TEST(order, a_fed_edge_is_no_back_edge) {
  ordered_t o;
  ordered_init(&o);
  berth_out_t x = hole(o.graph);
  loop_t loop = loop_open(o.graph, "loop", x, x);
  loop_close(&o, &loop, loop.round);
  const berth_node_t *merge = berth_graph_get(o.graph, loop.merge);
  o.feeds[o.signature.feed_count++] = merge->inputs[1];
  fetch(&o, loop.exit);
  ASSERT_OK(sort(&o), &o.err);
  EXPECT_FALSE(berth_order_is_back(&o.order, &o.prune, merge, 1));
  EXPECT_EQ(place_of(&o, merge->inputs[1].node), -1);
  expect_sound(&o);
  ordered_clear(&o);
}

// ---- What is no loop ----

TEST(order, an_exit_without_an_enter) {
  ordered_t o;
  ordered_init(&o);
  fetch(&o, op_of(o.graph, "Exit", hole(o.graph), NULL));
  EXPECT_FAILS(sort(&o), BERTH_INVALID_ARGUMENT, &o.err,
               "Invalid Exit op: Cannot find a corresponding Enter op.");
  ordered_clear(&o);
}

TEST(order, an_enter_without_a_name) {
  ordered_t o;
  ordered_init(&o);
  berth_op_t *op = berth_op_begin(o.graph, "Enter", "in");
  berth_op_input(op, hole(o.graph));
  berth_op_attr_string(op, "frame_name", "", 0);
  fetch(&o, berth_output(berth_op_finish(op), 0));
  EXPECT_FAILS(sort(&o), BERTH_INVALID_ARGUMENT, &o.err,
               "The Enter {{node in}} must have a frame name.");
  ordered_clear(&o);
}

TEST(order, inputs_of_different_loops) {
  ordered_t o;
  ordered_init(&o);
  berth_out_t x = hole(o.graph);
  berth_out_t in = berth_enter(o.graph, "in", x, "loop");
  berth_op_t *op = berth_op_begin(o.graph, "AddV2", "sum");
  berth_op_input(op, in);
  berth_op_input(op, x);
  fetch(&o, berth_output(berth_op_finish(op), 0));
  EXPECT_FAILS(sort(&o), BERTH_INVALID_ARGUMENT, &o.err,
               "{{node sum}} has inputs from different frames. The input "
               "{{node in}} is in frame 'loop'. The input {{node "
               "Placeholder}} is in frame ''.");
  ordered_clear(&o);
}

// Something in the loop waits for what waits for the loop.
TEST(order, a_loop_that_waits_for_itself) {
  ordered_t o;
  ordered_init(&o);
  berth_out_t x = hole(o.graph);
  loop_t loop = loop_open(o.graph, "loop", x, x);
  berth_out_t out = op_of(o.graph, "Neg", loop.exit, NULL);
  // Enters the loop again with what came out of it.
  berth_out_t again = berth_enter(o.graph, NULL, out, "loop");
  loop_close(&o, &loop, op_of(o.graph, "AddV2", loop.round, &again));
  fetch(&o, loop.exit);
  berth_code_t code = sort(&o);
  EXPECT_EQ(code, BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(strlen(berth_error_message(&o.err)) > 0);
  ordered_clear(&o);
}
