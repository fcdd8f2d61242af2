// graph_file.c - Graphs in files.
#include "graph_file.h"

#include <errno.h>
#include <string.h>

#include "memory.h"
#include "term.h"

bool cli_ends_with(const char *text, const char *ending) {
  size_t size = strlen(text), end = strlen(ending);
  return size >= end && strcmp(text + size - end, ending) == 0;
}

static berth_code_t import(berth_graph_t *graph, const char *path,
                           const cli_text_t *bytes, berth_error_t *err) {
  if (cli_ends_with(path, ".pbtxt") || cli_ends_with(path, ".txt")) {
    return berth_graph_import_text(graph, cli_text_get(bytes), bytes->size,
                                   NULL, err);
  }
  return berth_graph_import(graph, cli_text_get(bytes), bytes->size, NULL, err);
}

berth_graph_t *cli_graph_open(const char *path) {
  cli_text_t bytes = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = NULL;
  cli_progress("reading the graph");
  if (!cli_text_read(&bytes, path)) {
    cli_fail("cannot read %s: %s", path, strerror(errno));
    goto done;
  }
  graph = berth_graph_create();
  if (graph == NULL) {
    cli_fail("not enough memory for the graph");
    goto done;
  }
  if (import(graph, path, &bytes, &err) != BERTH_OK) {
    cli_fail_with(path, &err);
    berth_graph_release(graph);
    graph = NULL;
  }

done:
  cli_progress(NULL);
  cli_text_clear(&bytes);
  return graph;
}
