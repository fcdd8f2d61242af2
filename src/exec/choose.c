// choose.c - From a node to a step: which kernel, on which memory.
#include "exec/choose.h"

// Notes which outputs of |step|, which runs on a device, are in host memory.
static berth_code_t note_host_outputs(berth_step_t *step,
                                      const berth_choice_t *choice,
                                      berth_arena_t *arena,
                                      berth_error_t *err) {
  bool *noted = NULL;
  for (int i = 0; i < step->output_count; ++i) {
    if (!berth_choice_output_on_host(choice, step->node, i)) continue;
    if (noted == NULL) {
      noted =
          berth_arena_calloc(arena, (size_t)step->output_count, sizeof(*noted));
    }
    if (noted == NULL) return berth_error_no_memory(err, "a step");
    noted[i] = true;
  }
  step->host_outputs = noted;
  return BERTH_OK;
}

berth_code_t berth_step_choose(const berth_graph_t *graph,
                               const berth_node_t *node,
                               const berth_exec_device_t *devices, int device,
                               berth_arena_t *arena, berth_step_t *step,
                               berth_choice_t *choice, berth_str_t *why,
                               berth_error_t *err) {
  *choice = berth_kernel_choose(devices[device].backend, graph, node, why);
  *step = (berth_step_t){.node = node,
                         .input_count = node->input_count,
                         .output_count = node->output_count,
                         .device = (int16_t)device,
                         .blocker = -1,
                         .on_host = choice->on_host};
  berth_step_set_kernel(step, choice->kernel);
  if (step->on_host || step->kernel == NULL) return BERTH_OK;
  return note_host_outputs(step, choice, arena, err);
}

bool berth_step_wants_on_host(const berth_step_t *step,
                              const berth_choice_t *choice,
                              const berth_graph_t *graph, int index) {
  return step->on_host ||
         berth_choice_input_on_host(choice, graph, step->node, index) ||
         berth_op_reads_value(step->node->op, index, step->input_count);
}
