// session.c - Sessions: placement, programs, runs.
#include "base/alloc.h"
#include "base/clock.h"
#include "base/float_env.h"
#include "runtime/end_name.h"
#include "runtime/metadata.h"
#include "runtime/session_internal.h"

// Between two tries for the session's lock.
enum { LOCK_WAIT_NS = 200000 };

// ---- Placement ----

// Returns where node |i| has to be, or -1. Stateful nodes stay where they were:
// their state is there.
static int16_t assigned_of(const berth_session_t *session, int i) {
  const berth_placement_t *old = &session->placement;
  if (i < old->node_count &&
      berth_graph_get(session->graph, i)->op->is_stateful) {
    return old->device[i];
  }
  return i < session->pin_count ? session->pins[i] : (int16_t)-1;
}

// Makes the list of nodes whose device is settled.
static int16_t *list_assigned(const berth_session_t *session, int count) {
  int16_t *assigned = berth_alloc(((size_t)count + 1) * sizeof(*assigned));
  for (int i = 0; assigned != NULL && i < count; ++i) {
    assigned[i] = assigned_of(session, i);
  }
  return assigned;
}

// Places nodes of the graph as |options| say, which are the session's.
static berth_code_t place_nodes(berth_session_t *session,
                                berth_place_options_t options,
                                berth_error_t *err) {
  int placed = session->placement.node_count, pinned = session->pin_count;
  int count = placed > pinned ? placed : pinned;
  int16_t *assigned = list_assigned(session, count);
  if (assigned == NULL) return berth_error_no_memory(err, "a placement");
  options.assigned = assigned;
  options.assigned_count = count;
  berth_placement_t placement;
  berth_code_t code = berth_place(session->graph, &options, &placement, err);
  berth_free(assigned);
  if (code != BERTH_OK) return code;
  berth_placement_deinit(&session->placement);
  session->placement = placement;
  return BERTH_OK;
}

berth_code_t berth_session_place(berth_session_t *session, berth_error_t *err) {
  int count = berth_graph_node_count(session->graph);
  if (count == atomic_load(&session->placed_count) ||
      session->config.place_pruned_graph) {
    return BERTH_OK;
  }
  berth_place_options_t options;
  berth_session_place_options(session, &options);
  BERTH_TRY(place_nodes(session, options, err));
  atomic_store(&session->placed_count, session->placement.node_count);
  return BERTH_OK;
}

// ---- Programs ----

static uint64_t signature_hash(const berth_signature_t *signature) {
  uint64_t hash = (uint64_t)signature->is_partial;
  const int16_t *spaces = signature->feed_spaces;
  for (int i = 0; spaces != NULL && i < signature->feed_count; ++i) {
    hash = (hash ^ (uint16_t)spaces[i]) * 0x9e3779b97f4a7c15ULL;
  }
  for (int i = 0; i < signature->feed_count; ++i) {
    uint64_t out = (uint64_t)(uint32_t)signature->feeds[i].node << 32 |
                   (uint32_t)signature->feeds[i].index;
    hash = (hash ^ out) * 0x9e3779b97f4a7c15ULL;
  }
  hash = hash * 31 + 1;
  for (int i = 0; i < signature->fetch_count; ++i) {
    uint64_t out = (uint64_t)(uint32_t)signature->fetches[i].node << 32 |
                   (uint32_t)signature->fetches[i].index;
    hash = (hash ^ out) * 0x9e3779b97f4a7c15ULL;
  }
  hash = hash * 31 + 2;
  for (int i = 0; i < signature->target_count; ++i) {
    hash = (hash ^ (uint32_t)signature->targets[i]) * 0x9e3779b97f4a7c15ULL;
  }
  return hash ^ hash >> 29;
}

static berth_program_t *program_find(berth_session_t *session, uint64_t hash,
                                     const berth_signature_t *signature) {
  berth_program_entry_t *entry = atomic_load_explicit(
      &session->buckets[hash % BERTH_PROGRAM_BUCKETS], memory_order_acquire);
  for (; entry != NULL; entry = entry->next) {
    if (entry->hash == hash &&
        berth_program_is_for(entry->program, signature)) {
      return entry->program;
    }
  }
  return NULL;
}

// Places only what |signature| needs.
static berth_code_t place_pruned(berth_session_t *session,
                                 const berth_signature_t *signature,
                                 berth_error_t *err) {
  berth_arena_t arena = {0};
  berth_prune_t prune = {0};
  berth_place_options_t options;
  berth_session_place_options(session, &options);
  berth_code_t code =
      berth_prune_init(&prune, session->graph, signature,
                       berth_graph_node_count(session->graph), err);
  if (code != BERTH_OK) goto done;
  options.only = prune.needed;
  code = berth_end_names_list(session->graph, &prune, &arena, &options.ends,
                              &options.end_count, err);
  if (code != BERTH_OK) goto done;
  code = place_nodes(session, options, err);
done:
  berth_prune_deinit(&prune);
  berth_arena_clear(&arena);
  return code;
}

// Makes the program. The lock is held.
static berth_code_t program_make(berth_session_t *session, uint64_t hash,
                                 const berth_signature_t *signature,
                                 const berth_run_control_t *control,
                                 berth_program_t **out_program,
                                 berth_error_t *err) {
  if (session->config.place_pruned_graph) {
    BERTH_TRY(place_pruned(session, signature, err));
  } else {
    BERTH_TRY(berth_session_place(session, err));
  }
  berth_program_entry_t *entry = berth_calloc(1, sizeof(*entry));
  if (entry == NULL) return berth_error_no_memory(err, "a program");
  berth_float_env_t float_env = berth_float_env_enter();
  berth_watch_t watch = {.control = control};
  berth_parallel_scope_t scope = {control->threads, berth_watch_poll, &watch};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_code_t code = berth_program_create(&session->host, signature,
                                           session->placement.node_count,
                                           &watch, &entry->program, err);
  berth_parallel_enter(before);
  berth_float_env_leave(float_env);
  if (code != BERTH_OK) {
    berth_free(entry);
    return code;
  }
  _Atomic(berth_program_entry_t *) *bucket =
      &session->buckets[hash % BERTH_PROGRAM_BUCKETS];
  entry->hash = hash;
  entry->next = atomic_load(bucket);
  atomic_store_explicit(bucket, entry, memory_order_release);
  *out_program = entry->program;
  return BERTH_OK;
}

// Takes the lock. Whoever has it may be computing constants for seconds: what
// ends a run ends this too, and polling goes on.
static berth_code_t lock_watched(berth_session_t *session,
                                 const berth_run_control_t *control,
                                 berth_error_t *err) {
  if (BERTH_LIKELY(berth_mutex_try_lock(&session->lock))) return BERTH_OK;
  berth_watch_t watch = {.control = control};
  while (!berth_mutex_try_lock(&session->lock)) {
    if (berth_watch_look(&watch)) return berth_watch_error(&watch, err);
    berth_sleep_ns(LOCK_WAIT_NS);
  }
  return BERTH_OK;
}

berth_code_t berth_session_program(berth_session_t *session,
                                   const berth_signature_t *signature,
                                   const berth_run_control_t *control,
                                   berth_program_t **out_program,
                                   berth_error_t *err) {
  uint64_t hash = signature_hash(signature);
  // A graph that has grown is placed, and the log repeats, even when this run's
  // program is there.
  bool grown = berth_graph_node_count(session->graph) !=
                   atomic_load(&session->placed_count) &&
               !session->config.place_pruned_graph;
  if (BERTH_LIKELY(!grown)) {
    berth_program_t *program = program_find(session, hash, signature);
    if (program != NULL) {
      *out_program = program;
      return BERTH_OK;
    }
  }
  BERTH_TRY(lock_watched(session, control, err));
  berth_code_t code = berth_graph_error(session->graph, err);
  if (code == BERTH_OK) code = berth_session_place(session, err);
  if (code == BERTH_OK) {
    berth_program_t *program = program_find(session, hash, signature);
    if (program != NULL) {
      *out_program = program;
    } else {
      code = program_make(session, hash, signature, control, out_program, err);
    }
  }
  berth_mutex_unlock(&session->lock);
  return code;
}

// ---- Runs ----

void berth_session_control(berth_session_t *session, const berth_run_t *run,
                           berth_run_control_t *control) {
  const berth_config_t *config = &session->config;
  int64_t timeout =
      run != NULL && run->timeout_ms > 0 ? run->timeout_ms : config->timeout_ms;
  *control = (berth_run_control_t){
      .closed = &session->closed,
      .cancelled =
          run != NULL && run->cancel != NULL ? &run->cancel->fired : NULL,
      .deadline_ns = timeout > 0 ? berth_now_ns() + timeout * 1000000 : 0,
      .poll = config->poll,
      .poll_arg = config->poll_arg,
      .threads = config->intra_op_threads,
  };
  if (run != NULL && run->poll != NULL) {
    control->poll = run->poll;
    control->poll_arg = run->poll_arg;
  }
}

// Finds the program for a call and runs it. The session was entered.
static berth_code_t run_entered(berth_session_t *session,
                                const berth_run_t *run,
                                berth_run_control_t *control,
                                berth_program_t **out_program,
                                berth_error_t *err) {
  enum { ON_STACK = 32 };
  berth_out_t few_feeds[ON_STACK];
  berth_tensor_t *few_tensors[ON_STACK];
  size_t count = (size_t)run->feed_count;
  bool is_many = count > ON_STACK;
  berth_out_t *feeds =
      is_many ? berth_alloc(count * sizeof(*feeds)) : few_feeds;
  berth_tensor_t **tensors =
      is_many ? berth_alloc(count * sizeof(*tensors)) : few_tensors;
  berth_code_t code = BERTH_OK;
  if (feeds == NULL || tensors == NULL) {
    code = berth_error_no_memory(err, "feeds");
    goto done;
  }
  for (size_t i = 0; i < count; ++i) {
    feeds[i] = run->feeds[i].out;
    tensors[i] = run->feeds[i].tensor;
  }
  berth_signature_t signature = {
      .feeds = feeds,
      .feed_count = run->feed_count,
      .fetches = run->fetches,
      .fetch_count = run->fetch_count,
      .targets = run->targets,
      .target_count = run->target_count,
  };
  code = berth_session_call(session, &signature, tensors, run->results, control,
                            out_program, err);
done:
  if (is_many) berth_free(feeds);
  if (is_many) berth_free(tensors);
  return code;
}

// Pools of threads for whole ops have no meaning here, but asking for one that
// was not configured is a mistake worth telling.
static berth_code_t check_pool(const berth_session_t *session,
                               const berth_run_t *run, berth_error_t *err) {
  int pools = session->config.inter_op_pools;
  if (run->inter_op_pool >= -1 &&
      run->inter_op_pool < (pools > 0 ? pools : 1)) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Invalid inter_op_thread_pool: %d",
                         run->inter_op_pool);
}

berth_code_t berth_session_run_with(berth_session_t *session,
                                    const berth_run_t *run,
                                    berth_error_t *err) {
  BERTH_TRY(check_pool(session, run, err));
  BERTH_TRY(berth_session_enter(session, err));
  berth_run_control_t control;
  berth_session_control(session, run, &control);
  berth_trace_t trace = {0};
  if (run->trace) control.trace = &trace;
  berth_program_t *program = NULL;
  berth_code_t code = run_entered(session, run, &control, &program, err);
  if (code == BERTH_OK && run->out_metadata != NULL) {
    code = berth_metadata_write(session, program, run, &trace, err);
    for (int i = 0; code != BERTH_OK && i < run->fetch_count; ++i) {
      berth_tensor_release(run->results[i]);
      run->results[i] = NULL;
    }
  }
  berth_trace_clear(&trace);
  berth_session_leave(session);
  return code;
}

berth_code_t berth_session_run(berth_session_t *session,
                               const berth_feed_t *feeds, int feed_count,
                               const berth_out_t *fetches, int fetch_count,
                               berth_tensor_t **results, berth_error_t *err) {
  berth_run_t run = {.feeds = feeds,
                     .feed_count = feed_count,
                     .fetches = fetches,
                     .fetch_count = fetch_count,
                     .results = results};
  return berth_session_run_with(session, &run, err);
}

// ---- Looking ----

int berth_session_device_count(const berth_session_t *session) {
  return session->devices.count;
}

const char *berth_session_device_name(const berth_session_t *session,
                                      int index) {
  if (index < 0 || index >= session->devices.count) return NULL;
  return session->devices.exec[index].name;
}

berth_code_t berth_session_placement(berth_session_t *session,
                                     berth_node_id_t node,
                                     berth_node_placement_t *out,
                                     berth_error_t *err) {
  berth_mutex_lock(&session->lock);
  berth_code_t code = berth_session_place(session, err);
  const berth_placement_t *placement = &session->placement;
  if (code == BERTH_OK && (node < 0 || node >= placement->node_count)) {
    code = berth_error_set(err, BERTH_NOT_FOUND, "there is no node %d", node);
  }
  if (code == BERTH_OK) {
    int device = placement->device[node];
    *out = (berth_node_placement_t){
        .device = device >= 0 ? session->devices.exec[device].name : NULL,
        .reason = (berth_reason_t)placement->reason[node],
        .because = placement->because[node],
    };
  }
  berth_mutex_unlock(&session->lock);
  return code;
}

berth_code_t berth_session_explain(berth_session_t *session,
                                   berth_node_id_t node, char **out_text,
                                   berth_error_t *err) {
  berth_mutex_lock(&session->lock);
  berth_code_t code = berth_session_place(session, err);
  if (code == BERTH_OK && (node < 0 || node >= session->placement.node_count)) {
    code = berth_error_set(err, BERTH_NOT_FOUND, "there is no node %d", node);
  }
  if (code == BERTH_OK) {
    berth_place_options_t options;
    berth_session_place_options(session, &options);
    berth_str_t str = {0};
    berth_place_explain(session->graph, &session->placement, &options, node,
                        &str);
    char *text = berth_str_take(&str);
    if (text != NULL) {
      *out_text = text;
    } else {
      code = berth_error_no_memory(err, "an explanation");
    }
  }
  berth_mutex_unlock(&session->lock);
  return code;
}
