// counter.h - How often a node has done something in a session.
//
// Threads: thread-safe.
#ifndef BERTH_STATE_COUNTER_H_
#define BERTH_STATE_COUNTER_H_

#include "base/error.h"
#include "tensor/handle.h"

typedef struct berth_counter berth_counter_t;

// Makes a counter at zero; the caller owns one reference. A resource that no
// handle leads to.
BERTH_NODISCARD berth_code_t
berth_counter_create(berth_resource_t **out_resource, berth_error_t *err);

// Counts one more and returns how many there were before.
int64_t berth_counter_next(berth_counter_t *counter);

#endif  // BERTH_STATE_COUNTER_H_
