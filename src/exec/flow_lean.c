// flow_lean.c - Blocks that are a few kernels, between steps that hand values on.
//
// A block of one addition spends a hundred times as long on finding its layout,
// binding feeds, making tensors and clearing up as on adding. Where its frame
// stays with the run and there is nothing to do but to call kernels of the host,
// what a turn needs of the frame is written down once: the *lean* form of the
// block. It counts for that frame, in that run.
//
//   feeds     where the block has their addresses
//   steps     kernels, plans, arguments
//   results   the feed whose memory each may have (heir.h), and its last tensor;
//             or the feed, the known value, or the other result that it is
//
// What a result was put into comes back when the last step that reads it is done
// (berth_walk_let_go()), if nobody has got hold of it meanwhile: it is *spare*,
// and the next turn writes it again. Only small tensors of numbers have such a
// home; a spare one belongs to the walk, so that its one reference is the
// walk's.
#include "base/alloc.h"
#include "exec/flow_walk.h"

// More steps than this go by another way, which looks at what may end the run
// between them.
enum { MOST_STEPS = 64 };

// Where a slot of the block has its address.
typedef struct lean_place {
  void **data;    // The frame's.
  void **arg;     // NULL: in several places.
  int32_t inner;  // The slot.
} lean_place_t;

typedef struct lean_feed {
  const berth_walk_slot_t *slot;
  lean_place_t place;
  berth_dims_t dims;  // The layout's.
} lean_feed_t;

typedef struct lean_result {
  berth_walk_slot_t *slot;
  berth_tensor_t **spare;
  int32_t home;            // Where its value may stay (berth_walk_slot_t.home).
  const berth_walk_slot_t *heir_of;  // A feed whose memory it may have, or NULL.
  const berth_walk_slot_t *feed;     // The feed that it is, or NULL.
  berth_tensor_t *known;             // What it always is, or NULL.
  int32_t twin;  // An earlier result that it is by another name, or -1.
  lean_place_t place;
  berth_dims_t dims;
  berth_tensor_t *made;  // While it is made.
} lean_result_t;

typedef struct lean_step {
  berth_run_fn run;
  const void *plan;
  void **args;
  const berth_node_t *node;
  int32_t index;
} lean_step_t;

struct berth_walk_lean {
  berth_frame_t *frame;  // What all of this is of; NULL: nothing yet.
  bool fits;             // That is lean.
  bool was_run;          // In this run, in this frame or another.
  berth_runner_t runner;
  berth_call_t call;  // |err| and |node| are to be filled in.
  int feed_count, result_count, step_count;
  lean_feed_t *feeds;
  lean_result_t *results;
  lean_step_t *steps;
};

// ---- Life ----

bool berth_walk_leans_create(berth_flow_walk_t *w) {
  const berth_flow_t *flow = w->flow;
  w->leans = berth_calloc((size_t)flow->block_count + 1, sizeof(*w->leans));
  for (int i = 0; w->leans != NULL && i < flow->block_count; ++i) {
    const berth_program_t *p = flow->blocks[i].program;
    berth_walk_lean_t *lean = &w->leans[i];
    lean->feed_count = p->signature.feed_count;
    lean->result_count = p->signature.fetch_count;
    size_t feeds = (size_t)lean->feed_count + 1;
    size_t results = (size_t)lean->result_count + 1;
    size_t steps = (size_t)p->step_count + 1;
    lean->feeds = berth_calloc(feeds, sizeof(*lean->feeds));
    lean->results = berth_calloc(results, sizeof(*lean->results));
    lean->steps = berth_calloc(steps, sizeof(*lean->steps));
    if (lean->feeds == NULL || lean->results == NULL || lean->steps == NULL) {
      return false;
    }
  }
  return w->leans != NULL;
}

void berth_walk_leans_destroy(berth_flow_walk_t *w) {
  for (int i = 0; w->leans != NULL && i < w->flow->block_count; ++i) {
    berth_free(w->leans[i].feeds);
    berth_free(w->leans[i].results);
    berth_free(w->leans[i].steps);
  }
  berth_free(w->leans);
}

void berth_walk_leans_forget(berth_flow_walk_t *w) {
  for (int i = 0; i < w->flow->block_count; ++i) {
    berth_walk_lean_t *lean = &w->leans[i];
    for (int k = 0; lean->was_run && k < lean->result_count; ++k) {
      berth_tensor_release(*lean->results[k].spare);
      *lean->results[k].spare = NULL;
    }
    lean->frame = NULL;
    lean->was_run = false;
  }
  w->has_leans = false;
}

void berth_walk_lean_forget(berth_flow_walk_t *w, int32_t block) {
  w->leans[block].frame = NULL;
}

// ---- Writing down ----

// True when a run in |frame| does nothing but call kernels, if its results allow.
static bool is_plain(const berth_frame_t *frame) {
  const berth_layout_t *layout = frame->layout;
  const berth_program_t *p = layout->program;
  if (layout->feeds == NULL || layout->lanes != NULL || frame->issue != NULL ||
      layout->borrows || layout->has_late || frame->all_late ||
      layout->made_slot_count > 0 || layout->released_count > 0 ||
      p->blocker_count > 0 || p->step_count > MOST_STEPS) {
    return false;
  }
  for (int s = 0; s < p->step_count; ++s) {
    const berth_hot_step_t *hot = &layout->hot[s];
    if (hot->how == BERTH_HOT_SKIP) continue;
    if (hot->how != BERTH_HOT_PLAIN || hot->after != 0) return false;
  }
  return true;
}

// True when the value of |slot| is that of its root as a whole.
static bool is_whole(const berth_layout_t *layout, int32_t slot) {
  const berth_spot_t *spot = &layout->spots[slot];
  berth_dims_t dims =
      spot->storage == BERTH_STORE_SETTLED
          ? berth_tensor_dims(berth_layout_settled(layout, spot->root))
          : layout->spots[spot->root].dims;
  return berth_dims_equal(spot->dims, dims);
}

// Returns the first result that has the root of result |i|.
static int first_of_root(const berth_layout_t *layout, int i) {
  const int32_t *slots = layout->program->fetch_slots;
  int k = 0;
  while (layout->spots[slots[k]].root != layout->spots[slots[i]].root) ++k;
  return k;
}

// True when all that has to be made for a run are results, and the others are
// there.
static bool is_made_of_results(const berth_layout_t *layout) {
  const berth_program_t *p = layout->program;
  int made = 0;
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    int32_t slot = p->fetch_slots[i];
    const berth_spot_t *spot = &layout->spots[slot];
    bool is_there = spot->storage == BERTH_STORE_SETTLED ||
                    (spot->storage == BERTH_STORE_FEED &&
                     !p->slots[spot->root].is_borrowed);
    if (!is_whole(layout, slot)) return false;
    if (is_there) continue;
    if (spot->storage != BERTH_STORE_TENSOR ||
        layout->spots[spot->root].is_made) {
      return false;
    }
    if (first_of_root(layout, i) == i) ++made;
  }
  return layout->tensor_slot_count == made;
}

// Returns where |frame| has the address of |slot|.
static lean_place_t place_of(const berth_frame_t *frame, int32_t slot) {
  const berth_program_t *p = frame->layout->program;
  const berth_slot_t *info = &p->slots[slot];
  const berth_spot_t *spot = &frame->layout->spots[slot];
  bool is_one = info->use_count == 1 && spot->first_more < 0 &&
                spot->next_alias < 0 && spot->root == slot;
  void **arg = is_one ? &frame->args[p->uses[info->first_use]] : NULL;
  return (lean_place_t){&frame->data[slot], arg, slot};
}

static void feeds_write(const berth_flow_walk_t *w, berth_walk_lean_t *lean,
                        const int32_t *inputs) {
  const berth_layout_t *layout = lean->frame->layout;
  for (int i = 0; i < lean->feed_count; ++i) {
    int32_t inner = layout->program->feed_slots[i];
    lean->feeds[i] = (lean_feed_t){.slot = &w->slots[inputs[i]],
                                   .place = place_of(lean->frame, inner),
                                   .dims = layout->feeds[i]};
  }
}

// Returns where the value of |feed|, a slot of the block, comes from; NULL: it is
// no feed.
static const berth_walk_slot_t *feed_find(const berth_walk_lean_t *lean,
                                          int32_t feed) {
  for (int i = 0; feed >= 0 && i < lean->feed_count; ++i) {
    if (lean->feeds[i].place.inner == feed) return lean->feeds[i].slot;
  }
  return NULL;
}

static void results_write(berth_flow_walk_t *w, berth_walk_lean_t *lean,
                          const int32_t *outputs) {
  const berth_layout_t *layout = lean->frame->layout;
  const berth_program_t *p = layout->program;
  for (int i = 0; i < lean->result_count; ++i) {
    int32_t inner = layout->spots[p->fetch_slots[i]].root;
    const berth_spot_t *spot = &layout->spots[inner];
    int twin = first_of_root(layout, i);
    bool stays = berth_layout_bytes(layout, inner) <= BERTH_SMALL_TENSOR &&
                 berth_dtype_is_plain(p->slots[inner].dtype);
    lean_result_t *result = &lean->results[i];
    *result = (lean_result_t){.slot = &w->slots[outputs[i]],
                              .spare = &w->spares[outputs[i]],
                              .home = stays ? outputs[twin] : BERTH_HOME_NONE,
                              .twin = twin < i ? twin : -1,
                              .heir_of = feed_find(lean, spot->heir_of),
                              .place = place_of(lean->frame, inner),
                              .dims = spot->dims};
    if (spot->storage == BERTH_STORE_FEED) {
      result->feed = feed_find(lean, inner);
    } else if (spot->storage == BERTH_STORE_SETTLED) {
      result->known = berth_layout_settled(layout, inner);
      result->home = BERTH_HOME_OTHERS;
    }
  }
}

static void steps_write(berth_walk_lean_t *lean) {
  const berth_layout_t *layout = lean->frame->layout;
  lean->step_count = 0;
  for (int s = 0; s < layout->program->step_count; ++s) {
    const berth_hot_step_t *hot = &layout->hot[s];
    if (hot->how == BERTH_HOT_SKIP) continue;
    lean->steps[lean->step_count++] =
        (lean_step_t){.run = hot->run,
                      .plan = hot->plan,
                      .args = lean->frame->args + hot->first_arg,
                      .node = hot->node,
                      .index = s};
  }
}

// Writes down what a turn needs of |frame|, that of step |s|.
static BERTH_NOINLINE void lean_write(berth_flow_walk_t *w,
                                      berth_walk_lean_t *lean, int s,
                                      berth_frame_t *frame) {
  lean->frame = frame;
  lean->fits = is_plain(frame) && is_made_of_results(frame->layout);
  if (!lean->fits) return;
  w->has_leans = lean->was_run = true;
  berth_layout_note_use(frame->layout);
  feeds_write(w, lean, w->steps[s].inputs);
  results_write(w, lean, w->steps[s].outputs);
  steps_write(lean);
  const berth_exec_host_t *host = frame->layout->program->host;
  lean->runner = (berth_runner_t){.program = frame->layout->program,
                                  .layout = frame->layout,
                                  .frame = frame,
                                  .watch = w->r->watch};
  lean->call = (berth_call_t){.container = host->container,
                              .cancelled = &w->r->watch->ended,
                              .allocator = host->devices[0].allocator};
}

// ---- Running ----

// True when something besides feeds that step |s| waits for is dead.
static inline bool is_cut_off(const berth_flow_walk_t *w, int s,
                              int feed_count) {
  const berth_walk_step_t *step = &w->steps[s];
  for (int i = feed_count; i < step->input_count; ++i) {
    if (w->slots[step->inputs[i]].is_dead) return true;
  }
  for (int32_t i = 0; i < step->control_count; ++i) {
    if (w->is_step_dead[step->controls[i]]) return true;
  }
  return false;
}

// Says that the value at |place| is at |data|.
static inline void bind(berth_frame_t *frame, const lean_place_t *place,
                        void *data) {
  if (*place->data == data) return;
  if (BERTH_LIKELY(place->arg != NULL)) {
    *place->arg = *place->data = data;
  } else {
    berth_frame_bind(frame, place->inner, data);
  }
}

// Binds the feeds; false where one is dead, or has another shape than the layout
// is for.
static inline bool feeds_bind(const berth_walk_lean_t *lean) {
  for (int i = 0; i < lean->feed_count; ++i) {
    const lean_feed_t *feed = &lean->feeds[i];
    const berth_tensor_t *tensor = *feed->slot->tensor;
    if (feed->slot->is_dead || tensor == NULL ||
        !berth_dims_equal(feed->dims, berth_tensor_dims(tensor))) {
      return false;
    }
    bind(lean->frame, &feed->place, tensor->data);
  }
  return !atomic_load_explicit(&lean->runner.layout->is_stale,
                               memory_order_relaxed);
}

// Takes over the memory of a feed for |result|, or what it was put into last;
// NULL where neither can be had.
static inline berth_tensor_t *tensor_reuse(const berth_flow_walk_t *w,
                                           const lean_result_t *result) {
  const berth_walk_slot_t *feed = result->heir_of;
  if (feed != NULL && berth_walk_is_given(w, feed)) {
    berth_tensor_t *tensor = *feed->tensor;
    *feed->tensor = NULL;
    return tensor;
  }
  berth_tensor_t *spare = *result->spare;
  if (spare == NULL) return NULL;
  *result->spare = NULL;
  if (berth_dims_equal(result->dims, berth_tensor_dims(spare))) return spare;
  berth_tensor_release(spare);
  return NULL;
}

// Takes a reference to what |result| is, if it is nothing that is made; what is
// handed on keeps its home.
static inline bool result_hand_on(const berth_walk_lean_t *lean,
                                  lean_result_t *result) {
  if (result->feed != NULL) {
    result->made = berth_tensor_retain(*result->feed->tensor);
    result->home = result->feed->home;
  } else if (result->known != NULL) {
    result->made = berth_tensor_retain(result->known);
  } else if (result->twin >= 0) {
    result->made = berth_tensor_retain(lean->results[result->twin].made);
  }
  return result->made != NULL;
}

// Gets what the results are put into.
static inline berth_code_t results_make(const berth_flow_walk_t *w,
                                        berth_walk_lean_t *lean,
                                        berth_error_t *err) {
  for (int i = 0; i < lean->result_count; ++i) {
    lean_result_t *result = &lean->results[i];
    if (result_hand_on(lean, result)) continue;
    result->made = tensor_reuse(w, result);
    if (result->made == NULL) {
      BERTH_TRY(berth_runner_tensor(&lean->runner, result->place.inner,
                                    &result->made, err));
    }
    bind(lean->frame, &result->place, result->made->data);
  }
  return BERTH_OK;
}

// Calls the kernels. What was cut short says nothing: see berth_runner_steps().
static inline berth_code_t steps_call(berth_walk_lean_t *lean,
                                      berth_error_t *err) {
  berth_watch_t *watch = lean->runner.watch;
  lean->call.err = err;
  for (int i = 0; i < lean->step_count; ++i) {
    const lean_step_t *step = &lean->steps[i];
    lean->call.node = step->node;
    berth_code_t code = step->run(step->plan, step->args, &lean->call);
    if (BERTH_UNLIKELY(code != BERTH_OK)) {
      berth_runner_blame(&lean->runner, step->index, err);
      return code;
    }
    if (BERTH_UNLIKELY(berth_watch_has_ended(watch))) {
      return berth_watch_error(watch, err);
    }
  }
  return BERTH_OK;
}

// Gives the outer slots what was made.
static inline void results_give(const berth_walk_lean_t *lean) {
  for (int i = 0; i < lean->result_count; ++i) {
    lean_result_t *result = &lean->results[i];
    berth_walk_slot_t *slot = result->slot;
    if (BERTH_UNLIKELY(*slot->tensor != NULL)) {
      berth_tensor_release(*slot->tensor);
    }
    *slot->tensor = result->made;
    *slot->data = result->made->data;
    *slot->reads_left = slot->reads;
    slot->is_dead = false;
    slot->home = result->home;
    result->made = NULL;
  }
}

// Gives up the frame of |block|, whose run has failed.
static BERTH_NOINLINE void lean_abandon(berth_flow_walk_t *w, int32_t block) {
  berth_walk_lean_t *lean = &w->leans[block];
  for (int i = 0; i < lean->result_count; ++i) {
    berth_tensor_release(lean->results[i].made);
    lean->results[i].made = NULL;
  }
  berth_block_abandon(w->kept[block]);
  w->kept[block] = NULL;
}

BERTH_UNGUARDED
berth_code_t berth_walk_lean(berth_flow_walk_t *w, int s, int32_t block,
                             bool *out_done, berth_error_t *err) {
  berth_walk_lean_t *lean = &w->leans[block];
  if (BERTH_UNLIKELY(lean->frame != w->kept[block])) {
    lean_write(w, lean, s, w->kept[block]);
  }
  if (!lean->fits || is_cut_off(w, s, lean->feed_count) || !feeds_bind(lean)) {
    return BERTH_OK;
  }
  *out_done = true;
  berth_code_t code = results_make(w, lean, err);
  if (BERTH_LIKELY(code == BERTH_OK)) code = steps_call(lean, err);
  if (BERTH_UNLIKELY(code != BERTH_OK)) {
    lean_abandon(w, block);
    return code;
  }
  w->is_step_dead[s] = false;
  results_give(lean);
  const berth_walk_step_t *step = &w->steps[s];
  for (int i = 0; i < step->input_count; ++i) {
    berth_walk_read(w, &w->slots[step->inputs[i]]);
  }
  return BERTH_OK;
}
