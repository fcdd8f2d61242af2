// launch.h - Running Berth's own kernels on a card.
//
// A kernel is a function of a module (one .cu file: a family). It takes one
// struct by value and is right for any grid and block size. A plan keeps the
// kernel's number, which is the same for every card; a card loads a module when
// one of its kernels is first launched there.
//
//   prepare   plan->kernel = berth_cuda_kernel("unary", "berth_neg_f32");
//   run       berth_cuda_launch(call, plan->kernel, count, &params,
//                               sizeof(params));
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CODE_LAUNCH_H_
#define BERTH_CUDA_CODE_LAUNCH_H_

#include "kernel/kernel.h"

// Returns the number of kernel |name| in |module|, the stem of its .cu file;
// -1 when memory is short. Looks it up under a lock: for prepare, not for run.
// That there is such a kernel shows at its first launch.
int berth_cuda_kernel(const char *module, const char *name);

// The same for the kernel that |what| has for |dtype|: |what| and "_", then the
// short name of the type, as in number.cuh. -1 for types without one, too.
int berth_cuda_kernel_for(const char *module, const char *what,
                          berth_dtype_t dtype);

// The same where the kernels of a family are a module for each group of types:
// family_f32, family_f64, family_half, family_int, family_complex.
int berth_cuda_kernel_of(const char *family, const char *what,
                         berth_dtype_t dtype);

// Threads of a block unless a launch says otherwise.
#define BERTH_CUDA_BLOCK 256

// Queues |kernel| on the stream of |call| for |count| independent elements: as
// many blocks as they fill, up to a few for each multiprocessor. |params| is
// copied. Nothing is launched for no elements. Fails as the driver does, with
// |call->err| described; at the first launch on a card also when the module
// cannot be loaded, BERTH_NOT_FOUND when it was not built.
BERTH_NODISCARD berth_code_t berth_cuda_launch(berth_call_t *call, int kernel,
                                               uint64_t count,
                                               const void *params,
                                               size_t params_size);

// The same with |blocks| blocks (at least one) of |threads| threads, which must
// be a multiple of 32 and at most 1024; fewer where the kernel needs so many
// registers that a block cannot be as large.
BERTH_NODISCARD berth_code_t berth_cuda_launch_blocks(
    berth_call_t *call, int kernel, unsigned blocks, unsigned threads,
    const void *params, size_t params_size);

// Queue a copy of |size| bytes within the card, or set them to zero. They fail
// as the driver does.
BERTH_NODISCARD berth_code_t berth_cuda_copy(berth_call_t *call, void *to,
                                             const void *from, size_t size);
BERTH_NODISCARD berth_code_t berth_cuda_clear(berth_call_t *call, void *to,
                                              size_t size);

// Blocks until the work queued so far is done: for kernels whose output shape
// is data (BERTH_OP_UNRECORDED).
//
// BERTH_CANCELLED as soon as the run is to end. What is queued goes on then, so
// |answer| (NULL: none), a buffer that it writes and the caller is about to
// release, is kept until it is done. Memory of the card need not be: what uses
// it next comes later on the same stream.
BERTH_NODISCARD berth_code_t berth_cuda_wait(berth_call_t *call,
                                             berth_buffer_t *answer);

// Returns how many multiprocessors the card of |device| has.
int berth_cuda_multiprocessors(berth_device_t *device);

// Returns the first number of its compute capability; 0 when it is not there.
int berth_cuda_cc_major(berth_device_t *device);

#endif  // BERTH_CUDA_CODE_LAUNCH_H_
