// told.h - Telling the history of memory what runs have in their arenas.
//
// An arena is one allocation for all values of a layout. A layout that runs
// while the history (memory/history.h) is on tells its plan once; every run of
// it then notes when it begins and ends to use an arena.
//
// Threads: as frames.
#ifndef BERTH_EXEC_TOLD_H_
#define BERTH_EXEC_TOLD_H_

#include "exec/frame.h"

// Notes that a run begins to use the arenas of |frame|. The history is on.
void berth_told_begin(berth_frame_t *frame);

// Notes that it no longer does, if that it does was noted.
void berth_told_end(berth_frame_t *frame);

// Returns the step with the largest value in arena |arena|; NULL: it has none.
const berth_step_t *berth_told_largest(const berth_layout_t *layout, int arena);

// Writes what arena |arena| is known as where memory is told of: by its largest
// value, "arena of conv1". Returns |name|.
enum { BERTH_TOLD_NAME = 1024 };
const char *berth_told_name(const berth_layout_t *layout, int arena,
                            char name[BERTH_TOLD_NAME]);

#endif  // BERTH_EXEC_TOLD_H_
