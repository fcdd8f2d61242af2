// parallel.h - Going wide: the only way work is spread over threads.
//
// A loop is cut into pieces by its length and grain alone, so that what is
// computed does not depend on how many threads there are. The calling thread
// does pieces of its own loop, and workers join it:
//
//   thread A   ──[piece][piece][piece]──>      open loops: A, B
//   worker 1      [piece][piece]
//   thread B   ─────[piece][piece][piece]──>
//   worker 2        [piece][piece]
//
// There is one pool per process, made when a loop first has a use for it, with
// a worker for every CPU. A worker goes to the open loop that has the
// fewest of them, and looks again when another one opens. Workers are called
// only while fewer threads work than there are CPUs, and leave when there are
// more: eight threads with loops on two CPUs have no workers between them.
//
// A loop inside a piece runs on its thread alone, but for long pieces, which
// are loops of their own (berth_parallel_each). After fork() the child makes a
// pool of its own.
//
// Threads: thread-safe.
#ifndef BERTH_BASE_PARALLEL_H_
#define BERTH_BASE_PARALLEL_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/thread.h"

// Does the elements [begin, end) of a loop.
typedef void (*berth_parallel_fn)(void *arg, int64_t begin, int64_t end);

// Runs |fn| over [0, count) in as few pieces of about |grain| elements as can
// be, all but the last of the same size, on at most as many threads as the
// calling thread may use. With one piece it is a plain call. A piece should
// take ten microseconds or more; a thread costs about as much to call.
//
// Returns when nothing of it is running any more: true when every piece was
// done, false when the poll function of the scope (see below) ended the loop
// and pieces were left out. Whoever goes on with the results has to look.
bool berth_parallel_for(int64_t count, int64_t grain, berth_parallel_fn fn,
                        void *arg);

// The same, but never ended: for what must not be left half done.
void berth_parallel_for_all(int64_t count, int64_t grain, berth_parallel_fn fn,
                            void *arg);

// Calls |fn| for each of [0, count), which is long work of its own: it may open
// loops, and is not interrupted but by itself. Returns as berth_parallel_for().
// Who waits for the last ones does no pieces of the loops they have opened; a
// worker does.
bool berth_parallel_each(int64_t count, berth_parallel_fn fn, void *arg);

// What the calling thread may use, and how it is interrupted.
typedef struct berth_parallel_scope {
  int threads;              // At most this many in a loop; 0 means all CPUs.
  bool (*poll)(void *arg);  // Optional. Called by the calling thread between
                            // pieces, when true stops the loop, and now and
                            // then while it waits for others.
  void *poll_arg;
} berth_parallel_scope_t;

// Installs |scope| for the calling thread and returns the one before, to be
// installed again afterwards. Borrowed; NULL means all CPUs and no polling.
const berth_parallel_scope_t *berth_parallel_enter(
    const berth_parallel_scope_t *scope);

// Asks the scope of the calling thread whether it is to stop: for waits that a
// loop is not around. False without one.
bool berth_parallel_poll(void);

// Returns how many threads a loop of the calling thread may use.
int berth_parallel_threads(void);

// Acts as if there were |count| CPUs. For tests, before the first loop.
void berth_parallel_pretend_cpus(int count);

#endif  // BERTH_BASE_PARALLEL_H_
