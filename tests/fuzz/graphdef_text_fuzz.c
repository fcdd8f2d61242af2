// graphdef_text_fuzz.c - GraphDefs in text form from anywhere.
//
// A text that is read must be written and read again to the same text, and the
// importer must take or refuse it cleanly; then it is placed and run.
#include <stdint.h>

#include "graphdef_run.h"
#include "wire/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Writes |message|, reads that, and writes it again.
static void check_text(const ProtobufCMessage *message, berth_arena_t *arena) {
  berth_str_t first = {0}, second = {0};
  ProtobufCMessage *again = NULL;
  need(berth_message_to_text(message, &first, NULL) == BERTH_OK);
  need(berth_message_from_text(message->descriptor, berth_str_get(&first),
                               first.size, arena, &again, NULL) == BERTH_OK);
  need(berth_message_to_text(again, &second, NULL) == BERTH_OK);
  need(strcmp(berth_str_get(&first), berth_str_get(&second)) == 0);
  berth_str_clear(&first);
  berth_str_clear(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  berth_graph_t *graph = berth_graph_create();
  if (berth_message_from_text(&berth__wire__graph_def__descriptor, text, size,
                              &arena, &message, &err) != BERTH_OK) {
    need(berth_error_message(&err)[0] != '\0');
  } else {
    check_text(message, &arena);
    if (is_small((const Berth__Wire__GraphDef *)message) &&
        berth_graph_import_text(graph, text, size, NULL, &err) == BERTH_OK) {
      check_export(graph);
      check_run(graph);
    }
  }
  berth_graph_release(graph);
  berth_arena_clear(&arena);
  berth_error_clear(&err);
  return 0;
}
