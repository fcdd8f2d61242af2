// fan.c - Finding stretches of a layout whose parts run beside each other.
//
// One walk over the steps of a segment. A step c that needs nothing behind step
// b - 1 could be the first of a part beside [b, c): that is a *cut*. It holds
// as long as no step behind c needs one of [b, c). When both sides have become
// worth a thread, a fan begins at b:
//
//            b          c         s
//   … x      a1 a2 a3   b1 b2 …   now
//     └──────needs──────┘
//
// From then on a step that needs the last part joins it, and the last part is
// cut again in the same way; one that needs an earlier part ends the fan.
#include "exec/fan.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "exec/fuse.h"

enum {
  // A part that takes less is not worth calling a worker for.
  WORTH_NS = 50000,
  // Cuts under consideration; older ones are forgotten.
  MOST_CUTS = 16,
};

// Fans hold no more than this in arenas: values that are larger fill the CPUs
// with loops of their own, and would only take more memory side by side.
#define MOST_BYTES ((int64_t)64 << 20)

typedef struct cut {
  int32_t base;  // The first step of what is before it.
  int32_t at;    // The first step behind it.
} cut_t;

typedef struct finder {
  berth_layout_t *layout;
  const berth_program_t *program;
  const berth_planned_t *plans;
  int64_t *work;       // By step: of all before it.
  int64_t *bytes;      // Likewise.
  int32_t *node_step;  // By node id: step, or -1. For control edges.
  bool *is_lead;       // By step.
  // The walk.
  int32_t floor;  // Nothing before this step matters any more.
  cut_t cuts[MOST_CUTS];
  int cut_count;
  int32_t fan_begin;   // -1: there is none.
  int32_t part_begin;  // Of its last part.
  // Of the step at hand.
  int32_t latest_need;
  bool needs_earlier_part;
  // Found so far.
  berth_fan_t *fans;
  size_t fan_count, fan_capacity;
  berth_part_t *parts;
  size_t part_count, part_capacity;
} finder_t;

// ---- Steps ----

// Returns the step that makes |slot|, or -1 when it is there anyway.
static int32_t maker_of(const finder_t *f, int32_t slot) {
  int32_t root = f->layout->spots[slot].root;
  if (f->layout->spots[root].storage == BERTH_STORE_SETTLED) return -1;
  int32_t maker = f->program->slots[root].producer;
  return maker >= 0 && f->is_lead[maker] ? -1 : maker;
}

// True when |step| only computes, from what the frame has.
static bool computes(const finder_t *f, int s) {
  const berth_step_t *step = &f->program->steps[s];
  const berth_group_t *group = berth_group_of(f->layout, s);
  uint8_t how = f->layout->hot[s].how;
  // Outputs of a group may go to several parts, and its last step makes all.
  if (group != NULL && group->output_count > 1) return false;
  return step->on_host && berth_step_is_pure(step) &&
         (how == BERTH_HOT_PLAIN || how == BERTH_HOT_SKIP);
}

// True when step |s| reads a variable and waits for nothing.
static bool leads(const finder_t *f, int s) {
  const berth_step_t *step = &f->program->steps[s];
  if (!step->reads || f->layout->hot[s].how != BERTH_HOT_MAKES) return false;
  for (int i = 0; i < step->input_count; ++i) {
    int32_t slot = f->program->args[step->first_arg + i];
    if (f->layout->spots[slot].storage != BERTH_STORE_SETTLED) return false;
  }
  return step->node->control_count == 0;
}

static int64_t work_of(const finder_t *f, int32_t begin, int32_t end) {
  return f->work[end] - f->work[begin];
}

static bool is_worth(const finder_t *f, int32_t begin, int32_t end) {
  return work_of(f, begin, end) >= WORTH_NS;
}

// ---- Fans ----

static berth_code_t part_add(finder_t *f, int32_t begin, int32_t end,
                             berth_error_t *err) {
  berth_part_t *parts =
      berth_grow(f->parts, f->part_count, &f->part_capacity, sizeof(*f->parts));
  if (parts == NULL) return berth_error_no_memory(err, "a layout");
  f->parts = parts;
  berth_part_t *part = &parts[f->part_count++];
  *part = (berth_part_t){.begin = begin, .end = end};
  for (int32_t s = begin; s < end; ++s) {
    if (f->plans[s].scratch_size > part->scratch_size) {
      part->scratch_size = f->plans[s].scratch_size;
    }
  }
  ++f->fans[f->fan_count - 1].part_count;
  return BERTH_OK;
}

// Begins a fan with |cut|.
static berth_code_t fan_open(finder_t *f, cut_t cut, berth_error_t *err) {
  berth_fan_t *fans =
      berth_grow(f->fans, f->fan_count, &f->fan_capacity, sizeof(*f->fans));
  if (fans == NULL) return berth_error_no_memory(err, "a layout");
  f->fans = fans;
  int32_t begin = cut.base;
  while (f->layout->hot[begin].how != BERTH_HOT_PLAIN) ++begin;
  BERTH_ASSERT(begin < cut.at);
  fans[f->fan_count++] = (berth_fan_t){.begin = begin};
  f->fan_begin = begin;
  f->part_begin = cut.at;
  f->cut_count = 0;
  return part_add(f, begin, cut.at, err);
}

// Ends the fan, if there is one, before step |end|.
static berth_code_t fan_close(finder_t *f, int32_t end, berth_error_t *err) {
  f->cut_count = 0;
  f->floor = end;
  if (f->fan_begin < 0) return BERTH_OK;
  f->fan_begin = -1;
  f->fans[f->fan_count - 1].end = end;
  return part_add(f, f->part_begin, end, err);
}

// ---- Cuts ----

static void cut_add(finder_t *f, int32_t base, int32_t at) {
  if (f->cut_count == MOST_CUTS) {
    memmove(f->cuts, f->cuts + 1, sizeof(f->cuts) - sizeof(f->cuts[0]));
    --f->cut_count;
  }
  f->cuts[f->cut_count++] = (cut_t){base, at};
}

// Forgets the cuts that lie between |need| and who needs it.
static void cuts_drop(finder_t *f, int32_t need) {
  int kept = 0;
  for (int i = 0; i < f->cut_count; ++i) {
    cut_t cut = f->cuts[i];
    bool is_crossed = need >= cut.base && need < cut.at;
    if (!is_crossed) f->cuts[kept++] = cut;
  }
  f->cut_count = kept;
}

// Returns a cut with enough work on both sides, or NULL. |end| is behind the
// last step that was seen.
static const cut_t *cut_choose(const finder_t *f, int32_t end) {
  for (int i = 0; i < f->cut_count; ++i) {
    const cut_t *cut = &f->cuts[i];
    if (is_worth(f, cut->base, cut->at) && is_worth(f, cut->at, end) &&
        f->bytes[end] - f->bytes[cut->base] <= MOST_BYTES) {
      return cut;
    }
  }
  return NULL;
}

// ---- The walk ----

// Notes that the step at hand needs step |need|.
static void need_see(finder_t *f, int32_t need) {
  if (need < f->floor) return;
  if (need > f->latest_need) f->latest_need = need;
  bool is_in_fan = f->fan_begin >= 0 && need >= f->fan_begin;
  if (is_in_fan && need < f->part_begin) f->needs_earlier_part = true;
  cuts_drop(f, need);
}

// Goes through all that step |s| needs.
static void needs_see(finder_t *f, int s) {
  const berth_step_t *step = &f->program->steps[s];
  f->latest_need = f->floor - 1;
  f->needs_earlier_part = false;
  for (int i = 0; i < step->input_count; ++i) {
    need_see(f, maker_of(f, f->program->args[step->first_arg + i]));
  }
  for (int i = 0; i < step->node->control_count; ++i) {
    int32_t need = f->node_step[step->node->controls[i]];
    if (need >= 0 && !f->is_lead[need]) need_see(f, need);
  }
}

// Adds step |s| to the fan, if there is one and it fits.
static berth_code_t fan_grow(finder_t *f, int s, berth_error_t *err) {
  if (f->fan_begin < 0) return BERTH_OK;
  int64_t bytes = f->bytes[s + 1] - f->bytes[f->fan_begin];
  if (f->needs_earlier_part || bytes > MOST_BYTES) return fan_close(f, s, err);
  if (f->latest_need < f->part_begin) cut_add(f, f->part_begin, s);
  const cut_t *cut = cut_choose(f, s + 1);
  if (cut == NULL) return BERTH_OK;
  int32_t at = cut->at;
  BERTH_TRY(part_add(f, f->part_begin, at, err));
  f->part_begin = at;
  f->cut_count = 0;
  return BERTH_OK;
}

static berth_code_t step_see(finder_t *f, int s, berth_error_t *err) {
  f->is_lead[s] = leads(f, s);
  if (f->is_lead[s]) return BERTH_OK;
  if (!computes(f, s)) {
    BERTH_TRY(fan_close(f, s, err));
    f->floor = s + 1;
    return BERTH_OK;
  }
  needs_see(f, s);
  BERTH_TRY(fan_grow(f, s, err));
  if (f->fan_begin >= 0) return BERTH_OK;
  int32_t base = f->latest_need < f->floor ? f->floor : f->latest_need + 1;
  if (base < s) cut_add(f, base, s);
  const cut_t *cut = cut_choose(f, s + 1);
  return cut != NULL ? fan_open(f, *cut, err) : BERTH_OK;
}

static berth_code_t segment_walk(finder_t *f, const berth_segment_t *segment,
                                 berth_error_t *err) {
  f->floor = segment->begin;
  f->fan_begin = -1;
  f->cut_count = 0;
  for (int32_t s = segment->begin; s < segment->end; ++s) {
    BERTH_TRY(step_see(f, s, err));
  }
  return fan_close(f, segment->end, err);
}

// ---- The whole ----

// Sums up work and bytes.
static void sums_compute(finder_t *f) {
  const berth_program_t *p = f->program;
  for (int s = 0; s < p->step_count; ++s) {
    bool counts = f->layout->hot[s].how == BERTH_HOT_PLAIN;
    int64_t work = counts ? f->plans[s].work : 0;
    f->work[s + 1] = f->work[s] + (work < INT32_MAX ? work : INT32_MAX);
    f->bytes[s + 1] = f->bytes[s] + berth_layout_step_bytes(f->layout, s);
  }
}

static berth_code_t finder_init(finder_t *f, berth_error_t *err) {
  const berth_program_t *p = f->program;
  size_t steps = (size_t)p->step_count + 1;
  size_t nodes = (size_t)berth_graph_node_count(p->host->graph) + 1;
  f->work = berth_calloc(steps, sizeof(*f->work));
  f->bytes = berth_calloc(steps, sizeof(*f->bytes));
  f->is_lead = berth_calloc(steps, sizeof(*f->is_lead));
  f->node_step = berth_alloc(nodes * sizeof(*f->node_step));
  if (f->work == NULL || f->bytes == NULL || f->is_lead == NULL ||
      f->node_step == NULL) {
    return berth_error_no_memory(err, "a layout");
  }
  memset(f->node_step, 0xff, nodes * sizeof(*f->node_step));
  for (int s = 0; s < p->step_count; ++s) {
    if (p->steps[s].node->id >= 0) f->node_step[p->steps[s].node->id] = s;
  }
  sums_compute(f);
  return BERTH_OK;
}

static void finder_deinit(finder_t *f) {
  berth_free(f->work);
  berth_free(f->bytes);
  berth_free(f->is_lead);
  berth_free(f->node_step);
  berth_free(f->fans);
  berth_free(f->parts);
}

// Gives the layout what was found.
static berth_code_t fans_store(const finder_t *f, berth_error_t *err) {
  berth_layout_t *layout = f->layout;
  layout->fans = berth_arena_memdup(&layout->arena, f->fans,
                                    f->fan_count * sizeof(*f->fans));
  berth_part_t *parts = berth_arena_memdup(&layout->arena, f->parts,
                                           f->part_count * sizeof(*parts));
  if (layout->fans == NULL || parts == NULL) {
    return berth_error_no_memory(err, "a layout");
  }
  layout->fan_count = (int)f->fan_count;
  for (int i = 0; i < layout->fan_count; ++i) {
    layout->fans[i].parts = parts;
    parts += layout->fans[i].part_count;
    layout->hot[layout->fans[i].begin].how = BERTH_HOT_FAN;
  }
  return BERTH_OK;
}

// True when there could be work for two threads; most layouts are small.
static bool is_promising(const berth_layout_t *layout,
                         const berth_planned_t *plans) {
  const berth_program_t *p = layout->program;
  int64_t work = 0;
  if (p->uses_devices || layout->feeds == NULL) return false;
  for (int s = 0; s < p->step_count && work < 2 * WORTH_NS; ++s) {
    if (layout->hot[s].how == BERTH_HOT_PLAIN) work += plans[s].work;
  }
  return work >= 2 * WORTH_NS;
}

berth_code_t berth_fans_find(berth_layout_t *layout,
                             const berth_planned_t *plans, berth_error_t *err) {
  if (!is_promising(layout, plans)) return BERTH_OK;
  finder_t f = {.layout = layout, .program = layout->program, .plans = plans};
  berth_code_t code = finder_init(&f, err);
  for (int t = 0; code == BERTH_OK && t < f.program->segment_count; ++t) {
    code = segment_walk(&f, &f.program->segments[t], err);
  }
  if (code == BERTH_OK && f.fan_count > 0) code = fans_store(&f, err);
  finder_deinit(&f);
  return code;
}

const berth_fan_t *berth_fan_at(const berth_layout_t *layout, int s) {
  int low = 0, high = layout->fan_count - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (layout->fans[middle].begin < s) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  BERTH_ASSERT(layout->fans[low].begin == s);
  return &layout->fans[low];
}
