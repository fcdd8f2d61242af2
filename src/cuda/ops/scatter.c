// scatter.c - Kernels that read and write slices at places given as indices:
// GatherNd, ScatterNd, TensorScatterAdd, and their like for variables.
//
// A place that is outside cannot be reported from a card without waiting for
// it; as in TensorFlow on GPUs it is not written, and is read as zeros.
#include "cuda/ops/scatter.h"

#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/math/divide.h"
#include "cuda/ops/scatter_params.h"
#include "device/device.h"
#include "kernel/handle.h"
#include "kernel/places.h"
#include "op/resource.h"
#include "state/commit.h"
#include "state/variable.h"

// ---- Queueing ----

// Finds the kernels |what| for each size of units.
static berth_code_t find_moves(const char *what, berth_scattering_t *out,
                               berth_error_t *err) {
  for (int i = 0; i < BERTH_SCATTER_UNITS; ++i) {
    char name[48];
    snprintf(name, sizeof(name), "%s_x%d", what, 1 << i);
    out->kernels[i] = berth_cuda_kernel("scatter", name);
    if (out->kernels[i] < 0) return berth_error_no_memory(err, "a kernel");
  }
  return BERTH_OK;
}

// True when the order in which values are joined shows in the result, and
// everybody shall see the same.
static bool is_ordered(berth_combine_t combine, berth_dtype_t dtype) {
  bool is_long = combine == BERTH_COMBINE_MUL || combine == BERTH_COMBINE_DIV;
  // No card swaps 16 bytes at once.
  if (dtype == BERTH_COMPLEX128 && is_long) return true;
  bool shows = combine == BERTH_COMBINE_SET || combine == BERTH_COMBINE_DIV ||
               (berth_type_in(dtype, BERTH_TYPES_INEXACT) &&
                combine != BERTH_COMBINE_MIN && combine != BERTH_COMBINE_MAX);
  return shows && berth_env_bool("TF_DETERMINISTIC_OPS", false);
}

berth_code_t berth_scattering_find(berth_combine_t combine, berth_dtype_t dtype,
                                   berth_scattering_t *out,
                                   berth_error_t *err) {
  *out = (berth_scattering_t){.combine = combine,
                              .is_ordered = is_ordered(combine, dtype)};
  if (combine == BERTH_COMBINE_SET) {
    return find_moves(
        out->is_ordered ? "berth_scatter_ordered" : "berth_scatter", out, err);
  }
  out->kernels[0] = berth_cuda_kernel_of(
      "scatter", out->is_ordered ? "berth_join_ordered" : "berth_join_slices",
      dtype);
  return out->kernels[0] >= 0 ? BERTH_OK
                              : berth_error_no_memory(err, "a kernel");
}

berth_code_t berth_gathering_find(berth_scattering_t *out, berth_error_t *err) {
  *out = (berth_scattering_t){.combine = BERTH_COMBINE_SET};
  return find_moves("berth_gather_nd", out, err);
}

// Returns how many bytes can be moved at once, a power of two as an exponent,
// where slices of |row| bytes lie at these addresses.
static int unit_of(uint64_t row, const void *to, const void *from) {
  uint64_t bits = row | (uintptr_t)to | (uintptr_t)from |
                  (UINT64_C(1) << (BERTH_SCATTER_UNITS - 1));
  return __builtin_ctzll(bits);
}

berth_code_t berth_scattering_queue(const berth_scattering_t *scattering,
                                    const berth_places_t *places, bool is_one,
                                    void *to, const void *from,
                                    const void *indices, berth_call_t *call) {
  if (places->depth > BERTH_SCATTER_DEPTH) {
    return berth_error_set(call->err, BERTH_UNIMPLEMENTED,
                           "Only indices.shape[-1] values between 1 and %d are "
                           "supported on GPUs.  Requested rank: %d",
                           BERTH_SCATTER_DEPTH, (int)places->depth);
  }
  berth_scatter_params_t params = {
      .to = to,
      .from = from,
      .indices = indices,
      .count = (uint64_t)places->count,
      .slice = (uint64_t)places->slice,
      .depth = (uint32_t)places->depth,
      .index_size = (uint32_t)berth_dtype_size(places->index_type),
      .how = (uint32_t)scattering->combine,
      .is_one = is_one};
  for (int32_t d = 0; d < places->depth; ++d) {
    params.dims[d] = (uint64_t)places->shape.dims[d];
  }
  int kernel = scattering->kernels[0];
  if (scattering->combine == BERTH_COMBINE_SET) {
    size_t size = berth_dtype_size(places->dtype);
    uint64_t row = params.slice * size;
    int unit = unit_of(is_one ? size : row, to, from);
    params.slice = row >> unit;
    kernel = scattering->kernels[unit];
  }
  uint64_t all = params.count * params.slice;
  if (all == 0) return BERTH_OK;
  if (all < BERTH_DIVIDE_LIMIT) params.slice_by = berth_divider(params.slice);
  return berth_cuda_launch(call, kernel,
                           scattering->is_ordered ? params.slice : all, &params,
                           sizeof(params));
}

// ---- GatherNd ----

typedef struct gather_plan {
  berth_places_t places;
  berth_scattering_t moves;
} gather_plan_t;

static berth_code_t run_gather_nd(const void *arg, void *const *args,
                                  berth_call_t *call) {
  const gather_plan_t *plan = arg;
  return berth_scattering_queue(&plan->moves, &plan->places, false, args[2],
                                args[0], args[1], call);
}

static berth_code_t prepare_gather_nd(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  gather_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_gather_nd(&prepare->op, &plan->places, err));
  BERTH_TRY(berth_gathering_find(&plan->moves, err));
  prepare->run = run_gather_nd;
  return BERTH_OK;
}

// ---- ScatterNd, TensorScatterUpdate and its like ----

typedef struct tensor_plan {
  berth_places_t places;
  berth_scattering_t scattering;
  size_t size;       // Bytes of the output.
  bool begins_zero;  // ScatterNd; the others begin with input 0.
} tensor_plan_t;

static berth_code_t run_tensor(const void *arg, void *const *args,
                               berth_call_t *call) {
  const tensor_plan_t *plan = arg;
  if (plan->begins_zero) {
    BERTH_TRY(berth_cuda_clear(call, args[3], plan->size));
  } else if (args[3] != args[0]) {
    BERTH_TRY(berth_cuda_copy(call, args[3], args[0], plan->size));
  }
  int at = plan->begins_zero ? 0 : 1;
  return berth_scattering_queue(&plan->scattering, &plan->places, false,
                                args[3], args[at + 1], args[at], call);
}

static berth_code_t prepare_tensor(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  tensor_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  berth_combine_t combine;
  BERTH_TRY(berth_op_scatter_nd(&prepare->op, &combine, &plan->places, err));
  BERTH_TRY(berth_scattering_find(combine, plan->places.dtype,
                                  &plan->scattering, err));
  plan->size =
      (size_t)berth_dims_count(berth_case_output_dims(&prepare->op, 0)) *
      berth_dtype_size(plan->places.dtype);
  plan->begins_zero = strcmp(prepare->op.node->op->name, "ScatterNd") == 0;
  prepare->run = plan->size > 0 ? run_tensor : berth_run_nothing;
  return BERTH_OK;
}

// ---- Variables ----

typedef struct plan {
  berth_scatter_t scatter;
  berth_scattering_t scattering;
} plan_t;

typedef struct scatter_arg {
  const plan_t *plan;
  const void *indices, *updates;
  berth_container_t *container;
  berth_stream_t *stream;
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
    return berth_variable_fail_update(change->variable, with->container,
                                      scatter->is_ref, err);
  }
  BERTH_TRY(berth_variable_check_device(change->variable, now,
                                        with->stream->device, err));
  return berth_places_check_shapes(scatter, now, err);
}

static berth_code_t apply_scatter(const berth_change_t *change,
                                  const berth_tensor_t *from,
                                  berth_tensor_t *to, berth_error_t *err) {
  const scatter_arg_t *with = scatter_arg(change);
  const plan_t *plan = with->plan;
  berth_call_t call = {.err = err, .stream = with->stream};
  berth_places_t places;
  BERTH_TRY(berth_scatter_check(&plan->scatter, berth_tensor_dims(from),
                                &places, err));
  if (to != from && to->size > 0) {
    BERTH_TRY(berth_cuda_copy(&call, to->data, from->data, to->size));
  }
  return berth_scattering_queue(&plan->scattering, &places,
                                plan->scatter.is_one, to->data, with->updates,
                                with->indices, &call);
}

static berth_code_t run_scatter(const void *arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = arg;
  berth_change_t *change = NULL;
  BERTH_TRY(berth_handle_change(args[0], check_scatter, apply_scatter, call,
                                &change));
  *(scatter_arg_t *)(void *)change->arg =
      (scatter_arg_t){plan, args[1], args[2], call->container, call->stream};
  if (plan->scatter.is_ref) berth_handle_give(args[3], change);
  return BERTH_OK;
}

static berth_code_t prepare_scatter(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_scatter(&prepare->op, &plan->scatter, err));
  prepare->run = run_scatter;
  return berth_scattering_find(plan->scatter.combine, plan->scatter.dtype,
                               &plan->scattering, err);
}

// ---- ResourceGatherNd ----

// Describes the places that the indices name in |value|, and makes the output.
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

static berth_code_t gather_slices(const berth_scattering_t *moves,
                                  const berth_tensor_t *value,
                                  berth_call_t *call) {
  berth_arena_t arena = {0};
  berth_places_t places;
  berth_tensor_t *out = NULL;
  berth_code_t code = describe(value, &arena, &places, &out, call);
  if (code == BERTH_OK) {
    code = berth_scattering_queue(moves, &places, false, out->data, value->data,
                                  call->inputs[1]->data, call);
  }
  if (code == BERTH_OK) {
    call->outputs[0] = out;
  } else {
    berth_tensor_release(out);
  }
  berth_arena_clear(&arena);
  return code;
}

static berth_code_t run_resource(const void *plan, void *const *args,
                                 berth_call_t *call) {
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
  if (code == BERTH_OK) code = gather_slices(plan, value, call);
  berth_tensor_release(value);
  return code;
}

static berth_code_t prepare_resource(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_scattering_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_gathering_find(plan, err));
  prepare->run = run_resource;
  return berth_op_read_variable(&prepare->op, err);
}

#define ALL (BERTH_TYPES_ARITHMETIC & ~BERTH_TYPE(INT32))
#define REAL (BERTH_TYPES_REAL & ~BERTH_TYPE(INT32))
#define INDEX \
  { "Tindices", BERTH_TYPES_INDEX }
#define SCATTER(name, attr, t) \
  { .op = name, .types = {{attr, t}, INDEX}, .prepare = prepare_scatter }
#define TENSOR(name, t) \
  { .op = name, .types = {{"T", t}, INDEX}, .prepare = prepare_tensor }

const berth_kernel_t berth_cuda_scatter_kernels[] = {
    {.op = "GatherNd",
     .types = {{"Tparams", BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8}, INDEX},
     .prepare = prepare_gather_nd},
    TENSOR("ScatterNd", ALL),
    TENSOR("ScatterNdNonAliasingAdd", ALL),
    TENSOR("TensorScatterUpdate", ALL | BERTH_TYPE(BOOL)),
    TENSOR("TensorScatterAdd", ALL),
    TENSOR("TensorScatterSub", ALL),
    TENSOR("TensorScatterMin", REAL),
    TENSOR("TensorScatterMax", REAL),
    {.op = "ResourceGatherNd",
     .types = {{"dtype", ALL | BERTH_TYPE(BOOL)},
               {"Tindices", BERTH_TYPES_INDEX}},
     .prepare = prepare_resource,
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
