// slice.c - How writing a slice of a variable becomes a commit, on every device.
#include "kernel/slice.h"

#include "kernel/handle.h"
#include "state/variable.h"

typedef struct slice_arg {
  const berth_slice_assign_t *assign;
  const berth_slice_backend_t *backend;
  const void *value;
  berth_container_t *container;
  berth_stream_t *stream;
} slice_arg_t;

static const slice_arg_t *arg_of(const berth_change_t *change) {
  return (const slice_arg_t *)(const void *)change->arg;
}

static berth_code_t check_slice(const berth_change_t *change,
                                const berth_tensor_t *now, berth_error_t *err) {
  const slice_arg_t *with = arg_of(change);
  berth_dtype_t dtype = with->assign->inputs[4].dtype;
  berth_move_spec_t move;
  if (now == NULL) {
    return berth_variable_fail_update(change->variable, with->container,
                                      with->assign->is_ref, err);
  }
  if (with->stream != NULL) {
    BERTH_TRY(berth_variable_check_device(change->variable, now,
                                          with->stream->device, err));
  }
  if (now->dtype != dtype) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "l-value dtype %s does not match r-value dtype %s",
                           berth_dtype_name(now->dtype),
                           berth_dtype_name(dtype));
  }
  if (now->rank > BERTH_SLICE_MAX_RANK) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Unhandled input dimensions %d", (int)now->rank);
  }
  return berth_slice_assign_move(with->assign, berth_tensor_dims(now), &move,
                                 err);
}

static berth_code_t apply_slice(const berth_change_t *change,
                                const berth_tensor_t *from, berth_tensor_t *to,
                                berth_error_t *err) {
  const slice_arg_t *with = arg_of(change);
  berth_call_t call = {
      .err = err, .node = with->assign->node, .stream = with->stream};
  berth_move_spec_t move;
  BERTH_TRY(berth_slice_assign_move(with->assign, berth_tensor_dims(from),
                                    &move, err));
  if (to != from && to->size > 0)
    BERTH_TRY(with->backend->copy(from, to, &call));
  for (int32_t i = 0; i < move.rank; ++i) {
    if (move.dims[i] == 0) return BERTH_OK;
  }
  return with->backend->write(&move, with->value, to, &call);
}

berth_code_t berth_slice_run(const berth_slice_assign_t *assign,
                             const berth_slice_backend_t *backend,
                             void *const *args, berth_call_t *call) {
  berth_change_t *change = NULL;
  BERTH_TRY(
      berth_handle_change(args[0], check_slice, apply_slice, call, &change));
  *(slice_arg_t *)(void *)change->arg =
      (slice_arg_t){assign, backend, args[4], call->container, call->stream};
  if (assign->is_ref) berth_handle_give(args[5], change);
  return BERTH_OK;
}
