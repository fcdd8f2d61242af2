// team.h - Who does one item of a kernel: a thread, a warp or a block.
//
// Chosen where a kernel is launched, obeyed where it runs (block.cuh). Short
// items are for threads, which need not meet; long ones are for blocks.
#ifndef BERTH_CUDA_MATH_TEAM_H_
#define BERTH_CUDA_MATH_TEAM_H_

enum {
  BERTH_TEAM_THREAD = 0,
  BERTH_TEAM_WARP = 1,
  BERTH_TEAM_BLOCK = 2,
};

// Threads of a warp.
#define BERTH_TEAM_WARP_LANES 32

#endif  // BERTH_CUDA_MATH_TEAM_H_
