// message.c - Messages from bytes and to bytes.
#include "wire/message.h"

#include "base/alloc.h"
#include "wire/scan.h"

static void *arena_alloc(void *arena, size_t size) {
  return berth_arena_alloc(arena, size);
}

// What is freed alone stays in the arena until all of it goes.
static void arena_free(void *arena, void *ptr) {
  (void)arena;
  (void)ptr;
}

// Reads bytes that are known to be well-formed.
static berth_code_t unpack(const ProtobufCMessageDescriptor *type,
                           const void *bytes, size_t size, berth_arena_t *arena,
                           ProtobufCMessage **out_message, berth_error_t *err) {
  ProtobufCAllocator allocator = {arena_alloc, arena_free, arena};
  ProtobufCMessage *message =
      protobuf_c_message_unpack(type, &allocator, size, bytes);
  if (message == NULL) return berth_error_no_memory(err, type->short_name);
  *out_message = message;
  return BERTH_OK;
}

berth_code_t berth_message_unpack(const ProtobufCMessageDescriptor *type,
                                  const void *bytes, size_t size,
                                  berth_arena_t *arena,
                                  ProtobufCMessage **out_message,
                                  berth_error_t *err) {
  BERTH_TRY(berth_wire_scan(type, bytes, size, err));
  return unpack(type, bytes, size, arena, out_message, err);
}

berth_code_t berth_message_pack(const ProtobufCMessage *message,
                                void **out_bytes, size_t *out_size,
                                berth_error_t *err) {
  size_t size = protobuf_c_message_get_packed_size(message);
  void *bytes = berth_alloc(size);
  if (bytes == NULL) {
    return berth_error_no_memory(err, message->descriptor->short_name);
  }
  *out_size = protobuf_c_message_pack(message, bytes);
  *out_bytes = bytes;
  return BERTH_OK;
}

void *berth_message_new(const ProtobufCMessageDescriptor *type,
                        berth_arena_t *arena) {
  void *message = berth_arena_alloc(arena, type->sizeof_message);
  if (message != NULL) protobuf_c_message_init(type, message);
  return message;
}

berth_code_t berth_message_copy(const ProtobufCMessage *message,
                                berth_arena_t *arena,
                                ProtobufCMessage **out_message,
                                berth_error_t *err) {
  void *bytes = NULL;
  size_t size = 0;
  BERTH_TRY(berth_message_pack(message, &bytes, &size, err));
  berth_code_t code =
      unpack(message->descriptor, bytes, size, arena, out_message, err);
  berth_free(bytes);
  return code;
}

size_t berth_message_element_size(ProtobufCType type) {
  switch (type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
      return 8;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
      return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
      return sizeof(ProtobufCBinaryData);
    default:
      return 4;
  }
}
