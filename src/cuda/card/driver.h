// driver.h - The CUDA driver, opened at run time.
//
// Nothing of CUDA is needed to build or to start. The driver is opened when a
// card is first used, or listed in an order that only it knows; from then on
// its functions are in one table, and calls go through BERTH_CU(), which is a
// fault point named after the symbol (BERTH_FAULT=cuMemCreate:3).
//
// A process that has opened the driver and then forks cannot use it in the
// child. That is the driver's rule; here it is a clear error.
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CARD_DRIVER_H_
#define BERTH_CUDA_CARD_DRIVER_H_

#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/fault.h"
#include "cuda/api/driver.h"

// The driver's functions. Optional ones are NULL where it lacks them.
typedef struct berth_cuda_api {
#define X(name, result, arguments) result(*name) arguments;
#include "cuda/api/driver_symbols.inc"
} berth_cuda_api_t;

// Constant once berth_cuda_driver_open() has succeeded.
extern berth_cuda_api_t berth_cuda_api;

// Calls the driver's function |name|, or fails in its stead when it is armed.
#define BERTH_CU(name, ...)                        \
  (berth_fault(#name) ? berth_cuda_injected(#name) \
                      : berth_cuda_api.name(__VA_ARGS__))

// True when the driver has all of what |name| and its like need.
#define BERTH_CU_HAS(name) (berth_cuda_api.name != NULL)

// Returns what a call of |symbol| that is made to fail returns.
CUresult berth_cuda_injected(const char *symbol);

// Opens the driver's library without starting it: nothing of a card is touched.
//
// Fails with BERTH_UNAVAILABLE where there is none, BERTH_UNIMPLEMENTED where
// it is too old, and BERTH_INVALID_ARGUMENT for a bad BERTH_SIMULATE_GPUS. A
// failure that is not for lack of memory is remembered.
BERTH_NODISCARD berth_code_t berth_cuda_driver_load(berth_error_t *err);

// Opens and starts the driver, once.
//
// Fails as berth_cuda_driver_load(), with BERTH_NOT_FOUND where it sees no
// card, BERTH_FAILED_PRECONDITION in the child of a fork, and as the driver
// does. That is remembered as well.
BERTH_NODISCARD berth_code_t berth_cuda_driver_open(berth_error_t *err);

// True when the driver is open and belongs to this process. Opens nothing.
bool berth_cuda_driver_is_open(void);

// The variables that say which cards there are, in which order.
typedef struct berth_cuda_env {
  bool has_visible, has_order;  // They are set.
  char visible[4096];           // CUDA_VISIBLE_DEVICES.
  char order[64];               // CUDA_DEVICE_ORDER.
} berth_cuda_env_t;

// Stores them: as the driver has read them, or as they are while it is not
// open.
void berth_cuda_env(berth_cuda_env_t *out_env);

// True in a child of a fork() whose parent had opened the driver.
extern atomic_bool berth_cuda_is_forked;

// Describes that the driver is of no use after fork(); returns the code.
berth_code_t berth_cuda_forked_error(berth_error_t *err);

// Describes that |call| returned |result|, "call: NAME: text", and returns the
// code that fits. The one place where results of the driver become codes.
berth_code_t berth_cuda_error(berth_error_t *err, CUresult result,
                              const char *call);

#endif  // BERTH_CUDA_CARD_DRIVER_H_
