// rows.h - Rows of a variable that are read beside updates of others.
//
// Who takes a few rows of a large value is done in microseconds, and a copy of
// the value takes milliseconds. So such a reader does not just hold the value,
// which would make an update beside it copy that (commit.h): it is lent it, and
// updates wait until it is given back. They wait a bounded time, so that a
// lender may wait for whatever it likes, an update of its own included.
//
// Threads: thread-safe.
#ifndef BERTH_STATE_ROWS_H_
#define BERTH_STATE_ROWS_H_

#include "state/variable.h"

// Returns a reference to a tensor over what |variable| holds, to be released
// soon; NULL as berth_variable_read(). What is small, and what is not plain, is
// just read.
berth_tensor_t *berth_variable_read_rows(berth_variable_t *variable);

// Waits until nobody is lent the value of |variable|, whose lock is held so
// that nobody comes to be, but no longer than a reader of rows may take.
void berth_rows_await(berth_variable_t *variable);

#endif  // BERTH_STATE_ROWS_H_
