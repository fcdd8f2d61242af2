// schema_graph.c - Imports, places and exports graphs, for tests that know what
// must come out: tests/tools/schema_import_test.py and tests/tools/import_oracle_test.py.
//
//   schema_graph <graphs
//
// Graphs are GraphDefs as text; each begins with a line "graph". For each:
//
//   graph
//   error TEXT              when it is refused; lines after the first indented
//   ...                     what is exported, as text
//   place NODE DEVICE       where a node goes with one CPU and one GPU
//   place error TEXT        when there is no place, likewise indented
//   changed                 when what is exported does not stay the same on the
//                           way in and out again, as bytes
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "berth/graph.h"
#include "berth/placement.h"

static void print_error(const char *word, berth_error_t *err) {
  printf("%s ", word);
  for (const char *at = berth_error_message(err); *at != '\0'; ++at) {
    fputs(*at == '\n' ? "\n " : (char[]){*at, '\0'}, stdout);
  }
  printf("\n");
  berth_error_clear(err);
}

static void place(const berth_graph_t *graph) {
  static const char *const devices[] = {"CPU:0", "GPU:0"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_plan_options_t options = {.devices = devices, .device_count = 2};
  berth_plan_t *plan = NULL;
  if (berth_plan_create(graph, &options, &plan, &err) != BERTH_OK) {
    print_error("place error", &err);
    return;
  }
  for (int i = 0; i < berth_graph_node_count(graph); ++i) {
    berth_node_placement_t placement;
    berth_plan_query(plan, i, &placement);
    printf("place %s %s\n", berth_node_name(graph, i),
           strrchr(placement.device, '/') + strlen("/device:"));
  }
  berth_plan_destroy(plan);
}

// Writes |graph| as bytes, reads those and writes them again.
static bool stays_the_same(const berth_graph_t *graph, berth_error_t *err) {
  berth_graph_t *copy = berth_graph_create();
  void *first = NULL, *second = NULL;
  size_t first_size = 0, second_size = 0;
  bool is_same =
      copy != NULL &&
      berth_graph_export(graph, &first, &first_size, err) == BERTH_OK &&
      berth_graph_import(copy, first, first_size, NULL, err) == BERTH_OK &&
      berth_graph_export(copy, &second, &second_size, err) == BERTH_OK &&
      first_size == second_size && memcmp(first, second, first_size) == 0;
  berth_text_free(first);
  berth_text_free(second);
  berth_graph_release(copy);
  return is_same;
}

static void show(const char *text, size_t size) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  char *out = NULL;
  printf("graph\n");
  if (berth_graph_import_text(graph, text, size, NULL, &err) != BERTH_OK ||
      berth_graph_export_text(graph, &out, &err) != BERTH_OK) {
    print_error("error", &err);
  } else {
    fputs(out, stdout);
    place(graph);
    if (!stays_the_same(graph, &err)) print_error("changed", &err);
  }
  berth_text_free(out);
  berth_graph_release(graph);
}

int main(void) {
  static const char line[] = "graph\n";
  berth_str_t text = {0};
  char room[65536];
  for (size_t size; (size = fread(room, 1, sizeof room, stdin)) > 0;) {
    berth_str_put(&text, room, size);
  }
  const char *at = berth_str_get(&text);
  while (strncmp(at, line, strlen(line)) == 0) {
    at += strlen(line);
    const char *end = strstr(at, "\ngraph\n");
    size_t size = end != NULL ? (size_t)(end - at) + 1 : strlen(at);
    show(at, size);
    at += size;
  }
  bool is_done = *at == '\0';
  berth_str_clear(&text);
  return is_done ? 0 : 1;
}
