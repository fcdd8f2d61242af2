// step_stats.c - The times of a run as a StepStats message.
//
// Records carry nanoseconds of a clock that never goes back; the message wants
// microseconds since 1970 and offsets from them. One look at both clocks gives
// the difference.
//
// TensorFlow shows the nodes of its partition graphs: what comes from another
// device comes from a _Recv there. Labels are read off the same graphs.
#include "runtime/step_stats.h"

#include <stdlib.h>

#include "base/clock.h"
#include "runtime/end_name.h"
#include "runtime/partition.h"
#include "wire/message.h"

typedef Berth__Wire__NodeExecStats node_stats_t;
typedef Berth__Wire__DeviceStepStats device_stats_t;

typedef struct maker {
  const berth_session_t *session;
  const berth_program_t *program;
  berth_arena_t *arena;
  int64_t wall_minus_clock_us;
  uint32_t thread_id;
  device_stats_t **devices;      // By device; NULL: nothing ran there.
  size_t *room;                  // By device: node entries.
  Berth__Wire__NodeDef **nodes;  // Of all partitions, by name.
  size_t node_count;
} maker_t;

static char *keep(maker_t *m, berth_str_t *str) {
  char *text = berth_str_ok(str) ? berth_arena_strndup(
                                       m->arena, berth_str_get(str), str->size)
                                 : NULL;
  berth_str_clear(str);
  return text;
}

// Adds a node of |device|; NULL when memory is short.
static node_stats_t *node_add(maker_t *m, int device, char *name, char *label) {
  device_stats_t *stats = m->devices[device];
  if (stats == NULL) {
    stats = berth_message_new(&berth__wire__device_step_stats__descriptor,
                              m->arena);
    if (stats == NULL) return NULL;
    stats->device = (char *)(uintptr_t)m->session->devices.exec[device].name;
    stats->node_stats = berth_arena_calloc(m->arena, m->room[device],
                                           sizeof(*stats->node_stats));
    if (stats->node_stats == NULL) return NULL;
    m->devices[device] = stats;
  }
  node_stats_t *node =
      berth_message_new(&berth__wire__node_exec_stats__descriptor, m->arena);
  if (node == NULL || name == NULL || label == NULL) return NULL;
  node->node_name = name;
  node->timeline_label = label;
  node->thread_id = m->thread_id;
  stats->node_stats[stats->n_node_stats++] = node;
  return node;
}

static void set_times(const maker_t *m, node_stats_t *node, int64_t begin_ns,
                      int64_t end_ns) {
  int64_t took = end_ns - begin_ns;
  node->all_start_nanos = begin_ns + m->wall_minus_clock_us * 1000;
  node->all_start_micros = node->all_start_nanos / 1000;
  node->scheduled_nanos = node->all_start_nanos;
  node->scheduled_micros = node->all_start_micros;
  node->op_end_rel_nanos = took;
  node->all_end_rel_nanos = took;
  node->op_end_rel_micros = took / 1000;
  node->all_end_rel_micros = took / 1000;
}

static int compare_names(const void *a, const void *b) {
  return strcmp((*(Berth__Wire__NodeDef *const *)a)->name,
                (*(Berth__Wire__NodeDef *const *)b)->name);
}

// Lists the nodes of the partition graphs.
static berth_code_t find_nodes(maker_t *m, berth_error_t *err) {
  Berth__Wire__RunMetadata drawn = BERTH__WIRE__RUN_METADATA__INIT;
  BERTH_TRY(
      berth_partitions_make(m->session, m->program, m->arena, &drawn, err));
  size_t count = 0;
  for (size_t i = 0; i < drawn.n_partition_graphs; ++i) {
    count += drawn.partition_graphs[i]->n_node;
  }
  m->nodes = berth_arena_calloc(m->arena, count + 1, sizeof(*m->nodes));
  if (m->nodes == NULL) return berth_error_no_memory(err, "step stats");
  for (size_t i = 0; i < drawn.n_partition_graphs; ++i) {
    const Berth__Wire__GraphDef *graph = drawn.partition_graphs[i];
    for (size_t n = 0; n < graph->n_node; ++n) {
      m->nodes[m->node_count++] = graph->node[n];
    }
  }
  qsort(m->nodes, m->node_count, sizeof(*m->nodes), compare_names);
  return BERTH_OK;
}

// Returns the node |name| of a partition; NULL for a step of the executor's own.
static const Berth__Wire__NodeDef *node_find(const maker_t *m,
                                             const char *name) {
  Berth__Wire__NodeDef key = {.name = (char *)(uintptr_t)name}, *wanted = &key;
  Berth__Wire__NodeDef **found = bsearch(&wanted, m->nodes, m->node_count,
                                         sizeof(*m->nodes), compare_names);
  return found != NULL ? *found : NULL;
}

// Returns `name = Op(input, input:1)`, with |note| behind it.
static char *noted_label(maker_t *m, const char *name, const char *op,
                         const char *note, const char *other) {
  if (name == NULL) return NULL;
  const Berth__Wire__NodeDef *found = node_find(m, name);
  berth_str_t str = {0};
  berth_str_printf(&str, "%s = %s(", name, op);
  for (size_t i = 0; found != NULL && i < found->n_input; ++i) {
    berth_str_printf(&str, "%s%s", i > 0 ? ", " : "", found->input[i]);
  }
  berth_str_putc(&str, ')');
  if (note != NULL) berth_str_printf(&str, " [%s %s]", note, other);
  return keep(m, &str);
}

static char *node_label(maker_t *m, char *name, const char *op) {
  return noted_label(m, name, op, NULL, NULL);
}

// True when |input|, `name` or `name:1`, is made by one of |parts|.
static bool is_made_by(const char *input, const berth_node_t *const *parts,
                       int count) {
  size_t size = strcspn(input, ":");
  for (int i = 0; i < count; ++i) {
    if (strncmp(parts[i]->name, input, size) == 0 &&
        parts[i]->name[size] == '\0') {
      return true;
    }
  }
  return false;
}

// Returns `name = Op+Op(input, input)` for what several nodes are done as.
static char *parts_label(maker_t *m, const berth_trace_record_t *record) {
  berth_str_t str = {0};
  berth_str_printf(&str, "%s = ", record->node->name);
  berth_trace_name_print(record->parts, record->part_count, &str);
  berth_str_putc(&str, '(');
  bool is_first = true;
  for (int p = 0; p < record->part_count; ++p) {
    const Berth__Wire__NodeDef *found = node_find(m, record->parts[p]->name);
    for (size_t i = 0; found != NULL && i < found->n_input; ++i) {
      if (is_made_by(found->input[i], record->parts, p)) continue;
      berth_str_printf(&str, "%s%s", is_first ? "" : ", ", found->input[i]);
      is_first = false;
    }
  }
  berth_str_putc(&str, ')');
  return keep(m, &str);
}

// Returns what TensorFlow calls the allocator of |device|.
static char *allocator_name(maker_t *m, int device) {
  const berth_device_t *own = m->session->devices.exec[device].device;
  berth_str_t str = {0};
  if (own == NULL) {
    berth_str_puts(&str, "cpu");
  } else {
    berth_str_printf(&str, "%s_%d_bfc", berth_device_type(own),
                     (int)own->parsed.id);
  }
  return keep(m, &str);
}

// Says that |bytes| were allocated on |device|.
static bool memory_add(maker_t *m, int device, int64_t bytes,
                       node_stats_t *stats) {
  if (bytes == 0) return true;
  Berth__Wire__AllocatorMemoryUsed *used = berth_message_new(
      &berth__wire__allocator_memory_used__descriptor, m->arena);
  stats->memory = berth_arena_calloc(m->arena, 1, sizeof(*stats->memory));
  if (used == NULL || stats->memory == NULL) return false;
  used->allocator_name = allocator_name(m, device);
  used->total_bytes = used->peak_bytes = bytes;
  stats->memory[stats->n_memory++] = used;
  return used->allocator_name != NULL;
}

// Describes an output of |dtype|.
static Berth__Wire__NodeOutput *output_make(maker_t *m, int device, int slot,
                                            berth_dtype_t dtype) {
  Berth__Wire__NodeOutput *output =
      berth_message_new(&berth__wire__node_output__descriptor, m->arena);
  Berth__Wire__TensorDescription *tensor =
      berth_message_new(&berth__wire__tensor_description__descriptor, m->arena);
  Berth__Wire__AllocationDescription *allocation = berth_message_new(
      &berth__wire__allocation_description__descriptor, m->arena);
  if (output == NULL || tensor == NULL || allocation == NULL) return NULL;
  allocation->allocator_name = allocator_name(m, device);
  if (allocation->allocator_name == NULL) return NULL;
  tensor->dtype = (Berth__Wire__DataType)berth_dtype_base(dtype);
  tensor->allocation_description = allocation;
  output->slot = slot;
  output->tensor_description = tensor;
  return output;
}

static bool outputs_add(maker_t *m, int device, const berth_dtype_t *dtypes,
                        size_t count, node_stats_t *stats) {
  stats->output = berth_arena_calloc(m->arena, count, sizeof(*stats->output));
  if (stats->output == NULL) return false;
  for (size_t i = 0; i < count; ++i) {
    stats->output[i] = output_make(m, device, (int)i, dtypes[i]);
    if (stats->output[i] == NULL) return false;
    ++stats->n_output;
  }
  return true;
}

// Returns `name = Op()`.
static char *bare_label(maker_t *m, const char *name, const char *op) {
  if (name == NULL) return NULL;
  berth_str_t str = {0};
  berth_str_printf(&str, "%s = %s()", name, op);
  return keep(m, &str);
}

// Adds |node|, which is no step by itself: it took no time of its own.
static bool other_add(maker_t *m, const berth_node_t *node, int device,
                      const char *note, const char *other, int64_t at_ns) {
  char *name = berth_arena_strndup(m->arena, node->name, strlen(node->name));
  node_stats_t *stats = node_add(
      m, device, name, noted_label(m, name, node->op->name, note, other));
  if (stats == NULL) return false;
  set_times(m, stats, at_ns, at_ns);
  return outputs_add(m, device, node->output_types, (size_t)node->output_count,
                     stats);
}

// Adds the nodes that were done as one with that of |record|.
static bool parts_add(maker_t *m, const berth_trace_record_t *record) {
  for (int i = 0; i < record->part_count - 1; ++i) {
    if (!other_add(m, record->parts[i], record->device, "done by",
                   record->node->name, record->begin_ns)) {
      return false;
    }
  }
  return true;
}

// Adds the nodes that had the outputs of another, where that one ran.
static bool twins_add(maker_t *m, const berth_trace_t *trace) {
  const berth_program_t *p = m->program;
  const berth_graph_t *graph = p->host->graph;
  if (p->twin_count == 0) return true;
  size_t nodes = (size_t)berth_graph_node_count(graph);
  int64_t *ends = berth_arena_calloc(m->arena, nodes, sizeof(*ends));
  if (ends == NULL) return false;
  for (size_t i = 0; i < trace->count; ++i) {
    const berth_trace_record_t *record = &trace->records[i];
    if (record->node->id >= 0) ends[record->node->id] = record->end_ns;
    for (int k = 0; k < record->part_count; ++k) {
      ends[record->parts[k]->id] = record->end_ns;
    }
  }
  for (int i = 0; i < p->twin_count; ++i) {
    const berth_twin_t *twin = &p->twins[i];
    if (ends[twin->of] == 0) continue;
    if (!other_add(m, berth_graph_get(graph, twin->node), twin->device,
                   "same as", berth_graph_get(graph, twin->of)->name,
                   ends[twin->of])) {
      return false;
    }
  }
  return true;
}

static bool record_add(maker_t *m, const berth_trace_record_t *record) {
  const berth_node_t *node = record->node;
  char *name = berth_arena_strndup(m->arena, node->name, strlen(node->name));
  const char *op = node->op->name;
  // A copy has the name of whom it is for, and none of its inputs.
  char *label = node->id < 0            ? bare_label(m, name, op)
                : record->parts != NULL ? parts_label(m, record)
                                        : node_label(m, name, op);
  node_stats_t *stats = node_add(m, record->device, name, label);
  if (stats == NULL) return false;
  set_times(m, stats, record->begin_ns, record->end_ns);
  return memory_add(m, record->device, record->bytes, stats) &&
         outputs_add(m, record->device, node->output_types,
                     (size_t)node->output_count, stats);
}

// Adds the nodes that stand for feeds, at the beginning of the run.
static bool feeds_add(maker_t *m, int64_t at_ns) {
  const berth_signature_t *signature = &m->program->signature;
  for (int i = 0; i < signature->feed_count; ++i) {
    berth_out_t feed = signature->feeds[i];
    berth_str_t str = {0};
    berth_end_name_print(m->program, feed, &str);
    char *name = keep(m, &str);
    node_stats_t *stats = node_add(m, 0, name, node_label(m, name, "_Arg"));
    if (stats == NULL) return false;
    set_times(m, stats, at_ns, at_ns);
    const berth_node_t *node = berth_graph_get(m->session->graph, feed.node);
    if (!outputs_add(m, 0, &node->output_types[feed.index], 1, stats)) {
      return false;
    }
  }
  return true;
}

// Adds the nodes that stand for fetches, at its end.
static bool fetches_add(maker_t *m, int64_t at_ns) {
  const berth_signature_t *signature = &m->program->signature;
  for (int i = 0; i < signature->fetch_count; ++i) {
    berth_str_t str = {0};
    berth_end_name_print_retval(m->program, i, &str);
    char *name = keep(m, &str);
    node_stats_t *stats = node_add(m, 0, name, node_label(m, name, "_Retval"));
    if (stats == NULL) return false;
    set_times(m, stats, at_ns, at_ns);
  }
  return true;
}

static int compare_begins(const void *a, const void *b) {
  const node_stats_t *x = *(node_stats_t *const *)a;
  const node_stats_t *y = *(node_stats_t *const *)b;
  if (x->all_start_nanos != y->all_start_nanos) {
    return x->all_start_nanos < y->all_start_nanos ? -1 : 1;
  }
  return x->all_end_rel_nanos < y->all_end_rel_nanos   ? -1
         : x->all_end_rel_nanos > y->all_end_rel_nanos ? 1
                                                       : 0;
}

static bool maker_init(maker_t *m, const berth_trace_t *trace) {
  size_t devices = (size_t)m->session->devices.count;
  m->devices = berth_arena_calloc(m->arena, devices, sizeof(*m->devices));
  m->room = berth_arena_calloc(m->arena, devices, sizeof(*m->room));
  if (m->devices == NULL || m->room == NULL) return false;
  for (size_t i = 0; i < trace->count; ++i) {
    int parts = trace->records[i].part_count;
    m->room[trace->records[i].device] += parts > 0 ? (size_t)parts : 1;
  }
  for (int i = 0; i < m->program->twin_count; ++i) {
    ++m->room[m->program->twins[i].device];
  }
  const berth_signature_t *signature = &m->program->signature;
  m->room[0] += (size_t)(signature->feed_count + signature->fetch_count);
  m->wall_minus_clock_us = berth_wall_us() - berth_now_ns() / 1000;
  m->thread_id = (uint32_t)berth_thread_id();
  return true;
}

static bool stats_fill(maker_t *m, const berth_trace_t *trace) {
  int64_t now = berth_now_ns();
  int64_t begin = trace->count > 0 ? trace->records[0].begin_ns : now;
  int64_t end = begin;
  if (!feeds_add(m, begin)) return false;
  for (size_t i = 0; i < trace->count; ++i) {
    if (!parts_add(m, &trace->records[i]) ||
        !record_add(m, &trace->records[i])) {
      return false;
    }
    if (trace->records[i].end_ns > end) end = trace->records[i].end_ns;
  }
  return twins_add(m, trace) && fetches_add(m, end);
}

berth_code_t berth_step_stats_make(const berth_session_t *session,
                                   const berth_program_t *program,
                                   const berth_trace_t *trace,
                                   berth_arena_t *arena,
                                   Berth__Wire__StepStats **out_stats,
                                   berth_error_t *err) {
  maker_t m = {.session = session, .program = program, .arena = arena};
  Berth__Wire__StepStats *stats =
      berth_message_new(&berth__wire__step_stats__descriptor, arena);
  size_t devices = (size_t)session->devices.count;
  BERTH_TRY(find_nodes(&m, err));
  if (stats == NULL || trace->failed || !maker_init(&m, trace) ||
      !stats_fill(&m, trace)) {
    return berth_error_no_memory(err, "step stats");
  }
  stats->dev_stats =
      berth_arena_calloc(arena, devices, sizeof(*stats->dev_stats));
  if (stats->dev_stats == NULL) return berth_error_no_memory(err, "step stats");
  for (size_t i = 0; i < devices; ++i) {
    device_stats_t *device = m.devices[i];
    if (device == NULL) continue;
    qsort(device->node_stats, device->n_node_stats, sizeof(*device->node_stats),
          compare_begins);
    stats->dev_stats[stats->n_dev_stats++] = device;
  }
  *out_stats = stats;
  return BERTH_OK;
}
