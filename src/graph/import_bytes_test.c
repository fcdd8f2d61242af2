// import_bytes_test.c - GraphDefs whose constants have long contents.
#include "base/alloc.h"
#include "base/fault.h"
#include "base/str.h"
#include "graph/graph.h"
#include "harness.h"
#include "tensor/tensor.h"

enum { COUNT = 1500, BYTES = COUNT * 4 };

// Appends field |number| with |size| bytes.
static void field_put(berth_str_t *to, int number, const void *bytes,
                      size_t size) {
  berth_str_putc(to, (char)(number << 3 | 2));
  size_t left = size;
  for (; left >= 0x80; left >>= 7) berth_str_putc(to, (char)(left | 0x80));
  berth_str_putc(to, (char)left);
  berth_str_put(to, bytes, size);
}

// The same of what was made so far, which is cleared.
static void message_put(berth_str_t *to, int number, berth_str_t *from) {
  field_put(to, number, berth_str_get(from), from->size);
  berth_str_clear(from);
}

static void attr_put(berth_str_t *node, const char *key, berth_str_t *value) {
  berth_str_t entry = {0};
  field_put(&entry, 1, key, strlen(key));
  message_put(&entry, 2, value);
  message_put(node, 5, &entry);
}

// What follows a tensor.
typedef enum tail { NOTHING, OTHER_CONTENT, OTHER_TYPE } tail_t;

static void floats_put(berth_str_t *tensor, float first) {
  float values[COUNT];
  for (int i = 0; i < COUNT; ++i) values[i] = first + (float)i;
  field_put(tensor, 4, values, sizeof(values));
}

// Appends a Const called |name|: COUNT floats from |first| on.
static void const_put(berth_str_t *graph, const char *name, float first,
                      tail_t tail) {
  static const uint8_t shape[] = {0x12, 3, 0x08, (COUNT & 0x7f) | 0x80,
                                  COUNT >> 7};
  berth_str_t node = {0}, value = {0}, tensor = {0};
  field_put(&node, 1, name, strlen(name));
  field_put(&node, 2, "Const", 5);
  berth_str_put(&value, "\x30\x01", 2);  // type: DT_FLOAT
  attr_put(&node, "dtype", &value);
  berth_str_put(&tensor, "\x08\x01", 2);
  field_put(&tensor, 2, shape, sizeof(shape));
  if (tail == OTHER_CONTENT) floats_put(&tensor, -first);
  floats_put(&tensor, first);
  message_put(&value, 8, &tensor);
  if (tail == OTHER_TYPE) berth_str_put(&value, "\x30\x01", 2);
  attr_put(&node, "value", &value);
  message_put(graph, 1, &node);
}

static void expect_const(const berth_graph_t *graph, int id, float first) {
  const berth_attr_value_t *value =
      berth_node_attr(berth_graph_get(graph, id), "value");
  ASSERT_TRUE(value != NULL && value->tensor->count == COUNT);
  const float *found = value->tensor->data;
  for (int i = 0; i < COUNT; ++i) ASSERT_TRUE(found[i] == first + (float)i);
}

// Imports |bytes|, which are freed before the graph is looked at.
static berth_graph_t *imported(berth_str_t *bytes) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  char *copy = berth_strndup(bytes->text, bytes->size);
  EXPECT_EQ(berth_graph_import(graph, bytes->text, bytes->size, NULL, &err),
            BERTH_OK);
  EXPECT_EQ(memcmp(copy, bytes->text, bytes->size), 0);
  memset(bytes->text, 0xff, bytes->size);
  berth_free(copy);
  berth_str_clear(bytes);
  return graph;
}

TEST(import_bytes, reads_long_contents) {
  berth_str_t bytes = {0};
  const_put(&bytes, "a", 1, NOTHING);
  field_put(&bytes, 1, "\x0a\x01n\x12\x04NoOp", 9);
  const_put(&bytes, "b", 5000, NOTHING);
  const_put(&bytes, "c", -7, NOTHING);
  berth_graph_t *graph = imported(&bytes);
  ASSERT_TRUE(berth_graph_node_count(graph) == 4);
  expect_const(graph, 0, 1);
  EXPECT_STR(berth_node_name(graph, 1), "n");
  expect_const(graph, 2, 5000);
  expect_const(graph, 3, -7);
  berth_graph_release(graph);
}

// Of two contents the last one counts.
TEST(import_bytes, reads_contents_that_come_twice) {
  berth_str_t bytes = {0};
  const_put(&bytes, "a", 1, NOTHING);
  const_put(&bytes, "b", 3, OTHER_CONTENT);
  berth_graph_t *graph = imported(&bytes);
  ASSERT_TRUE(berth_graph_node_count(graph) == 2);
  expect_const(graph, 0, 1);
  expect_const(graph, 1, 3);
  berth_graph_release(graph);
}

// Of two kinds of values too.
TEST(import_bytes, refuses_contents_that_are_no_values) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_str_t bytes = {0};
  const_put(&bytes, "a", 1, OTHER_TYPE);
  berth_graph_t *graph = berth_graph_create();
  EXPECT_FAILS(
      berth_graph_import(graph, bytes.text, bytes.size, NULL, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "AttrValue had value with type 'type' when 'tensor' expected\n\t for "
      "attr 'value'\n\t; NodeDef: {{node a}}; Op<name=Const; signature= -> "
      "output:dtype; attr=value:tensor; attr=dtype:type>");
  berth_graph_release(graph);
  berth_str_clear(&bytes);
}

TEST(import_bytes, refuses_what_ends_within_a_content) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_str_t bytes = {0};
  const_put(&bytes, "a", 1, NOTHING);
  berth_graph_t *graph = berth_graph_create();
  EXPECT_EQ(berth_graph_import(graph, bytes.text, bytes.size - 9, NULL, &err),
            BERTH_DATA_LOSS);
  EXPECT_EQ(berth_graph_node_count(graph), 0);
  berth_error_clear(&err);
  berth_graph_release(graph);
  berth_str_clear(&bytes);
}

TEST(import_bytes, survives_lack_of_memory) {
  berth_str_t bytes = {0};
  for (int i = 0; i < 20; ++i) {
    char name[] = {(char)('a' + i), '\0'};
    const_put(&bytes, name, (float)i, NOTHING);
  }
  for (int64_t nth = 1;; ++nth) {
    berth_graph_t *graph = berth_graph_create();
    berth_fault_arm("alloc", nth);
    berth_code_t code =
        berth_graph_import(graph, bytes.text, bytes.size, NULL, NULL);
    int64_t passes = berth_fault_disarm();
    EXPECT_EQ(berth_graph_node_count(graph), code == BERTH_OK ? 20 : 0);
    if (code == BERTH_OK) expect_const(graph, 19, 19);
    berth_graph_release(graph);
    if (passes < nth) break;
    ASSERT_TRUE(nth < 10000);
  }
  berth_str_clear(&bytes);
}
