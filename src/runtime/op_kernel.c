// op_kernel.c - Which ops can be run, asked from outside.
#include "graph/graph.h"
#include "kernel/choice.h"
#include "kernel/kernel.h"
#include "runtime/process.h"

bool berth_op_has_kernel(const char *op, const char *device_type) {
  if (op == NULL || device_type == NULL) return false;
  // Backends add their kernels when the process object is made.
  if (berth_process_init(NULL) != BERTH_OK) return false;
  return berth_kernel_exists(device_type, op);
}

bool berth_node_has_kernel(const berth_graph_t *graph, berth_node_id_t node,
                           const char *device_type, char **out_why) {
  if (out_why != NULL) *out_why = NULL;
  if (graph == NULL || device_type == NULL) return false;
  if (node < 0 || node >= berth_graph_node_count(graph)) return false;
  if (berth_process_init(NULL) != BERTH_OK) return false;
  berth_str_t why = {0};
  const berth_backend_t *backend = berth_kernel_backend(device_type);
  bool has_kernel = false;
  if (backend == NULL) {
    berth_str_printf(&why, "there are no devices of type %s", device_type);
  } else {
    const berth_node_t *found = berth_graph_get(graph, node);
    has_kernel =
        berth_kernel_choose(backend, graph, found, &why).kernel != NULL;
  }
  if (!has_kernel && out_why != NULL) *out_why = berth_str_take(&why);
  berth_str_clear(&why);
  return has_kernel;
}
