// settle.h - Values that are known before anything runs.
//
// Constants, the handles of variables and queues, and whatever depends on
// nothing but such values: computed once, when a program is made, on the device
// where it was placed. Nothing is folded away: the node keeps its place and its
// line in the log.
#ifndef BERTH_EXEC_SETTLE_H_
#define BERTH_EXEC_SETTLE_H_

#include "exec/program.h"

// Settles the outputs of |step|, whose |slots| are its inputs and outputs, if
// that is possible; |*out_done| says whether. Fails with what the kernel fails
// with, or when |watch| says so.
BERTH_NODISCARD berth_code_t berth_settle(berth_program_t *program,
                                          berth_step_t *step,
                                          const int32_t *slots,
                                          berth_watch_t *watch, bool *out_done,
                                          berth_error_t *err);

// Runs a settled step once more and forgets the result, so that a trace has an
// honest time for it.
BERTH_NODISCARD berth_code_t berth_settle_again(berth_program_t *program,
                                                berth_step_t *step,
                                                const atomic_int *cancelled,
                                                berth_error_t *err);

#endif  // BERTH_EXEC_SETTLE_H_
