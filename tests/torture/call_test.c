// call_test.c - Functions that call themselves, without memory or threads.
#include "session/call_testing.h"
#include "torture_testing.h"

// Imports the functions and calls one, three deep.
static berth_code_t recursion(berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  rig_t rig = {0};
  berth_tensor_t *three = NULL, *result = NULL;
  const int32_t value = 3;
  rig_init(&rig);
  if (rig.graph == NULL) return berth_graph_error(NULL, err);
  berth_out_t n = call_graph_build(rig.graph, err);
  if (n.node < 0) {
    code = BERTH_RESOURCE_EXHAUSTED;
    goto done;
  }
  berth_out_t fact = {berth_graph_find(rig.graph, "fact_of"), 0};
  STEP(berth_session_create(rig.graph, NULL, &rig.session, err));
  STEP(berth_tensor_copy_from(BERTH_INT32, BERTH_SCALAR, &value, &three, err));
  berth_feed_t feed = {n, three};
  STEP(berth_session_run(rig.session, &feed, 1, &fact, 1, &result, err));
  EXPECT_EQ(*(const int32_t *)berth_tensor_data(result), 6);
done:
  berth_tensor_release(result);
  berth_tensor_release(three);
  rig_clear(&rig);
  return code;
}

TEST(torture, recursion_without_memory) { torture("alloc", recursion); }
