// call_kernel.h - Ops that call a function: PartitionedCall and its kin.
//
// The function is the node's resource, a routine (state/routine.h): one of the
// session's callees, or of the functions of an eager context.
#ifndef BERTH_RUNTIME_CALL_KERNEL_H_
#define BERTH_RUNTIME_CALL_KERNEL_H_

#include "kernel/kernel.h"

extern const berth_kernel_t berth_call_kernels[];

#endif  // BERTH_RUNTIME_CALL_KERNEL_H_
