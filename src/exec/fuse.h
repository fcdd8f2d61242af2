// fuse.h - Steps of a layout that are done as one.
//
// Steps whose kernels offer it (kernel/fuse.h) and that hand their results to
// one another alone are a *group*. The last of its steps runs for all of them,
// with arguments of its own behind those of the program; the others are
// skipped, and what lies between them has no place (BERTH_STORE_FUSED). What is
// read by steps behind the last one too is an output of the group as well. Steps
// whose results are read in parts (view.c) may be done by several groups: they are
// in the lists of all, and belong to the last.
//
//   steps   │ mul   │ read b │ add   │ relu        │
//   hot     │ skip  │ run    │ skip  │ mul+add+relu │
//
// Where a variable turns out to have another shape the rest of a run is late,
// step by step; what was skipped before is then caught up with.
//
// Threads: as the layout, immutable once made.
#ifndef BERTH_EXEC_FUSE_H_
#define BERTH_EXEC_FUSE_H_

#include "exec/layout.h"

// A group of steps.
struct berth_group {
  const int32_t *steps;  // In running order; the last runs for all.
  int32_t step_count;
  // Its arguments: inputs, outputs, that of its last step first, and -1 for
  // scratch.
  int32_t *slots;
  int32_t input_count;
  int32_t output_count;
  int32_t first_arg;  // Where they are among the arguments of a frame.
};

// What is done when a step is run: the slots it reads.
typedef struct berth_reads {
  const int32_t *slots;
  int32_t count;
} berth_reads_t;

// Finds the groups of |layout|, whose steps are planned as |plans|, by step,
// say, and have no storage yet; changes both. Fails with
// BERTH_RESOURCE_EXHAUSTED alone.
BERTH_NODISCARD berth_code_t berth_groups_find(berth_layout_t *layout,
                                               berth_planned_t *plans,
                                               berth_error_t *err);

// Returns the group that step |s| is in, or NULL.
static inline const berth_group_t *berth_group_of(const berth_layout_t *layout,
                                                  int s) {
  return layout->groups != NULL ? layout->groups[s] : NULL;
}

// Returns the step of |group| that runs for all.
static inline int32_t berth_group_runner(const berth_group_t *group) {
  return group->steps[group->step_count - 1];
}

// Returns the step that is run to make |slot|: the last of the group of its
// producer; -1: none is.
static inline int32_t berth_layout_maker(const berth_layout_t *layout,
                                         int32_t slot) {
  int32_t producer = layout->program->slots[slot].producer;
  const berth_group_t *group =
      producer >= 0 ? berth_group_of(layout, producer) : NULL;
  return group != NULL ? berth_group_runner(group) : producer;
}

// Returns what is read when step |s| is run: nothing for one that another step
// runs for.
static inline berth_reads_t berth_layout_reads(const berth_layout_t *layout,
                                               int s) {
  const berth_step_t *step = &layout->program->steps[s];
  const berth_group_t *group = berth_group_of(layout, s);
  if (group == NULL) {
    return (berth_reads_t){layout->program->args + step->first_arg,
                           step->input_count};
  }
  if (berth_group_runner(group) != s) return (berth_reads_t){NULL, 0};
  return (berth_reads_t){group->slots, group->input_count};
}

// True when bytes that |reads| reads may be those that are written: an input
// that stands at several places, |root| at its root, is lost at all of them.
static inline bool berth_reads_may_lose(const berth_layout_t *layout,
                                        berth_reads_t reads, int32_t root,
                                        uint32_t may_overwrite) {
  for (int i = 0; i < reads.count; ++i) {
    bool may = i < 32 && (may_overwrite >> i & 1) != 0;
    if (layout->spots[reads.slots[i]].root == root && !may) return false;
  }
  return true;
}

#endif  // BERTH_EXEC_FUSE_H_
