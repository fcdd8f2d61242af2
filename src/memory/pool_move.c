// pool_move.c - Puts memory behind the addresses of a page-mapped pool.
//
// What a run of granules lacks is filled piece by piece. For a gap whose
// largest possible piece has order k:
//
//   1. an idle piece of order k, or up to two orders smaller, that is not
//      likely to be wanted again where it lies;
//   2. a new piece of order k, if the limit leaves room;
//   3. an idle piece as in 1, wanted or not;
//   4. if the source has refused: any smaller idle piece;
//   5. return an idle piece of another size, and go on with 2: smaller ones if
//      enough of them are idle, so that pieces become large again, and else the
//      next larger;
//   6. wait for the piece that has been idle longest to pass, and go on with 3;
//   7. fail.
//
// So nothing is refused while enough is idle, and nothing goes back to the
// source that could be used as it is. Only the thread with the mark moves
// pieces; the lock is free while the source works.
#include <string.h>

#include "base/clock.h"
#include "memory/pool_internal.h"

enum { NEAR_ORDERS = 2 };  // At most four pieces stand in for one.

// ---- Calls of the source ----

// Lets go of the lock for calls of the source, and says when; and takes it
// again, counting the time.
static int64_t begin_call(berth_pool_t *pool) {
  berth_mutex_unlock(&pool->lock);
  return berth_now_ns();
}

static void end_call(berth_pool_t *pool, int64_t begun) {
  int64_t spent = berth_now_ns() - begun;
  berth_mutex_lock(&pool->lock);
  pool->figures.source_ns += spent;
}

static void *address_of(const space_t *space, uint64_t granule) {
  return space->base + (granule << space->shift);
}

// Gets a new piece, in use and lying nowhere.
static berth_code_t piece_create(berth_pool_t *pool, int order,
                                 berth_piece_t **out_piece,
                                 berth_error_t *err) {
  space_t *space = pool->space;
  berth_piece_t *piece = berth_pages_add(&space->pages, order);
  if (piece == NULL) return berth_error_no_memory(err, "a piece's record");
  uint64_t size = berth_piece_size(&space->pages, piece);
  // Counted before the call, so that the limit holds at every moment.
  berth_stats_region(&pool->stats, (int64_t)size);
  int64_t begun = begin_call(pool);
  berth_code_t code =
      space->source->create(space->source, size, &piece->handle, err);
  end_call(pool, begun);
  if (code != BERTH_OK) {
    berth_stats_region(&pool->stats, -(int64_t)size);
    berth_pages_remove(&space->pages, piece);
    return code;
  }
  ++pool->figures.create_count;
  pool->figures.created_bytes += (int64_t)size;
  *out_piece = piece;
  return BERTH_OK;
}

// Maps a piece that lies nowhere; it rests when that fails.
static berth_code_t piece_map(berth_pool_t *pool, berth_piece_t *piece,
                              uint64_t first, berth_error_t *err) {
  space_t *space = pool->space;
  uint64_t size = berth_piece_size(&space->pages, piece);
  int64_t begun = begin_call(pool);
  berth_code_t code = space->source->map(
      space->source, address_of(space, first), size, piece->handle, err);
  end_call(pool, begun);
  if (code == BERTH_OK) {
    berth_pages_put(&space->pages, piece, first);
  } else {
    berth_pages_rest(&space->pages, piece);
  }
  return code;
}

// Takes an idle piece, and unmaps it if it lies somewhere. It rests where it
// was when that fails.
static berth_code_t piece_take(berth_pool_t *pool, berth_piece_t *piece,
                               berth_error_t *err) {
  space_t *space = pool->space;
  berth_pages_wake(&space->pages, piece);
  if (!piece->is_mapped) return BERTH_OK;
  uint64_t first = piece->first;
  uint64_t size = berth_piece_size(&space->pages, piece);
  berth_pages_cut(&space->pages, piece);
  int64_t begun = begin_call(pool);
  berth_code_t code =
      space->source->unmap(space->source, address_of(space, first), size, err);
  end_call(pool, begun);
  if (code != BERTH_OK) {
    berth_pages_put(&space->pages, piece, first);
    berth_pages_rest(&space->pages, piece);
  }
  return code;
}

// Returns a piece that is in use and lies nowhere to the source.
static void piece_return(berth_pool_t *pool, berth_piece_t *piece) {
  space_t *space = pool->space;
  uint64_t size = berth_piece_size(&space->pages, piece);
  int64_t begun = begin_call(pool);
  space->source->release(space->source, piece->handle, size);
  end_call(pool, begun);
  berth_stats_region(&pool->stats, -(int64_t)size);
  berth_pages_remove(&space->pages, piece);
  ++pool->figures.release_count;
  pool->figures.released_bytes += (int64_t)size;
}

static berth_code_t piece_release(berth_pool_t *pool, berth_piece_t *piece,
                                  berth_error_t *err) {
  BERTH_TRY(piece_take(pool, piece, err));
  piece_return(pool, piece);
  return BERTH_OK;
}

// Maps an idle piece at |first|, wherever it lies now.
static berth_code_t piece_move(berth_pool_t *pool, berth_piece_t *piece,
                               uint64_t first, berth_error_t *err) {
  BERTH_TRY(piece_take(pool, piece, err));
  BERTH_TRY(piece_map(pool, piece, first, err));
  ++pool->figures.move_count;
  pool->figures.moved_bytes +=
      (int64_t)berth_piece_size(&pool->space->pages, piece);
  return BERTH_OK;
}

// ---- Time ----

void berth_space_refresh(berth_pool_t *pool) {
  space_t *space = pool->space;
  uint64_t passed[BERTH_TIMELINES] = {0};
  berth_mutex_unlock(&pool->lock);
  for (int i = 0; i < space->pages.timeline_count; ++i) {
    passed[i] = space->timelines[i]->passed(space->timelines[i]);
  }
  int64_t now = berth_now_ns();
  berth_mutex_lock(&pool->lock);
  for (int i = 0; i < space->pages.timeline_count; ++i) {
    if (passed[i] > space->pages.passed[i]) space->pages.passed[i] = passed[i];
  }
  int64_t settle = pool->policy.settle_ns;
  berth_ages_note(&space->ages, now, space->pages.clock);
  space->settled =
      settle > 0 ? berth_ages_at(&space->ages, now - settle) : UINT64_MAX;
}

// Waits until |tickets| have passed.
static berth_code_t wait_until_passed(berth_pool_t *pool,
                                      const uint64_t tickets[BERTH_TIMELINES],
                                      berth_error_t *err) {
  space_t *space = pool->space;
  uint64_t wanted[BERTH_TIMELINES];
  memcpy(wanted, tickets, sizeof(wanted));
  berth_code_t code = BERTH_OK;
  berth_mutex_unlock(&pool->lock);
  for (int i = 0; code == BERTH_OK && i < space->pages.timeline_count; ++i) {
    code = space->timelines[i]->wait(space->timelines[i], wanted[i], err);
  }
  berth_mutex_lock(&pool->lock);
  if (code != BERTH_OK) return code;
  for (int i = 0; i < space->pages.timeline_count; ++i) {
    if (wanted[i] > space->pages.passed[i]) space->pages.passed[i] = wanted[i];
  }
  return BERTH_OK;
}

// ---- Filling ----

static int order_below(uint64_t granules) {
  int order = 63 - __builtin_clzll(granules);
  return order < BERTH_PIECE_ORDERS ? order : BERTH_PIECE_ORDERS - 1;
}

// Returns the largest idle piece of order |high| down to |low|, or NULL.
static berth_piece_t *find_down(const berth_pages_t *pages, int high, int low,
                                uint64_t stamp) {
  for (int order = high; order >= 0 && order >= low; --order) {
    berth_piece_t *piece = berth_pages_find(pages, order, stamp);
    if (piece != NULL) return piece;
  }
  return NULL;
}

// Returns the idle piece to return so that one of order |top| can be had, or
// NULL. Always cutting up the next larger one would be fewer calls now, but
// then pieces only ever become smaller: 30,000 random requests near the limit
// take half as many calls this way.
static berth_piece_t *find_spare(const berth_pages_t *pages, int top) {
  uint64_t smaller = 0;
  for (int order = 0; order < top; ++order) {
    smaller += pages->idle_count[order] << order;
  }
  if (smaller >> top > 0) {
    berth_piece_t *piece = find_down(pages, top - 1, 0, UINT64_MAX);
    if (piece != NULL) return piece;
  }
  for (int order = top + 1; order < BERTH_PIECE_ORDERS; ++order) {
    berth_piece_t *piece = berth_pages_find(pages, order, UINT64_MAX);
    if (piece != NULL) return piece;
  }
  return find_down(pages, top, 0, UINT64_MAX);
}

static berth_code_t no_room(berth_error_t *err) {
  return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                         "the limit leaves no room");
}

// What the source has refused: pieces of |order| and above.
typedef struct refusal {
  int order;
  berth_error_t reason;
} refusal_t;

static void refusal_reset(refusal_t *refusal) {
  refusal->order = BERTH_PIECE_ORDERS;
  berth_error_clear(&refusal->reason);
}

// Step 2. A refusal for lack of memory goes into |refusal| and is not final.
static berth_code_t fill_anew(berth_pool_t *pool, int order, uint64_t first,
                              refusal_t *refusal, berth_error_t *err) {
  berth_piece_t *piece = NULL;
  refusal_reset(refusal);
  berth_code_t code = piece_create(pool, order, &piece, &refusal->reason);
  if (code == BERTH_OK) return piece_map(pool, piece, first, err);
  if (code != BERTH_RESOURCE_EXHAUSTED) {
    return berth_error_move(err, &refusal->reason);
  }
  refusal->order = order;
  return BERTH_OK;
}

// Steps 5 to 7.
static berth_code_t make_way(berth_pool_t *pool, int top, refusal_t *refusal,
                             berth_error_t *err) {
  berth_pages_t *pages = &pool->space->pages;
  berth_piece_t *piece = find_spare(pages, top);
  if (piece != NULL) {
    refusal_reset(refusal);
    pool->space->has_floor = false;
    return piece_release(pool, piece, err);
  }
  piece = berth_pages_oldest(pages, false);
  if (piece != NULL) return wait_until_passed(pool, piece->tickets, err);
  return top >= refusal->order ? berth_error_move(err, &refusal->reason)
                               : no_room(err);
}

// Makes |gap| smaller by one piece, or comes a step closer to that.
static berth_code_t fill_gap(berth_pool_t *pool, berth_page_run_t gap,
                             bool is_own, refusal_t *refusal,
                             berth_error_t *err) {
  space_t *space = pool->space;
  int top = is_own ? order_below(gap.count) : 0, near = top - NEAR_ORDERS;
  bool is_refused = top >= refusal->order;
  berth_piece_t *piece = find_down(&space->pages, top, near, space->settled);
  if (piece == NULL && !is_refused &&
      berth_pool_room(pool) >= space->pages.granularity << top) {
    return fill_anew(pool, top, gap.first, refusal, err);
  }
  if (piece == NULL) {
    piece = find_down(&space->pages, top, is_refused ? 0 : near, UINT64_MAX);
  }
  if (piece != NULL) return piece_move(pool, piece, gap.first, err);
  return make_way(pool, top, refusal, err);
}

// Takes a piece out of the way that reaches over the edge of a run, as soon as
// it has passed.
static berth_code_t clear_edge(berth_pool_t *pool, berth_piece_t *piece,
                               berth_error_t *err) {
  berth_pages_t *pages = &pool->space->pages;
  if (!berth_pages_is_passed(pages, piece)) {
    return wait_until_passed(pool, piece->tickets, err);
  }
  BERTH_TRY(piece_take(pool, piece, err));
  berth_pages_rest(pages, piece);
  return BERTH_OK;
}

// Gets the policy's floor, as far as it can be had. Comes after what was asked
// for: a piece cannot be mapped in part, so one that is all of the floor would
// have to go again.
static void claim_floor(berth_pool_t *pool) {
  space_t *space = pool->space;
  space->has_floor = true;
  uint64_t floor = pool->policy.floor_bytes;
  for (;;) {
    uint64_t held = space->pages.held_bytes, room = berth_pool_room(pool);
    if (floor <= held) return;
    uint64_t want = floor - held < room ? floor - held : room;
    if (want < space->pages.granularity) return;
    berth_piece_t *piece = NULL;
    int order = order_below(want >> space->shift);
    if (piece_create(pool, order, &piece, NULL) != BERTH_OK) return;
    berth_pages_rest(&space->pages, piece);
  }
}

// True when what is idle and what the limit leaves could fill |run|; found out
// before anything is moved.
static bool is_possible(const berth_pool_t *pool, berth_page_run_t run) {
  const berth_pages_t *pages = &pool->space->pages;
  uint64_t need = berth_pages_missing(pages, run) * pages->granularity;
  uint64_t room = berth_pool_room(pool);
  return need <= room || need - room <= pages->idle_bytes;
}

berth_code_t berth_space_fill(berth_pool_t *pool, berth_page_run_t run,
                              bool is_own, berth_error_t *err) {
  space_t *space = pool->space;
  // Others have moved pieces since the caller looked.
  berth_pages_hold(&space->pages, run);
  if (!is_possible(pool, run)) return no_room(err);
  berth_code_t code = BERTH_OK;
  refusal_t refusal = {.order = BERTH_PIECE_ORDERS};
  berth_gap_t gap;
  while (code == BERTH_OK && berth_pages_gap(&space->pages, run, &gap)) {
    code = gap.across != NULL ? clear_edge(pool, gap.across, err)
                              : fill_gap(pool, gap.run, is_own, &refusal, err);
  }
  berth_error_clear(&refusal.reason);
  if (!space->has_floor) claim_floor(pool);
  return code;
}

// ---- Giving back ----

void berth_space_trim(berth_pool_t *pool, uint64_t keep, uint64_t stamp) {
  berth_pages_t *pages = &pool->space->pages;
  berth_space_refresh(pool);
  while (pages->idle_bytes > keep) {
    berth_piece_t *piece = berth_pages_oldest(pages, true);
    if (piece == NULL || piece->idle_since > stamp) return;
    uint64_t size = berth_piece_size(pages, piece);
    // Only a piece as a whole can go: better one below the floor, which is got
    // anew, than the limit not kept.
    if (pages->held_bytes - size < pool->policy.floor_bytes &&
        berth_pool_excess(pool) == 0) {
      return;
    }
    if (piece_release(pool, piece, NULL) != BERTH_OK) return;
  }
}

void berth_space_shrink(berth_pool_t *pool, uint64_t bytes) {
  berth_pages_t *pages = &pool->space->pages;
  berth_space_refresh(pool);
  uint64_t least = pages->held_bytes > bytes ? pages->held_bytes - bytes : 0;
  berth_code_t code = BERTH_OK;
  while (code == BERTH_OK && pages->held_bytes > least) {
    berth_piece_t *piece = berth_pages_oldest(pages, true);
    if (piece != NULL) {
      code = piece_release(pool, piece, NULL);
      continue;
    }
    piece = berth_pages_oldest(pages, false);
    if (piece == NULL) return;
    code = wait_until_passed(pool, piece->tickets, NULL);
  }
}

void berth_space_await(berth_pool_t *pool) {
  berth_pages_t *pages = &pool->space->pages;
  uint64_t tickets[BERTH_TIMELINES] = {0};
  if (pages->idle_bytes == 0) return;
  for (int i = 0; i < pages->timeline_count; ++i) {
    tickets[i] = atomic_load(&pages->timelines[i]->submitted);
  }
  (void)wait_until_passed(pool, tickets, NULL);
}

berth_code_t berth_space_make_room(berth_pool_t *pool, uint64_t size,
                                   berth_error_t *err) {
  berth_pages_t *pages = &pool->space->pages;
  berth_space_refresh(pool);
  berth_code_t code = BERTH_OK;
  while (code == BERTH_OK &&
         (berth_pool_room(pool) < size || berth_pool_excess(pool) > 0)) {
    berth_piece_t *piece = berth_pages_oldest(pages, true);
    if (piece != NULL) {
      code = piece_release(pool, piece, err);
      continue;
    }
    piece = berth_pages_oldest(pages, false);
    code = piece != NULL ? wait_until_passed(pool, piece->tickets, err)
                         : no_room(err);
  }
  return code;
}

// Unmaps and returns |piece|, whatever the source says.
static void piece_clear(berth_pool_t *pool, berth_piece_t *piece) {
  space_t *space = pool->space;
  berth_pages_wake(&space->pages, piece);
  if (piece->is_mapped) {
    void *address = address_of(space, piece->first);
    uint64_t size = berth_piece_size(&space->pages, piece);
    berth_pages_cut(&space->pages, piece);
    int64_t begun = begin_call(pool);
    (void)space->source->unmap(space->source, address, size, NULL);
    end_call(pool, begun);
  }
  piece_return(pool, piece);
}

void berth_space_clear(berth_pool_t *pool) {
  berth_pages_t *pages = &pool->space->pages;
  uint64_t tickets[BERTH_TIMELINES] = {0};
  for (int i = 0; i < pages->timeline_count; ++i) {
    tickets[i] = atomic_load(&pages->timelines[i]->submitted);
  }
  // A device that is lost touches nothing any more.
  (void)wait_until_passed(pool, tickets, NULL);
  for (uint64_t at = 0; at < pages->count && pages->piece_count > 0; ++at) {
    if (pages->table[at] != NULL) piece_clear(pool, pages->table[at]);
  }
  for (int order = 0; order < BERTH_PIECE_ORDERS; ++order) {
    while (pages->loose[order].first != NULL) {
      piece_clear(pool, pages->loose[order].first);
    }
  }
}
