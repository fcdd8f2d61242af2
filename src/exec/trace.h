// trace.h - What ran when.
//
// A trace collects one record per step that ran, in the order they ended, for
// run metadata and timelines.
//
// Threads: one run writes it, from one thread.
#ifndef BERTH_EXEC_TRACE_H_
#define BERTH_EXEC_TRACE_H_

#include "exec/step.h"

typedef struct berth_trace_record {
  const berth_node_t *node;
  int16_t device;
  int64_t bytes;             // Of the outputs that were made for it.
  int64_t begin_ns, end_ns;  // berth_now_ns().
} berth_trace_record_t;

// Zeroed is empty and valid.
typedef struct berth_trace {
  berth_trace_record_t *records;
  size_t count, capacity;
  bool failed;  // Records were lost for lack of memory.
} berth_trace_t;

// Records that |step| ran; and frees all records.
void berth_trace_step(berth_trace_t *trace, const berth_step_t *step,
                      int64_t bytes, int64_t begin_ns, int64_t end_ns);
void berth_trace_clear(berth_trace_t *trace);

#endif  // BERTH_EXEC_TRACE_H_
