// onednn.c - Opening oneDNN, and its product of matrices.
#include "cpu/onednn.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/dynlib.h"
#include "base/env.h"
#include "base/fault.h"
#include "base/fork.h"
#include "base/guard.h"
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

// Environments of Python to look into, and room for a path there.
enum { PLACES = 3, PATH_SIZE = 1024 };

// What should be free before something that cannot bear to have no memory, with
// room to spare. Opening maps 60 MiB; the code for products takes 6 to 10.
enum { OPEN_BYTES = 96 << 20, WARM_BYTES = 24 << 20, OPENMP_BYTES = 4096 };

// dnnl_status_t, the same in versions 2 and 3.
enum { STATUS_SUCCESS = 0, STATUS_OUT_OF_MEMORY = 1 };

static atomic_int state = UNTRIED;
static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards opening.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LIBRARY)
// Constant once READY.
static onednn_t onednn;
static berth_guard_t guard;
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

// OpenMP ends the process when it finds no memory for what it keeps about a
// thread, in the first call on it; so some is looked for before.
static bool has_memory_for_openmp(void) {
  static BERTH_THREAD_LOCAL bool is_known = false;
  if (!is_known) is_known = berth_alloc_probe(OPENMP_BYTES);
  return is_known;
}

typedef struct product {
  const berth_gemm_t *gemm;
  const float *a, *b;
  float *c;
  int status;
} product_t;

static void multiply(void *arg) {
  product_t *p = arg;
  const berth_gemm_t *gemm = p->gemm;
  bool across_a = gemm->a_col != 1, across_b = gemm->b_col != 1;
  p->status = onednn.dnnl_sgemm(
      across_a ? 'T' : 'N', across_b ? 'T' : 'N', gemm->m, gemm->n, gemm->k,
      1.0f, p->a, across_a ? gemm->a_col : gemm->a_row, p->b,
      across_b ? gemm->b_col : gemm->b_row, 0.0f, p->c, gemm->c_row);
}

berth_onednn_result_t berth_onednn_sgemm(const berth_gemm_t *gemm,
                                         const float *a, const float *b,
                                         float *c) {
  bool has_openmp = onednn.omp_set_num_threads != NULL;
  if (berth_fault("onednn") || (has_openmp && !has_memory_for_openmp())) {
    return BERTH_ONEDNN_NO_MEMORY;
  }
  if (!berth_visit_begin()) return BERTH_ONEDNN_REFUSED;
  // The number is a setting of the calling thread, which may belong to a
  // program that uses OpenMP itself.
  int before = 1;
  if (has_openmp) {
    before = onednn.omp_get_max_threads();
    onednn.omp_set_num_threads(1);
  }
  product_t product = {gemm, a, b, c, STATUS_SUCCESS};
  bool has_returned = berth_guard_call(&guard, multiply, &product);
  if (has_openmp) onednn.omp_set_num_threads(before);
  berth_visit_end();
  // What it throws is std::bad_alloc; everything else it returns.
  if (!has_returned || product.status == STATUS_OUT_OF_MEMORY) {
    return BERTH_ONEDNN_NO_MEMORY;
  }
  return product.status == STATUS_SUCCESS ? BERTH_ONEDNN_DONE
                                          : BERTH_ONEDNN_REFUSED;
}

// Makes products of each kind, for which oneDNN writes code that it keeps.
// Without memory for that it may crash, so some is looked for before.
static bool warm_up(void) {
  enum { LARGE = 64, SMALL = 4 };
  static const float zeros[LARGE * LARGE];
  static float result[LARGE * LARGE];
  bool is_warm = berth_alloc_probe(WARM_BYTES);
  for (int way = 0; is_warm && way < 8; ++way) {
    int64_t size = way & 4 ? SMALL : LARGE;
    bool across_a = way & 1, across_b = way & 2;
    berth_gemm_t gemm = {.m = size,
                         .n = size,
                         .k = size,
                         .a_row = across_a ? 1 : size,
                         .a_col = across_a ? size : 1,
                         .b_row = across_b ? 1 : size,
                         .b_col = across_b ? size : 1,
                         .c_row = size};
    is_warm =
        berth_onednn_sgemm(&gemm, zeros, zeros, result) == BERTH_ONEDNN_DONE;
  }
  // What it leaves for the end of the process is there now.
  if (is_warm) berth_visit_settle();
  return is_warm;
}

// ---- Opening ----

// Writes where Python's package of oneDNN has the library to |path|: the folder
// lib of the environment that Berth is installed in (place 0), or of the one
// that is active. False when there is no such environment.
static bool package_path(int place, char path[PATH_SIZE]) {
  static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
  char folder[PATH_SIZE - 64];
  if (place == 0) {
    // Below lib/python3.x/site-packages, and nowhere else.
    if (!berth_dynlib_own_folder(folder, sizeof(folder)) ||
        strstr(folder, "/lib/python3") == NULL ||
        strstr(folder, "-packages/") == NULL) {
      return false;
    }
    snprintf(path, PATH_SIZE, "%s/../../../libdnnl.so.3", folder);
    return true;
  }
  const char *prefix = berth_env_get(variables[place - 1]);
  // Only a whole path: no library comes from the current folder.
  if (prefix == NULL || prefix[0] != '/' || strlen(prefix) >= sizeof(folder)) {
    return false;
  }
  snprintf(path, PATH_SIZE, "%s/lib/libdnnl.so.3", prefix);
  return true;
}

// Opens what the loader finds, or what Python has; the newer version first.
static berth_code_t open_any(berth_dynlib_t **out_lib, berth_error_t *err) {
  // The library's name is one of them as long as it is open; the lock is held.
  static char paths[PLACES][PATH_SIZE];
  const char *names[PLACES + 3] = {"libdnnl.so.3"};
  int count = 1;
  for (int i = 0; i < PLACES; ++i) {
    if (package_path(i, paths[i])) names[count++] = paths[i];
  }
  names[count] = "libdnnl.so.2";
  return berth_dynlib_open(names, out_lib, err);
}

// Opens the library file and writes what came of it to |said|.
static int open_file(char *said, size_t size) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_dynlib_t *lib = NULL;
  int result = ABSENT;
  if (!berth_env_bool("BERTH_ONEDNN", true)) {
    snprintf(said, size, "oneDNN is switched off by BERTH_ONEDNN");
  } else if (!berth_alloc_probe(OPEN_BYTES)) {
    snprintf(said, size, "no memory to open oneDNN now");
    result = UNTRIED;
  } else if (open_any(&lib, &err) != BERTH_OK) {
    snprintf(said, size, "no oneDNN, products run on own loops: %s",
             berth_error_message(&err));
  } else if (!find_all(lib)) {
    snprintf(said, size, "%s lacks symbols, products run on own loops",
             berth_dynlib_name(lib));
  } else if (!berth_guard_init(&guard, lib)) {
    snprintf(said, size,
             "exceptions of %s cannot be caught, products run on own loops",
             berth_dynlib_name(lib));
  } else {
    // The library stays for the life of the process, and so does its handle.
    snprintf(said, size, "opened %s for heavy products",
             berth_dynlib_name(lib));
    library = lib;
    result = READY;
  }
  if (result != READY) berth_dynlib_close(lib);
  berth_error_clear(&err);
  return result;
}

// Makes the library ready and writes what came of it to |said|.
static int make_ready(char *said, size_t size) {
  int result = library != NULL ? READY : open_file(said, size);
  if (result != READY || warm_up()) return result;
  snprintf(said, size, "no memory for %s now", berth_dynlib_name(library));
  return UNTRIED;
}

bool berth_onednn_ready(void) {
  int now = atomic_load_explicit(&state, memory_order_acquire);
  if (now != UNTRIED) return now == READY;
  char said[256] = "";
  if (!berth_visit_begin()) return false;
  berth_mutex_lock(&lock);
  now = atomic_load(&state);
  if (now == UNTRIED) {
    now = make_ready(said, sizeof(said));
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
