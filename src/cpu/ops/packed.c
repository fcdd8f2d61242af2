// packed.c - Constant matrices, packed once for all plans that multiply by them.
#include "cpu/ops/packed.h"

#include "base/alloc.h"
#include "base/fork.h"
#include "base/thread.h"

enum { ALIGNED = 64 };

typedef struct packed packed_t;
struct packed {
  packed_t *next;
  berth_matrices_t of;
  berth_gemm_pack_fn pack;
  int64_t refs;  // Plans that use it.
  char *data;    // In |block|, aligned.
  void *block;
};

// Guards the list, and what is in it but for |data|.
static berth_mutex_t lock = BERTH_MUTEX_INIT;
BERTH_FORK_HOLDS(lock, BERTH_FORK_LEAF)
static packed_t *first;

// The value is alive as long as some plan uses it packed: its address is its
// name.
static bool is_same(const packed_t *packed, const berth_matrices_t *m,
                    berth_gemm_pack_fn pack) {
  const berth_matrices_t *of = &packed->of;
  return of->value == m->value && packed->pack == pack &&
         of->count == m->count && of->step == m->step && of->size == m->size &&
         of->gemm.n == m->gemm.n && of->gemm.k == m->gemm.k &&
         of->gemm.b_row == m->gemm.b_row && of->gemm.b_col == m->gemm.b_col;
}

static packed_t *find(const berth_matrices_t *m, berth_gemm_pack_fn pack) {
  packed_t *packed = first;
  while (packed != NULL && !is_same(packed, m, pack)) packed = packed->next;
  return packed;
}

static packed_t *make(const berth_matrices_t *m, berth_gemm_pack_fn pack) {
  int64_t each = berth_gemm_packed(m->gemm.k, m->gemm.n, m->size);
  packed_t *packed = berth_calloc(1, sizeof(*packed));
  if (packed == NULL) return NULL;
  packed->block = berth_alloc((size_t)(m->count * each) + ALIGNED);
  if (packed->block == NULL) {
    berth_free(packed);
    return NULL;
  }
  packed->of = *m;
  packed->pack = pack;
  packed->data = (char *)packed->block +
                 (-(uintptr_t)packed->block & (uintptr_t)(ALIGNED - 1));
  for (int64_t i = 0; i < m->count; ++i) {
    const char *from = (const char *)m->value + i * m->step * m->size;
    for (int64_t p = 0; p < m->gemm.k; p += BERTH_GEMM_DEPTH) {
      pack(&m->gemm, from, p, packed->data + i * each);
    }
  }
  return packed;
}

static void drop(void *thing) {
  packed_t *packed = thing;
  berth_mutex_lock(&lock);
  bool is_last = --packed->refs == 0;
  if (is_last) {
    packed_t **link = &first;
    while (*link != packed) link = &(*link)->next;
    *link = packed->next;
  }
  berth_mutex_unlock(&lock);
  if (!is_last) return;
  berth_free(packed->block);
  berth_free(packed);
}

const void *berth_packed_get(berth_prepare_t *prepare,
                             const berth_matrices_t *matrices,
                             berth_gemm_pack_fn pack) {
  berth_mutex_lock(&lock);
  packed_t *packed = find(matrices, pack);
  if (packed == NULL) {
    packed = make(matrices, pack);
    if (packed != NULL) {
      packed->next = first;
      first = packed;
    }
  }
  if (packed != NULL) ++packed->refs;
  berth_mutex_unlock(&lock);
  if (packed == NULL || !berth_prepare_own(prepare, packed, drop)) return NULL;
  return packed->data;
}
