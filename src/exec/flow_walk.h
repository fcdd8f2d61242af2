// flow_walk.h - What a walk through conditionals and loops knows of values.
//
//   flow_run.c   goes from step to step and from mark to mark
//   flow_pass.c  rows of steps that only hand values on
//   flow_lean.c  blocks that are a few kernels, between these
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

// Whose a value is (berth_walk_slot_t.home), where it is not that of a slot.
enum {
  BERTH_HOME_NONE = -1,    // A block has made it; nobody else sees it.
  BERTH_HOME_OTHERS = -2,  // Others may.
};

// A slot as the walk sees it.
typedef struct berth_walk_slot {
  berth_tensor_t **tensor;  // The frame's, which stay where they are.
  void **data;
  int32_t *reads_left;
  int32_t reads;    // By so many steps.
  int32_t home;     // The slot that it was made for and may be used for again.
  bool is_dead;     // It has no value.
  bool is_passing;  // Its value goes with its last reader.
} berth_walk_slot_t;

// A step that only hands a value on, and waits for nothing but its inputs; or a
// block.
typedef struct berth_walk_pass {
  berth_walk_slot_t *from[2];  // Of a Switch: the value, and where it goes.
  berth_walk_slot_t *to[2];
  int32_t of;     // The loop of a NextIteration; which block.
  uint8_t how;    // flow_pass.c.
  bool is_alone;  // Nobody else reads |from[0]|, or of a Merge either.
} berth_walk_pass_t;

typedef struct berth_walk_lean berth_walk_lean_t;  // flow_lean.c

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
  berth_walk_lean_t *leans;  // By block.
  bool has_leans;            // Some were written down in this run.
  berth_tensor_t **spares;   // By slot: what its next value may be put into.
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

// True when nobody but who asks holds |value| or its memory.
static inline bool berth_walk_is_sole(const berth_tensor_t *value) {
  return atomic_load_explicit(&value->refs, memory_order_acquire) == 1 &&
         berth_buffer_is_exclusive(value->buffer);
}

// Lets go of |value|, whose home is |home|. A small one that only the walk has
// seen stays for the next turn.
static inline void berth_walk_let_go(berth_flow_walk_t *w, int32_t home,
                                     berth_tensor_t *value) {
  if (home >= 0 && w->spares[home] == NULL && berth_walk_is_sole(value)) {
    w->spares[home] = value;
  } else {
    berth_tensor_release(value);
  }
}

// Notes that |slot| was read, and lets go of its value if nobody else will.
static inline void berth_walk_read(berth_flow_walk_t *w,
                                   const berth_walk_slot_t *slot) {
  if (!slot->is_passing || --*slot->reads_left > 0) return;
  berth_tensor_t *value = *slot->tensor;
  *slot->tensor = NULL;
  if (value != NULL) berth_walk_let_go(w, slot->home, value);
}

// True when the block that reads |slot| now may do what it likes with its memory.
static inline bool berth_walk_is_given(const berth_flow_walk_t *w,
                                       const berth_walk_slot_t *slot) {
  return slot->home != BERTH_HOME_OTHERS && slot->is_passing &&
         *slot->reads_left == 1 && !w->flow->has_shares &&
         berth_walk_is_sole(*slot->tensor);
}

// flow_pass.c: finds how step |s| is done in a row; its |steps| entry and all of
// |slots| are filled in.
void berth_walk_pass_find(berth_flow_walk_t *w, int s);

// Does the steps [*s, end) as long as they only hand values on, or are lean
// blocks, and that is simple: no value may be shared, nobody traces, and no
// update is to be made. Stops too when a look is due. Sets |*s| to the first
// that is not done; nothing was done of it, unless this fails.
BERTH_NODISCARD berth_code_t berth_walk_pass(berth_flow_walk_t *w, int *s,
                                             int end, berth_error_t *err);

// flow_lean.c: makes what |w| knows of its blocks; false when memory is short.
bool berth_walk_leans_create(berth_flow_walk_t *w);
void berth_walk_leans_destroy(berth_flow_walk_t *w);

// Forgets the frame of |block|, which has another one now.
void berth_walk_lean_forget(berth_flow_walk_t *w, int32_t block);

// Forgets the frames of a run that is over, and lets go of what stayed for the
// next turn.
void berth_walk_leans_forget(berth_flow_walk_t *w);

// Runs |block|, step |s|, which has a frame, if that is lean, and what it needs is
// there; |*out_done| is set if so, and nothing was done otherwise. Fails as
// berth_block_run().
BERTH_NODISCARD berth_code_t berth_walk_lean(berth_flow_walk_t *w, int s,
                                             int32_t block, bool *out_done,
                                             berth_error_t *err);

#endif  // BERTH_EXEC_FLOW_WALK_H_
