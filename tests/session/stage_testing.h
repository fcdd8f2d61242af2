// stage_testing.h - What the tests of contexts' sessions share: a stage.
//
// A stage is a context, a graph, and a session of the context on it. Tests make
// the context themselves.
#ifndef BERTH_TESTS_SESSION_STAGE_TESTING_H_
#define BERTH_TESTS_SESSION_STAGE_TESTING_H_

#include "session/session_testing.h"

typedef struct stage {
  berth_context_t *context;
  berth_graph_t *graph;
  berth_session_t *session;
  berth_error_t err;
} stage_t;

static inline void stage_open(stage_t *stage) {
  ASSERT_OK(berth_context_session(stage->context, stage->graph, &stage->session,
                                  &stage->err),
            &stage->err);
}

static inline void stage_clear(stage_t *stage) {
  berth_session_destroy(stage->session);
  berth_graph_release(stage->graph);
  berth_context_destroy(stage->context);
  berth_error_clear(&stage->err);
}

#endif  // BERTH_TESTS_SESSION_STAGE_TESTING_H_
