// op_def_test.c - Op schemas as messages.
#include "graph/op_def.h"

#include "base/alloc.h"
#include "berth/graph.h"
#include "harness.h"
#include "wire/message.h"
#include "wire/text.h"

// Returns the text of serialised |bytes|, which it frees.
static char *text_of(const ProtobufCMessageDescriptor *type, void *bytes,
                     size_t size) {
  berth_arena_t arena = {0};
  berth_str_t str = {0};
  ProtobufCMessage *message = NULL;
  if (berth_message_unpack(type, bytes, size, &arena, &message, NULL) !=
          BERTH_OK ||
      berth_message_to_text(message, &str, NULL) != BERTH_OK) {
    berth_str_puts(&str, "(unreadable)");
  }
  berth_arena_clear(&arena);
  berth_text_free(bytes);
  return berth_str_take(&str);
}

static void expect_schema(const char *op, const char *expected) {
  berth_error_t err = BERTH_ERROR_INIT;
  void *bytes = NULL;
  size_t size = 0;
  ASSERT_OK(berth_op_schema_proto(op, &bytes, &size, &err), &err);
  char *text = text_of(&berth__wire__op_def__descriptor, bytes, size);
  EXPECT_STR(text, expected);
  berth_free(text);
}

TEST(op_def, writes_what_tensorflow_registers) {
  expect_schema("Const",
                "name: \"Const\"\n"
                "output_arg {\n  name: \"output\"\n  type_attr: \"dtype\"\n}\n"
                "attr {\n  name: \"value\"\n  type: \"tensor\"\n}\n"
                "attr {\n  name: \"dtype\"\n  type: \"type\"\n}\n");
  expect_schema("IdentityN",
                "name: \"IdentityN\"\n"
                "input_arg {\n  name: \"input\"\n  type_list_attr: \"T\"\n}\n"
                "output_arg {\n  name: \"output\"\n  type_list_attr: \"T\"\n}\n"
                "attr {\n  name: \"T\"\n  type: \"list(type)\"\n"
                "  has_minimum: true\n  minimum: 1\n}\n");
  expect_schema("NextIteration",
                "name: \"NextIteration\"\n"
                "input_arg {\n  name: \"data\"\n  type_attr: \"T\"\n}\n"
                "output_arg {\n  name: \"output\"\n  type_attr: \"T\"\n}\n"
                "attr {\n  name: \"T\"\n  type: \"type\"\n}\n");
}

TEST(op_def, writes_defaults_and_limits) {
  berth_error_t err = BERTH_ERROR_INIT;
  void *bytes = NULL;
  size_t size = 0;
  ASSERT_OK(berth_op_schema_proto("MatMul", &bytes, &size, &err), &err);
  char *text = text_of(&berth__wire__op_def__descriptor, bytes, size);
  EXPECT_TRUE(strstr(text,
                     "attr {\n  name: \"transpose_a\"\n  type: \"bool\"\n"
                     "  default_value {\n    b: false\n  }\n}\n"));
  EXPECT_TRUE(strstr(text,
                     "  name: \"T\"\n  type: \"type\"\n"
                     "  allowed_values {\n    list {\n"));
  EXPECT_TRUE(strstr(text, "      type: DT_FLOAT\n"));
  berth_free(text);
  EXPECT_FAILS(berth_op_schema_proto("Nix", &bytes, &size, &err),
               BERTH_NOT_FOUND, &err, "Op type not registered 'Nix'");
  EXPECT_FAILS(berth_op_kernels_proto("Nix", &bytes, &size, &err),
               BERTH_NOT_FOUND, &err, "Op type not registered 'Nix'");
}

TEST(op_def, writes_registrations) {
  berth_error_t err = BERTH_ERROR_INIT;
  void *bytes = NULL;
  size_t size = 0;
  ASSERT_OK(berth_op_kernels_proto("Shape", &bytes, &size, &err), &err);
  char *text = text_of(&berth__wire__kernel_list__descriptor, bytes, size);
  // TensorFlow keeps the shape in host memory.
  EXPECT_TRUE(strstr(text, "  op: \"Shape\"\n  device_type: \"CPU\"\n"));
  EXPECT_TRUE(strstr(text, "  host_memory_arg: \"output\"\n"));
  berth_free(text);
}

TEST(op_def, every_schema_survives_the_way_there_and_back) {
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_TRUE(berth_schema_count() > 400);
  for (int i = 0; i < berth_schema_count(); ++i) {
    const berth_op_schema_t *schema = berth_schema_at(i);
    berth_arena_t arena = {0};
    Berth__Wire__OpDef *message = NULL;
    berth_op_schema_t back;
    ASSERT_OK(berth_op_schema_to_wire(schema, &arena, &message, &err), &err);
    ASSERT_OK(berth_op_schema_from_wire(message, &arena, &back, &err), &err);
    berth_str_t a = {0}, b = {0};
    berth_schema_print(schema, &a);
    berth_schema_print(&back, &b);
    EXPECT_STR(berth_str_get(&b), berth_str_get(&a));
    EXPECT_EQ(back.is_stateful, schema->is_stateful);
    EXPECT_EQ(back.output_count, schema->output_count);
    berth_str_clear(&a);
    berth_str_clear(&b);
    berth_op_schema_drop_tensors(&back);
    berth_arena_clear(&arena);
  }
}
