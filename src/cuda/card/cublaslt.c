// cublaslt.c - cuBLASLt, opened at run time.
#include "cuda/card/cublaslt.h"

#include <glob.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/dynlib.h"
#include "base/env.h"
#include "base/fork.h"
#include "base/thread.h"
#include "cuda/card/library.h"

enum { CLOSED, READY, FAILED };
enum { MAX_NAMES = 16, PATH_SIZE = 4096 };

berth_cublaslt_api_t berth_cublaslt_api;

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards the rest.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LIBRARY)
static int state = CLOSED;
static berth_error_t problem;  // Why it is FAILED.

static const berth_symbol_t symbols[] = {
#define X(name, result, arguments) \
  {#name, offsetof(berth_cublaslt_api_t, name), true},
#include "cuda/api/cublaslt_symbols.inc"
};

// ---- Errors ----

berth_code_t berth_cublaslt_error(berth_error_t *err, cublasStatus_t status,
                                  const char *call) {
  berth_code_t code = status == CUBLAS_STATUS_ALLOC_FAILED
                          ? BERTH_RESOURCE_EXHAUSTED
                          : BERTH_INTERNAL;
  return berth_error_set(err, code, "%s: %s (%d): %s", call,
                         berth_cublaslt_api.cublasLtGetStatusName(status),
                         (int)status,
                         berth_cublaslt_api.cublasLtGetStatusString(status));
}

// ---- Opening ----

// Where packages of Python keep the library, below a folder of packages.
#define IN_PACKAGES "nvidia/*/lib/libcublasLt.so.[0-9]*"

// Adds to |found| the library in Python's packages: those that Berth itself is
// among, and those of the environment that is active.
static void find_in_packages(glob_t *found) {
  static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
  char folder[PATH_SIZE - 128], pattern[PATH_SIZE];
  int flags = 0;
  if (berth_dynlib_own_folder(folder, sizeof(folder))) {
    snprintf(pattern, sizeof(pattern), "%s/../" IN_PACKAGES, folder);
    // Nothing found, or no memory for it, leaves |found| as it was.
    (void)glob(pattern, 0, NULL, found);
    flags = GLOB_APPEND;
  }
  for (int i = 0; i < BERTH_COUNT_OF(variables); ++i) {
    const char *prefix = berth_env_get(variables[i]);
    // Only a whole path: no library comes from the current folder.
    if (prefix == NULL || prefix[0] != '/' || strlen(prefix) >= sizeof(folder))
      continue;
    snprintf(pattern, sizeof(pattern),
             "%s/lib/python3*/site-packages/" IN_PACKAGES, prefix);
    (void)glob(pattern, flags, NULL, found);
    flags = GLOB_APPEND;
  }
}

// Opens what the loader finds, newest first, or else what Python has.
static berth_code_t load(berth_error_t *err) {
  const char *names[MAX_NAMES] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                  "libcublasLt.so.11"};
  glob_t found = {0};
  size_t count = 3;
  if (!berth_cuda_is_simulated()) find_in_packages(&found);
  for (size_t i = 0; i < found.gl_pathc && count < MAX_NAMES - 1; ++i) {
    names[count++] = found.gl_pathv[i];
  }
  berth_code_t code = berth_library_load(
      names, symbols, BERTH_COUNT_OF(symbols), &berth_cublaslt_api, err);
  globfree(&found);
  return code;
}

static berth_code_t load_if_wanted(berth_error_t *err) {
  const char *wanted = berth_env_get("BERTH_GPU_LIBRARIES");
  if (wanted != NULL && strcmp(wanted, "none") == 0) {
    return berth_error_set(err, BERTH_UNAVAILABLE,
                           "BERTH_GPU_LIBRARIES=none turns cuBLASLt off");
  }
  return load(err);
}

// Lock held.
static berth_code_t open_once(berth_error_t *err) {
  if (state == READY) return BERTH_OK;
  if (state == CLOSED) {
    berth_error_t reason = BERTH_ERROR_INIT;
    berth_code_t code = load_if_wanted(&reason);
    if (code == BERTH_RESOURCE_EXHAUSTED) return berth_error_move(err, &reason);
    state = code == BERTH_OK ? READY : FAILED;
    if (code == BERTH_OK) return BERTH_OK;
    berth_error_move(&problem, &reason);
  }
  return berth_error_set_text(err, BERTH_UNAVAILABLE,
                              berth_error_message(&problem));
}

berth_code_t berth_cublaslt_open(berth_error_t *err) {
  berth_mutex_lock(&lock);
  berth_code_t code = open_once(err);
  berth_mutex_unlock(&lock);
  return code;
}
