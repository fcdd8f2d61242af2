// issue.h - What a run needs to queue its steps on devices.
//
// Belongs to a frame: the events of its layout (lanes.h) and what was recorded
// of it (replay.h). A run marks the end of what it has queued on every stream,
// and waits for these marks: what others queue is no business of its own.
//
// Threads: as the frame, one at a time.
#ifndef BERTH_EXEC_ISSUE_H_
#define BERTH_EXEC_ISSUE_H_

#include "exec/frame.h"

typedef struct berth_issue berth_issue_t;
typedef struct berth_replays berth_replays_t;
typedef struct berth_runner berth_runner_t;

// Whatever queues fails with what the device's stream operations fail with
// (device/stream.h), BERTH_INTERNAL after a fault of the card.

// Creates the queue of a frame of |layout|, which has lanes: events, and
// nothing recorded yet. The devices were started.
BERTH_NODISCARD berth_code_t berth_issue_create(berth_layout_t *layout,
                                                berth_issue_t **out_queue,
                                                berth_error_t *err);

// Nothing may be under way. NULL is fine.
void berth_issue_destroy(berth_issue_t *queue);

// Makes the devices ready for a run of |frame|, which has a queue; the run
// holds their gates (I6). What may still be under way in memory that is fresh,
// or in what is fed, comes first on every stream.
BERTH_NODISCARD berth_code_t berth_issue_begin(berth_frame_t *frame,
                                               berth_error_t *err);

// Returns what was recorded. Borrowed.
const berth_replays_t *berth_issue_replays(const berth_issue_t *queue);

// Runs the steps [begin, end) of |runner|, whose frame has a queue: those of
// devices are queued when this returns, those of the host done. Fails as
// berth_runner_steps() does, with the node named.
BERTH_NODISCARD berth_code_t berth_issue_steps(berth_runner_t *runner,
                                               int begin, int end,
                                               berth_error_t *err);

// Says that what the blocking step |s| has made is there for what is queued from
// now on: whoever waits for its event waits for that.
BERTH_NODISCARD berth_code_t berth_issue_mark(berth_runner_t *runner, int s,
                                              berth_error_t *err);

// Adds what was queued, and is done, to the run's trace.
void berth_issue_trace(berth_runner_t *runner);

// For a walk (flow_run.c), which knows alone what waits for what: waits until
// what is queued on the compute stream of |space|, a device's, is done, as
// berth_issue_drain() does.
BERTH_NODISCARD berth_code_t berth_issue_wait(berth_runner_t *runner, int space,
                                              berth_error_t *err);
// The same in two parts: notes what is queued so far, and waits for that alone.
BERTH_NODISCARD berth_code_t berth_issue_note(berth_runner_t *runner, int space,
                                              berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_issue_await_noted(berth_runner_t *runner,
                                                     int space,
                                                     berth_error_t *err);
// Lets what is queued on that stream from now on come after what is queued on
// that of |before|. The host does not wait.
BERTH_NODISCARD berth_code_t berth_issue_follow(berth_runner_t *runner,
                                                int before, int space,
                                                berth_error_t *err);

// For a block (block_run.c): lets everything that is queued on compute streams
// from now on, and the next run of the frame, come after what this run has
// queued. The host does not wait.
BERTH_NODISCARD berth_code_t berth_issue_join(berth_runner_t *runner,
                                              berth_error_t *err);

// Waits for everything that |runner| has queued. Fails when a device has, and
// when the run is ended meanwhile, with the reason: what is queued then goes
// on, and is to be abandoned.
BERTH_NODISCARD berth_code_t berth_issue_drain(berth_runner_t *runner,
                                               berth_error_t *err);

// The same for a run that has failed already: what it has left behind may still
// use the frame. NULL is fine.
void berth_issue_abandon(berth_issue_t *queue);

// The same, but waits no longer than |wait_ns|; false when there is still work
// under way: then it is over when berth_issue_is_over() says so, and
// berth_issue_await() waits for that.
bool berth_issue_leave(berth_issue_t *queue, int64_t wait_ns);
bool berth_issue_is_over(const berth_issue_t *queue);
void berth_issue_await(berth_issue_t *queue);

#endif  // BERTH_EXEC_ISSUE_H_
