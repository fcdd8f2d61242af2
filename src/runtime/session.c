// session.c - Runs of a session, and what can be asked of it.
#include "base/alloc.h"
#include "base/clock.h"
#include "exec/tell.h"
#include "runtime/metadata.h"
#include "runtime/session_internal.h"

// ---- Runs ----

// Finds the program for |signature|, whose feeds it fills in, and runs it. The
// session was entered.
static berth_code_t run_entered(berth_session_t *session,
                                const berth_feed_t *fed,
                                berth_signature_t *signature,
                                berth_tensor_t **results,
                                const berth_run_control_t *control,
                                berth_program_t **out_program,
                                berth_error_t *err) {
  enum { ON_STACK = 32 };
  berth_out_t few_feeds[ON_STACK];
  berth_tensor_t *few_tensors[ON_STACK];
  size_t count = (size_t)signature->feed_count;
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
    feeds[i] = fed[i].out;
    tensors[i] = fed[i].tensor;
    if (BERTH_UNLIKELY(tensors[i] == NULL)) {
      code = berth_error_missing(err, "feeds[i].tensor");
      goto done;
    }
  }
  signature->feeds = feeds;
  code = berth_session_call(session, signature, tensors, results, control,
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

// Checks that what a run counts is there.
static berth_code_t check_lists(const berth_feed_t *feeds,
                                const berth_signature_t *signature,
                                berth_tensor_t **results, berth_error_t *err) {
  const berth_out_t *fetches = signature->fetches;
  const berth_node_id_t *targets = signature->targets;
  BERTH_GIVEN_LIST(feeds, signature->feed_count, err);
  BERTH_GIVEN_LIST(fetches, signature->fetch_count, err);
  BERTH_GIVEN_LIST(results, signature->fetch_count, err);
  BERTH_GIVEN_LIST(targets, signature->target_count, err);
  return BERTH_OK;
}

berth_code_t berth_session_run_with(berth_session_t *session,
                                    const berth_run_t *run,
                                    berth_error_t *err) {
  BERTH_GIVEN(session, err);
  BERTH_GIVEN(run, err);
  berth_signature_t signature = {.feed_count = run->feed_count,
                                 .fetches = run->fetches,
                                 .fetch_count = run->fetch_count,
                                 .targets = run->targets,
                                 .target_count = run->target_count};
  BERTH_TRY(check_lists(run->feeds, &signature, run->results, err));
  if (run->out_metadata != NULL) BERTH_GIVEN(run->out_metadata_size, err);
  BERTH_TRY(check_pool(session, run, err));
  unsigned term = 0;
  BERTH_TRY(berth_session_enter(session, &term, err));
  berth_run_control_t control;
  berth_session_control(session, run, &control);
  berth_trace_t trace = {0};
  if (run->trace) control.trace = &trace;
  berth_program_t *program = NULL;
  berth_code_t code = run_entered(session, run->feeds, &signature, run->results,
                                  &control, &program, err);
  if (code == BERTH_OK && run->out_metadata != NULL) {
    code = berth_metadata_write(session, program, run, &trace, err);
    for (int i = 0; code != BERTH_OK && i < run->fetch_count; ++i) {
      berth_tensor_release(run->results[i]);
      run->results[i] = NULL;
    }
  }
  if (run->trace) berth_trace_clear(&trace);
  berth_session_leave(session, term);
  return code;
}

berth_code_t berth_session_run(berth_session_t *session,
                               const berth_feed_t *feeds, int feed_count,
                               const berth_out_t *fetches, int fetch_count,
                               berth_tensor_t **results, berth_error_t *err) {
  BERTH_GIVEN(session, err);
  berth_signature_t signature = {
      .feed_count = feed_count, .fetches = fetches, .fetch_count = fetch_count};
  BERTH_TRY(check_lists(feeds, &signature, results, err));
  unsigned term = 0;
  BERTH_TRY(berth_session_enter(session, &term, err));
  berth_run_control_t control;
  berth_session_control(session, NULL, &control);
  berth_program_t *program = NULL;
  berth_code_t code =
      run_entered(session, feeds, &signature, results, &control, &program, err);
  berth_session_leave(session, term);
  return code;
}

// ---- Looking ----

int berth_session_device_count(const berth_session_t *session) {
  if (session == NULL) return 0;
  return session->devices.count;
}

const char *berth_session_device_name(const berth_session_t *session,
                                      int index) {
  if (session == NULL) return NULL;
  if (index < 0 || index >= session->devices.count) return NULL;
  return session->devices.exec[index].name;
}

berth_code_t berth_session_placement(berth_session_t *session,
                                     berth_node_id_t node,
                                     berth_node_placement_t *out,
                                     berth_error_t *err) {
  BERTH_GIVEN(session, err);
  BERTH_GIVEN(out, err);
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

// Appends how the program used last does |node|, of those that have something
// to say.
static void programs_tell(berth_session_t *session, int32_t node,
                          berth_str_t *str) {
  unsigned term = berth_terms_enter(&session->terms);
  berth_str_t told = {0};
  unsigned last = 0;
  for (int i = 0; i < BERTH_PROGRAM_BUCKETS; ++i) {
    berth_program_entry_t *entry = atomic_load(&session->programs.buckets[i]);
    for (; entry != NULL; entry = atomic_load(&entry->next)) {
      berth_str_t text = {0};
      unsigned used = atomic_load(&entry->used) + 1;
      if (used > last && berth_program_tell(entry->program, node, &text)) {
        last = used;
        berth_str_clear(&told);
        told = text;
      }
    }
  }
  berth_terms_leave(&session->terms, term);
  berth_str_puts(str, berth_str_get(&told));
  berth_str_clear(&told);
}

berth_code_t berth_session_explain(berth_session_t *session,
                                   berth_node_id_t node, char **out_text,
                                   berth_error_t *err) {
  BERTH_GIVEN(session, err);
  BERTH_GIVEN(out_text, err);
  berth_mutex_lock(&session->lock);
  berth_code_t code = berth_session_place(session, err);
  int asked = node;
  if (code == BERTH_OK && session->lowering != NULL) {
    node = berth_lowering_node(session->lowering, node);
  }
  if (code == BERTH_OK && (node < 0 || node >= session->placement.node_count)) {
    code = berth_error_set(err, BERTH_NOT_FOUND, "there is no node %d", asked);
  }
  if (code == BERTH_OK) {
    berth_place_options_t options;
    berth_session_place_options(session, &options);
    berth_str_t str = {0};
    berth_place_explain(session->graph, &session->placement, &options, node,
                        &str);
    programs_tell(session, node, &str);
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
