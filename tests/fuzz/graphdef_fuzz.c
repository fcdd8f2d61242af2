// graphdef_fuzz.c - Serialised GraphDefs from anywhere.
//
// Whatever comes, the importer says yes or no with a text; a refused one leaves
// the graph empty, and an accepted one survives the way out and in again, and
// is placed and run.
#include <stdint.h>

#include "graphdef_run.h"
#include "wire/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  bool is_read = berth_message_unpack(&berth__wire__graph_def__descriptor, data,
                                      size, &arena, &message, &err) == BERTH_OK;
  bool is_tried = !is_read || is_small((const Berth__Wire__GraphDef *)message);
  berth_arena_clear(&arena);
  berth_graph_t *graph = berth_graph_create();
  if (is_tried &&
      berth_graph_import(graph, data, size, NULL, &err) == BERTH_OK) {
    need(is_read);
    check_export(graph);
    check_run(graph);
  } else if (is_tried) {
    need(berth_error_message(&err)[0] != '\0');
    need(berth_graph_node_count(graph) == 0);
    need(berth_graph_function_count(graph) == 0);
  }
  berth_graph_release(graph);
  berth_error_clear(&err);
  return 0;
}
