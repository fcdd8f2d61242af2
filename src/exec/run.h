// run.h - Running a program.
//
// A run walks the steps of its segments on the calling thread. A step that must
// wait leaves a completion behind; what depends on it runs when that is done,
// and when nothing else can run the thread sleeps, waking to poll.
//
// Cancellation, deadline and polling are looked at every few hundred steps,
// after every long one, between the pieces of a parallel loop, and every few
// milliseconds of waiting. A run that is ended still waits for its completions.
//
// Threads: one run belongs to one thread; any number of runs of one program go
// on at once.
#ifndef BERTH_EXEC_RUN_H_
#define BERTH_EXEC_RUN_H_

#include "base/parallel.h"
#include "exec/frame.h"
#include "exec/program.h"
#include "exec/watch.h"

// Runs |program| with |feeds| (in its order; borrowed) and stores a reference
// to each fetch in |results|. Feeds that are on devices are brought to the host
// first, unless the program's signature has spaces: then they must be in them.
// The caller is counted in the host's terms.
//
// On failure there is nothing to release; what |results| holds means nothing.
// Fails with BERTH_INVALID_ARGUMENT for a feed that is missing or has another
// type, with BERTH_CANCELLED or BERTH_DEADLINE_EXCEEDED as |control| says, and
// with what gates, layout, frame and steps fail with.
BERTH_NODISCARD berth_code_t berth_run(berth_program_t *program,
                                       berth_tensor_t *const *feeds,
                                       berth_tensor_t **results,
                                       const berth_run_control_t *control,
                                       berth_error_t *err);

// A run that is fed in pieces (program made with is_partial).
typedef struct berth_part_run berth_part_run_t;

// Begins such a run of |program|, which outlives it; nothing is fed yet. Every
// step is late. |control| is for this call alone. Fails as berth_run() does.
BERTH_NODISCARD berth_code_t berth_part_run_create(
    berth_program_t *program, const berth_run_control_t *control,
    berth_part_run_t **out_run, berth_error_t *err);

// Feeds |feed_count| values (|feeds| are indices into the program's) and runs
// what that makes possible, until the |fetches| (indices too) are there. The
// caller has checked that these need no feed but those that have come; |values|
// have the right types and are copied. After a failure the run is over, and
// further calls are BERTH_CANCELLED; |results| as with berth_run().
BERTH_NODISCARD berth_code_t berth_part_run_go(
    berth_part_run_t *run, const int *feeds, berth_tensor_t *const *values,
    int feed_count, const int *fetches, berth_tensor_t **results,
    int fetch_count, const berth_run_control_t *control, berth_error_t *err);

// True when every fetch has been fetched and every segment has run.
bool berth_part_run_is_done(const berth_part_run_t *run);

// Ends a run, waiting for what it has begun. NULL is fine.
void berth_part_run_destroy(berth_part_run_t *run);

#endif  // BERTH_EXEC_RUN_H_
