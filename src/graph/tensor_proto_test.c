// tensor_proto_test.c - Tensors as messages, both ways.
#include "graph/tensor_proto.h"

#include "base/alloc.h"
// The address sanitizer is to give NULL for too much, as malloc() does.
#define HARNESS_ASAN_OPTIONS "allocator_may_return_null=1"
#include "harness.h"
#include "wire/message.h"
#include "wire/text.h"

#define TENSOR_PROTO (&berth__wire__tensor_proto__descriptor)

static berth_code_t read_text(const char *text, berth_tensor_t **out_tensor,
                              berth_error_t *err) {
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  void *bytes = NULL;
  size_t size = 0;
  berth_code_t code = berth_message_from_text(TENSOR_PROTO, text, strlen(text),
                                              &arena, &message, err);
  if (code == BERTH_OK) code = berth_message_pack(message, &bytes, &size, err);
  if (code == BERTH_OK) {
    code = berth_tensor_from_proto(bytes, size, out_tensor, err);
  }
  berth_free(bytes);
  berth_arena_clear(&arena);
  return code;
}

static char *write_text(const berth_tensor_t *tensor) {
  berth_arena_t arena = {0};
  berth_str_t str = {0};
  ProtobufCMessage *message = NULL;
  void *bytes = NULL;
  size_t size = 0;
  if (berth_tensor_to_proto(tensor, &bytes, &size, NULL) != BERTH_OK ||
      berth_message_unpack(TENSOR_PROTO, bytes, size, &arena, &message, NULL) !=
          BERTH_OK ||
      berth_message_to_text(message, &str, NULL) != BERTH_OK) {
    berth_str_puts(&str, "(unreadable)");
  }
  for (size_t i = 0; i < str.size; ++i) {
    if (str.text[i] == '\n') str.text[i] = ' ';
  }
  berth_text_free(bytes);
  berth_arena_clear(&arena);
  return berth_str_take(&str);
}

// Reads |text|, compares |size| bytes of the elements, and expects |written|
// when it is written again.
static void expect_elements(const char *text, const void *elements, size_t size,
                            const char *written) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  ASSERT_OK(read_text(text, &tensor, &err), &err);
  EXPECT_EQ(berth_tensor_size(tensor), size);
  EXPECT_TRUE(
      berth_tensor_size(tensor) == size &&
      (size == 0 || memcmp(berth_tensor_data(tensor), elements, size) == 0));
  char *again = write_text(tensor);
  EXPECT_STR(again, written);
  berth_free(again);
  berth_tensor_release(tensor);
}

#define SHAPE_23 \
  "tensor_shape {   dim {     size: 2   }   dim {     size: 3   } } "
#define SHAPE_2 "tensor_shape {   dim {     size: 2   } } "
#define SCALAR "tensor_shape { } "

TEST(tensor_proto, reads_raw_bytes_and_lists) {
  expect_elements(
      "dtype: DT_FLOAT tensor_shape { dim { size: 2 } } "
      "tensor_content: '\\000\\000\\300\\077\\000\\000\\040\\100'",
      (float[]){1.5f, 2.5f}, 8,
      "dtype: DT_FLOAT " SHAPE_2
      "tensor_content: \"\\000\\000\\300?\\000\\000 @\" ");
  expect_elements(
      "dtype: DT_FLOAT tensor_shape { dim { size: 2 } } "
      "float_val: [1.5, 2.5, 7]",
      (float[]){1.5f, 2.5f}, 8,
      "dtype: DT_FLOAT " SHAPE_2 "float_val: 1.5 float_val: 2.5 ");
  expect_elements("dtype: DT_FLOAT float_val: 1.5", (float[]){1.5f}, 4,
                  "dtype: DT_FLOAT " SCALAR "float_val: 1.5 ");
}

TEST(tensor_proto, repeats_the_last_value) {
  expect_elements("dtype: DT_FLOAT " SHAPE_23 "float_val: 2.5",
                  (float[]){2.5f, 2.5f, 2.5f, 2.5f, 2.5f, 2.5f}, 24,
                  "dtype: DT_FLOAT " SHAPE_23 "float_val: 2.5 ");
  expect_elements("dtype: DT_INT32 " SHAPE_23 "int_val: [1, 2]",
                  (int32_t[]){1, 2, 2, 2, 2, 2}, 24,
                  "dtype: DT_INT32 " SHAPE_23 "int_val: 1 int_val: 2 ");
  expect_elements("dtype: DT_INT64 " SHAPE_23, (int64_t[6]){0}, 48,
                  "dtype: DT_INT64 " SHAPE_23 "int64_val: 0 ");
}

static void expect_written(berth_dtype_t dtype, const void *elements,
                           int64_t listed, const char *written) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  ASSERT_OK(
      berth_tensor_copy_from(dtype, BERTH_SHAPE(2), elements, &tensor, &err),
      &err);
  berth_tensor_set_listed(tensor, listed);
  char *text = write_text(tensor);
  EXPECT_STR(text, written);
  berth_free(text);
  berth_tensor_release(tensor);
}

TEST(tensor_proto, writes_all_bytes_unless_fewer_values_were_given) {
  static const int32_t twos[] = {2, 2};
  static const uint16_t shorts[] = {3, 3};
  const char *bytes = "dtype: DT_INT32 " SHAPE_2
                      "tensor_content: \"\\002\\000\\000\\000\\002\\000"
                      "\\000\\000\" ";
  expect_written(BERTH_INT32, twos, 0, bytes);
  expect_written(BERTH_INT32, twos, 1,
                 "dtype: DT_INT32 " SHAPE_2 "int_val: 2 ");
  expect_written(BERTH_INT32, twos, 3, bytes);  // More than there are.
  expect_written(BERTH_INT32, twos, -1, bytes);
  expect_written(BERTH_UINT16, shorts, 0,
                 "dtype: DT_UINT16 " SHAPE_2 "int_val: 3 int_val: 3 ");
}

TEST(tensor_proto, knows_the_field_of_every_type) {
  static const struct {
    const char *type, *value;
    uint64_t bits;
    size_t size;
  } cases[] = {
      {"DT_DOUBLE", "double_val: 1.0", 0x3ff0000000000000, 8},
      {"DT_INT32", "int_val: -2", 0xfffffffe, 4},
      {"DT_UINT8", "int_val: 200", 200, 1},
      {"DT_INT16", "int_val: -3", 0xfffd, 2},
      {"DT_INT8", "int_val: -3", 0xfd, 1},
      {"DT_INT64", "int64_val: -1", UINT64_MAX, 8},
      {"DT_BOOL", "bool_val: true", 1, 1},
      {"DT_QINT8", "int_val: -3", 0xfd, 1},
      {"DT_QUINT8", "int_val: 200", 200, 1},
      {"DT_QINT32", "int_val: 7", 7, 4},
      {"DT_BFLOAT16", "half_val: 16256", 16256, 2},
      {"DT_QINT16", "int_val: -3", 0xfffd, 2},
      {"DT_QUINT16", "int_val: 65535", 65535, 2},
      {"DT_UINT16", "int_val: 65535", 65535, 2},
      {"DT_HALF", "half_val: 15360", 15360, 2},
      {"DT_UINT32", "uint32_val: 4294967295", 4294967295, 4},
      {"DT_UINT64", "uint64_val: 3", 3, 8},
      {"DT_COMPLEX64", "scomplex_val: 0.0 scomplex_val: 2.0",
       0x4000000000000000, 8},
      {"DT_FLOAT8_E5M2", "float8_val: \"<\"", '<', 1},
      {"DT_INT4", "int_val: -1", 0xff, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[128];
    snprintf(text, sizeof text, "dtype: %s " SCALAR "%s ", cases[i].type,
             cases[i].value);
    expect_elements(text, &cases[i].bits, cases[i].size, text);
  }
}

TEST(tensor_proto, makes_proper_booleans_of_any_byte) {
  expect_elements("dtype: DT_BOOL " SHAPE_2 "tensor_content: '\\002\\000'",
                  (uint8_t[]){1, 0}, 2,
                  "dtype: DT_BOOL " SHAPE_2 "bool_val: true bool_val: false ");
}

TEST(tensor_proto, writes_no_elements_for_none) {
  expect_elements(
      "dtype: DT_FLOAT tensor_shape { dim { } dim { size: 3 } } "
      "float_val: 1",
      NULL, 0,
      "dtype: DT_FLOAT tensor_shape {   dim {   }   dim {     "
      "size: 3   } } ");
}

static void expect_strings(const char *text, const char *const *strings,
                           int count, const char *written) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  ASSERT_OK(read_text(text, &tensor, &err), &err);
  EXPECT_EQ(berth_tensor_count(tensor), count);
  for (int i = 0; i < count; ++i) {
    size_t size = 0;
    const char *string = berth_tensor_get_string(tensor, i, &size);
    EXPECT_EQ(size, strlen(strings[i]));
    EXPECT_TRUE(memcmp(string, strings[i], strlen(strings[i])) == 0);
  }
  char *again = write_text(tensor);
  EXPECT_STR(again, written);
  berth_free(again);
  berth_tensor_release(tensor);
}

TEST(tensor_proto, reads_strings) {
  expect_strings("dtype: DT_STRING " SHAPE_2 "string_val: ['a', '']",
                 (const char *const[]){"a", ""}, 2,
                 "dtype: DT_STRING " SHAPE_2
                 "string_val: \"a\" string_val: \"\" ");
  expect_strings("dtype: DT_STRING " SHAPE_23 "string_val: 'bc'",
                 (const char *const[]){"bc", "bc", "bc", "bc", "bc", "bc"}, 6,
                 "dtype: DT_STRING " SHAPE_23 "string_val: \"bc\" ");
  // Lengths first, then the texts.
  expect_strings("dtype: DT_STRING " SHAPE_2 "tensor_content: '\\001\\002abc'",
                 (const char *const[]){"a", "bc"}, 2,
                 "dtype: DT_STRING " SHAPE_2
                 "string_val: \"a\" string_val: \"bc\" ");
}

static void expect_refused(const char *text, berth_code_t code,
                           const char *message) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  EXPECT_FAILS(read_text(text, &tensor, &err), code, &err, message);
  EXPECT_TRUE(tensor == NULL);
}

TEST(tensor_proto, refuses_what_cannot_be) {
  const char *start = "Cannot parse tensor from proto: ";
  static const struct {
    const char *text;
    berth_code_t code;
    const char *message;
  } cases[] = {
      {"", BERTH_INVALID_ARGUMENT, "0 is no data type of a tensor"},
      {"dtype: DT_FLOAT_REF", BERTH_INVALID_ARGUMENT,
       "101 is no data type of a tensor"},
      {"dtype: 77", BERTH_INVALID_ARGUMENT, "77 is no data type of a tensor"},
      {"dtype: DT_VARIANT", BERTH_UNIMPLEMENTED,
       "variants cannot be constants"},
      {"dtype: DT_FLOAT tensor_content: 'abc'", BERTH_INVALID_ARGUMENT,
       "tensor_content has 3 bytes, but 1 elements of float take 4"},
      {"dtype: DT_STRING tensor_shape { dim { size: 2 } } "
       "tensor_content: '\\001\\003abc'",
       BERTH_INVALID_ARGUMENT, "tensor_content does not hold 2 strings"},
      {"dtype: DT_STRING tensor_shape { dim { size: 2 } } "
       "tensor_content: '\\001'",
       BERTH_INVALID_ARGUMENT, "tensor_content does not hold 2 strings"},
      {"dtype: DT_STRING tensor_content: "
       "'\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\001'",
       BERTH_INVALID_ARGUMENT, "tensor_content does not hold 1 strings"},
      {"dtype: DT_STRING tensor_content: '\\001ab'", BERTH_INVALID_ARGUMENT,
       "tensor_content does not hold 1 strings"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char message[256];
    snprintf(message, sizeof message, "%s%s", start, cases[i].message);
    expect_refused(cases[i].text, cases[i].code, message);
  }
  expect_refused("dtype: DT_FLOAT tensor_shape { unknown_rank: true }",
                 BERTH_INVALID_ARGUMENT,
                 "Shape <unknown> is not fully defined");
}

TEST(tensor_proto, refuses_too_many_dimensions) {
  berth_str_t text = {0};
  berth_str_puts(&text, "dtype: DT_FLOAT tensor_shape { ");
  for (int i = 0; i < 255; ++i) berth_str_puts(&text, "dim { size: 1 } ");
  berth_str_puts(&text, "}");
  expect_refused(text.text, BERTH_INVALID_ARGUMENT,
                 "Shape has 255 dimensions; the limit is 254");
  berth_str_clear(&text);
}

TEST(tensor_proto, survives_a_few_bytes_that_mean_petabytes) {
  static const char *const types[] = {"DT_FLOAT", "DT_STRING", "DT_COMPLEX128"};
  for (int i = 0; i < 3; ++i) {
    char text[128];
    snprintf(text, sizeof text,
             "dtype: %s tensor_shape { dim { size: 281474976710656 } }",
             types[i]);
    berth_error_t err = BERTH_ERROR_INIT;
    berth_tensor_t *tensor = NULL;
    EXPECT_EQ(read_text(text, &tensor, &err), BERTH_RESOURCE_EXHAUSTED);
    berth_error_clear(&err);
  }
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  // As many elements as there are numbers, and bytes beyond that.
  EXPECT_TRUE(read_text("dtype: DT_DOUBLE tensor_shape { "
                        "dim { size: 9223372036854775807 } }",
                        &tensor, &err) != BERTH_OK);
  berth_error_clear(&err);
}
