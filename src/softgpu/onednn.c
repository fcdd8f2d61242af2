// onednn.c - oneDNN's product of matrices.
#include "softgpu/onednn.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/dynlib.h"
#include "base/env.h"
#include "base/guard.h"
#include "base/thread.h"
#include "base/visit.h"

// What should be free before something that cannot bear to have no memory, with
// room to spare. Opening maps 60 MiB; the code for products takes 6 to 10.
enum { OPEN_BYTES = 96 << 20, WARM_BYTES = 24 << 20, OPENMP_BYTES = 4096 };

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
static berth_guard_t guard;

// Stores the address of |symbol|; one of a function does not convert in ISO C.
static bool find(berth_dynlib_t *lib, const char *symbol, void *out_function) {
  void *address = berth_dynlib_find(lib, symbol);
  memcpy(out_function, &address, sizeof(address));
  return address != NULL;
}

// OpenMP ends the process when it finds no memory for what it keeps about a
// thread, in the first call on it; so some is looked for before.
static bool has_memory_for_openmp(void) {
  static BERTH_THREAD_LOCAL bool is_known = false;
  if (!is_known) is_known = berth_alloc_probe(OPENMP_BYTES);
  return is_known;
}

typedef struct work {
  const berth_soft_product_t *product;
  int status;
} work_t;

static void multiply(void *arg) {
  work_t *work = arg;
  const berth_soft_product_t *p = work->product;
  work->status =
      sgemm(p->trans_a, p->trans_b, p->m, p->n, p->k, 1.0f, p->a, p->lda, p->b,
            p->ldb, p->keep ? 1.0f : 0.0f, p->c, p->ldc);
}

static bool run(const berth_soft_product_t *product) {
  if (set_threads != NULL && !has_memory_for_openmp()) return false;
  if (!berth_visit_begin()) return false;
  // One thread: OpenMP's own do not survive a fork, and the thread sanitizer
  // does not see them wait for each other. The setting is the thread's.
  int before = 1;
  if (set_threads != NULL) {
    before = max_threads();
    set_threads(1);
  }
  work_t work = {product, 0};
  bool has_returned = berth_guard_call(&guard, multiply, &work);
  if (set_threads != NULL) set_threads(before);
  berth_visit_end();
  return has_returned && work.status == 0;
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
    berth_soft_product_t product = {.trans_a = way & 1 ? 'T' : 'N',
                                    .trans_b = way & 2 ? 'T' : 'N',
                                    .m = size,
                                    .n = size,
                                    .k = size,
                                    .a = zeros,
                                    .lda = size,
                                    .b = zeros,
                                    .ldb = size,
                                    .c = result,
                                    .ldc = size};
    is_warm = run(&product);
  }
  // What it leaves for the end of the process is there now.
  if (is_warm) berth_visit_settle();
  return is_warm;
}

// Returns the library with all that is needed of it, or NULL.
static berth_dynlib_t *open_library(void) {
  static const char *const names[] = {"libdnnl.so.3", "libdnnl.so.2", NULL};
  berth_dynlib_t *lib = NULL;
  if (!berth_env_bool("BERTH_ONEDNN", true) || !berth_alloc_probe(OPEN_BYTES) ||
      berth_dynlib_open(names, &lib, NULL) != BERTH_OK) {
    return NULL;
  }
  bool has_openmp = find(lib, "omp_get_max_threads", &max_threads);
  has_openmp = find(lib, "omp_set_num_threads", &set_threads) && has_openmp;
  if (!has_openmp) set_threads = NULL;
  if (!find(lib, "dnnl_sgemm", &sgemm) || !berth_guard_init(&guard, lib)) {
    berth_dynlib_close(lib);
    return NULL;
  }
  if (warm_up()) return lib;
  berth_dynlib_keep(lib);  // What has been used is not closed.
  return NULL;
}

void berth_soft_onednn_open(void) {
  if (!berth_visit_begin()) return;
  berth_mutex_lock(&lock);
  if (!is_tried) atomic_store(&library, open_library());
  is_tried = true;
  berth_mutex_unlock(&lock);
  berth_visit_end();
}

bool berth_soft_onednn_run(const berth_soft_product_t *product) {
  bool is_open = atomic_load_explicit(&library, memory_order_acquire) != NULL;
  return is_open && run(product);
}
