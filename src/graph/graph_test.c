// graph_test.c - Adding nodes, what is refused, and looking at them.
#include "graph/graph.h"

#include "base/fault.h"
#include "harness.h"

#define NEG_OP                                                            \
  "Op<name=Neg; signature=x:T -> y:T; attr=T:type,allowed=[DT_BFLOAT16, " \
  "DT_HALF, DT_FLOAT, DT_DOUBLE, DT_INT8, DT_INT16, DT_INT32, DT_INT64, " \
  "DT_COMPLEX64, DT_COMPLEX128]>"
#define ADD_OP                                                               \
  "Op<name=Add; signature=x:T, y:T -> z:T; attr=T:type,allowed=["            \
  "DT_BFLOAT16, DT_HALF, DT_FLOAT, DT_DOUBLE, DT_UINT8, DT_INT8, DT_INT16, " \
  "DT_INT32, DT_INT64, DT_COMPLEX64, DT_COMPLEX128, DT_STRING]>"
#define CONST_OP                                                   \
  "Op<name=Const; signature= -> output:dtype; attr=value:tensor; " \
  "attr=dtype:type>"
#define IDENTITY_N_OP \
  "Op<name=IdentityN; signature=input: -> output:; attr=T:list(type),min=1>"

static berth_attr_t type_attr(const char *name, berth_dtype_t type) {
  return (berth_attr_t){name, {.kind = BERTH_ATTR_TYPE, .type = type}};
}

static berth_attr_t int_attr(const char *name, int64_t value) {
  return (berth_attr_t){name, {.kind = BERTH_ATTR_INT, .i = value}};
}

// A graph with a float, an int, a text and a float matrix to try things on.
typedef struct fixture {
  berth_graph_t *graph;
  berth_out_t f, i, s, m;
  berth_error_t err;
} fixture_t;

static berth_out_t placeholder(berth_graph_t *graph, const char *name,
                               berth_dtype_t type, berth_dims_t shape) {
  berth_op_t *op = berth_op_begin(graph, "Placeholder", name);
  berth_op_attr_type(op, "dtype", type);
  berth_op_attr_shape(op, "shape", shape);
  return (berth_out_t){berth_op_finish(op), 0};
}

static fixture_t fixture_make(void) {
  fixture_t x = {.graph = berth_graph_create()};
  x.f = placeholder(x.graph, "f", BERTH_FLOAT, BERTH_SCALAR);
  x.i = placeholder(x.graph, "i", BERTH_INT32, BERTH_SCALAR);
  x.s = placeholder(x.graph, "s", BERTH_STRING, BERTH_SCALAR);
  x.m = placeholder(x.graph, "m", BERTH_FLOAT, BERTH_SHAPE(2, 3));
  return x;
}

static void fixture_drop(fixture_t *x) {
  EXPECT_EQ(berth_graph_error(x->graph, &x->err), BERTH_OK);
  berth_error_clear(&x->err);
  berth_graph_release(x->graph);
}

// Adds |spec|, filling in what it leaves out.
static berth_code_t add(fixture_t *x, berth_node_spec_t spec) {
  int32_t id = -1;
  if (spec.name == NULL) spec.name = "a";
  berth_graph_lock(x->graph);
  berth_code_t code = berth_graph_add(x->graph, &spec, &id, &x->err);
  berth_graph_unlock(x->graph);
  return code;
}

#define EXPECT_REFUSED(x, spec, text)                                        \
  do {                                                                       \
    int before = berth_graph_node_count((x)->graph);                         \
    EXPECT_FAILS(add((x), (spec)), BERTH_INVALID_ARGUMENT, &(x)->err, text); \
    EXPECT_EQ(berth_graph_node_count((x)->graph), before);                   \
  } while (0)

// ---- Reading ----

TEST(graph, reading_compares_inputs_with_attributes) {
  fixture_t x = fixture_make();
  berth_attr_t t = type_attr("T", BERTH_FLOAT);
  berth_node_spec_t spec = {.op = "Neg",
                            .inputs = &x.i,
                            .input_count = 1,
                            .attrs = &t,
                            .attr_count = 1,
                            .is_strict = true};
  EXPECT_REFUSED(&x, spec,
                 "Input 0 of node a was passed int32 from i:0 incompatible "
                 "with expected float.");
  spec.op = "Add";
  spec.inputs = &x.f;
  EXPECT_REFUSED(&x, spec,
                 "NodeDef expected inputs 'float, float' do not match 1 inputs "
                 "specified; " ADD_OP "; NodeDef: {{node a}}");
  berth_out_t two[2] = {x.f, x.f};
  spec.op = "Neg";
  spec.inputs = two;
  spec.input_count = 2;
  EXPECT_REFUSED(&x, spec,
                 "NodeDef expected inputs 'float' do not match 2 inputs "
                 "specified; " NEG_OP "; NodeDef: {{node a}}");
  spec.op = "Assign";
  EXPECT_REFUSED(
      &x, spec,
      "Input 0 of node a was passed float from f:0 incompatible with "
      "expected float_ref.");
  fixture_drop(&x);
}

TEST(graph, reading_wants_every_attribute) {
  fixture_t x = fixture_make();
  berth_node_spec_t spec = {
      .op = "Neg", .inputs = &x.f, .input_count = 1, .is_strict = true};
  EXPECT_REFUSED(&x, spec,
                 "NodeDef missing attr 'T' from " NEG_OP
                 "; NodeDef: {{node a}}");
  EXPECT_REFUSED(&x, ((berth_node_spec_t){.op = "Const", .is_strict = true}),
                 "NodeDef missing attrs 'dtype', 'value' from " CONST_OP
                 "; NodeDef: {{node a}}");
  // Building infers it instead, and keeps attributes it does not know.
  berth_attr_t other = int_attr("zzz", 1);
  spec.is_strict = false;
  spec.attrs = &other;
  spec.attr_count = 1;
  ASSERT_OK(add(&x, spec), &x.err);
  const berth_node_t *node =
      berth_graph_get(x.graph, berth_graph_find(x.graph, "a"));
  EXPECT_EQ(berth_node_attr_type(node, "T", BERTH_INVALID), BERTH_FLOAT);
  EXPECT_EQ(berth_node_attr_int(node, "zzz", 0), 1);
  fixture_drop(&x);
}

TEST(graph, attributes_must_be_of_their_kind) {
  fixture_t x = fixture_make();
  berth_attr_t attr = int_attr("dtype", 3);
  berth_node_spec_t spec = {.op = "Const", .attrs = &attr, .attr_count = 1};
  EXPECT_REFUSED(&x, spec,
                 "AttrValue had value with type 'int' when 'type' expected\n\t "
                 "for attr 'dtype'\n\t; NodeDef: {{node a}}; " CONST_OP);
  attr.value.kind = BERTH_ATTR_NONE;
  EXPECT_REFUSED(&x, spec,
                 "AttrValue missing value with expected type 'type'\n\t for "
                 "attr 'dtype'\n\t; NodeDef: {{node a}}; " CONST_OP);
  attr = type_attr("dtype", BERTH_INVALID);
  EXPECT_REFUSED(&x, spec,
                 "AttrValue has invalid DataType\n\t for attr 'dtype'\n\t; "
                 "NodeDef: {{node a}}; " CONST_OP);
  attr = type_attr("dtype", (berth_dtype_t)77);
  EXPECT_REFUSED(&x, spec,
                 "AttrValue has invalid DataType enum: 77\n\t for attr "
                 "'dtype'\n\t; NodeDef: {{node a}}; " CONST_OP);
  attr = type_attr("dtype", (berth_dtype_t)101);
  EXPECT_REFUSED(
      &x, spec,
      "AttrValue must not have reference type value of float_ref\n\t "
      "for attr 'dtype'\n\t; NodeDef: {{node a}}; " CONST_OP);
  fixture_drop(&x);
}

TEST(graph, attributes_must_be_allowed) {
  fixture_t x = fixture_make();
  berth_node_spec_t spec = {.op = "Neg", .inputs = &x.s, .input_count = 1};
  EXPECT_REFUSED(
      &x, spec,
      "Value for attr 'T' of string is not in the list of allowed "
      "values: bfloat16, half, float, double, int8, int16, int32, "
      "int64, complex64, complex128\n\t; NodeDef: {{node a}}; " NEG_OP);
  berth_attr_t format = {"data_format",
                         {.kind = BERTH_ATTR_STRING, .s = {"XX", 2}}};
  berth_out_t two[2] = {x.m, x.m};
  spec = (berth_node_spec_t){.op = "BiasAdd",
                             .inputs = two,
                             .input_count = 2,
                             .attrs = &format,
                             .attr_count = 1};
  EXPECT_EQ(add(&x, spec), BERTH_INVALID_ARGUMENT);
  const char *head =
      "Value for attr 'data_format' of \"XX\" is not in the list of allowed "
      "values: \"NHWC\", \"NCHW\"\n\t; NodeDef: {{node a}}; Op<name=BiasAdd; ";
  EXPECT_TRUE(strncmp(berth_error_message(&x.err), head, strlen(head)) == 0);
  berth_error_clear(&x.err);
  fixture_drop(&x);
}

TEST(graph, numbers_and_lengths_have_a_minimum) {
  fixture_t x = fixture_make();
  const char *pack =
      "Op<name=Pack; signature=values:N*T -> output:T; attr=N:int,min=1; "
      "attr=T:type; attr=axis:int,default=0>";
  char text[512];
  berth_attr_t attrs[2] = {int_attr("N", 0), type_attr("T", BERTH_FLOAT)};
  snprintf(text, sizeof(text),
           "Value for attr 'N' of 0 must be at least minimum 1\n\t; NodeDef: "
           "{{node a}}; %s",
           pack);
  EXPECT_REFUSED(
      &x, ((berth_node_spec_t){.op = "Pack", .attrs = attrs, .attr_count = 2}),
      text);
  EXPECT_REFUSED(&x, ((berth_node_spec_t){.op = "IdentityN"}),
                 "Length for attr 'T' of 0 must be at least minimum 1\n\t; "
                 "NodeDef: {{node a}}; " IDENTITY_N_OP);
  fixture_drop(&x);
}

// ---- Building ----

TEST(graph, building_says_what_does_not_fit) {
  fixture_t x = fixture_make();
  berth_out_t mixed[2] = {x.f, x.i};
  berth_node_spec_t spec = {.op = "Add", .inputs = mixed, .input_count = 2};
  EXPECT_REFUSED(&x, spec,
                 "Inconsistent values for attr 'T' DT_FLOAT vs. DT_INT32 while "
                 "building NodeDef 'a' using " ADD_OP);
  spec.input_count = 1;
  EXPECT_REFUSED(&x, spec,
                 "1 inputs specified of 2 inputs in Op while building NodeDef "
                 "'a' using " ADD_OP);
  spec.op = "Neg";
  spec.input_count = 2;
  EXPECT_REFUSED(&x, spec,
                 "More Input() calls than the 1 input_args while building "
                 "NodeDef 'a' using " NEG_OP);
  berth_attr_t t = type_attr("T", BERTH_FLOAT);
  spec = (berth_node_spec_t){.op = "Neg",
                             .inputs = &x.i,
                             .input_count = 1,
                             .attrs = &t,
                             .attr_count = 1};
  EXPECT_REFUSED(&x, spec,
                 "Inconsistent values for attr 'T' DT_INT32 vs. DT_FLOAT while "
                 "building NodeDef 'a' using " NEG_OP);
  fixture_drop(&x);
}

TEST(graph, building_reports_several_errors_together) {
  fixture_t x = fixture_make();
  berth_out_t three[3] = {x.f, x.f, x.f};
  berth_node_spec_t spec = {.op = "Switch", .inputs = three, .input_count = 3};
  const char *op =
      "Op<name=Switch; signature=data:T, pred:bool -> output_false:T, "
      "output_true:T; attr=T:type>";
  char text[512];
  snprintf(text, sizeof(text),
           "2 errors while building NodeDef 'a' using %s:\nInput 'pred' passed "
           "float expected bool\nMore Input() calls than the 2 input_args",
           op);
  EXPECT_REFUSED(&x, spec, text);
  fixture_drop(&x);
}

TEST(graph, building_checks_lists) {
  fixture_t x = fixture_make();
  berth_out_t mixed[2] = {x.f, x.i};
  berth_op_t *op = berth_op_begin(x.graph, "IdentityN", "a");
  berth_op_input_list(op, mixed, 2);
  berth_dtype_t types[2] = {BERTH_FLOAT, BERTH_FLOAT};
  berth_op_attr_types(op, "T", types, 2);
  berth_node_id_t node = BERTH_NO_NODE;
  EXPECT_FAILS(
      berth_op_try_finish(op, &node, &x.err), BERTH_INVALID_ARGUMENT, &x.err,
      "Inconsistent values for attr 'T' [DT_FLOAT, DT_INT32] vs. "
      "[DT_FLOAT, DT_FLOAT] while building NodeDef 'a' using " IDENTITY_N_OP);
  op = berth_op_begin(x.graph, "Neg", "a");
  berth_op_input_list(op, &x.f, 1);
  EXPECT_FAILS(berth_op_try_finish(op, &node, &x.err), BERTH_INVALID_ARGUMENT,
               &x.err,
               "List provided to input 'x' when single Tensor expected while "
               "building NodeDef 'a_1' using " NEG_OP);
  op = berth_op_begin(x.graph, "IdentityN", "b");
  berth_op_input(op, x.f);
  EXPECT_FAILS(berth_op_try_finish(op, &node, &x.err), BERTH_INVALID_ARGUMENT,
               &x.err,
               "Single tensor passed to 'input', expected list while building "
               "NodeDef 'b' using " IDENTITY_N_OP);
  fixture_drop(&x);
}

TEST(graph, names_are_checked_and_unique) {
  fixture_t x = fixture_make();
  EXPECT_REFUSED(&x, ((berth_node_spec_t){.op = "NoOp", .name = "a b"}),
                 "Node 'a b': Node name contains invalid characters");
  EXPECT_REFUSED(&x, ((berth_node_spec_t){.op = "NoOp", .name = "_a"}),
                 "Node '_a': Node name contains invalid characters");
  EXPECT_REFUSED(&x, ((berth_node_spec_t){.op = "NoOp", .name = ""}),
                 "Node '': Node name contains invalid characters");
  EXPECT_REFUSED(&x, ((berth_node_spec_t){.op = "NoOp", .name = "f"}),
                 "Duplicate node name in graph: 'f'");
  ASSERT_OK(add(&x, (berth_node_spec_t){.op = "NoOp", .name = "F"}), &x.err);
  ASSERT_OK(add(&x, (berth_node_spec_t){.op = "NoOp", .name = ".a/b>c\\d-e"}),
            &x.err);
  fixture_drop(&x);
}

TEST(graph, ops_must_exist_and_not_be_gone) {
  fixture_t x = fixture_make();
  EXPECT_EQ(add(&x, (berth_node_spec_t){.op = "Foo"}), BERTH_NOT_FOUND);
  EXPECT_TRUE(strstr(berth_error_message(&x.err),
                     "Op type not registered 'Foo' in binary running on ") ==
              berth_error_message(&x.err));
  EXPECT_FAILS(add(&x, (berth_node_spec_t){.op = "PlaceholderV2"}),
               BERTH_UNIMPLEMENTED, &x.err,
               "Op PlaceholderV2 is not available in GraphDef version 2474. It "
               "has been removed in version 23. Placeholder now behaves the "
               "same as PlaceholderV2..");
  fixture_drop(&x);
}

TEST(graph, inputs_must_be_of_the_graph) {
  fixture_t x = fixture_make();
  berth_out_t bad = {x.f.node, 1};
  berth_node_spec_t spec = {.op = "Neg", .inputs = &bad, .input_count = 1};
  EXPECT_REFUSED(&x, spec,
                 "Node 'a': Connecting to invalid output 1 of source node f "
                 "which has 1 outputs.");
  bad = (berth_out_t){99, 0};
  EXPECT_REFUSED(&x, spec, "Node 'a': input 0 is not of this graph");
  int32_t control = -1;
  EXPECT_REFUSED(&x,
                 ((berth_node_spec_t){
                     .op = "NoOp", .controls = &control, .control_count = 1}),
                 "Node 'a': control input 0 is not of this graph");
  fixture_drop(&x);
}

// ---- Looking ----

TEST(graph, prints_nodes_as_tensorflow) {
  fixture_t x = fixture_make();
  berth_op_t *op = berth_op_begin(x.graph, "Split", "sp");
  int32_t zero = 0;
  berth_op_input(op, berth_const_i32(x.graph, "axis", &zero, BERTH_SCALAR));
  berth_op_input(op, x.m);
  berth_op_attr_int(op, "num_split", 2);
  berth_node_id_t split = berth_op_finish(op);
  op = berth_op_begin(x.graph, "MatMul", "mm");
  berth_op_input(op, (berth_out_t){split, 0});
  berth_op_input(op, (berth_out_t){split, 1});
  berth_op_control(op, x.i.node);
  berth_op_attr_bool(op, "transpose_b", true);
  berth_op_device(op, "/gpu:2");
  berth_node_id_t node = berth_op_finish(op);
  berth_str_t str = {0};
  berth_node_print(x.graph, berth_graph_get(x.graph, node), &str);
  EXPECT_STR(berth_str_get(&str),
             "{{node mm}} = MatMul[T=DT_FLOAT, grad_a=false, grad_b=false, "
             "transpose_a=false, transpose_b=true, _device=\"/gpu:2\"]("
             "sp, sp:1, ^i)");
  berth_str_clear(&str);
  berth_out_t out;
  ASSERT_OK(berth_graph_find_out(x.graph, "sp:1", &out, &x.err), &x.err);
  EXPECT_EQ(out.index, 1);
  EXPECT_FAILS(berth_graph_find_out(x.graph, "sp:2", &out, &x.err),
               BERTH_INVALID_ARGUMENT, &x.err,
               "Node 'sp' (type: 'Split', num of outputs: 2) does not have "
               "output 2");
  EXPECT_FAILS(berth_graph_find_out(x.graph, "nope", &out, &x.err),
               BERTH_NOT_FOUND, &x.err, "There is no node called 'nope'");
  int first = -1, count = -1;
  ASSERT_OK(berth_node_arg_range(x.graph, split, "output", true, &first, &count,
                                 &x.err),
            &x.err);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(count, 2);
  EXPECT_FAILS(berth_node_arg_range(x.graph, split, "zzz", false, &first,
                                    &count, &x.err),
               BERTH_INVALID_ARGUMENT, &x.err, "Input arg 'zzz' not found");
  fixture_drop(&x);
}

TEST(graph, truncating_undoes_additions) {
  fixture_t x = fixture_make();
  int before = berth_graph_node_count(x.graph);
  float one = 1;
  berth_out_t c = berth_const_f32(x.graph, "c", &one, BERTH_SCALAR);
  EXPECT_EQ(berth_graph_find(x.graph, "c"), c.node);
  berth_graph_lock(x.graph);
  berth_graph_truncate(x.graph, before);
  berth_graph_unlock(x.graph);
  EXPECT_EQ(berth_graph_node_count(x.graph), before);
  EXPECT_EQ(berth_graph_find(x.graph, "c"), BERTH_NO_NODE);
  EXPECT_EQ(berth_graph_find(x.graph, "m"), x.m.node);
  ASSERT_OK(add(&x, (berth_node_spec_t){.op = "NoOp", .name = "c"}), &x.err);
  EXPECT_EQ(berth_graph_find(x.graph, "c"), before);
  fixture_drop(&x);
}

// Builds a chain of |count| nodes on |from|, each using the one before twice.
static berth_out_t chain(berth_graph_t *graph, berth_out_t from, int count) {
  for (int i = 0; i < count; ++i) {
    berth_op_t *op = berth_op_begin(graph, "AddV2", NULL);
    berth_op_input(op, from);
    berth_op_input(op, from);
    from = (berth_out_t){berth_op_finish(op), 0};
  }
  return from;
}

TEST(graph, consumers_are_found_before_and_after_indexing) {
  fixture_t x = fixture_make();
  berth_out_t used[4];
  EXPECT_EQ(berth_out_consumers(x.graph, x.f, used, 4), 0);
  berth_out_t last = chain(x.graph, x.f, 3000);  // Enough for an index.
  EXPECT_EQ(berth_out_consumers(x.graph, x.f, used, 4), 2);
  EXPECT_EQ(used[0].node, x.m.node + 1);
  EXPECT_EQ(used[0].index, 0);
  EXPECT_EQ(used[1].index, 1);
  EXPECT_EQ(berth_out_consumers(x.graph, last, used, 4), 0);
  // Added after the index was made.
  berth_op_t *op = berth_op_begin(x.graph, "Neg", NULL);
  berth_op_input(op, last);
  berth_op_control(op, x.f.node);
  berth_node_id_t late = berth_op_finish(op);
  EXPECT_EQ(berth_out_consumers(x.graph, last, used, 4), 1);
  EXPECT_EQ(used[0].node, late);
  berth_node_id_t waiting[2];
  EXPECT_EQ(berth_node_control_consumers(x.graph, x.f.node, waiting, 2), 1);
  EXPECT_EQ(waiting[0], late);
  EXPECT_EQ(berth_out_consumers(x.graph, x.f, NULL, 0), 2);
  fixture_drop(&x);
}

TEST(graph, the_first_error_stays) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *g = berth_graph_create();
  EXPECT_EQ(berth_op_finish(berth_op_begin_exact(g, "NoOp", "a b")),
            BERTH_NO_NODE);
  EXPECT_EQ(berth_op_finish(berth_op_begin(g, "NoOp", "fine")), BERTH_NO_NODE);
  EXPECT_FAILS(berth_graph_error(g, &err), BERTH_INVALID_ARGUMENT, &err,
               "Node 'a b': Node name contains invalid characters");
  berth_node_id_t node = BERTH_NO_NODE;
  EXPECT_FAILS(
      berth_op_try_finish(berth_op_begin(g, "NoOp", "fine"), &node, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Node 'a b': Node name contains invalid characters");
  EXPECT_EQ(berth_graph_node_count(g), 0);
  berth_graph_release(g);
}

enum { THREADS = 4, NODES_EACH = 2000 };

// Builds a chain and reads what is there meanwhile, from nodes of any thread.
static void build_and_read(void *arg) {
  fixture_t *x = arg;
  berth_out_t last = x->f;
  for (int i = 0; i < NODES_EACH; ++i) {
    last = chain(x->graph, last, 1);
    int seen = berth_graph_node_count(x->graph) - 1;
    const char *name = berth_node_name(x->graph, seen);
    if (i % 100 == 0 && berth_graph_find(x->graph, name) != seen) {
      HARNESS_FAIL("%s is not node %d", name, seen);
    }
  }
}

TEST(graph, may_be_built_and_read_from_several_threads) {
  fixture_t x = fixture_make();
  int before = berth_graph_node_count(x.graph);
  berth_thread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], build_and_read, &x, &x.err),
              &x.err);
  }
  for (int i = 0; i < THREADS; ++i) berth_thread_join(&threads[i]);
  EXPECT_EQ(berth_graph_node_count(x.graph), before + THREADS * NODES_EACH);
  EXPECT_EQ(berth_out_consumers(x.graph, x.f, NULL, 0), 2 * THREADS);
  fixture_drop(&x);
}

// Builds a little of everything; false when memory ran out on the way.
static bool build_some(void) {
  berth_graph_t *g = berth_graph_create();
  if (g == NULL) return false;
  float values[4] = {1, 2, 3, 4};
  berth_scope_push(g, "outer");
  berth_device_push(g, "/job:a/gpu:1");
  berth_out_t c = berth_const_f32(g, NULL, values, BERTH_SHAPE(2, 2));
  berth_control_push(g, &c.node, 1);
  berth_colocate_push(g, c.node);
  berth_op_t *op = berth_op_begin(g, "MatMul", "Product");
  berth_op_input(op, c);
  berth_op_input(op, c);
  berth_op_attr_string(op, "_note", "text", 4);
  (void)berth_op_finish(op);
  berth_colocate_pop(g);
  berth_control_pop(g);
  berth_device_pop(g);
  berth_scope_pop(g);
  bool is_built = berth_graph_error(g, NULL) == BERTH_OK;
  if (is_built) EXPECT_EQ(berth_graph_node_count(g), 2);
  berth_graph_release(g);
  return is_built;
}

TEST(graph, survives_every_failing_allocation) {
  int64_t nth = 1;
  for (bool is_built = false; !is_built && nth < 1000; ++nth) {
    berth_fault_arm("alloc", nth);
    is_built = build_some();
    berth_fault_disarm();
  }
  EXPECT_TRUE(nth > 5);
  EXPECT_TRUE(nth < 1000);
}
