// config_fuzz.c - Serialised ConfigProtos from anywhere.
//
// The scan, the message and its text must hold together, and the runtime takes
// or refuses what is there.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "berth/config.h"
#include "berth/tensor.h"
#include "wire/config.pb-c.h"
#include "wire/message.h"
#include "wire/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool condition) {
  if (!condition) abort();
}

// What was read is written, as bytes and as text, and read again.
static void check_message(const ProtobufCMessage *message,
                          berth_arena_t *arena) {
  void *bytes = NULL;
  size_t size = 0;
  berth_str_t text = {0};
  ProtobufCMessage *again = NULL;
  need(berth_message_pack(message, &bytes, &size, NULL) == BERTH_OK);
  need(berth_message_unpack(message->descriptor, bytes, size, arena, &again,
                            NULL) == BERTH_OK);
  need(berth_message_to_text(message, &text, NULL) == BERTH_OK);
  need(berth_message_from_text(message->descriptor, berth_str_get(&text),
                               text.size, arena, &again, NULL) == BERTH_OK);
  berth_str_clear(&text);
  berth_free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  if (berth_message_unpack(&berth__wire__config_proto__descriptor, data, size,
                           &arena, &message, &err) == BERTH_OK) {
    check_message(message, &arena);
  }
  berth_config_t config;
  if (berth_config_parse(data, size, &config, &err) == BERTH_OK) {
    void *bytes = NULL;
    size_t written = 0;
    need(message != NULL);
    need(berth_config_serialize(&config, &bytes, &written, &err) == BERTH_OK);
    berth_text_free(bytes);
    berth_config_clear(&config);
  }
  berth_arena_clear(&arena);
  berth_error_clear(&err);
  return 0;
}
