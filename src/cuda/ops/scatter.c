// scatter.c - Kernels that update and read parts of variables whose values live
// on a card.
//
// The indices come to the host, which checks them and queues one small kernel
// for each slice. They are there until the commit is done, so it is done at
// once.
#include "base/alloc.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/elementwise.h"
#include "device/backend.h"
#include "device/device.h"
#include "kernel/handle.h"
#include "kernel/places.h"
#include "op/resource.h"
#include "state/commit.h"
#include "state/variable.h"

typedef struct plan {
  berth_scatter_t scatter;
  int kernel;  // -1: slices are copied.
} plan_t;

typedef struct scatter_arg {
  const plan_t *plan;
  const void *indices;  // In host memory.
  const char *updates;
  const berth_call_t *call;
} scatter_arg_t;

static const scatter_arg_t *scatter_arg(const berth_change_t *change) {
  return (const scatter_arg_t *)(const void *)change->arg;
}

static berth_code_t check_scatter(const berth_change_t *change,
                                  const berth_tensor_t *now,
                                  berth_error_t *err) {
  const scatter_arg_t *with = scatter_arg(change);
  const berth_scatter_t *scatter = &with->plan->scatter;
  if (now == NULL) {
    return berth_variable_fail_update(change->variable, with->call->container,
                                      scatter->is_ref, err);
  }
  BERTH_TRY(berth_variable_check_device(change->variable, now,
                                        with->call->stream->device, err));
  return berth_places_check_variable(scatter, now, with->indices, err);
}

// Queues what joins |count| elements of |updates| with those at |to|.
static berth_code_t join(const plan_t *plan, char *to, const char *updates,
                         uint64_t count, berth_call_t *call) {
  size_t size = berth_dtype_size(plan->scatter.dtype);
  if (plan->kernel < 0 && !plan->scatter.is_one) {
    return berth_cuda_copy(call, to, updates, (size_t)count * size);
  }
  if (plan->kernel < 0) {
    for (uint64_t i = 0; i < count; ++i) {
      BERTH_TRY(berth_cuda_copy(call, to + (size_t)i * size, updates, size));
    }
    return BERTH_OK;
  }
  berth_walk_params_t params = {
      .out = to,
      .in = {to, updates},
      .walk = {.count = count, .level_count = 1, .granule = 1}};
  params.walk.levels[0] = (berth_walk_level_t){
      .count = count, .steps = {1, plan->scatter.is_one ? 0 : 1}};
  return berth_cuda_launch(call, plan->kernel, count, &params, sizeof(params));
}

static berth_code_t apply_scatter(const berth_change_t *change,
                                  const berth_tensor_t *from,
                                  berth_tensor_t *to, berth_error_t *err) {
  const scatter_arg_t *with = scatter_arg(change);
  berth_call_t call = *with->call;
  call.err = err;
  berth_places_t places;
  BERTH_TRY(berth_scatter_check(&with->plan->scatter, berth_tensor_dims(from),
                                &places, err));
  if (to != from && to->size > 0) {
    BERTH_TRY(berth_cuda_copy(&call, to->data, from->data, to->size));
  }
  if (places.slice == 0) return BERTH_OK;
  size_t row = (size_t)places.slice * berth_dtype_size(places.dtype);
  for (int64_t i = 0; i < places.count; ++i) {
    int64_t at = berth_place_at(&places, with->indices, i);
    const char *updates = with->updates;
    if (!with->plan->scatter.is_one) updates += (size_t)i * row;
    BERTH_TRY(join(with->plan, (char *)to->data + (size_t)at * row, updates,
                   (uint64_t)places.slice, &call));
  }
  return BERTH_OK;
}

// Copies |size| bytes of the indices to |to|, in host memory, and waits.
static berth_code_t bring_indices(void *to, const void *from, size_t size,
                                  berth_call_t *call) {
  if (size == 0) return BERTH_OK;
  const berth_device_t *device = call->stream->device;
  BERTH_TRY(device->backend->streams->copy(
      call->stream, NULL, to, call->stream->device, from, size, call->err));
  return berth_cuda_wait(call, NULL);
}

static berth_code_t run_scatter(const void *arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = arg;
  berth_resource_t *resource = NULL;
  BERTH_TRY(
      berth_handle_get(args[0], BERTH_RESOURCE_VARIABLE, &resource, call->err));
  size_t size = (size_t)berth_dims_count(plan->scatter.indices) *
                berth_dtype_size(plan->scatter.index_type);
  void *indices = berth_alloc(size + 1);
  if (indices == NULL) return berth_error_no_memory(call->err, "indices");
  berth_change_t *change = NULL;
  berth_code_t code = bring_indices(indices, args[1], size, call);
  if (code == BERTH_OK) {
    code = berth_commit_add(call->commit, (berth_variable_t *)resource,
                            call->node, &change, call->err);
  }
  if (code == BERTH_OK) {
    change->check = check_scatter;
    change->apply = apply_scatter;
    change->allocator = call->allocator;
    *(scatter_arg_t *)(void *)change->arg =
        (scatter_arg_t){plan, indices, args[2], call};
    code = berth_commit_do(call->commit, call->err);
  }
  berth_free(indices);
  if (code == BERTH_OK && plan->scatter.is_ref) {
    berth_handle_set(args[3], resource);
  }
  return code;
}

static int kernel_of(berth_combine_t combine, berth_dtype_t dtype) {
  static const berth_binary_op_t functions[] = {
      [BERTH_COMBINE_ADD] = BERTH_BINARY_ADD,
      [BERTH_COMBINE_SUB] = BERTH_BINARY_SUB,
      [BERTH_COMBINE_MUL] = BERTH_BINARY_MUL,
      [BERTH_COMBINE_DIV] = BERTH_BINARY_DIV,
      [BERTH_COMBINE_MIN] = BERTH_BINARY_MIN,
      [BERTH_COMBINE_MAX] = BERTH_BINARY_MAX};
  bool is_whole =
      berth_type_in(dtype, BERTH_TYPES_SIGNED | BERTH_TYPES_UNSIGNED);
  berth_binary_op_t function = functions[combine];
  if (function == BERTH_BINARY_DIV && is_whole) {
    function = BERTH_BINARY_TRUNC_DIV;
  }
  return berth_binary_kernel(function, dtype);
}

static berth_code_t prepare_scatter(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_scatter(&prepare->op, &plan->scatter, err));
  plan->kernel = -1;
  if (plan->scatter.combine != BERTH_COMBINE_SET) {
    plan->kernel = kernel_of(plan->scatter.combine, plan->scatter.dtype);
    if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  }
  prepare->run = run_scatter;
  return BERTH_OK;
}

// ---- ResourceGatherNd ----

// Describes the places that |indices|, in host memory, name in |value|, and
// makes the output.
static berth_code_t describe(const berth_tensor_t *value, berth_arena_t *arena,
                             berth_places_t *out_places, berth_tensor_t **out,
                             berth_call_t *call) {
  const berth_tensor_t *indices = call->inputs[1];
  berth_shape_t shape;
  const berth_case_input_t inputs[2] = {berth_input_of(value, NULL),
                                        berth_input_of(indices, NULL)};
  berth_case_t op = {.node = call->node,
                     .input_count = 2,
                     .output_count = 1,
                     .inputs = inputs,
                     .arena = arena,
                     .outputs = &shape,
                     .alias = -1};
  BERTH_TRY(berth_op_gather_nd(&op, out_places, call->err));
  berth_dims_t dims = berth_shape_dims(&shape);
  return berth_tensor_make(call->allocator, value->dtype, dims.rank, dims.dims,
                           berth_dims_count(dims), out, call->err);
}

// Queues a copy of each slice; one that is outside is zeros.
static berth_code_t copy_slices(const berth_places_t *places,
                                const void *indices,
                                const berth_tensor_t *value,
                                berth_tensor_t *out, berth_call_t *call) {
  size_t row = (size_t)places->slice * berth_dtype_size(places->dtype);
  for (int64_t i = 0; i < places->count; ++i) {
    int64_t at = berth_place_at(places, indices, i);
    char *to = (char *)out->data + (size_t)i * row;
    const char *from = (const char *)value->data + (size_t)at * row;
    BERTH_TRY(at < 0 ? berth_cuda_clear(call, to, row)
                     : berth_cuda_copy(call, to, from, row));
  }
  return BERTH_OK;
}

static berth_code_t gather_slices(const berth_tensor_t *value,
                                  berth_call_t *call) {
  const berth_tensor_t *indices = call->inputs[1];
  berth_arena_t arena = {0};
  berth_places_t places;
  berth_tensor_t *out = NULL;
  void *on_host = berth_alloc(indices->size + 1);
  if (on_host == NULL) return berth_error_no_memory(call->err, "indices");
  berth_code_t code = describe(value, &arena, &places, &out, call);
  if (code == BERTH_OK) {
    code = bring_indices(on_host, indices->data, indices->size, call);
  }
  if (code == BERTH_OK) {
    code = copy_slices(&places, on_host, value, out, call);
  }
  if (code == BERTH_OK) {
    call->outputs[0] = out;
  } else {
    berth_tensor_release(out);
  }
  berth_free(on_host);
  berth_arena_clear(&arena);
  return code;
}

static berth_code_t run_gather_nd(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  berth_resource_t *resource = NULL;
  BERTH_TRY(
      berth_handle_get(args[0], BERTH_RESOURCE_VARIABLE, &resource, call->err));
  berth_variable_t *variable = (berth_variable_t *)resource;
  berth_tensor_t *value = berth_variable_read(variable);
  if (value == NULL) {
    return berth_variable_fail_update(variable, call->container, false,
                                      call->err);
  }
  berth_code_t code = berth_variable_check_device(
      variable, value, call->stream->device, call->err);
  if (code == BERTH_OK) code = gather_slices(value, call);
  berth_tensor_release(value);
  return code;
}

static berth_code_t prepare_gather_nd(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  prepare->run = run_gather_nd;
  return berth_op_read_variable(&prepare->op, err);
}

#define ALL (BERTH_TYPES_ARITHMETIC & ~BERTH_TYPE(INT32))
#define REAL (BERTH_TYPES_REAL & ~BERTH_TYPE(INT32))
#define SCATTER(name, attr, t)                                         \
  {                                                                    \
    .op = name, .types = {{attr, t}, {"Tindices", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_scatter, .traits = BERTH_OP_UNRECORDED          \
  }

const berth_kernel_t berth_cuda_scatter_kernels[] = {
    {.op = "ResourceGatherNd",
     .types = {{"dtype", ALL | BERTH_TYPE(BOOL)},
               {"Tindices", BERTH_TYPES_INDEX}},
     .prepare = prepare_gather_nd,
     .traits = BERTH_OP_UNRECORDED},
    SCATTER("ScatterUpdate", "T", ALL),
    SCATTER("ScatterAdd", "T", ALL),
    SCATTER("ScatterSub", "T", ALL),
    SCATTER("ScatterMul", "T", ALL),
    SCATTER("ScatterDiv", "T", ALL),
    SCATTER("ScatterMin", "T", REAL),
    SCATTER("ScatterMax", "T", REAL),
    SCATTER("ScatterNdUpdate", "T", ALL),
    SCATTER("ScatterNdAdd", "T", ALL),
    SCATTER("ScatterNdSub", "T", ALL),
    SCATTER("ScatterNdMin", "T", REAL),
    SCATTER("ScatterNdMax", "T", REAL),
    SCATTER("ResourceScatterUpdate", "dtype", ALL | BERTH_TYPE(BOOL)),
    SCATTER("ResourceScatterAdd", "dtype", ALL),
    SCATTER("ResourceScatterSub", "dtype", ALL),
    SCATTER("ResourceScatterMul", "dtype", ALL),
    SCATTER("ResourceScatterDiv", "dtype", ALL),
    SCATTER("ResourceScatterMin", "dtype", REAL),
    SCATTER("ResourceScatterMax", "dtype", REAL),
    SCATTER("ResourceScatterNdUpdate", "T", ALL | BERTH_TYPE(BOOL)),
    SCATTER("ResourceScatterNdAdd", "T", ALL),
    SCATTER("ResourceScatterNdSub", "T", ALL),
    SCATTER("ResourceScatterNdMin", "T", REAL),
    SCATTER("ResourceScatterNdMax", "T", REAL),
    {.op = NULL},
};
