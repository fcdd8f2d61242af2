// bestfit.c - Decides where in a region an allocation goes.
//
// Free spans are kept in bins by size, and each bin is a treap (a tree ordered
// by (size, offset) whose random priorities keep it balanced):
//
//     bits   0 0 1 0 0 1 ...            bins 1 to 15 hold one size each; from
//                |     |                there on eight bins for every power of
//     bins       T1    T2               two, so that a bin is narrow and its
//               /  \                    tree small.
//             s3    s7
//
// Finding the best fit is: the least element of the request's own bin that is
// not too small, or else the least of the next bin that is not empty. Plain
// sorted lists in the bins would be simpler and as fast on average, but a
// program that frees ten thousand tensors of one size makes them linear.
#include "memory/bestfit.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"

enum {
  EXACT_BINS = 16,  // Below this many grains a bin holds one size.
  SUB_BITS = 3,     // Eight bins for each power of two above.
  FIRST_SLAB = 16,
  LAST_SLAB = 1024,
};

// Records come in slabs, which double: most regions hold few spans.
struct berth_span_slab {
  berth_span_slab_t *next;
  uint32_t count;
  berth_span_t spans[];
};

// ---- Bins ----

static int bin_of(uint64_t size) {
  uint64_t grains = size / BERTH_BESTFIT_GRAIN;
  if (grains < EXACT_BINS) return (int)grains;
  int log = 63 - __builtin_clzll(grains);
  int sub = (int)(grains >> (log - SUB_BITS)) & ((1 << SUB_BITS) - 1);
  return EXACT_BINS + ((log - 4) << SUB_BITS) + sub;
}

// Returns the first bin from |bin| on that is not empty, or -1.
static int bin_find(const berth_bestfit_t *fit, int bin) {
  int word = bin / 64;
  if (word >= BERTH_BESTFIT_WORDS) return -1;
  uint64_t bits = fit->bits[word] & (~(uint64_t)0 << (bin % 64));
  while (bits == 0) {
    if (++word == BERTH_BESTFIT_WORDS) return -1;
    bits = fit->bits[word];
  }
  return word * 64 + __builtin_ctzll(bits);
}

// ---- Trees ----

static bool comes_before(const berth_span_t *a, const berth_span_t *b) {
  return a->size < b->size || (a->size == b->size && a->offset < b->offset);
}

// Goes down to where |span| belongs by priority and splits what hangs there
// into its two subtrees.
static void tree_insert(berth_span_t **link, berth_span_t *span) {
  while (*link != NULL && (*link)->priority >= span->priority) {
    link = comes_before(span, *link) ? &(*link)->left : &(*link)->right;
  }
  berth_span_t *rest = *link, **low = &span->left, **high = &span->right;
  *link = span;
  while (rest != NULL) {
    if (comes_before(rest, span)) {
      *low = rest;
      low = &rest->right;
      rest = rest->right;
    } else {
      *high = rest;
      high = &rest->left;
      rest = rest->left;
    }
  }
  *low = *high = NULL;
}

// Puts the two subtrees of |span| together in its place.
static void tree_remove(berth_span_t **link, const berth_span_t *span) {
  while (*link != span) {
    link = comes_before(span, *link) ? &(*link)->left : &(*link)->right;
  }
  berth_span_t *a = span->left, *b = span->right;
  while (a != NULL && b != NULL) {
    if (a->priority > b->priority) {
      *link = a;
      link = &a->right;
      a = a->right;
    } else {
      *link = b;
      link = &b->left;
      b = b->left;
    }
  }
  *link = a != NULL ? a : b;
}

// Returns the least element of |size| bytes or more, or NULL.
static berth_span_t *tree_find(berth_span_t *root, uint64_t size) {
  berth_span_t *best = NULL;
  while (root != NULL) {
    if (root->size >= size) {
      best = root;
      root = root->left;
    } else {
      root = root->right;
    }
  }
  return best;
}

// Any spread of values balances the tree; an offset is unique in its region.
static uint32_t priority_of(uint64_t offset) {
  return (uint32_t)((offset * 0x9E3779B97F4A7C15u) >> 32);
}

// I4: into the tree of its bin, and nowhere else.
static void index_add(berth_bestfit_t *fit, berth_span_t *span) {
  int bin = bin_of(span->size);
  span->priority = priority_of(span->offset);
  tree_insert(&fit->bins[bin], span);
  fit->bits[bin / 64] |= (uint64_t)1 << (bin % 64);
  fit->free_bytes += span->size;
}

static void index_remove(berth_bestfit_t *fit, berth_span_t *span) {
  int bin = bin_of(span->size);
  tree_remove(&fit->bins[bin], span);
  if (fit->bins[bin] == NULL) {
    fit->bits[bin / 64] &= ~((uint64_t)1 << (bin % 64));
  }
  fit->free_bytes -= span->size;
}

// Puts |span| in the place of |old|. What is cut off the large span at the end
// of a region, and joined with it again, mostly stays alone in its bin.
static void index_replace(berth_bestfit_t *fit, berth_span_t *old,
                          berth_span_t *span) {
  int bin = bin_of(old->size);
  if (fit->bins[bin] == old && old->left == NULL && old->right == NULL &&
      bin_of(span->size) == bin) {
    span->priority = priority_of(span->offset);
    span->left = span->right = NULL;
    fit->bins[bin] = span;
    fit->free_bytes += span->size - old->size;
    return;
  }
  index_remove(fit, old);
  index_add(fit, span);
}

static berth_span_t *index_find(const berth_bestfit_t *fit, uint64_t size) {
  int bin = bin_find(fit, bin_of(size));
  if (bin < 0) return NULL;
  berth_span_t *span = tree_find(fit->bins[bin], size);
  if (span != NULL) return span;
  bin = bin_find(fit, bin + 1);
  return bin < 0 ? NULL : tree_find(fit->bins[bin], size);
}

// ---- Records ----

static bool slab_add(berth_bestfit_t *fit) {
  uint32_t count = fit->slabs == NULL ? FIRST_SLAB : fit->slabs->count * 2;
  if (count > LAST_SLAB) count = LAST_SLAB;
  berth_span_slab_t *slab =
      berth_alloc(sizeof(*slab) + count * sizeof(slab->spans[0]));
  if (slab == NULL) return false;
  slab->next = fit->slabs;
  slab->count = count;
  fit->slabs = slab;
  for (uint32_t i = count; i-- > 0;) {
    slab->spans[i].next = fit->spare;
    fit->spare = &slab->spans[i];
  }
  return true;
}

static berth_span_t *record_take(berth_bestfit_t *fit) {
  if (fit->spare == NULL && !slab_add(fit)) return NULL;
  berth_span_t *span = fit->spare;
  fit->spare = span->next;
  return span;
}

static void record_give(berth_bestfit_t *fit, berth_span_t *span) {
  span->next = fit->spare;
  fit->spare = span;
}

// ---- The interface ----

berth_code_t berth_bestfit_init(berth_bestfit_t *fit, uint64_t size,
                                berth_split_t split, berth_error_t *err) {
  BERTH_ASSERT(size > 0 && size <= BERTH_BESTFIT_MAX &&
               size % BERTH_BESTFIT_GRAIN == 0);
  memset(fit, 0, sizeof(*fit));
  fit->size = size;
  fit->split = split;
  berth_span_t *span = record_take(fit);
  if (span == NULL) return berth_error_no_memory(err, "the spans of a region");
  *span = (berth_span_t){.size = size};
  fit->first = span;
  index_add(fit, span);
  return BERTH_OK;
}

void berth_bestfit_deinit(berth_bestfit_t *fit) {
  for (berth_span_slab_t *slab = fit->slabs, *next; slab != NULL; slab = next) {
    next = slab->next;
    berth_free(slab);
  }
  memset(fit, 0, sizeof(*fit));
}

static bool should_split(const berth_split_t *split, uint64_t have,
                         uint64_t want) {
  if (have == want) return false;
  return split->factor <= 1 || have / split->factor >= want ||
         (split->waste > 0 && have - want >= split->waste);
}

// Takes |span| out of the index, all of it or, where |split| says so, its first
// |size| bytes. The rest goes to the right: allocations pile up at the low end,
// and the high end stays whole. The two still tile what was one (I2).
//
//   before   [ span ................ ][ next ]
//   after    [ span ][ rest ........ ][ next ]
static void span_take(berth_bestfit_t *fit, berth_span_t *span, uint64_t size,
                      bool split) {
  // Without a record the caller gets the whole span: a waste, not a failure.
  berth_span_t *rest = split ? record_take(fit) : NULL;
  if (rest == NULL) {
    index_remove(fit, span);
    return;
  }
  *rest = (berth_span_t){.offset = span->offset + size,
                         .size = span->size - size,
                         .prev = span,
                         .next = span->next};
  if (span->next != NULL) span->next->prev = rest;
  span->next = rest;
  index_replace(fit, span, rest);
  span->size = size;
}

static uint64_t round_to_grain(uint64_t size) {
  return size == 0 ? BERTH_BESTFIT_GRAIN
                   : (size + BERTH_BESTFIT_GRAIN - 1) &
                         ~(uint64_t)(BERTH_BESTFIT_GRAIN - 1);
}

// Marks |span|, which is in no tree, as taken for |size| bytes.
static berth_span_t *span_use(berth_bestfit_t *fit, berth_span_t *span,
                              uint64_t size) {
  span->requested = size;
  span->in_use = true;
  span->owner = NULL;
  ++fit->used_count;
  return span;
}

berth_span_t *berth_bestfit_alloc(berth_bestfit_t *fit, uint64_t size) {
  if (size > fit->size) return NULL;
  uint64_t want = round_to_grain(size);
  berth_span_t *span = index_find(fit, want);
  if (span == NULL) return NULL;
  span_take(fit, span, want, should_split(&fit->split, span->size, want));
  return span_use(fit, span, size);
}

const berth_span_t *berth_bestfit_find(const berth_bestfit_t *fit,
                                       uint64_t size) {
  return size > fit->size ? NULL : index_find(fit, round_to_grain(size));
}

// Takes the right neighbour of |span| out of the list.
static void span_drop_next(berth_bestfit_t *fit, berth_span_t *span) {
  berth_span_t *gone = span->next;
  span->next = gone->next;
  if (span->next != NULL) span->next->prev = span;
  record_give(fit, gone);
}

// Makes |span| swallow its right neighbour, which is in no tree and whose
// record is then spare.
static void span_join(berth_bestfit_t *fit, berth_span_t *span) {
  span->size += span->next->size;
  span_drop_next(fit, span);
}

// Joins what is free on either side at once (I3).
void berth_bestfit_free(berth_bestfit_t *fit, berth_span_t *span) {
  BERTH_ASSERT(span->in_use);
  span->in_use = false;
  span->requested = 0;
  --fit->used_count;
  berth_span_t *next = span->next, *prev = span->prev;
  bool joins_next = next != NULL && !next->in_use;
  if (prev != NULL && !prev->in_use) {
    if (joins_next) {
      index_remove(fit, next);
      span_join(fit, span);
    }
    index_remove(fit, prev);
    span_join(fit, prev);
    index_add(fit, prev);
  } else if (joins_next) {
    span->size += next->size;
    index_replace(fit, next, span);
    span_drop_next(fit, span);
  } else {
    index_add(fit, span);
  }
}

// Returns the largest free span, the rightmost of equals, or NULL.
static berth_span_t *index_largest(const berth_bestfit_t *fit) {
  for (int word = BERTH_BESTFIT_WORDS; word-- > 0;) {
    if (fit->bits[word] == 0) continue;
    int bin = word * 64 + 63 - __builtin_clzll(fit->bits[word]);
    berth_span_t *span = fit->bins[bin];
    while (span->right != NULL) span = span->right;
    return span;
  }
  return NULL;
}

uint64_t berth_bestfit_largest(const berth_bestfit_t *fit) {
  const berth_span_t *span = index_largest(fit);
  return span != NULL ? span->size : 0;
}

// Takes the last |size| bytes of |span|, or all of it where there is no record.
static berth_span_t *span_take_end(berth_bestfit_t *fit, berth_span_t *span,
                                   uint64_t size) {
  uint64_t rest = span->size - size;
  span_take(fit, span, rest, rest > 0);
  if (rest == 0 || span->size != rest) return span;
  berth_span_t *far = span->next;
  index_remove(fit, far);
  index_add(fit, span);
  return far;
}

berth_span_t *berth_bestfit_alloc_far(berth_bestfit_t *fit, uint64_t size) {
  if (size > fit->size) return NULL;
  uint64_t want = round_to_grain(size);
  berth_span_t *span = index_largest(fit);
  if (span == NULL || span->size < want) return NULL;
  return span_use(fit, span_take_end(fit, span, want), size);
}

berth_span_t *berth_bestfit_take(berth_bestfit_t *fit, berth_span_t *span,
                                 uint64_t offset, uint64_t size) {
  BERTH_ASSERT(!span->in_use && span->offset <= offset &&
               offset + size <= span->offset + span->size);
  uint64_t before = offset - span->offset;
  if (before > 0) span = span_take_end(fit, span, span->size - before);
  if (span->offset == offset) {
    // Out of the index already if something was cut off on the left.
    if (before > 0) index_add(fit, span);
    span_take(fit, span, size, span->size > size);
    span_use(fit, span, size);
    if (span->size == size) return span;
  } else {
    span_use(fit, span, size);
  }
  berth_bestfit_free(fit, span);
  return NULL;
}

// ---- Checking ----

// Counts the tree at |root| in order without recursion or storage: goes from
// the least element to the next larger until there is none. Returns -1 when an
// element is out of order, in the wrong bin or in use.
static int64_t tree_check(berth_span_t *root, int bin) {
  int64_t count = 0;
  const berth_span_t *last = NULL;
  for (;;) {
    // The least element that comes after |last|.
    const berth_span_t *next = NULL;
    for (const berth_span_t *at = root; at != NULL;) {
      if (last == NULL || comes_before(last, at)) {
        next = at;
        at = at->left;
      } else {
        at = at->right;
      }
    }
    if (next == NULL) return count;
    if (next->in_use || bin_of(next->size) != bin) return -1;
    if ((next->left != NULL && (next->left->priority > next->priority ||
                                !comes_before(next->left, next))) ||
        (next->right != NULL && (next->right->priority > next->priority ||
                                 !comes_before(next, next->right)))) {
      return -1;
    }
    last = next;
    ++count;
  }
}

static const char *index_check(const berth_bestfit_t *fit, int64_t free_count) {
  int64_t indexed = 0;
  for (int bin = 0; bin < BERTH_BESTFIT_BINS; ++bin) {
    bool bit = (fit->bits[bin / 64] >> (bin % 64) & 1) != 0;
    if (bit != (fit->bins[bin] != NULL)) return "I4: a bin's bit is wrong";
    int64_t count = tree_check(fit->bins[bin], bin);
    if (count < 0) return "I4: a tree is out of order";
    indexed += count;
  }
  return indexed == free_count ? NULL : "I4: a free span is not in its bin";
}

const char *berth_bestfit_check(const berth_bestfit_t *fit) {
  uint64_t end = 0, free_bytes = 0, used_count = 0;
  int64_t free_count = 0;
  const berth_span_t *prev = NULL;
  for (const berth_span_t *s = fit->first; s != NULL; prev = s, s = s->next) {
    if (s->size == 0 || s->size % BERTH_BESTFIT_GRAIN != 0) return "I1";
    if (s->offset != end || s->prev != prev) return "I2: a gap or a bad link";
    if (!s->in_use && prev != NULL && !prev->in_use) {
      return "I3: two neighbours are free";
    }
    end += s->size;
    if (s->in_use) {
      ++used_count;
    } else {
      ++free_count;
      free_bytes += s->size;
    }
  }
  if (end != fit->size) return "I2: the spans do not fill the region";
  if (free_bytes != fit->free_bytes || used_count != fit->used_count) {
    return "the totals are wrong";
  }
  return index_check(fit, free_count);
}
