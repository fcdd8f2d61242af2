// pages.c - Pieces of physical memory, and where each is mapped.
#include "memory/pages.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"

berth_code_t berth_pages_init(berth_pages_t *pages, uint64_t granularity,
                              uint64_t count, berth_error_t *err) {
  memset(pages, 0, sizeof(*pages));
  pages->granularity = granularity;
  pages->count = count;
  // Large and zeroed, so the system commits only what is written.
  pages->table = berth_calloc(count, sizeof(pages->table[0]));
  if (pages->table == NULL) return berth_error_no_memory(err, "a page table");
  return BERTH_OK;
}

void berth_pages_deinit(berth_pages_t *pages) {
  BERTH_ASSERT(pages->piece_count == 0);
  berth_free(pages->table);
  memset(pages, 0, sizeof(*pages));
}

// ---- Pieces ----

berth_piece_t *berth_pages_add(berth_pages_t *pages, int order) {
  berth_piece_t *piece = berth_calloc(1, sizeof(*piece));
  if (piece == NULL) return NULL;
  piece->order = order;
  pages->held_bytes += berth_piece_size(pages, piece);
  ++pages->piece_count;
  return piece;
}

void berth_pages_remove(berth_pages_t *pages, berth_piece_t *piece) {
  BERTH_ASSERT(piece->idle_since == 0 && !piece->is_mapped);
  pages->held_bytes -= berth_piece_size(pages, piece);
  --pages->piece_count;
  berth_free(piece);
}

// I1: becomes the entry of every granule it covers, which have none.
void berth_pages_put(berth_pages_t *pages, berth_piece_t *piece,
                     uint64_t first) {
  BERTH_ASSERT(piece->idle_since == 0 && !piece->is_mapped);
  piece->first = first;
  piece->is_mapped = true;
  for (uint64_t i = first; i < berth_piece_end(piece); ++i) {
    BERTH_ASSERT(pages->table[i] == NULL);
    pages->table[i] = piece;
  }
}

void berth_pages_cut(berth_pages_t *pages, berth_piece_t *piece) {
  BERTH_ASSERT(piece->idle_since == 0 && piece->is_mapped);
  memset(&pages->table[piece->first], 0,
         (size_t)(berth_piece_end(piece) - piece->first) *
             sizeof(pages->table[0]));
  piece->is_mapped = false;
}

// ---- Idle lists ----

static berth_piece_list_t *list_of(berth_pages_t *pages,
                                   const berth_piece_t *piece) {
  return piece->is_mapped ? &pages->mapped[piece->order]
                          : &pages->loose[piece->order];
}

// I3: behind all that fell idle before, with tickets that are not below theirs.
void berth_pages_rest(berth_pages_t *pages, berth_piece_t *piece) {
  if (piece->idle_since != 0) return;
  piece->idle_since = ++pages->clock;
  for (int i = 0; i < pages->timeline_count; ++i) {
    piece->tickets[i] = atomic_load_explicit(&pages->timelines[i]->submitted,
                                             memory_order_acquire);
  }
  berth_piece_list_t *list = list_of(pages, piece);
  piece->prev = list->last;
  piece->next = NULL;
  *(list->last != NULL ? &list->last->next : &list->first) = piece;
  list->last = piece;
  pages->idle_bytes += berth_piece_size(pages, piece);
  ++pages->idle_count[piece->order];
}

void berth_pages_wake(berth_pages_t *pages, berth_piece_t *piece) {
  if (piece->idle_since == 0) return;
  piece->idle_since = 0;
  berth_piece_list_t *list = list_of(pages, piece);
  *(piece->prev != NULL ? &piece->prev->next : &list->first) = piece->next;
  *(piece->next != NULL ? &piece->next->prev : &list->last) = piece->prev;
  pages->idle_bytes -= berth_piece_size(pages, piece);
  --pages->idle_count[piece->order];
}

bool berth_pages_is_passed(const berth_pages_t *pages,
                           const berth_piece_t *piece) {
  if (!piece->is_mapped) return true;  // It has passed before it was unmapped.
  for (int i = 0; i < pages->timeline_count; ++i) {
    if (piece->tickets[i] > pages->passed[i]) return false;
  }
  return true;
}

berth_piece_t *berth_pages_find(const berth_pages_t *pages, int order,
                                uint64_t stamp) {
  // What lies nowhere has lost its place already: taking it disturbs nothing.
  if (pages->loose[order].first != NULL) return pages->loose[order].first;
  // I3: the first has passed, or none has.
  berth_piece_t *piece = pages->mapped[order].first;
  if (piece == NULL || piece->idle_since > stamp) return NULL;
  return berth_pages_is_passed(pages, piece) ? piece : NULL;
}

berth_piece_t *berth_pages_oldest(const berth_pages_t *pages, bool has_passed) {
  berth_piece_t *oldest = NULL;
  for (int i = 0; i < 2 * BERTH_PIECE_ORDERS; ++i) {
    berth_piece_t *piece = i < BERTH_PIECE_ORDERS
                               ? pages->loose[i].first
                               : pages->mapped[i - BERTH_PIECE_ORDERS].first;
    if (piece == NULL || berth_pages_is_passed(pages, piece) != has_passed) {
      continue;
    }
    if (oldest == NULL || piece->idle_since < oldest->idle_since) {
      oldest = piece;
    }
  }
  return oldest;
}

// ---- Runs ----

static bool is_within(const berth_piece_t *piece, berth_page_run_t run) {
  return piece->first >= run.first &&
         berth_piece_end(piece) <= run.first + run.count;
}

bool berth_pages_hold(berth_pages_t *pages, berth_page_run_t run) {
  bool is_covered = true;
  uint64_t end = run.first + run.count;
  for (uint64_t at = run.first; at < end;) {
    berth_piece_t *piece = pages->table[at];
    if (piece == NULL || !is_within(piece, run)) {
      is_covered = false;
      at = piece == NULL ? at + 1 : berth_piece_end(piece);
    } else {
      berth_pages_wake(pages, piece);
      at = berth_piece_end(piece);
    }
  }
  return is_covered;
}

void berth_pages_drop(berth_pages_t *pages, berth_page_run_t run) {
  uint64_t end = run.first + run.count;
  for (uint64_t at = run.first; at < end;) {
    berth_piece_t *piece = pages->table[at];
    if (piece != NULL && is_within(piece, run)) berth_pages_rest(pages, piece);
    at = piece == NULL ? at + 1 : berth_piece_end(piece);
  }
}

bool berth_pages_gap(const berth_pages_t *pages, berth_page_run_t run,
                     berth_gap_t *out_gap) {
  uint64_t end = run.first + run.count, at = run.first;
  while (at < end && pages->table[at] != NULL) {
    berth_piece_t *piece = pages->table[at];
    if (!is_within(piece, run)) {
      *out_gap = (berth_gap_t){.across = piece};
      return true;
    }
    at = berth_piece_end(piece);
  }
  if (at >= end) return false;
  uint64_t first = at;
  while (at < end && pages->table[at] == NULL) ++at;
  *out_gap = (berth_gap_t){.run = {first, at - first}};
  return true;
}

uint64_t berth_pages_missing(const berth_pages_t *pages, berth_page_run_t run) {
  uint64_t missing = run.count, end = run.first + run.count;
  for (uint64_t at = run.first; at < end;) {
    const berth_piece_t *piece = pages->table[at];
    if (piece != NULL && is_within(piece, run)) {
      missing -= berth_piece_end(piece) - piece->first;
    }
    at = piece == NULL ? at + 1 : berth_piece_end(piece);
  }
  return missing;
}

// ---- Checking ----

static const char *list_check(const berth_piece_list_t *list, int order,
                              bool is_mapped, uint64_t *count) {
  const berth_piece_t *prev = NULL;
  for (const berth_piece_t *p = list->first; p != NULL; prev = p, p = p->next) {
    if (p->prev != prev) return "I2: a bad link";
    if (p->order != order || p->is_mapped != is_mapped) return "I2: wrong list";
    if (p->idle_since == 0) return "I2: a piece in use is in an idle list";
    if (prev != NULL && prev->idle_since >= p->idle_since) return "I3";
    ++*count;
  }
  return list->last == prev ? NULL : "I2: a list's end";
}

// Adds up the mapped pieces, comparing the table with them.
static const char *table_check(const berth_pages_t *pages, uint64_t *held_bytes,
                               uint64_t *pieces) {
  for (uint64_t at = 0; at < pages->count;) {
    const berth_piece_t *piece = pages->table[at];
    if (piece == NULL) {
      ++at;
      continue;
    }
    if (!piece->is_mapped || piece->first != at) return "I1: a piece's place";
    for (; at < berth_piece_end(piece); ++at) {
      if (pages->table[at] != piece) return "I1: an entry is missing";
    }
    *held_bytes += berth_piece_size(pages, piece);
    ++*pieces;
  }
  return NULL;
}

// Compares the idle lists of one order with what is counted, and adds up what
// lies nowhere.
static const char *order_check(const berth_pages_t *pages, int order,
                               uint64_t *idle_bytes, uint64_t *loose_bytes,
                               uint64_t *loose_count) {
  uint64_t mapped = 0, loose = 0, size = pages->granularity << order;
  const char *wrong = list_check(&pages->mapped[order], order, true, &mapped);
  if (wrong == NULL) {
    wrong = list_check(&pages->loose[order], order, false, &loose);
  }
  if (wrong != NULL) return wrong;
  if (mapped + loose != pages->idle_count[order]) return "an idle count";
  *idle_bytes += (mapped + loose) * size;
  *loose_bytes += loose * size;
  *loose_count += loose;
  return NULL;
}

const char *berth_pages_check(const berth_pages_t *pages) {
  uint64_t held = 0, idle = 0, count = 0;
  const char *wrong = table_check(pages, &held, &count);
  for (int i = 0; wrong == NULL && i < BERTH_PIECE_ORDERS; ++i) {
    wrong = order_check(pages, i, &idle, &held, &count);
  }
  if (wrong != NULL) return wrong;
  if (idle != pages->idle_bytes) return "the idle bytes are wrong";
  if (held != pages->held_bytes) return "the held bytes are wrong";
  return count == pages->piece_count ? NULL : "the pieces are miscounted";
}
