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

// True for ops without a kernel of their own on any device: a constant is
// brought where it lives, and a placeholder that is not fed only says so.
static bool needs_no_kernel(const berth_node_t *node) {
  const char *op = node->op->name;
  return strcmp(op, "Const") == 0 || strcmp(op, "Placeholder") == 0 ||
         strcmp(op, "PlaceholderV2") == 0;
}

berth_choice_t berth_kernel_choose(const char *device_type,
                                   const berth_graph_t *graph,
                                   const berth_node_t *node, berth_str_t *why) {
  berth_choice_t choice = {0};
  bool is_cpu = strcmp(device_type, "CPU") == 0;
  if (!is_cpu) {
    choice.registration = berth_registration_find(node, BERTH_FOR_GPU);
    choice.shapes_only =
        node->is_metadata || strcmp(node->op->name, "ShapeN") == 0;
  }
  choice.on_host =
      is_cpu || choice.shapes_only || is_all_host(&choice, graph, node);
  bool is_hosts = choice.on_host || needs_no_kernel(node);
  choice.kernel = berth_kernel_find(is_hosts ? "CPU" : device_type, node, why);
  return choice;
}
