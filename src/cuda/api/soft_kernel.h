// soft_kernel.h - How a kernel is made known to the software GPU.
//
// Berth's kernels take one struct by value and are right for any grid and block
// size. Their sources are compiled a second time, for the host, where each
// becomes one function that is called once: one block of one thread, a plain
// loop. cuModuleGetFunction() finds it by name.
//
// A file says what it has at its end:
//
//   static void add(const void *params, const berth_softgpu_launch_t *launch);
//   BERTH_SOFTGPU_KERNEL(berth_add_f32, add_params_t, add);
//
// The entries are collected by the linker, so there is no list to keep.
#ifndef BERTH_CUDA_API_SOFT_KERNEL_H_
#define BERTH_CUDA_API_SOFT_KERNEL_H_

#include <stddef.h>

#include "cuda/api/driver.h"

// How a kernel was asked to be launched. Kernels need not look at it.
typedef struct berth_softgpu_launch {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
} berth_softgpu_launch_t;

typedef struct berth_softgpu_kernel {
  const char *name;    // As cuModuleGetFunction() is asked for it.
  size_t params_size;  // Of the one struct it takes.
  // Does all of it. |params| is aligned as malloc() aligns.
  void (*run)(const void *params, const berth_softgpu_launch_t *launch);
} berth_softgpu_kernel_t;

#define BERTH_SOFTGPU_KERNEL(kernel_name, params_type, function)       \
  static const berth_softgpu_kernel_t kernel_name##_softgpu_kernel = { \
      #kernel_name, sizeof(params_type), function};                    \
  __attribute__((section("berth_softgpu_kernels"),                     \
                 used)) static const berth_softgpu_kernel_t            \
      *kernel_name##_softgpu_entry = &kernel_name##_softgpu_kernel

// Says, inside a kernel, that it has failed, as a trap or a bad address does on
// a card: with CUDA_ERROR_ILLEGAL_ADDRESS or another fault. The kernel returns
// by itself; its context is lost.
void berth_softgpu_trap(CUresult fault);

// Returns the kernel called |name|, or NULL.
const berth_softgpu_kernel_t *berth_softgpu_kernel_find(const char *name);

#endif  // BERTH_CUDA_API_SOFT_KERNEL_H_
