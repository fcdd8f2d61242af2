// await.h - Waiting for a device while looking at what may end the wait.
//
// A driver's own way of waiting looks at nothing: not at a handle that was
// cancelled, not at a deadline, not at a key that was pressed. So the host asks
// instead, without a pause for as long as short work takes and with longer and
// longer naps afterwards, and looks now and then.
//
// Ending a wait ends no work: what is queued goes on, and whatever it touches
// has to stay until it is over.
//
// Threads: thread-safe; an event belongs to one thread at a time.
#ifndef BERTH_DEVICE_AWAIT_H_
#define BERTH_DEVICE_AWAIT_H_

#include <stdbool.h>

#include "device/stream.h"

// Returns true when the wait is to end at once. Called by the waiting thread,
// at most every few microseconds and at least every few milliseconds.
typedef bool (*berth_look_fn)(void *arg);

// Stores whether what is waited for has come. Does not block.
typedef berth_code_t (*berth_ask_fn)(void *arg, bool *out_done,
                                     berth_error_t *err);

// Blocks until |ask| says so. BERTH_CANCELLED, with |err| untouched, as soon as
// |look| (NULL: nothing ends it) does; else as |ask| fails.
BERTH_NODISCARD berth_code_t berth_await(berth_ask_fn ask, void *ask_arg,
                                         berth_look_fn look, void *arg,
                                         berth_error_t *err);

// Blocks until the mark of |event| (berth_stream_ops_t.event_create of |ops|)
// is reached; as berth_await() and berth_stream_ops_t.event_query.
BERTH_NODISCARD berth_code_t berth_await_event(const berth_stream_ops_t *ops,
                                               berth_event_t *event,
                                               berth_look_fn look, void *arg,
                                               berth_error_t *err);

// The same until nothing is queued on |stream| any more, by whomever: while
// others go on queueing that may take for ever.
BERTH_NODISCARD berth_code_t berth_await_stream(berth_stream_t *stream,
                                                berth_look_fn look, void *arg,
                                                berth_error_t *err);

#endif  // BERTH_DEVICE_AWAIT_H_
