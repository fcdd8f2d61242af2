// hosted.h - What a card leaves to the host.
#ifndef BERTH_CUDA_OPS_HOSTED_H_
#define BERTH_CUDA_OPS_HOSTED_H_

#include "kernel/kernel.h"

// What a kernel is that may leave its work to the host: it makes its outputs
// and is not part of a recording.
enum { BERTH_HOSTED_TRAITS = BERTH_OP_MAKES | BERTH_OP_UNRECORDED };

// Prepares what |prepare| asks for with the CPU's kernel: what it takes goes to
// the host, and what it gives comes back. For kernels of BERTH_HOSTED_TRAITS.
BERTH_NODISCARD berth_code_t berth_cuda_prepare_hosted(berth_prepare_t *prepare,
                                                       berth_error_t *err);

// Adds the kernels of ops that always do, as berth_cuda_add_kernels() does.
BERTH_NODISCARD berth_code_t berth_cuda_add_hosted(berth_error_t *err);

#endif  // BERTH_CUDA_OPS_HOSTED_H_
