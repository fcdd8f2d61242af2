// unfolding.c - The unfoldings of a graph, in the order of their nodes.
#include "graph/unfolding.h"

#include "base/alloc.h"

bool berth_unfolding_add(berth_graph_t *graph,
                         const berth_unfolding_t *unfolding) {
  size_t outs = (size_t)berth_graph_get(graph, unfolding->node)->output_count;
  berth_unfolding_t *items =
      berth_grow(graph->unfoldings, graph->unfolding_count,
                 &graph->unfolding_capacity, sizeof(*items));
  if (items == NULL) return false;
  graph->unfoldings = items;
  const berth_out_t *copy =
      berth_arena_memdup(&graph->arena, unfolding->outs, outs * sizeof(*copy));
  if (copy == NULL && outs > 0) return false;
  items[graph->unfolding_count] = *unfolding;
  items[graph->unfolding_count++].outs = copy;
  return true;
}

const berth_unfolding_t *berth_unfolding_find(const berth_graph_t *graph,
                                              int32_t id) {
  for (size_t i = 0; i < graph->unfolding_count; ++i) {
    if (graph->unfoldings[i].node == id) return &graph->unfoldings[i];
  }
  return NULL;
}

const berth_unfolding_t *berth_unfolding_around(const berth_graph_t *graph,
                                                int32_t id) {
  size_t low = 0, high = graph->unfolding_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const berth_unfolding_t *item = &graph->unfoldings[middle];
    if (id >= item->first && id < item->first + item->count) return item;
    if (id < item->first) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return NULL;
}
