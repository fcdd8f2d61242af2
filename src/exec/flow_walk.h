// flow_walk.h - What a walk through conditionals and loops knows of values.
//
//   flow_run.c   goes from step to step and from mark to mark
//   flow_pass.c  rows of steps that only hand values on
//
// A walk belongs to a frame and stays with it from run to run. The tensors are
// the frame's; here is what else there is to know of them.
//
// Threads: those of a run.
#ifndef BERTH_EXEC_FLOW_WALK_H_
#define BERTH_EXEC_FLOW_WALK_H_

#include "base/assert.h"
#include "exec/flow.h"
#include "exec/run_internal.h"
#include "exec/share.h"

// What a loop remembers while it runs.
typedef struct berth_walk_loop {
  bool has_next;  // Some NextIteration was live in this iteration.
  bool is_first;  // No iteration is over.
} berth_walk_loop_t;

// A step as the walk sees it.
typedef struct berth_walk_step {
  const int32_t *inputs, *outputs;  // Slots.
  const int32_t *controls;          // Steps that it waits for.
  int32_t input_count, output_count, control_count;
  uint8_t kind;      // berth_flow_kind_t.
  bool tells_which;  // A Merge that somebody asks which input it has taken.
} berth_walk_step_t;

// A step that only hands a value on, and waits for nothing but its inputs.
typedef struct berth_walk_pass {
  int32_t from[2];  // Of a Switch: the value, and which way it goes.
  int32_t to[2];
  int32_t loop;  // Of a NextIteration.
  uint8_t how;   // flow_pass.c.
} berth_walk_pass_t;

// A slot as the walk sees it.
typedef struct berth_walk_slot {
  int32_t reads;    // By so many steps.
  bool is_dead;     // It has no value.
  bool is_passing;  // Its value goes with its last reader.
  bool is_own;      // A block has made its value, and nobody else sees it.
} berth_walk_slot_t;

// A walk, and what stays from one run of a frame to the next.
struct berth_flow_walk {
  berth_runner_t *r;
  const berth_program_t *program;
  const berth_flow_t *flow;
  berth_frame_t *frame;
  berth_trace_t *trace;       // Of the run, or NULL.
  berth_tensor_t **tensors;   // The frame's, by slot.
  void **data;                // The frame's, by slot.
  int32_t *reads_left;        // The frame's, by slot.
  berth_walk_step_t *steps;   // By step.
  berth_walk_pass_t *passes;  // By step.
  berth_walk_slot_t *slots;   // By slot.
  bool *is_step_dead;
  bool *is_busy;  // By space: something is queued that was not waited for.
  berth_share_t *shares;  // By slot: of what variable its value is the memory.
  berth_walk_loop_t *loops;
  berth_frame_t **kept;     // By block: the frame of this run, or NULL.
  berth_block_call_t call;  // Of a block that is run: room for the largest.
  berth_flow_open_t *open;  // Steps that others have to join.
  int until_look;
};

// Says that |slot| has no value, and lets go of the one it had.
static inline void berth_walk_kill(berth_flow_walk_t *w, int32_t slot) {
  w->slots[slot].is_dead = true;
  if (w->tensors[slot] == NULL || w->program->settled[slot] != NULL) return;
  berth_tensor_release(w->tensors[slot]);
  w->tensors[slot] = NULL;
}

// Says that step |s| is dead, and so is what it makes.
static inline void berth_walk_kill_step(berth_flow_walk_t *w, int s) {
  const berth_walk_step_t *step = &w->steps[s];
  w->is_step_dead[s] = true;
  for (int i = 0; i < step->output_count; ++i) {
    berth_walk_kill(w, step->outputs[i]);
  }
}

// Says that |slot| has a value that nobody has read.
static inline void berth_walk_revive(berth_flow_walk_t *w, int32_t slot) {
  w->slots[slot].is_dead = false;
  w->reads_left[slot] = w->slots[slot].reads;
}

// Notes that |slot| was read, and lets go of its value if nobody else will.
static inline void berth_walk_read(berth_flow_walk_t *w, int32_t slot) {
  if (!w->slots[slot].is_passing || --w->reads_left[slot] > 0) return;
  berth_tensor_t *value = w->tensors[slot];
  w->tensors[slot] = NULL;
  if (value != NULL) berth_tensor_release(value);
}

// flow_pass.c: finds how step |s| is done in a row; its |steps| entry is filled in.
void berth_walk_pass_find(berth_flow_walk_t *w, int s);

// Does the steps [s, end) as long as they only hand values on and that is
// simple: no value may be shared, nobody traces, and no update is to be made.
// Returns the first that is not done; nothing was done of it.
int berth_walk_pass(berth_flow_walk_t *w, int s, int end);

#endif  // BERTH_EXEC_FLOW_WALK_H_
