// import_test.c - GraphDefs into graphs and out again.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/fault.h"
#include "base/str.h"
#include "graph/graph.h"
// The address sanitizer is to give NULL for too much, as malloc() does.
#define HARNESS_ASAN_OPTIONS "allocator_may_return_null=1"
#include "harness.h"

#define FLOAT_PLACEHOLDER(name) \
  "node { name: '" name         \
  "' op: 'Placeholder' "        \
  "attr { key: 'dtype' value { type: DT_FLOAT } } } "
#define FLOAT_IDENTITY(name, input)                       \
  "node { name: '" name "' op: 'Identity' input: '" input \
  "' "                                                    \
  "attr { key: 'T' value { type: DT_FLOAT } } } "
#define NO_OP(name) "node { name: '" name "' op: 'NoOp' } "

static berth_code_t import(berth_graph_t *graph, const char *text,
                           const berth_import_t *options, berth_error_t *err) {
  return berth_graph_import_text(graph, text, strlen(text), options, err);
}

// Writes `name(inputs) ` for every node, in the order of ids.
static char *describe(const berth_graph_t *graph) {
  berth_str_t str = {0};
  for (int id = 0; id < berth_graph_node_count(graph); ++id) {
    const berth_node_t *node = berth_graph_get(graph, id);
    berth_str_printf(&str, "%s(", node->name);
    for (int i = 0; i < node->input_count; ++i) {
      berth_str_printf(&str, "%s%s:%d", i > 0 ? "," : "",
                       berth_node_name(graph, node->inputs[i].node),
                       node->inputs[i].index);
    }
    for (int i = 0; i < node->control_count; ++i) {
      berth_str_printf(&str, "^%s", berth_node_name(graph, node->controls[i]));
    }
    berth_str_puts(&str, ") ");
  }
  return berth_str_take(&str);
}

static void expect_graph(const berth_graph_t *graph, const char *expected) {
  char *text = describe(graph);
  EXPECT_STR(text, expected);
  berth_free(text);
}

static void expect_imported(const char *text, const char *expected) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(import(graph, text, NULL, &err), &err);
  expect_graph(graph, expected);
  berth_graph_release(graph);
}

// The import fails, and leaves a graph that held one node as it was.
static void expect_refused(const char *text, berth_code_t code,
                           const char *message) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(
      import(graph, NO_OP("before") "versions { producer: 9 }", NULL, &err),
      &err);
  EXPECT_FAILS(import(graph, text, NULL, &err), code, &err, message);
  expect_graph(graph, "before() ");
  EXPECT_EQ(graph->producer, 9);
  EXPECT_EQ(graph->min_consumer, 0);
  EXPECT_EQ(berth_graph_function_count(graph), 0);
  EXPECT_EQ(berth_graph_find(graph, "before"), 0);
  // The names it would have taken are free.
  ASSERT_OK(import(graph, NO_OP("a"), NULL, &err), &err);
  berth_graph_release(graph);
}

static char *file_read(const char *name, size_t *out_size) {
  char path[512];
  snprintf(path, sizeof path, "%s/tests/data/oracle/graphs/%s", BERTH_SOURCE_DIR,
           name);
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  char *text = berth_calloc(1, 1 << 20);
  *out_size = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  return text;
}

static void expect_round_trip(const char *binary, const char *text_file) {
  berth_error_t err = BERTH_ERROR_INIT;
  size_t size = 0, text_size = 0, exported_size = 0;
  char *bytes = file_read(binary, &size);
  char *text = file_read(text_file, &text_size);
  ASSERT_TRUE(bytes != NULL && text != NULL);
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(berth_graph_import(graph, bytes, size, NULL, &err), &err);
  char *exported_text = NULL;
  ASSERT_OK(berth_graph_export_text(graph, &exported_text, &err), &err);
  EXPECT_STR(exported_text, text);
  void *exported = NULL;
  ASSERT_OK(berth_graph_export(graph, &exported, &exported_size, &err), &err);
  EXPECT_EQ(exported_size, size);
  EXPECT_TRUE(exported_size == size && memcmp(exported, bytes, size) == 0);
  berth_text_free(exported);
  berth_text_free(exported_text);
  berth_graph_release(graph);
  berth_free(bytes);
  berth_free(text);
}

TEST(import, gives_back_what_tensorflow_wrote) {
  expect_round_trip("log_placement.pb", "log_placement.pbtxt");
  expect_round_trip("manual_placement.pb", "manual_placement.pbtxt");
  expect_round_trip("multi_gpu.pb", "multi_gpu.pbtxt");
  expect_round_trip("single_gpu.pb", "single_gpu.pbtxt");
}

TEST(import, puts_inputs_first_and_keeps_the_order_of_the_file) {
  expect_imported("", "");
  expect_imported("node { name: 'c' op: 'NoOp' input: '^a' }" NO_OP("b")
                      NO_OP("a") NO_OP("d"),
                  "b() a() c(^a) d() ");
  expect_imported(FLOAT_IDENTITY("z", "y") FLOAT_IDENTITY("y", "x:0")
                      FLOAT_PLACEHOLDER("x"),
                  "x() y(x:0) z(y:0) ");
}

TEST(import, closes_loops) {
  expect_imported(
      "node { name: 'next' op: 'NextIteration' input: 'merge' "
      "  attr { key: 'T' value { type: DT_FLOAT } } }"
      "node { name: 'merge' op: 'Merge' input: 'x' input: 'next' "
      "  attr { key: 'T' value { type: DT_FLOAT } } "
      "  attr { key: 'N' value { i: 2 } } }" FLOAT_PLACEHOLDER("x"),
      "x() merge(x:0,next:0) next(merge:0) ");
}

TEST(import, knows_nothing_of_what_comes_round_a_loop) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(
      import(graph,
             "node { name: 'x' op: 'Placeholder' "
             "  attr { key: 'dtype' value { type: DT_FLOAT } } "
             "  attr { key: 'shape' value { shape { dim { size: 2 } } } } }"
             "node { name: 'm' op: 'Merge' input: 'x' input: 'n' "
             "  attr { key: 'T' value { type: DT_FLOAT } } "
             "  attr { key: 'N' value { i: 2 } } }"
             "node { name: 'n' op: 'NextIteration' input: 'm' "
             "  attr { key: 'T' value { type: DT_FLOAT } } }",
             NULL, &err),
      &err);
  berth_shape_t shape;
  berth_out_shape(graph, (berth_out_t){1, 0}, &shape);
  EXPECT_EQ(shape.rank, -1);
  berth_graph_release(graph);
}

TEST(import, refuses_bad_loops) {
  const char *merge =
      "node { name: 'm' op: 'Merge' input: 'x' input: 'n%s' "
      "  attr { key: 'T' value { type: DT_FLOAT } } "
      "  attr { key: 'N' value { i: 2 } } }"
      "node { name: 'n' op: 'NextIteration' input: 'c' "
      "  attr { key: 'T' value { type: %s } } }"
      "node { name: 'c' op: 'Placeholder' input: '^m' "
      "  attr { key: 'dtype' value { type: %s } } }" FLOAT_PLACEHOLDER("x");
  char text[1024];
  snprintf(text, sizeof text, merge, "", "DT_INT32", "DT_INT32");
  expect_refused(text, BERTH_INVALID_ARGUMENT,
                 "Input 1 of node m was passed int32 from n:0 incompatible "
                 "with expected float.");
  snprintf(text, sizeof text, merge, ":3", "DT_FLOAT", "DT_FLOAT");
  expect_refused(text, BERTH_INVALID_ARGUMENT,
                 "Output 3 of node n does not exist. Node only has 1 "
                 "outputs.");
  expect_refused(
      "node { name: 'm' op: 'Merge' input: 'n' "
      "  attr { key: 'T' value { type: DT_FLOAT } } "
      "  attr { key: 'N' value { i: 1 } } }"
      "node { name: 'n' op: 'NextIteration' input: 'm' "
      "  attr { key: 'T' value { type: DT_FLOAT } } }",
      BERTH_INVALID_ARGUMENT, "2 nodes in a cycle");
}

TEST(import, refuses_cycles) {
  expect_refused(
      "node { name: 'a' op: 'NoOp' input: '^b' }"
      "node { name: 'b' op: 'NoOp' input: '^a' }",
      BERTH_INVALID_ARGUMENT, "2 nodes in a cycle");
  expect_refused("node { name: 'a' op: 'NoOp' input: '^a' }",
                 BERTH_INVALID_ARGUMENT, "1 nodes in a cycle");
}

TEST(import, refuses_bad_names) {
  static const char *const bad[] = {"",   "_a",   "a b",  "-a",  "a>",
                                    ">a", "a>>b", "a>-b", "a:0", "a\\\\b"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    char text[128], message[128], shown[16];
    snprintf(text, sizeof text, "node { name: '%s' op: 'NoOp' }", bad[i]);
    snprintf(shown, sizeof shown, "%s", strchr(bad[i], '\\') ? "a\\b" : bad[i]);
    snprintf(message, sizeof message,
             "Node '%s': Node name contains invalid characters", shown);
    expect_refused(text, BERTH_INVALID_ARGUMENT, message);
  }
  expect_imported(NO_OP("A9") NO_OP(".a") NO_OP("a/_b") NO_OP("a>.b")
                      NO_OP("a/b/") NO_OP("a-b"),
                  "A9() .a() a/_b() a>.b() a/b/() a-b() ");
}

TEST(import, refuses_bad_nodes) {
  expect_refused(NO_OP("a") NO_OP("a"), BERTH_INVALID_ARGUMENT,
                 "Node 'a' is not unique");
  expect_refused("node { name: 'a' }", BERTH_INVALID_ARGUMENT,
                 "Node 'a' does not specify an operation");
  expect_refused(NO_OP("b") "node { name: 'a' op: 'NoOp' input: '^b' "
                            "input: 'b' }",
                 BERTH_INVALID_ARGUMENT,
                 "Node 'a': Control dependencies must come after regular "
                 "dependencies");
  expect_refused("node { name: 'a' op: 'NoOp' input: 'zz' }",
                 BERTH_INVALID_ARGUMENT, "Node 'a': Unknown input node 'zz'");
  expect_refused("node { name: 'a' op: 'NoOp' input: '' }",
                 BERTH_INVALID_ARGUMENT, "Node 'a': Unknown input node ''");
  expect_refused("node { name: 'a' op: 'NoOp' input: '^' }",
                 BERTH_INVALID_ARGUMENT, "Node 'a': Unknown input node '^'");
  expect_refused(NO_OP("b") FLOAT_IDENTITY("a", "b"), BERTH_INVALID_ARGUMENT,
                 "Node 'a': Connecting to invalid output 0 of source node b "
                 "which has 0 outputs.");
  expect_refused(FLOAT_PLACEHOLDER("b") FLOAT_IDENTITY("a", "b:3"),
                 BERTH_INVALID_ARGUMENT,
                 "Node 'a': Connecting to invalid output 3 of source node b "
                 "which has 1 outputs.");
  expect_refused(FLOAT_PLACEHOLDER("b")
                     FLOAT_IDENTITY("a", "b:99999999999999999999"),
                 BERTH_INVALID_ARGUMENT,
                 "Node 'a': Connecting to invalid output 2147483647 of source "
                 "node b which has 1 outputs.");
}

TEST(import, refuses_what_the_op_does_not_take) {
  expect_refused(
      "node { name: 'c' op: 'Placeholder' "
      "attr { key: 'dtype' value { type: DT_INT32 } } }" FLOAT_IDENTITY("a",
                                                                        "c"),
      BERTH_INVALID_ARGUMENT,
      "Input 0 of node a was passed int32 from c:0 incompatible "
      "with expected float.");
  expect_refused("node { name: 'a' op: 'Const' }", BERTH_INVALID_ARGUMENT,
                 "NodeDef missing attrs 'dtype', 'value' from Op<name=Const; "
                 "signature= -> output:dtype; attr=value:tensor; "
                 "attr=dtype:type>; NodeDef: {{node a}}");
  expect_refused(
      "node { name: 'a' op: 'Identity' "
      "attr { key: 'T' value { type: DT_FLOAT } } }",
      BERTH_INVALID_ARGUMENT,
      "NodeDef expected inputs 'float' do not match 0 inputs "
      "specified; Op<name=Identity; signature=input:T -> output:T; "
      "attr=T:type>; NodeDef: {{node a}}");
  expect_refused(
      "node { name: 'a' op: 'Placeholder' "
      "attr { key: 'dtype' value { i: 1 } } }",
      BERTH_INVALID_ARGUMENT,
      "AttrValue had value with type 'int' when 'type' expected\n\t "
      "for attr 'dtype'\n\t; NodeDef: {{node a}}; "
      "Op<name=Placeholder; signature= -> output:dtype; "
      "attr=dtype:type; attr=shape:shape,default=<unknown>>");
}

TEST(import, refuses_unknown_ops) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  EXPECT_EQ(import(graph, "node { name: 'a' op: 'Nix' }", NULL, &err),
            BERTH_NOT_FOUND);
  const char *start = "Op type not registered 'Nix' in binary running on ";
  const char *message = berth_error_message(&err);
  EXPECT_EQ(strncmp(message, start, strlen(start)), 0);
  EXPECT_TRUE(strstr(message,
                     ". Make sure the Op and Kernel are registered in the "
                     "binary running in this process. Note that if you are "
                     "loading a saved graph which used ops from tf.contrib "
                     "(e.g. `tf.contrib.resampler`), accessing should be done "
                     "before importing the graph, as contrib ops are lazily "
                     "registered when the module is first accessed."));
  berth_error_clear(&err);
  berth_graph_release(graph);
}

TEST(import, refuses_tensors_that_cannot_be) {
#define CONST(tensor)                               \
  "node { name: 'a' op: 'Const' "                   \
  "attr { key: 'dtype' value { type: DT_FLOAT } } " \
  "attr { key: 'value' value { tensor { dtype: DT_FLOAT " tensor " } } } }"
#define AT_VALUE "\n\t for attr 'value'\n\t; NodeDef: {{node a}}"
  expect_refused(
      CONST("tensor_shape { dim { size: 3 } } tensor_content: 'abc'"),
      BERTH_INVALID_ARGUMENT,
      "Cannot parse tensor from proto: tensor_content has 3 bytes, "
      "but 3 elements of float take 12" AT_VALUE);
  expect_refused(CONST("tensor_shape { dim { size: -3 } }"),
                 BERTH_INVALID_ARGUMENT,
                 "Shape [-3] has dimensions with values below -1 (where -1 "
                 "means unknown)" AT_VALUE);
  expect_refused(CONST("tensor_shape { dim { size: -1 } }"),
                 BERTH_INVALID_ARGUMENT,
                 "Shape [?] is not fully defined" AT_VALUE);
  expect_refused(CONST("tensor_shape { dim { size: 1152921504606846976 } "
                       "dim { size: 1152921504606846976 } } float_val: 1"),
                 BERTH_INVALID_ARGUMENT,
                 "Shape [1152921504606846976,1152921504606846976] is too large "
                 "(more than 2**63 - 1 entries)" AT_VALUE);
}

TEST(import, survives_ten_bytes_that_mean_petabytes) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_code_t code =
      import(graph,
             CONST("tensor_shape { dim { size: 562949953421312 } } "
                   "float_val: 1"),
             NULL, &err);
  EXPECT_EQ(code, BERTH_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(strlen(berth_error_message(&err)) > 0);
  berth_error_clear(&err);
  EXPECT_EQ(berth_graph_node_count(graph), 0);
  berth_graph_release(graph);
}

TEST(import, checks_versions) {
  expect_refused("versions { producer: 3000 min_consumer: 99999 }",
                 BERTH_INVALID_ARGUMENT,
                 "GraphDef min consumer version 99999 above current version "
                 "2474 for TensorFlow 2.21.0.  Please upgrade TensorFlow.");
  expect_refused("versions { producer: -1 }", BERTH_INVALID_ARGUMENT,
                 "GraphDef producer version -1 below min producer 0 supported "
                 "by TensorFlow 2.21.0.  Please regenerate your graph.");
  expect_refused("versions { producer: 9 bad_consumers: 2474 }",
                 BERTH_INVALID_ARGUMENT,
                 "GraphDef disallows consumer version 2474.  Please upgrade "
                 "TensorFlow: this version is likely buggy.");
}

TEST(import, keeps_the_oldest_version) {
  static const struct {
    const char *text;
    int producer, min_consumer;
  } cases[] = {{"versions { producer: 3000 }", 2474, 0},
               {"versions { producer: 1000 min_consumer: 12 }", 1000, 12},
               {"versions { producer: 1200 min_consumer: 5 }", 1000, 12},
               {"", 0, 12}};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    ASSERT_OK(import(graph, cases[i].text, NULL, &err), &err);
    EXPECT_EQ(graph->producer, cases[i].producer);
    EXPECT_EQ(graph->min_consumer, cases[i].min_consumer);
  }
  berth_graph_release(graph);
}

TEST(import, knows_removed_ops_in_old_graphs_only) {
#define OLD_PLACEHOLDER                             \
  "node { name: 'x' op: 'PlaceholderV2' "           \
  "attr { key: 'dtype' value { type: DT_FLOAT } } " \
  "attr { key: 'shape' value { shape { } } } } "
  expect_imported(OLD_PLACEHOLDER "versions { producer: 22 }", "x() ");
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  EXPECT_FAILS(
      import(graph, OLD_PLACEHOLDER "versions { producer: 23 }", NULL, &err),
      BERTH_UNIMPLEMENTED, &err,
      "Op PlaceholderV2 is not available in GraphDef version 23. It has been "
      "removed in version 23. Placeholder now behaves the same as "
      "PlaceholderV2..");
  EXPECT_EQ(graph->producer, 2474);
  berth_graph_release(graph);
}

TEST(import, keeps_devices_as_they_are) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_import_t options = {.default_device = "/gpu:7"};
  ASSERT_OK(import(graph,
                   "node { name: 'a' op: 'NoOp' device: '/Cpu:0' }"
                   "node { name: 'b' op: 'NoOp' device: 'nonsense' }"
                   "node { name: 'c' op: 'NoOp' }",
                   &options, &err),
            &err);
  EXPECT_STR(berth_node_device(graph, 0), "/Cpu:0");
  EXPECT_STR(berth_node_device(graph, 1), "nonsense");
  EXPECT_STR(berth_node_device(graph, 2), "/gpu:7");
  berth_graph_release(graph);
}

// ---- Options ----

TEST(import, refuses_names_that_are_taken) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(import(graph, NO_OP("a") NO_OP("p/b"), NULL, &err), &err);
  EXPECT_FAILS(import(graph, NO_OP("a"), NULL, &err), BERTH_INVALID_ARGUMENT,
               &err, "Node name 'a' already exists in the Graph");
  EXPECT_FAILS(import(graph, NO_OP("p"), NULL, &err), BERTH_INVALID_ARGUMENT,
               &err, "Node name 'p' already exists in the Graph");
  berth_import_t options = {.prefix = "p"};
  EXPECT_FAILS(import(graph, NO_OP("b"), &options, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Node name 'p/b' already exists in the Graph");
  options.prefix = "p q";
  EXPECT_FAILS(import(graph, NO_OP("b"), &options, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Imported node name prefix 'p q/' would lead to invalid node "
               "names");
  expect_graph(graph, "a() p/b() ");
  berth_graph_release(graph);
}

TEST(import, makes_names_unique) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(import(graph, NO_OP("a") NO_OP("s/x"), NULL, &err), &err);
  berth_import_t names = {.uniquify_names = true};
  ASSERT_OK(
      import(graph,
             NO_OP("a") NO_OP("a_1") NO_OP(
                 "s") "node { name: 'b' op: 'NoOp' input: '^a' "
                      "attr { key: '_class' value { list { s: 'loc:@a' } } } }",
             &names, &err),
      &err);
  expect_graph(graph, "a() s/x() a_2() a_1() s_1() b(^a_2) ");
  const berth_attr_value_t *group =
      berth_node_attr(berth_graph_get(graph, 5), "_class");
  ASSERT_TRUE(group != NULL && group->count == 1);
  EXPECT_STR(group->s_list[0].text, "loc:@a_2");
  berth_import_t prefix = {.prefix = "s/", .uniquify_prefix = true};
  ASSERT_OK(import(graph, NO_OP("x"), &prefix, &err), &err);
  EXPECT_STR(berth_node_name(graph, 6), "s_2/x");
  berth_graph_release(graph);
}

TEST(import, prefixes_names_inputs_and_groups) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_import_t options = {.prefix = "p"};
  ASSERT_OK(import(graph,
                   "node { name: 'a' op: 'NoOp' input: '^b' "
                   "attr { key: '_class' value { list { s: 'loc:@b' "
                   "s: 'other' } } } }" NO_OP("b"),
                   &options, &err),
            &err);
  expect_graph(graph, "p/b() p/a(^p/b) ");
  const berth_attr_value_t *group =
      berth_node_attr(berth_graph_get(graph, 1), "_class");
  ASSERT_TRUE(group != NULL && group->count == 2);
  EXPECT_STR(group->s_list[0].text, "loc:@p/b");
  EXPECT_STR(group->s_list[1].text, "other");
  berth_graph_release(graph);
}

TEST(import, refuses_unknown_groups) {
  expect_refused(
      "node { name: 'a' op: 'NoOp' "
      "attr { key: '_class' value { list { s: 'loc:@zz' } } } }",
      BERTH_INVALID_ARGUMENT,
      "Node 'a' expects to be colocated with unknown node 'zz'");
}

TEST(import, maps_inputs_and_adds_controls) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(import(graph, FLOAT_PLACEHOLDER("x") NO_OP("y"), NULL, &err), &err);
  berth_out_t outs[] = {{0, 0}, {1, -1}}, returned[2];
  berth_node_id_t wait = 1, node = -5;
  berth_import_t options = {.prefix = "p",
                            .input_names = (const char *const[]){"q", "^r"},
                            .input_outs = outs,
                            .input_count = 2,
                            .controls = &wait,
                            .control_count = 1,
                            .return_names = (const char *const[]){"q:0", "i"},
                            .return_outs = returned,
                            .return_count = 2,
                            .return_node_names = (const char *const[]){"w"},
                            .return_nodes = &node,
                            .return_node_count = 1};
  const char *text = FLOAT_IDENTITY("i", "q") NO_OP("z")
      "node { name: 'w' op: 'NoOp' input: '^z' }"
      "node { name: 'v' op: 'NoOp' input: '^r' input: '^z' input: '^z' }";
  ASSERT_OK(import(graph, text, &options, &err), &err);
  expect_graph(graph, "x() y() p/i(x:0^y) p/z(^y) p/w(^p/z) p/v(^y^p/z) ");
  EXPECT_EQ(returned[0].node, 0);
  EXPECT_EQ(returned[1].node, 2);
  EXPECT_EQ(returned[1].index, 0);
  EXPECT_EQ(node, 4);
  berth_graph_release(graph);
}

TEST(import, refuses_bad_options) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(import(graph, FLOAT_PLACEHOLDER("x"), NULL, &err), &err);
  berth_out_t out = {0, 0}, returned = {7, 7};
  berth_import_t options = {.prefix = "p",
                            .input_names = (const char *const[]){"q:1"},
                            .input_outs = &out,
                            .input_count = 1,
                            .return_names = (const char *const[]){"zz:0"},
                            .return_outs = &returned};
  const char *text = FLOAT_IDENTITY("i", "q");
  EXPECT_FAILS(import(graph, text, &options, &err), BERTH_INVALID_ARGUMENT,
               &err, "Node 'i': Unknown input node 'q'");
  out.node = 3;
  EXPECT_FAILS(import(graph, text, &options, &err), BERTH_INVALID_ARGUMENT,
               &err,
               "node 3 in input_map does not exist in graph (input_map entry: "
               "q:1)");
  out = (berth_out_t){0, 2};
  EXPECT_FAILS(import(graph, text, &options, &err), BERTH_INVALID_ARGUMENT,
               &err, "input_map entry q:1: node 'x' has no output 2");
  out = (berth_out_t){0, -1};
  EXPECT_FAILS(import(graph, text, &options, &err), BERTH_INVALID_ARGUMENT,
               &err,
               "input_map entry q:1->x:-1 between control edge and non-control "
               "edge");
  options.input_count = 0;
  options.return_count = 1;
  EXPECT_FAILS(import(graph, NO_OP("n"), &options, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Requested return tensor 'zz:0' not found in graph def");
  options.return_names = (const char *const[]){"n:0"};
  EXPECT_FAILS(import(graph, NO_OP("n"), &options, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Invalid return output 0 of node 'n', which has 0 output(s)");
  EXPECT_EQ(returned.node, 7);
  options.return_count = 0;
  berth_node_id_t found = 7;
  options.return_node_names = (const char *const[]){"m"};
  options.return_nodes = &found;
  options.return_node_count = 1;
  EXPECT_FAILS(import(graph, NO_OP("n"), &options, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Requested return node 'm' not found in graph def");
  EXPECT_EQ(found, 7);
  expect_graph(graph, "x() ");
  berth_graph_release(graph);
}

// ---- Shapes ----

TEST(import, takes_shapes_from_output_shapes) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(import(graph,
                   "node { name: 'a' op: 'Placeholder' "
                   "attr { key: 'dtype' value { type: DT_FLOAT } } "
                   "attr { key: '_output_shapes' value { list { shape { "
                   "dim { size: 3 } dim { size: -1 } } } } } }",
                   NULL, &err),
            &err);
  berth_shape_t shape;
  berth_out_shape(graph, (berth_out_t){0, 0}, &shape);
  EXPECT_EQ(shape.rank, 2);
  EXPECT_EQ(shape.dims[0], 3);
  EXPECT_EQ(shape.dims[1], -1);
  EXPECT_TRUE(berth_node_attr(berth_graph_get(graph, 0), "_output_shapes") ==
              NULL);
  berth_graph_release(graph);
}

TEST(import, refuses_contradicting_output_shapes) {
#define SHAPED(shapes)                                         \
  "node { name: 'a' op: 'Placeholder' "                        \
  "attr { key: 'dtype' value { type: DT_FLOAT } } "            \
  "attr { key: 'shape' value { shape { dim { size: 2 } } } } " \
  "attr { key: '_output_shapes' value { list { " shapes " } } } }"
  expect_refused(SHAPED("shape { dim { size: 3 } }"), BERTH_INVALID_ARGUMENT,
                 "Node 'a' has an _output_shapes attribute inconsistent with "
                 "the GraphDef for output #0: Dimension 0 in both shapes must "
                 "be equal, but are 2 and 3. Shapes are [2] and [3].");
  expect_refused(SHAPED("shape { dim { size: 2 } dim { size: 2 } }"),
                 BERTH_INVALID_ARGUMENT,
                 "Node 'a' has an _output_shapes attribute inconsistent with "
                 "the GraphDef for output #0: Shapes must be equal rank, but "
                 "are 1 and 2");
  expect_refused(SHAPED(""), BERTH_INVALID_ARGUMENT,
                 "Node 'a' has 1 outputs but the _output_shapes attribute "
                 "specifies shapes for 0 outputs");
}

// ---- Attributes ----

TEST(import, keeps_unknown_attributes_and_the_last_of_equal_ones) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(import(graph,
                   "node { name: 'a' op: 'NoOp' "
                   "attr { key: 'z' value { i: 1 } } "
                   "attr { key: 'b' value { s: 'x\\000y' } } "
                   "attr { key: 'z' value { i: 2 } } }",
                   NULL, &err),
            &err);
  char *text = NULL;
  ASSERT_OK(berth_graph_export_text(graph, &text, &err), &err);
  EXPECT_STR(text,
             "node {\n  name: \"a\"\n  op: \"NoOp\"\n"
             "  attr {\n    key: \"b\"\n    value {\n"
             "      s: \"x\\000y\"\n    }\n  }\n"
             "  attr {\n    key: \"z\"\n    value {\n      i: 2\n    }\n  }\n"
             "}\nversions {\n}\n");
  berth_text_free(text);
  berth_graph_release(graph);
}

TEST(import, writes_every_kind_of_attribute_back) {
  const char *attrs =
      "  attr {\n    key: \"a\"\n    value {\n      list {\n        f: 1.5\n"
      "        f: -inf\n      }\n    }\n  }\n"
      "  attr {\n    key: \"b\"\n    value {\n      list {\n        b: true\n"
      "        b: false\n      }\n    }\n  }\n"
      "  attr {\n    key: \"c\"\n    value {\n      list {\n"
      "        type: DT_FLOAT\n        type: DT_INT32_REF\n      }\n    }\n  "
      "}\n"
      "  attr {\n    key: \"d\"\n    value {\n      list {\n        shape {\n"
      "          dim {\n            size: -1\n          }\n        }\n"
      "        shape {\n          unknown_rank: true\n        }\n      }\n"
      "    }\n  }\n"
      "  attr {\n    key: \"e\"\n    value {\n      list {\n        func {\n"
      "          name: \"f\"\n          attr {\n            key: \"k\"\n"
      "            value {\n              func {\n                name: \"g\"\n"
      "                attr {\n                  key: \"m\"\n"
      "                  value {\n                    placeholder: \"T\"\n"
      "                  }\n                }\n              }\n            }\n"
      "          }\n        }\n      }\n    }\n  }\n"
      "  attr {\n    key: \"h\"\n    value {\n      list {\n        tensor {\n"
      "          dtype: DT_STRING\n          tensor_shape {\n          }\n"
      "          string_val: \"s\"\n        }\n      }\n    }\n  }\n"
      "  attr {\n    key: \"i\"\n    value {\n      list {\n        i: -7\n"
      "      }\n    }\n  }\n"
      "  attr {\n    key: \"l\"\n    value {\n      list {\n      }\n    }\n  "
      "}\n"
      "  attr {\n    key: \"n\"\n    value {\n    }\n  }\n"
      "  attr {\n    key: \"o\"\n    value {\n      b: false\n    }\n  }\n";
  berth_str_t text = {0};
  berth_str_printf(&text,
                   "node {\n  name: \"a\"\n  op: \"NoOp\"\n%s}\n"
                   "versions {\n}\n",
                   attrs);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(import(graph, text.text, NULL, &err), &err);
  char *exported = NULL;
  ASSERT_OK(berth_graph_export_text(graph, &exported, &err), &err);
  EXPECT_STR(exported, text.text);
  berth_text_free(exported);
  berth_str_clear(&text);
  berth_graph_release(graph);
}

TEST(import, exports_single_attributes_and_nodes) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(import(graph, FLOAT_PLACEHOLDER("x"), NULL, &err), &err);
  void *bytes = NULL;
  size_t size = 0;
  ASSERT_OK(berth_node_attr_proto(graph, 0, "dtype", &bytes, &size, &err),
            &err);
  EXPECT_EQ(size, 2);
  EXPECT_TRUE(size == 2 && memcmp(bytes, "\x30\x01", 2) == 0);
  berth_text_free(bytes);
  // A default counts as the node's.
  ASSERT_OK(berth_node_attr_proto(graph, 0, "shape", &bytes, &size, &err),
            &err);
  EXPECT_TRUE(size == 4 && memcmp(bytes, "\x3a\x02\x18\x01", 4) == 0);
  berth_text_free(bytes);
  EXPECT_FAILS(berth_node_attr_proto(graph, 0, "nix", &bytes, &size, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Operation 'x' has no attr named 'nix'.");
  EXPECT_FAILS(berth_node_export(graph, 1, &bytes, &size, &err),
               BERTH_INVALID_ARGUMENT, &err, "The graph has no node 1");
  ASSERT_OK(berth_node_export(graph, 0, &bytes, &size, &err), &err);
  static const char expected[] =
      "\x0a\x01x\x12\x0bPlaceholder"
      "\x2a\x0b\x0a\x05"
      "dtype\x12\x02\x30\x01"
      "\x2a\x0d\x0a\x05shape\x12\x04\x3a\x02\x18\x01";
  EXPECT_EQ(size, sizeof expected - 1);
  EXPECT_TRUE(size == sizeof expected - 1 &&
              memcmp(bytes, expected, size) == 0);
  berth_text_free(bytes);
  berth_graph_release(graph);
}

// ---- Faults and size ----

TEST(import, survives_every_lack_of_memory) {
  size_t size = 0;
  char *bytes = file_read("multi_gpu.pb", &size);
  ASSERT_TRUE(bytes != NULL);
  for (int64_t nth = 1;; ++nth) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_graph_t *graph = berth_graph_create();
    ASSERT_TRUE(graph != NULL);
    berth_fault_arm("alloc", nth);
    berth_code_t code = berth_graph_import(graph, bytes, size, NULL, &err);
    int64_t passes = berth_fault_disarm();
    if (code != BERTH_OK) {
      EXPECT_EQ(code, BERTH_RESOURCE_EXHAUSTED);
      EXPECT_EQ(berth_graph_node_count(graph), 0);
    } else {
      EXPECT_EQ(berth_graph_node_count(graph), 7);
    }
    berth_error_clear(&err);
    berth_graph_release(graph);
    if (passes < nth) break;
    ASSERT_TRUE(nth < 10000);
  }
  berth_free(bytes);
}

TEST(import, takes_a_hundred_thousand_nodes) {
  enum { COUNT = 100000 };
  berth_str_t text = {0};
  // From the last to the first, so that all of them have to be put in order.
  for (int i = COUNT - 1; i > 0; --i) {
    berth_str_printf(&text, "node { name: 'n%d' op: 'NoOp' input: '^n%d' }\n",
                     i, i - 1);
  }
  berth_str_puts(&text, NO_OP("n0"));
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(import(graph, text.text, NULL, &err), &err);
  EXPECT_EQ(berth_graph_node_count(graph), COUNT);
  EXPECT_STR(berth_node_name(graph, 0), "n0");
  EXPECT_STR(berth_node_name(graph, COUNT - 1), "n99999");
  berth_graph_release(graph);
  berth_str_clear(&text);
}
