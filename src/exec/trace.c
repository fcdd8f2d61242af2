// trace.c - What ran when.
#include "exec/trace.h"

#include "base/alloc.h"
#include "exec/copy.h"
#include "exec/fuse.h"

enum { FEW_OPS = 8 };  // That the name of a step has at most.

static void record_add(berth_trace_t *trace, const berth_step_t *step,
                       berth_trace_record_t record) {
  // Reading a variable is part of its consumer; bringing a value to another
  // memory is work of its own.
  if (step->node->id < 0 && !berth_is_copy(step)) return;
  berth_trace_record_t *records = berth_grow(
      trace->records, trace->count, &trace->capacity, sizeof(*records));
  if (records == NULL) {
    trace->failed = true;
    return;
  }
  trace->records = records;
  record.node = step->node;
  record.device = step->device;
  trace->records[trace->count++] = record;
}

void berth_trace_step(berth_trace_t *trace, const berth_step_t *step,
                      int64_t bytes, int64_t begin_ns, int64_t end_ns) {
  record_add(trace, step,
             (berth_trace_record_t){
                 .bytes = bytes, .begin_ns = begin_ns, .end_ns = end_ns});
}

// Returns the nodes of |group|; NULL when memory is short.
static const berth_node_t *const *parts_keep(berth_trace_t *trace,
                                             const berth_step_t *steps,
                                             const berth_group_t *group) {
  size_t count = (size_t)group->step_count;
  const berth_node_t **parts =
      berth_arena_alloc(&trace->arena, count * sizeof(*parts));
  if (parts == NULL) {
    trace->failed = true;
    return NULL;
  }
  for (size_t i = 0; i < count; ++i) parts[i] = steps[group->steps[i]].node;
  return parts;
}

void berth_trace_layout_step(berth_trace_t *trace, const berth_layout_t *layout,
                             int s, bool was_late, int64_t begin_ns,
                             int64_t end_ns) {
  const berth_step_t *steps = layout->program->steps;
  const berth_group_t *group = was_late ? NULL : berth_group_of(layout, s);
  if (group != NULL && berth_group_runner(group) != s) return;
  berth_trace_record_t record = {.bytes = berth_layout_step_bytes(layout, s),
                                 .begin_ns = begin_ns,
                                 .end_ns = end_ns};
  if (group != NULL) {
    record.parts = parts_keep(trace, steps, group);
    record.part_count = group->step_count;
  }
  record_add(trace, &steps[s], record);
}

void berth_trace_name_print(const berth_node_t *const *nodes, int count,
                            berth_str_t *str) {
  for (int i = 0; i < count; ++i) {
    bool is_left_out = count > FEW_OPS && i >= FEW_OPS - 1 && i < count - 1;
    if (is_left_out && i > FEW_OPS - 1) continue;
    berth_str_printf(str, "%s%s", i > 0 ? "+" : "",
                     is_left_out ? "..." : nodes[i]->op->name);
  }
}

void berth_trace_clear(berth_trace_t *trace) {
  berth_free(trace->records);
  berth_arena_clear(&trace->arena);
  *trace = (berth_trace_t){0};
}
