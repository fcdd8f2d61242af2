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

berth_code_t berth_session_program(berth_session_t *session,
                                   const berth_signature_t *signature,
                                   const berth_run_control_t *control,
                                   berth_program_t **out_program,
                                   berth_error_t *err) {
  uint64_t hash = berth_signature_hash(signature);
  // A graph that has grown is placed, and the log repeats, even when this run's
  // program is there.
  bool grown = berth_graph_node_count(session->graph) !=
                   atomic_load(&session->placed_count) &&
               !session->config.place_pruned_graph;
  if (BERTH_LIKELY(!grown)) {
    berth_program_t *program =
        berth_program_cache_find(&session->programs, hash, signature);
    if (program != NULL) {
      *out_program = program;
      return BERTH_OK;
    }
  }
  BERTH_TRY(lock_watched(session, control, err));
  berth_code_t code = berth_graph_error(session->graph, err);
  if (code == BERTH_OK) code = berth_session_place(session, err);
  if (code == BERTH_OK) {
    berth_program_t *program =
        berth_program_cache_find(&session->programs, hash, signature);
    if (program != NULL) {
      *out_program = program;
    } else {
      code = program_make(session, hash, signature, control, out_program, err);
    }
  }
  berth_mutex_unlock(&session->lock);
  return code;
}
