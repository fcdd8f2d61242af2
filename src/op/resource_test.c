// resource_test.c - What ops on variables and queues check before they run.
#include "op/resource.h"

#include "harness.h"
#include "op/flow.h"
#include "op/op_testing.h"

TEST(variable, a_handle_is_a_scalar) {
  op_case_t given = {.op = "VarHandleOp"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_output(&given, BERTH_RESOURCE);
  ASSERT_OK(berth_op_handle(op_case_make(&given), &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[]");
  given.op = "ReadVariableOp";
  ASSERT_OK(berth_op_read_variable(op_case_make(&given), &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "?");
  op_case_deinit(&given);
}

// References have the shape of what is assigned unless told otherwise; handles
// only when told so.
TEST(variable, references_validate_and_handles_do_not) {
  op_case_t given = {.op = "AssignVariableOp"};
  berth_error_t err = BERTH_ERROR_INIT;
  bool validates = true;
  op_case_input(&given, BERTH_RESOURCE, BERTH_SCALAR);
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2));
  ASSERT_OK(berth_op_assign(op_case_make(&given), &validates, &err), &err);
  EXPECT_FALSE(validates);
  op_case_bool(&given, "validate_shape", true);
  ASSERT_OK(berth_op_assign(op_case_make(&given), &validates, &err), &err);
  EXPECT_TRUE(validates);
  given.attr_count = 0;
  given.op = "Assign";
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_assign(op_case_make(&given), &validates, &err), &err);
  EXPECT_TRUE(validates);
  EXPECT_STR(op_case_shape(&given, 0), "[]");
  op_case_deinit(&given);
}

TEST(variable, updates_say_what_is_added) {
  op_case_t given = {.op = "AssignSubVariableOp"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_change_t change;
  op_case_input(&given, BERTH_RESOURCE, BERTH_SCALAR);
  op_case_input(&given, BERTH_DOUBLE, BERTH_SHAPE(2, 3));
  ASSERT_OK(berth_op_update(op_case_make(&given), &change, &err), &err);
  EXPECT_FALSE(change.is_ref);
  EXPECT_TRUE(change.subtracts);
  EXPECT_EQ(change.dtype, BERTH_DOUBLE);
  EXPECT_TRUE(berth_dims_equal(change.dims, BERTH_SHAPE(2, 3)));
  EXPECT_TRUE(change.dims.dims != given.inputs[1].dims);
  given.op = "AssignAdd";
  op_case_output(&given, BERTH_DOUBLE);
  ASSERT_OK(berth_op_update(op_case_make(&given), &change, &err), &err);
  EXPECT_TRUE(change.is_ref);
  EXPECT_FALSE(change.subtracts);
  EXPECT_STR(op_case_shape(&given, 0), "[]");
  op_case_deinit(&given);
}

TEST(variable, destroying_may_ask_for_one_to_be_there) {
  op_case_t given = {.op = "DestroyResourceOp"};
  berth_error_t err = BERTH_ERROR_INIT;
  bool ignores = false;
  op_case_input(&given, BERTH_RESOURCE, BERTH_SCALAR);
  ASSERT_OK(berth_op_destroy(op_case_make(&given), &ignores, &err), &err);
  EXPECT_TRUE(ignores);
  op_case_bool(&given, "ignore_lookup_error", false);
  ASSERT_OK(berth_op_destroy(op_case_make(&given), &ignores, &err), &err);
  EXPECT_FALSE(ignores);
  op_case_deinit(&given);
}

TEST(queue, has_no_timeouts) {
  op_case_t given = {.op = "QueueDequeueV2"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_input(&given, BERTH_RESOURCE, BERTH_SCALAR);
  op_case_output(&given, BERTH_FLOAT);
  op_case_output(&given, BERTH_INT32);
  ASSERT_OK(berth_op_queue(op_case_make(&given), &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "?");
  EXPECT_STR(op_case_shape(&given, 1), "?");
  op_case_int(&given, "timeout_ms", 10);
  EXPECT_FAILS(berth_op_queue(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err, "Timeout not supported yet.");
  op_case_deinit(&given);
}

TEST(queue, closing_says_what_becomes_of_those_that_wait) {
  op_case_t given = {.op = "QueueCloseV2"};
  berth_error_t err = BERTH_ERROR_INIT;
  bool gives_up = true;
  op_case_input(&given, BERTH_RESOURCE, BERTH_SCALAR);
  ASSERT_OK(berth_op_queue_close(op_case_make(&given), &gives_up, &err), &err);
  EXPECT_FALSE(gives_up);
  op_case_bool(&given, "cancel_pending_enqueues", true);
  ASSERT_OK(berth_op_queue_close(op_case_make(&given), &gives_up, &err), &err);
  EXPECT_TRUE(gives_up);
  op_case_deinit(&given);
}

TEST(queue, wants_a_number_of_elements) {
  op_case_t given = {.op = "QueueDequeueManyV2"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_input(&given, BERTH_RESOURCE, BERTH_SCALAR);
  op_case_input(&given, BERTH_INT32, BERTH_SHAPE(0));
  op_case_output(&given, BERTH_FLOAT);
  op_case_int(&given, "timeout_ms", 10);
  EXPECT_FAILS(berth_op_queue_many(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "QueueDequeueManyV2 wants a number of elements and got none");
  given.inputs[1].count = 1;
  EXPECT_FAILS(berth_op_queue_many(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err, "Timeout not supported yet.");
  op_case_deinit(&given);
}

TEST(flow, decides_nothing_by_itself) {
  op_case_t given = {.op = "Switch"};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(berth_op_flow(op_case_make(&given), &err), BERTH_UNIMPLEMENTED,
               &err, "Switch works in a graph only: it decides what else runs");
  op_case_deinit(&given);
}
