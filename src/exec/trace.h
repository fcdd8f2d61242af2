// trace.h - What ran when.
//
// A trace collects one record per step that ran, in the order they ended, for
// run metadata and timelines.
//
// Threads: one run writes it, from one thread.
#ifndef BERTH_EXEC_TRACE_H_
#define BERTH_EXEC_TRACE_H_

#include "base/arena.h"
#include "base/str.h"
#include "exec/step.h"

typedef struct berth_layout berth_layout_t;

typedef struct berth_trace_record {
  const berth_node_t *node;
  int16_t device;
  int64_t bytes;             // Of the outputs that were made for it.
  int64_t begin_ns, end_ns;  // berth_now_ns().
  // All nodes that were done as one with it (fuse.h), itself the last; in the
  // trace's arena. They have no records. NULL: it was done alone.
  const berth_node_t *const *parts;
  int32_t part_count;
} berth_trace_record_t;

// Zeroed is empty and valid.
typedef struct berth_trace {
  berth_trace_record_t *records;
  size_t count, capacity;
  berth_arena_t arena;
  bool failed;  // Records were lost for lack of memory.
} berth_trace_t;

// Records that |step| ran, by itself.
void berth_trace_step(berth_trace_t *trace, const berth_step_t *step,
                      int64_t bytes, int64_t begin_ns, int64_t end_ns);

// Records that step |s| of |layout| ran; unless it |was_late|, the last of a
// group for all of them, and the others not at all.
void berth_trace_layout_step(berth_trace_t *trace, const berth_layout_t *layout,
                             int s, bool was_late, int64_t begin_ns,
                             int64_t end_ns);

// Appends what a step is called that does |nodes|, in this order: their ops,
// `Conv2D+BiasAdd+Relu`, the first few and the last of many.
void berth_trace_name_print(const berth_node_t *const *nodes, int count,
                            berth_str_t *str);

// Frees all records.
void berth_trace_clear(berth_trace_t *trace);

#endif  // BERTH_EXEC_TRACE_H_
