// replay.h - Ranges of steps that were recorded, and are replayed.
//
// The second run of a range records it; later ones replay a recording that was
// made with the very same addresses and settings. A range keeps a few: a
// variable that is updated into another memory comes back to the first.
// Recordings that are never replayed are made less and less often. Copies of
// values that lie elsewhere in every run (steady.h) are told their addresses
// whenever they are replayed.
//
// Threads: as the frame they belong to, one at a time.
#ifndef BERTH_EXEC_REPLAY_H_
#define BERTH_EXEC_REPLAY_H_

#include "exec/lanes.h"

typedef struct berth_runner berth_runner_t;
typedef struct berth_replays berth_replays_t;  // Of all ranges of a layout.

// Makes room for the recordings of |layout|, which has lanes; NULL when memory
// is short.
berth_replays_t *berth_replays_create(const berth_layout_t *layout);

// Nothing may be under way. NULL is fine.
void berth_replays_destroy(berth_replays_t *replays);

// Queues range |index| on |stream|, from a recording where there is one that
// fits. |call| is for its steps.
BERTH_NODISCARD berth_code_t berth_range_run(berth_runner_t *runner,
                                             berth_replays_t *replays,
                                             int index, berth_stream_t *stream,
                                             berth_call_t *call);

// Returns how often ranges were replayed.
int64_t berth_replays_count(const berth_replays_t *replays);

#endif  // BERTH_EXEC_REPLAY_H_
