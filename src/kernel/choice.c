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

// Returns what TensorFlow calls devices of |backend| in its registrations.
static berth_registered_for_t registered_for(const berth_backend_t *backend) {
  return strcmp(backend->type, "GPU") == 0 ? BERTH_FOR_GPU : BERTH_FOR_DEFAULT;
}

berth_choice_t berth_kernel_choose(const berth_backend_t *backend,
                                   const berth_graph_t *graph,
                                   const berth_node_t *node, berth_str_t *why) {
  berth_choice_t choice = {0};
  const berth_backend_t *host = berth_kernel_host();
  bool is_host = backend->streams == NULL;
  if (!is_host) {
    choice.registration =
        berth_registration_find(node, registered_for(backend));
    choice.shapes_only = (node->op->traits & BERTH_OP_SHAPES) != 0;
  }
  choice.on_host =
      is_host || choice.shapes_only || is_all_host(&choice, graph, node);
  // A constant needs no kernel, only to be brought where it lives.
  bool is_hosts = (choice.on_host && !is_host) ||
                  (node->op->traits & BERTH_OP_CONSTANT) != 0;
  choice.kernel =
      berth_kernel_find(is_hosts && host != NULL ? host : backend, node, why);
  if (choice.kernel == NULL && is_for_any_device(&choice) && host != NULL) {
    choice.kernel = berth_kernel_find(host, node, NULL);
    choice.on_host = choice.kernel != NULL;
  }
  return choice;
}
