// torture_testing.h - Failing every pass of a fault point in turn.
//
// A scenario does something whole, cleans up after itself and returns the code
// of the first thing that failed. It is run again and again, each time with the
// next pass of the fault point failing, until a run is through without meeting
// it. Every failure must be BERTH_RESOURCE_EXHAUSTED with a text; some lacks
// are survived (a cache that does without), which is fine.
#ifndef BERTH_TESTS_TORTURE_TORTURE_TESTING_H_
#define BERTH_TESTS_TORTURE_TORTURE_TESTING_H_

#include "base/fault.h"
#include "session_testing.h"

typedef berth_code_t (*scenario_fn)(berth_error_t *err);

// Runs |scenario| once with pass |nth| of |point| failing. False when it was
// not met any more.
static inline bool torture_once(const char *point, int64_t nth,
                                scenario_fn scenario) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_fault_arm(point, nth);
  berth_code_t code = scenario(&err);
  int64_t passes = berth_fault_disarm();
  bool is_met = passes >= nth;
  if (code != BERTH_OK && (!is_met || code != BERTH_RESOURCE_EXHAUSTED ||
                           berth_error_message(&err)[0] == '\0')) {
    HARNESS_FAIL("%s %d of %d: %s: %s", point, (int)nth, (int)passes,
                 berth_code_name(code), berth_error_message(&err));
  }
  berth_error_clear(&err);
  return is_met && harness_failures == 0;
}

// Fails every pass of |point| in turn. The first sweep makes the process object
// on its way; the second finds it there.
static inline void torture(const char *point, scenario_fn scenario) {
  for (int sweep = 0; sweep < 2; ++sweep) {
    int64_t nth = 1;
    while (torture_once(point, nth, scenario)) ++nth;
    // A scenario that never meets the point shows nothing.
    EXPECT_TRUE(nth > 1);
  }
}

// Leaves a scenario at the first failure.
#define STEP(expr)                   \
  do {                               \
    code = (expr);                   \
    if (code != BERTH_OK) goto done; \
  } while (0)

// The code of the graph's own error, if it has one.
#define BUILT(graph) STEP(berth_graph_error(graph, err))

#endif  // BERTH_TESTS_TORTURE_TORTURE_TESTING_H_
