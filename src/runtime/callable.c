// callable.c - Runs that are planned once and called often.
#include "base/alloc.h"
#include "runtime/session_internal.h"

struct berth_callable {
  berth_session_t *session;  // Borrowed; outlives this.
  berth_program_t *program;  // A reference.
};

// NOLINTNEXTLINE(readability-function-size): a public signature.
berth_code_t berth_callable_create(
    berth_session_t *session, const berth_out_t *feeds, int feed_count,
    const berth_out_t *fetches, int fetch_count, const berth_node_id_t *targets,
    int target_count, berth_callable_t **out_callable, berth_error_t *err) {
  BERTH_GIVEN(session, err);
  BERTH_GIVEN_LIST(feeds, feed_count, err);
  BERTH_GIVEN_LIST(fetches, fetch_count, err);
  BERTH_GIVEN_LIST(targets, target_count, err);
  BERTH_GIVEN(out_callable, err);
  unsigned term = 0;
  BERTH_TRY(berth_session_enter(session, &term, err));
  berth_signature_t signature = {
      .feeds = feeds,
      .feed_count = feed_count,
      .fetches = fetches,
      .fetch_count = fetch_count,
      .targets = targets,
      .target_count = target_count,
      .is_call = session->context != NULL,
  };
  berth_run_control_t control;
  berth_session_control(session, NULL, &control);
  berth_program_t *program = NULL;
  berth_callable_t *callable = berth_calloc(1, sizeof(*callable));
  berth_code_t code =
      callable != NULL
          ? berth_session_program(session, &signature, &control, &program, err)
          : berth_error_no_memory(err, "a callable");
  if (code == BERTH_OK) {
    callable->session = session;
    callable->program = berth_program_retain(program);
    *out_callable = callable;
  } else {
    berth_free(callable);
  }
  berth_session_leave(session, term);
  return code;
}

void berth_callable_destroy(berth_callable_t *callable) {
  if (callable == NULL) return;
  berth_program_release(callable->program);
  berth_free(callable);
}

berth_code_t berth_callable_run(berth_callable_t *callable,
                                berth_tensor_t *const *feeds,
                                berth_tensor_t **results, berth_error_t *err) {
  BERTH_GIVEN(callable, err);
  const berth_signature_t *signature = &callable->program->signature;
  BERTH_GIVEN_LIST(feeds, signature->feed_count, err);
  BERTH_GIVEN_LIST(results, signature->fetch_count, err);
  for (int i = 0; i < signature->feed_count; ++i) BERTH_GIVEN(feeds[i], err);
  unsigned term = 0;
  BERTH_TRY(berth_session_enter(callable->session, &term, err));
  berth_run_control_t control;
  berth_session_control(callable->session, NULL, &control);
  berth_program_t *program = callable->program;
  // It was made for feeds in the host's memory.
  bool all_on_host = true;
  for (int i = 0; i < signature->feed_count; ++i) {
    all_on_host &= feeds[i]->device == NULL;
  }
  berth_code_t code =
      all_on_host || callable->session->context == NULL
          ? berth_run(program, feeds, results, &control, err)
          : berth_session_call_again(callable->session, callable->program,
                                     feeds, results, &control, err);
  berth_session_leave(callable->session, term);
  return code;
}
