// program.c - Making a program, and letting go of it.
//
// Nodes are visited in the order of their ids (build_node.c). Each needed node
// becomes a step, unless its value can be had at once: a constant, the handle
// of a variable, or anything that depends on nothing but such values.
#include "exec/program.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "exec/builder.h"
#include "exec/check.h"
#include "exec/copy.h"
#include "exec/cut.h"
#include "exec/deref.h"
#include "exec/expect.h"
#include "exec/flow.h"
#include "exec/hold.h"
#include "exec/layout.h"
#include "exec/segment.h"

// True when |step| waits for nothing but what is there when a run begins.
static bool is_ready_at_once(const berth_program_t *p,
                             const berth_step_t *step) {
  for (int i = 0; i < step->input_count; ++i) {
    if (p->slots[p->args[step->first_arg + i]].producer >= 0) return false;
  }
  return step->node->control_count == 0;
}

// Writes down anew which step makes each slot.
static void producers_find(berth_program_t *p) {
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    for (int i = 0; i < step->output_count; ++i) {
      p->slots[p->args[step->first_arg + step->input_count + i]].producer = s;
    }
  }
}

// Puts copies of feeds, and reads of variables that nothing has written yet,
// before everything else: copies are then under way while the rest is computed,
// and neither stands between steps that could be queued as one.
static void early_steps_first(berth_program_t *p) {
  size_t count = (size_t)p->step_count;
  berth_step_t *later = berth_alloc((count + 1) * sizeof(*later));
  if (later == NULL) return;  // Any order of this kind is right.
  int first = 0, rest = 0;
  bool is_written = false;
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    bool is_early = berth_is_copy(step) || (step->reads && !is_written);
    if (!step->reads && !berth_step_is_pure(step)) is_written = true;
    if (is_early && is_ready_at_once(p, step)) {
      p->steps[first++] = *step;
    } else {
      later[rest++] = *step;
    }
  }
  memcpy(p->steps + first, later, (size_t)rest * sizeof(*later));
  berth_free(later);
  producers_find(p);
}

// Returns the step that copy |s| waits for; -1 where |s| is no copy, nothing
// makes what it copies, or another copy does, which is moved itself.
static int32_t copied_from(const berth_program_t *p, int s) {
  const berth_step_t *step = &p->steps[s];
  if (!berth_is_copy(step)) return -1;
  int32_t from = p->slots[p->args[step->first_arg]].producer;
  return from >= 0 && !berth_is_copy(&p->steps[from]) ? from : -1;
}

// Puts every copy right behind the step that makes what it copies: slopes of a
// tower are then on their way while the rest of it goes back, and while other
// towers are queued. An event stands behind that step anyway.
static void copies_follow(berth_program_t *p) {
  size_t count = (size_t)p->step_count;
  berth_step_t *steps = berth_alloc((count + 1) * sizeof(*steps));
  int32_t *copies = berth_alloc((2 * count + 1) * sizeof(*copies));
  if (steps != NULL && copies != NULL) {
    int32_t *first = copies, *next = copies + count;
    for (size_t s = 0; s < count; ++s) first[s] = next[s] = -1;
    // From behind, so that the copies of a step keep their order.
    for (int s = p->step_count; s-- > 0;) {
      int32_t from = copied_from(p, s);
      if (from < 0) continue;
      next[s] = first[from];
      first[from] = s;
    }
    int done = 0;
    for (int s = 0; s < p->step_count; ++s) {
      if (copied_from(p, s) >= 0) continue;
      steps[done++] = p->steps[s];
      for (int32_t c = first[s]; c >= 0; c = next[c]) {
        steps[done++] = p->steps[c];
      }
    }
    memcpy(p->steps, steps, count * sizeof(*steps));
    producers_find(p);
  }
  berth_free(steps);
  berth_free(copies);
}

static berth_code_t feeds_add(berth_builder_t *b, berth_error_t *err) {
  berth_program_t *p = b->program;
  int count = p->signature.feed_count;
  p->feed_slots =
      berth_arena_calloc(&p->arena, (size_t)count + 1, sizeof(*p->feed_slots));
  if (p->feed_slots == NULL) return berth_error_no_memory(err, "a program");
  const int16_t *spaces = p->signature.feed_spaces;
  for (int i = 0; i < count; ++i) {
    berth_out_t out = p->signature.feeds[i];
    const berth_node_t *node = berth_graph_get(b->host->graph, out.node);
    if (spaces != NULL) {
      berth_device_t *device = berth_space_device(b->host, spaces[i]);
      BERTH_TRY(berth_program_use(p, device, b->watch, err));
    }
    BERTH_TRY(berth_builder_slot(b, node->output_types[out.index],
                                 spaces != NULL ? spaces[i] : BERTH_HOST_SPACE,
                                 &p->feed_slots[i], err));
    p->slots[p->feed_slots[i]].is_borrowed = !p->signature.is_call;
  }
  return BERTH_OK;
}

// Fills the lists that lead from a slot to its places in |args|.
static berth_code_t uses_build(berth_program_t *p, berth_error_t *err) {
  p->uses = berth_arena_alloc(&p->arena,
                              ((size_t)p->arg_count + 1) * sizeof(*p->uses));
  if (p->uses == NULL) return berth_error_no_memory(err, "a program");
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    const int32_t *slots = p->args + step->first_arg;
    for (int i = 0; i < step->input_count + step->output_count; ++i) {
      berth_slot_t *slot = &p->slots[slots[i]];
      ++slot->use_count;
      if (i >= step->input_count) continue;
      ++slot->consumer_count;
      if (berth_step_keeps(step, i)) slot->is_kept = true;
    }
  }
  int32_t next = 0;
  for (int i = 0; i < p->slot_count; ++i) {
    p->slots[i].first_use = next;
    next += p->slots[i].use_count;
    p->slots[i].use_count = 0;
  }
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    for (int i = 0; i < step->input_count + step->output_count; ++i) {
      int32_t position = step->first_arg + i;
      berth_slot_t *slot = &p->slots[p->args[position]];
      p->uses[slot->first_use + slot->use_count++] = position;
    }
  }
  return BERTH_OK;
}

// Copies the signature into the program's own memory.
static berth_code_t signature_copy(berth_program_t *p,
                                   const berth_signature_t *from,
                                   berth_error_t *err) {
  p->signature = *from;
  p->signature.feeds = berth_arena_memdup(
      &p->arena, from->feeds, (size_t)from->feed_count * sizeof(berth_out_t));
  p->signature.fetches =
      berth_arena_memdup(&p->arena, from->fetches,
                         (size_t)from->fetch_count * sizeof(berth_out_t));
  p->signature.targets =
      berth_arena_memdup(&p->arena, from->targets,
                         (size_t)from->target_count * sizeof(berth_node_id_t));
  if (from->feed_spaces != NULL) {
    p->signature.feed_spaces =
        berth_arena_memdup(&p->arena, from->feed_spaces,
                           (size_t)from->feed_count * sizeof(int16_t));
  }
  if (p->signature.feeds == NULL || p->signature.fetches == NULL ||
      p->signature.targets == NULL ||
      (p->signature.feed_spaces == NULL) != (from->feed_spaces == NULL)) {
    return berth_error_no_memory(err, "a program");
  }
  return BERTH_OK;
}

// Orders the nodes, where ids are not the order of running.
static berth_code_t flow_init(berth_builder_t *b, int node_count,
                              berth_error_t *err) {
  berth_program_t *p = b->program;
  BERTH_TRY(berth_order_init(&b->order, b->host->graph, &b->prune, err));
  if (b->order.items == NULL) return BERTH_OK;
  p->flow = berth_flow_create(&b->order, node_count);
  return p->flow != NULL ? BERTH_OK : berth_error_no_memory(err, "a program");
}

// Finds out which updates are one commit: those in a row, in one segment. With
// conditionals and loops the walk finds out (flow_run.c).
static void commits_find(berth_program_t *p) {
  for (int t = 0; t < p->segment_count; ++t) {
    const berth_segment_t *segment = &p->segments[t];
    for (int s = segment->begin; s < segment->end; ++s) {
      p->steps[s].ends_commit =
          s + 1 == segment->end || !berth_step_updates(&p->steps[s + 1]);
    }
  }
}

berth_code_t berth_program_finish(berth_program_t *p, berth_error_t *err) {
  if (p->uses_devices && p->flow == NULL) {
    early_steps_first(p);
    copies_follow(p);
  }
  BERTH_TRY(berth_derefs_finish(p, err));
  BERTH_TRY(berth_segments_build(p, err));
  commits_find(p);
  BERTH_TRY(berth_expect_init(p, err));
  return uses_build(p, err);
}

// Keeps which nodes have no step of their own, for traces.
static berth_code_t twins_keep(berth_builder_t *b, berth_error_t *err) {
  berth_program_t *p = b->program;
  size_t count = b->twins.found_count;
  if (count == 0) return BERTH_OK;
  p->twins =
      berth_arena_memdup(&p->arena, b->twins.found, count * sizeof(*p->twins));
  p->twin_count = (int)count;
  return p->twins != NULL ? BERTH_OK : berth_error_no_memory(err, "a program");
}

static berth_code_t build(berth_builder_t *b, int node_count,
                          berth_error_t *err) {
  berth_program_t *p = b->program;
  BERTH_TRY(berth_prune_init(&b->prune, b->host->graph, &p->signature,
                             node_count, b->host->skips_unread, err));
  BERTH_TRY(flow_init(b, node_count, err));
  b->first_slot =
      berth_alloc(((size_t)node_count + 1) * sizeof(*b->first_slot));
  b->updates_at =
      berth_alloc(((size_t)node_count + 1) * sizeof(*b->updates_at));
  if (b->first_slot == NULL || b->updates_at == NULL) {
    return berth_error_no_memory(err, "a program");
  }
  if (b->host->joins_twins && !berth_twins_init(&b->twins, node_count)) {
    return berth_error_no_memory(err, "a program");
  }
  BERTH_TRY(feeds_add(b, err));
  BERTH_TRY(berth_builder_fetches_init(p, err));
  BERTH_TRY(berth_builder_nodes(b, node_count, err));
  BERTH_ASSERT(b->back_edge_count == 0);
  BERTH_TRY(berth_builder_fetches(b, err));
  BERTH_TRY(twins_keep(b, err));
  if (p->flow != NULL) berth_flow_finish(p->flow);
  // Blocks of a partial run would wait for the feeds of all their steps.
  if (p->flow != NULL && b->host->cuts_blocks && !p->signature.is_partial) {
    BERTH_TRY(berth_program_cut(p, err));
  }
  return berth_program_finish(p, err);
}

void berth_program_destroy(berth_program_t *program) {
  if (program == NULL) return;
  berth_layouts_destroy(program);
  berth_flow_destroy(program->flow);
  for (int i = 0; i < program->step_count; ++i) {
    berth_step_deinit(&program->steps[i]);
  }
  for (int i = 0; i < program->settled_step_count; ++i) {
    berth_step_deinit(&program->settled_steps[i]);
  }
  for (int i = 0; i < program->slot_count; ++i) {
    berth_tensor_release(program->settled[i]);
  }
  berth_free(program->steps);
  berth_free(program->settled_steps);
  berth_free(program->args);
  berth_free(program->slots);
  berth_free(program->settled);
  berth_mutex_deinit(&program->lock);
  berth_arena_clear(&program->arena);
  berth_free(program);
}

static void program_destroy(berth_retired_t *retired) {
  berth_program_destroy((berth_program_t *)retired);
}

berth_program_t *berth_program_new(const berth_exec_host_t *host) {
  berth_program_t *program = berth_calloc(1, sizeof(*program));
  if (program == NULL) return NULL;
  berth_mutex_init(&program->lock);
  atomic_init(&program->refs, 1);
  program->host = host;
  return program;
}

berth_code_t berth_program_create(const berth_exec_host_t *host,
                                  const berth_signature_t *signature,
                                  int node_count, berth_watch_t *watch,
                                  berth_program_t **out_program,
                                  berth_error_t *err) {
  berth_program_t *program = berth_program_new(host);
  if (program == NULL) return berth_error_no_memory(err, "a program");
  berth_builder_t b = {.program = program, .host = host, .watch = watch};
  berth_code_t code = signature_copy(program, signature, err);
  if (code == BERTH_OK) code = build(&b, node_count, err);
  if (code == BERTH_CANCELLED) code = berth_watch_why(watch, code, err);
  berth_prune_deinit(&b.prune);
  berth_order_deinit(&b.order);
  berth_twins_deinit(&b.twins);
  berth_free(b.back_edges);
  berth_free(b.first_slot);
  berth_free(b.updates_at);
  berth_free(b.updaters);
  berth_free(b.first_copy);
  berth_free(b.copies);
  berth_str_clear(&b.missing);
  berth_program_let_go(program);
  if (code == BERTH_OK) {
    BERTH_ASSERT_SOUND(berth_program_check(program));
    *out_program = program;
  } else {
    berth_program_destroy(program);
  }
  return code;
}

berth_program_t *berth_program_retain(berth_program_t *program) {
  atomic_fetch_add_explicit(&program->refs, 1, memory_order_relaxed);
  return program;
}

void berth_program_release(berth_program_t *program) {
  if (program == NULL) return;
  if (atomic_fetch_sub_explicit(&program->refs, 1, memory_order_acq_rel) > 1) {
    return;
  }
  program->retired.destroy = program_destroy;
  berth_terms_retire(program->host->terms, &program->retired);
}

static bool outs_equal(const berth_out_t *a, const berth_out_t *b, int count) {
  for (int i = 0; i < count; ++i) {
    if (a[i].node != b[i].node || a[i].index != b[i].index) return false;
  }
  return true;
}

static bool spaces_equal(const int16_t *a, const int16_t *b, int count) {
  if (a == NULL || b == NULL) return a == b;
  return memcmp(a, b, (size_t)count * sizeof(*a)) == 0;
}

bool berth_program_is_for(const berth_program_t *program,
                          const berth_signature_t *signature) {
  const berth_signature_t *own = &program->signature;
  if (own->feed_count != signature->feed_count ||
      own->fetch_count != signature->fetch_count ||
      own->target_count != signature->target_count ||
      own->is_partial != signature->is_partial ||
      own->is_call != signature->is_call) {
    return false;
  }
  for (int i = 0; i < own->target_count; ++i) {
    if (own->targets[i] != signature->targets[i]) return false;
  }
  return spaces_equal(own->feed_spaces, signature->feed_spaces,
                      own->feed_count) &&
         outs_equal(own->feeds, signature->feeds, own->feed_count) &&
         outs_equal(own->fetches, signature->fetches, own->fetch_count);
}
