// consumers.c - Who uses what a node gives.
#include "graph/consumers.h"

#include <string.h>

#include "base/alloc.h"
#include "graph/graph.h"

typedef struct edge {
  int32_t consumer;
  int32_t input;   // Of the consumer; -1 for a control edge.
  int32_t output;  // Of the node it leaves; -1 for a control edge.
} edge_t;

struct berth_consumers {
  int32_t node_count;  // Nodes that are indexed.
  int64_t *first;      // |node_count| + 1 of them.
  edge_t *edges;
};

enum { MIN_TAIL = 1024 };  // So many nodes are always cheap to look through.

void berth_consumers_destroy(struct berth_consumers *consumers) {
  if (consumers == NULL) return;
  berth_free(consumers->first);
  berth_free(consumers->edges);
  berth_free(consumers);
}

// Calls |visit| for each edge that enters |node|.
typedef void (*visit_fn)(void *arg, int32_t from, edge_t edge);

static void visit_edges(const berth_node_t *node, visit_fn visit, void *arg) {
  for (int32_t i = 0; i < node->input_count; ++i) {
    visit(arg, node->inputs[i].node,
          (edge_t){node->id, i, node->inputs[i].index});
  }
  for (int32_t i = 0; i < node->control_count; ++i) {
    visit(arg, node->controls[i], (edge_t){node->id, -1, -1});
  }
}

static void count_edge(void *arg, int32_t from, edge_t edge) {
  (void)edge;
  struct berth_consumers *index = arg;
  ++index->first[from + 1];
}

// Puts an edge into its place. |first[from]| moves on to the next one.
static void place_edge(void *arg, int32_t from, edge_t edge) {
  struct berth_consumers *index = arg;
  index->edges[index->first[from]++] = edge;
}

// Builds the index in three steps: count the edges per node, sum the counts up
// to where each node's begin, and fill them in.
static struct berth_consumers *build(const berth_graph_t *graph,
                                     int32_t count) {
  struct berth_consumers *index = berth_calloc(1, sizeof(*index));
  if (index == NULL) return NULL;
  index->node_count = count;
  index->first = berth_calloc((size_t)count + 1, sizeof(int64_t));
  if (index->first == NULL) goto fail;
  for (int32_t id = 0; id < count; ++id) {
    visit_edges(berth_graph_get(graph, id), count_edge, index);
  }
  for (int32_t id = 0; id < count; ++id) {
    index->first[id + 1] += index->first[id];
  }
  size_t total = (size_t)index->first[count];
  index->edges = berth_calloc(total > 0 ? total : 1, sizeof(edge_t));
  if (index->edges == NULL) goto fail;
  for (int32_t id = 0; id < count; ++id) {
    visit_edges(berth_graph_get(graph, id), place_edge, index);
  }
  // Filling has moved each beginning to the next one's.
  memmove(index->first + 1, index->first, (size_t)count * sizeof(int64_t));
  index->first[0] = 0;
  return index;

fail:
  berth_consumers_destroy(index);
  return NULL;
}

// Brings the index up to date if it lags too far behind. Without memory for it
// the whole graph is looked through instead.
static void refresh(berth_graph_t *graph) {
  int32_t count = berth_graph_node_count(graph);
  int32_t indexed = graph->consumers != NULL ? graph->consumers->node_count : 0;
  int32_t tail = count - indexed;
  if (tail <= MIN_TAIL || tail <= indexed / 4) return;
  struct berth_consumers *index = build(graph, count);
  if (index == NULL) return;
  berth_consumers_destroy(graph->consumers);
  graph->consumers = index;
}

// Collects the edges that leave one output, or the control edges of one node.
typedef struct query {
  berth_out_t out;  // Index -1: control edges.
  berth_out_t *found;
  int capacity;
  int count;
} query_t;

static void match_edge(void *arg, int32_t from, edge_t edge) {
  query_t *query = arg;
  if (from != query->out.node || edge.output != query->out.index) return;
  if (query->count < query->capacity) {
    query->found[query->count] = (berth_out_t){edge.consumer, edge.input};
  }
  ++query->count;
}

static void run_query(const berth_graph_t *graph, query_t *query) {
  berth_graph_t *g = (berth_graph_t *)(uintptr_t)graph;
  berth_graph_lock(g);
  refresh(g);
  const struct berth_consumers *index = g->consumers;
  int32_t id = query->out.node;
  if (index != NULL && id >= 0 && id < index->node_count) {
    for (int64_t i = index->first[id]; i < index->first[id + 1]; ++i) {
      match_edge(query, id, index->edges[i]);
    }
  }
  int32_t tail = index != NULL ? index->node_count : 0;
  for (; tail < berth_graph_node_count(g); ++tail) {
    visit_edges(berth_graph_get(g, tail), match_edge, query);
  }
  berth_graph_unlock(g);
}

int berth_out_consumers(const berth_graph_t *graph, berth_out_t out,
                        berth_out_t *consumers, int capacity) {
  if (graph == NULL || out.index < 0) return 0;
  if (consumers == NULL) capacity = 0;
  query_t query = {out, consumers, capacity, 0};
  run_query(graph, &query);
  return query.count;
}

int berth_node_control_consumers(const berth_graph_t *graph,
                                 berth_node_id_t node,
                                 berth_node_id_t *consumers, int capacity) {
  if (graph == NULL) return 0;
  if (consumers == NULL) capacity = 0;
  berth_out_t few[32];
  query_t query = {{node, -1}, few, capacity, 0};
  berth_out_t *many = NULL;
  if (capacity > BERTH_COUNT_OF(few)) {
    many = berth_calloc((size_t)capacity, sizeof(*many));
    query.found = many != NULL ? many : few;
    if (many == NULL) query.capacity = BERTH_COUNT_OF(few);
  }
  run_query(graph, &query);
  for (int i = 0; i < query.count && i < query.capacity; ++i) {
    consumers[i] = query.found[i].node;
  }
  berth_free(many);
  return query.count;
}
