// expect.h - Shapes that a step tells only when it has run, expected in advance.
//
// What comes out of an array, a list or a queue has the shape that it had the
// last time, mostly. A layout that is made when that is known expects it, so
// that what follows is planned; the run compares, as it does for variables
// (late.c), and goes on late where it is another. A step that disappoints a few
// times is not relied on again, nor is any in a program where what follows
// cannot be planned for the shapes expected.
//
// Threads: everything is guarded by the program's lock.
#ifndef BERTH_EXEC_EXPECT_H_
#define BERTH_EXEC_EXPECT_H_

#include "exec/program.h"

// What one step is expected to make. Zeroed: nothing is known.
typedef struct berth_expected {
  bool is_known;
  uint8_t misses;
  berth_shape_t shape;
} berth_expected_t;

// Makes room for what |program| may expect. BERTH_RESOURCE_EXHAUSTED when memory
// is short.
BERTH_NODISCARD berth_code_t berth_expect_init(berth_program_t *program,
                                               berth_error_t *err);

// Returns the shape that step |index| is expected to make, or one of unknown
// rank. Borrowed from the program; copied by who keeps it.
berth_dims_t berth_expect_get(const berth_program_t *program, int index);

// Notes that step |index| has made |dims|, which was not expected. True when it
// will be. Takes the lock.
bool berth_expect_note(berth_program_t *program, int index, berth_dims_t dims);

#endif  // BERTH_EXEC_EXPECT_H_
