// scan_test.c - What the scan of untrusted bytes lets through, and what not.
#include "wire/scan.h"

#include "base/alloc.h"
#include "harness.h"
#include "wire/graph.pb-c.h"
#include "wire/message.h"

#define GRAPH_DEF (&berth__wire__graph_def__descriptor)

#define EXPECT_SCAN(bytes, code, message)                                     \
  do {                                                                        \
    berth_error_t scan_err = BERTH_ERROR_INIT;                                \
    EXPECT_FAILS(                                                             \
        berth_wire_scan(GRAPH_DEF, bytes, sizeof bytes - 1, &scan_err), code, \
        &scan_err, message);                                                  \
  } while (0)

TEST(scan, accepts_well_formed_messages) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_wire_scan(GRAPH_DEF, NULL, 0, &err), &err);
  static const char node[] = "\x0a\x06\x0a\x01n\x12\x01o\x18\x05";
  ASSERT_OK(berth_wire_scan(GRAPH_DEF, node, sizeof node - 1, &err), &err);
  // Unknown fields of every wire type.
  static const char unknown[] =
      "\x98\x06\x01\x99\x06"
      "12345678"
      "\x9a\x06\x02xy\x9d\x06"
      "1234";
  ASSERT_OK(berth_wire_scan(GRAPH_DEF, unknown, sizeof unknown - 1, &err),
            &err);
  // A negative int32 takes ten bytes; one bad_consumer packed, one not.
  static const char versions[] =
      "\x22\x10\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x1a\x01\x05\x18"
      "\x06";
  ASSERT_OK(berth_wire_scan(GRAPH_DEF, versions, sizeof versions - 1, &err),
            &err);
}

TEST(scan, refuses_what_ends_early) {
  EXPECT_SCAN("\x0a", BERTH_DATA_LOSS,
              "Invalid GraphDef: GraphDef.node at byte 1: a length does not "
              "end");
  EXPECT_SCAN("\x0a\x05\x0a\x01n", BERTH_DATA_LOSS,
              "Invalid GraphDef: GraphDef.node at byte 1: a length goes beyond "
              "the end of its message");
  // The inner length reaches into bytes after its parent.
  EXPECT_SCAN("\x0a\x03\x0a\x04nxyz", BERTH_DATA_LOSS,
              "Invalid GraphDef: NodeDef.name at byte 3: a length goes beyond "
              "the end of its message");
  EXPECT_SCAN("\x18\x80", BERTH_DATA_LOSS,
              "Invalid GraphDef: GraphDef.version at byte 1: a number does not "
              "end");
  EXPECT_SCAN(
      "\x9d\x06"
      "123",
      BERTH_DATA_LOSS,
      "Invalid GraphDef: GraphDef at byte 2: a number does not end");
  EXPECT_SCAN("\x80", BERTH_DATA_LOSS,
              "Invalid GraphDef: GraphDef at byte 0: a tag ends early");
}

TEST(scan, refuses_overlong_numbers) {
  EXPECT_SCAN("\x18\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00",
              BERTH_DATA_LOSS,
              "Invalid GraphDef: GraphDef.version at byte 1: a number does not "
              "end");
  EXPECT_SCAN("\x80\x80\x80\x80\x80\x80\x00", BERTH_INVALID_ARGUMENT,
              "Invalid GraphDef: GraphDef at byte 0: a tag is too long");
  EXPECT_SCAN("\x22\x03\x1a\x01\x80", BERTH_DATA_LOSS,
              "Invalid GraphDef: VersionDef.bad_consumers at byte 4: a packed "
              "number does not end");
}

TEST(scan, refuses_wrong_types) {
  EXPECT_SCAN("\x00\x01", BERTH_INVALID_ARGUMENT,
              "Invalid GraphDef: GraphDef at byte 0: no field can have this "
              "number");
  EXPECT_SCAN("\x08\x01", BERTH_INVALID_ARGUMENT,
              "Invalid GraphDef: GraphDef.node at byte 0: the field has "
              "another type");
  EXPECT_SCAN("\x0b\x0c", BERTH_INVALID_ARGUMENT,
              "Invalid GraphDef: GraphDef.node at byte 0: groups and unknown "
              "wire types are not read");
  EXPECT_SCAN(
      "\x0a\x05\x0a\x03"
      "a\0b",
      BERTH_INVALID_ARGUMENT,
      "Invalid GraphDef: NodeDef.name at byte 4: a text holds a NUL "
      "byte");
}

TEST(scan, refuses_endless_merging) {
  char bytes[40];
  for (int i = 0; i < 20; ++i) memcpy(bytes + 2 * i, "\x12\x00", 2);
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_wire_scan(GRAPH_DEF, bytes, 34, &err), &err);
  EXPECT_FAILS(berth_wire_scan(GRAPH_DEF, bytes, 36, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Invalid GraphDef: GraphDef.library at byte 36: a field that is "
               "there once comes again and again");
}

// Writes |levels| messages inside each other, each the only field, number
// |tags|[level % |tag_count|] of the one around it. Lengths take four bytes.
static char *nest(const char *tags, size_t tag_count, size_t levels,
                  size_t *out_size) {
  size_t size = levels * 5;
  char *bytes = berth_alloc(size);
  for (size_t i = 0; i < levels; ++i) {
    size_t inner = size - (i + 1) * 5;
    char *at = bytes + i * 5;
    at[0] = tags[i % tag_count];
    for (int k = 0; k < 4; ++k) {
      at[1 + k] = (char)((inner >> (7 * k) & 0x7f) | (k < 3 ? 0x80 : 0));
    }
  }
  *out_size = size;
  return bytes;
}

TEST(scan, refuses_a_million_levels) {
  // AttrValue.func (10) -> NameAttrList.attr (2) -> AttrEntry.value (2) -> …
  static const char tags[] = {10 << 3 | 2, 2 << 3 | 2, 2 << 3 | 2};
  berth_error_t err = BERTH_ERROR_INIT;
  size_t size = 0;
  char *bytes = nest(tags, 3, 1000000, &size);
  EXPECT_FAILS(
      berth_wire_scan(&berth__wire__attr_value__descriptor, bytes, size, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Invalid AttrValue: NameAttrList.attr at byte 505: messages are "
      "nested more than 100 levels deep");
  berth_free(bytes);
}

TEST(scan, lets_a_hundred_levels_through) {
  static const char tags[] = {10 << 3 | 2, 2 << 3 | 2, 2 << 3 | 2};
  berth_error_t err = BERTH_ERROR_INIT;
  size_t size = 0;
  char *bytes = nest(tags, 3, 100, &size);
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  ASSERT_OK(berth_message_unpack(&berth__wire__attr_value__descriptor, bytes,
                                 size, &arena, &message, &err),
            &err);
  berth_arena_clear(&arena);
  berth_free(bytes);
}
