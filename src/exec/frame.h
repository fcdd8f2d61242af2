// frame.h - The memory of one run: addresses, tensors, arena.
//
// A frame belongs to a layout and is used by one run at a time; idle ones wait
// in the layout's list. |args| has the address of every argument of every step,
// in the order of the program's args. What never changes (settled values, arena
// offsets) is filled in once; a run writes the rest.
//
// A small arena stays with its frame. A large one is borrowed for a run
// (device/lender.h), mostly the same one again; where it is another, the
// addresses in it are filled in anew.
//
// Threads: used by one thread at a time, but for completions of blocking steps
// (run.c), which lock.
#ifndef BERTH_EXEC_FRAME_H_
#define BERTH_EXEC_FRAME_H_

#include "exec/layout.h"

typedef struct berth_issue berth_issue_t;
typedef struct berth_flow_walk berth_flow_walk_t;  // exec/flow_run.c

// The memory of one arena.
typedef struct berth_frame_arena {
  berth_buffer_t *own;  // A small one's. NULL: borrowed, or there is no need.
  berth_loan_t loan;
  const char *base;  // What addresses are filled in for; NULL: nothing yet.
  bool is_fresh;     // From a pool, and not used yet.
} berth_frame_arena_t;

struct berth_frame {
  berth_frame_t *next;
  berth_layout_t *layout;    // Borrowed.
  void **args;               // By argument.
  void **data;               // By slot: address of the value, or NULL.
  berth_tensor_t **tensors;  // By slot: the value as a tensor, or NULL.
  // Made when needed:
  int32_t *reads_left;  // By slot: consumers still to come (late steps).
  berth_frame_arena_t *arenas;  // By arena.
  berth_borrower_t borrower;
  berth_issue_t *issue;     // NULL: everything runs on the host.
  berth_flow_walk_t *walk;  // Where there are conditionals and loops.
  bool all_late;            // A shape was not as expected: prepare the rest.
  berth_commit_t *commit;   // What the last steps want to change.
  int32_t first_update;     // The first of these steps; -1: there is none.
  berth_arena_t plans;      // What late ones of them leave for the commit.
  // What was fed to a run that is over while its work is not: references, by
  // feed. NULL: there is no such run.
  berth_tensor_t **stranded;
  uint32_t told_plan;  // The run is in the history (told.h); 0: it is not.
};

// Takes an idle frame of |layout|, or makes one, and borrows its arenas; the
// caller has it alone until it is released or abandoned (I5). The spare one
// takes no lock. BERTH_RESOURCE_EXHAUSTED when there is no memory for arenas,
// and as |watch| says when that ends the waiting for some.
BERTH_NODISCARD berth_code_t berth_frame_acquire(berth_layout_t *layout,
                                                 berth_watch_t *watch,
                                                 berth_frame_t **out_frame,
                                                 berth_error_t *err);

// Says whether the run waits for something that is not memory or a device: then
// nobody waits for what it has borrowed.
static inline void berth_frame_park(berth_frame_t *frame, bool is_parked) {
  atomic_store(&frame->borrower.is_parked, is_parked);
}

// Releases every tensor the frame still holds (feeds are only forgotten) and
// makes it idle. Nothing that was queued uses it any more (I8).
void berth_frame_release(berth_frame_t *frame);

// The same, for whoever runs it again at once: arenas stay. Not after a shape
// was not as expected (|all_late|).
void berth_frame_renew(berth_frame_t *frame);

// Gives up |frame|, whose run with |feeds| (NULL entries: not fed yet; NULL: all
// are held by others as long as they are used) was
// ended: waits a moment for what is queued, and if that takes longer keeps all
// of it, feeds too, until it is over. Nobody waits for it meanwhile but who
// destroys the layout.
void berth_frame_abandon(berth_frame_t *frame, berth_tensor_t *const *feeds);

// Makes the frames of |layout| idle that were abandoned and whose work is over;
// |waits|: all of them, when it is. False when there was none.
bool berth_frames_recover(berth_layout_t *layout, bool waits);

// Frees a frame that no run uses and nothing queued; NULL is fine. The other
// returns the next of the list that |frame| is in.
void berth_frame_destroy(berth_frame_t *frame);
berth_frame_t *berth_frame_next(const berth_frame_t *frame);

// flow_run.c: frees what a walk needs; NULL is fine.
void berth_flow_walk_destroy(berth_flow_walk_t *walk);

// Says that the value of |slot| is at |data|, and so are its aliases.
void berth_frame_bind(berth_frame_t *frame, int32_t slot, void *data);

// Gives |slot| the value |tensor|, taking over the reference.
static inline void berth_frame_set(berth_frame_t *frame, int32_t slot,
                                   berth_tensor_t *tensor) {
  frame->tensors[slot] = tensor;
  // What a slot has the address of, it has everywhere.
  if (frame->data[slot] != tensor->data) {
    berth_frame_bind(frame, slot, tensor->data);
  }
}

// Lets go of the values that are last read by the steps |first| to |last|.
void berth_frame_let_go(berth_frame_t *frame, int first, int last);

// Returns what collects the changes of steps; NULL when memory is short.
berth_commit_t *berth_frame_commit(berth_frame_t *frame);

// Gives a reference to the value of |slot| as a tensor that may outlive the
// run: shared where that is allowed, copied out of fed or arena memory
// otherwise (I4). The value is there: whoever makes it is done. Fails with
// BERTH_RESOURCE_EXHAUSTED, and as a copy on its device does.
BERTH_NODISCARD berth_code_t berth_frame_export(berth_frame_t *frame,
                                                int32_t slot,
                                                berth_tensor_t **out_tensor,
                                                berth_error_t *err);

// Returns the shape of the value of |slot|: of its tensor, or of the layout.
static inline berth_dims_t berth_frame_dims(const berth_frame_t *frame,
                                            int32_t slot) {
  const berth_tensor_t *tensor = frame->tensors[slot];
  return tensor != NULL ? berth_tensor_dims(tensor)
                        : frame->layout->spots[slot].dims;
}

// True when |slot| is a feed itself, whose tensor is the caller's. What renames
// a feed has a tensor only where a late step has made it one.
static inline bool berth_frame_is_fed(const berth_frame_t *frame,
                                      int32_t slot) {
  const berth_spot_t *spot = &frame->layout->spots[slot];
  return spot->storage == BERTH_STORE_FEED && spot->root == slot;
}

#endif  // BERTH_EXEC_FRAME_H_
