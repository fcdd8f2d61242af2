// tensor_array.c - Arrays of tensors: their slopes are in arrays of their own.
//
// A TensorArrayGradV3 finds or makes the array of slopes of an array, one for
// each call of berth_gradients(), which its source names. What was written is
// read there and the other way round; flows keep that in order.
#include <string.h>

#include "grad/rules/words.inc"

// Returns the scope of this walk: the name of |value| up to the last part that
// begins with "gradients", or, if none does, its first part.
static size_t source_size(const char *name) {
  size_t found = 0;
  for (const char *part = name; part != NULL;) {
    const char *end = strchr(part, '/');
    if (strncmp(part, "gradients", 9) == 0) {
      found = end == NULL ? strlen(name) : (size_t)(end - name);
    }
    part = end == NULL ? NULL : end + 1;
  }
  const char *first = strchr(name, '/');
  if (found > 0) return found;
  return first == NULL ? strlen(name) : (size_t)(first - name);
}

// Old arrays have no slopes, in TensorFlow's words: they are none to its rules.
static void check_handle(berth_grad_t *g, value_t handle) {
  const berth_node_t *node = berth_graph_get(g->graph, handle.node);
  berth_dtype_t dtype = node->output_types[handle.index];
  if (dtype == BERTH_RESOURCE) return;
  berth_grad_fail(g, BERTH_UNIMPLEMENTED,
                  "Input 'handle' of 'TensorArrayGradV3' Op has type %s that "
                  "does not match expected type of resource.",
                  berth_dtype_name(dtype));
}

// The array of slopes, and the flow after which it is there.
typedef struct slopes {
  value_t handle, flow;
} slopes_t;

static slopes_t array_of_slopes(berth_grad_t *g, value_t by, value_t handle,
                                value_t flow) {
  slopes_t made = {NONE, NONE};
  check_handle(g, handle);
  if (g->code != BERTH_OK) return made;
  const char *name = berth_graph_get(g->graph, by.node)->name;
  size_t size = source_size(name);
  berth_grad_push(g, "TensorArrayGrad");
  berth_grad_begin(g, "TensorArrayGradV3", NULL);
  if (g->code == BERTH_OK) berth_op_attr_string(g->op, "source", name, size);
  made.handle = MAKE(g, handle, flow);
  berth_grad_begin(g, "Identity", "gradient_flow");
  if (g->code == BERTH_OK) berth_op_control(g->op, made.handle.node);
  made.flow = MAKE(g, flow);
  berth_grad_pop(g);
  return made;
}

// Returns |flow|, the slope by what was written, when that has been written.
static value_t barrier(berth_grad_t *g, value_t flow) {
  value_t written = OP(g, "Identity", "flow_out", out(g, 0));
  berth_grad_begin(g, "Identity", "write_barrier");
  if (g->code == BERTH_OK) berth_op_control(g->op, written.node);
  return MAKE(g, flow);
}

static bool is_in_graph(berth_grad_t *g) {
  if (!g->to->is_eager) return true;
  berth_grad_fail(g, BERTH_UNIMPLEMENTED, "%s is differentiated in graphs only",
                  g->node->op->name);
  return false;
}

BERTH_GRAD(array_read) {
  if (!is_in_graph(g)) return;
  value_t d = dy(g, 0);
  slopes_t to = array_of_slopes(g, d, in(g, 0), in(g, 2));
  berth_grad_push(g, "TensorArrayWrite");
  give(g, 2,
       OP(g, "TensorArrayWriteV3", NULL, to.handle, in(g, 1), d, to.flow));
  berth_grad_pop(g);
}

BERTH_GRAD(array_write) {
  if (!is_in_graph(g)) return;
  value_t flow = barrier(g, dy(g, 0));
  slopes_t from = array_of_slopes(g, flow, in(g, 0), flow);
  berth_dtype_t type = berth_grad_dtype(g, in(g, 2));
  berth_grad_begin(g, "TensorArrayReadV3", NULL);
  if (g->code == BERTH_OK) berth_op_attr_type(g->op, "dtype", type);
  give(g, 2, MAKE(g, from.handle, in(g, 1), from.flow));
  give(g, 3, flow);
}

BERTH_GRAD(array_gather) {
  if (!is_in_graph(g)) return;
  value_t d = dy(g, 0);
  slopes_t to = array_of_slopes(g, d, in(g, 0), in(g, 2));
  berth_grad_push(g, "TensorArrayScatter");
  give(g, 2,
       OP(g, "TensorArrayScatterV3", NULL, to.handle, in(g, 1), d, to.flow));
  berth_grad_pop(g);
}

BERTH_GRAD(array_scatter) {
  if (!is_in_graph(g)) return;
  value_t flow = barrier(g, dy(g, 0));
  slopes_t from = array_of_slopes(g, flow, in(g, 0), flow);
  berth_dtype_t type = berth_grad_dtype(g, in(g, 2));
  berth_grad_begin(g, "TensorArrayGatherV3", NULL);
  if (g->code == BERTH_OK) berth_op_attr_type(g->op, "dtype", type);
  give(g, 2, MAKE(g, from.handle, in(g, 1), from.flow));
  give(g, 3, flow);
}

BERTH_GRAD(array_concat) {
  if (!is_in_graph(g)) return;
  value_t d = dy(g, 0);
  slopes_t to = array_of_slopes(g, d, in(g, 0), in(g, 1));
  berth_grad_push(g, "TensorArraySplit");
  give(g, 1,
       OP(g, "TensorArraySplitV3", NULL, to.handle, d, out(g, 1), to.flow));
  berth_grad_pop(g);
}

BERTH_GRAD(array_split) {
  if (!is_in_graph(g)) return;
  value_t flow = barrier(g, dy(g, 0));
  slopes_t from = array_of_slopes(g, flow, in(g, 0), flow);
  berth_dtype_t type = berth_grad_dtype(g, in(g, 1));
  berth_grad_begin(g, "TensorArrayConcatV3", NULL);
  if (g->code == BERTH_OK) berth_op_attr_type(g->op, "dtype", type);
  give(g, 1, MAKE(g, from.handle, from.flow));
  give(g, 3, flow);
}
