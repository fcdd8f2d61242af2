// onednn.c - Opening oneDNN, and its product of matrices.
#include "cpu/onednn.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/dynlib.h"
#include "base/env.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/visit.h"

// Every symbol that is used, once: result, name, arguments. The dimensions
// (dnnl_dim_t) and the status are the same in versions 2 and 3.
#define ONEDNN_SYMBOLS(X)                                                  \
  X(const void *, dnnl_version, (void))                                    \
  X(int, dnnl_sgemm,                                                       \
    (char, char, int64_t, int64_t, int64_t, float, const float *, int64_t, \
     const float *, int64_t, float, float *, int64_t))

// Of the OpenMP runtime that came with it, if one did.
#define OPENMP_SYMBOLS(X)             \
  X(int, omp_get_max_threads, (void)) \
  X(void, omp_set_num_threads, (int))

typedef struct onednn {
#define X(result, name, args) result(*name) args;
  ONEDNN_SYMBOLS(X)
  OPENMP_SYMBOLS(X)
#undef X
} onednn_t;

enum { UNTRIED, READY, ABSENT };

static atomic_int state = UNTRIED;
static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards opening.
// Constant once READY.
static onednn_t onednn;
static berth_dynlib_t *library = NULL;

// Finds |symbol|; an address of a function does not convert in ISO C.
static bool find(berth_dynlib_t *lib, const char *symbol, void *out_function) {
  void *address = berth_dynlib_find(lib, symbol);
  memcpy(out_function, &address, sizeof(address));
  return address != NULL;
}

static bool find_all(berth_dynlib_t *lib) {
  bool found = true;
#define X(result, name, args) found = find(lib, #name, &onednn.name) && found;
  ONEDNN_SYMBOLS(X)
#undef X
  bool has_openmp = true;
#define X(result, name, args) \
  has_openmp = find(lib, #name, &onednn.name) && has_openmp;
  OPENMP_SYMBOLS(X)
#undef X
  if (!has_openmp) onednn.omp_set_num_threads = NULL;
  return found;
}

// Opens the library and writes what came of it to |said|.
static int open_library(char *said, size_t size) {
  static const char *const names[] = {"libdnnl.so.3", "libdnnl.so.2", NULL};
  if (!berth_env_bool("BERTH_ONEDNN", true)) {
    snprintf(said, size, "oneDNN is switched off by BERTH_ONEDNN");
    return ABSENT;
  }
  berth_error_t err = BERTH_ERROR_INIT;
  berth_dynlib_t *lib = NULL;
  int result = ABSENT;
  if (berth_dynlib_open(names, &lib, &err) != BERTH_OK) {
    snprintf(said, size, "no oneDNN, products run on own loops: %s",
             berth_error_message(&err));
  } else if (!find_all(lib)) {
    snprintf(said, size, "%s lacks symbols, products run on own loops",
             berth_dynlib_name(lib));
    berth_dynlib_close(lib);
  } else {
    // The library stays for the life of the process, and so does its handle.
    snprintf(said, size, "opened %s for heavy products",
             berth_dynlib_name(lib));
    library = lib;
    result = READY;
  }
  berth_error_clear(&err);
  return result;
}

// Does a product of one element and of two, transposed or not: oneDNN writes
// its machine code at first use, and leaves handlers for the end of the process.
static void use_once(void) {
  static const float ones[4] = {1, 1, 1, 1};
  float c[4];
  for (int way = 0; way < 4; ++way) {
    for (int64_t size = 1; size <= 2; ++size) {
      int64_t a_row = way & 1 ? 1 : 2, b_row = way & 2 ? 1 : 2;
      berth_gemm_t gemm = {.m = size,
                           .n = size,
                           .k = size,
                           .a_row = a_row,
                           .a_col = 3 - a_row,
                           .b_row = b_row,
                           .b_col = 3 - b_row,
                           .c_row = 2};
      (void)berth_onednn_sgemm(&gemm, ones, ones, c);
    }
  }
  berth_visit_settle();
}

bool berth_onednn_ready(void) {
  int now = atomic_load_explicit(&state, memory_order_acquire);
  if (now != UNTRIED) return now == READY;
  if (!berth_visit_begin()) return false;
  char said[256] = "";
  berth_mutex_lock(&lock);
  now = atomic_load(&state);
  if (now == UNTRIED) {
    now = open_library(said, sizeof(said));
    if (now == READY) use_once();
    atomic_store_explicit(&state, now, memory_order_release);
  }
  berth_mutex_unlock(&lock);
  berth_visit_end();
  if (said[0] != '\0') berth_trace("kernel", "%s", said);
  return now == READY;
}

const char *berth_onednn_name(void) {
  bool is_open = atomic_load_explicit(&state, memory_order_acquire) == READY;
  return is_open ? berth_dynlib_name(library) : NULL;
}

bool berth_onednn_sgemm(const berth_gemm_t *gemm, const float *a,
                        const float *b, float *c) {
  if (!berth_visit_begin()) return false;
  // The number is a setting of the calling thread, which may belong to a
  // program that uses OpenMP itself.
  int before = 1;
  if (onednn.omp_set_num_threads != NULL) {
    before = onednn.omp_get_max_threads();
    onednn.omp_set_num_threads(1);
  }
  bool across_a = gemm->a_col != 1, across_b = gemm->b_col != 1;
  int status = onednn.dnnl_sgemm(
      across_a ? 'T' : 'N', across_b ? 'T' : 'N', gemm->m, gemm->n, gemm->k,
      1.0f, a, across_a ? gemm->a_col : gemm->a_row, b,
      across_b ? gemm->b_col : gemm->b_row, 0.0f, c, gemm->c_row);
  if (onednn.omp_set_num_threads != NULL) onednn.omp_set_num_threads(before);
  berth_visit_end();
  return status == 0;
}
