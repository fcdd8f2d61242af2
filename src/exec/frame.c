// frame.c - The memory of one run.
#include "exec/frame.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "device/device.h"
#include "exec/copy.h"
#include "exec/fan.h"
#include "exec/fuse.h"
#include "exec/hold.h"
#include "exec/issue.h"
#include "exec/told.h"
#include "memory/history.h"
#include "memory/pool.h"
#include "state/commit.h"

berth_frame_t *berth_frame_next(const berth_frame_t *frame) {
  return frame->next;
}

// Writes |data| to every place where |slot| is an argument.
static void bind_uses(berth_frame_t *frame, int32_t slot, void *data) {
  const berth_program_t *p = frame->layout->program;
  const berth_slot_t *info = &p->slots[slot];
  frame->data[slot] = data;
  for (int32_t i = 0; i < info->use_count; ++i) {
    frame->args[p->uses[info->first_use + i]] = data;
  }
  int32_t more = frame->layout->spots[slot].first_more;
  for (; BERTH_UNLIKELY(more >= 0); more = frame->layout->next_more[more]) {
    frame->args[p->arg_count + more] = data;
  }
}

void berth_frame_bind(berth_frame_t *frame, int32_t slot, void *data) {
  BERTH_ASSERT(slot >= 0 && slot < frame->layout->program->slot_count);
  bind_uses(frame, slot, data);
  const berth_spot_t *spots = frame->layout->spots;
  for (int32_t alias = spots[slot].next_alias; alias >= 0;
       alias = spots[alias].next_alias) {
    // A late run gives aliases tensors of their own.
    if (frame->tensors[alias] == NULL) bind_uses(frame, alias, data);
  }
}

// Fills in the addresses of settled values.
static void bind_settled(berth_frame_t *frame) {
  const berth_layout_t *layout = frame->layout;
  for (int i = 0; i < layout->program->slot_count; ++i) {
    const berth_spot_t *spot = &layout->spots[i];
    if (spot->storage != BERTH_STORE_SETTLED) continue;
    bind_uses(frame, i, berth_layout_settled(layout, spot->root)->data);
  }
}

// Fills in where the scratch space of step |s| is.
static void bind_scratch(berth_frame_t *frame, int s, char *scratch) {
  const berth_step_t *step = &frame->layout->program->steps[s];
  int32_t arg = step->first_arg + step->input_count + step->output_count;
  frame->args[arg] = scratch;
  const berth_group_t *group = berth_group_of(frame->layout, s);
  if (group == NULL || berth_group_runner(group) != s) return;
  frame->args[group->first_arg + group->input_count + group->output_count] =
      scratch;
}

// Parts that run beside each other have scratch spaces of their own.
static void bind_fans(berth_frame_t *frame, char *base) {
  const berth_layout_t *layout = frame->layout;
  for (int f = 0; f < layout->fan_count; ++f) {
    for (int i = 0; i < layout->fans[f].part_count; ++i) {
      const berth_part_t *part = &layout->fans[f].parts[i];
      for (int32_t s = part->begin; s < part->end; ++s) {
        bind_scratch(frame, s, base + part->scratch_offset);
      }
    }
  }
}

// Fills in the addresses in arena |a|, which begins at |base|.
static void bind_arena(berth_frame_t *frame, int a, char *base) {
  const berth_layout_t *layout = frame->layout;
  const berth_program_t *p = layout->program;
  if (frame->arenas[a].base == base) return;
  frame->arenas[a].base = base;
  for (int i = 0; i < p->slot_count; ++i) {
    const berth_spot_t *spot = &layout->spots[i];
    if (spot->storage == BERTH_STORE_ARENA && spot->arena == a) {
      bind_uses(frame, i, base + spot->offset);
    }
  }
  for (int s = 0; s < p->step_count; ++s) {
    if (berth_step_space(&p->steps[s]) != a) continue;
    bind_scratch(frame, s, base + layout->needs[a].scratch_offset);
  }
  if (a == BERTH_HOST_SPACE) bind_fans(frame, base);
}

// Names the step with the largest value in |arena|: what there is no room for.
static void blame_largest(const berth_layout_t *layout, int arena,
                          berth_error_t *err) {
  const berth_step_t *step = berth_told_largest(layout, arena);
  if (step != NULL) berth_step_blame(step, err);
}

// ---- Arenas ----

// Returns what pinned memory comes from: that of any device that the program
// works on reaches all of them, and stays pinned while it runs.
static berth_device_t *pinned_device(const berth_layout_t *layout) {
  return layout->program->used->device;
}

static berth_allocator_t *arena_allocator(const berth_layout_t *layout, int a) {
  const berth_exec_host_t *host = layout->program->host;
  return a == berth_layout_pinned(layout) ? pinned_device(layout)->pinned
                                          : berth_space_allocator(host, a);
}

static berth_lender_t *arena_lender(const berth_layout_t *layout, int a) {
  const berth_exec_host_t *host = layout->program->host;
  if (a == berth_layout_pinned(layout)) {
    return &pinned_device(layout)->pinned_lender;
  }
  return host->devices[a == BERTH_HOST_SPACE ? 0 : a - 1].lender;
}

// Gets the memory of the small arenas.
static berth_code_t arenas_alloc(berth_frame_t *frame, berth_error_t *err) {
  const berth_layout_t *layout = frame->layout;
  for (int a = 0; a < layout->arena_count; ++a) {
    size_t size = layout->needs[a].size;
    if (size == 0 || size > BERTH_OWN_ARENA) continue;
    berth_frame_arena_t *arena = &frame->arenas[a];
    berth_allocator_t *allocator = arena_allocator(layout, a);
    char name[BERTH_TOLD_NAME];
    const char *before = berth_label_enter(berth_told_name(layout, a, name));
    berth_code_t code = allocator->alloc(allocator, size, &arena->own, err);
    berth_label_enter(before);
    if (code != BERTH_OK) {
      blame_largest(layout, a, err);
      return code;
    }
    arena->is_fresh = true;
    bind_arena(frame, a, arena->own->data);
  }
  return BERTH_OK;
}

static berth_code_t arena_borrow(berth_frame_t *frame, int a,
                                 berth_watch_t *watch, berth_error_t *err) {
  const berth_layout_t *layout = frame->layout;
  berth_frame_arena_t *arena = &frame->arenas[a];
  berth_wish_t wish = {.size = layout->needs[a].size,
                       .favourite = arena->base,
                       .allocator = arena_allocator(layout, a),
                       .look = watch != NULL ? berth_watch_poll : NULL,
                       .look_arg = watch};
  char name[BERTH_TOLD_NAME];
  const char *before = berth_label_enter(
      arena->base == NULL ? berth_told_name(layout, a, name) : NULL);
  berth_code_t code = berth_lender_borrow(arena_lender(layout, a), &wish,
                                          &frame->borrower, &arena->loan, err);
  berth_label_enter(before);
  if (code == BERTH_CANCELLED) return berth_watch_error(watch, err);
  if (code != BERTH_OK) {
    blame_largest(layout, a, err);
    return code;
  }
  arena->is_fresh = arena->loan.is_fresh;
  // A piece has the name of who used it last.
  if ((arena->is_fresh || arena->base != arena->loan.piece->data) &&
      berth_pool_owns(arena->loan.piece)) {
    berth_pool_rename(arena->loan.piece, berth_told_name(layout, a, name));
  }
  bind_arena(frame, a, arena->loan.piece->data);
  return BERTH_OK;
}

// Borrows the large arenas.
static berth_code_t arenas_borrow(berth_frame_t *frame, berth_watch_t *watch,
                                  berth_error_t *err) {
  const berth_layout_t *layout = frame->layout;
  if (!layout->borrows) return BERTH_OK;
  berth_borrower_begin(&frame->borrower);
  for (int a = 0; a < layout->arena_count; ++a) {
    if (layout->needs[a].size <= BERTH_OWN_ARENA) continue;
    BERTH_TRY(arena_borrow(frame, a, watch, err));
  }
  return BERTH_OK;
}

static void arenas_return(berth_frame_t *frame) {
  const berth_layout_t *layout = frame->layout;
  for (int a = 0; layout->borrows && a < layout->arena_count; ++a) {
    if (frame->arenas[a].loan.piece == NULL) continue;
    berth_lender_return(arena_lender(layout, a), &frame->arenas[a].loan);
  }
}

// ---- Frames ----

static berth_code_t frame_create(berth_layout_t *layout,
                                 berth_frame_t **out_frame,
                                 berth_error_t *err) {
  const berth_program_t *p = layout->program;
  size_t slots = (size_t)p->slot_count + 1;
  size_t args = (size_t)(p->arg_count + layout->more_arg_count) + 1;
  berth_frame_t *frame = berth_calloc(1, sizeof(*frame));
  if (frame == NULL) return berth_error_no_memory(err, "a run");
  frame->layout = layout;
  frame->first_update = -1;
  frame->args = berth_calloc(args, sizeof(*frame->args));
  frame->data = berth_calloc(slots, sizeof(*frame->data));
  frame->tensors = berth_calloc(slots, sizeof(*frame->tensors));
  frame->arenas =
      berth_calloc((size_t)layout->arena_count, sizeof(*frame->arenas));
  bool late = layout->has_late;
  if (late) frame->reads_left = berth_calloc(slots, sizeof(int32_t));
  berth_code_t code = BERTH_OK;
  if (frame->args == NULL || frame->data == NULL || frame->tensors == NULL ||
      frame->arenas == NULL || (late && frame->reads_left == NULL)) {
    code = berth_error_no_memory(err, "a run");
  }
  if (code == BERTH_OK) code = arenas_alloc(frame, err);
  if (code == BERTH_OK && layout->lanes != NULL) {
    code = berth_issue_create(layout, &frame->issue, err);
  }
  if (code != BERTH_OK) {
    berth_frame_destroy(frame);
    return code;
  }
  bind_settled(frame);
  *out_frame = frame;
  return BERTH_OK;
}

// Starts the counts that tell when a late value can be let go.
static void reads_reset(berth_frame_t *frame) {
  const berth_program_t *p = frame->layout->program;
  for (int i = 0; i < p->slot_count; ++i) {
    frame->reads_left[i] = p->slots[i].consumer_count;
  }
}

// ---- Runs that were ended ----

// A run that is ended waits so long for what it has queued, before it leaves
// its frame behind.
enum { LEAVE_NS = 10000000 };

void berth_frame_abandon(berth_frame_t *frame, berth_tensor_t *const *feeds) {
  berth_layout_t *layout = frame->layout;
  int count = layout->program->signature.feed_count;
  if (frame->issue != NULL && !berth_issue_leave(frame->issue, LEAVE_NS)) {
    frame->stranded = berth_calloc((size_t)count + 1, sizeof(*frame->stranded));
  }
  if (frame->stranded == NULL) {
    // It is over, or there is no memory to remember it by: nothing ends that.
    berth_issue_abandon(frame->issue);
    berth_frame_release(frame);
    return;
  }
  for (int i = 0; i < count; ++i) {
    if (feeds != NULL && feeds[i] != NULL)
      frame->stranded[i] = berth_tensor_retain(feeds[i]);
  }
  berth_frame_park(frame, true);
  berth_mutex_lock(&layout->lock);
  frame->next = layout->stranded;
  layout->stranded = frame;
  atomic_store(&layout->has_stranded, true);
  berth_mutex_unlock(&layout->lock);
}

// Takes a stranded frame whose work is over out of the list, or any; NULL when
// there is none.
static berth_frame_t *stranded_take(berth_layout_t *layout, bool any) {
  berth_mutex_lock(&layout->lock);
  berth_frame_t **link = &layout->stranded;
  while (*link != NULL && !any && !berth_issue_is_over((*link)->issue)) {
    link = &(*link)->next;
  }
  berth_frame_t *frame = *link;
  if (frame != NULL) *link = frame->next;
  atomic_store(&layout->has_stranded, layout->stranded != NULL);
  berth_mutex_unlock(&layout->lock);
  return frame;
}

bool berth_frames_recover(berth_layout_t *layout, bool waits) {
  bool found = false;
  int count = layout->program->signature.feed_count;
  for (;;) {
    berth_frame_t *frame = stranded_take(layout, waits);
    if (frame == NULL) return found;
    found = true;
    berth_issue_await(frame->issue);
    for (int i = 0; i < count; ++i) berth_tensor_release(frame->stranded[i]);
    berth_free(frame->stranded);
    frame->stranded = NULL;
    berth_frame_release(frame);
  }
}

// ---- Taking and giving back ----

// Takes an idle frame out of the list; NULL when there is none.
static BERTH_NOINLINE berth_frame_t *idle_take(berth_layout_t *layout) {
  berth_mutex_lock(&layout->lock);
  berth_frame_t *frame = layout->idle;
  if (frame != NULL) layout->idle = frame->next;
  berth_mutex_unlock(&layout->lock);
  return frame;
}

static BERTH_NOINLINE void idle_put(berth_layout_t *layout,
                                    berth_frame_t *frame) {
  berth_mutex_lock(&layout->lock);
  frame->next = layout->idle;
  layout->idle = frame;
  berth_mutex_unlock(&layout->lock);
}

berth_code_t berth_frame_acquire(berth_layout_t *layout, berth_watch_t *watch,
                                 berth_frame_t **out_frame,
                                 berth_error_t *err) {
  berth_frame_t *frame = atomic_exchange(&layout->spare, NULL);
  if (BERTH_UNLIKELY(frame == NULL)) frame = idle_take(layout);
  if (BERTH_UNLIKELY(atomic_load(&layout->has_stranded))) {
    (void)berth_frames_recover(layout, false);
  }
  if (frame == NULL) BERTH_TRY(frame_create(layout, &frame, err));
  berth_code_t code = arenas_borrow(frame, watch, err);
  if (code != BERTH_OK) {
    berth_frame_release(frame);
    return code;
  }
  if (frame->reads_left != NULL) reads_reset(frame);
  if (berth_history_is_on()) berth_told_begin(frame);
  *out_frame = frame;
  return BERTH_OK;
}

void berth_frame_let_go(berth_frame_t *frame, int first, int last) {
  const berth_layout_t *layout = frame->layout;
  // The first entry of |first| or after it, by bisection.
  int low = 0, high = layout->released_count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (layout->released_by[middle] < first) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (; low < layout->released_count && layout->released_by[low] <= last;
       ++low) {
    int32_t slot = layout->released_slots[low];
    berth_tensor_release(frame->tensors[slot]);
    frame->tensors[slot] = NULL;
  }
}

berth_commit_t *berth_frame_commit(berth_frame_t *frame) {
  if (frame->commit == NULL) {
    frame->commit = berth_calloc(1, sizeof(*frame->commit));
  }
  return frame->commit;
}

static void slots_drop(berth_frame_t *frame, const int32_t *slots, int count) {
  for (int i = 0; i < count; ++i) {
    berth_tensor_t *tensor = frame->tensors[slots[i]];
    if (tensor == NULL) continue;
    frame->tensors[slots[i]] = NULL;
    berth_tensor_release(tensor);
  }
}

// Lets go of the tensors of this run.
static void tensors_drop(berth_frame_t *frame) {
  const berth_layout_t *layout = frame->layout;
  const berth_program_t *p = layout->program;
  if (frame->all_late || layout->has_late) {
    for (int i = 0; i < p->slot_count; ++i) {
      if (!berth_frame_is_fed(frame, i)) {
        berth_tensor_release(frame->tensors[i]);
      }
      frame->tensors[i] = NULL;
    }
    return;
  }
  for (int i = 0; i < p->signature.feed_count; ++i) {
    frame->tensors[p->feed_slots[i]] = NULL;
  }
  slots_drop(frame, layout->tensor_slots, layout->tensor_slot_count);
  slots_drop(frame, layout->made_slots, layout->made_slot_count);
}

// Forgets the run that has used |frame|.
static void run_forget(berth_frame_t *frame) {
  // What a run that failed has not done is not done.
  if (frame->commit != NULL) berth_commit_drop(frame->commit);
  if (frame->plans.chunks != NULL) berth_arena_clear(&frame->plans);
  frame->first_update = -1;
  tensors_drop(frame);
}

void berth_frame_renew(berth_frame_t *frame) {
  run_forget(frame);
  if (frame->reads_left != NULL) reads_reset(frame);
}

void berth_frame_release(berth_frame_t *frame) {
  berth_layout_t *layout = frame->layout;
  run_forget(frame);
  berth_told_end(frame);
  arenas_return(frame);
  if (frame->all_late) {
    // Addresses were changed all over; a new frame is simpler than repair.
    berth_frame_destroy(frame);
    return;
  }
  berth_frame_t *none = NULL;
  if (BERTH_UNLIKELY(
          !atomic_compare_exchange_strong(&layout->spare, &none, frame))) {
    idle_put(layout, frame);
  }
}

void berth_frame_destroy(berth_frame_t *frame) {
  if (frame == NULL) return;
  berth_issue_destroy(frame->issue);
  berth_flow_walk_destroy(frame->walk);
  if (frame->commit != NULL) berth_commit_deinit(frame->commit);
  berth_free(frame->commit);
  berth_arena_clear(&frame->plans);
  for (int a = 0; frame->arenas != NULL && a < frame->layout->arena_count;
       ++a) {
    berth_buffer_release(frame->arenas[a].own);
  }
  berth_free(frame->arenas);
  berth_free(frame->args);
  berth_free(frame->data);
  berth_free(frame->tensors);
  berth_free(frame->reads_left);
  berth_free(frame);
}

// Copies the value of |slot| out of fed or arena memory (I4), within its space.
static berth_code_t copy_out(berth_frame_t *frame, int32_t slot,
                             berth_dims_t dims, berth_tensor_t **out_tensor,
                             berth_error_t *err) {
  const berth_program_t *p = frame->layout->program;
  const berth_slot_t *info = &p->slots[slot];
  berth_device_t *device = berth_space_device(p->host, info->space);
  int64_t count = berth_dims_count(dims);
  berth_tensor_t *copy = NULL;
  BERTH_TRY(berth_tensor_make(device != NULL ? device->allocator : NULL,
                              info->dtype, dims.rank, dims.dims, count, &copy,
                              err));
  berth_code_t code = BERTH_OK;
  if (device != NULL) {
    code = device->backend->streams->copy(berth_device_compute(device), device,
                                          copy->data, device, frame->data[slot],
                                          copy->size, err);
  } else if (!berth_elements_copy(info->dtype, copy->data, frame->data[slot],
                                  count)) {
    code = berth_error_no_memory(err, "a result");
  }
  if (code != BERTH_OK) {
    berth_tensor_release(copy);
    return code;
  }
  *out_tensor = copy;
  return BERTH_OK;
}

berth_code_t berth_frame_export(berth_frame_t *frame, int32_t slot,
                                berth_tensor_t **out_tensor,
                                berth_error_t *err) {
  const berth_layout_t *layout = frame->layout;
  const berth_spot_t *spot = &layout->spots[slot];
  berth_tensor_t *own = frame->tensors[slot];
  const berth_slot_t *slots = layout->program->slots;
  bool is_feed =
      spot->storage == BERTH_STORE_FEED && slots[spot->root].is_borrowed;
  if (own != NULL && !(is_feed && spot->root == slot)) {
    *out_tensor = berth_tensor_retain(own);
    return BERTH_OK;
  }
  // The tensor whose memory this is, unless it is fed or in the arena.
  berth_tensor_t *root = spot->storage == BERTH_STORE_SETTLED
                             ? berth_layout_settled(layout, spot->root)
                             : frame->tensors[spot->root];
  berth_dims_t dims = own != NULL ? berth_tensor_dims(own) : spot->dims;
  if (root != NULL && !is_feed) {
    if (root->rank == dims.rank &&
        berth_dims_equal(berth_tensor_dims(root), dims)) {
      *out_tensor = berth_tensor_retain(root);
      return BERTH_OK;
    }
    return berth_tensor_view(root->buffer, root->data, root->dtype, dims.rank,
                             dims.dims, root->count, root->device, out_tensor,
                             err);
  }
  return copy_out(frame, slot, dims, out_tensor, err);
}
