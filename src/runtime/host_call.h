// host_call.h - Ops whose work the host program does.
//
// A BerthCallback op, or PyFunc, which TensorFlow has for the same, calls the
// function registered under its token; the public half is in berth/session.h. A
// call may be finished later, from any thread.
#ifndef BERTH_RUNTIME_HOST_CALL_H_
#define BERTH_RUNTIME_HOST_CALL_H_

#include "berth/session.h"
#include "kernel/kernel.h"

extern const berth_kernel_t berth_host_call_kernels[];

#endif  // BERTH_RUNTIME_HOST_CALL_H_
