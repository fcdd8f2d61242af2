// import_limit_test.c - What a few bytes of a GraphDef can cost.
//
// Each test is a process of its own, so that the most memory it ever had
// (ru_maxrss) is what the import took.
#include <stdlib.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/str.h"
#include "graph/graph.h"
// The address sanitizer is to give NULL for too much, as malloc() does.
#define HARNESS_ASAN_OPTIONS "allocator_may_return_null=1"
#include "harness.h"
#include "tensor/compact.h"
#include "wire/graph.pb-c.h"
#include "wire/message.h"
#include "wire/text.h"

enum { MOST_KIB = 64 << 10 };  // Nothing here needs more than a few of them.

static long peak_kib(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

static const berth_import_t no_limits = {.max_constant_bytes = INT64_MAX,
                                         .max_expanded_bytes = INT64_MAX};

#define CONST(name, type, tensor)           \
  "node { name: '" name                     \
  "' op: 'Const' "                          \
  "attr { key: 'dtype' value { type: " type \
  " } } "                                   \
  "attr { key: 'value' value { tensor { dtype: " type " " tensor " } } } } "
#define SHAPE(size) "tensor_shape { dim { size: " size " } } "

static void bytes_of(const char *text, void **out_bytes, size_t *out_size) {
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  *out_bytes = NULL;
  *out_size = 0;
  ASSERT_OK(berth_message_from_text(&berth__wire__graph_def__descriptor, text,
                                    strlen(text), &arena, &message, &err),
            &err);
  ASSERT_OK(berth_message_pack(message, out_bytes, out_size, &err), &err);
  berth_arena_clear(&arena);
}

// Imports |text| as text and as bytes, in little memory, and gets the same
// bytes back.
static void expect_kept(const char *text) {
  void *bytes = NULL;
  size_t size = 0;
  bytes_of(text, &bytes, &size);
  for (int form = 0; form < 2; ++form) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_graph_t *graph = berth_graph_create();
    if (form == 0) {
      ASSERT_OK(berth_graph_import(graph, bytes, size, &no_limits, &err), &err);
    } else {
      ASSERT_OK(
          berth_graph_import_text(graph, text, strlen(text), &no_limits, &err),
          &err);
    }
    void *again = NULL;
    size_t again_size = 0;
    ASSERT_OK(berth_graph_export(graph, &again, &again_size, &err), &err);
    // Behind the nodes comes the version, which |text| has not.
    EXPECT_TRUE(again_size >= size && memcmp(again, bytes, size) == 0);
    berth_text_free(again);
    // Printing it looks at a few elements.
    berth_str_t str = {0};
    berth_node_print(graph, berth_graph_get(graph, 0), &str);
    EXPECT_TRUE(str.size < 4096);
    berth_str_clear(&str);
    berth_graph_release(graph);
  }
  berth_free(bytes);
  EXPECT_TRUE(peak_kib() < MOST_KIB);
}

TEST(import_limit, keeps_a_repeated_value_as_it_came) {
  expect_kept(CONST("c", "DT_FLOAT", SHAPE("2147483648") "float_val: 1"));
}

TEST(import_limit, keeps_a_prefix_and_a_repeated_value) {
  expect_kept(CONST("c", "DT_INT32",
                    SHAPE("2147483648") "int_val: 1 int_val: 2 int_val: 3"));
}

TEST(import_limit, keeps_zeros_that_are_not_written) {
  // Written back with the zero they stand for.
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  const char *text = CONST("c", "DT_DOUBLE", SHAPE("1099511627776"));
  ASSERT_OK(
      berth_graph_import_text(graph, text, strlen(text), &no_limits, &err),
      &err);
  const berth_attr_value_t *value =
      berth_node_attr(berth_graph_get(graph, 0), "value");
  EXPECT_TRUE(berth_tensor_is_compact(value->tensor));
  EXPECT_EQ(*(const double *)berth_tensor_elements(value->tensor), 0);
  berth_graph_release(graph);
  EXPECT_TRUE(peak_kib() < MOST_KIB);
}

TEST(import_limit, keeps_every_type) {
  static const char *const types[][2] = {
      {"DT_DOUBLE", "double_val: 2"},
      {"DT_INT64", "int64_val: -2"},
      {"DT_INT16", "int_val: -2"},
      {"DT_INT8", "int_val: -2"},
      {"DT_UINT8", "int_val: 2"},
      {"DT_UINT16", "int_val: 2"},
      {"DT_UINT32", "uint32_val: 2"},
      {"DT_UINT64", "uint64_val: 2"},
      {"DT_BOOL", "bool_val: true"},
      {"DT_HALF", "half_val: 15360"},
      {"DT_BFLOAT16", "half_val: 16256"},
      {"DT_COMPLEX64", "scomplex_val: 1 scomplex_val: 2"},
      {"DT_COMPLEX128", "dcomplex_val: 1 dcomplex_val: 2"},
      {"DT_QINT8", "int_val: -2"},
      {"DT_QUINT8", "int_val: 2"},
      {"DT_QINT16", "int_val: -2"},
      {"DT_QINT32", "int_val: -2"},
      {"DT_STRING", "string_val: 'text'"},
      {"DT_STRING", "string_val: 'a text of more than twenty-two bytes'"},
      {"DT_FLOAT8_E5M2", "float8_val: 'x'"},
  };
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
    berth_str_t text = {0};
    berth_str_printf(&text,
                     "node { name: 'c' op: 'Const' "
                     "attr { key: 'dtype' value { type: %s } } "
                     "attr { key: 'value' value { tensor { dtype: %s "
                     "tensor_shape { dim { size: 3000000000 } } %s } } } }",
                     types[i][0], types[i][0], types[i][1]);
    expect_kept(berth_str_get(&text));
    berth_str_clear(&text);
  }
}

TEST(import_limit, keeps_tensors_in_lists_and_in_functions) {
  expect_kept(
      "node { name: 'n' op: 'NoOp' attr { key: '_many' value { list { "
      "tensor { dtype: DT_FLOAT " SHAPE("2147483648") "float_val: 1 } "
      "tensor { dtype: DT_FLOAT " SHAPE("2147483648") "float_val: 1 } "
      "} } } }");
  expect_kept(
      "node { name: 'n' op: 'NoOp' attr { key: '_f' value { func { name: 'g' "
      "attr { key: 't' value { tensor { dtype: DT_FLOAT " SHAPE(
          "2147483648") "float_val: 1 } } } } } } }");
}

TEST(import_limit, keeps_the_defaults_of_functions) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  const char *text =
      "library { function { signature { name: 'f' attr { name: 't' "
      "type: 'tensor' default_value { tensor { dtype: DT_FLOAT "
      SHAPE("400000000") "float_val: 1 } } } } node_def { name: 'c' op: 'Const'"
      " attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' "
      "value { tensor { dtype: DT_FLOAT " SHAPE("2147483648")
      "float_val: 1 } } } } } } node { name: 'call' op: 'f' }";
  ASSERT_OK(berth_graph_import_text(graph, text, strlen(text), NULL, &err),
            &err);
  berth_graph_release(graph);
  EXPECT_TRUE(peak_kib() < MOST_KIB);
}

// Small ones are whole at once, so that what reads shapes finds them.
TEST(import_limit, expands_small_constants_at_once) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  const char *text = CONST("c", "DT_INT32", SHAPE("4") "int_val: 2");
  ASSERT_OK(berth_graph_import_text(graph, text, strlen(text), NULL, &err),
            &err);
  const berth_tensor_t *tensor =
      berth_node_attr(berth_graph_get(graph, 0), "value")->tensor;
  EXPECT_FALSE(berth_tensor_is_compact(tensor));
  EXPECT_EQ(((const int32_t *)tensor->data)[3], 2);
  EXPECT_EQ(graph->expanded, 0);
  berth_graph_release(graph);
}

static void expect_refused(const char *text, const berth_import_t *options,
                           const char *message) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  EXPECT_EQ(berth_graph_import_text(graph, text, strlen(text), options, &err),
            BERTH_RESOURCE_EXHAUSTED);
  EXPECT_STR(berth_error_message(&err), message);
  EXPECT_EQ(berth_graph_node_count(graph), 0);
  EXPECT_EQ(graph->expanded, 0);
  berth_error_clear(&err);
  berth_graph_release(graph);
}

#define AT(name) "\n\t for attr 'value'\n\t; NodeDef: {{node " name "}}"
#define ONE(shape)                                                      \
  "Cannot parse tensor from proto: 1 listed value(s) for shape [" shape \
  "] of type float would expand to "
#define HUGE_C CONST("c", "DT_FLOAT", SHAPE("2147483648") "float_val: 1")

TEST(import_limit, limits_one_constant) {
  unsetenv("BERTH_CONSTANT_LIMIT_MB");
  expect_refused(HUGE_C, NULL,
                 ONE("2147483648")
                 "8589934592 bytes; a constant may expand to 2147483648 (raise "
                 "max_constant_bytes or BERTH_CONSTANT_LIMIT_MB, or use "
                 "Fill)" AT("c"));
  berth_import_t options = {.max_constant_bytes = 4000};
  expect_refused(CONST("c", "DT_FLOAT", SHAPE("1001") "float_val: 1"), &options,
                 ONE("1001")
                 "4004 bytes; a constant may expand to 4000 (raise "
                 "max_constant_bytes or BERTH_CONSTANT_LIMIT_MB, or use "
                 "Fill)" AT("c"));
}

TEST(import_limit, limits_all_constants_of_a_graph) {
  berth_import_t options = {.max_expanded_bytes = 10000};
  const char *text = CONST("a", "DT_FLOAT", SHAPE("2000") "float_val: 1")
      CONST("b", "DT_FLOAT", SHAPE("1000") "float_val: 1");
  expect_refused(text, &options,
                 ONE("1000")
                 "4000 bytes; the constants of a graph may expand to 10000, "
                 "and others have 8000 of them (raise max_expanded_bytes or "
                 "BERTH_IMPORT_LIMIT_MB, or use Fill)" AT("b"));
  // One import after another counts as well.
  berth_graph_t *graph = berth_graph_create();
  const char *a = CONST("a", "DT_FLOAT", SHAPE("2000") "float_val: 1");
  const char *b = CONST("b", "DT_FLOAT", SHAPE("1000") "float_val: 1");
  EXPECT_EQ(berth_graph_import_text(graph, a, strlen(a), &options, NULL),
            BERTH_OK);
  EXPECT_EQ(graph->expanded, 8000);
  EXPECT_EQ(berth_graph_import_text(graph, b, strlen(b), &options, NULL),
            BERTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(graph->expanded, 8000);
  EXPECT_EQ(berth_graph_import_text(graph, b, strlen(b), NULL, NULL), BERTH_OK);
  EXPECT_EQ(graph->expanded, 12000);
  berth_graph_release(graph);
}

TEST(import_limit, takes_limits_from_the_environment) {
  setenv("BERTH_CONSTANT_LIMIT_MB", "1", 1);
  expect_refused(CONST("c", "DT_FLOAT", SHAPE("262145") "float_val: 1"), NULL,
                 ONE("262145")
                 "1048580 bytes; a constant may expand to 1048576 (raise "
                 "max_constant_bytes or BERTH_CONSTANT_LIMIT_MB, or use "
                 "Fill)" AT("c"));
  setenv("BERTH_CONSTANT_LIMIT_MB", "9223372036854775807", 1);
  setenv("BERTH_IMPORT_LIMIT_MB", "0", 1);
  expect_refused(CONST("c", "DT_FLOAT", SHAPE("1000") "float_val: 1"), NULL,
                 ONE("1000")
                 "4000 bytes; the constants of a graph may expand to 0, and "
                 "others have 0 of them (raise max_expanded_bytes or "
                 "BERTH_IMPORT_LIMIT_MB, or use Fill)" AT("c"));
}

// An attribute as bytes is no import, but as dangerous.
TEST(import_limit, limits_attributes_as_bytes) {
  static const char bytes[] =
      "\x42\x11\x08\x01\x12\x08\x12\x06\x08\x80\x80\x80\x80\x08\x2d\x00\x00"
      "\x80\x3f";  // tensor { float, [2**31], 1 }
  berth_graph_t *graph = berth_graph_create();
  berth_op_t *op = berth_op_begin(graph, "NoOp", "n");
  berth_op_attr_proto(op, "_t", bytes, sizeof bytes - 1);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_node_id_t node = BERTH_NO_NODE;
  EXPECT_EQ(berth_op_try_finish(op, &node, &err), BERTH_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(strstr(berth_error_message(&err), "BERTH_CONSTANT_LIMIT_MB") !=
              NULL);
  berth_error_clear(&err);
  berth_graph_release(graph);
  EXPECT_TRUE(peak_kib() < MOST_KIB);
}

// Contents of the wrong size are refused before memory is taken.
TEST(import_limit, refuses_contents_before_it_makes_room) {
  static const char *const bad[] = {
      CONST("c", "DT_FLOAT", SHAPE("2147483648") "tensor_content: 'abcd'"),
      CONST("c", "DT_STRING", SHAPE("2147483648") "tensor_content: 'abcd'"),
      CONST("c", "DT_BOOL", SHAPE("2147483648") "tensor_content: 'abcd'")};
  for (int i = 0; i < 3; ++i) {
    berth_graph_t *graph = berth_graph_create();
    EXPECT_EQ(
        berth_graph_import_text(graph, bad[i], strlen(bad[i]), NULL, NULL),
        BERTH_INVALID_ARGUMENT);
    berth_graph_release(graph);
  }
  EXPECT_TRUE(peak_kib() < MOST_KIB);
}

// Shape functions read such constants too.
TEST(import_limit, reads_shapes_from_repeated_values) {
  static const char *const ops[] = {
      "node { name: 'f' op: 'Fill' input: 'c' input: 'v' "
      "attr { key: 'T' value { type: DT_FLOAT } } }",
      "node { name: 'r' op: 'Reshape' input: 'v' input: 'c' "
      "attr { key: 'T' value { type: DT_FLOAT } } }",
      "node { name: 's' op: 'Sum' input: 'v' input: 'c' "
      "attr { key: 'T' value { type: DT_FLOAT } } }",
      "node { name: 't' op: 'Transpose' input: 'v' input: 'c' "
      "attr { key: 'T' value { type: DT_FLOAT } } }",
      "node { name: 'l' op: 'Slice' input: 'v' input: 'c' input: 'c' "
      "attr { key: 'T' value { type: DT_FLOAT } } "
      "attr { key: 'Index' value { type: DT_INT32 } } }",
      "node { name: 'p' op: 'SplitV' input: 'v' input: 'c' input: 'z' "
      "attr { key: 'T' value { type: DT_FLOAT } } "
      "attr { key: 'num_split' value { i: 2 } } "
      "attr { key: 'Tlen' value { type: DT_INT32 } } }",
      "node { name: 'b' op: 'BroadcastTo' input: 'v' input: 'c' "
      "attr { key: 'T' value { type: DT_FLOAT } } }",
      "node { name: 'i' op: 'Tile' input: 'v' input: 'c' "
      "attr { key: 'T' value { type: DT_FLOAT } } }",
      "node { name: 'g' op: 'StridedSlice' input: 'v' input: 'c' input: 'c' "
      "input: 'c' attr { key: 'T' value { type: DT_FLOAT } } "
      "attr { key: 'Index' value { type: DT_INT32 } } }",
  };
  static const char *const sizes[] = {"300", "200", "2147483648"};
  for (int size = 0; size < 3; ++size) {
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; ++i) {
      berth_str_t text = {0};
      berth_str_printf(
          &text,
          "node { name: 'v' op: 'Placeholder' attr { key: 'dtype' value { "
          "type: DT_FLOAT } } } " CONST("z", "DT_INT32", "int_val: 0")
          "node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: "
          "DT_INT32 } } attr { key: 'value' value { tensor { dtype: DT_INT32 "
          "tensor_shape { dim { size: %s } } int_val: 1 } } } } %s",
          sizes[size], ops[i]);
      berth_graph_t *graph = berth_graph_create();
      // Whether such a graph can be is the op's to say.
      (void)!berth_graph_import_text(graph, berth_str_get(&text), text.size,
                                     &no_limits, NULL);
      berth_graph_release(graph);
      berth_str_clear(&text);
    }
  }
  EXPECT_TRUE(peak_kib() < MOST_KIB);
}

TEST(import_limit, compares_repeated_values) {
  berth_graph_t *graph = berth_graph_create();
  const char *text = CONST("a", "DT_INT32", SHAPE("9999999") "int_val: 1")
      CONST("b", "DT_INT32", SHAPE("9999999") "int_val: 1 int_val: 1")
          CONST("c", "DT_INT32", SHAPE("9999999") "int_val: 1 int_val: 2")
              CONST("d", "DT_STRING", SHAPE("9999999") "string_val: 'x'")
                  CONST("e", "DT_STRING", SHAPE("9999999") "string_val: 'y'");
  ASSERT_OK(
      berth_graph_import_text(graph, text, strlen(text), &no_limits, NULL),
      NULL);
  const berth_attr_value_t *values[5];
  for (int i = 0; i < 5; ++i) {
    values[i] = berth_node_attr(berth_graph_get(graph, i), "value");
  }
  EXPECT_TRUE(berth_attr_equal(values[0], values[1]));
  EXPECT_FALSE(berth_attr_equal(values[0], values[2]));
  EXPECT_TRUE(berth_attr_equal(values[3], values[3]));
  EXPECT_FALSE(berth_attr_equal(values[3], values[4]));
  berth_graph_release(graph);
  EXPECT_TRUE(peak_kib() < MOST_KIB);
}

TEST(import_limit, names_the_node_whose_value_does_not_fit) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  const char *text =
      CONST("big", "DT_FLOAT", SHAPE("1125899906842624") "float_val: 1");
  ASSERT_OK(
      berth_graph_import_text(graph, text, strlen(text), &no_limits, &err),
      &err);
  berth_tensor_t *tensor = NULL;
  EXPECT_EQ(berth_node_constant(berth_graph_get(graph, 0), &tensor, &err),
            BERTH_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(tensor == NULL);
  EXPECT_TRUE(strstr(berth_error_message(&err),
                     "for the value of the constant 'big'") != NULL);
  berth_error_clear(&err);
  berth_graph_release(graph);
}

// Each of these nodes takes a hundred bytes of the GraphDef and, if it were
// all, twenty megabytes.
TEST(import_limit, limits_outputs) {
  berth_str_t text = {0};
  berth_str_puts(&text,
                 "node { name: 'v' op: 'Placeholder' attr { key: 'dtype' value "
                 "{ type: DT_FLOAT } } } ");
  for (int i = 0; i < 1000; ++i) {
    berth_str_printf(&text,
                     "node { name: 'u%d' op: 'Unpack' input: 'v' attr { key: "
                     "'num' value { i: 1000000 } } attr { key: 'T' value { "
                     "type: DT_FLOAT } } } ",
                     i);
  }
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  EXPECT_EQ(berth_graph_import_text(graph, berth_str_get(&text), text.size,
                                    NULL, &err),
            BERTH_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(strstr(berth_error_message(&err),
                     "Node 'u4' has 1000000 outputs") != NULL);
  EXPECT_EQ(berth_graph_node_count(graph), 0);
  berth_error_clear(&err);
  berth_graph_release(graph);
  berth_str_clear(&text);
  EXPECT_TRUE(peak_kib() < 8 * MOST_KIB);
}

// As many as there are numbers, in one attribute and in two.
TEST(import_limit, counts_outputs_without_overflow) {
  static const char *const counts[] = {"9223372036854775807", "1048577"};
  for (int i = 0; i < 2; ++i) {
    berth_str_t text = {0};
    berth_str_printf(&text,
                     "node { name: 'v' op: 'Placeholder' attr { key: 'dtype' "
                     "value { type: DT_FLOAT } } } node { name: 'u' op: "
                     "'Unpack' input: 'v' attr { key: 'num' value { i: %s } } "
                     "attr { key: 'T' value { type: DT_FLOAT } } } ",
                     counts[i]);
    berth_graph_t *graph = berth_graph_create();
    EXPECT_EQ(berth_graph_import_text(graph, berth_str_get(&text), text.size,
                                      NULL, NULL),
              BERTH_RESOURCE_EXHAUSTED);
    berth_graph_release(graph);
    berth_str_clear(&text);
  }
  EXPECT_TRUE(peak_kib() < MOST_KIB);
}

// What is empty in the file is a structure in memory: a hundred times as much,
// and no more.
TEST(import_limit, takes_memory_in_proportion) {
#if defined(__SANITIZE_ADDRESS__)
  SKIP("the address sanitizer keeps what was freed");
#endif
  enum { COUNT = 100000 };
  static const char *const parts[] = {
      "tensor { dtype: DT_FLOAT }",   "shape { }",
      "func { name: 'f' }",           "s: ''",
      "shape { unknown_rank: true }", "shape { dim { } }"};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
    berth_str_t text = {0};
    berth_str_puts(&text,
                   "node { name: 'n' op: 'NoOp' attr { key: '_l' value { list "
                   "{ ");
    for (int n = 0; n < COUNT; ++n) berth_str_puts(&text, parts[i]);
    berth_str_puts(&text, " } } } }");
    void *bytes = NULL;
    size_t size = 0;
    bytes_of(berth_str_get(&text), &bytes, &size);
    berth_str_clear(&text);
    berth_graph_t *graph = berth_graph_create();
    EXPECT_EQ(berth_graph_import(graph, bytes, size, NULL, NULL), BERTH_OK);
    berth_graph_release(graph);
    berth_free(bytes);
  }
  EXPECT_TRUE(peak_kib() < 4 * MOST_KIB);
}
