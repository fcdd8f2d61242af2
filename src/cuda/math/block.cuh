// block.cuh - What the threads of a block do together.
//
// The only place with barriers, shuffles and shared memory. A block has a
// multiple of 32 threads, at most 1024, in warps of 32 that run side by side.
// On the host a block is one warp of one thread, and all of this does nothing:
// a kernel that strides by berth_gpu_lanes() or berth_warp_lanes() and calls
// these functions with all threads of the block is right for both.
//
//   BERTH_BLOCK_REDUCE(sum_f32, float, ADD)    defines, for use by kernels:
//     sum_f32_warp(x)         the sum over a warp, known to each of its threads
//     sum_f32_block(x)        the same over the block
//     sum_f32_team(x, team)   the same over a team: a thread, a warp or a block
//     sum_f32_group(x, lanes) the same over so many neighbours, a power of two
//
// A team does one item of many, as the launch has chosen:
//
//   berth_team_t team = berth_team(p.team);
//   for (uint64_t i = team.index; i < p.items; i += team.count) {
//     float sum = 0;
//     for (uint64_t j = team.lane; j < p.n; j += team.lanes) sum += ...;
//     sum = sum_f32_team(sum, team);
//     if (team.lane == 0) p.out[i] = sum;
//   }
//
// The order in which values meet depends on the size of the block alone, so
// sums are the same in every run.
#ifndef BERTH_CUDA_MATH_BLOCK_CUH_
#define BERTH_CUDA_MATH_BLOCK_CUH_

#include "cuda/math/gpu.cuh"
#include "cuda/math/team.h"

#ifdef __CUDA_ARCH__

// Threads of a warp, and which one this is.
BERTH_GPU_FN uint32_t berth_warp_lanes(void) { return 32; }
BERTH_GPU_FN uint32_t berth_warp_lane(void) { return berth_gpu_lane() % 32; }

// Waits until all threads of the block are here; what they have written to
// shared and global memory is seen by all of them then.
BERTH_GPU_FN void berth_block_sync(void) { __syncthreads(); }

// Declares, inside a kernel, an array that the threads of a block share. Its
// contents are undefined at first.
#define BERTH_SHARED(type, name, count) \
  static __attribute__((shared)) type name[count]

// Returns the |word| of the thread whose number differs in the bit |apart|. As
// assembly: clang offers its built-in only when told of a newer PTX.
BERTH_GPU_FN uint32_t berth_warp_swap(uint32_t word, uint32_t apart) {
  uint32_t out;
  __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;"
                   : "=r"(out)
                   : "r"(word), "r"(apart));
  return out;
}

// The |word| of the thread |by| before this one; of the first ones their own.
BERTH_GPU_FN uint32_t berth_warp_before(uint32_t word, uint32_t by) {
  uint32_t out;
  __asm__ volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;"
                   : "=r"(out)
                   : "r"(word), "r"(by));
  return out;
}

// The |word| of the last thread.
BERTH_GPU_FN uint32_t berth_warp_last(uint32_t word) {
  uint32_t out;
  __asm__ volatile("shfl.sync.idx.b32 %0, %1, 31, 31, 0xffffffff;"
                   : "=r"(out)
                   : "r"(word));
  return out;
}

#define BERTH_BLOCK_REDUCE_PARTS(name, type, OP)                             \
  BERTH_GPU_FN type name##_group(type x, uint32_t lanes) {                   \
    for (uint32_t apart = lanes / 2; apart > 0; apart /= 2) {                \
      uint32_t words[sizeof(type) / 4];                                      \
      type other;                                                            \
      __builtin_memcpy(words, &x, sizeof(type));                             \
      for (uint32_t i = 0; i < sizeof(type) / 4; ++i) {                      \
        words[i] = berth_warp_swap(words[i], apart);                         \
      }                                                                      \
      __builtin_memcpy(&other, words, sizeof(type));                         \
      x = OP(x, other);                                                      \
    }                                                                        \
    return x;                                                                \
  }                                                                          \
                                                                             \
  BERTH_GPU_FN type name##_warp(type x) { return name##_group(x, 32); }      \
                                                                             \
  BERTH_GPU_FN type name##_block(type x) {                                   \
    BERTH_SHARED(type, parts, 32);                                           \
    x = name##_warp(x);                                                      \
    if (berth_gpu_lanes() == 32) return x;                                   \
    if (berth_warp_lane() == 0) parts[berth_gpu_lane() / 32] = x;            \
    berth_block_sync();                                                      \
    x = parts[0];                                                            \
    BERTH_NO_UNROLL for (uint32_t i = 1; i < berth_gpu_lanes() / 32; ++i) {  \
      x = OP(x, parts[i]);                                                   \
    }                                                                        \
    /* Nobody may write parts of the next reduction before all have read. */ \
    berth_block_sync();                                                      \
    return x;                                                                \
  }

#else

BERTH_GPU_FN uint32_t berth_warp_lanes(void) { return 1; }
BERTH_GPU_FN uint32_t berth_warp_lane(void) { return 0; }
BERTH_GPU_FN void berth_block_sync(void) {}
BERTH_GPU_FN uint32_t berth_warp_before(uint32_t word, uint32_t by) {
  (void)by;
  return word;
}
BERTH_GPU_FN uint32_t berth_warp_last(uint32_t word) { return word; }

#define BERTH_SHARED(type, name, count) type name[count]

#define BERTH_BLOCK_REDUCE_PARTS(name, type, OP)           \
  BERTH_GPU_FN type name##_group(type x, uint32_t lanes) { \
    (void)lanes;                                           \
    return x;                                              \
  }                                                        \
  BERTH_GPU_FN type name##_warp(type x) { return x; }      \
  BERTH_GPU_FN type name##_block(type x) { return x; }

#endif

// Defines the three functions that reduce with |OP(a, b)|, which commutes.
// |type| has a multiple of four bytes.
#define BERTH_BLOCK_REDUCE(name, type, OP)                                  \
  BERTH_BLOCK_REDUCE_PARTS(name, type, OP)                                  \
  BERTH_GPU_FN type name##_team(type x, berth_team_t team) {                \
    if (team.kind == BERTH_TEAM_THREAD) return x;                           \
    return team.kind == BERTH_TEAM_WARP ? name##_warp(x) : name##_block(x); \
  }

// Defines name_before(x, by): the |x| of the thread |by| before this one in its
// warp; of the first ones their own; and name_last(x), that of the last thread.
// |type| has a multiple of four bytes.
#define BERTH_WARP_BEFORE(name, type)                    \
  BERTH_GPU_FN type name##_before(type x, uint32_t by) { \
    uint32_t words[sizeof(type) / 4];                    \
    type other;                                          \
    __builtin_memcpy(words, &x, sizeof(type));           \
    for (uint32_t i = 0; i < sizeof(type) / 4; ++i) {    \
      words[i] = berth_warp_before(words[i], by);        \
    }                                                    \
    __builtin_memcpy(&other, words, sizeof(type));       \
    return other;                                        \
  }                                                      \
  BERTH_GPU_FN type name##_last(type x) {                \
    uint32_t words[sizeof(type) / 4];                    \
    __builtin_memcpy(words, &x, sizeof(type));           \
    for (uint32_t i = 0; i < sizeof(type) / 4; ++i) {    \
      words[i] = berth_warp_last(words[i]);              \
    }                                                    \
    __builtin_memcpy(&x, words, sizeof(type));           \
    return x;                                            \
  }

// The team that this thread belongs to.
typedef struct berth_team {
  uint64_t index, count;  // Which one of how many.
  uint32_t lane, lanes;   // Which thread of the team, of how many.
  uint32_t kind;
} berth_team_t;

BERTH_GPU_FN berth_team_t berth_team(uint32_t kind) {
  berth_team_t team;
  team.kind = kind;
  if (kind == BERTH_TEAM_BLOCK) {
    team.index = berth_gpu_block();
    team.count = berth_gpu_blocks();
    team.lane = berth_gpu_lane();
    team.lanes = berth_gpu_lanes();
  } else {
    team.lane = kind == BERTH_TEAM_WARP ? berth_warp_lane() : 0;
    team.lanes = kind == BERTH_TEAM_WARP ? berth_warp_lanes() : 1;
    team.index = berth_gpu_thread() / team.lanes;
    team.count = berth_gpu_threads() / team.lanes;
  }
  return team;
}

#endif  // BERTH_CUDA_MATH_BLOCK_CUH_
