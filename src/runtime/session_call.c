// session_call.c - One call: the program for what is fed, and its run.
//
// A session's feeds and fetches are the host's. In the session of an eager
// context both stay where they are: a program is for feeds in certain memories,
// as it is for certain feeds, and a call looks where its feeds are.
#include "base/alloc.h"
#include "base/clock.h"
#include "exec/copy.h"
#include "runtime/session_internal.h"

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
      .in_turn = config->inter_op_threads == 1,
  };
  if (run != NULL && run->poll != NULL) {
    control->poll = run->poll;
    control->poll_arg = run->poll_arg;
  }
}

// Stores the space of |tensor|, number |index| of the feeds.
static berth_code_t space_of(const berth_session_t *session,
                             const berth_tensor_t *tensor, int index,
                             int16_t *out_space, berth_error_t *err) {
  *out_space = BERTH_HOST_SPACE;
  // berth_run() says what is wrong with a feed that is missing.
  if (tensor == NULL || tensor->device == NULL) return BERTH_OK;
  for (int i = 0; i < session->devices.count; ++i) {
    if (session->devices.exec[i].device != tensor->device) continue;
    *out_space = (int16_t)(i + 1);
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Feed %d is on a device that the session has not",
                         index);
}

// Fills |spaces| for |feeds|, and says whether any is not the host's.
static berth_code_t spaces_fill(const berth_session_t *session,
                                berth_tensor_t *const *feeds, int count,
                                int16_t *spaces, bool *out_any,
                                berth_error_t *err) {
  bool any = false;
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(space_of(session, feeds[i], i, &spaces[i], err));
    any |= spaces[i] != BERTH_HOST_SPACE;
  }
  *out_any = any;
  return BERTH_OK;
}

// How a program is found: by nodes of the given graph, or of the one that runs.
typedef berth_code_t find_fn(berth_session_t *session,
                             const berth_signature_t *signature,
                             const berth_run_control_t *control,
                             berth_program_t **out_program, berth_error_t *err);

// Finds the program for a call with |feeds|.
static berth_code_t program_for(berth_session_t *session, find_fn *find,
                                const berth_signature_t *signature,
                                berth_tensor_t *const *feeds,
                                const berth_run_control_t *control,
                                berth_program_t **out_program,
                                berth_error_t *err) {
  enum { ON_STACK = 64 };
  int16_t few[ON_STACK];
  int16_t *spaces = few;
  int count = signature->feed_count;
  if (count > ON_STACK) {
    spaces = berth_alloc((size_t)count * sizeof(*spaces));
    if (spaces == NULL) return berth_error_no_memory(err, "feeds");
  }
  bool any = false;
  berth_code_t code = spaces_fill(session, feeds, count, spaces, &any, err);
  if (code == BERTH_OK) {
    berth_signature_t call = *signature;
    call.is_call = true;
    call.feed_spaces = any ? spaces : NULL;
    code = find(session, &call, control, out_program, err);
  }
  if (spaces != few) berth_free(spaces);
  return code;
}

berth_code_t berth_session_call(berth_session_t *session,
                                const berth_signature_t *signature,
                                berth_tensor_t *const *feeds,
                                berth_tensor_t **results,
                                const berth_run_control_t *control,
                                berth_program_t **out_program,
                                berth_error_t *err) {
  berth_program_t *program = NULL;
  BERTH_TRY(
      session->context == NULL
          ? berth_session_program(session, signature, control, &program, err)
          : program_for(session, berth_session_program, signature, feeds,
                        control, &program, err));
  *out_program = program;
  return berth_run(program, feeds, results, control, err);
}

berth_code_t berth_session_call_again(berth_session_t *session,
                                      const berth_program_t *made,
                                      berth_tensor_t *const *feeds,
                                      berth_tensor_t **results,
                                      const berth_run_control_t *control,
                                      berth_error_t *err) {
  berth_program_t *program = NULL;
  BERTH_TRY(program_for(session, berth_session_program_of, &made->signature,
                        feeds, control, &program, err));
  return berth_run(program, feeds, results, control, err);
}
