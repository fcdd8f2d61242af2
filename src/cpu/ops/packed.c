// packed.c - Constant matrices, packed once for all plans that multiply by them.
#include "cpu/ops/packed.h"

#include <string.h>

#include "base/alloc.h"
#include "base/fork.h"
#include "base/thread.h"

enum { ALIGNED = 64, LARGE = 1 << 20 };

struct berth_packed {
  berth_packed_t *next;
  berth_matrices_t of;
  float *factors;        // NULL: none.
  int64_t claims;        // Plans that may use it.
  _Atomic(char *) data;  // In |block|, aligned; NULL: not packed yet.
  void *block;
};

// Guards the list, and what is in it but for |data|.
static berth_mutex_t lock = BERTH_MUTEX_INIT;
BERTH_FORK_HOLDS(lock, BERTH_FORK_LEAF)
static berth_packed_t *first;

// ---- Claims ----

static bool has_factors(const berth_packed_t *packed, const float *factors) {
  if (packed->factors == NULL || factors == NULL) {
    return packed->factors == NULL && factors == NULL;
  }
  return memcmp(packed->factors, factors,
                (size_t)packed->of.gemm.n * sizeof(float)) == 0;
}

// The value is alive as long as some plan claims it: its address is its name.
static bool is_same(const berth_packed_t *packed, const berth_matrices_t *m) {
  const berth_matrices_t *of = &packed->of;
  return of->value == m->value && of->pack == m->pack && of->make == m->make &&
         of->window == m->window && of->count == m->count &&
         of->step == m->step && of->size == m->size &&
         of->gemm.n == m->gemm.n && of->gemm.k == m->gemm.k &&
         of->gemm.b_row == m->gemm.b_row && of->gemm.b_col == m->gemm.b_col;
}

static void packed_free(berth_packed_t *packed) {
  berth_free(packed->factors);
  berth_free(packed->block);
  berth_free(packed);
}

static berth_packed_t *packed_make(const berth_matrices_t *m,
                                   const float *factors) {
  berth_packed_t *packed = berth_calloc(1, sizeof(*packed));
  if (packed == NULL) return NULL;
  packed->of = *m;
  if (factors == NULL) return packed;
  size_t size = (size_t)m->gemm.n * sizeof(float);
  packed->factors = berth_alloc(size);
  if (packed->factors != NULL) {
    memcpy(packed->factors, factors, size);
    return packed;
  }
  berth_free(packed);
  return NULL;
}

// Gives a claim back; as the end of a plan.
static void drop(void *thing) {
  berth_packed_t *packed = thing;
  berth_mutex_lock(&lock);
  bool is_last = --packed->claims == 0;
  if (is_last) {
    berth_packed_t **link = &first;
    while (*link != packed) link = &(*link)->next;
    *link = packed->next;
  }
  berth_mutex_unlock(&lock);
  if (is_last) packed_free(packed);
}

const berth_packed_t *berth_packed_claim(berth_prepare_t *prepare,
                                         const berth_matrices_t *matrices,
                                         const float *factors) {
  berth_mutex_lock(&lock);
  berth_packed_t *packed = first;
  while (packed != NULL &&
         !(is_same(packed, matrices) && has_factors(packed, factors))) {
    packed = packed->next;
  }
  if (packed == NULL) {
    packed = packed_make(matrices, factors);
    if (packed != NULL) {
      packed->next = first;
      first = packed;
    }
  }
  if (packed != NULL) ++packed->claims;
  berth_mutex_unlock(&lock);
  bool is_owned = packed != NULL && berth_prepare_own(prepare, packed, drop);
  return is_owned ? packed : NULL;
}

// ---- Packing ----

// Multiplies the columns of a packed matrix: |k| rows of panels of so many.
static void scale(const berth_packed_t *packed, float *data) {
  const berth_gemm_t *gemm = &packed->of.gemm;
  int64_t cols = BERTH_ISA_PICK(berth_cpu_gemm_loops)->f32_cols;
  int64_t width = berth_gemm_width(gemm->n);
  for (int64_t p = 0; p < gemm->k; p += BERTH_GEMM_DEPTH) {
    int64_t k = gemm->k - p < BERTH_GEMM_DEPTH ? gemm->k - p : BERTH_GEMM_DEPTH;
    for (int64_t j = 0; j < gemm->n; j += cols) {
      float *panel = data + p * width + j * k;
      int64_t wide = gemm->n - j < cols ? gemm->n - j : cols;
      for (int64_t i = 0; i < k; ++i, panel += cols) {
        for (int64_t c = 0; c < wide; ++c) panel[c] *= packed->factors[j + c];
      }
    }
  }
}

// Returns memory, in huge pages where it fills some: small ones take longer to
// come than to be filled.
static void *alloc_block(size_t size) {
  return size >= LARGE ? berth_alloc_large(size) : berth_alloc(size);
}

// Packs what |packed| is of; the lock is held.
static char *pack(berth_packed_t *packed) {
  const berth_matrices_t *m = &packed->of;
  int64_t each = berth_gemm_packed(m->gemm.k, m->gemm.n, m->size);
  size_t size = (size_t)(m->count * each);
  void *made = NULL;
  if (m->make != NULL) {
    made = alloc_block((size_t)(m->count * m->step * m->size));
    if (made == NULL) return NULL;
    m->make(m, made);
  }
  packed->block = alloc_block(size + ALIGNED);
  if (packed->block == NULL) {
    berth_free(made);
    return NULL;
  }
  char *data = (char *)packed->block +
               (-(uintptr_t)packed->block & (uintptr_t)(ALIGNED - 1));
  const char *from = made != NULL ? made : m->value;
  for (int64_t i = 0; i < m->count; ++i, from += m->step * m->size) {
    for (int64_t p = 0; p < m->gemm.k; p += BERTH_GEMM_DEPTH) {
      m->pack(&m->gemm, from, p, data + i * each);
    }
    if (packed->factors == NULL) continue;
    scale(packed, (float *)(void *)(data + i * each));
  }
  berth_free(made);
  return data;
}

const void *berth_packed_data(const berth_packed_t *claimed) {
  berth_packed_t *packed = (berth_packed_t *)(uintptr_t)claimed;
  char *data = atomic_load_explicit(&packed->data, memory_order_acquire);
  if (data != NULL) return data;
  berth_mutex_lock(&lock);
  data = atomic_load_explicit(&packed->data, memory_order_relaxed);
  if (data == NULL) {
    data = pack(packed);
    atomic_store_explicit(&packed->data, data, memory_order_release);
  }
  berth_mutex_unlock(&lock);
  return data;
}
