// onednn.c - oneDNN's product of matrices.
#include "softgpu/onednn.h"

#include <stdatomic.h>
#include <string.h>

#include "base/dynlib.h"
#include "base/env.h"
#include "base/thread.h"
#include "base/visit.h"

typedef int (*sgemm_fn)(char, char, int64_t, int64_t, int64_t, float,
                        const float *, int64_t, const float *, int64_t, float,
                        float *, int64_t);
typedef int (*max_threads_fn)(void);
typedef void (*set_threads_fn)(int);

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards opening.
static bool is_tried = false;
// NULL until it is open, which it then is for the life of the process.
static _Atomic(berth_dynlib_t *) library = NULL;
// Constant once it is open. The last two belong to OpenMP; NULL without it.
static sgemm_fn sgemm;
static max_threads_fn max_threads;
static set_threads_fn set_threads;

// Stores the address of |symbol|; one of a function does not convert in ISO C.
static bool find(berth_dynlib_t *lib, const char *symbol, void *out_function) {
  void *address = berth_dynlib_find(lib, symbol);
  memcpy(out_function, &address, sizeof(address));
  return address != NULL;
}

// Returns the library with all that is needed of it, or NULL.
static berth_dynlib_t *open_library(void) {
  static const char *const names[] = {"libdnnl.so.3", "libdnnl.so.2", NULL};
  berth_dynlib_t *lib = NULL;
  if (!berth_env_bool("BERTH_ONEDNN", true) ||
      berth_dynlib_open(names, &lib, NULL) != BERTH_OK) {
    return NULL;
  }
  if (!find(lib, "dnnl_sgemm", &sgemm)) {
    berth_dynlib_close(lib);
    return NULL;
  }
  bool has_openmp = find(lib, "omp_get_max_threads", &max_threads);
  has_openmp = find(lib, "omp_set_num_threads", &set_threads) && has_openmp;
  if (!has_openmp) set_threads = NULL;
  return lib;
}

// Does a product of one element and of two, transposed or not: oneDNN writes
// its machine code at first use, and leaves handlers for the end of the process.
static void use_once(void) {
  static const char *const ways[] = {"NN", "TN", "NT", "TT"};
  static const float ones[4] = {1, 1, 1, 1};
  float c[4];
  for (int i = 0; i < BERTH_COUNT_OF(ways); ++i) {
    for (int64_t size = 1; size <= 2; ++size) {
      berth_soft_product_t product = {.trans_a = ways[i][0],
                                      .trans_b = ways[i][1],
                                      .m = size,
                                      .n = size,
                                      .k = size,
                                      .a = ones,
                                      .lda = 2,
                                      .b = ones,
                                      .ldb = 2,
                                      .c = c,
                                      .ldc = 2};
      (void)berth_soft_onednn_run(&product);
    }
  }
  berth_visit_settle();
}

void berth_soft_onednn_open(void) {
  if (!berth_visit_begin()) return;
  berth_mutex_lock(&lock);
  if (!is_tried) {
    atomic_store(&library, open_library());
    use_once();
  }
  is_tried = true;
  berth_mutex_unlock(&lock);
  berth_visit_end();
}

bool berth_soft_onednn_run(const berth_soft_product_t *p) {
  if (atomic_load_explicit(&library, memory_order_acquire) == NULL ||
      !berth_visit_begin()) {
    return false;
  }
  // One thread: OpenMP's own do not survive a fork, and the thread sanitizer
  // does not see them wait for each other. The setting is the thread's.
  int before = 1;
  if (set_threads != NULL) {
    before = max_threads();
    set_threads(1);
  }
  int status = sgemm(p->trans_a, p->trans_b, p->m, p->n, p->k, 1.0f, p->a,
                     p->lda, p->b, p->ldb, p->keep ? 1.0f : 0.0f, p->c, p->ldc);
  if (set_threads != NULL) set_threads(before);
  berth_visit_end();
  return status == 0;
}
