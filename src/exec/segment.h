// segment.h - Cutting a program where a step may have to wait.
//
// Each step has the set of blocking steps it depends on, directly or not. Steps
// with the same set form a segment: within it nothing waits, so it runs from
// beginning to end on one thread. A segment is ready when the blocking steps of
// its set are done and so are the segments that make its inputs.
//
// That cannot deadlock where running step by step would not: a segment waits
// only for blocking steps that each of its own steps depends on anyway.
//
// Without blocking steps there is one segment, and this costs nothing.
#ifndef BERTH_EXEC_SEGMENT_H_
#define BERTH_EXEC_SEGMENT_H_

#include "exec/program.h"

// Fills |program|'s segments and blockers and puts its steps into segment
// order. Before uses are built.
BERTH_NODISCARD berth_code_t berth_segments_build(berth_program_t *program,
                                                  berth_error_t *err);

#endif  // BERTH_EXEC_SEGMENT_H_
