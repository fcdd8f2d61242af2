// build_node.c - From nodes to steps.
#include "base/alloc.h"
#include "exec/builder.h"
#include "exec/choose.h"
#include "exec/copy.h"
#include "exec/flow.h"
#include "exec/hold.h"

// Notes that |node| has no kernel; all of them are reported at once.
static void missing_add(berth_builder_t *b, const berth_node_t *node,
                        const char *device, const char *why) {
  enum { MOST = 20 };
  if (++b->missing_count > MOST) return;
  berth_str_printf(&b->missing, "\n  %s (%s) on %s%s%s", node->name,
                   node->op->name, device, why[0] != '\0' ? ": " : "", why);
}

static berth_code_t missing_error(const berth_builder_t *b,
                                  berth_error_t *err) {
  return berth_error_set(
      err, BERTH_UNIMPLEMENTED,
      "Berth has no kernel for %d node%s that this run needs:%s%s",
      b->missing_count, b->missing_count == 1 ? "" : "s",
      berth_str_get(&b->missing), b->missing_count > 20 ? "\n  ..." : "");
}

static bool is_back(const berth_builder_t *b, const berth_node_t *node,
                    int index) {
  return b->program->flow != NULL &&
         berth_order_is_back(&b->order, &b->prune, node, index);
}

// True when |node| only says yes or no about what the host has been told. In a
// loop or a conditional the host is who asks, so it answers, wherever the node was
// placed.
static bool is_answered_by_host(const berth_builder_t *b,
                                const berth_node_t *node) {
  if (b->program->flow == NULL || node->op->is_stateful ||
      b->order.kinds[node->id] != BERTH_FLOW_RUN || node->input_count == 0 ||
      node->output_count != 1 || node->output_types[0] != BERTH_BOOL) {
    return false;
  }
  for (int i = 0; i < node->input_count; ++i) {
    if (is_back(b, node, i)) return false;
    int32_t slot = berth_builder_slot_of(b, node->inputs[i]);
    if (slot < 0 || b->program->slots[slot].dtype != BERTH_BOOL ||
        b->program->slots[slot].space != BERTH_HOST_SPACE) {
      return false;
    }
  }
  return true;
}

// Fills |step| for |node|; the kernel stays NULL when there is none.
static berth_code_t step_init(berth_builder_t *b, const berth_node_t *node,
                              berth_step_t *step, berth_choice_t *choice,
                              berth_error_t *err) {
  const berth_exec_host_t *host = b->host;
  int device = host->device_of(host, node->id);
  const char *why_not = berth_node_attr_string(node, BERTH_WHY_NOT, NULL);
  if (why_not != NULL) {
    int64_t code = berth_node_attr_int(node, BERTH_WHY_NOT_CODE, 0);
    return berth_error_set(err, (berth_code_t)code, "%s", why_not);
  }
  berth_str_t why = {0};
  berth_code_t code =
      berth_step_choose(host->graph, node, host->devices,
                        is_answered_by_host(b, node) ? 0 : device,
                        &b->program->arena, step, choice, &why, err);
  if (code == BERTH_OK && step->kernel == NULL) {
    missing_add(b, node, host->devices[device].name, berth_str_get(&why));
  }
  berth_str_clear(&why);
  if (code != BERTH_OK) return code;
  step->device = (int16_t)device;
  step->label = berth_node_attr_string(node, BERTH_ORIGIN, NULL);
  if (step->kernel != NULL && !step->on_host) {
    BERTH_TRY(berth_program_use(b->program, host->devices[device].device,
                                b->watch, err));
  }
  if (step->kernel != NULL && node->op->owns != BERTH_OWNS_NOTHING) {
    return host->resource_of(host, node, &step->resource, err);
  }
  return BERTH_OK;
}

// Gives every output of |node| a slot, behind |slots|, where |choice| says.
static berth_code_t output_slots(berth_builder_t *b, berth_step_t *step,
                                 const berth_choice_t *choice, int32_t *slots,
                                 berth_error_t *err) {
  const berth_node_t *node = step->node;
  b->first_slot[node->id] = b->program->slot_count;
  for (int i = 0; i < node->output_count; ++i) {
    berth_dtype_t dtype = node->output_types[i];
    if (berth_dtype_is_ref(dtype)) dtype = BERTH_RESOURCE;
    bool on_host =
        step->on_host || berth_choice_output_on_host(choice, node, i);
    BERTH_TRY(berth_builder_slot(b, dtype,
                                 on_host ? BERTH_HOST_SPACE : step->device + 1,
                                 &slots[node->input_count + i], err));
  }
  return BERTH_OK;
}

// Returns the space in which |step| wants its input |index|, which is in
// |space| now.
static int input_space(const berth_builder_t *b, const berth_step_t *step,
                       const berth_choice_t *choice, int index, int space) {
  if (choice->shapes_only) return space;
  return berth_step_wants_on_host(step, choice, b->host->graph, index)
             ? BERTH_HOST_SPACE
             : step->device + 1;
}

// Notes how many updates there have been, and |node| if it is one.
static berth_code_t updates_note(berth_builder_t *b, const berth_node_t *node,
                                 berth_error_t *err) {
  bool updates = false;
  for (int i = 0; i < node->input_count; ++i) {
    updates = updates || berth_builder_wants_ref(node, i);
  }
  if (updates && (node->op->traits & BERTH_OP_ASKS) == 0) {
    berth_node_id_t *updaters =
        berth_grow(b->updaters, (size_t)b->updater_count, &b->updater_capacity,
                   sizeof(*updaters));
    if (updaters == NULL) return berth_error_no_memory(err, "a program");
    b->updaters = updaters;
    b->updaters[b->updater_count++] = node->id;
  }
  b->updates_at[node->id] = b->updater_count;
  return BERTH_OK;
}

// Notes that input |index| of the next step comes round a loop.
static berth_code_t back_note(berth_builder_t *b, const berth_node_t *node,
                              int index, int space, berth_error_t *err) {
  berth_out_t out = node->inputs[index];
  if (berth_builder_is_ref(b, out) != berth_builder_wants_ref(node, index)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input %d of node %s comes round its loop as a "
                           "reference, and the others do not",
                           index, node->name);
  }
  berth_back_edge_t *edges = berth_grow(b->back_edges, b->back_edge_count,
                                        &b->back_edge_capacity, sizeof(*edges));
  if (edges == NULL) return berth_error_no_memory(err, "a program");
  b->back_edges = edges;
  edges[b->back_edge_count++] =
      (berth_back_edge_t){out, b->program->arg_count + index, (int16_t)space};
  return BERTH_OK;
}

// Brings what |node|, a NextIteration, gives to the Merges that wait for it.
static berth_code_t back_close(berth_builder_t *b, const berth_node_t *node,
                               berth_error_t *err) {
  for (size_t i = 0; i < b->back_edge_count;) {
    berth_back_edge_t edge = b->back_edges[i];
    if (edge.out.node != node->id) {
      ++i;
      continue;
    }
    int32_t slot = berth_builder_slot_of(b, edge.out);
    BERTH_TRY(berth_builder_bring(b, &slot, edge.space, node->name, err));
    b->program->args[edge.arg] = slot;
    b->back_edges[i] = b->back_edges[--b->back_edge_count];
  }
  return BERTH_OK;
}

// Gives |step|, whose inputs are |slots|, the outputs of a node that computes the
// same, or adds it to what a run does.
static berth_code_t twin_or_step(berth_builder_t *b, berth_step_t *step,
                                 const berth_choice_t *choice, int32_t *slots,
                                 berth_error_t *err) {
  berth_program_t *p = b->program;
  const berth_node_t *node = step->node;
  uint32_t hash = berth_twins_hash(step, slots);
  int32_t twin = berth_twins_find(&b->twins, p, hash, step, slots,
                                  p->flow != NULL ? b->order.loop_of : NULL);
  if (twin >= 0) {
    b->first_slot[node->id] = b->first_slot[twin];
    return berth_twins_note(&b->twins, step, twin)
               ? BERTH_OK
               : berth_error_no_memory(err, "a program");
  }
  BERTH_TRY(output_slots(b, step, choice, slots, err));
  BERTH_TRY(berth_builder_settle_or_step(b, step, slots, err));
  berth_twins_add(&b->twins, p, hash, node);
  return BERTH_OK;
}

static berth_code_t node_add(berth_builder_t *b, const berth_node_t *node,
                             int32_t *slots, berth_error_t *err) {
  berth_step_t step;
  berth_choice_t choice;
  BERTH_TRY(step_init(b, node, &step, &choice, err));
  for (int i = 0; i < node->input_count; ++i) {
    slots[i] = -1;
    if (is_back(b, node, i)) continue;
    BERTH_TRY(berth_builder_input(b, node, i, &slots[i], err));
    if (step.kernel == NULL || b->missing_count > 0) continue;
    int space = b->program->slots[slots[i]].space;
    BERTH_TRY(berth_builder_bring(b, &slots[i],
                                  input_space(b, &step, &choice, i, space),
                                  node->name, err));
  }
  if (step.kernel != NULL && b->missing_count == 0 &&
      berth_twins_seek(&b->twins, &step)) {
    return twin_or_step(b, &step, &choice, slots, err);
  }
  BERTH_TRY(output_slots(b, &step, &choice, slots, err));
  if (step.kernel == NULL || b->missing_count > 0) return BERTH_OK;
  for (int i = 0; i < node->input_count; ++i) {
    if (slots[i] >= 0) continue;
    int space = input_space(b, &step, &choice, i, BERTH_HOST_SPACE);
    BERTH_TRY(back_note(b, node, i, space, err));
  }
  return berth_builder_settle_or_step(b, &step, slots, err);
}

// Adds what stands in a program with conditionals and loops beside the steps of
// |node|, which have just been added.
static berth_code_t flow_finish(berth_builder_t *b, const berth_node_t *node,
                                berth_error_t *err) {
  const berth_order_t *order = &b->order;
  uint8_t kind = order->kinds[node->id];
  if (b->missing_count > 0) return BERTH_OK;
  if (kind == BERTH_FLOW_NEXT) BERTH_TRY(back_close(b, node, err));
  if (kind == BERTH_FLOW_ENTER &&
      berth_node_attr_bool(node, "is_constant", false)) {
    b->program->slots[b->first_slot[node->id]].is_kept = true;
  }
  bool is_inside =
      order->loop_of[node->id] != BERTH_NO_LOOP && kind != BERTH_FLOW_EXIT;
  return is_inside ? berth_builder_fetched_in_loop(b, node, err) : BERTH_OK;
}

// Room for the slots of one node.
typedef struct slot_room {
  int32_t *slots;
  int count;
} slot_room_t;

static berth_code_t slot_room_reserve(slot_room_t *room,
                                      const berth_node_t *node,
                                      berth_error_t *err) {
  enum { FEW = 16 };
  int count = node->input_count + node->output_count;
  if (room->slots != NULL && count <= room->count) return BERTH_OK;
  if (count < FEW) count = FEW;
  int32_t *slots =
      berth_realloc(room->slots, (size_t)count, sizeof(*room->slots));
  if (slots == NULL) return berth_error_no_memory(err, "a program");
  *room = (slot_room_t){slots, count};
  return BERTH_OK;
}

// Adds |node| and what stands beside it, if it is needed.
static berth_code_t node_add_whole(berth_builder_t *b, int32_t id,
                                   slot_room_t *room, berth_error_t *err) {
  if (!b->prune.needed[id]) return BERTH_OK;
  const berth_node_t *node = berth_graph_get(b->host->graph, id);
  if (b->prune.for_order[id]) {
    node = berth_builder_waiting_node(b, node);
    if (node == NULL) return berth_error_no_memory(err, "a program");
  }
  node = berth_twins_redirect(&b->twins, node, &b->program->arena);
  if (node == NULL) return berth_error_no_memory(err, "a program");
  BERTH_TRY(slot_room_reserve(room, node, err));
  BERTH_TRY(node_add(b, node, room->slots, err));
  BERTH_TRY(updates_note(b, node, err));
  if (b->program->flow != NULL) BERTH_TRY(flow_finish(b, node, err));
  bool makes_ref =
      node->output_count > 0 && berth_dtype_is_ref(node->output_types[0]);
  return makes_ref ? berth_builder_fetched_refs(b, node, err) : BERTH_OK;
}

// Adds the mark |item|. What comes out of one loop into another is there, and
// may be fetched, behind the end of the first.
static berth_code_t mark_add(berth_builder_t *b, int32_t item,
                             berth_error_t *err) {
  const berth_order_t *order = &b->order;
  const berth_order_loop_t *loop = &order->loops[berth_order_mark_loop(item)];
  BERTH_TRY(berth_flow_mark(b->program, item, err));
  if (!berth_order_mark_is_end(item) || loop->parent == BERTH_NO_LOOP ||
      b->missing_count > 0) {
    return BERTH_OK;
  }
  for (int32_t e = loop->first_exit; e >= 0; e = order->next[e]) {
    BERTH_TRY(berth_builder_fetched_in_loop(
        b, berth_graph_get(b->host->graph, e), err));
  }
  return BERTH_OK;
}

berth_code_t berth_builder_nodes(berth_builder_t *b, int node_count,
                                 berth_error_t *err) {
  const int32_t *items = b->order.items;
  int count = items != NULL ? b->order.count : node_count;
  slot_room_t room = {0};
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    int32_t item = items != NULL ? items[i] : i;
    code = item >= 0 ? node_add_whole(b, item, &room, err)
                     : mark_add(b, item, err);
  }
  berth_free(room.slots);
  if (code == BERTH_OK && b->missing_count > 0) code = missing_error(b, err);
  return code;
}
