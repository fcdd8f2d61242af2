// check.h - What CheckNumerics finds in a tensor, and what it says then.
//
// Threads: thread-safe.
#ifndef BERTH_KERNEL_CHECK_H_
#define BERTH_KERNEL_CHECK_H_

#include "kernel/kernel.h"

// Bits of what has been found.
enum { BERTH_FOUND_INF = 1, BERTH_FOUND_NAN = 2 };

// Returns BERTH_OK when nothing was |found|, and otherwise fails with
// BERTH_INVALID_ARGUMENT: the message of the node, then what it was.
BERTH_NODISCARD berth_code_t berth_check_tell(const berth_call_t *call,
                                              unsigned found);

#endif  // BERTH_KERNEL_CHECK_H_
