// gpu.cuh - What every kernel source includes first.
//
// Kernels are written in what C and C++ have in common, because each source is
// compiled twice: by clang as CUDA, to code for cards, and as C for the host,
// where the software GPU runs it. One kernel, both times:
//
//   typedef struct neg_params {
//     float *out;
//     const float *in;
//     uint64_t count;
//   } neg_params_t;
//
//   BERTH_KERNEL(berth_neg_f32, neg_params_t) {
//     BERTH_EACH(i, p.count) p.out[i] = -p.in[i];
//   }
//
// The arguments are one struct called |p|. A kernel is right for any number of
// blocks and threads: BERTH_EACH gives every thread its share. On the host it
// is one block of one thread, so BERTH_EACH is a plain loop. Barriers, shuffles
// and shared memory are in block.cuh alone.
//
// Functions called by kernels are marked BERTH_GPU_FN.
#ifndef BERTH_CUDA_MATH_GPU_CUH_
#define BERTH_CUDA_MATH_GPU_CUH_

#include <stdint.h>

#ifdef __CUDA_ARCH__

#define BERTH_GPU_FN static __attribute__((device, unused)) inline

#define BERTH_KERNEL(name, params_type) \
  extern "C" __attribute__((global)) void name(const params_type p)

// Position of this thread among all, and how many there are.
BERTH_GPU_FN uint64_t berth_gpu_thread(void) {
  return (uint64_t)__nvvm_read_ptx_sreg_ctaid_x() *
             (uint64_t)__nvvm_read_ptx_sreg_ntid_x() +
         (uint64_t)__nvvm_read_ptx_sreg_tid_x();
}
BERTH_GPU_FN uint64_t berth_gpu_threads(void) {
  return (uint64_t)__nvvm_read_ptx_sreg_nctaid_x() *
         (uint64_t)__nvvm_read_ptx_sreg_ntid_x();
}
// Which block, of how many: for kernels whose blocks work together.
BERTH_GPU_FN uint64_t berth_gpu_block(void) {
  return (uint64_t)__nvvm_read_ptx_sreg_ctaid_x();
}
BERTH_GPU_FN uint64_t berth_gpu_blocks(void) {
  return (uint64_t)__nvvm_read_ptx_sreg_nctaid_x();
}
// Which thread of its block, of how many.
BERTH_GPU_FN uint32_t berth_gpu_lane(void) {
  return (uint32_t)__nvvm_read_ptx_sreg_tid_x();
}
BERTH_GPU_FN uint32_t berth_gpu_lanes(void) {
  return (uint32_t)__nvvm_read_ptx_sreg_ntid_x();
}

#else

#include "cuda/api/soft_kernel.h"

#define BERTH_GPU_FN static __attribute__((unused)) inline

#define BERTH_KERNEL(name, params_type)                             \
  static void name(const params_type p);                            \
  static void name##_launch(const void *params,                     \
                            const berth_softgpu_launch_t *launch) { \
    (void)launch;                                                   \
    name(*(const params_type *)params);                             \
  }                                                                 \
  BERTH_SOFTGPU_KERNEL(name, params_type, name##_launch);           \
  static void name(const params_type p)

BERTH_GPU_FN uint64_t berth_gpu_thread(void) { return 0; }
BERTH_GPU_FN uint64_t berth_gpu_threads(void) { return 1; }
BERTH_GPU_FN uint64_t berth_gpu_block(void) { return 0; }
BERTH_GPU_FN uint64_t berth_gpu_blocks(void) { return 1; }
BERTH_GPU_FN uint32_t berth_gpu_lane(void) { return 0; }
BERTH_GPU_FN uint32_t berth_gpu_lanes(void) { return 1; }

#endif

// Unrolls the loop behind it, which keeps arrays that it indexes in registers;
// or does not: code is compiled when it is first used, and its size is what
// that takes.
#ifdef __CUDA_ARCH__
#define BERTH_UNROLL _Pragma("unroll")
#define BERTH_NO_UNROLL _Pragma("nounroll")
#else
#define BERTH_UNROLL
#define BERTH_NO_UNROLL
#endif

// Divides with 32 bits where they suffice, which is several times faster.
BERTH_GPU_FN uint64_t berth_gpu_divide(uint64_t x, uint64_t y) {
  return (x | y) >> 32 == 0 ? (uint32_t)x / (uint32_t)y : x / y;
}

// Runs the statement behind it for this thread's share of [0, count).
#define BERTH_EACH(i, count)                                   \
  for (uint64_t i = berth_gpu_thread(); i < (uint64_t)(count); \
       i += berth_gpu_threads())

#endif  // BERTH_CUDA_MATH_GPU_CUH_
