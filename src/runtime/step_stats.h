// step_stats.h - The times of a run as a StepStats message.
#ifndef BERTH_RUNTIME_STEP_STATS_H_
#define BERTH_RUNTIME_STEP_STATS_H_

#include "runtime/session_internal.h"
#include "wire/run.pb-c.h"

// Makes a StepStats in |arena|: one entry per device that ran something, each
// node once, in the order of their beginnings; feeds and fetches as the nodes
// `_arg_…` and `_retval_…` that TensorFlow shows for them.
BERTH_NODISCARD berth_code_t berth_step_stats_make(
    const berth_session_t *session, const berth_program_t *program,
    const berth_trace_t *trace, berth_arena_t *arena,
    Berth__Wire__StepStats **out_stats, berth_error_t *err);

#endif  // BERTH_RUNTIME_STEP_STATS_H_
