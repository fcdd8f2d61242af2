// end_name.c - The names TensorFlow gives to the ends of a run.
#include "runtime/end_name.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int berth_end_name_feed(const berth_program_t *program, berth_out_t out) {
  const berth_signature_t *signature = &program->signature;
  for (int i = 0; i < signature->feed_count; ++i) {
    if (signature->feeds[i].node == out.node &&
        signature->feeds[i].index == out.index) {
      return i;
    }
  }
  return -1;
}

void berth_end_name_print(const berth_program_t *program, berth_out_t out,
                          berth_str_t *str) {
  const char *name = berth_graph_get(program->host->graph, out.node)->name;
  int feed = berth_end_name_feed(program, out);
  if (feed >= 0) {
    berth_str_printf(str, "_arg_%s_%d_%d", name, out.index, feed);
  } else if (out.index > 0) {
    berth_str_printf(str, "%s:%d", name, out.index);
  } else {
    berth_str_puts(str, name);
  }
}

void berth_end_name_print_retval(const berth_program_t *program, int index,
                                 berth_str_t *str) {
  berth_out_t out = program->signature.fetches[index];
  berth_str_printf(str, "_retval_%s_%d_%d",
                   berth_graph_get(program->host->graph, out.node)->name,
                   out.index, index);
}

// ---- Lists ----

typedef struct end {
  berth_out_t out;
  int position;      // Before sorting.
  const char *text;  // "node:index", which ends are sorted by.
} end_t;

static int compare_ends(const void *a, const void *b) {
  return strcmp(((const end_t *)a)->text, ((const end_t *)b)->text);
}

// Returns a text in |arena|; NULL when memory is short.
BERTH_PRINTF(2, 3)
static const char *text_make(berth_arena_t *arena, const char *format, ...) {
  berth_str_t str = {0};
  va_list args;
  va_start(args, format);
  berth_str_vprintf(&str, format, args);
  va_end(args);
  const char *text = berth_str_ok(&str)
                         ? berth_arena_strndup(arena, str.text, str.size)
                         : NULL;
  berth_str_clear(&str);
  return text;
}

// Returns |outs| sorted, in |arena|; NULL when memory is short.
static end_t *ends_sort(const berth_graph_t *graph, const berth_out_t *outs,
                        int count, berth_arena_t *arena) {
  end_t *ends = berth_arena_calloc(arena, (size_t)count + 1, sizeof(*ends));
  for (int i = 0; ends != NULL && i < count; ++i) {
    const char *name = berth_graph_get(graph, outs[i].node)->name;
    ends[i].out = outs[i];
    ends[i].position = i;
    ends[i].text = text_make(arena, "%s:%d", name, outs[i].index);
    if (ends[i].text == NULL) return NULL;
  }
  if (ends != NULL) qsort(ends, (size_t)count, sizeof(*ends), compare_ends);
  return ends;
}

// A list of lines under construction.
typedef struct lines {
  const berth_graph_t *graph;
  berth_arena_t *arena;
  berth_place_end_t *ends;
  int count;
} lines_t;

// Appends a line for each of |outs|, or for those that |is_used| marks. False
// when memory is short.
static bool lines_add(lines_t *lines, const berth_out_t *outs, int count,
                      const bool *is_used, const char *prefix, const char *op) {
  const end_t *ends = ends_sort(lines->graph, outs, count, lines->arena);
  if (ends == NULL) return false;
  for (int i = 0; i < count; ++i) {
    berth_out_t out = ends[i].out;
    if (is_used != NULL && !is_used[ends[i].position]) continue;
    const char *name =
        text_make(lines->arena, "%s_%s_%d_%d", prefix,
                  berth_graph_get(lines->graph, out.node)->name, out.index, i);
    if (name == NULL) return false;
    lines->ends[lines->count++] = (berth_place_end_t){name, op};
  }
  return true;
}

// Marks the feeds that needed nodes take, or that are fetched.
static void mark_used(const berth_graph_t *graph, const berth_prune_t *prune,
                      bool *is_used) {
  for (int id = 0; id < prune->node_count; ++id) {
    if (!prune->needed[id]) continue;
    const berth_node_t *node = berth_graph_get(graph, id);
    for (int i = 0; i < node->input_count; ++i) {
      int feed = berth_prune_feed_of(prune, node->inputs[i]);
      if (feed >= 0) is_used[feed] = true;
    }
  }
  for (int i = 0; i < prune->signature->fetch_count; ++i) {
    int feed = berth_prune_feed_of(prune, prune->signature->fetches[i]);
    if (feed >= 0) is_used[feed] = true;
  }
}

berth_code_t berth_end_names_list(const berth_graph_t *graph,
                                  const berth_prune_t *prune,
                                  berth_arena_t *arena,
                                  const berth_place_end_t **out_ends,
                                  int *out_count, berth_error_t *err) {
  const berth_signature_t *run = prune->signature;
  size_t most = (size_t)run->feed_count + (size_t)run->fetch_count + 1;
  bool *is_used = berth_arena_calloc(arena, most, sizeof(*is_used));
  lines_t lines = {.graph = graph, .arena = arena};
  lines.ends = berth_arena_calloc(arena, most, sizeof(*lines.ends));
  if (lines.ends == NULL || is_used == NULL) goto no_memory;
  mark_used(graph, prune, is_used);
  if (!lines_add(&lines, run->feeds, run->feed_count, is_used, "_arg",
                 "_Arg") ||
      !lines_add(&lines, run->fetches, run->fetch_count, NULL, "_retval",
                 "_Retval")) {
    goto no_memory;
  }
  *out_ends = lines.ends;
  *out_count = lines.count;
  return BERTH_OK;
no_memory:
  return berth_error_no_memory(err, "the names of feeds and fetches");
}
