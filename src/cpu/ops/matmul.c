// matmul.c - The kernels MatMul, BatchMatMul and its later versions.
#include "cpu/kernels.h"
#include "cpu/loops/convert.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/product.h"
#include "op/types.h"

// Defines prepare_<name>(), which plans the product of berth_op_<name>().
#define PRODUCT(name)                                          \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    berth_product_t product;                                   \
    BERTH_TRY(berth_op_##name(&prepare->op, &product, err));   \
    return berth_cpu_product_plan(prepare, &product, err);     \
  }

PRODUCT(matmul)
PRODUCT(batch_matmul)
PRODUCT(batch_matmul_v2)

// ---- Products of two types ----

// Returns where matrix |i| of the batch lies in an input of |steps|.
static int64_t matrix_at(const berth_product_t *product, const int64_t *steps,
                         int64_t i) {
  int64_t at = 0;
  for (int32_t k = product->batch_rank; k-- > 0;) {
    at += i % product->batch_dims[k] * steps[k];
    i /= product->batch_dims[k];
  }
  return at;
}

typedef struct mixed_plan {
  berth_product_t product;
  berth_dtype_t types[3];  // Of both inputs and the output.
} mixed_plan_t;

// One element: bfloat16, or bytes as such, summed in float.
static double mixed_sum(const mixed_plan_t *plan, void *const *args, int64_t a,
                        int64_t b) {
  const berth_product_t *p = &plan->product;
  int64_t a_step = p->transpose_a ? p->m : 1,
          b_step = p->transpose_b ? 1 : p->n;
  double sum = 0;
  for (int64_t i = 0; i < p->k; ++i) {
    sum += berth_number_at(plan->types[0], args[0], a + i * a_step) *
           berth_number_at(plan->types[1], args[1], b + i * b_step);
    sum = (double)(float)sum;
  }
  return sum;
}

static berth_code_t run_mixed(const void *arg, void *const *args,
                              berth_call_t *call) {
  const mixed_plan_t *plan = arg;
  const berth_product_t *p = &plan->product;
  for (int64_t i = 0; i < p->batch * p->m * p->n; ++i) {
    if (berth_cpu_ends_at(call, i)) return BERTH_OK;
    int64_t matrix = i / (p->m * p->n), row = i / p->n % p->m, at = i % p->n;
    int64_t a = matrix_at(p, p->a_steps, matrix) * p->m * p->k +
                row * (p->transpose_a ? 1 : p->k);
    int64_t b = matrix_at(p, p->b_steps, matrix) * p->k * p->n +
                at * (p->transpose_b ? p->k : 1);
    double sum = mixed_sum(plan, args, a, b);
    berth_number_set(plan->types[2], args[2], i, sum);
  }
  return BERTH_OK;
}

// Bytes whose product is int32: it is that of both as int32.
typedef struct bytes_plan {
  berth_convert_fn widen[2];
  int64_t counts[2], at[2];  // Elements; where they are in the scratch space,
  int64_t scratch_at;        // which the product has the rest of.
  berth_run_fn run;
  const void *plan;
} bytes_plan_t;

static berth_code_t run_bytes(const void *arg, void *const *args,
                              berth_call_t *call) {
  const bytes_plan_t *plan = arg;
  char *scratch = args[3];
  void *inner[] = {scratch + plan->at[0], scratch + plan->at[1], args[2],
                   scratch + plan->scratch_at};
  for (int i = 0; i < 2; ++i) {
    plan->widen[i](args[i], inner[i], plan->counts[i]);
  }
  return plan->run(plan->plan, inner, call);
}

static berth_code_t prepare_bytes(berth_prepare_t *prepare,
                                  berth_product_t *product,
                                  berth_error_t *err) {
  const berth_convert_loops_t *loops = BERTH_ISA_PICK(berth_cpu_convert_loops);
  bytes_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->scratch_at = 64;  // There always is some.
  for (int i = 0; i < 2; ++i) {
    const berth_case_input_t *in = &prepare->op.inputs[i];
    plan->widen[i] =
        in->dtype == BERTH_INT8 ? loops->INT8_to_INT32 : loops->UINT8_to_INT32;
    plan->counts[i] = in->count;
    plan->at[i] = plan->scratch_at;
    plan->scratch_at += (in->count * (int64_t)sizeof(int32_t) + 63) / 64 * 64;
  }
  product->dtype = BERTH_INT32;
  berth_prepare_t inner = {.op = prepare->op, .device = prepare->device};
  BERTH_TRY(berth_cpu_product_plan(&inner, product, err));
  plan->run = inner.run;
  plan->plan = inner.plan;
  prepare->run = run_bytes;
  prepare->scratch_size = (size_t)plan->scratch_at + inner.scratch_size;
  prepare->work = inner.work;
  return BERTH_OK;
}

// Types of one kind go the usual way.
static berth_code_t prepare_batch_matmul_v3(berth_prepare_t *prepare,
                                            berth_error_t *err) {
  const berth_case_input_t *in = prepare->op.inputs;
  berth_dtype_t out = prepare->op.node->output_types[0];
  if (in[0].dtype == in[1].dtype && in[0].dtype == out) {
    return prepare_batch_matmul_v2(prepare, err);
  }
  berth_product_t product;
  BERTH_TRY(berth_op_batch_matmul_v2(&prepare->op, &product, err));
  if (out == BERTH_INT32) return prepare_bytes(prepare, &product, err);
  mixed_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->product = product;
  plan->types[0] = in[0].dtype;
  plan->types[1] = in[1].dtype;
  plan->types[2] = out;
  const berth_product_t *p = &plan->product;
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  prepare->run = count > 0 ? run_mixed : berth_run_nothing;
  prepare->work = count * p->k * 4;
  return BERTH_OK;
}

// TensorFlow has one type, bytes that give int32, and bytes with bfloat16.
static bool select_v3(const berth_node_t *node, berth_str_t *why) {
  berth_dtype_t a = berth_node_attr_type(node, "Ta", BERTH_FLOAT);
  berth_dtype_t b = berth_node_attr_type(node, "Tb", BERTH_FLOAT);
  berth_dtype_t out = berth_node_attr_type(node, "Tout", BERTH_FLOAT);
  const berth_dtype_set_t bytes = BERTH_TYPE(INT8) | BERTH_TYPE(UINT8);
  const berth_dtype_set_t narrow = bytes | BERTH_TYPE(BFLOAT16);
  if (a == b && a == out && !berth_type_in(a, bytes)) return true;
  if (out == BERTH_INT32 && berth_type_in(a, bytes) &&
      berth_type_in(b, bytes)) {
    return true;
  }
  if (out == BERTH_BFLOAT16 && berth_type_in(a, narrow) &&
      berth_type_in(b, narrow)) {
    return true;
  }
  if (why != NULL) berth_str_puts(why, "types that do not go together");
  return false;
}

#define TYPES                                                     \
  (BERTH_TYPES_FLOATING | BERTH_TYPES_INDEX | BERTH_TYPE(INT16) | \
   BERTH_TYPES_COMPLEX)
#define KERNEL(name, function) \
  { .op = name, .types = {{"T", TYPES}}, .prepare = prepare_##function }

const berth_kernel_t berth_cpu_matmul_kernels[] = {
    KERNEL("MatMul", matmul),
    KERNEL("BatchMatMul", batch_matmul),
    KERNEL("BatchMatMulV2", batch_matmul_v2),
    {.op = "BatchMatMulV3",
     .types = {{"Ta", TYPES | BERTH_TYPE(INT8) | BERTH_TYPE(UINT8)},
               {"Tb", TYPES | BERTH_TYPE(INT8) | BERTH_TYPE(UINT8)}},
     .prepare = prepare_batch_matmul_v3,
     .select = select_v3},
    {.op = NULL},
};
