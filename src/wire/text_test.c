// text_test.c - The text format, both ways.
#include "wire/text.h"

#include "base/alloc.h"
#include "harness.h"
#include "wire/config.pb-c.h"
#include "wire/graph.pb-c.h"
#include "wire/message.h"

#define GRAPH_DEF (&berth__wire__graph_def__descriptor)
#define CONFIG_PROTO (&berth__wire__config_proto__descriptor)
#define NODE_DEF (&berth__wire__node_def__descriptor)

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

// Reads |text| and stores what the writer makes of it in |str|.
static berth_code_t rewrite(const ProtobufCMessageDescriptor *type,
                            const char *text, berth_str_t *str,
                            berth_error_t *err) {
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  berth_code_t code =
      berth_message_from_text(type, text, strlen(text), &arena, &message, err);
  if (code == BERTH_OK) code = berth_message_to_text(message, str, err);
  berth_arena_clear(&arena);
  return code;
}

static void expect_rewrite(const ProtobufCMessageDescriptor *type,
                           const char *text, const char *expected) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_str_t str = {0};
  ASSERT_OK(rewrite(type, text, &str, &err), &err);
  EXPECT_STR(berth_str_get(&str), expected);
  berth_str_clear(&str);
}

static void expect_refused(const char *text, const char *message) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_str_t str = {0};
  EXPECT_FAILS(rewrite(GRAPH_DEF, text, &str, &err), BERTH_INVALID_ARGUMENT,
               &err, message);
  berth_str_clear(&str);
}

static void expect_same_file(const char *binary, const char *text_file) {
  berth_error_t err = BERTH_ERROR_INIT;
  size_t size = 0, text_size = 0;
  char *bytes = file_read(binary, &size);
  char *text = file_read(text_file, &text_size);
  ASSERT_TRUE(bytes != NULL && text != NULL);
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  ASSERT_OK(
      berth_message_unpack(GRAPH_DEF, bytes, size, &arena, &message, &err),
      &err);
  berth_str_t str = {0};
  ASSERT_OK(berth_message_to_text(message, &str, &err), &err);
  EXPECT_STR(berth_str_get(&str), text);
  berth_str_clear(&str);

  ASSERT_OK(berth_message_from_text(GRAPH_DEF, text, text_size, &arena,
                                    &message, &err),
            &err);
  void *packed = NULL;
  size_t packed_size = 0;
  ASSERT_OK(berth_message_pack(message, &packed, &packed_size, &err), &err);
  EXPECT_EQ(packed_size, size);
  EXPECT_TRUE(packed_size == size && memcmp(packed, bytes, size) == 0);
  berth_free(packed);
  berth_arena_clear(&arena);
  berth_free(bytes);
  berth_free(text);
}

TEST(text, equals_what_python_writes) {
  expect_same_file("log_placement.pb", "log_placement.pbtxt");
  expect_same_file("manual_placement.pb", "manual_placement.pbtxt");
  expect_same_file("multi_gpu.pb", "multi_gpu.pbtxt");
  expect_same_file("single_gpu.pb", "single_gpu.pbtxt");
}

TEST(text, reads_the_forms_of_values) {
  expect_rewrite(GRAPH_DEF, "# a comment\nversion: 0x10 # hex\n",
                 "version: 16\n");
  expect_rewrite(GRAPH_DEF, "version: 010", "version: 8\n");
  expect_rewrite(GRAPH_DEF, "version: - 3;", "version: -3\n");
  expect_rewrite(GRAPH_DEF, "version: -2147483648", "version: -2147483648\n");
  expect_rewrite(NODE_DEF, "name: \"a\\x41\\101\\n\" 'b\\'c'",
                 "name: \"aAA\\nb\\'c\"\n");
  expect_rewrite(NODE_DEF, "name: '\\u00e9\\q'", "name: \"\xc3\xa9\\\\q\"\n");
  expect_rewrite(NODE_DEF, "input: ['a', \"b\"], input: 'c'",
                 "input: \"a\"\ninput: \"b\"\ninput: \"c\"\n");
  expect_rewrite(NODE_DEF, "input: []", "");
}

TEST(text, reads_the_forms_of_messages) {
  const char *two = "node {\n  name: \"a\"\n}\nnode {\n  name: \"b\"\n}\n";
  expect_rewrite(GRAPH_DEF, "node <name:'a'>node:{name:'b'}", two);
  expect_rewrite(GRAPH_DEF, "node: [{name: 'a'}, <name: 'b'>]", two);
  expect_rewrite(GRAPH_DEF, "node [] node {name: 'a'}, node {name: 'b';};",
                 two);
  expect_rewrite(GRAPH_DEF, "versions {}", "versions {\n}\n");
}

static void expect_attr(const char *value, const char *expected) {
  char text[256], wanted[256];
  snprintf(text, sizeof text, "attr { key: 'a' value { %s } }", value);
  snprintf(wanted, sizeof wanted,
           "attr {\n  key: \"a\"\n  value {\n    %s\n  }\n}\n", expected);
  expect_rewrite(NODE_DEF, text, wanted);
}

TEST(text, reads_and_writes_scalars) {
  expect_attr("f: 1f", "f: 1.0");
  expect_attr("f: .5", "f: 0.5");
  expect_attr("f: 1.5e3F", "f: 1500.0");
  expect_attr("f: -Infinity", "f: -inf");
  expect_attr("f: nan", "f: nan");
  expect_attr("f: 1e-05", "f: 1e-05");
  expect_attr("b: t", "b: true");
  expect_attr("b: 0", "b: false");
  expect_attr("type: 5", "type: DT_INT16");
  expect_attr("type: 500", "type: 500");
  expect_attr("type: DT_FLOAT_REF", "type: DT_FLOAT_REF");
  expect_attr("i: -9223372036854775808", "i: -9223372036854775808");
  expect_attr("s: '\\000\\377\"'", "s: \"\\000\\377\\\"\"");
}

TEST(text, writes_numbers_as_python_does) {
  static const struct {
    double value;
    bool is_f32;
    const char *text;
  } cases[] = {
      {0.1f, true, "0.1"},
      {1e10, true, "10000000000.0"},
      {1e16, true, "1e+16"},
      {1e15, true, "1000000000000000.0"},
      {123456789, true, "123456790.0"},
      {16777216, true, "16777216.0"},
      {0.0001f, true, "0.0001"},
      {1e-5f, true, "1e-05"},
      {3.4028234e38f, true, "3.4028235e+38"},
      {-0.0, true, "-0.0"},
      {1e-45f, true, "1.4013e-45"},
      {123456.789f, true, "123456.79"},
      {0.33333334f, true, "0.33333334"},
      {5e-324, false, "5e-324"},
      {1.7976931348623157e308, false, "1.7976931348623157e+308"},
      {123456789012345678.0, false, "1.2345678901234568e+17"},
      {0.1, false, "0.1"},
      {100, false, "100.0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    berth_str_t str = {0};
    berth_text_put_float(&str, cases[i].value, cases[i].is_f32);
    EXPECT_STR(berth_str_get(&str), cases[i].text);
    berth_str_clear(&str);
  }
}

TEST(text, writes_config_as_python_does) {
  expect_rewrite(CONFIG_PROTO,
                 "device_count { key: '' value: 2 }"
                 "device_count { key: 'CPU' value: 0 }"
                 "gpu_options { per_process_gpu_memory_fraction: 0.1 "
                 "visible_device_list: 'a\\001\\177' }"
                 "graph_options { optimizer_options { opt_level: L0 } }"
                 "rpc_options {}",
                 "device_count {\n  value: 2\n}\n"
                 "device_count {\n  key: \"CPU\"\n}\n"
                 "gpu_options {\n  per_process_gpu_memory_fraction: 0.1\n"
                 "  visible_device_list: \"a\\001\\177\"\n}\n"
                 "graph_options {\n  optimizer_options {\n"
                 "    opt_level: L0\n  }\n}\n"
                 "rpc_options {\n}\n");
}

TEST(text, says_where_and_what_is_wrong) {
  expect_refused("zork: 1",
                 "1:1 : Message type \"tensorflow.GraphDef\" has no field "
                 "named \"zork\".");
  expect_refused("node {\n  zork: 1 }",
                 "2:3 : Message type \"tensorflow.NodeDef\" has no field named "
                 "\"zork\".");
  expect_refused("version: 99999999999",
                 "1:10 : Value out of range: 99999999999");
  expect_refused("version: -2147483649",
                 "1:11 : Value out of range: -2147483649");
  expect_refused("version: \"a\"", "1:10 : Couldn't parse integer: \"a\"");
  expect_refused("version: 3.5", "1:10 : Couldn't parse integer: 3.5");
  expect_refused("version 3", "1:9 : Expected \":\".");
  expect_refused("version: 1 version: 2",
                 "1:21 : Message type \"tensorflow.GraphDef\" should not have "
                 "multiple \"version\" fields.");
  expect_refused("node { name: \"a", "1:14 : String missing ending quote");
  expect_refused("node { name: 'a\nb' }", "1:14 : String missing ending quote");
  expect_refused("node { name: '\\x' }", "1:14 : Bad escape in string");
  expect_refused("node { name: 'a\\000b' }", "1:14 : A text holds a NUL byte.");
  expect_refused("node {", "1:7 : Expected \"}\".");
  expect_refused("node <}", "1:7 : Expected identifier or number, got }.");
  expect_refused("}", "1:1 : Expected identifier or number, got }.");
  expect_refused("node [{} {}]", "1:10 : Expected \"]\".");
  expect_refused("node { input: ['a' 'b'", "1:23 : Expected \"]\".");
}

TEST(text, says_what_is_wrong_in_attributes) {
  expect_refused("node { attr { value { i: 1 f: 2 } } }",
                 "1:31 : Field \"f\" is specified along with field \"i\", "
                 "another member of the same oneof for message type "
                 "\"tensorflow.AttrValue\".");
  expect_refused("node { attr { value { type: DT_FOO } } }",
                 "1:29 : Enum type \"tensorflow.DataType\" has no value named "
                 "DT_FOO.");
  expect_refused("node { attr { value { f: 0x1F } } }",
                 "1:26 : Couldn't parse float: 0x1F");
  expect_refused("node { attr { value { b: yes } } }",
                 "1:26 : Expected \"true\" or \"false\".");
}

TEST(text, refuses_deep_nesting_without_recursion) {
  // Each level of a function as an attribute of a function is four messages.
  const char *level = "func{attr{value{";
  berth_str_t text = {0};
  berth_str_puts(&text, "node{attr{value{");
  for (int i = 0; i < 300000; ++i) berth_str_puts(&text, level);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  EXPECT_EQ(berth_message_from_text(GRAPH_DEF, text.text, text.size, &arena,
                                    &message, &err),
            BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(strstr(berth_error_message(&err), "more than 100 levels deep"));
  berth_error_clear(&err);
  berth_arena_clear(&arena);
  berth_str_clear(&text);
}
