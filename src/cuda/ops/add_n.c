// add_n.c - The GPU kernel AddN: the sum of any number of inputs of one shape.
//
// More inputs than a kernel takes at once are added in turns: the output holds
// what was added so far.
#include <string.h>

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/add_n_params.h"
#include "cuda/ops/elementwise.h"
#include "op/types.h"

_Static_assert(BERTH_ADD_N_GROUP == BERTH_SUM_GROUP,
               "kernels add up the groups of op/elementwise.h");

typedef struct add_n_plan {
  int kernel;
  int input_count;
  int first;  // Inputs of the first group.
  size_t size;
  uint64_t count;
} add_n_plan_t;

// Appends inputs [from, to) to |params|.
static void params_add(berth_add_n_params_t *params, const add_n_plan_t *plan,
                       void *const *args, int from, int to) {
  for (int i = from; i < to; ++i) {
    params->in[params->input_count++] = args[i];
    params->granule = berth_granule_at(params->granule, args[i], plan->size);
  }
}

static berth_code_t run_add_n(const void *arg, void *const *args,
                              berth_call_t *call) {
  const add_n_plan_t *plan = arg;
  berth_add_n_params_t params = {.out = args[plan->input_count],
                                 .count = plan->count};
  int next = 0;
  while (next < plan->input_count) {
    params.input_count = 0;
    params.granule = berth_granule_at(16, params.out, plan->size);
    if (next == 0) {
      params_add(&params, plan, args, 0, plan->first);
      next = plan->first;
    } else {
      params.in[params.input_count++] = params.out;
    }
    params.first = params.input_count;
    while (next < plan->input_count &&
           params.input_count + BERTH_ADD_N_GROUP <= BERTH_ADD_N_MAX) {
      params_add(&params, plan, args, next, next + BERTH_ADD_N_GROUP);
      next += BERTH_ADD_N_GROUP;
    }
    BERTH_TRY(berth_cuda_launch(call, plan->kernel,
                                (plan->count * plan->size + 15) / 16, &params,
                                sizeof(params)));
  }
  return BERTH_OK;
}

static berth_code_t prepare_add_n(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_sum_t sum;
  BERTH_TRY(berth_op_add_n(&prepare->op, &sum, err));
  if (prepare->op.alias >= 0) return BERTH_OK;
  // Integers of one size are added alike, with a sign or without.
  int kernel = berth_cuda_kernel_for(
      "add_n", "berth_add_n",
      sum.dtype == BERTH_INT64 ? BERTH_UINT64 : sum.dtype);
  add_n_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL || kernel < 0) return berth_error_no_memory(err, "a plan");
  plan->kernel = kernel;
  plan->input_count = sum.input_count;
  plan->first = sum.first;
  plan->size = berth_dtype_size(sum.dtype);
  plan->count = (uint64_t)sum.count;
  prepare->run = plan->count == 0 ? berth_run_nothing : run_add_n;
  // Not those of later turns: they would be overwritten before they are read.
  if (sum.input_count >= 32) prepare->op.may_overwrite &= 1;
  return BERTH_OK;
}

#define TYPES                                                              \
  (BERTH_TYPES_FLOATING | BERTH_TYPE(COMPLEX64) | BERTH_TYPE(COMPLEX128) | \
   BERTH_TYPE(INT64) | BERTH_TYPE(UINT32))

// Of the inputs of an NcclReduce, which copies have brought to its card, only
// sums are made here.
static bool is_sum(const berth_node_t *node, berth_str_t *why) {
  const char *reduction = berth_node_attr_string(node, "reduction", "sum");
  if (strcmp(reduction, "sum") == 0) return true;
  if (why != NULL) berth_str_printf(why, "reduction \"%s\"", reduction);
  return false;
}

const berth_kernel_t berth_cuda_add_n_kernels[] = {
    {.op = "AddN", .types = {{"T", TYPES}}, .prepare = prepare_add_n},
    {.op = "NcclReduce",
     .types = {{"T", TYPES}},
     .prepare = prepare_add_n,
     .select = is_sum},
    {.op = NULL},
};
