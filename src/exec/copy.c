// copy.c - Bringing a value to another memory.
#include "exec/copy.h"

#include "device/device.h"
#include "exec/pseudo.h"

// The node of a copy knows what it copies between.
typedef struct copy_node {
  berth_node_t node;  // First: the kernel gets its address.
  berth_device_t *from;
  berth_device_t *to;
} copy_node_t;

typedef struct copy_plan {
  berth_device_t *from;
  berth_device_t *to;
  size_t size;
} copy_plan_t;

// Named as traces of TensorFlow name the driver's copies.
static const berth_op_schema_t in_schema = {.name = "MEMCPYHtoD"};
static const berth_op_schema_t out_schema = {.name = "MEMCPYDtoH"};
static const berth_op_schema_t peer_schema = {.name = "MEMCPYPtoP"};

// Of a copy to the host: its only output is there.
static const bool is_host = true;

static berth_code_t copy_run(const void *plan, void *const *args,
                             berth_call_t *call) {
  const copy_plan_t *p = plan;
  if (p->size == 0) return BERTH_OK;
  return call->stream->device->backend->streams->copy(
      call->stream, p->to, args[1], p->from, args[0], p->size, call->err);
}

berth_code_t berth_copy_on_host(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)call;
  memcpy(args[1], args[0], ((const copy_plan_t *)plan)->size);
  return BERTH_OK;
}

static berth_code_t copy_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  const copy_node_t *node = (const copy_node_t *)prepare->op.node;
  const berth_case_input_t *input = &prepare->op.inputs[0];
  copy_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->from = node->from;
  plan->to = node->to;
  plan->size = (size_t)input->count * berth_dtype_size(input->dtype);
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  prepare->run = copy_run;
  return BERTH_OK;
}

static const berth_kernel_t copy_kernel = {.op = "_Copy",
                                           .prepare = copy_prepare};

bool berth_is_copy(const berth_step_t *step) {
  return step->kernel == &copy_kernel;
}

bool berth_copy_step(const berth_exec_host_t *host, const char *label,
                     berth_dtype_t dtype, int from, int to,
                     berth_arena_t *arena, berth_step_t *step) {
  const berth_op_schema_t *op = from == BERTH_HOST_SPACE ? &in_schema
                                : to == BERTH_HOST_SPACE ? &out_schema
                                                         : &peer_schema;
  copy_node_t *node = berth_pseudo_node(arena, sizeof(*node), op, label, dtype);
  if (node == NULL) return false;
  node->from = berth_space_device(host, from);
  node->to = berth_space_device(host, to);
  // The stream is one of the device's; between two, of the one that receives.
  int device = (to != BERTH_HOST_SPACE ? to : from) - 1;
  *step =
      (berth_step_t){.node = &node->node,
                     .input_count = 1,
                     .output_count = 1,
                     .device = (int16_t)device,
                     .host_outputs = to == BERTH_HOST_SPACE ? &is_host : NULL};
  berth_step_set_kernel(step, &copy_kernel);
  return true;
}
