// check_gpu.c - Is a GPU used, or the CPU after all?
//
// People have long pasted this program to find out: if the log names a GPU, it
// is used. Berth can also be asked, which is what happens at the end here with
// --why: every operation with its device and the reason.
#include <stdio.h>
#include <string.h>

#include "example.h"

// Prints where every node of |graph| goes, and why.
static void explain(berth_graph_t *graph) {
  berth_session_t *session = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = berth_session_create(graph, NULL, &session, &err);
  for (int node = 0; code == BERTH_OK && node < berth_graph_node_count(graph);
       ++node) {
    char *why = NULL;
    code = berth_session_explain(session, node, &why, &err);
    if (code == BERTH_OK) puts(why);
    berth_text_free(why);
  }
  if (code != BERTH_OK) fprintf(stderr, "%s\n", berth_error_message(&err));
  berth_error_clear(&err);
  berth_session_destroy(session);
}

int main(int argc, char **argv) {
  static const float values[] = {1, 2, 3, 4, 5, 6};

  berth_graph_t *graph = berth_graph_create();
  berth_out_t a = berth_const_f32(graph, "a", values, BERTH_SHAPE(2, 3));
  berth_out_t b = berth_const_f32(graph, "b", values, BERTH_SHAPE(3, 2));
  berth_out_t c = berth_matmul(graph, NULL, a, b);

  berth_config_t config = example_config(argc, argv);
  config.log_device_placement = true;
  int status = example_run(graph, &config, c);
  if (argc > 1 && strcmp(argv[1], "--why") == 0) explain(graph);
  berth_graph_release(graph);
  return status;
}
