// flow_part.h - A program with conditionals and loops that is fed in pieces.
//
// The caller serialises.
#ifndef BERTH_EXEC_FLOW_PART_H_
#define BERTH_EXEC_FLOW_PART_H_

#include "exec/run.h"

typedef struct berth_flow_part berth_flow_part_t;
struct berth_runner;

// Makes what a run in pieces knows of its steps; NULL when memory is short.
// |runner| is borrowed: it has a frame while anything is run.
berth_flow_part_t *berth_flow_part_create(struct berth_runner *runner);
// NULL is fine.
void berth_flow_part_destroy(berth_flow_part_t *part);

// Notes that |feed|, an index into the feeds, has come.
void berth_flow_part_feed(berth_flow_part_t *part, int feed);

// Runs what has all that it depends on and was not run before, and waits for
// what that has queued on devices.
BERTH_NODISCARD berth_code_t berth_flow_part_run(berth_flow_part_t *part,
                                                 berth_error_t *err);

// Checks that |fetch|, an index into the fetches, has a value.
// BERTH_INVALID_ARGUMENT when it is dead, BERTH_UNIMPLEMENTED when it comes out
// of a loop that other feeds hold up.
BERTH_NODISCARD berth_code_t berth_flow_part_check(
    const berth_flow_part_t *part, int fetch, berth_error_t *err);

// True when every step was run.
bool berth_flow_part_is_over(const berth_flow_part_t *part);

// Ends it, after |code|, before its frame is given back. NULL is fine.
void berth_flow_part_end(berth_flow_part_t *part, berth_code_t code);

#endif  // BERTH_EXEC_FLOW_PART_H_
