// share.h - Values that stand in the memory of a variable.
//
// In TensorFlow nobody copies what is read through a reference. An Identity, a
// Switch or a Reshape hands the variable's own memory on, and whoever uses that
// after an update sees what the variable holds by then. Here a value never
// changes (state/variable.h), so that it has to be read once more.
//
//   v ──> read ──> Switch ──> Identity ──> use        read, Switch, Identity:
//   └───> RefSwitch ──> AssignAdd ┄┄┄┄┄┄┄┄┄┘          all of them share v
//
// Where there are no conditionals and loops the order of updates and uses is
// known in advance (build_value.c). Elsewhere the walk notes which slots share
// what, and renews them before they are used.
//
// Only memory that an update has kept is shared: an assignment of another
// number of elements gives a variable other memory, and what was read before it
// stays.
//
// Threads: as the frame that the slots are of.
#ifndef BERTH_EXEC_SHARE_H_
#define BERTH_EXEC_SHARE_H_

#include "exec/frame.h"
#include "state/variable.h"

// What the value of a slot shares.
typedef struct berth_share {
  // Borrowed; the session keeps the variables of its references. NULL: none.
  berth_variable_t *variable;
  berth_buffer_t *buffer;  // Of the value. Borrowed from it; for comparing.
  const char *base;        // Where the variable's elements begin in it.
  int64_t count;           // The variable's elements.
} berth_share_t;

// Returns what |value| shares that was just read from |variable|.
berth_share_t berth_share_of(berth_variable_t *variable,
                             const berth_tensor_t *value);

// Makes the value of |slot|, which shares |*share|, what the variable holds
// now, in the shape that it has.
BERTH_NODISCARD berth_code_t berth_share_renew(berth_share_t *share,
                                               berth_frame_t *frame,
                                               int32_t slot,
                                               berth_error_t *err);

// Says of every slot of |program|, which has a flow, whether its value may
// share something: what is read through a reference, and what hands that on.
void berth_shares_find(const berth_program_t *program, bool *may_share);

// Returns the slot of |program| that |slot| is handed on from, as it is or seen
// in another shape, by whatever steps do no more; |slot| if none does.
int32_t berth_share_source(const berth_program_t *program, int32_t slot);

// True when the output of |step| may be the memory of its input.
static inline bool berth_share_passes(const berth_step_t *step) {
  return (step->traits & (BERTH_OP_PASSES | BERTH_OP_VIEWS)) != 0;
}

#endif  // BERTH_EXEC_SHARE_H_
