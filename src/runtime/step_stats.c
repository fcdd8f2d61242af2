// step_stats.c - The times of a run as a StepStats message.
//
// Records carry nanoseconds of a clock that never goes back; the message wants
// microseconds since 1970 and offsets from them. One look at both clocks gives
// the difference.
#include "runtime/step_stats.h"

#include <stdlib.h>

#include "base/clock.h"
#include "runtime/end_name.h"
#include "wire/message.h"

typedef Berth__Wire__NodeExecStats node_stats_t;
typedef Berth__Wire__DeviceStepStats device_stats_t;

typedef struct maker {
  const berth_session_t *session;
  const berth_program_t *program;
  berth_arena_t *arena;
  int64_t wall_minus_clock_us;
  uint32_t thread_id;
  device_stats_t **devices;  // By device; NULL: nothing ran there.
  size_t *room;              // By device: node entries.
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

// Returns `name = Op(input, input:1)`.
static char *node_label(maker_t *m, const berth_node_t *node) {
  berth_str_t str = {0};
  berth_str_printf(&str, "%s = %s(", node->name, node->op->name);
  // A step of the executor's own has no edges.
  for (int i = 0; node->inputs != NULL && i < node->input_count; ++i) {
    if (i > 0) berth_str_puts(&str, ", ");
    berth_end_name_print(m->program, node->inputs[i], &str);
  }
  berth_str_putc(&str, ')');
  return keep(m, &str);
}

// Describes output |index|: its type, and its shape where that is certain.
static Berth__Wire__NodeOutput *output_make(maker_t *m,
                                            const berth_node_t *node,
                                            int index) {
  Berth__Wire__NodeOutput *output =
      berth_message_new(&berth__wire__node_output__descriptor, m->arena);
  Berth__Wire__TensorDescription *tensor =
      berth_message_new(&berth__wire__tensor_description__descriptor, m->arena);
  Berth__Wire__AllocationDescription *allocation = berth_message_new(
      &berth__wire__allocation_description__descriptor, m->arena);
  if (output == NULL || tensor == NULL || allocation == NULL) return NULL;
  berth_dtype_t dtype = berth_dtype_base(node->output_types[index]);
  allocation->allocator_name = (char *)(uintptr_t) "cpu";
  tensor->dtype = (Berth__Wire__DataType)dtype;
  tensor->allocation_description = allocation;
  output->slot = index;
  output->tensor_description = tensor;
  return output;
}

static bool outputs_add(maker_t *m, const berth_node_t *node,
                        node_stats_t *stats) {
  size_t count = (size_t)node->output_count;
  stats->output = berth_arena_calloc(m->arena, count, sizeof(*stats->output));
  if (stats->output == NULL) return false;
  for (size_t i = 0; i < count; ++i) {
    stats->output[i] = output_make(m, node, (int)i);
    if (stats->output[i] == NULL) return false;
    ++stats->n_output;
  }
  return true;
}

static bool record_add(maker_t *m, const berth_trace_record_t *record) {
  const berth_node_t *node = record->node;
  char *name = berth_arena_strndup(m->arena, node->name, strlen(node->name));
  node_stats_t *stats = node_add(m, record->device, name, node_label(m, node));
  if (stats == NULL) return false;
  set_times(m, stats, record->begin_ns, record->end_ns);
  return outputs_add(m, node, stats);
}

// Adds the nodes that stand for feeds, at the beginning of the run.
static bool feeds_add(maker_t *m, int64_t at_ns) {
  const berth_signature_t *signature = &m->program->signature;
  for (int i = 0; i < signature->feed_count; ++i) {
    berth_str_t name = {0}, label = {0};
    berth_end_name_print(m->program, signature->feeds[i], &name);
    berth_str_printf(&label, "%s = _Arg()", berth_str_get(&name));
    node_stats_t *stats = node_add(m, 0, keep(m, &name), keep(m, &label));
    if (stats == NULL) return false;
    set_times(m, stats, at_ns, at_ns);
  }
  return true;
}

// Adds the nodes that stand for fetches, at its end.
static bool fetches_add(maker_t *m, int64_t at_ns) {
  const berth_signature_t *signature = &m->program->signature;
  for (int i = 0; i < signature->fetch_count; ++i) {
    berth_str_t name = {0}, label = {0};
    berth_end_name_print_retval(m->program, i, &name);
    berth_str_printf(&label, "%s = _Retval(", berth_str_get(&name));
    berth_end_name_print(m->program, signature->fetches[i], &label);
    berth_str_putc(&label, ')');
    node_stats_t *stats = node_add(m, 0, keep(m, &name), keep(m, &label));
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
    ++m->room[trace->records[i].device];
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
    if (!record_add(m, &trace->records[i])) return false;
    if (trace->records[i].end_ns > end) end = trace->records[i].end_ns;
  }
  return fetches_add(m, end);
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
