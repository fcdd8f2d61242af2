// layout.h - A program for given feed shapes: plans, storage, offsets.
//
// Making a layout walks the steps in order with the shapes of the feeds. Each
// step whose input shapes (and the values its kernel wants) are known is
// prepared; shape arithmetic is computed on the spot. The others are *late*.
//
// Then every slot gets its storage:
//
//   SETTLED   the value is known: the program's, or this layout's
//   FEED      the caller's memory, borrowed for a run
//   TENSOR    a new tensor in every run: fetched, kept, made by a kernel
//   ARENA     an offset in an arena of the frame, shared by values whose lives
//             do not overlap
//   FUSED     none: it is passed on between steps that are done as one (fuse.h)
//
// A frame has one arena in each memory (copy.h), and one in pinned memory, for
// what host and devices both use.
//
// An alias (a reshape) has the storage of what it renames.
//
// A program keeps the layouts that were used last. One whose expectations were
// not met (a variable has another shape, or has one at last) is *stale*, and is
// replaced. Where layouts are replaced before they were of use, shapes change
// all the time: then runs go without one for a while.
//
// Threads: immutable after create, but for the frames that no run uses, what
// counts its use, and |is_stale|.
#ifndef BERTH_EXEC_LAYOUT_H_
#define BERTH_EXEC_LAYOUT_H_

#include "exec/program.h"

typedef struct berth_frame berth_frame_t;
typedef struct berth_group berth_group_t;  // exec/fuse.h

typedef enum berth_storage {
  BERTH_STORE_NONE = 0,  // Nothing is known: a late step decides.
  BERTH_STORE_SETTLED,
  BERTH_STORE_FEED,
  BERTH_STORE_TENSOR,
  BERTH_STORE_ARENA,
  BERTH_STORE_FUSED,
} berth_storage_t;

// A slot in a layout.
typedef struct berth_spot {
  berth_dims_t dims;  // Rank -1: not known.
  int64_t count;
  int32_t root;        // The slot whose storage this one shares; itself mostly.
  int32_t next_alias;  // The next slot with the same root, or -1.
  uint8_t storage;     // berth_storage_t, of the root.
  bool is_made;        // TENSOR that a kernel makes itself.
  bool is_kept;        // Fetched or kept, itself or through an alias.
  bool crosses;        // Several streams use it: its bytes are its own.
  int16_t arena;       // Which one: a space, or the layout's pinned one.
  int32_t heir_of;     // Feed that it may take over (heir.h), or -1.
  int32_t first_more;  // Argument of a group that it is, or -1 (|next_more|).
  int64_t offset;      // In the arena, of the root.
} berth_spot_t;

enum {
  BERTH_HOT_PLAIN = 0,  // Call run and go on.
  BERTH_HOT_SKIP = 1,   // Nothing to do: an alias, settled, or done by another.
  BERTH_HOT_MAKES = 2,  // Makes tensors, or keeps inputs.
  BERTH_HOT_LATE = 3,   // Prepare when it runs.
  BERTH_HOT_FAN = 4,    // Plain, and the first of a fan (fan.h).
};

// What there is to do behind a step.
enum {
  BERTH_AFTER_LOOK = 1,     // It may take a while: look at what ends the run.
  BERTH_AFTER_RELEASE = 2,  // Values that it was the last to read are let go.
};

// A step as the running loop sees it.
typedef struct berth_hot_step {
  berth_run_fn run;
  const void *plan;
  const berth_node_t *node;
  int32_t first_arg;
  uint8_t how;    // BERTH_HOT_*.
  uint8_t after;  // BERTH_AFTER_* bits.
} berth_hot_step_t;

// A step that is expected to take longer than this is followed by a look at
// the clock, so that polling keeps its 50 ms.
#define BERTH_LONG_NS ((int64_t)200000)

// A layout that has served fewer runs than this did not pay.
#define BERTH_LAYOUT_PAYS 3U

// An arena no larger than this stays with its frame: borrowing it would cost
// more than the memory is worth.
#define BERTH_OWN_ARENA ((size_t)256 << 10)

// How much of one memory a frame needs.
typedef struct berth_arena_need {
  size_t size;            // Of everything.
  size_t scratch_offset;  // Of the scratch space in it.
  size_t scratch_size;
} berth_arena_need_t;

// What a plan says of its step, while a layout is made.
typedef struct berth_planned {
  uint32_t may_overwrite;  // Inputs whose bytes output 0 may take over.
  size_t scratch_size;
  int64_t work;              // About how many nanoseconds.
  const berth_term_t *term;  // How it is fused with others, or NULL.
} berth_planned_t;

typedef struct berth_lanes berth_lanes_t;
typedef struct berth_fan berth_fan_t;

struct berth_layout {
  berth_retired_t retired;         // First.
  _Atomic(berth_layout_t *) next;  // Changed under the program's lock.
  berth_program_t *program;        // Borrowed.
  berth_arena_t arena;
  berth_dims_t *feeds;       // Shapes this layout is for; NULL: any (late).
  berth_spot_t *spots;       // By slot.
  berth_hot_step_t *hot;     // By step.
  berth_tensor_t **settled;  // By slot, of this layout alone; owned.
  // By step: the group it is in, or NULL. NULL: there are none.
  const berth_group_t **groups;
  // Arguments of groups, behind those of the program; each leads to the next
  // one that is the same slot, or -1.
  int32_t *next_more;
  int32_t more_arg_count;
  int32_t *tensor_slots;  // TENSOR slots to be made when a run begins.
  int tensor_slot_count;
  int32_t *made_slots;  // TENSOR slots that appear while it runs.
  int made_slot_count;
  // TENSOR slots that are let go before the run ends, by the step after which
  // that is: |released_by| ascends.
  int32_t *released_slots, *released_by;
  int released_count;
  int arena_count;            // Spaces, and the pinned one as the last.
  berth_arena_need_t *needs;  // By arena.
  bool borrows;               // Some arena is large: see frame.h.
  berth_lanes_t *lanes;       // NULL: everything runs on the host.
  berth_fan_t *fans;          // In the order of their steps.
  int fan_count;
  bool has_late;               // Some step is late.
  bool expects;                // Some shape is what it was before (expect.h).
  bool is_sketch;              // Nobody runs it.
  atomic_uint used;            // The program's |tick| when it was last used.
  atomic_uint served;          // Runs, up to a few.
  atomic_bool is_stale;        // A variable has another shape than it expects.
  _Atomic uint32_t told_plan;  // Its number in the history (told.h); 0: none.
  // A frame that no run uses, or NULL. Whoever swaps it out has it, so that one
  // run after the other takes no lock.
  _Atomic(berth_frame_t *) spare;
  atomic_bool has_stranded;  // Some are in |stranded|.
  berth_mutex_t lock;        // Guards what follows.
  berth_frame_t *idle;       // More frames that no run uses.
  berth_frame_t *stranded;   // And those that only work under way uses.
};

// Returns a layout for feeds of these shapes, an older one where it fits. Good
// for the run that asks, which is counted in the host's terms.
// |feeds| in the program's order; they have the types that it expects. A new
// one is made under the program's lock, where kernels may be asked for values:
// |cancelled| not zero ends that. Where shapes change all the time the late one
// may come instead.
//
// Fails with what a step's prepare fails with, the node named: shapes that do
// not fit are told here. BERTH_RESOURCE_EXHAUSTED too for values of more than
// 2^48 bytes.
BERTH_NODISCARD berth_code_t berth_layout_get(berth_program_t *program,
                                              berth_tensor_t *const *feeds,
                                              const atomic_int *cancelled,
                                              berth_layout_t **out_layout,
                                              berth_error_t *err);

// Returns whether |layout|, which is not the late one, is for feeds of these
// shapes, and good still.
static inline bool berth_layout_fits(const berth_layout_t *layout,
                                     berth_tensor_t *const *feeds) {
  int count = layout->program->signature.feed_count;
  for (int i = 0; i < count; ++i) {
    if (!berth_dims_equal(layout->feeds[i], berth_tensor_dims(feeds[i]))) {
      return false;
    }
  }
  return !atomic_load_explicit(&layout->is_stale, memory_order_relaxed);
}

// Notes that |layout| is used again by a run that has it. Mostly there is nothing
// to write.
static inline void berth_layout_note_use(berth_layout_t *layout) {
  unsigned tick =
      atomic_load_explicit(&layout->program->tick, memory_order_relaxed);
  if (atomic_load_explicit(&layout->used, memory_order_relaxed) != tick) {
    atomic_store_explicit(&layout->used, tick, memory_order_relaxed);
  }
  unsigned served = atomic_load_explicit(&layout->served, memory_order_relaxed);
  if (served < BERTH_LAYOUT_PAYS) {
    atomic_store_explicit(&layout->served, served + 1, memory_order_relaxed);
  }
}

// Returns the layout in which every step is late: for programs with
// conditionals and loops, partial runs, and where there is no memory for an
// arena. Made once; fails with BERTH_RESOURCE_EXHAUSTED alone.
BERTH_NODISCARD berth_code_t berth_layout_get_late(berth_program_t *program,
                                                   berth_layout_t **out_layout,
                                                   berth_error_t *err);

// Makes a layout that no run will use, to look at. The |feeds| need
// no memory, only types and shapes. A variable without a value has the shape that it is
// declared with. Fails as berth_layout_get() does. To be dropped.
BERTH_NODISCARD berth_code_t berth_layout_sketch(berth_program_t *program,
                                                 berth_tensor_t *const *feeds,
                                                 const atomic_int *cancelled,
                                                 berth_layout_t **out_layout,
                                                 berth_error_t *err);

// Destroys what berth_layout_sketch() has made. NULL is fine.
void berth_layout_drop(berth_layout_t *layout);

// Destroys the frames of |program| that no run uses; false when there was none.
// For when memory is short: idle frames keep their arenas. The caller is
// counted in the host's terms.
bool berth_layouts_drop_idle(berth_program_t *program);

// Returns the bytes of the outputs that step |step| of the program gets memory
// for: not those that share another's, nor those of unknown size.
int64_t berth_layout_step_bytes(const berth_layout_t *layout, int step);

// Destroys all layouts of |program|, which nobody runs any more. Waits for work
// that runs have left behind (I8).
void berth_layouts_destroy(berth_program_t *program);

// Says whether |hot|, a planned step that takes |work|, is looked at afterwards.
static inline void berth_hot_step_look(berth_hot_step_t *hot,
                                       const berth_step_t *step, int64_t work) {
  uint32_t brief = BERTH_OP_BRIEF | BERTH_OP_READS;
  bool is_open = (step->traits & BERTH_OP_MAKES) != 0 &&
                 (step->traits & brief) == 0;
  bool is_long = step->on_host && (work > BERTH_LONG_NS || is_open);
  hot->after = is_long ? BERTH_AFTER_LOOK : 0;
}

// Returns the arena that host and devices share.
static inline int berth_layout_pinned(const berth_layout_t *layout) {
  return layout->arena_count - 1;
}

// Returns the bytes of the value of |slot|, whose shape is known.
static inline int64_t berth_layout_bytes(const berth_layout_t *layout,
                                         int32_t slot) {
  return layout->spots[slot].count *
         (int64_t)berth_dtype_size(layout->program->slots[slot].dtype);
}

// True when |slot| lies in the arena that host and devices share.
static inline bool berth_layout_is_pinned(const berth_layout_t *layout,
                                          int32_t slot) {
  const berth_spot_t *spot = &layout->spots[slot];
  return spot->storage == BERTH_STORE_ARENA &&
         spot->arena == berth_layout_pinned(layout);
}

// Returns the settled tensor of |slot|, the layout's or the program's, or NULL.
static inline berth_tensor_t *berth_layout_settled(const berth_layout_t *layout,
                                                   int32_t slot) {
  berth_tensor_t *own = layout->settled[slot];
  return own != NULL ? own : layout->program->settled[slot];
}

#endif  // BERTH_EXEC_LAYOUT_H_
