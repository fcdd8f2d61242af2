// gradients_test.c - Gradients of graphs: nodes, failures, a lack of memory.
#include "berth/grad.h"

#include "base/fault.h"
#include "berth/graph.h"
#include "berth/ops.h"
#include "harness.h"

static const berth_out_t none = {BERTH_NO_NODE, 0};

static berth_out_t op_of(berth_graph_t *graph, const char *type, berth_out_t a,
                         berth_out_t b) {
  berth_op_t *op = berth_op_begin(graph, type, NULL);
  berth_op_input(op, a);
  if (b.node != BERTH_NO_NODE) berth_op_input(op, b);
  return berth_output(berth_op_finish(op), 0);
}

static berth_out_t enter_of(berth_graph_t *graph, berth_out_t value,
                            bool is_constant) {
  berth_op_t *op = berth_op_begin(graph, "Enter", NULL);
  berth_op_input(op, value);
  berth_op_attr_string(op, "frame_name", "loop", 4);
  berth_op_attr_bool(op, "is_constant", is_constant);
  return berth_output(berth_op_finish(op), 0);
}

static berth_out_t merge_of(berth_graph_t *graph, berth_out_t a,
                            berth_out_t b) {
  berth_op_t *op = berth_op_begin(graph, "Merge", NULL);
  berth_op_input_list(op, (berth_out_t[]){a, b}, 2);
  return berth_output(berth_op_finish(op), 0);
}

// x, multiplied by w, and in every other branch by itself, while it is below
// 100.
typedef struct loop {
  berth_graph_t *graph;
  berth_out_t x, w, y;
} loop_t;

static berth_out_t turn(berth_graph_t *graph, berth_out_t y, berth_out_t w) {
  berth_out_t pred = op_of(graph, "Less", y, w);
  berth_out_t sides = op_of(graph, "Switch", y, pred);
  berth_out_t factor = op_of(graph, "Switch", w, pred);
  berth_out_t small = op_of(graph, "Mul", berth_output(sides.node, 1),
                            berth_output(sides.node, 1));
  berth_out_t large = op_of(graph, "Mul", sides, factor);
  return merge_of(graph, large, small);
}

static void loop_build(loop_t *l) {
  berth_graph_t *graph = l->graph = berth_graph_create();
  l->x = berth_placeholder(graph, "x", BERTH_FLOAT);
  l->w = berth_placeholder(graph, "w", BERTH_FLOAT);
  berth_out_t limit =
      berth_const_f32(graph, "limit", &(float){100}, BERTH_SCALAR);
  berth_out_t start = enter_of(graph, l->x, false);
  berth_out_t merge = merge_of(graph, start, start);
  berth_out_t less = op_of(graph, "Less", merge, enter_of(graph, limit, true));
  berth_out_t cond = op_of(graph, "LoopCond", less, none);
  berth_out_t leave = op_of(graph, "Switch", merge, cond);
  berth_out_t stay =
      op_of(graph, "Identity", berth_output(leave.node, 1), none);
  berth_out_t after = turn(graph, stay, enter_of(graph, l->w, true));
  berth_out_t next = op_of(graph, "NextIteration", after, none);
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_graph_close_loop(graph, merge.node, next, &err), &err);
  l->y = op_of(graph, "Exit", leave, none);
  ASSERT_OK(berth_graph_error(graph, &err), &err);
}

static berth_code_t loop_slopes(const loop_t *l, berth_slope_t *slopes,
                                berth_error_t *err) {
  return berth_gradients(l->graph, &l->y, 1, (berth_out_t[]){l->x, l->w}, 2,
                         NULL, slopes, err);
}

TEST(gradients, names_nodes_as_tensorflow_does) {
  berth_graph_t *graph = berth_graph_create();
  berth_out_t a = berth_placeholder(graph, "a", BERTH_FLOAT);
  berth_out_t y = berth_mul(graph, "y", a, a);
  berth_slope_t slope;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_gradients(graph, &y, 1, &a, 1, NULL, &slope, &err), &err);
  EXPECT_STR(berth_node_name(graph, slope.values.node), "gradients/AddN");
  EXPECT_EQ(slope.indices.node, BERTH_NO_NODE);
  berth_graph_release(graph);
}

TEST(gradients, tells_what_has_no_rule) {
  berth_graph_t *graph = berth_graph_create();
  berth_out_t a = berth_placeholder(graph, "a", BERTH_FLOAT);
  berth_out_t y = op_of(graph, "SoftsignGrad", a, a);
  berth_slope_t slope;
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_EQ(berth_gradients(graph, &y, 1, &a, 1, NULL, &slope, &err),
            BERTH_NOT_FOUND);
  EXPECT_TRUE(strstr(berth_error_message(&err), "(op type: SoftsignGrad)") !=
              NULL);
  berth_error_clear(&err);
  berth_graph_release(graph);
}

TEST(gradients, has_none_where_nothing_leads) {
  berth_graph_t *graph = berth_graph_create();
  berth_out_t a = berth_placeholder(graph, "a", BERTH_FLOAT);
  berth_out_t b = berth_placeholder(graph, "b", BERTH_FLOAT);
  berth_out_t y = berth_mul(graph, "y", a, a);
  berth_slope_t slope;
  ASSERT_OK(berth_gradients(graph, &y, 1, &b, 1, NULL, &slope, NULL), NULL);
  EXPECT_EQ(slope.values.node, BERTH_NO_NODE);
  berth_graph_release(graph);
}

TEST(gradients, refuses_outputs_that_are_none) {
  berth_graph_t *graph = berth_graph_create();
  berth_out_t a = berth_placeholder(graph, "a", BERTH_FLOAT);
  berth_slope_t slope;
  EXPECT_EQ(berth_gradients(graph, &(berth_out_t){7, 0}, 1, &a, 1, NULL, &slope,
                            NULL),
            BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(berth_gradients(NULL, &a, 1, &a, 1, NULL, &slope, NULL),
            BERTH_INVALID_ARGUMENT);
  berth_graph_release(graph);
}

TEST(gradients, goes_back_through_a_loop_by_a_loop) {
  loop_t l;
  berth_slope_t slopes[2];
  berth_error_t err = BERTH_ERROR_INIT;
  loop_build(&l);
  ASSERT_OK(loop_slopes(&l, slopes, &err), &err);
  for (int i = 0; i < 2; ++i) {
    EXPECT_STR(berth_node_op(l.graph, slopes[i].values.node), "Exit");
  }
  ASSERT_OK(berth_graph_error(l.graph, &err), &err);
  berth_graph_release(l.graph);
}

TEST(gradients, goes_back_through_what_goes_back) {
  loop_t l;
  berth_slope_t slopes[2], twice[2], thrice[2];
  berth_out_t xs[2];
  berth_error_t err = BERTH_ERROR_INIT;
  loop_build(&l);
  xs[0] = l.x;
  xs[1] = l.w;
  ASSERT_OK(loop_slopes(&l, slopes, &err), &err);
  ASSERT_OK(
      berth_gradients(l.graph, &slopes[0].values, 1, xs, 2, NULL, twice, &err),
      &err);
  ASSERT_OK(
      berth_gradients(l.graph, &twice[1].values, 1, xs, 2, NULL, thrice, &err),
      &err);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(twice[i].values.node != BERTH_NO_NODE);
    EXPECT_TRUE(thrice[i].values.node != BERTH_NO_NODE);
  }
  ASSERT_OK(berth_graph_error(l.graph, &err), &err);
  berth_graph_release(l.graph);
}

TEST(gradients, refuses_what_is_popped_outside_of_loops) {
  berth_graph_t *graph = berth_graph_create();
  berth_error_t err = BERTH_ERROR_INIT;
  berth_out_t x = berth_placeholder(graph, "x", BERTH_FLOAT);
  berth_out_t size =
      berth_const_i32(graph, "size", &(int32_t){-1}, BERTH_SCALAR);
  berth_op_t *op = berth_op_begin(graph, "StackV2", NULL);
  berth_op_input(op, size);
  berth_op_attr_type(op, "elem_type", BERTH_FLOAT);
  berth_out_t stack = berth_output(berth_op_finish(op), 0);
  (void)op_of(graph, "StackPushV2", stack, x);
  op = berth_op_begin(graph, "StackPopV2", "pop");
  berth_op_input(op, stack);
  berth_op_attr_type(op, "elem_type", BERTH_FLOAT);
  berth_out_t y = berth_output(berth_op_finish(op), 0);
  berth_slope_t slope;
  EXPECT_EQ(berth_gradients(graph, &y, 1, &x, 1, NULL, &slope, &err),
            BERTH_UNIMPLEMENTED);
  EXPECT_STR(berth_error_message(&err),
             "pop pops what StackPushV2 does not push in a loop before: it "
             "cannot be differentiated");
  berth_error_clear(&err);
  berth_graph_release(graph);
}

// A loop of functions in a function: x is multiplied by itself while it is below
// 100.
static const char functions_text[] =
    "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: "
    "DT_FLOAT } } }"
    "node { name: 'y' op: 'grow' input: 'x' }"
    "library {"
    " function { signature { name: 'small' input_arg { name: 'a' type: "
    "DT_FLOAT "
    "} output_arg { name: 'r' type: DT_BOOL } }"
    "  node_def { name: 'limit' op: 'Const' attr { key: 'dtype' value { type: "
    "DT_FLOAT } } attr { key: 'value' value { tensor { dtype: DT_FLOAT "
    "tensor_shape {} float_val: 100 } } } }"
    "  node_def { name: 'less' op: 'Less' input: 'a' input: 'limit:output:0' "
    "attr { key: 'T' value { type: DT_FLOAT } } }"
    "  ret { key: 'r' value: 'less:z:0' } }"
    " function { signature { name: 'square' input_arg { name: 'a' type: "
    "DT_FLOAT "
    "} output_arg { name: 'r' type: DT_FLOAT } }"
    "  node_def { name: 'mul' op: 'Mul' input: 'a' input: 'a' attr { key: 'T' "
    "value { type: DT_FLOAT } } }"
    "  ret { key: 'r' value: 'mul:z:0' } }"
    " function { signature { name: 'grow' input_arg { name: 'a' type: DT_FLOAT "
    "} "
    "output_arg { name: 'r' type: DT_FLOAT } }"
    "  node_def { name: 'loop' op: 'StatelessWhile' input: 'a' attr { key: 'T' "
    "value { list { type: DT_FLOAT } } } attr { key: 'cond' value { func { "
    "name: 'small' } } } attr { key: 'body' value { func { name: 'square' } } "
    "} }"
    "  ret { key: 'r' value: 'loop:output:0' } }"
    "}";

static berth_graph_t *functions_build(berth_out_t *out_x, berth_out_t *out_y) {
  berth_graph_t *graph = berth_graph_create();
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_graph_import_text(graph, functions_text, strlen(functions_text),
                              NULL, &err) != BERTH_OK) {
    berth_graph_release(graph);
    return NULL;
  }
  *out_x = (berth_out_t){0, 0};
  *out_y = (berth_out_t){1, 0};
  return graph;
}

TEST(gradients, goes_back_through_what_functions_do) {
  berth_out_t x, y;
  berth_graph_t *graph = functions_build(&x, &y);
  ASSERT_TRUE(graph != NULL);
  int before = berth_graph_node_count(graph);
  berth_slope_t slope;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_gradients(graph, &y, 1, &x, 1, NULL, &slope, &err), &err);
  EXPECT_STR(berth_node_op(graph, slope.values.node), "Exit");
  // What the function does is there, under the name of its call.
  EXPECT_STR(berth_node_name(graph, before), "y/loop/Enter");
  berth_node_id_t mul = berth_graph_find(graph, "y/loop/body/mul");
  ASSERT_TRUE(mul != BERTH_NO_NODE);
  // It is there once, however many gradients there are.
  ASSERT_OK(berth_gradients(graph, &y, 1, &x, 1, NULL, &slope, &err), &err);
  EXPECT_EQ(berth_graph_find(graph, "y/loop/body/mul_1"), BERTH_NO_NODE);
  berth_graph_release(graph);
}

TEST(gradients, unfolds_functions_or_leaves_them_when_memory_is_short) {
  berth_code_t code = BERTH_RESOURCE_EXHAUSTED;
  int64_t nth = 1;
  for (; code == BERTH_RESOURCE_EXHAUSTED && nth < 100000; ++nth) {
    berth_out_t x, y;
    berth_slope_t slope;
    berth_error_t err = BERTH_ERROR_INIT;
    berth_graph_t *graph = functions_build(&x, &y);
    ASSERT_TRUE(graph != NULL);
    berth_fault_arm("alloc", nth);
    code = berth_gradients(graph, &y, 1, &x, 1, NULL, &slope, &err);
    berth_fault_disarm();
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED);
    berth_error_clear(&err);
    // What was missing is made the next time, unless a node was lost.
    if (berth_graph_error(graph, NULL) == BERTH_OK) {
      EXPECT_EQ(berth_gradients(graph, &y, 1, &x, 1, NULL, &slope, NULL),
                BERTH_OK);
    }
    berth_graph_release(graph);
  }
  EXPECT_EQ(code, BERTH_OK);
  EXPECT_TRUE(nth > 10);
}

TEST(gradients, survives_a_lack_of_memory_at_every_point) {
  berth_code_t code = BERTH_RESOURCE_EXHAUSTED;
  int64_t nth = 1;
  for (; code == BERTH_RESOURCE_EXHAUSTED && nth < 100000; ++nth) {
    loop_t l;
    berth_slope_t slopes[2], twice;
    berth_error_t err = BERTH_ERROR_INIT;
    loop_build(&l);
    berth_fault_arm("alloc", nth);
    code = loop_slopes(&l, slopes, &err);
    if (code == BERTH_OK) {
      code = berth_gradients(l.graph, &slopes[1].values, 1, &l.x, 1, NULL,
                             &twice, &err);
    }
    berth_fault_disarm();
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED);
    berth_error_clear(&err);
    berth_graph_release(l.graph);
  }
  EXPECT_EQ(code, BERTH_OK);
  EXPECT_TRUE(nth > 10);
}
