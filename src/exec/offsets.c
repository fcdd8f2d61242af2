// offsets.c - Where in the arena each value of a layout lies.
//
// One walk over the steps in running order: outputs take the smallest hole that
// fits, inputs give theirs back after their last use. The high-water mark is
// the arena's size, known before anything runs. Each memory has an arena and a
// walk of its own.
//
// What several streams or segments use is placed before the walk and stays
// (I3): a stream may still use bytes that the order of the steps would call
// free, and segments run in any order that their inputs allow.
//
// A fan (fan.h) is one stride of the walk. What is made and used in one part
// alone is laid out by a walk of its own, and that part gets the bytes it needs
// in one piece; what leaves a part, or is used by several, stays until the fan
// is over:
//
//   arena    … │ before │ part 1: values, scratch │ part 2 │ results │ …
#include "exec/offsets.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "exec/fan.h"
#include "exec/fuse.h"
#include "memory/bestfit.h"

// A root slot on its way through the walk.
typedef struct life {
  berth_span_t *span;  // While it holds bytes.
  int32_t last_use;    // Step; -1: never used.
  bool outlasts;       // Used after the segment it is made in.
} life_t;

typedef struct walk {
  int arena;
  berth_layout_t *layout;
  const berth_program_t *program;
  life_t *lives;  // By slot; only roots count.
  berth_bestfit_t *fit;
  uint64_t high_water;
  const berth_part_t *part;  // The walk is over its values alone; or NULL.
  struct walk *outer;        // Then: where everything else goes.
} walk_t;

static bool in_arena(const walk_t *w, int32_t slot) {
  const berth_spot_t *spot = &w->layout->spots[slot];
  return spot->storage == BERTH_STORE_ARENA && spot->arena == w->arena;
}

// True when the root |slot| is made and used in |part| alone.
static bool is_private(const walk_t *w, const berth_part_t *part,
                       int32_t slot) {
  int32_t maker = w->program->slots[slot].producer;
  const life_t *life = &w->lives[slot];
  return maker >= part->begin && maker < part->end &&
         life->last_use < part->end && !life->outlasts;
}

// True when |slot| is none of this walk's business.
static bool is_foreign(const walk_t *w, int32_t root) {
  return w->part != NULL && !is_private(w, w->part, root);
}

static uint64_t round_up(uint64_t size) {
  return (size + BERTH_BESTFIT_GRAIN - 1) / BERTH_BESTFIT_GRAIN *
         BERTH_BESTFIT_GRAIN;
}

// Notes for every root when it is last used.
static void lives_compute(walk_t *w) {
  const berth_program_t *p = w->program;
  for (int i = 0; i < p->slot_count; ++i) w->lives[i].last_use = -1;
  for (int t = 0; t < p->segment_count; ++t) {
    const berth_segment_t *segment = &p->segments[t];
    for (int s = segment->begin; s < segment->end; ++s) {
      berth_reads_t reads = berth_layout_reads(w->layout, s);
      for (int i = 0; i < reads.count; ++i) {
        int32_t root = w->layout->spots[reads.slots[i]].root;
        life_t *life = &w->lives[root];
        life->last_use = s;
        if (p->slots[root].producer < segment->begin) life->outlasts = true;
      }
    }
  }
}

// Returns the bytes all values would need side by side, rounded to the grain.
static bool total_bytes(const walk_t *w, uint64_t *out_total) {
  uint64_t total = BERTH_BESTFIT_GRAIN;
  for (int i = 0; i < w->program->slot_count; ++i) {
    if (!in_arena(w, i) || w->layout->spots[i].root != i) continue;
    int64_t size = berth_layout_bytes(w->layout, i);
    if (size < 0 || (uint64_t)size > BERTH_BESTFIT_MAX) return false;
    total += ((uint64_t)size / BERTH_BESTFIT_GRAIN + 1) * BERTH_BESTFIT_GRAIN;
    if (total > BERTH_BESTFIT_MAX) return false;
  }
  *out_total = total;
  return true;
}

// Lets |out| take over the bytes of an input that ends here, if one may: its
// last use is the making of |out| (I3).
static bool take_over(walk_t *w, int s, int32_t out, uint32_t may_overwrite) {
  berth_reads_t reads = berth_layout_reads(w->layout, s);
  for (int i = 0; i < reads.count && i < 32; ++i) {
    if ((may_overwrite >> i & 1) == 0) continue;
    int32_t root = w->layout->spots[reads.slots[i]].root;
    life_t *life = &w->lives[root];
    if (!in_arena(w, root) || life->span == NULL || life->last_use != s ||
        life->outlasts || is_foreign(w, root) || is_foreign(w, out) ||
        !berth_reads_may_lose(w->layout, reads, root, may_overwrite) ||
        berth_layout_bytes(w->layout, root) !=
            berth_layout_bytes(w->layout, out)) {
      continue;
    }
    w->lives[out].span = life->span;
    w->layout->spots[out].offset = w->layout->spots[root].offset;
    life->span = NULL;
    return true;
  }
  return false;
}

static berth_code_t output_place(walk_t *w, int32_t out, berth_error_t *err) {
  uint64_t size = (uint64_t)berth_layout_bytes(w->layout, out);
  BERTH_ASSERT(w->lives[out].span == NULL);
  if (is_foreign(w, out)) w = w->outer;
  berth_span_t *span = berth_bestfit_alloc(w->fit, size);
  if (span == NULL) return berth_error_no_memory(err, "a layout");
  w->lives[out].span = span;
  w->layout->spots[out].offset = (int64_t)span->offset;
  uint64_t end = span->offset + span->size;
  if (end > w->high_water) w->high_water = end;
  return BERTH_OK;
}

// Gives back the bytes of |slot| if step |s| was its last use (I3).
static void maybe_free(walk_t *w, int32_t slot, int s) {
  int32_t root = w->layout->spots[slot].root;
  life_t *life = &w->lives[root];
  if (life->span == NULL || life->outlasts || life->last_use > s ||
      is_foreign(w, root)) {
    return;
  }
  berth_bestfit_free(w->fit, life->span);
  life->span = NULL;
}

static berth_code_t step_walk(walk_t *w, int s, uint32_t may_overwrite,
                              berth_error_t *err) {
  const berth_step_t *step = &w->program->steps[s];
  const int32_t *outputs =
      w->program->args + step->first_arg + step->input_count;
  berth_reads_t reads = berth_layout_reads(w->layout, s);
  for (int i = 0; i < step->output_count; ++i) {
    if (!in_arena(w, outputs[i]) ||
        w->layout->spots[outputs[i]].root != outputs[i] ||
        w->lives[outputs[i]].span != NULL) {
      continue;
    }
    if (i == 0 && take_over(w, s, outputs[i], may_overwrite)) continue;
    BERTH_TRY(output_place(w, outputs[i], err));
  }
  for (int i = 0; i < reads.count; ++i) maybe_free(w, reads.slots[i], s);
  for (int i = 0; i < step->output_count; ++i) maybe_free(w, outputs[i], s);
  return BERTH_OK;
}

// Copies the offsets of roots to their aliases.
static void aliases_set(walk_t *w) {
  for (int i = 0; i < w->program->slot_count; ++i) {
    berth_spot_t *spot = &w->layout->spots[i];
    spot->offset = w->layout->spots[spot->root].offset;
  }
}

// Places what several streams or segments use.
static berth_code_t crossing_place(walk_t *w, berth_error_t *err) {
  for (int i = 0; i < w->program->slot_count; ++i) {
    const berth_spot_t *spot = &w->layout->spots[i];
    bool is_apart = spot->crosses || w->lives[i].outlasts;
    if (!in_arena(w, i) || spot->root != i || !is_apart) continue;
    w->lives[i].outlasts = true;
    BERTH_TRY(output_place(w, i, err));
  }
  return BERTH_OK;
}

// True when something lies in the arena.
static bool is_needed(const walk_t *w) {
  for (int i = 0; i < w->program->slot_count; ++i) {
    if (in_arena(w, i)) return true;
  }
  return false;
}

// ---- Fans ----

// Lays out what is private to |part|, as if it were alone; stores how many
// bytes that takes.
static berth_code_t part_walk(walk_t *outer, berth_part_t *part,
                              const berth_planned_t *plans, uint64_t *out_size,
                              berth_error_t *err) {
  berth_bestfit_t fit;
  walk_t w = *outer;
  w.fit = &fit;
  w.high_water = 0;
  w.part = part;
  w.outer = outer;
  BERTH_TRY(
      berth_bestfit_init(&fit, outer->fit->size, (berth_split_t){0, 0}, err));
  berth_code_t code = BERTH_OK;
  for (int32_t s = part->begin; code == BERTH_OK && s < part->end; ++s) {
    code = step_walk(&w, s, plans[s].may_overwrite, err);
  }
  berth_bestfit_deinit(&fit);
  *out_size = w.high_water;
  return code;
}

// Moves what is private to |part| behind |base|.
static void part_move(walk_t *w, const berth_part_t *part, uint64_t base) {
  const berth_program_t *p = w->program;
  for (int32_t s = part->begin; s < part->end; ++s) {
    const berth_step_t *step = &p->steps[s];
    for (int i = 0; i < step->output_count; ++i) {
      int32_t slot = p->args[step->first_arg + step->input_count + i];
      bool is_own = in_arena(w, slot) && w->layout->spots[slot].root == slot &&
                    is_private(w, part, slot);
      if (is_own) w->layout->spots[slot].offset += (int64_t)base;
    }
  }
}

// Gives |part| its bytes; stores what holds them, or NULL.
static berth_code_t part_place(walk_t *w, berth_part_t *part,
                               const berth_planned_t *plans,
                               berth_span_t **out_span, berth_error_t *err) {
  uint64_t values = 0;
  BERTH_TRY(part_walk(w, part, plans, &values, err));
  uint64_t size = values + part->scratch_size;
  if (size == 0) return BERTH_OK;
  *out_span = berth_bestfit_alloc(w->fit, size);
  if (*out_span == NULL) return berth_error_no_memory(err, "a layout");
  uint64_t base = (*out_span)->offset;
  part->scratch_offset = (size_t)(base + values);
  if (base + (*out_span)->size > w->high_water) {
    w->high_water = base + (*out_span)->size;
  }
  part_move(w, part, base);
  return BERTH_OK;
}

// Gives back what |fan| was the last to use.
static void fan_free(walk_t *w, const berth_fan_t *fan) {
  for (int32_t s = fan->begin; s < fan->end; ++s) {
    const berth_step_t *step = &w->program->steps[s];
    const int32_t *outputs =
        w->program->args + step->first_arg + step->input_count;
    berth_reads_t reads = berth_layout_reads(w->layout, s);
    for (int i = 0; i < reads.count; ++i) {
      maybe_free(w, reads.slots[i], fan->end - 1);
    }
    for (int i = 0; i < step->output_count; ++i) {
      maybe_free(w, outputs[i], fan->end - 1);
    }
  }
}

static berth_code_t fan_walk(walk_t *w, const berth_fan_t *fan,
                             const berth_planned_t *plans, berth_error_t *err) {
  berth_span_t **spans = berth_calloc((size_t)fan->part_count, sizeof(*spans));
  if (spans == NULL) return berth_error_no_memory(err, "a layout");
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < fan->part_count; ++i) {
    code = part_place(w, &fan->parts[i], plans, &spans[i], err);
  }
  for (int i = 0; i < fan->part_count; ++i) {
    if (spans[i] != NULL) berth_bestfit_free(w->fit, spans[i]);
  }
  fan_free(w, fan);
  berth_free(spans);
  return code;
}

// Returns the bytes of the scratch spaces of all parts.
static uint64_t parts_scratch(const walk_t *w) {
  uint64_t total = 0;
  for (int f = 0; f < w->layout->fan_count; ++f) {
    const berth_fan_t *fan = &w->layout->fans[f];
    for (int i = 0; i < fan->part_count; ++i) {
      total += round_up(fan->parts[i].scratch_size + 1);
    }
  }
  return total;
}

// ---- The whole ----

static berth_code_t steps_walk(walk_t *w, const berth_planned_t *plans,
                               berth_error_t *err) {
  for (int s = 0; s < w->program->step_count; ++s) {
    if (w->layout->hot[s].how == BERTH_HOT_FAN) {
      const berth_fan_t *fan = berth_fan_at(w->layout, s);
      BERTH_TRY(fan_walk(w, fan, plans, err));
      s = fan->end - 1;
    } else {
      BERTH_TRY(step_walk(w, s, plans[s].may_overwrite, err));
    }
  }
  return BERTH_OK;
}

static berth_code_t arena_walk(walk_t *w, const berth_planned_t *plans,
                               berth_error_t *err) {
  uint64_t total = 0;
  if (!total_bytes(w, &total)) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                           "the values of this run need more than 2^48 bytes");
  }
  total += parts_scratch(w);
  memset(w->lives, 0, (size_t)w->program->slot_count * sizeof(*w->lives));
  lives_compute(w);
  berth_bestfit_t fit;
  w->fit = &fit;
  BERTH_TRY(berth_bestfit_init(&fit, total, (berth_split_t){0, 0}, err));
  berth_code_t code = crossing_place(w, err);
  if (code == BERTH_OK) code = steps_walk(w, plans, err);
  BERTH_ASSERT(w->high_water <= total);
  berth_bestfit_deinit(&fit);
  return code;
}

berth_code_t berth_offsets_assign(berth_layout_t *layout,
                                  const berth_planned_t *plans,
                                  berth_error_t *err) {
  const berth_program_t *p = layout->program;
  walk_t w = {.layout = layout, .program = p};
  size_t slots = (size_t)p->slot_count + 1;
  w.lives = berth_calloc(slots, sizeof(*w.lives));
  if (w.lives == NULL) return berth_error_no_memory(err, "a layout");
  berth_code_t code = BERTH_OK;
  int arenas = p->uses_devices ? layout->arena_count : 1;
  for (int a = 0; code == BERTH_OK && a < arenas; ++a) {
    w.arena = a;
    w.high_water = 0;
    if (is_needed(&w) || parts_scratch(&w) > 0)
      code = arena_walk(&w, plans, err);
    berth_arena_need_t *need = &layout->needs[a];
    need->scratch_offset = w.high_water;
    need->size = w.high_water + need->scratch_size;
    if (need->size > BERTH_OWN_ARENA) layout->borrows = true;
  }
  aliases_set(&w);
  berth_free(w.lives);
  return code;
}
