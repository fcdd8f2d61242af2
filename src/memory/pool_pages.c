// pool_pages.c - The addresses of a page-mapped pool.
//
//     reservation   [ shared zone          | own zone                       ]
//
// A request takes addresses by best fit in one of two zones. In the shared one
// granules are mapped one by one and small requests lie side by side in them; a
// granule is in use while one of them is (|users|). In the own zone every
// request has whole granules, and a piece lies within one request or in none:
// so what is released can always go elsewhere, however large its neighbours.
//
// Putting memory behind the addresses is pool_move.c.
#include "base/alloc.h"
#include "base/assert.h"
#include "memory/pool_internal.h"

enum {
  // A request gets granules of its own when that wastes at most an eighth of
  // it. From sixteen granules on that is always so.
  OWN_WASTE = 8,
  // One part of the addresses is for requests that share, three for the others,
  // whose holes are the larger ones.
  SHARED_PART = 4,
  // Spans in use with which all holes are still looked at, and granules of one.
  MOST_LOOKED_AT = 4096,
};

static const berth_split_t always = {0};

// ---- Life ----

static berth_code_t zone_init(zone_t *zone, uint64_t first_granule,
                              uint64_t granules, int shift,
                              berth_error_t *err) {
  zone->first_granule = first_granule;
  zone->offset = first_granule << shift;
  return berth_bestfit_init(&zone->fit, granules << shift, always, err);
}

// Rounds the addresses wanted to parts of whole granules that are small enough
// for best fit.
static uint64_t granules_for(uint64_t bytes, int shift) {
  uint64_t most = BERTH_BESTFIT_MAX / 2;
  uint64_t granules = (bytes < most ? bytes : most) >> shift;
  granules = (granules + SHARED_PART - 1) / SHARED_PART * SHARED_PART;
  return granules > 0 ? granules : SHARED_PART;
}

berth_code_t berth_space_create(berth_page_source_t *source,
                                const berth_mapped_options_t *options,
                                space_t **out_space, berth_error_t *err) {
  BERTH_ASSERT(options->timeline_count <= BERTH_TIMELINES);
  int shift = __builtin_ctzll(source->granularity);
  BERTH_ASSERT(source->granularity == (uint64_t)1 << shift &&
               source->granularity >= BERTH_BESTFIT_GRAIN);
  space_t *space = berth_calloc(1, sizeof(*space));
  if (space == NULL) return berth_error_no_memory(err, "a reservation");
  uint64_t granules = granules_for(options->address_bytes, shift);
  uint64_t shared = granules / SHARED_PART;
  space->source = source;
  space->shift = shift;
  space->size = granules << shift;
  berth_code_t code =
      berth_pages_init(&space->pages, source->granularity, granules, err);
  if (code == BERTH_OK) {
    code = zone_init(&space->shared, 0, shared, shift, err);
  }
  if (code == BERTH_OK) {
    code = zone_init(&space->own, shared, granules - shared, shift, err);
  }
  if (code == BERTH_OK) {
    space->users = berth_calloc(shared, sizeof(space->users[0]));
    if (space->users == NULL) code = berth_error_no_memory(err, "page counts");
  }
  if (code != BERTH_OK) {
    berth_space_destroy(space);
    return code;
  }
  for (int i = 0; i < options->timeline_count; ++i) {
    space->timelines[i] = options->timelines[i];
  }
  space->pages.timelines = space->timelines;
  space->pages.timeline_count = options->timeline_count;
  *out_space = space;
  return BERTH_OK;
}

void berth_space_destroy(space_t *space) {
  if (space == NULL) return;
  if (space->base != NULL) {
    space->source->unreserve(space->source, space->base, space->size);
  }
  berth_pages_deinit(&space->pages);
  berth_bestfit_deinit(&space->shared.fit);
  berth_bestfit_deinit(&space->own.fit);
  berth_free(space->users);
  berth_free(space);
}

// ---- Spans ----

berth_page_run_t berth_space_run(const space_t *space, const zone_t *zone,
                                 const berth_span_t *span) {
  uint64_t first = span->offset >> space->shift;
  uint64_t last = (span->offset + span->size - 1) >> space->shift;
  return (berth_page_run_t){zone->first_granule + first, last - first + 1};
}

// Counts a span on the granules of |run|, which wakes the pieces there; true
// when there is one for each.
static bool shared_hold(space_t *space, berth_page_run_t run) {
  bool is_covered = true;
  for (uint64_t at = run.first; at < run.first + run.count; ++at) {
    berth_piece_t *piece = space->pages.table[at];
    ++space->users[at];
    if (piece == NULL) {
      is_covered = false;
    } else {
      berth_pages_wake(&space->pages, piece);
    }
  }
  return is_covered;
}

static void shared_drop(space_t *space, berth_page_run_t run) {
  for (uint64_t at = run.first; at < run.first + run.count; ++at) {
    berth_piece_t *piece = space->pages.table[at];
    if (--space->users[at] > 0 || piece == NULL) continue;
    berth_pages_rest(&space->pages, piece);
  }
}

static bool span_hold(space_t *space, const zone_t *zone,
                      const berth_span_t *span) {
  berth_page_run_t run = berth_space_run(space, zone, span);
  return zone == &space->shared ? shared_hold(space, run)
                                : berth_pages_hold(&space->pages, run);
}

static void zone_settle(zone_t *zone) {
  if (zone->warm != NULL) berth_bestfit_free(&zone->fit, zone->warm);
  zone->warm = NULL;
}

void berth_space_settle(space_t *space) {
  zone_settle(&space->shared);
  zone_settle(&space->own);
}

// Gives |span| back, and lets the pieces behind it rest. It stays whole for the
// next request: a loop that takes and gives one size over and over then leaves
// the index alone.
static void span_drop(space_t *space, zone_t *zone, berth_span_t *span) {
  berth_page_run_t run = berth_space_run(space, zone, span);
  if (zone == &space->shared) {
    shared_drop(space, run);
  } else {
    berth_pages_drop(&space->pages, run);
  }
  zone_settle(zone);
  span->owner = NULL;
  zone->warm = span;
}

// Chooses the zone for a request, and rounds |*size| for it.
static zone_t *zone_for(space_t *space, uint64_t *size) {
  uint64_t unit = space->pages.granularity;
  uint64_t whole = (*size + unit - 1) & ~(unit - 1);
  if (whole - *size > *size / OWN_WASTE) return &space->shared;
  *size = whole;
  return &space->own;
}

uint64_t berth_space_takes(space_t *space, uint64_t size) {
  (void)zone_for(space, &size);
  return size;
}

// Takes |size| bytes of |zone|, at the far end if |is_far|; NULL when there are
// none. Best fit hands out more than was asked for when it lacks a record for
// the rest, which here may be terabytes: that counts as a lack of memory.
static berth_span_t *span_take(zone_t *zone, uint64_t size, bool is_far) {
  berth_span_t *warm = zone->warm;
  if (warm != NULL && !is_far && warm->size >= size &&
      warm->size < size + BERTH_BESTFIT_GRAIN) {
    zone->warm = NULL;
    return warm;
  }
  zone_settle(zone);
  berth_span_t *span = is_far ? berth_bestfit_alloc_far(&zone->fit, size)
                              : berth_bestfit_alloc(&zone->fit, size);
  if (span != NULL && span->size >= size + BERTH_BESTFIT_GRAIN) {
    berth_bestfit_free(&zone->fit, span);
    return NULL;
  }
  return span;
}

// ---- Taking and giving ----

static berth_code_t is_usable(const space_t *space, berth_error_t *err) {
  if (!space->is_away) return BERTH_OK;
  return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                         "the memory of %s has been given back; restore it "
                         "before using it",
                         space->source->name);
}

// Reserves the addresses. Mark set, lock held, but not throughout.
static berth_code_t reserve(berth_pool_t *pool, berth_error_t *err) {
  space_t *space = pool->space;
  if (space->base != NULL) return BERTH_OK;
  void *base = NULL;
  berth_mutex_unlock(&pool->lock);
  berth_code_t code =
      space->source->reserve(space->source, space->size, &base, err);
  berth_mutex_lock(&pool->lock);
  if (code == BERTH_OK) space->base = base;
  return code;
}

// True when a piece that is still busy reaches over the edge of |run|: waiting
// for it would stop the host, and there may be a better place.
static bool is_blocked(const space_t *space, berth_page_run_t run) {
  uint64_t ends[] = {run.first, run.first + run.count - 1};
  for (int i = 0; i < 2; ++i) {
    const berth_piece_t *piece = space->pages.table[ends[i]];
    if (piece == NULL || piece->idle_since == 0) continue;
    if (!berth_pages_is_passed(&space->pages, piece)) return true;
  }
  return false;
}

// Takes other addresses when those of |header| are blocked and the limit allows
// new memory behind them.
static void step_aside(berth_pool_t *pool, pool_buffer_t *header) {
  space_t *space = pool->space;
  berth_span_t *span = header->span;
  if (header->zone != &space->own || berth_pool_room(pool) < span->size ||
      !is_blocked(space, berth_space_run(space, &space->own, span))) {
    return;
  }
  uint64_t size = span->size;
  berth_span_t *far = span_take(&space->own, size, true);
  if (far == NULL) return;
  span_drop(space, &space->own, span);
  span_hold(space, &space->own, far);
  header->span = far;
}

// ---- Where the least is to be moved ----

// Returns how many pieces fill |granules| at least.
static uint64_t pieces_for(uint64_t granules) {
  const uint64_t most = (uint64_t)1 << (BERTH_PIECE_ORDERS - 1);
  return granules / most + (uint64_t)__builtin_popcountll(granules % most);
}

// Returns the first granule from |at| on that something is mapped at, or |end|.
static uint64_t skip_empty(berth_piece_t *const *table, uint64_t at,
                           uint64_t end) {
  while (at < end && table[at] == NULL) ++at;
  return at;
}

// Returns about how many pieces have to be moved to back |run|; when that is
// |most| or more, any such number.
static uint64_t moves_for(const space_t *space, berth_page_run_t run,
                          uint64_t most) {
  berth_piece_t *const *table = space->pages.table;
  const uint64_t end = run.first + run.count;
  uint64_t moves = 0, gap = 0;
  for (uint64_t at = run.first; at < end && moves < most;) {
    uint64_t there = skip_empty(table, at, end);
    gap += there - at;
    at = there;
    if (at == end) break;
    const berth_piece_t *piece = table[at];
    uint64_t next = berth_piece_end(piece);
    if (piece->first >= run.first && next <= end) {
      moves += pieces_for(gap);
      gap = 0;
    } else {
      if (next > end) next = end;
      ++moves;  // It has to leave.
      gap += next - at;
    }
    at = next;
  }
  return moves + pieces_for(gap);
}

// A place that is being looked for.
typedef struct place {
  uint64_t size;
  berth_span_t *span;  // Free; NULL: none.
  uint64_t offset;
  uint64_t moves;  // What it costs.
} place_t;

static void weigh(const space_t *space, berth_span_t *span, uint64_t offset,
                  place_t *best) {
  if (offset < span->offset ||
      offset + best->size > span->offset + span->size) {
    return;
  }
  berth_page_run_t run = {space->own.first_granule + (offset >> space->shift),
                          best->size >> space->shift};
  uint64_t moves = moves_for(space, run, best->moves);
  if (moves >= best->moves) return;
  best->span = span;
  best->offset = offset;
  best->moves = moves;
}

// Looks at both ends of a free span, and beside the pieces that lie in it.
static void look_at(const space_t *space, berth_span_t *span, place_t *best) {
  const zone_t *zone = &space->own;
  berth_piece_t *const *table = space->pages.table;
  berth_page_run_t run = berth_space_run(space, zone, span);
  weigh(space, span, span->offset, best);
  weigh(space, span, span->offset + span->size - best->size, best);
  uint64_t end = run.first + run.count;
  if (run.count > MOST_LOOKED_AT) end = run.first + MOST_LOOKED_AT;
  uint64_t at = skip_empty(table, run.first, end);
  while (at < end && best->moves > 0) {
    uint64_t next = berth_piece_end(table[at]);
    uint64_t left = (at - zone->first_granule) << space->shift;
    uint64_t right = (next - zone->first_granule) << space->shift;
    weigh(space, span, left, best);
    if (right >= best->size) weigh(space, span, right - best->size, best);
    at = skip_empty(table, next, end);
  }
}

// Takes other addresses for |header| if less has to be moved there. Best fit
// knows of holes, not of what still lies in them; moving one piece costs more
// than looking at all of them.
static void move_less(berth_pool_t *pool, pool_buffer_t *header) {
  space_t *space = pool->space;
  zone_t *zone = &space->own;
  berth_span_t *span = header->span;
  if (header->zone != zone || zone->fit.used_count > MOST_LOOKED_AT) return;
  zone_settle(zone);
  place_t best = {.size = span->size,
                  .moves = moves_for(space, berth_space_run(space, zone, span),
                                     UINT64_MAX)};
  for (berth_span_t *at = zone->fit.first; at != NULL && best.moves > 0;
       at = at->next) {
    if (!at->in_use && at->size >= best.size) look_at(space, at, &best);
  }
  if (best.span == NULL) return;
  berth_span_t *taken =
      berth_bestfit_take(&zone->fit, best.span, best.offset, best.size);
  if (taken == NULL) return;
  span_drop(space, zone, span);
  span_hold(space, zone, taken);
  header->span = taken;
}

// Puts memory behind the addresses of |header|. Lock held, but not throughout.
static BERTH_NOINLINE berth_code_t back_up(berth_pool_t *pool,
                                           pool_buffer_t *header,
                                           berth_error_t *err) {
  space_t *space = pool->space;
  berth_pool_mark(pool);
  berth_code_t code = is_usable(space, err);
  if (code == BERTH_OK) code = reserve(pool, err);
  if (code == BERTH_OK) {
    berth_space_refresh(pool);
    move_less(pool, header);
    step_aside(pool, header);
    code = berth_space_fill(pool,
                            berth_space_run(space, header->zone, header->span),
                            header->zone == &space->own, err);
  }
  berth_pool_unmark(pool);
  return code;
}

// After the limit was lowered: returns what is idle before any of it is used
// again, so that a loop comes to keep the new limit. Lock held, but not
// throughout.
static BERTH_NOINLINE void come_under_limit(berth_pool_t *pool) {
  berth_pool_mark(pool);
  // What is in use stays for now: a failure is no error.
  pool->is_over = berth_space_make_room(pool, 0, NULL) != BERTH_OK;
  berth_pool_unmark(pool);
}

berth_code_t berth_space_take(berth_pool_t *pool, uint64_t size,
                              pool_buffer_t *header, berth_error_t *err) {
  space_t *space = pool->space;
  BERTH_TRY(is_usable(space, err));
  if (BERTH_UNLIKELY(pool->is_over)) come_under_limit(pool);
  uint64_t rounded = size > 0 ? size : 1;
  header->zone = NULL;
  if (size <= space->size) {
    header->zone = zone_for(space, &rounded);
    header->span = span_take(header->zone, rounded, false);
  }
  if (header->zone == NULL || header->span == NULL) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                           "no addresses are left");
  }
  if (BERTH_UNLIKELY(!span_hold(space, header->zone, header->span))) {
    berth_code_t code = back_up(pool, header, err);
    if (code != BERTH_OK) {
      span_drop(space, header->zone, header->span);
      return code;
    }
  }
  header->span->requested = size;
  berth_stats_alloc(&pool->stats, (int64_t)header->span->size);
  return BERTH_OK;
}

void berth_space_give(berth_pool_t *pool, pool_buffer_t *header) {
  berth_stats_free(&pool->stats, (int64_t)header->span->size);
  span_drop(pool->space, header->zone, header->span);
}
