// partition.c - The graphs of each device, as a run shows them.
//
// 1. Vertices: the nodes that run, in the order of their ids, then one for
//    every feed (_Arg) and every fetch (_Retval), which live on the first
//    device.
// 2. Edges get the numbers they have in TensorFlow, whose graph counts from
//    three (edges between its source and sink) in the order of consumers; then
//    come the edges from its source and to its sink, then those of feeds.
// 3. Vertices are visited in order. An edge that changes the device becomes a
//    _Send on one side and a _Recv on the other, made once per value and
//    destination; a control edge goes through an empty Const and an Identity.
// 4. Each graph is sorted: what is ready and was made first comes first.
#include "runtime/partition.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "exec/flow.h"
#include "graph/export.h"
#include "runtime/end_name.h"
#include "runtime/partition_node.h"
#include "wire/message.h"

typedef Berth__Wire__NodeDef node_def_t;

// A node of a partition, and what must come before it.
typedef struct item {
  node_def_t *def;
  int32_t *needs;  // Vertices, or ~items of the same partition.
  int need_count;
} item_t;

typedef struct part {
  int device;
  item_t *items;
  size_t count, capacity;
} part_t;

// A value that has crossed to a device.
typedef struct crossing {
  int32_t vertex, index;  // Index -1: control.
  int device;
  int32_t item;  // What stands for it there.
  const char *name;
} crossing_t;

typedef struct splitter {
  const berth_session_t *session;
  const berth_program_t *program;
  const berth_graph_t *graph;
  berth_arena_t *arena;
  int node_count;
  int feed_count, fetch_count;
  uint8_t *runs;     // By node: it is part of the program.
  int32_t *item_of;  // By vertex: its item in its partition.
  int32_t *part_of;  // By device: its partition, or -1.
  part_t *parts;
  int part_count;
  crossing_t *crossings;
  size_t crossing_count, crossing_capacity;
  int counter;  // Of the names of sends and receives.
  int edge;     // The next edge number.
  bool failed;  // Memory was short.
} splitter_t;

// ---- Vertices ----

static int32_t vertex_of(const splitter_t *s, berth_out_t out) {
  int feed = berth_end_name_feed(s->program, out);
  return feed >= 0 ? s->node_count + feed : out.node;
}

static int device_of(const splitter_t *s, int32_t vertex) {
  if (vertex >= s->node_count) return 0;
  const berth_exec_host_t *host = s->program->host;
  return host->device_of(host, vertex);
}

static const char *device_name(const splitter_t *s, int device) {
  return s->session->devices.exec[device].name;
}

static void mark_steps(splitter_t *s, const berth_step_t *steps, int count) {
  for (int i = 0; i < count; ++i) {
    if (steps[i].node->id >= 0) s->runs[steps[i].node->id] = 1;
  }
}

// Marks what runs, in blocks too.
static void mark_program(splitter_t *s, const berth_program_t *program) {
  const berth_flow_t *flow = program->flow;
  mark_steps(s, program->steps, program->step_count);
  mark_steps(s, program->settled_steps, program->settled_step_count);
  for (int i = 0; i < program->twin_count; ++i) {
    s->runs[program->twins[i].node] = 1;
  }
  for (int i = 0; flow != NULL && i < flow->block_count; ++i) {
    mark_program(s, flow->blocks[i].program);
  }
}

// ---- Items ----

static part_t *part_get(splitter_t *s, int device) {
  if (s->part_of[device] < 0) {
    s->part_of[device] = s->part_count;
    s->parts[s->part_count++] = (part_t){.device = device};
  }
  return &s->parts[s->part_of[device]];
}

// Adds |def| (NULL: memory was short) to the partition of |device|.
static int32_t item_add(splitter_t *s, int device, node_def_t *def,
                        const int32_t *needs, int need_count) {
  part_t *part = part_get(s, device);
  item_t *items =
      berth_grow(part->items, part->count, &part->capacity, sizeof(*items));
  if (items != NULL) part->items = items;
  int32_t *copy =
      berth_arena_memdup(s->arena, needs, (size_t)need_count * sizeof(*needs));
  if (def == NULL || items == NULL || copy == NULL) {
    s->failed = true;
    return 0;
  }
  def->device = (char *)(uintptr_t)device_name(s, device);
  part->items[part->count] = (item_t){def, copy, need_count};
  return (int32_t)part->count++;
}

static const crossing_t *crossing_find(const splitter_t *s, int32_t vertex,
                                       int32_t index, int device) {
  for (size_t i = 0; i < s->crossing_count; ++i) {
    const crossing_t *c = &s->crossings[i];
    if (c->vertex == vertex && c->index == index && c->device == device) {
      return c;
    }
  }
  return NULL;
}

static const crossing_t *crossing_add(splitter_t *s, crossing_t crossing) {
  crossing_t *crossings = berth_grow(s->crossings, s->crossing_count,
                                     &s->crossing_capacity, sizeof(*crossings));
  if (crossings == NULL || crossing.name == NULL) {
    s->failed = true;
    return NULL;
  }
  s->crossings = crossings;
  s->crossings[s->crossing_count] = crossing;
  return &s->crossings[s->crossing_count++];
}

// ---- Edges that cross ----

// An edge from one vertex to another.
typedef struct edge {
  int32_t vertex, index;  // Index -1: control.
  berth_dtype_t dtype;
  const char *from;   // Name of the source node.
  const char *input;  // As an input is written: "x", "x:1".
  const char *to;     // Name of the destination node.
  int number;
} edge_t;

// Makes the pair of nodes for |edge| and returns what stands for its value on
// |device|; NULL when memory is short.
static const crossing_t *cross(splitter_t *s, const edge_t *edge, int device) {
  const crossing_t *known = crossing_find(s, edge->vertex, edge->index, device);
  if (known != NULL) return known;
  bool is_control = edge->index < 0;
  int source = device_of(s, edge->vertex);
  berth_transfer_t transfer = {
      .arena = s->arena,
      .from = edge->from,
      .to = edge->to,
      .dtype = is_control ? BERTH_FLOAT : edge->dtype,
      .send_device = device_name(s, source),
      .recv_device = device_name(s, device),
      .edge = edge->number,
  };
  const char *input = edge->input;
  int32_t need = edge->vertex;
  if (is_control) {
    node_def_t *empty = berth_partition_empty(&transfer, s->counter++);
    input = empty != NULL ? empty->name : NULL;
    need = ~item_add(s, source, empty, &need, 1);
  }
  if (s->failed) return NULL;
  item_add(s, source, berth_partition_send(&transfer, input, s->counter++),
           &need, 1);
  node_def_t *recv = berth_partition_recv(&transfer, s->counter++);
  int32_t item = item_add(s, device, recv, NULL, 0);
  if (s->failed) return NULL;
  const char *name = recv->name;
  if (is_control) {
    node_def_t *identity =
        berth_partition_identity(&transfer, name, s->counter++);
    int32_t before = ~item;
    item = item_add(s, device, identity, &before, 1);
    if (s->failed) return NULL;
    name = identity->name;
  }
  return crossing_add(
      s, (crossing_t){edge->vertex, edge->index, device, item, name});
}

// ---- Nodes ----

static char *keep(splitter_t *s, berth_str_t *str) {
  char *text = berth_str_ok(str) ? berth_arena_strndup(
                                       s->arena, berth_str_get(str), str->size)
                                 : NULL;
  if (text == NULL) s->failed = true;
  berth_str_clear(str);
  return text;
}

static char *vertex_name(splitter_t *s, int32_t vertex) {
  berth_str_t str = {0};
  if (vertex < s->node_count) {
    berth_str_puts(&str, berth_graph_get(s->graph, vertex)->name);
  } else if (vertex < s->node_count + s->feed_count) {
    int feed = vertex - s->node_count;
    berth_end_name_print(s->program, s->program->signature.feeds[feed], &str);
  } else {
    int fetch = vertex - s->node_count - s->feed_count;
    berth_end_name_print_retval(s->program, fetch, &str);
  }
  return keep(s, &str);
}

// Returns the input of |to| that brings |out|, crossing if need be, and stores
// what it depends on.
static char *data_input(splitter_t *s, berth_out_t out, const char *to,
                        int device, int number, int32_t *need) {
  int32_t vertex = vertex_of(s, out);
  berth_str_t str = {0};
  berth_end_name_print(s->program, out, &str);
  char *input = keep(s, &str);
  *need = vertex;
  if (s->failed || device_of(s, vertex) == device) return input;
  const berth_node_t *node = berth_graph_get(s->graph, out.node);
  edge_t edge = {.vertex = vertex,
                 .index = out.index,
                 .dtype = berth_dtype_base(node->output_types[out.index]),
                 .from = vertex_name(s, vertex),
                 .input = input,
                 .to = to,
                 .number = number};
  const crossing_t *crossing = s->failed ? NULL : cross(s, &edge, device);
  if (crossing == NULL) return NULL;
  *need = ~crossing->item;
  return (char *)(uintptr_t)crossing->name;
}

// The same for a control input.
static char *control_input(splitter_t *s, int32_t vertex, const char *to,
                           int device, int number, int32_t *need) {
  berth_str_t str = {0};
  const char *name = vertex_name(s, vertex);
  *need = vertex;
  if (!s->failed && device_of(s, vertex) != device) {
    edge_t edge = {.vertex = vertex,
                   .index = -1,
                   .from = name,
                   .input = name,
                   .to = to,
                   .number = number};
    const crossing_t *crossing = cross(s, &edge, device);
    if (crossing == NULL) return NULL;
    *need = ~crossing->item;
    name = crossing->name;
  }
  if (s->failed) return NULL;
  berth_str_printf(&str, "^%s", name);
  return keep(s, &str);
}

// True when |node|, which another waits for, is part of the program; a fed
// placeholder stands for its feed.
static int32_t control_vertex(const splitter_t *s, int32_t node) {
  if (s->runs[node]) return node;
  int feed = berth_end_name_feed(s->program, (berth_out_t){node, 0});
  return feed >= 0 ? s->node_count + feed : -1;
}

// Numbers of edges that come from feeds follow all others, in the order of
// feeds and of their consumers.
static int feed_edge_number(const splitter_t *s, int feed, int32_t node,
                            int input) {
  int number = s->edge;
  for (int f = 0; f <= feed; ++f) {
    ++number;  // From the source to the feed.
    berth_out_t wanted = s->program->signature.feeds[f];
    for (int id = 0; id < s->node_count; ++id) {
      if (!s->runs[id]) continue;
      const berth_node_t *consumer = berth_graph_get(s->graph, id);
      for (int i = 0; i < consumer->input_count; ++i) {
        if (consumer->inputs[i].node != wanted.node ||
            consumer->inputs[i].index != wanted.index) {
          continue;
        }
        if (f == feed && id == node && i == input) return number;
        ++number;
      }
    }
  }
  return number;
}

// Visits a node of the graph: its inputs, then itself. |number| is that of its
// first edge.
static int node_visit(splitter_t *s, const berth_node_t *node, int number,
                      berth_error_t *err) {
  int device = device_of(s, node->id);
  size_t most = (size_t)(node->input_count + node->control_count) + 1;
  char **inputs = berth_arena_calloc(s->arena, most, sizeof(*inputs));
  int32_t *needs = berth_arena_calloc(s->arena, most, sizeof(*needs));
  node_def_t *def = NULL;
  if (inputs == NULL || needs == NULL ||
      berth_node_to_wire(s->graph, node, s->arena, &def, err) != BERTH_OK) {
    s->failed = true;
    return number;
  }
  int count = 0, need_count = 0;
  for (int i = 0; !s->failed && i < node->input_count; ++i, ++count) {
    int feed = berth_end_name_feed(s->program, node->inputs[i]);
    int edge = feed >= 0 ? feed_edge_number(s, feed, node->id, i) : number++;
    inputs[count] = data_input(s, node->inputs[i], node->name, device, edge,
                               &needs[need_count]);
    // A Merge does not wait for what comes round its loop.
    need_count += feed >= 0 || node->inputs[i].node < node->id;
  }
  for (int i = 0; !s->failed && i < node->control_count; ++i) {
    int32_t vertex = control_vertex(s, node->controls[i]);
    if (vertex < 0) continue;
    inputs[count++] = control_input(s, vertex, node->name, device, number++,
                                    &needs[need_count++]);
  }
  def->input = inputs;
  def->n_input = (size_t)count;
  s->item_of[node->id] = item_add(s, device, def, needs, need_count);
  return number;
}

// Returns how many edges of the program come from its own nodes.
static int own_edges(const splitter_t *s) {
  int count = 0;
  for (int id = 0; id < s->node_count; ++id) {
    if (!s->runs[id]) continue;
    const berth_node_t *node = berth_graph_get(s->graph, id);
    for (int i = 0; i < node->input_count; ++i) {
      count += berth_end_name_feed(s->program, node->inputs[i]) < 0;
    }
    for (int i = 0; i < node->control_count; ++i) {
      count += control_vertex(s, node->controls[i]) >= 0;
    }
  }
  return count;
}

// Returns how many edges lead from TensorFlow's source or to its sink.
static int end_edges(const splitter_t *s) {
  int count = 0;
  for (int id = 0; id < s->node_count; ++id) {
    if (!s->runs[id]) continue;
    const berth_node_t *node = berth_graph_get(s->graph, id);
    count += node->input_count + node->control_count == 0;
    bool used = berth_node_control_consumers(s->graph, id, NULL, 0) > 0;
    for (int i = 0; !used && i < node->output_count; ++i) {
      used = berth_out_consumers(s->graph, (berth_out_t){id, i}, NULL, 0) > 0;
    }
    count += !used;
  }
  return count;
}

static void feeds_visit(splitter_t *s) {
  for (int i = 0; !s->failed && i < s->feed_count; ++i) {
    berth_out_t out = s->program->signature.feeds[i];
    const berth_node_t *node = berth_graph_get(s->graph, out.node);
    int32_t vertex = s->node_count + i;
    node_def_t *def = berth_partition_end(
        s->arena, "_Arg", vertex_name(s, vertex),
        berth_dtype_base(node->output_types[out.index]), i, NULL);
    s->item_of[vertex] = item_add(s, 0, def, NULL, 0);
  }
}

static void fetches_visit(splitter_t *s) {
  for (int i = 0; !s->failed && i < s->fetch_count; ++i) {
    berth_out_t out = s->program->signature.fetches[i];
    const berth_node_t *node = berth_graph_get(s->graph, out.node);
    int32_t vertex = s->node_count + s->feed_count + i;
    const char *name = vertex_name(s, vertex);
    int32_t need = 0;
    char *input =
        s->failed ? NULL : data_input(s, out, name, 0, s->edge, &need);
    if (s->failed) return;
    node_def_t *def = berth_partition_end(
        s->arena, "_Retval", name,
        berth_dtype_base(node->output_types[out.index]), i, input);
    s->item_of[vertex] = item_add(s, 0, def, &need, 1);
  }
}

// ---- Sorting ----

// True when everything |item| needs is in |done|.
static bool is_ready(const splitter_t *s, const item_t *item,
                     const uint8_t *done) {
  for (int i = 0; i < item->need_count; ++i) {
    int32_t need = item->needs[i];
    if (!done[need < 0 ? ~need : s->item_of[need]]) return false;
  }
  return true;
}

// Puts the items of |part| into |graph|: always the first that is ready.
static bool part_sort(const splitter_t *s, const part_t *part,
                      Berth__Wire__GraphDef *graph) {
  uint8_t *done = berth_arena_calloc(s->arena, part->count + 1, 1);
  graph->node =
      berth_arena_calloc(s->arena, part->count + 1, sizeof(*graph->node));
  if (done == NULL || graph->node == NULL) return false;
  size_t from = 0;
  while (graph->n_node < part->count) {
    while (done[from]) ++from;
    size_t next = from;
    while (next < part->count &&
           (done[next] || !is_ready(s, &part->items[next], done))) {
      ++next;
    }
    if (next == part->count) return false;
    done[next] = 1;
    graph->node[graph->n_node++] = part->items[next].def;
  }
  return true;
}

// ---- The whole ----

static bool splitter_init(splitter_t *s) {
  size_t vertices = (size_t)(s->node_count + s->feed_count + s->fetch_count);
  size_t devices = (size_t)s->session->devices.count;
  s->runs = berth_arena_calloc(s->arena, (size_t)s->node_count + 1, 1);
  s->item_of = berth_arena_calloc(s->arena, vertices + 1, sizeof(int32_t));
  s->part_of = berth_arena_alloc(s->arena, devices * sizeof(int32_t));
  s->parts = berth_arena_calloc(s->arena, devices, sizeof(*s->parts));
  if (s->runs == NULL || s->item_of == NULL || s->part_of == NULL ||
      s->parts == NULL) {
    return false;
  }
  memset(s->part_of, 0xff, devices * sizeof(int32_t));
  mark_program(s, s->program);
  return true;
}

static void visit_all(splitter_t *s, berth_error_t *err) {
  enum { FIRST_EDGE = 3 };
  int number = FIRST_EDGE;
  s->edge = FIRST_EDGE + own_edges(s) + end_edges(s);
  for (int id = 0; !s->failed && id < s->node_count; ++id) {
    if (!s->runs[id]) continue;
    number = node_visit(s, berth_graph_get(s->graph, id), number, err);
  }
  feeds_visit(s);
  fetches_visit(s);
}

// Moves the partitions into |metadata|.
static bool graphs_store(splitter_t *s, Berth__Wire__RunMetadata *metadata) {
  metadata->partition_graphs = berth_arena_calloc(
      s->arena, (size_t)s->part_count + 1, sizeof(*metadata->partition_graphs));
  if (metadata->partition_graphs == NULL) return false;
  for (int i = 0; i < s->part_count; ++i) {
    Berth__Wire__GraphDef *graph =
        berth_message_new(&berth__wire__graph_def__descriptor, s->arena);
    Berth__Wire__VersionDef *versions =
        berth_message_new(&berth__wire__version_def__descriptor, s->arena);
    if (graph == NULL || versions == NULL ||
        !part_sort(s, &s->parts[i], graph)) {
      return false;
    }
    versions->producer = s->graph->producer;
    versions->min_consumer = s->graph->min_consumer;
    graph->versions = versions;
    metadata->partition_graphs[metadata->n_partition_graphs++] = graph;
  }
  return true;
}

berth_code_t berth_partitions_make(const berth_session_t *session,
                                   const berth_program_t *program,
                                   berth_arena_t *arena,
                                   Berth__Wire__RunMetadata *metadata,
                                   berth_error_t *err) {
  splitter_t s = {.session = session,
                  .program = program,
                  .graph = session->graph,
                  .arena = arena,
                  .node_count = berth_graph_node_count(session->graph),
                  .feed_count = program->signature.feed_count,
                  .fetch_count = program->signature.fetch_count};
  bool ok = splitter_init(&s);
  if (ok) {
    visit_all(&s, err);
    ok = !s.failed && graphs_store(&s, metadata);
  }
  for (int i = 0; i < s.part_count; ++i) berth_free(s.parts[i].items);
  berth_free(s.crossings);
  return ok ? BERTH_OK : berth_error_no_memory(err, "partition graphs");
}
