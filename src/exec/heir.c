// heir.c - Finding results that take over the memory of feeds.
#include "exec/heir.h"

#include "exec/copy.h"
#include "exec/fuse.h"

// Returns the step that alone does something with |root|, under all its names; -1
// where there are several, or none.
static int32_t only_reader(const berth_layout_t *layout, int32_t root) {
  const berth_program_t *p = layout->program;
  int32_t reader = -1;
  for (int32_t s = 0; s < p->step_count; ++s) {
    berth_reads_t reads = berth_layout_reads(layout, s);
    if (layout->hot[s].how == BERTH_HOT_SKIP) continue;
    for (int32_t i = 0; i < reads.count; ++i) {
      if (layout->spots[reads.slots[i]].root != root) continue;
      if (reader >= 0 && reader != s) return -1;
      reader = s;
    }
  }
  return reader;
}

// True when nothing but steps sees |root|.
static bool is_inside(const berth_layout_t *layout, int32_t root) {
  for (int32_t slot = root; slot >= 0; slot = layout->spots[slot].next_alias) {
    if (layout->spots[slot].is_kept) return false;
  }
  return true;
}

// True when |root| leaves the program, under any name.
static bool is_fetched(const berth_layout_t *layout, int32_t root) {
  const berth_program_t *p = layout->program;
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    if (layout->spots[p->fetch_slots[i]].root == root) return true;
  }
  return false;
}

// True when |out| may have the memory of feed |root|.
static bool fits(const berth_layout_t *layout, int32_t root, int32_t out) {
  const berth_program_t *p = layout->program;
  const berth_spot_t *from = &layout->spots[root], *to = &layout->spots[out];
  return from->storage == BERTH_STORE_FEED &&
         to->storage == BERTH_STORE_TENSOR && to->root == out && !to->is_made &&
         to->next_alias < 0 && p->slots[root].dtype == p->slots[out].dtype &&
         berth_dtype_is_plain(p->slots[out].dtype) &&
         p->slots[root].space == BERTH_HOST_SPACE &&
         p->slots[out].space == BERTH_HOST_SPACE &&
         berth_dims_equal(from->dims, to->dims) && is_inside(layout, root);
}

// Finds whether output 0 of step |s|, which makes it, may be input 0: a list that
// is changed. What devices queue may use what it loses.
static void list_see(berth_layout_t *layout, int32_t s) {
  const berth_program_t *p = layout->program;
  const berth_step_t *step = &p->steps[s];
  if (step->input_count == 0 || step->output_count == 0) return;
  const int32_t *args = p->args + step->first_arg;
  int32_t out = args[step->input_count], root = layout->spots[args[0]].root;
  const berth_spot_t *to = &layout->spots[out];
  if (p->slots[root].dtype != BERTH_VARIANT ||
      p->slots[out].dtype != BERTH_VARIANT ||
      layout->spots[root].storage != BERTH_STORE_FEED ||
      to->storage != BERTH_STORE_TENSOR || to->root != out ||
      is_fetched(layout, root) || only_reader(layout, root) != s) {
    return;
  }
  for (int i = 1; i < step->input_count; ++i) {
    if (layout->spots[args[i]].root == root) return;
  }
  layout->spots[out].heir_of = root;
}

// Finds the feed that output 0 of step |s| is the heir of.
static void step_see(berth_layout_t *layout, int32_t s,
                     uint32_t may_overwrite) {
  const berth_step_t *step = &layout->program->steps[s];
  berth_reads_t reads = berth_layout_reads(layout, s);
  int32_t out = layout->program->args[step->first_arg + step->input_count];
  for (int32_t i = 0; i < reads.count && i < 32; ++i) {
    if ((may_overwrite >> i & 1) == 0) continue;
    int32_t root = layout->spots[reads.slots[i]].root;
    if (!fits(layout, root, out) || only_reader(layout, root) != s ||
        !berth_reads_may_lose(layout, reads, root, may_overwrite)) {
      continue;
    }
    layout->spots[out].heir_of = root;
    return;
  }
}

void berth_heirs_find(berth_layout_t *layout, const berth_planned_t *plans) {
  const berth_program_t *p = layout->program;
  if (layout->feeds == NULL) return;
  for (int32_t s = 0; s < p->step_count; ++s) {
    bool is_plain = layout->hot[s].how == BERTH_HOT_PLAIN ||
                    layout->hot[s].how == BERTH_HOT_FAN;
    if (is_plain && p->steps[s].on_host && plans[s].may_overwrite != 0 &&
        p->steps[s].output_count > 0) {
      step_see(layout, s, plans[s].may_overwrite);
    }
    if (layout->hot[s].how == BERTH_HOT_MAKES && p->steps[s].on_host &&
        layout->lanes == NULL) {
      list_see(layout, s);
    }
  }
}
