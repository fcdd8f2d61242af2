// flow.c - What a program with conditionals and loops knows besides its steps.
#include "exec/flow.h"

#include <stdio.h>

#include "base/alloc.h"
#include "exec/pseudo.h"

// ---- Life ----

berth_flow_t *berth_flow_new(int loop_count, int block_count) {
  berth_flow_t *flow = berth_calloc(1, sizeof(*flow));
  if (flow == NULL) return NULL;
  flow->loops = berth_calloc((size_t)loop_count + 1, sizeof(*flow->loops));
  flow->blocks = berth_calloc((size_t)block_count + 1, sizeof(*flow->blocks));
  if (flow->loops == NULL || flow->blocks == NULL) {
    berth_flow_destroy(flow);
    return NULL;
  }
  flow->block_count = block_count;
  flow->loop_count = loop_count;
  flow->has_shares = true;
  for (int i = 0; i < loop_count; ++i) flow->loops[i].first = -1;
  return flow;
}

berth_flow_t *berth_flow_create(const berth_order_t *order, int node_count) {
  berth_flow_t *flow = berth_flow_new(order->loop_count, 0);
  if (flow == NULL) return NULL;
  size_t nodes = (size_t)node_count + 1;
  flow->step_of = berth_alloc(nodes * sizeof(*flow->step_of));
  if (flow->step_of == NULL) {
    berth_flow_destroy(flow);
    return NULL;
  }
  memset(flow->step_of, 0xff, nodes * sizeof(*flow->step_of));
  return flow;
}

void berth_flow_destroy(berth_flow_t *flow) {
  if (flow == NULL) return;
  for (int i = 0; flow->blocks != NULL && i < flow->block_count; ++i) {
    berth_program_destroy(flow->blocks[i].program);
  }
  berth_free(flow->blocks);
  berth_free(flow->steps);
  berth_free(flow->controls);
  berth_free(flow->marks);
  berth_free(flow->loops);
  berth_free(flow->step_of);
  berth_free(flow);
}

// ---- Steps ----

// Notes the steps that |node| waits for. What has none is always there.
static berth_code_t controls_add(berth_flow_t *flow, const berth_node_t *node,
                                 berth_flow_step_t *info, berth_error_t *err) {
  info->first_control = (int32_t)flow->control_count;
  for (int i = 0; i < node->control_count; ++i) {
    int32_t before = flow->step_of[node->controls[i]];
    if (before < 0) continue;
    int32_t *controls = berth_grow(flow->controls, flow->control_count,
                                   &flow->control_capacity, sizeof(*controls));
    if (controls == NULL) return berth_error_no_memory(err, "a program");
    flow->controls = controls;
    flow->controls[flow->control_count++] = before;
    ++info->control_count;
  }
  return BERTH_OK;
}

// True for the kinds that stand at the ends of a loop.
static bool is_end(berth_flow_kind_t kind) {
  return kind == BERTH_FLOW_ENTER || kind == BERTH_FLOW_EXIT ||
         kind == BERTH_FLOW_NEXT;
}

berth_code_t berth_flow_add(berth_program_t *program,
                            const berth_order_t *order,
                            const berth_step_t *step, berth_flow_kind_t kind,
                            berth_error_t *err) {
  berth_flow_t *flow = program->flow;
  const berth_node_t *node = step->node;
  berth_flow_step_t *steps = berth_grow(flow->steps, flow->step_count,
                                        &flow->step_capacity, sizeof(*steps));
  if (steps == NULL) return berth_error_no_memory(err, "a program");
  flow->steps = steps;
  berth_flow_step_t *info = &steps[flow->step_count];
  *info = (berth_flow_step_t){
      .kind = (uint8_t)kind, .loop = BERTH_NO_LOOP, .next = -1};
  BERTH_TRY(controls_add(flow, node, info, err));
  if (node->id >= 0) flow->step_of[node->id] = (int32_t)flow->step_count;
  int32_t loop = is_end(kind) ? order->loop_of[node->id] : BERTH_NO_LOOP;
  if (loop != BERTH_NO_LOOP) {
    info->loop = loop;
    info->next = flow->loops[loop].first;
    flow->loops[loop].first = (int32_t)flow->step_count;
  }
  info->is_constant = kind == BERTH_FLOW_ENTER &&
                      berth_node_attr_bool(node, "is_constant", false);
  ++flow->step_count;
  return BERTH_OK;
}

berth_code_t berth_flow_mark(berth_program_t *program, int32_t item,
                             berth_error_t *err) {
  berth_flow_t *flow = program->flow;
  berth_flow_mark_t *marks = berth_grow(flow->marks, flow->mark_count,
                                        &flow->mark_capacity, sizeof(*marks));
  if (marks == NULL) return berth_error_no_memory(err, "a program");
  flow->marks = marks;
  int32_t loop = berth_order_mark_loop(item);
  bool ends = berth_order_mark_is_end(item);
  int32_t *mark = ends ? &flow->loops[loop].end : &flow->loops[loop].begin;
  *mark = (int32_t)flow->mark_count;
  flow->marks[flow->mark_count++] =
      (berth_flow_mark_t){program->step_count, loop, ends};
  return BERTH_OK;
}

void berth_flow_finish(berth_flow_t *flow) {
  berth_free(flow->step_of);
  flow->step_of = NULL;
}

bool berth_flow_is_gated(const berth_program_t *program,
                         const berth_step_t *step, const int32_t *slots) {
  for (int i = 0; i < step->input_count; ++i) {
    if (slots[i] < 0 || program->slots[slots[i]].producer >= 0) return true;
  }
  return step->node->control_count > 0;
}

// ---- Fetches ----

static const berth_op_schema_t retval_schema = {
    .name = "_Retval", .is_stateful = true, .traits = BERTH_OP_IMPURE};

// Never called: the walk hands the value on itself.
static const berth_kernel_t retval_kernel = {.op = "_Retval"};

bool berth_flow_retval_step(const char *label, berth_dtype_t dtype,
                            berth_arena_t *arena, berth_step_t *step) {
  berth_node_t *node =
      berth_pseudo_node(arena, sizeof(*node), &retval_schema, label, dtype);
  if (node == NULL) return false;
  *step = (berth_step_t){
      .node = node, .input_count = 1, .output_count = 1, .on_host = true};
  berth_step_set_kernel(step, &retval_kernel);
  return true;
}

// Compares fetches as the texts "name:index".
static int compare_fetches(const berth_graph_t *graph, berth_out_t a,
                           berth_out_t b) {
  char x[16], y[16];
  snprintf(x, sizeof x, ":%d", (int)a.index);
  snprintf(y, sizeof y, ":%d", (int)b.index);
  if (a.node == b.node) return strcmp(x, y);
  const char *name_a = berth_graph_get(graph, a.node)->name;
  const char *name_b = berth_graph_get(graph, b.node)->name;
  size_t i = 0;
  while (name_a[i] != '\0' && name_a[i] == name_b[i]) ++i;
  const char *rest_a = name_a[i] != '\0' ? name_a + i : x;
  const char *rest_b = name_b[i] != '\0' ? name_b + i : y;
  return rest_a[0] - rest_b[0];
}

int berth_flow_fetch_place(const berth_program_t *program, int index) {
  const berth_signature_t *signature = &program->signature;
  int place = 0;
  for (int i = 0; i < signature->fetch_count; ++i) {
    place += compare_fetches(program->host->graph, signature->fetches[i],
                             signature->fetches[index]) < 0;
  }
  return place;
}
