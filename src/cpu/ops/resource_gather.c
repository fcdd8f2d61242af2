// resource_gather.c - ResourceGather and ResourceGatherNd: slices of what a
// variable holds.
//
// The variable's shape is known only when it is read, so the gather is prepared
// while it runs.
#include "cpu/kernels.h"
#include "cpu/ops/gather.h"
#include "kernel/handle.h"
#include "op/resource.h"
#include "state/rows.h"

typedef berth_code_t (*prepare_fn)(berth_prepare_t *prepare,
                                   berth_error_t *err);

// Gathers from |value| into a new tensor.
static berth_code_t gather_from(const berth_tensor_t *value,
                                prepare_fn prepare_with, berth_call_t *call) {
  const berth_tensor_t *indices = call->inputs[1];
  berth_arena_t arena = {0};
  berth_shape_t shape;
  const berth_case_input_t inputs[2] = {berth_input_of(value, NULL),
                                        berth_input_of(indices, indices->data)};
  berth_prepare_t prepare = {.op = {.node = call->node,
                                    .input_count = 2,
                                    .output_count = 1,
                                    .inputs = inputs,
                                    .arena = &arena,
                                    .outputs = &shape,
                                    .alias = -1}};
  berth_tensor_t *out = NULL;
  berth_code_t code = prepare_with(&prepare, call->err);
  if (code != BERTH_OK) goto done;
  berth_dims_t dims = berth_shape_dims(&shape);
  code = berth_tensor_make(call->allocator, value->dtype, dims.rank, dims.dims,
                           berth_dims_count(dims), &out, call->err);
  if (code != BERTH_OK) goto done;
  void *args[3] = {value->data, indices->data, out->data};
  code = prepare.run(prepare.plan, args, call);
done:
  if (code == BERTH_OK) {
    call->outputs[0] = out;
  } else {
    berth_tensor_release(out);
  }
  berth_arena_clear(&arena);
  return code;
}

static berth_code_t read_and_gather(void *const *args, prepare_fn prepare_with,
                                    berth_call_t *call) {
  berth_resource_t *resource = NULL;
  BERTH_TRY(
      berth_handle_get(args[0], BERTH_RESOURCE_VARIABLE, &resource, call->err));
  berth_variable_t *variable = (berth_variable_t *)resource;
  berth_tensor_t *value = berth_variable_read_rows(variable);
  if (value == NULL) {
    return berth_variable_fail_update(variable, call->container, false,
                                      call->err);
  }
  berth_code_t code = BERTH_OK;
  if (value->dtype != call->node->output_types[0]) {
    code = berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Trying to read variable with wrong dtype. Expected %s got %s",
        berth_dtype_name(call->node->output_types[0]),
        berth_dtype_name(value->dtype));
  } else {
    code = gather_from(value, prepare_with, call);
  }
  berth_tensor_release(value);
  return code;
}

static berth_code_t run_gather(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  return read_and_gather(args, berth_cpu_gather_prepare, call);
}

static berth_code_t run_gather_nd(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  return read_and_gather(args, berth_cpu_gather_nd_prepare, call);
}

static berth_code_t prepare_gather(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  prepare->run = run_gather;
  return berth_op_read_variable(&prepare->op, err);
}

static berth_code_t prepare_gather_nd(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  prepare->run = run_gather_nd;
  return berth_op_read_variable(&prepare->op, err);
}

#define TYPES                                                    \
  (BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT | BERTH_TYPE(QINT32) | \
   BERTH_TYPE(QINT8) | BERTH_TYPE(QUINT8))

const berth_kernel_t berth_cpu_resource_gather_kernels[] = {
    {.op = "ResourceGather",
     .types = {{"dtype", TYPES}, {"Tindices", BERTH_TYPES_INDEX}},
     .prepare = prepare_gather},
    {.op = "ResourceGatherNd",
     .types = {{"dtype", BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT},
               {"Tindices", BERTH_TYPES_INDEX}},
     .prepare = prepare_gather_nd},
    {.op = NULL},
};
