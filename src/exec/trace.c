// trace.c - What ran when.
#include "exec/trace.h"

#include "base/alloc.h"
#include "exec/copy.h"

void berth_trace_step(berth_trace_t *trace, const berth_step_t *step,
                      int64_t bytes, int64_t begin_ns, int64_t end_ns) {
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
  trace->records[trace->count++] =
      (berth_trace_record_t){step->node, step->device, bytes, begin_ns, end_ns};
}

void berth_trace_clear(berth_trace_t *trace) {
  berth_free(trace->records);
  *trace = (berth_trace_t){0};
}
