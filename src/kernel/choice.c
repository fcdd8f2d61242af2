// choice.c - How a node runs on a type of device.
#include "kernel/choice.h"

#include <string.h>

#include "graph/registration.h"

// Strings and handles cannot leave the host; variables are handles here.
static bool is_for_host(berth_dtype_t dtype) {
  return !berth_dtype_is_plain(berth_dtype_base(dtype));
}

bool berth_choice_output_on_host(const berth_choice_t *choice,
                                 const berth_node_t *node, int index) {
  if (choice->registration == NULL) return true;
  berth_dtype_t dtype = node->output_types[index];
  if (berth_dtype_is_ref(dtype) || is_for_host(dtype)) return true;
  for (int arg = 0; arg < node->op->output_count && arg < 32; ++arg) {
    int first = 0, count = 0;
    berth_node_output_range(node, arg, &first, &count);
    if (index < first + count) {
      return (choice->registration->host_outputs >> arg & 1) != 0;
    }
  }
  return false;
}

bool berth_choice_input_on_host(const berth_choice_t *choice,
                                const berth_graph_t *graph,
                                const berth_node_t *node, int index) {
  if (choice->registration == NULL) return true;
  if (is_for_host(berth_node_input_type(graph, node, index))) return true;
  for (int arg = 0; arg < node->op->input_count && arg < 32; ++arg) {
    int first = 0, count = 0;
    berth_node_input_range(node, arg, &first, &count);
    if (index < first + count) {
      return node->op->inputs[arg].is_ref ||
             (choice->registration->host_inputs >> arg & 1) != 0;
    }
  }
  return false;
}

static bool is_all_host(const berth_choice_t *choice,
                        const berth_graph_t *graph, const berth_node_t *node) {
  for (int i = 0; i < node->input_count; ++i) {
    if (!berth_choice_input_on_host(choice, graph, node, i)) return false;
  }
  for (int i = 0; i < node->output_count; ++i) {
    if (!berth_choice_output_on_host(choice, node, i)) return false;
  }
  return true;
}

// True when TensorFlow's kernel is one for any device: it hands values on, or
// waits for them, and the host can do that as well.
static bool is_for_any_device(const berth_choice_t *choice) {
  return choice->registration != NULL &&
         choice->registration->device == BERTH_FOR_DEFAULT;
}

berth_choice_t berth_kernel_choose(const char *device_type,
                                   const berth_graph_t *graph,
                                   const berth_node_t *node, berth_str_t *why) {
  berth_choice_t choice = {0};
  bool is_cpu = strcmp(device_type, "CPU") == 0;
  if (!is_cpu) {
    choice.registration = berth_registration_find(node, BERTH_FOR_GPU);
    choice.shapes_only = (node->op->traits & BERTH_OP_SHAPES) != 0;
  }
  choice.on_host =
      is_cpu || choice.shapes_only || is_all_host(&choice, graph, node);
  // A constant needs no kernel, only to be brought where it lives.
  choice.kernel = berth_kernel_find(
      choice.on_host || (node->op->traits & BERTH_OP_CONSTANT) != 0
          ? "CPU"
          : device_type,
      node, why);
  if (choice.kernel == NULL && is_for_any_device(&choice)) {
    choice.kernel = berth_kernel_find("CPU", node, NULL);
    choice.on_host = choice.kernel != NULL;
  }
  return choice;
}
