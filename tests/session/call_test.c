// call_test.c - Functions that stay functions, from C: in sessions and eagerly.
#include "call_testing.h"

static int32_t take_int(berth_tensor_t *tensor) {
  int32_t value = *(const int32_t *)berth_tensor_data(tensor);
  berth_tensor_release(tensor);
  return value;
}

TEST(call, recurses_in_a_session) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t n = call_graph_build(rig.graph, &rig.err);
  berth_out_t fact = {berth_graph_find(rig.graph, "fact_of"), 0};
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int32_t i = 1, wanted = 1; i < 10; wanted *= ++i) {
    berth_tensor_t *at = int_scalar(i), *found = NULL;
    berth_feed_t feed = {n, at};
    ASSERT_OK(
        berth_session_run(rig.session, &feed, 1, &fact, 1, &found, &rig.err),
        &rig.err);
    EXPECT_EQ(take_int(found), wanted);
    berth_tensor_release(at);
  }
  rig_clear(&rig);
}

// Calls |function| of |context| with |at|; -1 when that fails.
static int32_t call_by_name(berth_context_t *context, const char *function,
                            int32_t at, berth_error_t *err) {
  const berth_dtype_t type = BERTH_INT32;
  berth_op_t *op = berth_op_begin(NULL, "PartitionedCall", NULL);
  berth_op_attr_func(op, "f", function);
  berth_op_attr_types(op, "Tin", &type, 1);
  berth_op_attr_types(op, "Tout", &type, 1);
  berth_tensor_t *given = int_scalar(at), *found = NULL;
  int count = 1;
  berth_code_t code =
      berth_eager_call_op(context, op, NULL, &given, 1, &found, &count, err);
  berth_op_abandon(op);
  berth_tensor_release(given);
  return code == BERTH_OK ? take_int(found) : -1;
}

TEST(call, calls_a_function_by_name) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_context_t *context = NULL;
  berth_graph_t *graph = berth_graph_create();
  call_graph_build(graph, &err);
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  ASSERT_OK(berth_context_add_function(context, "fact", graph, &err), &err);
  EXPECT_EQ(call_by_name(context, "fact", 5, &err), 120);
  EXPECT_EQ(call_by_name(context, "fact", 6, &err), 720);
  EXPECT_EQ(call_by_name(context, "nothing", 1, &err), -1);
  EXPECT_STR(berth_error_message(&err), "Function nothing is not defined.");
  // Another function of the same name is another function.
  berth_context_remove_function(context, "fact");
  EXPECT_EQ(call_by_name(context, "fact", 5, &err), -1);
  berth_graph_t *other = berth_graph_create();
  call_library_build(other, "AddV2", &err);
  ASSERT_OK(berth_context_add_function(context, "fact", other, &err), &err);
  EXPECT_EQ(call_by_name(context, "fact", 5, &err), 15);
  berth_context_destroy(context);
  berth_graph_release(graph);
  berth_graph_release(other);
  berth_error_clear(&err);
}
