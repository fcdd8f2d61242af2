// check_layout.c - Whether a layout is what it must be.
//
// Lives are worked out anew, from the lists of uses: a value lives from the
// step that makes it to the last that reads it or an alias of it, and for ever
// when several segments or streams use it. Values whose bytes overlap must not
// live at the same time; one that is taken over ends where the other begins.
// What is used in a fan lives as long as that, but for those of the same part.
#include <stdlib.h>

#include "base/alloc.h"
#include "exec/check.h"
#include "exec/copy.h"
#include "exec/fan.h"
#include "exec/fuse.h"
#include "exec/lanes.h"
#include "memory/bestfit.h"

static bool is_root(const berth_layout_t *layout, int32_t slot) {
  return layout->spots[slot].root == slot;
}

// ---- Steps ----

static const char *hot_check(const berth_layout_t *layout, int s) {
  const berth_step_t *step = &layout->program->steps[s];
  const berth_hot_step_t *hot = &layout->hot[s];
  const berth_group_t *group = berth_group_of(layout, s);
  bool is_runner = group != NULL && berth_group_runner(group) == s;
  BERTH_CHECK_THAT(
      hot->node == step->node &&
          hot->first_arg == (is_runner ? group->first_arg : step->first_arg),
      "a hot step is another step");
  BERTH_CHECK_THAT(group == NULL || is_runner || hot->how == BERTH_HOT_SKIP,
                   "a step that another runs for runs itself");
  bool is_full = step->resource != NULL || step->node->op->keep_inputs != 0 ||
                 berth_step_updates(step) ||
                 (step->traits & BERTH_OP_MAKES) != 0;
  switch (hot->how) {
    case BERTH_HOT_LATE:
      BERTH_CHECK_THAT(layout->has_late, "a layout has a late step");
      return NULL;
    case BERTH_HOT_PLAIN:
    case BERTH_HOT_FAN:
      BERTH_CHECK_THAT(!is_full, "a step that needs a full call is plain");
      break;
    case BERTH_HOT_MAKES:
      BERTH_CHECK_THAT(is_full, "a plain step gets a full call");
      break;
    case BERTH_HOT_SKIP:
      break;
    default:
      return "a step runs in no way that there is";
  }
  BERTH_CHECK_THAT(layout->feeds != NULL, "a step of a late layout is planned");
  BERTH_CHECK_THAT(step->blocker < 0, "a step that may wait is planned");
  BERTH_CHECK_THAT(hot->how == BERTH_HOT_SKIP || hot->run != NULL,
                   "a planned step has nothing to run");
  return NULL;
}

// True when the group of step |s| makes |slot| for others.
static bool is_output(const berth_layout_t *layout, int s, int32_t slot) {
  const berth_group_t *group = berth_group_of(layout, s);
  for (int32_t i = 0; group != NULL && i < group->output_count; ++i) {
    if (group->slots[group->input_count + i] == slot) return true;
  }
  return false;
}

// Who reads an output of a group but its own steps comes behind them.
static const char *group_outputs_check(const berth_layout_t *layout,
                                       const berth_group_t *group) {
  const berth_program_t *p = layout->program;
  int32_t runner = berth_group_runner(group);
  for (int32_t i = 0; i < group->output_count; ++i) {
    const int32_t slot = group->slots[group->input_count + i];
    for (int s = 0; s < runner; ++s) {
      const berth_step_t *step = &p->steps[s];
      if (berth_group_of(layout, s) == group) continue;
      for (int k = 0; k < step->input_count; ++k) {
        BERTH_CHECK_THAT(p->args[step->first_arg + k] != slot,
                         "an output of a group is read before it is made");
      }
    }
  }
  return NULL;
}

// What a step that is skipped makes is there without it.
static const char *outputs_check(const berth_layout_t *layout, int s) {
  const berth_program_t *p = layout->program;
  const berth_step_t *step = &p->steps[s];
  uint8_t how = layout->hot[s].how;
  for (int i = 0; i < step->output_count; ++i) {
    int32_t slot = p->args[step->first_arg + step->input_count + i];
    const berth_spot_t *spot = &layout->spots[slot];
    BERTH_CHECK_THAT(how != BERTH_HOT_SKIP || spot->root != slot ||
                         is_output(layout, s, slot) ||
                         spot->storage == BERTH_STORE_SETTLED ||
                         spot->storage == BERTH_STORE_FUSED,
                     "nobody makes the output of a step that is skipped");
    BERTH_CHECK_THAT(how != BERTH_HOT_LATE ||
                         spot->storage == BERTH_STORE_NONE ||
                         spot->storage == BERTH_STORE_SETTLED,
                     "the output of a late step has a place");
    BERTH_CHECK_THAT(how == BERTH_HOT_LATE || spot->storage != BERTH_STORE_NONE,
                     "the output of a planned step has no place");
  }
  return NULL;
}

// ---- Places ----

static const char *arena_check(const berth_layout_t *layout, int32_t slot) {
  const berth_program_t *p = layout->program;
  const berth_spot_t *spot = &layout->spots[slot];
  BERTH_CHECK_THAT(spot->arena >= 0 && spot->arena < layout->arena_count,
                   "a value lies in no arena");
  bool is_pinned = berth_layout_is_pinned(layout, slot);
  const berth_arena_need_t *need = &layout->needs[spot->arena];
  int64_t size = berth_layout_bytes(layout, slot);
  BERTH_CHECK_THAT(is_pinned || spot->arena == p->slots[slot].space,
                   "a value lies in the arena of another space");
  BERTH_CHECK_THAT(
      spot->offset >= 0 && size >= 0 && spot->offset % BERTH_BESTFIT_GRAIN == 0,
      "a value has a bad offset");
  BERTH_CHECK_THAT((uint64_t)(spot->offset + size) <= need->scratch_offset,
                   "a value reaches into what is behind all values");
  BERTH_CHECK_THAT(is_pinned || !spot->is_kept,
                   "a value that is kept lies in an arena");
  BERTH_CHECK_THAT(berth_dtype_is_plain(p->slots[slot].dtype),
                   "a value that is not plain lies in an arena");
  BERTH_CHECK_THAT(p->slots[slot].producer >= 0,
                   "a value in an arena is made by no step");
  return NULL;
}

static bool is_step_of(const berth_group_t *group, int32_t s) {
  for (int32_t i = 0; group != NULL && i < group->step_count; ++i) {
    if (group->steps[i] == s) return true;
  }
  return false;
}

// What has no place is seen by steps of groups alone that make it.
static const char *fused_check(const berth_layout_t *layout, int32_t slot) {
  const berth_program_t *p = layout->program;
  const berth_slot_t *info = &p->slots[slot];
  const berth_spot_t *spot = &layout->spots[slot];
  const berth_group_t *group =
      info->producer >= 0 ? berth_group_of(layout, info->producer) : NULL;
  BERTH_CHECK_THAT(group != NULL, "a value without a place is in no group");
  BERTH_CHECK_THAT(!spot->is_kept, "a value without a place is kept");
  int32_t readers = 0;
  for (int s = info->producer + 1; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    int32_t found = 0;
    for (int k = 0; k < step->input_count; ++k) {
      found += p->args[step->first_arg + k] == slot;
    }
    if (found > 0 && is_step_of(berth_group_of(layout, s), info->producer)) {
      readers += found;
    }
  }
  BERTH_CHECK_THAT(readers == info->consumer_count,
                   "a value without a place is read outside of its group");
  for (int32_t i = 0; i < group->input_count; ++i) {
    BERTH_CHECK_THAT(group->slots[i] != slot,
                     "a group reads what it makes itself");
  }
  return NULL;
}

// A group is in one segment and on one device, in order, and what it reads is
// made before its first step, or is of another group's. What it shares with others
// belongs to the last of them.
static const char *group_check(const berth_layout_t *layout, int s) {
  const berth_program_t *p = layout->program;
  const berth_group_t *group = berth_group_of(layout, s);
  if (group == NULL || berth_group_runner(group) != s) return NULL;
  const berth_step_t *runner = &p->steps[s];
  for (int32_t i = 0; i < group->step_count; ++i) {
    int32_t at = group->steps[i];
    const berth_group_t *owner = berth_group_of(layout, at);
    BERTH_CHECK_THAT(
        owner == group || (owner != NULL && is_step_of(owner, at) &&
                           berth_group_runner(owner) > s),
        "a step is in two groups");
    BERTH_CHECK_THAT(i == 0 || at > group->steps[i - 1],
                     "the steps of a group are not in order");
    BERTH_CHECK_THAT(berth_step_is_pure(&p->steps[at]),
                     "a step of a group does more than compute");
    BERTH_CHECK_THAT(p->steps[at].device == runner->device &&
                         p->steps[at].on_host == runner->on_host,
                     "a group is on two devices");
  }
  for (int t = 0; t < p->segment_count; ++t) {
    const berth_segment_t *segment = &p->segments[t];
    bool begins_here =
        group->steps[0] >= segment->begin && group->steps[0] < segment->end;
    BERTH_CHECK_THAT(!begins_here || s < segment->end,
                     "a group is in two segments");
  }
  BERTH_CHECK_THAT(group->slots[group->input_count] ==
                       p->args[runner->first_arg + runner->input_count],
                   "a group makes another value than its last step");
  return group->output_count > 1 ? group_outputs_check(layout, group) : NULL;
}

static const char *root_check(const berth_layout_t *layout, int32_t slot) {
  const berth_spot_t *spot = &layout->spots[slot];
  bool is_settled = berth_layout_settled(layout, slot) != NULL;
  switch (spot->storage) {
    case BERTH_STORE_NONE:
      BERTH_CHECK_THAT(spot->dims.rank < 0, "a known shape has no place");
      break;
    case BERTH_STORE_ARENA:
      BERTH_CHECK_THAT(spot->dims.rank >= 0, "an unknown shape has a place");
      BERTH_CHECK_TRY(arena_check(layout, slot));
      break;
    case BERTH_STORE_FUSED:
      BERTH_CHECK_TRY(fused_check(layout, slot));
      break;
    case BERTH_STORE_SETTLED:
    case BERTH_STORE_FEED:
    case BERTH_STORE_TENSOR:
      break;
    default:
      return "a value is in no storage that there is";
  }
  bool may_be = layout->is_sketch && spot->storage == BERTH_STORE_FEED;
  BERTH_CHECK_THAT(
      may_be || is_settled == (spot->storage == BERTH_STORE_SETTLED),
      "a settled value is elsewhere, or a value is not settled");
  BERTH_CHECK_THAT(!spot->is_made || spot->storage == BERTH_STORE_TENSOR,
                   "what a kernel makes is no tensor");
  return NULL;
}

static const char *alias_check(const berth_layout_t *layout, int32_t slot) {
  const berth_spot_t *spot = &layout->spots[slot];
  const berth_spot_t *root = &layout->spots[spot->root];
  BERTH_CHECK_THAT(spot->storage == root->storage &&
                       spot->arena == root->arena &&
                       spot->offset == root->offset,
                   "an alias is elsewhere than its root");
  // What is fetched from pinned memory is copied out of it.
  BERTH_CHECK_THAT(
      !spot->is_kept || root->is_kept || berth_layout_is_pinned(layout, slot),
      "the root of what is kept is not");
  BERTH_CHECK_THAT(berth_layout_bytes(layout, slot) ==
                       berth_layout_bytes(layout, spot->root),
                   "an alias is of another size than its root");
  return NULL;
}

// Every alias is in the list of its root, once.
static const char *chains_check(const berth_layout_t *layout) {
  int count = layout->program->slot_count;
  int aliases = 0, linked = 0;
  for (int32_t i = 0; i < count; ++i) {
    int32_t root = layout->spots[i].root;
    BERTH_CHECK_THAT(root >= 0 && root < count && is_root(layout, root),
                     "the root of a value has another root");
    aliases += root != i;
    if (root != i) continue;
    for (int32_t a = layout->spots[i].next_alias; a >= 0;
         a = layout->spots[a].next_alias) {
      BERTH_CHECK_THAT(a < count && a != i && layout->spots[a].root == i,
                       "a list of aliases leads to another value");
      BERTH_CHECK_THAT(++linked <= count, "a list of aliases has no end");
    }
  }
  BERTH_CHECK_THAT(aliases == linked, "an alias is not in its list");
  return NULL;
}

static const char *feeds_check(const berth_layout_t *layout) {
  const berth_program_t *p = layout->program;
  int fed = 0;
  for (int i = 0; i < p->signature.feed_count; ++i) {
    const berth_spot_t *spot = &layout->spots[p->feed_slots[i]];
    BERTH_CHECK_THAT(
        spot->storage == BERTH_STORE_FEED && spot->root == p->feed_slots[i],
        "a feed is elsewhere");
  }
  for (int32_t i = 0; i < p->slot_count; ++i) {
    fed += layout->spots[i].storage == BERTH_STORE_FEED && is_root(layout, i);
  }
  BERTH_CHECK_THAT(fed == p->signature.feed_count, "a value is fed by nobody");
  return NULL;
}

static const char *spots_check(const berth_layout_t *layout) {
  BERTH_CHECK_TRY(chains_check(layout));
  for (int32_t i = 0; i < layout->program->slot_count; ++i) {
    BERTH_CHECK_TRY(is_root(layout, i) ? root_check(layout, i)
                                       : alias_check(layout, i));
  }
  for (int a = 0; a < layout->arena_count; ++a) {
    const berth_arena_need_t *need = &layout->needs[a];
    // Only arenas of what runs are sized.
    if (need->size == 0) continue;
    BERTH_CHECK_THAT(need->scratch_offset + need->scratch_size == need->size,
                     "scratch space is not the end of its arena");
    BERTH_CHECK_THAT(need->size <= BERTH_OWN_ARENA || layout->borrows,
                     "a large arena is not borrowed");
  }
  return feeds_check(layout);
}

// ---- Lives ----

// A root in an arena, or the scratch space of a part.
typedef struct life {
  int32_t slot;  // -1: scratch space.
  int16_t arena;
  int64_t begin, end;        // Bytes.
  int32_t first, last;       // Steps.
  const berth_part_t *part;  // The only one that uses it; or NULL.
  const berth_fan_t *fan;    // Of |part|.
} life_t;

enum { FOR_EVER = INT32_MAX };

static int compare_lives(const void *a, const void *b) {
  const life_t *x = a, *y = b;
  if (x->arena != y->arena) return x->arena < y->arena ? -1 : 1;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

// Makes |life| last until the readers of |slot| are done. |owner|, by argument,
// is the step it belongs to; |segment|, by step, the segment.
static void life_extend(const berth_program_t *p, life_t *life, int32_t slot,
                        const int32_t *owner, const int32_t *segment) {
  const berth_slot_t *info = &p->slots[slot];
  for (int32_t u = 0; u < info->use_count; ++u) {
    int32_t s = owner[p->uses[info->first_use + u]];
    if (segment[s] != segment[life->first]) life->last = FOR_EVER;
    if (s > life->last) life->last = s;
  }
}

// Returns the fan that step |s| is in, or NULL.
static const berth_fan_t *fan_of(const berth_layout_t *layout, int32_t s) {
  for (int f = 0; f < layout->fan_count; ++f) {
    const berth_fan_t *fan = &layout->fans[f];
    if (s >= fan->begin && s < fan->end) return fan;
  }
  return NULL;
}

// Finds out whether one part alone uses |life|; what several do lives as long
// as their fan (I3).
static void life_widen(const berth_layout_t *layout, life_t *life) {
  const berth_fan_t *first = fan_of(layout, life->first);
  const berth_fan_t *last = fan_of(layout, life->last);
  for (int i = 0; first != NULL && i < first->part_count; ++i) {
    const berth_part_t *part = &first->parts[i];
    if (life->first < part->begin || life->last >= part->end) continue;
    life->part = part;
    life->fan = first;
    return;
  }
  if (first != NULL) life->first = first->begin;
  if (last != NULL) life->last = last->end - 1;
}

// Adds the scratch spaces of parts to the |count| lives there are.
static int scratch_list(const berth_layout_t *layout, life_t *lives,
                        int count) {
  for (int f = 0; f < layout->fan_count; ++f) {
    const berth_fan_t *fan = &layout->fans[f];
    for (int i = 0; i < fan->part_count; ++i) {
      const berth_part_t *part = &fan->parts[i];
      int64_t begin = (int64_t)part->scratch_offset;
      lives[count++] = (life_t){.slot = -1,
                                .begin = begin,
                                .end = begin + (int64_t)part->scratch_size,
                                .first = part->begin,
                                .last = part->end - 1,
                                .part = part,
                                .fan = fan};
    }
  }
  return count;
}

static int parts_count(const berth_layout_t *layout) {
  int count = 0;
  for (int f = 0; f < layout->fan_count; ++f) {
    count += layout->fans[f].part_count;
  }
  return count;
}

static int lives_list(const berth_layout_t *layout, life_t *lives,
                      const int32_t *owner, const int32_t *segment) {
  const berth_program_t *p = layout->program;
  int count = 0;
  for (int32_t i = 0; i < p->slot_count; ++i) {
    const berth_spot_t *spot = &layout->spots[i];
    if (spot->storage != BERTH_STORE_ARENA || spot->root != i) continue;
    int32_t producer = p->slots[i].producer;
    life_t *life = &lives[count++];
    *life = (life_t){.slot = i,
                     .arena = spot->arena,
                     .begin = spot->offset,
                     .end = spot->offset + berth_layout_bytes(layout, i),
                     .first = producer,
                     .last = spot->crosses ? FOR_EVER : producer};
    for (int32_t a = i; a >= 0; a = layout->spots[a].next_alias) {
      life_extend(p, life, a, owner, segment);
    }
    if (life->last != FOR_EVER) life_widen(layout, life);
  }
  return scratch_list(layout, lives, count);
}

// True when the step that makes |later| may write it over |earlier|.
static bool is_taken_over(const berth_layout_t *layout, const life_t *earlier,
                          const life_t *later) {
  const berth_program_t *p = layout->program;
  const berth_step_t *step = &p->steps[later->first];
  return earlier->begin == later->begin && earlier->end == later->end &&
         step->output_count > 0 &&
         p->args[step->first_arg + step->input_count] == later->slot;
}

// Returns |life| as it is seen from outside of its part.
static life_t seen_from_outside(life_t life) {
  if (life.part == NULL) return life;
  life.first = life.fan->begin;
  life.last = life.fan->end - 1;
  return life;
}

static const char *pair_check(const berth_layout_t *layout, life_t a,
                              life_t b) {
  if (a.begin == a.end || b.begin == b.end) return NULL;
  if (a.part != b.part) {
    a = seen_from_outside(a);
    b = seen_from_outside(b);
  }
  if (a.first > b.first) {
    life_t swap = a;
    a = b;
    b = swap;
  }
  BERTH_CHECK_THAT(a.last != FOR_EVER && b.last != FOR_EVER,
                   "a value that crosses shares its bytes");
  if (a.last < b.first) return NULL;
  BERTH_CHECK_THAT(a.last == b.first && a.first < b.first && b.slot >= 0 &&
                       is_taken_over(layout, &a, &b),
                   "two values have the same bytes at the same time");
  return NULL;
}

static const char *lives_check(const berth_layout_t *layout, life_t *lives,
                               int count) {
  qsort(lives, (size_t)count, sizeof(*lives), compare_lives);
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count && lives[j].arena == lives[i].arena &&
                        lives[j].begin < lives[i].end;
         ++j) {
      BERTH_CHECK_TRY(pair_check(layout, lives[i], lives[j]));
    }
  }
  return NULL;
}

// Many values that follow each other in the same bytes take long to compare.
enum { MOST_LIVES = 4096 };

// I3: values that share bytes do not live at the same time.
static const char *overlaps_check(const berth_layout_t *layout) {
  const berth_program_t *p = layout->program;
  if (p->slot_count > MOST_LIVES) return NULL;
  int32_t *owner = berth_calloc((size_t)p->arg_count + 1, sizeof(*owner));
  int32_t *segment = berth_calloc((size_t)p->step_count + 1, sizeof(*segment));
  size_t most = (size_t)(p->slot_count + parts_count(layout));
  life_t *lives = berth_calloc(most + 1, sizeof(*lives));
  const char *wrong = NULL;
  if (owner != NULL && segment != NULL && lives != NULL) {
    for (int t = 0; t < p->segment_count; ++t) {
      for (int s = p->segments[t].begin; s < p->segments[t].end; ++s) {
        const berth_step_t *step = &p->steps[s];
        const berth_group_t *group = berth_group_of(layout, s);
        int32_t runner = group != NULL ? berth_group_runner(group) : s;
        segment[s] = t;
        for (int i = 0; i <= step->input_count + step->output_count; ++i) {
          owner[step->first_arg + i] = runner;
        }
      }
    }
    wrong =
        lives_check(layout, lives, lives_list(layout, lives, owner, segment));
  }
  berth_free(owner);
  berth_free(segment);
  berth_free(lives);
  return wrong;
}

// ---- Letting go ----

static const char *release_check(const berth_layout_t *layout, int index) {
  const berth_program_t *p = layout->program;
  int32_t slot = layout->released_slots[index];
  int32_t by = layout->released_by[index];
  BERTH_CHECK_THAT(
      slot >= 0 && slot < p->slot_count && by >= 0 && by < p->step_count,
      "what is let go is no value");
  BERTH_CHECK_THAT(index == 0 || layout->released_by[index - 1] <= by,
                   "what is let go is not in order");
  BERTH_CHECK_THAT(is_root(layout, slot) &&
                       layout->spots[slot].storage == BERTH_STORE_TENSOR &&
                       !layout->spots[slot].crosses,
                   "what is let go is no tensor of its own");
  BERTH_CHECK_THAT(
      p->steps[by].ends_commit || !berth_step_updates(&p->steps[by]),
      "what is let go is still to be written");
  BERTH_CHECK_THAT((layout->hot[by].after & BERTH_AFTER_RELEASE) != 0,
                   "a step does not know that it lets go");
  return NULL;
}

// Checks that nobody reads what is let go afterwards. |by| is by root: the step
// plus one after which that is; 0: never.
static const char *reads_check(const berth_layout_t *layout,
                               const int32_t *by) {
  const berth_program_t *p = layout->program;
  for (int t = 0; t < p->segment_count; ++t) {
    const berth_segment_t *segment = &p->segments[t];
    for (int32_t s = segment->begin; s < segment->end; ++s) {
      berth_reads_t reads = berth_layout_reads(layout, s);
      for (int i = 0; i < reads.count; ++i) {
        int32_t end = by[layout->spots[reads.slots[i]].root];
        BERTH_CHECK_THAT(
            end == 0 || (s < end && end - 1 < segment->end),
            "a value is read after it is let go, or in another segment");
      }
    }
  }
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    BERTH_CHECK_THAT(by[layout->spots[p->fetch_slots[i]].root] == 0,
                     "what is fetched is let go");
  }
  return NULL;
}

static const char *releases_check(const berth_layout_t *layout) {
  size_t count = (size_t)layout->program->slot_count;
  for (int i = 0; i < layout->released_count; ++i) {
    BERTH_CHECK_TRY(release_check(layout, i));
  }
  int32_t *by = berth_calloc(count + 1, sizeof(*by));
  if (by == NULL) return NULL;
  const char *wrong = NULL;
  for (int i = 0; i < layout->released_count; ++i) {
    if (by[layout->released_slots[i]] != 0) wrong = "a value is let go twice";
    by[layout->released_slots[i]] = layout->released_by[i] + 1;
  }
  if (wrong == NULL) wrong = reads_check(layout, by);
  berth_free(by);
  return wrong;
}

static const char *tensors_check(const berth_layout_t *layout) {
  const berth_program_t *p = layout->program;
  int expected = 0, made = 0;
  for (int32_t i = 0; i < p->slot_count; ++i) {
    const berth_spot_t *spot = &layout->spots[i];
    bool is_new = spot->storage == BERTH_STORE_TENSOR && spot->root == i &&
                  !spot->is_made;
    expected += is_new;
    made += !is_new && (spot->is_made || spot->storage == BERTH_STORE_NONE);
  }
  BERTH_CHECK_THAT(
      expected == layout->tensor_slot_count && made == layout->made_slot_count,
      "a tensor is in no list");
  for (int i = 0; i < layout->tensor_slot_count; ++i) {
    int32_t slot = layout->tensor_slots[i];
    BERTH_CHECK_THAT(layout->spots[slot].storage == BERTH_STORE_TENSOR &&
                         layout->spots[slot].dims.rank >= 0,
                     "what is made when a run begins has no shape");
  }
  return NULL;
}

// ---- The whole ----

const char *berth_layout_check(const berth_layout_t *layout) {
  const berth_program_t *p = layout->program;
  for (int s = 0; s < p->step_count; ++s) {
    BERTH_CHECK_TRY(hot_check(layout, s));
    BERTH_CHECK_TRY(outputs_check(layout, s));
    BERTH_CHECK_TRY(group_check(layout, s));
  }
  BERTH_CHECK_TRY(spots_check(layout));
  BERTH_CHECK_TRY(berth_fans_check(layout));
  BERTH_CHECK_TRY(overlaps_check(layout));
  BERTH_CHECK_TRY(releases_check(layout));
  BERTH_CHECK_TRY(tensors_check(layout));
  BERTH_CHECK_THAT((layout->lanes != NULL) == p->uses_devices,
                   "lanes are where there are no devices, or are missing");
  return layout->lanes != NULL ? berth_lanes_check(layout) : NULL;
}
