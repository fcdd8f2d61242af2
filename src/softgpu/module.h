// module.h - Launches as work.
//
// Threads: any.
#ifndef BERTH_SOFTGPU_MODULE_H_
#define BERTH_SOFTGPU_MODULE_H_

#include "softgpu/work.h"

// Makes the work that a launch with |params| is, with berth_free() to free it.
// Fails as cuLaunchKernel() does.
CUresult berth_soft_launch_work(const CUDA_KERNEL_NODE_PARAMS_v1 *params,
                                berth_soft_work_t **out);

#endif  // BERTH_SOFTGPU_MODULE_H_
