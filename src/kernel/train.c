// train.c - How an update by an optimiser becomes a commit, on every device.
#include "kernel/train.h"

#include "kernel/handle.h"
#include "state/variable.h"

_Static_assert(sizeof(berth_train_arg_t) <= sizeof(((berth_change_t *)0)->arg),
               "a change has room for what an update keeps");

static const berth_train_arg_t *arg_of(const berth_change_t *change) {
  return (const berth_train_arg_t *)(const void *)change->arg;
}

static berth_code_t fail_uninitialized(const berth_change_t *change,
                                       berth_error_t *err) {
  if (arg_of(change)->train->is_ref) {
    return berth_variable_fail_update(change->variable, NULL, true, err);
  }
  return berth_error_set(err, BERTH_INTERNAL, "Invalid variable reference.");
}

// Checks one by itself.
static berth_code_t check_value(const berth_change_t *change,
                                const berth_tensor_t *now, berth_error_t *err) {
  const berth_train_arg_t *with = arg_of(change);
  if (now == NULL) return fail_uninitialized(change, err);
  if (with->stream != NULL) {
    BERTH_TRY(berth_variable_check_device(change->variable, now,
                                          with->stream->device, err));
  }
  if (now->dtype == with->train->dtype) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Trying to update variable %s with wrong dtype. Expected %s got %s",
      berth_variable_name(change->variable), berth_dtype_name(now->dtype),
      berth_dtype_name(with->train->dtype));
}

static berth_code_t check_all(const berth_change_t *last,
                              const berth_tensor_t *now, berth_error_t *err) {
  const berth_train_arg_t *with = arg_of(last);
  int count = with->train->variable_count;
  BERTH_TRY(check_value(last, now, err));
  const berth_tensor_t *variable =
      berth_change_now(berth_change_at(last, 1 - count));
  berth_dims_t dims = berth_tensor_dims(variable);
  for (int i = 1; i < count; ++i) {
    const berth_tensor_t *slot =
        berth_change_now(berth_change_at(last, i + 1 - count));
    BERTH_TRY(berth_train_check_slot(with->train, i, dims,
                                     berth_tensor_dims(slot), err));
  }
  BERTH_TRY(berth_train_check_gradient(with->train, dims, err));
  if (with->backend->check == NULL) return BERTH_OK;
  return with->backend->check(with, variable, err);
}

// The last one applies all.
static berth_code_t apply_none(const berth_change_t *change,
                               const berth_tensor_t *from, berth_tensor_t *to,
                               berth_error_t *err) {
  (void)change;
  (void)from;
  (void)to;
  (void)err;
  return BERTH_OK;
}

static berth_code_t apply_all(const berth_change_t *last,
                              const berth_tensor_t *from, berth_tensor_t *to,
                              berth_error_t *err);

// Returns the last change of the update that comes behind the one of |last|, if
// both can be applied as one; else NULL.
static berth_change_t *find_joining(const berth_change_t *last) {
  const berth_train_arg_t *with = arg_of(last);
  const berth_change_t *next =
      with->backend->joins != NULL ? berth_change_next(last) : NULL;
  if (next == NULL || with->joined + 1 == BERTH_TRAIN_JOINED ||
      (next->apply != apply_all && next->apply != apply_none) ||
      arg_of(next)->backend != with->backend ||
      !with->backend->joins(with, arg_of(next))) {
    return NULL;
  }
  return berth_change_at(next, arg_of(next)->train->variable_count - 1);
}

// Fills |*out| for the update whose last change is |last|; returns the last
// change of the one before it, if there is one.
static const berth_change_t *describe(const berth_change_t *last,
                                      berth_train_update_t *out) {
  int count = arg_of(last)->train->variable_count;
  out->with = arg_of(last);
  for (int i = 0; i < count; ++i) {
    const berth_change_t *change = berth_change_at(last, i + 1 - count);
    out->from[i] = berth_change_now(change);
    out->to[i] = berth_change_to(change);
  }
  return berth_change_at(last, -count);
}

static berth_code_t apply_all(const berth_change_t *last,
                              const berth_tensor_t *from, berth_tensor_t *to,
                              berth_error_t *err) {
  (void)from;
  (void)to;
  const berth_train_arg_t *with = arg_of(last);
  berth_change_t *joining = find_joining(last);
  if (joining != NULL) {
    ((berth_train_arg_t *)(void *)joining->arg)->joined = with->joined + 1;
    return BERTH_OK;
  }
  berth_train_update_t updates[BERTH_TRAIN_JOINED];
  int count = with->joined + 1;
  for (int i = count; i-- > 0;) last = describe(last, &updates[i]);
  return count == 1 ? with->backend->apply(updates, err)
                    : with->backend->apply_joined(updates, count, err);
}

berth_code_t berth_train_run(const berth_train_t *train,
                             const berth_train_backend_t *backend,
                             void *const *args, berth_call_t *call) {
  int count = train->variable_count;
  berth_variable_t *variables[BERTH_TRAIN_VARIABLES] = {NULL};
  for (int i = 0; i < count; ++i) {
    berth_resource_t *resource = NULL;
    BERTH_TRY(berth_handle_get(args[i], BERTH_RESOURCE_VARIABLE, &resource,
                               call->err));
    variables[i] = (berth_variable_t *)resource;
  }
  berth_change_t *first = NULL;
  BERTH_TRY(berth_commit_add_group(call->commit, variables, count, call->node,
                                   &first, call->err));
  berth_train_arg_t arg = {.backend = backend,
                           .train = train,
                           .stream = call->stream,
                           .grad = args[train->grad]};
  if (train->is_sparse) arg.indices = args[train->indices];
  for (int i = 0; i < train->scalar_count; ++i) {
    arg.scalars[i] = args[train->scalars[i]];
  }
  for (int i = 0; i < count; ++i) {
    berth_change_t *change = berth_change_at(first, i);
    bool is_last = i + 1 == count;
    change->check = is_last ? check_all : check_value;
    change->apply = is_last ? apply_all : apply_none;
    change->allocator = call->allocator;
    *(berth_train_arg_t *)(void *)change->arg = arg;
  }
  if (train->is_ref) {
    berth_handle_set(args[train->node->op->input_count],
                     (berth_resource_t *)variables[0]);
  }
  return BERTH_OK;
}
