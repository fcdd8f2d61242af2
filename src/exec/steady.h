// steady.h - Values of a block in a loop that stay where they are.
//
// A recording fits only the addresses it was made with (replay.h). What enters
// a block, what a step makes itself, what leaves the block or is kept lies
// elsewhere in every iteration. On a device small values of this kind are
// copied, to or from a place of the arena, by steps beside the recorded ones:
//
//   c ──> copy ──┐                       ┌──> copy ──> c
//   read ─> copy ┴─> [ Concat MatMul … ] ┴──> copy ──> write
//
// Large ones stay as they are: a copy would cost more than the launches. Copies
// wait until somebody reads one of them, so that many stand side by side: those
// are queued as one. Where a device can tell a recording where its copies go,
// they are part of it (replay.h).
#ifndef BERTH_EXEC_STEADY_H_
#define BERTH_EXEC_STEADY_H_

#include "device/stream.h"
#include "exec/layout.h"

// Adds such steps to |program|, a block in a loop whose uses and segments are
// not built yet. BERTH_RESOURCE_EXHAUSTED when memory is short.
BERTH_NODISCARD berth_code_t berth_steady_add(berth_program_t *program,
                                              berth_error_t *err);

// True when step |s| of |layout| is such a copy.
bool berth_steady_is(const berth_layout_t *layout, int32_t s);

// Stores the copy that step |s|, which is one, is with the addresses |args| of
// its frame; false when there is nothing to copy.
bool berth_steady_copy(const berth_layout_t *layout, void *const *args,
                       int32_t s, berth_near_copy_t *out);

// Returns how many steps of |layout| from |s| on, before |end|, are such copies on
// one stream that no event interrupts; 0: step |s| is none.
int32_t berth_steady_row(const berth_layout_t *layout, int32_t s, int32_t end);

// Queues the |count| of them from |s| on, with the addresses |args| of their
// frame, on |stream|.
BERTH_NODISCARD berth_code_t berth_steady_queue(const berth_layout_t *layout,
                                                void *const *args, int32_t s,
                                                int32_t count,
                                                berth_stream_t *stream,
                                                berth_error_t *err);

#endif  // BERTH_EXEC_STEADY_H_
