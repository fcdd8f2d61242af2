// metadata.h - What a run tells about itself: RunMetadata.
#ifndef BERTH_RUNTIME_METADATA_H_
#define BERTH_RUNTIME_METADATA_H_

#include "runtime/session_internal.h"

// Writes a serialised RunMetadata to where |run| wants it: step stats from
// |trace| when the run was traced, and the graphs of each device when those
// were asked for.
BERTH_NODISCARD berth_code_t berth_metadata_write(
    berth_session_t *session, const berth_program_t *program,
    const berth_run_t *run, const berth_trace_t *trace, berth_error_t *err);

#endif  // BERTH_RUNTIME_METADATA_H_
