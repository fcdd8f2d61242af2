// check.h - What CheckNumerics looks for, and what it says when it finds it.
//
// Threads: thread-safe.
#ifndef BERTH_OP_CHECK_H_
#define BERTH_OP_CHECK_H_

#include "op/case.h"

// Bits of what has been found.
enum { BERTH_FOUND_INF = 1, BERTH_FOUND_NAN = 2, BERTH_FOUND_MINUS_INF = 4 };

typedef struct berth_check {
  berth_dtype_t dtype;
  int64_t count;        // Of elements to look at.
  const char *message;  // What to say first. In the arena.
} berth_check_t;

// Sets the output of |op|, a CheckNumerics, which is its input, and describes
// the work in |*out_check|. Fails with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_op_check_numerics(berth_case_t *op,
                                                     berth_check_t *out_check,
                                                     berth_error_t *err);

// Returns BERTH_OK when nothing was |found|, and otherwise fails with
// BERTH_INVALID_ARGUMENT: |message|, then what it was.
BERTH_NODISCARD berth_code_t berth_check_tell(const char *message,
                                              unsigned found,
                                              berth_error_t *err);

// The same for CheckNumericsV2, which tells infinities apart.
BERTH_NODISCARD berth_code_t berth_check_tell_signs(const char *message,
                                                    unsigned found,
                                                    berth_error_t *err);

#endif  // BERTH_OP_CHECK_H_
