// resource.h - Ops on what a session keeps: variables and queues.
//
// A handle is a scalar whatever it leads to, and what it leads to is seen when
// an op runs: here are the checks and shapes that do not wait for that. All
// fail with BERTH_INVALID_ARGUMENT in TensorFlow's words and with
// BERTH_RESOURCE_EXHAUSTED.
#ifndef BERTH_OP_RESOURCE_H_
#define BERTH_OP_RESOURCE_H_

#include "graph/shape_fn.h"
#include "op/case.h"

// ---- variable.c ----

// VariableV2, VarHandleOp, FIFOQueueV2 and questions about what they give: the
// output is a scalar.
BERTH_NODISCARD berth_code_t berth_op_handle(berth_case_t *op,
                                             berth_error_t *err);

// RefSelect: checks the index and sets the output as berth_op_handle() does.
BERTH_NODISCARD berth_code_t berth_op_ref_select(berth_case_t *op,
                                                 berth_error_t *err);

// ReadVariableOp, VariableShape: the shape is known when it has run.
BERTH_NODISCARD berth_code_t berth_op_read_variable(berth_case_t *op,
                                                    berth_error_t *err);

// Stores in |*out_validates| whether an Assign or AssignVariableOp insists on
// the shape that the variable has.
BERTH_NODISCARD berth_code_t berth_op_assign(berth_case_t *op,
                                             bool *out_validates,
                                             berth_error_t *err);

// What AssignAdd, AssignSub and their like for resources do to a variable.
typedef struct berth_variable_change {
  bool is_ref;  // The variable is a reference, which the op gives on.
  bool subtracts;
  berth_dtype_t dtype;
  berth_dims_t dims;  // Of what is added, in the op's arena.
} berth_variable_change_t;

// Sets the output of |op|, if it has one, and describes the work.
BERTH_NODISCARD berth_code_t berth_op_update(
    berth_case_t *op, berth_variable_change_t *out_change, berth_error_t *err);

// DestroyResourceOp; stores in |*out_ignores| whether a resource that is not
// there is none of its concern.
BERTH_NODISCARD berth_code_t berth_op_destroy(berth_case_t *op,
                                              bool *out_ignores,
                                              berth_error_t *err);

// Stores what is known of the shape of the variable that input 0 is a handle
// to, after checking its type. For shape functions.
BERTH_NODISCARD berth_code_t berth_shape_of_variable(berth_shape_context_t *c,
                                                     berth_dims_t *out_shape,
                                                     berth_error_t *err);

// Returns what is known of the shape of the variable that input |index| is a
// handle to. For shape functions.
berth_dims_t berth_shape_of_handle(berth_shape_context_t *c, int index);

// ---- queue.c ----

// All that enqueue, dequeue and close: shapes are known when they have run.
BERTH_NODISCARD berth_code_t berth_op_queue(berth_case_t *op,
                                            berth_error_t *err);

// QueueCloseV2; stores whether enqueues that wait are given up.
BERTH_NODISCARD berth_code_t berth_op_queue_close(berth_case_t *op,
                                                  bool *out_gives_up,
                                                  berth_error_t *err);

// StagePeek, whose input 0 says which element.
BERTH_NODISCARD berth_code_t berth_op_stage_peek(berth_case_t *op,
                                                 berth_error_t *err);

// Those that dequeue a number of elements, input 1.
BERTH_NODISCARD berth_code_t berth_op_queue_many(berth_case_t *op,
                                                 berth_error_t *err);

#endif  // BERTH_OP_RESOURCE_H_
