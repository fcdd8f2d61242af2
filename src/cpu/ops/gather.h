// gather.h - Preparing to gather, for whoever has a tensor only when it runs.
#ifndef BERTH_CPU_OPS_GATHER_H_
#define BERTH_CPU_OPS_GATHER_H_

#include "kernel/kernel.h"

// Prepare a Gather or GatherV2, and a GatherNd, of what is input 0.
BERTH_NODISCARD berth_code_t berth_cpu_gather_prepare(berth_prepare_t *prepare,
                                                      berth_error_t *err);
BERTH_NODISCARD berth_code_t
berth_cpu_gather_nd_prepare(berth_prepare_t *prepare, berth_error_t *err);

#endif  // BERTH_CPU_OPS_GATHER_H_
