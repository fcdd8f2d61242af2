// name.h - Ops that older graphs call by other names.
//
// Before 2017 what worked on batches of matrices had names of its own
// (BatchMatrixInverse, BatchCholesky), and datasets began as
// Experimental…Dataset. They do what the op of the shorter name does, and some
// ops without a version what the second does; kernels are found by that. So are
// those of staging areas whose keys are in order, of which their kernels see
// themselves.
//
// Queues, readers, stacks, tables, arrays of tensors and a few others came in
// generations, which differ in what kind of handle leads to them, or in an
// argument; the kernels of all go by the name of the first.
#ifndef BERTH_OP_NAME_H_
#define BERTH_OP_NAME_H_

#include <stddef.h>

// Returns the name of the op that does what that of |name| does, which may be
// |name| itself; borrowed from |name|, or constant. Whether there is such an op
// is not looked at.
const char *berth_op_plain_name(const char *name);

// Returns how much of |name|, a plain name, tells it from ops that do something
// else: all, but for the number of its generation.
size_t berth_op_plain_size(const char *name);

#endif  // BERTH_OP_NAME_H_
