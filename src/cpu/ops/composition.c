// composition.c - _UnaryOpsComposition: functions of a number, one after another.
#include <string.h>

#include "cpu/kernels.h"
#include "graph/schema.h"

typedef struct part {
  berth_run_fn run;
  const void *plan;
} part_t;

typedef struct plan {
  int64_t count;
  part_t parts[];
} plan_t;

static berth_code_t run_parts(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  void *each[] = {args[0], args[1]};
  for (int64_t i = 0; i < plan->count; ++i) {
    BERTH_TRY(plan->parts[i].run(plan->parts[i].plan, each, call));
    each[0] = args[1];  // What was made is overwritten.
  }
  return BERTH_OK;
}

// Makes |*part| a node that does |name|, one of those that TensorFlow has here,
// where |node| does several. Returns its kernel, or NULL.
static const berth_kernel_t *find_part(const berth_node_t *node,
                                       const char *name, berth_node_t *part) {
  static const char known[] =
      " Acos Acosh Asin Asinh Atan Atanh Cosh Rint Sinh Tan Abs Ceil Cos Elu "
      "Exp Expm1 Floor Inv Log Log1p Neg Reciprocal Relu Relu6 Round Rsqrt "
      "Selu Sigmoid Sin Sqrt Square Tanh ";
  enum { OF_HALF = 52 };  // Where those begin that half has.
  size_t size = strlen(name);
  bool is_half = berth_node_attr_type(node, "T", BERTH_INVALID) == BERTH_HALF;
  const char *at = known + (is_half ? OF_HALF : 0);
  while (size > 0 && (at = strstr(at + 1, name)) != NULL) {
    if (at[-1] != ' ' || at[size] != ' ' || strchr(name, ' ')) continue;
    *part = *node;
    part->op = berth_schema_find(name);
    return berth_kernel_find(berth_kernel_host(), part, NULL);
  }
  return NULL;
}

static berth_code_t prepare_composition(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  const berth_node_t *node = prepare->op.node;
  const berth_attr_value_t *names = berth_node_attr(node, "op_names");
  int64_t count = names != NULL ? names->count : 0, work = 0;
  if (count == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Unary op composition must have at least one op");
  }
  plan_t *plan = berth_prepare_plan(
      prepare, sizeof(*plan) + (size_t)count * sizeof(plan->parts[0]));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  berth_node_t part;
  plan->count = count;
  for (int64_t i = 0; i < count; ++i) {
    const berth_kernel_t *kernel =
        find_part(node, names->s_list[i].text, &part);
    if (kernel == NULL) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Do not have a compute function registered for op: %s",
          names->s_list[i].text);
    }
    prepare->op.node = &part;
    berth_code_t code = kernel->prepare(prepare, err);
    prepare->op.node = node;
    if (code != BERTH_OK) return code;
    plan->parts[i] = (part_t){prepare->run, prepare->plan};
    work += prepare->work;
  }
  prepare->op.may_overwrite = 0;
  prepare->term = NULL;
  prepare->plan = plan;
  prepare->run = run_parts;
  prepare->work = work;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_composition_kernels[] = {
    {.op = "_UnaryOpsComposition", .prepare = prepare_composition},
    {.op = NULL},
};
