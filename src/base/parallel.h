// parallel.h - Going wide: the only way work is spread over threads.
//
// One pool per process, made when a loop first asks for more than one thread,
// with a worker for every CPU but the caller's. One loop at a time is wide: a
// second one that comes meanwhile runs on its own thread alone, so that eight
// sessions at once do not make eight times as many threads. The calling thread
// works too. After fork() the child makes a pool of its own.
//
// Threads: thread-safe.
#ifndef BERTH_BASE_PARALLEL_H_
#define BERTH_BASE_PARALLEL_H_

#include <stdbool.h>
#include <stdint.h>

// Does the elements [begin, end) of a loop.
typedef void (*berth_parallel_fn)(void *arg, int64_t begin, int64_t end);

// Runs |fn| over [0, count) in pieces of at least |grain| elements, on at most
// as many threads as the calling thread is allowed (berth_parallel_limit).
// With one piece it is a plain call.
//
// Returns when nothing of it is running any more: true when every piece was
// done, false when the poll function of the scope (see below) ended the loop
// and pieces were left out. Whoever goes on with the results has to look.
bool berth_parallel_for(int64_t count, int64_t grain, berth_parallel_fn fn,
                        void *arg);

// The same, but never ended: for what must not be left half done.
void berth_parallel_for_all(int64_t count, int64_t grain, berth_parallel_fn fn,
                            void *arg);

// What the calling thread may use, and how it is interrupted.
typedef struct berth_parallel_scope {
  int threads;              // At most this many; 0 means all CPUs.
  bool (*poll)(void *arg);  // Optional. Called by the calling thread between
                            // pieces; true stops the loop.
  void *poll_arg;
} berth_parallel_scope_t;

// Installs |scope| for the calling thread and returns the one before, to be
// installed again afterwards. Borrowed; NULL means all CPUs and no polling.
const berth_parallel_scope_t *berth_parallel_enter(
    const berth_parallel_scope_t *scope);

// Returns how many threads a loop of the calling thread may use.
int berth_parallel_threads(void);

#endif  // BERTH_BASE_PARALLEL_H_
