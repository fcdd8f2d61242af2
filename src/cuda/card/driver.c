// driver.c - The CUDA driver, opened at run time.
#include "cuda/card/driver.h"

#include <pthread.h>
#include <stdio.h>

#include "base/env.h"
#include "base/fork.h"
#include "base/str.h"
#include "base/thread.h"
#include "cuda/card/library.h"

enum { CLOSED, LOADED, READY, FAILED };

berth_cuda_api_t berth_cuda_api;
atomic_bool berth_cuda_is_forked = false;

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards opening.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LIBRARY)
static atomic_int state = CLOSED;
static berth_error_t problem;      // Why it is FAILED.
static berth_cuda_env_t env_read;  // Constant once READY.

static const berth_symbol_t symbols[] = {
#define X(name, result, arguments) \
  {#name, offsetof(berth_cuda_api_t, name), true},
#define X_OPTIONAL(name, result, arguments) \
  {#name, offsetof(berth_cuda_api_t, name), false},
#include "cuda/api/driver_symbols.inc"
};

// ---- Errors ----

CUresult berth_cuda_injected(const char *symbol) {
  static const char *const getters[] = {"cuMemAlloc", "cuMemCreate",
                                        "cuMemHost", "cuMemAddressReserve"};
  for (int i = 0; i < BERTH_COUNT_OF(getters); ++i) {
    if (berth_has_prefix(symbol, getters[i])) return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return CUDA_ERROR_UNKNOWN;
}

static berth_code_t code_of(CUresult result) {
  switch ((int)result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return BERTH_RESOURCE_EXHAUSTED;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_NOT_FOUND:
      return BERTH_NOT_FOUND;
    case CUDA_ERROR_INVALID_DEVICE:
      return BERTH_INVALID_ARGUMENT;
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_DEINITIALIZED:
      return BERTH_FAILED_PRECONDITION;
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return BERTH_UNAVAILABLE;
    case CUDA_ERROR_NOT_SUPPORTED:
      return BERTH_UNIMPLEMENTED;
    default:
      return BERTH_INTERNAL;
  }
}

berth_code_t berth_cuda_error(berth_error_t *err, CUresult result,
                              const char *call) {
  const char *name = NULL, *text = NULL;
  // Newer drivers have results that an older one cannot name.
  (void)berth_cuda_api.cuGetErrorName(result, &name);
  (void)berth_cuda_api.cuGetErrorString(result, &text);
  return berth_error_set(err, code_of(result), "%s: %s (%d): %s", call,
                         name != NULL ? name : "CUDA_ERROR", (int)result,
                         text != NULL ? text : "unrecognized error code");
}

berth_code_t berth_cuda_forked_error(berth_error_t *err) {
  return berth_error_set(
      err, BERTH_FAILED_PRECONDITION,
      "GPUs cannot be used in this process: it was forked from one that had "
      "used them already. Fork before the first use of a GPU, or start the "
      "process anew (multiprocessing: \"spawn\")");
}

// ---- Opening ----

static void read_variable(const char *name, char *value, size_t size,
                          bool *out_is_set) {
  const char *text = berth_env_get(name);
  *out_is_set = text != NULL;
  snprintf(value, size, "%s", text != NULL ? text : "");
}

static void read_env(berth_cuda_env_t *env) {
  read_variable("CUDA_VISIBLE_DEVICES", env->visible, sizeof(env->visible),
                &env->has_visible);
  read_variable("CUDA_DEVICE_ORDER", env->order, sizeof(env->order),
                &env->has_order);
}

static void lose(void) {
  if (atomic_load(&state) == READY) atomic_store(&berth_cuda_is_forked, true);
}

// What only the software GPU's library has.
typedef struct softgpu_api {
#define X(name, result, arguments) result(*name) arguments;
#include "cuda/api/softgpu_symbols.inc"
} softgpu_api_t;

// Says what is wrong with BERTH_SIMULATE_GPUS, which its driver cannot.
static berth_code_t check_simulation(berth_error_t *err) {
  static const berth_symbol_t own_symbols[] = {
#define X(name, result, arguments) {#name, offsetof(softgpu_api_t, name), true},
#include "cuda/api/softgpu_symbols.inc"
  };
  softgpu_api_t softgpu = {0};
  char text[BERTH_ERROR_TEXT_SIZE - 64] = "";
  BERTH_TRY(berth_library_load(NULL, own_symbols, BERTH_COUNT_OF(own_symbols),
                               &softgpu, err));
  const char *spec = berth_env_get("BERTH_SIMULATE_GPUS");
  if (spec == NULL ||
      softgpu.berth_softgpu_check(spec, text, sizeof(text)) >= 0)
    return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "BERTH_SIMULATE_GPUS: %s",
                         text);
}

static berth_code_t load(berth_error_t *err) {
  static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
  berth_code_t code = berth_library_load(
      names, symbols, BERTH_COUNT_OF(symbols), &berth_cuda_api, err);
  if (!berth_cuda_is_simulated()) return code;
  if (code == BERTH_OK) return check_simulation(err);
  if (code == BERTH_UNAVAILABLE) {
    berth_error_prepend(err,
                        "BERTH_SIMULATE_GPUS is set, but there is no "
                        "software GPU: ");
  }
  return code;
}

static berth_code_t start(berth_error_t *err) {
  read_env(&env_read);
  CUresult result = BERTH_CU(cuInit, 0);
  if (result != CUDA_SUCCESS) return berth_cuda_error(err, result, "cuInit");
  if (pthread_atfork(NULL, NULL, lose) != 0) {
    return berth_error_no_memory(err, "a fork handler");
  }
  return BERTH_OK;
}

// Moves on from |from| to |to| with |step|, unless that has failed before. Lock
// held.
static berth_code_t advance(int from, int to,
                            berth_code_t (*step)(berth_error_t *err),
                            berth_error_t *err) {
  int now = atomic_load(&state);
  if (now == FAILED) {
    return berth_error_set_text(err, problem.code,
                                berth_error_message(&problem));
  }
  if (now != from) return BERTH_OK;
  berth_error_t reason = BERTH_ERROR_INIT;
  berth_code_t code = step(&reason);
  if (code == BERTH_OK) {
    atomic_store_explicit(&state, to, memory_order_release);
    return BERTH_OK;
  }
  if (code != BERTH_RESOURCE_EXHAUSTED) {
    berth_error_set_text(&problem, code, berth_error_message(&reason));
    atomic_store(&state, FAILED);
  }
  return berth_error_move(err, &reason);
}

berth_code_t berth_cuda_driver_load(berth_error_t *err) {
  if (atomic_load(&berth_cuda_is_forked)) return BERTH_OK;
  berth_mutex_lock(&lock);
  berth_code_t code = advance(CLOSED, LOADED, load, err);
  berth_mutex_unlock(&lock);
  return code;
}

berth_code_t berth_cuda_driver_open(berth_error_t *err) {
  if (atomic_load(&berth_cuda_is_forked)) return berth_cuda_forked_error(err);
  if (atomic_load_explicit(&state, memory_order_acquire) == READY) {
    return BERTH_OK;
  }
  berth_mutex_lock(&lock);
  berth_code_t code = advance(CLOSED, LOADED, load, err);
  if (code == BERTH_OK) code = advance(LOADED, READY, start, err);
  berth_mutex_unlock(&lock);
  return code;
}

bool berth_cuda_driver_is_open(void) {
  return atomic_load_explicit(&state, memory_order_acquire) == READY &&
         !atomic_load(&berth_cuda_is_forked);
}

void berth_cuda_env(berth_cuda_env_t *out_env) {
  if (atomic_load_explicit(&state, memory_order_acquire) == READY) {
    *out_env = env_read;
  } else {
    read_env(out_env);
  }
}
