// label.c - Names that memory is held under: ops, and lines of scripts.
//
// Texts are found by open addressing. A table that is full is replaced by one
// twice as large; older ones stay, since somebody may be reading them: together
// they are no larger than the last.
#include "memory/label.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fork.h"
#include "base/hash.h"

enum { PER_CHUNK = 1 << 10, CHUNKS = BERTH_LABELS / PER_CHUNK, MOST = 1023 };
enum { FIRST = BERTH_LABEL_NODE + 1, FIRST_SLOTS = 256 };

typedef struct text {
  uint32_t hash;
  char bytes[];
} text_t;

typedef struct chunk {
  _Atomic(text_t *) texts[PER_CHUNK];
} chunk_t;

typedef struct table {
  struct table *older;
  uint32_t slot_count;  // A power of two.
  _Atomic berth_label_t slots[];
} table_t;

BERTH_THREAD_LOCAL const char *berth_label_now = NULL;
BERTH_THREAD_LOCAL berth_label_t berth_label_line = 0;

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards adding.
BERTH_FORK_HOLDS(lock, BERTH_FORK_INNERMOST)
static _Atomic(table_t *) table = NULL;
static _Atomic(chunk_t *) chunks[CHUNKS];
static _Atomic uint32_t count = FIRST;

static const text_t *text_get(berth_label_t label) {
  chunk_t *chunk =
      atomic_load_explicit(&chunks[label / PER_CHUNK], memory_order_acquire);
  return atomic_load_explicit(&chunk->texts[label % PER_CHUNK],
                              memory_order_acquire);
}

const char *berth_label_text(berth_label_t label) {
  if (label < FIRST || label >= berth_label_count()) return "";
  return text_get(label)->bytes;
}

uint32_t berth_label_count(void) {
  return atomic_load_explicit(&count, memory_order_acquire);
}

// Returns the label of |text|, or 0.
static berth_label_t find(const table_t *in, const char *text, size_t size,
                          uint32_t hash) {
  if (in == NULL) return 0;
  for (uint32_t i = hash;; ++i) {
    berth_label_t label = atomic_load_explicit(
        &in->slots[i & (in->slot_count - 1)], memory_order_acquire);
    if (label == 0) return 0;
    const text_t *known = text_get(label);
    if (known->hash == hash && strncmp(known->bytes, text, size) == 0 &&
        known->bytes[size] == '\0') {
      return label;
    }
  }
}

static void slot_fill(table_t *in, berth_label_t label, uint32_t hash) {
  uint32_t i = hash;
  while (atomic_load_explicit(&in->slots[i & (in->slot_count - 1)],
                              memory_order_relaxed) != 0) {
    ++i;
  }
  atomic_store_explicit(&in->slots[i & (in->slot_count - 1)], label,
                        memory_order_release);
}

// Returns a table with room for one more, or NULL. Lock held.
static table_t *table_grow(void) {
  table_t *old = atomic_load(&table);
  uint32_t labels = atomic_load(&count);
  if (old != NULL && labels < old->slot_count / 2) return old;
  uint32_t slots = old != NULL ? old->slot_count * 2 : FIRST_SLOTS;
  table_t *made =
      berth_calloc(1, sizeof(*made) + slots * sizeof(made->slots[0]));
  if (made == NULL) return NULL;
  made->older = old;
  made->slot_count = slots;
  for (berth_label_t i = FIRST; i < labels; ++i) {
    slot_fill(made, i, text_get(i)->hash);
  }
  atomic_store_explicit(&table, made, memory_order_release);
  return made;
}

// Adds |text|; 0 when there is no room. Lock held.
static berth_label_t add(const char *text, size_t size, uint32_t hash) {
  berth_label_t label = atomic_load(&count);
  if (label == BERTH_LABELS) return 0;
  chunk_t *chunk = atomic_load(&chunks[label / PER_CHUNK]);
  if (chunk == NULL) chunk = berth_calloc(1, sizeof(*chunk));
  if (chunk == NULL) return 0;
  atomic_store_explicit(&chunks[label / PER_CHUNK], chunk,
                        memory_order_release);
  table_t *in = table_grow();
  text_t *made = in != NULL ? berth_alloc(sizeof(*made) + size + 1) : NULL;
  if (made == NULL) return 0;
  made->hash = hash;
  memcpy(made->bytes, text, size);
  made->bytes[size] = '\0';
  atomic_store_explicit(&chunk->texts[label % PER_CHUNK], made,
                        memory_order_release);
  atomic_store_explicit(&count, label + 1, memory_order_release);
  slot_fill(in, label, hash);
  return label;
}

berth_label_t berth_label_of(const char *text) {
  if (text == NULL || text[0] == '\0') return 0;
  size_t size = strlen(text);
  if (size > MOST) text += size - MOST;
  if (size > MOST) size = MOST;
  uint32_t hash = (uint32_t)berth_hash(text, size, 0);
  berth_label_t label = find(atomic_load_explicit(&table, memory_order_acquire),
                             text, size, hash);
  if (BERTH_LIKELY(label != 0)) return label;
  berth_mutex_lock(&lock);
  label = find(atomic_load(&table), text, size, hash);
  if (label == 0) label = add(text, size, hash);
  berth_mutex_unlock(&lock);
  return label;
}
