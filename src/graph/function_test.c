// function_test.c - The functions of a graph.
#include "graph/function.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "graph/graph.h"
#include "harness.h"
#include "wire/message.h"
#include "wire/text.h"

static berth_code_t import(berth_graph_t *graph, const char *text,
                           berth_error_t *err) {
  return berth_graph_import_text(graph, text, strlen(text), NULL, err);
}

// Adds a library given as text.
static berth_code_t add(berth_graph_t *graph, const char *text,
                        berth_error_t *err) {
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  void *bytes = NULL;
  size_t size = 0;
  berth_code_t code =
      berth_message_from_text(&berth__wire__function_def_library__descriptor,
                              text, strlen(text), &arena, &message, err);
  if (code == BERTH_OK) code = berth_message_pack(message, &bytes, &size, err);
  if (code == BERTH_OK) {
    code = berth_graph_add_functions(graph, bytes, size, err);
  }
  berth_free(bytes);
  berth_arena_clear(&arena);
  return code;
}

static void expect_function(const berth_graph_t *graph, const char *name,
                            const char *expected) {
  berth_error_t err = BERTH_ERROR_INIT;
  void *bytes = NULL;
  size_t size = 0;
  ASSERT_OK(berth_graph_function_export(graph, name, &bytes, &size, &err),
            &err);
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  ASSERT_OK(berth_message_unpack(&berth__wire__function_def__descriptor, bytes,
                                 size, &arena, &message, &err),
            &err);
  berth_str_t str = {0};
  ASSERT_OK(berth_message_to_text(message, &str, &err), &err);
  EXPECT_STR(berth_str_get(&str), expected);
  berth_str_clear(&str);
  berth_arena_clear(&arena);
  berth_text_free(bytes);
}

static const char negate[] =
    "function { signature { name: 'negate' "
    "input_arg { name: 'x' type_attr: 'T' } "
    "output_arg { name: 'y' type_attr: 'T' } "
    "attr { name: 'T' type: 'type' allowed_values { list { type: DT_INT32 "
    "type: DT_FLOAT } } } } "
    "node_def { name: 'n' op: 'Neg' input: 'x' "
    "attr { key: 'T' value { placeholder: 'T' } } } "
    "ret { key: 'y' value: 'n:y:0' } }";

TEST(function, is_called_like_an_op) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(add(graph, negate, &err), &err);
  EXPECT_EQ(berth_graph_function_count(graph), 1);
  EXPECT_STR(berth_graph_function_name(graph, 0), "negate");
  EXPECT_TRUE(berth_graph_function_name(graph, 1) == NULL);
  EXPECT_EQ(graph->min_consumer, 12);
  ASSERT_OK(import(graph,
                   "node { name: 'x' op: 'Placeholder' "
                   "attr { key: 'dtype' value { type: DT_FLOAT } } }"
                   "node { name: 'y' op: 'negate' input: 'x' "
                   "attr { key: 'T' value { type: DT_FLOAT } } }",
                   &err),
            &err);
  const berth_node_t *node = berth_graph_get(graph, 1);
  EXPECT_TRUE(node->op->is_function);
  EXPECT_EQ(node->output_count, 1);
  EXPECT_EQ(node->output_types[0], BERTH_FLOAT);
  EXPECT_FAILS(
      import(graph,
             "node { name: 'z' op: 'negate' "
             "attr { key: 'T' value { type: DT_STRING } } }",
             &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Value for attr 'T' of string is not in the list of allowed values: "
      "int32, float\n\t; NodeDef: {{node z}}; Op<name=negate; signature=x:T -> "
      "y:T; attr=T:type,allowed=[DT_INT32, DT_FLOAT]>");
  berth_graph_release(graph);
}

TEST(function, comes_with_a_graph_and_goes_out_with_it) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(import(graph,
                   "node { name: 'a' op: 'f' } "
                   "library { function { signature { name: 'f' } } } "
                   "versions { producer: 2474 }",
                   &err),
            &err);
  char *text = NULL;
  ASSERT_OK(berth_graph_export_text(graph, &text, &err), &err);
  EXPECT_STR(text,
             "node {\n  name: \"a\"\n  op: \"f\"\n}\n"
             "library {\n  function {\n    signature {\n"
             "      name: \"f\"\n    }\n  }\n}\n"
             "versions {\n  producer: 2474\n  min_consumer: 12\n}\n");
  berth_text_free(text);
  berth_graph_release(graph);
}

TEST(function, may_be_added_twice_but_not_differently) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(add(graph,
                "function { signature { name: 'f' } "
                "attr { key: 'a' value { i: 1 } } "
                "attr { key: 'b' value { i: 2 } } }",
                &err),
            &err);
  // The order of a map means nothing.
  ASSERT_OK(add(graph,
                "function { signature { name: 'f' } "
                "attr { key: 'b' value { i: 2 } } "
                "attr { key: 'a' value { i: 1 } } }",
                &err),
            &err);
  EXPECT_EQ(berth_graph_function_count(graph), 1);
  EXPECT_FAILS(add(graph, "function { signature { name: 'f' } }", &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Cannot add function 'f' because a different function with the "
               "same name already exists.");
  EXPECT_FAILS(add(graph,
                   "function { signature { name: 'g' } } "
                   "function { signature { name: 'NoOp' } }",
                   &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Cannot add function 'NoOp' because an op with the same name "
               "already exists.");
  EXPECT_FAILS(add(graph, "function { }", &err), BERTH_INVALID_ARGUMENT, &err,
               "Cannot add a function without a name.");
  // All or nothing: "g" is not there.
  EXPECT_EQ(berth_graph_function_count(graph), 1);
  void *bytes = NULL;
  size_t size = 0;
  EXPECT_FAILS(berth_graph_function_export(graph, "g", &bytes, &size, &err),
               BERTH_NOT_FOUND, &err, "The graph has no function 'g'");
  ASSERT_OK(add(graph, "function { signature { name: 'g' } }", &err), &err);
  EXPECT_STR(berth_graph_function_name(graph, 1), "g");
  berth_graph_release(graph);
}

TEST(function, needs_a_signature_that_makes_sense) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  EXPECT_FAILS(
      add(graph, "function { signature { name: 'f' input_arg { name: 'x' } } }",
          &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Missing type for argument 'x' of function 'f'");
  EXPECT_FAILS(add(graph,
                   "function { signature { name: 'f' "
                   "input_arg { name: 'x' type_attr: 'T' } } }",
                   &err),
               BERTH_INVALID_ARGUMENT, &err,
               "No attr with name 'T' for argument 'x' of function 'f'");
  EXPECT_FAILS(
      add(graph,
          "function { signature { name: 'f' attr { name: 'T' type: 'x' } } }",
          &err),
      BERTH_INVALID_ARGUMENT, &err, "Attr 'T' has unknown type 'x'");
  EXPECT_EQ(berth_graph_function_count(graph), 0);
  berth_graph_release(graph);
}

TEST(function, keeps_defaults_that_are_tensors) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(add(graph,
                "function { signature { name: 'f' attr { name: 't' "
                "type: 'tensor' default_value { tensor { dtype: DT_FLOAT "
                "tensor_shape { } float_val: 2 } } } } }",
                &err),
            &err);
  ASSERT_OK(import(graph, "node { name: 'a' op: 'f' }", &err), &err);
  const berth_attr_value_t *value =
      berth_node_attr(berth_graph_get(graph, 0), "t");
  ASSERT_TRUE(value != NULL && value->kind == BERTH_ATTR_TENSOR);
  EXPECT_EQ(*(const float *)berth_tensor_data(value->tensor), 2);
  berth_graph_release(graph);
}

// ---- Functions of graphs ----

// x, y -> Unpack(x), Add(first, y), Identity(second) after Add.
static const char body_text[] =
    "node { name: 'My/X' op: 'Placeholder' "
    "  attr { key: 'dtype' value { type: DT_FLOAT } } }"
    "node { name: 'y' op: 'Placeholder' "
    "  attr { key: 'dtype' value { type: DT_FLOAT } } }"
    "node { name: 'unstack' op: 'Unpack' input: 'My/X' "
    "  attr { key: 'T' value { type: DT_FLOAT } } "
    "  attr { key: 'num' value { i: 2 } } }"
    "node { name: 'Sum' op: 'AddV2' input: 'unstack' input: 'y' "
    "  attr { key: 'T' value { type: DT_FLOAT } } }"
    "node { name: 'y_0' op: 'Identity' input: 'unstack:1' input: '^Sum' "
    "  attr { key: 'T' value { type: DT_FLOAT } } }";

TEST(function, is_made_of_a_graph_as_tensorflow_does) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *body = berth_graph_create(), *graph = berth_graph_create();
  ASSERT_OK(import(body, body_text, &err), &err);
  berth_out_t inputs[] = {{0, 0}, {1, 0}}, outputs[] = {{3, 0}, {4, 0}};
  ASSERT_OK(berth_graph_add_function_of(graph, "f", body, inputs, 2, outputs,
                                        NULL, 2, &err),
            &err);
  expect_function(
      graph, "f",
      "signature {\n  name: \"f\"\n"
      "  input_arg {\n    name: \"my_x\"\n    type: DT_FLOAT\n  }\n"
      "  input_arg {\n    name: \"y\"\n    type: DT_FLOAT\n  }\n"
      "  output_arg {\n    name: \"sum\"\n    type: DT_FLOAT\n  }\n"
      "  output_arg {\n    name: \"y_0\"\n    type: DT_FLOAT\n  }\n}\n"
      "node_def {\n  name: \"unstack\"\n  op: \"Unpack\"\n"
      "  input: \"my_x\"\n"
      "  attr {\n    key: \"T\"\n    value {\n      type: DT_FLOAT\n"
      "    }\n  }\n"
      "  attr {\n    key: \"axis\"\n    value {\n      i: 0\n    }\n  }\n"
      "  attr {\n    key: \"num\"\n    value {\n      i: 2\n    }\n  }\n}\n"
      "node_def {\n  name: \"Sum\"\n  op: \"AddV2\"\n"
      "  input: \"unstack:output:0\"\n  input: \"y\"\n"
      "  attr {\n    key: \"T\"\n    value {\n      type: DT_FLOAT\n"
      "    }\n  }\n}\n"
      "node_def {\n  name: \"y_0_0\"\n  op: \"Identity\"\n"
      "  input: \"unstack:output:1\"\n  input: \"^Sum\"\n"
      "  attr {\n    key: \"T\"\n    value {\n      type: DT_FLOAT\n"
      "    }\n  }\n}\n"
      "ret {\n  key: \"sum\"\n  value: \"Sum:z:0\"\n}\n"
      "ret {\n  key: \"y_0\"\n  value: \"y_0_0:output:0\"\n}\n");
  berth_graph_release(body);
  berth_graph_release(graph);
}

TEST(function, may_give_back_an_argument) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  ASSERT_OK(import(graph,
                   "node { name: 'x' op: 'Placeholder' "
                   "attr { key: 'dtype' value { type: DT_INT32 } } }",
                   &err),
            &err);
  berth_out_t x = {0, 0};
  const char *name = "same";
  ASSERT_OK(
      berth_graph_add_function_of(graph, "f", graph, &x, 1, &x, &name, 1, &err),
      &err);
  expect_function(graph, "f",
                  "signature {\n  name: \"f\"\n"
                  "  input_arg {\n    name: \"x\"\n    type: DT_INT32\n  }\n"
                  "  output_arg {\n    name: \"same\"\n    type: DT_INT32\n"
                  "  }\n}\n"
                  "ret {\n  key: \"same\"\n  value: \"x\"\n}\n");
  berth_graph_release(graph);
}

TEST(function, is_not_made_of_what_is_not_there) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *body = berth_graph_create();
  ASSERT_OK(import(body, body_text, &err), &err);
  berth_out_t x[] = {{2, 0}, {2, 0}}, sum = {3, 0}, second = {2, 1};
  berth_out_t none = {9, 0}, two[] = {{3, 0}, {4, 0}};
  const char *same[] = {"a", "a"};
  EXPECT_FAILS(
      berth_graph_add_function_of(body, "f", body, x, 2, &sum, NULL, 1, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "TF_Output unstack:0 appears more than once in the input list");
  EXPECT_FAILS(
      berth_graph_add_function_of(body, "f", body, x, 1, &sum, NULL, 1, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Input 0, 'unstack:1', of node 'y_0' in function 'f' is not "
      "available. You might need to include it in inputs or include "
      "its source node in the body");
  EXPECT_FAILS(berth_graph_add_function_of(body, "f", body, x, 1, &second, NULL,
                                           1, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "TF_Output unstack:1 is neither in the function body nor among "
               "function inputs. Encountered while creating function 'f'");
  EXPECT_FAILS(berth_graph_add_function_of(body, "f", body, &none, 1, &sum,
                                           NULL, 1, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Function 'f': the body has no output 0 of node 9");
  EXPECT_FAILS(
      berth_graph_add_function_of(body, "f", body, NULL, 0, two, same, 2, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Cannot have duplicate output names. Name 'a' appears more than "
      "once in 'output_names' array.");
  EXPECT_EQ(berth_graph_function_count(body), 0);
  berth_graph_release(body);
}

TEST(function, survives_every_lack_of_memory) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *body = berth_graph_create();
  ASSERT_OK(import(body, body_text, &err), &err);
  berth_out_t inputs[] = {{0, 0}, {1, 0}}, outputs[] = {{3, 0}, {4, 0}};
  for (int64_t nth = 1;; ++nth) {
    berth_graph_t *graph = berth_graph_create();
    ASSERT_TRUE(graph != NULL);
    berth_fault_arm("alloc", nth);
    berth_code_t code = berth_graph_add_function_of(graph, "f", body, inputs, 2,
                                                    outputs, NULL, 2, &err);
    int64_t passes = berth_fault_disarm();
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED);
    EXPECT_EQ(berth_graph_function_count(graph), code == BERTH_OK);
    berth_error_clear(&err);
    berth_graph_release(graph);
    if (passes < nth) break;
    ASSERT_TRUE(nth < 10000);
  }
  berth_graph_release(body);
}
