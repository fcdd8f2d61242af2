// wire_attr_test.c - Attribute values from bytes and to messages.
#include "graph/wire_attr.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "harness.h"
#include "wire/message.h"
#include "wire/text.h"

// Serialises an AttrValue given as text.
static berth_code_t pack_text(const char *text, void **out_bytes,
                              size_t *out_size) {
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  berth_code_t code =
      berth_message_from_text(&berth__wire__attr_value__descriptor, text,
                              strlen(text), &arena, &message, NULL);
  if (code == BERTH_OK) {
    code = berth_message_pack(message, out_bytes, out_size, NULL);
  }
  berth_arena_clear(&arena);
  return code;
}

static berth_code_t decode(const char *text, berth_arena_t *arena,
                           berth_attr_value_t *value, berth_error_t *err) {
  void *bytes = NULL;
  size_t size = 0;
  berth_code_t code = pack_text(text, &bytes, &size);
  if (code == BERTH_OK) {
    code = berth_attr_from_bytes(bytes, size, arena, value, err);
  }
  berth_free(bytes);
  return code;
}

static void expect_round_trip(const char *text, berth_attr_kind_t kind) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_arena_t arena = {0};
  berth_attr_value_t value;
  ASSERT_OK(decode(text, &arena, &value, &err), &err);
  EXPECT_EQ(value.kind, kind);
  Berth__Wire__AttrValue *message = NULL;
  ASSERT_OK(berth_attr_to_wire(&value, &arena, &message, &err), &err);
  void *before = NULL, *after = NULL;
  size_t before_size = 0, after_size = 0;
  ASSERT_OK(pack_text(text, &before, &before_size), &err);
  ASSERT_OK(berth_message_pack(&message->base, &after, &after_size, &err),
            &err);
  EXPECT_TRUE(before_size == after_size &&
              memcmp(before, after, before_size) == 0);
  berth_free(before);
  berth_free(after);
  berth_attr_drop_tensors(&value);
  berth_arena_clear(&arena);
}

TEST(wire_attr, keeps_every_kind) {
  enum { LIST = BERTH_ATTR_LIST };
  expect_round_trip("", BERTH_ATTR_NONE);
  expect_round_trip("s: 'a\\000b'", BERTH_ATTR_STRING);
  expect_round_trip("i: -1", BERTH_ATTR_INT);
  expect_round_trip("f: -0.0", BERTH_ATTR_FLOAT);
  expect_round_trip("b: false", BERTH_ATTR_BOOL);
  expect_round_trip("type: DT_RESOURCE", BERTH_ATTR_TYPE);
  expect_round_trip("shape { }", BERTH_ATTR_SHAPE);
  expect_round_trip("shape { unknown_rank: true }", BERTH_ATTR_SHAPE);
  expect_round_trip("placeholder: 'T'", BERTH_ATTR_PLACEHOLDER);
  expect_round_trip("func { name: 'f' attr { key: 'a' value { b: true } } }",
                    BERTH_ATTR_FUNC);
  expect_round_trip("list { }", (berth_attr_kind_t)LIST);
  expect_round_trip("list { s: '' s: 'x' }", LIST + BERTH_ATTR_STRING);
  expect_round_trip("list { func { name: 'f' } func { name: 'g' } }",
                    LIST + BERTH_ATTR_FUNC);
}

TEST(wire_attr, ends_texts_with_a_nul) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_arena_t arena = {0};
  berth_attr_value_t value;
  ASSERT_OK(decode("list { s: 'ab' s: '' }", &arena, &value, &err), &err);
  ASSERT_TRUE(value.count == 2);
  EXPECT_EQ(value.s_list[0].size, 2);
  EXPECT_STR(value.s_list[0].text, "ab");
  EXPECT_STR(value.s_list[1].text, "");
  berth_arena_clear(&arena);
}

TEST(wire_attr, refuses_broken_bytes) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_arena_t arena = {0};
  berth_attr_value_t value;
  EXPECT_FAILS(berth_attr_from_bytes("\x12\x05", 2, &arena, &value, &err),
               BERTH_DATA_LOSS, &err,
               "Invalid AttrValue: AttrValue.s at byte 1: a length goes beyond "
               "the end of its message");
  EXPECT_FAILS(decode("shape { dim { size: -2 } }", &arena, &value, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Shape [-2] has dimensions with values below -1 (where -1 means "
               "unknown)");
  EXPECT_FAILS(
      decode("shape { dim { size: 4611686018427387904 } dim { size: 4 } }",
             &arena, &value, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Shape [4611686018427387904,4] is too large (more than 2**63 - 1 "
      "entries)");
  berth_arena_clear(&arena);
}

// Three good tensors at different depths; whatever fails, none may leak.
static const char nested[] =
    "func { name: 'f' "
    "  attr { key: 'a' value { tensor { dtype: DT_STRING string_val: 'x' } } } "
    "  attr { key: 'b' value { func { name: 'g' attr { key: 'c' value { list { "
    "    tensor { dtype: DT_FLOAT float_val: 1 } "
    "    tensor { dtype: DT_FLOAT float_val: 2 } } } } } } } }";

TEST(wire_attr, leaks_nothing_when_a_tensor_is_bad) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_arena_t arena = {0};
  berth_attr_value_t value;
  EXPECT_FAILS(decode("list { tensor { dtype: DT_FLOAT } tensor { } }", &arena,
                      &value, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Cannot parse tensor from proto: 0 is no data type of a tensor");
  berth_arena_clear(&arena);
}

TEST(wire_attr, survives_every_lack_of_memory) {
  void *bytes = NULL;
  size_t size = 0;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(pack_text(nested, &bytes, &size), &err);
  for (int64_t nth = 1;; ++nth) {
    berth_arena_t arena = {0};
    berth_attr_value_t value;
    Berth__Wire__AttrValue *message = NULL;
    berth_fault_arm("alloc", nth);
    berth_code_t code =
        berth_attr_from_bytes(bytes, size, &arena, &value, &err);
    if (code == BERTH_OK) {
      code = berth_attr_to_wire(&value, &arena, &message, &err);
      berth_attr_drop_tensors(&value);
    }
    int64_t passes = berth_fault_disarm();
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED);
    berth_error_clear(&err);
    berth_arena_clear(&arena);
    if (passes < nth) break;
    ASSERT_TRUE(nth < 10000);
  }
  berth_free(bytes);
}
