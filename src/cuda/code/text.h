// text.h - Kernels of a module that is written while a program runs.
//
// A module is known by its text: who asks for the same text on the same card
// gets the same module. It is counted, and given back to the driver with its
// last user. Where the driver takes no such text that is said at once, so that
// something else can be planned.
//
//   prepare   berth_cuda_text_get(device, text, names, 2, &plan->text, err);
//             berth_prepare_own(prepare, plan->text, berth_cuda_text_drop);
//   run       berth_cuda_text_launch(call, plan->text, 0, count, &params,
//                                    sizeof(params));
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CODE_TEXT_H_
#define BERTH_CUDA_CODE_TEXT_H_

#include "kernel/kernel.h"

typedef struct berth_cuda_text berth_cuda_text_t;

// Kernels of a module at most.
enum { BERTH_CUDA_TEXT_KERNELS = 2 };

// Stores the module of |text|, loaded on the card of |device|, which is started
// where it was not; |names| are |count| kernels of it, constant texts. The
// caller drops it. Fails as the driver does, with what its compiler said, as
// berth_device_start() does, and with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_cuda_text_get(
    berth_device_t *device, const char *text, const char *const *names,
    int count, berth_cuda_text_t **out_text, berth_error_t *err);

// Gives up one use of |text|, a berth_cuda_text_t; nothing runs it any more.
void berth_cuda_text_drop(void *text);

// As berth_cuda_launch(), for kernel number |index| of |text|.
BERTH_NODISCARD berth_code_t berth_cuda_text_launch(berth_call_t *call,
                                                    berth_cuda_text_t *text,
                                                    int index, uint64_t count,
                                                    const void *params,
                                                    size_t params_size);

// Returns how many modules are loaded: for tests.
int berth_cuda_text_count(void);

#endif  // BERTH_CUDA_CODE_TEXT_H_
