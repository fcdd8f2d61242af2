// session_program.c - From what a run asks for to the program that does it.
#include "base/alloc.h"
#include "base/clock.h"
#include "base/float_env.h"
#include "runtime/session_internal.h"

// Between two tries for the session's lock.
enum { LOCK_WAIT_NS = 200000 };

// Makes the program. The lock is held.
static berth_code_t program_make(berth_session_t *session, uint64_t hash,
                                 const berth_signature_t *signature,
                                 const berth_run_control_t *control,
                                 berth_program_t **out_program,
                                 berth_error_t *err) {
  if (session->config.place_pruned_graph) {
    BERTH_TRY(berth_session_place_pruned(session, signature, err));
  } else {
    BERTH_TRY(berth_session_place(session, err));
  }
  berth_program_t *program = NULL;
  berth_float_env_t float_env = berth_float_env_enter();
  berth_watch_t watch = {.control = control};
  berth_parallel_scope_t scope = {control->threads, berth_watch_poll, &watch};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_code_t code = berth_program_create(&session->host, signature,
                                           session->placement.node_count,
                                           &watch, &program, err);
  berth_parallel_enter(before);
  berth_float_env_leave(float_env);
  if (code == BERTH_OK) {
    code = berth_program_cache_add(&session->programs, hash, program, err);
  }
  if (code == BERTH_OK) *out_program = program;
  return code;
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

// Looks for the program, or makes it. The lock is held. |signature| names nodes
// of the graph that is run.
static berth_code_t program_get(berth_session_t *session,
                                const berth_signature_t *signature,
                                const berth_run_control_t *control,
                                berth_program_t **out_program,
                                berth_error_t *err) {
  uint64_t hash = berth_signature_hash(signature);
  berth_program_t *program =
      berth_program_cache_find(&session->programs, hash, signature);
  if (program == NULL) {
    return program_make(session, hash, signature, control, out_program, err);
  }
  *out_program = program;
  return BERTH_OK;
}

// Looks |signature| up in the graph that is run. |outs| has room for feeds and
// fetches, |nodes| for a target for each of its targets and fetches.
static void signature_find(berth_lowering_t *lowering,
                           const berth_signature_t *signature,
                           berth_out_t *outs, berth_node_id_t *nodes,
                           int *out_targets) {
  int feeds = signature->feed_count, targets = signature->target_count;
  for (int i = 0; i < feeds; ++i) {
    outs[i] = berth_lowering_out(lowering, signature->feeds[i]);
  }
  for (int i = 0; i < targets; ++i) {
    nodes[i] = berth_lowering_node(lowering, signature->targets[i]);
  }
  for (int i = 0; i < signature->fetch_count; ++i) {
    nodes[targets] = -1;
    outs[feeds + i] = berth_lowering_fetch(lowering, signature->fetches[i],
                                           &nodes[targets]);
    bool is_new = nodes[targets] >= 0 &&
                  (targets == 0 || nodes[targets] != nodes[targets - 1]);
    if (is_new) ++targets;
  }
  *out_targets = targets;
}

// Makes |*out| of |signature|, with nodes of the graph that is run; |*out_room|
// is to be freed.
static berth_code_t signature_lower(berth_lowering_t *lowering,
                                    const berth_signature_t *signature,
                                    berth_signature_t *out, void **out_room,
                                    berth_error_t *err) {
  size_t feeds = (size_t)signature->feed_count;
  size_t fetches = (size_t)signature->fetch_count;
  size_t targets = (size_t)signature->target_count;
  size_t size = (feeds + fetches) * sizeof(berth_out_t) +
                (targets + fetches + 1) * sizeof(berth_node_id_t);
  berth_out_t *outs = berth_alloc(size);
  if (outs == NULL) return berth_error_no_memory(err, "a run");
  berth_node_id_t *nodes = (berth_node_id_t *)(outs + feeds + fetches);
  *out = *signature;
  signature_find(lowering, signature, outs, nodes, &out->target_count);
  out->feeds = outs;
  out->fetches = outs + feeds;
  out->targets = nodes;
  *out_room = outs;
  return BERTH_OK;
}

// As program_get(), for a signature that names nodes of the given graph.
static berth_code_t program_get_lowered(berth_session_t *session,
                                        const berth_signature_t *signature,
                                        const berth_run_control_t *control,
                                        berth_program_t **out_program,
                                        berth_error_t *err) {
  berth_signature_t lowered;
  void *room = NULL;
  BERTH_TRY(
      signature_lower(session->lowering, signature, &lowered, &room, err));
  berth_code_t code = program_get(session, &lowered, control, out_program, err);
  berth_free(room);
  return code;
}

// Returns the program that is there, or NULL.
static berth_program_t *program_find(berth_session_t *session,
                                     const berth_signature_t *signature) {
  berth_lowering_t *lowering = session->lowering;
  if (BERTH_LIKELY(lowering == NULL)) {
    return berth_program_cache_find(&session->programs,
                                    berth_signature_hash(signature), signature);
  }
  berth_signature_t lowered;
  void *room = NULL;
  if (signature_lower(lowering, signature, &lowered, &room, NULL) != BERTH_OK) {
    return NULL;
  }
  berth_program_t *program = berth_program_cache_find(
      &session->programs, berth_signature_hash(&lowered), &lowered);
  berth_free(room);
  return program;
}

berth_code_t berth_session_program(berth_session_t *session,
                                   const berth_signature_t *signature,
                                   const berth_run_control_t *control,
                                   berth_program_t **out_program,
                                   berth_error_t *err) {
  // A graph that has grown is placed, and the log repeats, even when this run's
  // program is there.
  bool grown = berth_graph_node_count(session->given) !=
                   atomic_load(&session->placed_count) &&
               !session->config.place_pruned_graph;
  if (BERTH_LIKELY(!grown)) {
    berth_program_t *program = program_find(session, signature);
    if (program != NULL) {
      *out_program = program;
      return BERTH_OK;
    }
  }
  BERTH_TRY(lock_watched(session, control, err));
  berth_code_t code = berth_graph_error(session->given, err);
  if (code == BERTH_OK) code = berth_session_place(session, err);
  if (code == BERTH_OK) {
    code = session->lowering == NULL
               ? program_get(session, signature, control, out_program, err)
               : program_get_lowered(session, signature, control, out_program,
                                     err);
  }
  berth_mutex_unlock(&session->lock);
  return code;
}

berth_code_t berth_session_program_of(berth_session_t *session,
                                      const berth_signature_t *signature,
                                      const berth_run_control_t *control,
                                      berth_program_t **out_program,
                                      berth_error_t *err) {
  *out_program = berth_program_cache_find(
      &session->programs, berth_signature_hash(signature), signature);
  if (BERTH_LIKELY(*out_program != NULL)) return BERTH_OK;
  BERTH_TRY(lock_watched(session, control, err));
  berth_code_t code =
      program_get(session, signature, control, out_program, err);
  berth_mutex_unlock(&session->lock);
  return code;
}
