// fused_norm.c - The kernels _FusedBatchNormEx and _FusedBatchNormGradEx.
//
// A normalization of images, to which another tensor may be added, and of which
// what is negative may become zero. The normalization is planned as if it were
// alone; what follows goes over the result. TensorFlow's kernels are those of
// cards, and of libraries; they take fewer shapes and types.
#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/ops/fused.h"
#include "op/value.h"

enum {
  GRAIN = 1 << 14,  // Elements that are worth a thread.
  VALUE_INPUTS = 5,
  GRAD_INPUTS = 6,
  FEATURES = 7,  // What the normalization gave, of its gradient's inputs.
};

typedef struct plan {
  berth_run_fn run;  // Of the normalization, with its plan.
  const void *plan;
  berth_dtype_t dtype;
  int64_t count;
  bool has_side, has_relu;
  size_t masked_at;  // In scratch: slopes that the function lets through.
} plan_t;

typedef struct work {
  const plan_t *plan;
  const void *side, *features;
  const void *in;
  void *out;
} work_t;

static void finish_piece(void *arg, int64_t begin, int64_t end) {
  const work_t *work = arg;
  berth_dtype_t type = work->plan->dtype;
  for (int64_t i = begin; i < end; ++i) {
    double x = berth_number_at(type, work->in, i);
    if (work->side != NULL) {
      berth_number_set(type, work->out, i,
                       x + berth_number_at(type, work->side, i));
      x = berth_number_at(type, work->out, i);
    }
    if (work->plan->has_relu && x < 0) x = 0;
    berth_number_set(type, work->out, i, x);
  }
}

static void mask_piece(void *arg, int64_t begin, int64_t end) {
  const work_t *work = arg;
  berth_dtype_t type = work->plan->dtype;
  for (int64_t i = begin; i < end; ++i) {
    double x = berth_number_at(type, work->in, i);
    bool passes =
        !work->plan->has_relu || berth_number_at(type, work->features, i) > 0;
    berth_number_set(type, work->out, i, passes ? x : 0);
  }
}

static berth_code_t run_value(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  void *alone[VALUE_INPUTS + 7];
  for (int i = 0; i < VALUE_INPUTS + 7; ++i) {
    alone[i] = args[i < VALUE_INPUTS ? i : i + plan->has_side];
  }
  BERTH_TRY(plan->run(plan->plan, alone, call));
  if (!plan->has_side && !plan->has_relu) return BERTH_OK;
  work_t work = {.plan = plan,
                 .side = plan->has_side ? args[VALUE_INPUTS] : NULL,
                 .in = alone[VALUE_INPUTS],
                 .out = alone[VALUE_INPUTS]};
  berth_parallel_for(plan->count, GRAIN, finish_piece, &work);
  return BERTH_OK;
}

static berth_code_t run_grad(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  int inputs = call->node->input_count;
  char *scratch = args[inputs + call->node->output_count];
  work_t work = {
      .plan = plan,
      .features = args[FEATURES],
      .in = args[0],
      .out = plan->has_side ? args[inputs + 5] : scratch + plan->masked_at};
  berth_parallel_for(plan->count, GRAIN, mask_piece, &work);
  void *alone[GRAD_INPUTS + 6] = {work.out};
  for (int i = 1; i < GRAD_INPUTS; ++i) alone[i] = args[i];
  for (int i = 0; i < 5; ++i) alone[GRAD_INPUTS + i] = args[inputs + i];
  alone[GRAD_INPUTS + 5] = scratch;
  return plan->run(plan->plan, alone, call);
}

// ---- Preparing ----

// Reads what follows the normalization.
static berth_code_t read_tail(const berth_case_t *op, plan_t *plan,
                              berth_error_t *err) {
  const berth_node_t *node = op->node;
  const char *mode = berth_node_attr_string(node, "activation_mode", "");
  int64_t sides = berth_node_attr_int(node, "num_side_inputs", 0);
  plan->has_relu = strcmp(mode, "Relu") == 0;
  plan->has_side = sides > 0;
  if (!plan->has_relu && strcmp(mode, "Identity") != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Unsupported activation mode: %s", mode);
  }
  if (sides <= 1) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "FusedBatchNorm accepts at most one side input.");
}

static berth_code_t check_same(const berth_case_t *op, int index,
                               const char *name, berth_error_t *err) {
  char text[2][BERTH_DIMS_TEXT];
  if (berth_dims_equal(berth_case_input_dims(op, 0),
                       berth_case_input_dims(op, index))) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s shape must be equal to input shape: %s != %s",
                         name, berth_input_text(&op->inputs[index], text[0]),
                         berth_input_text(&op->inputs[0], text[1]));
}

extern const berth_kernel_t berth_cpu_batch_norm_kernels[];

static berth_code_t prepare_fused(berth_prepare_t *prepare, bool is_grad,
                                  berth_error_t *err) {
  berth_case_t *op = &prepare->op;
  const berth_kernel_t *kernel = berth_cpu_kernel_of(
      berth_cpu_batch_norm_kernels,
      is_grad ? "FusedBatchNormGradV3" : "FusedBatchNormV3");
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(read_tail(op, plan, err));
  int inputs = op->input_count;
  op->input_count = is_grad ? GRAD_INPUTS : VALUE_INPUTS;
  berth_code_t code = kernel->prepare(prepare, err);
  op->input_count = inputs;
  if (code != BERTH_OK) return code;
  if (is_grad) {
    BERTH_TRY(check_same(op, FEATURES, "y", err));
    if (plan->has_side) berth_case_output(op, 5, berth_case_input_dims(op, 0));
  } else if (plan->has_side) {
    BERTH_TRY(check_same(op, VALUE_INPUTS, "side_input", err));
  }
  plan->run = prepare->run;
  plan->plan = prepare->plan;
  plan->dtype = op->inputs[0].dtype;
  plan->count = op->inputs[0].count;
  plan->masked_at = (prepare->scratch_size + 63) & ~(size_t)63;
  if (is_grad && !plan->has_side) {
    prepare->scratch_size =
        plan->masked_at + (size_t)plan->count * berth_dtype_size(plan->dtype);
  }
  op->may_overwrite = 0;
  prepare->term = NULL;
  prepare->plan = plan;
  prepare->run = is_grad ? run_grad : run_value;
  return BERTH_OK;
}

static berth_code_t prepare_value(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  return prepare_fused(prepare, false, err);
}

static berth_code_t prepare_grad(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_fused(prepare, true, err);
}

const berth_kernel_t berth_cpu_fused_norm_kernels[] = {
    {.op = "_FusedBatchNormEx", .prepare = prepare_value},
    {.op = "_FusedBatchNormGradEx", .prepare = prepare_grad},
    {.op = NULL},
};
