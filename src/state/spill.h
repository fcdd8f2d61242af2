// spill.h - Variables that wait on the host while a GPU is full.
//
// With spilling on, an allocation that would be refused first moves variables
// that nobody uses just now to the host's memory. They come back when they are
// next read or updated:
//
//   variable ─> value on GPU:0            in use, or idle
//   variable ─> value on the host         |away_from| GPU:0
//
// Those go first that were not read since the time before; a variable that a
// run holds (its value has more than one reference) stays where it is.
//
// Threads: thread-safe. The list of all variables has a lock of its own, under
// which nothing is locked; a variable's lock is only tried, because who
// allocates may hold it.
#ifndef BERTH_STATE_SPILL_H_
#define BERTH_STATE_SPILL_H_

#include "berth/share.h"
#include "state/variable.h"

// Lists |variable|, and takes it off the list again.
void berth_spill_add(berth_variable_t *variable);
void berth_spill_remove(berth_variable_t *variable);

// Brings the value of |variable| back to where it was. BERTH_OK when it is
// there, or was never away; fails as the transfer does.
BERTH_NODISCARD berth_code_t berth_spill_return(berth_variable_t *variable,
                                                berth_error_t *err);

// Says that the value is replaced, and need not come back. The variable's lock
// is held.
void berth_spill_forget(berth_variable_t *variable);

// Returns how often memory was made so far, for |read_at| of a variable.
uint64_t berth_spill_clock(void);

#endif  // BERTH_STATE_SPILL_H_
