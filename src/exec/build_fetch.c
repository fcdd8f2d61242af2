// build_fetch.c - What is fetched: read in time, taken out of loops, brought to
// the host.
#include "base/alloc.h"
#include "exec/builder.h"
#include "exec/copy.h"
#include "exec/flow.h"

// The name under which TensorFlow reports a failing fetch.
static const char *fetch_label(berth_program_t *p, const berth_node_t *node,
                               int output, int fetch) {
  berth_str_t str = {0};
  berth_str_printf(&str, "_retval_%s_%d_%d", node->name, output, fetch);
  char *label = berth_str_ok(&str)
                    ? berth_arena_strndup(&p->arena, str.text, str.size)
                    : NULL;
  berth_str_clear(&str);
  return label;
}

berth_code_t berth_builder_fetched_refs(berth_builder_t *b,
                                        const berth_node_t *node,
                                        berth_error_t *err) {
  berth_program_t *p = b->program;
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    berth_out_t out = p->signature.fetches[i];
    if (out.node != node->id || !berth_builder_is_ref(b, out) ||
        p->fetch_slots[i] >= 0) {
      continue;
    }
    const char *label = fetch_label(p, node, out.index, i);
    if (label == NULL) return berth_error_no_memory(err, "a program");
    BERTH_TRY(
        berth_builder_deref(b, out, label, NULL, &p->fetch_slots[i], err));
  }
  return BERTH_OK;
}

berth_code_t berth_builder_fetched_in_loop(berth_builder_t *b,
                                           const berth_node_t *node,
                                           berth_error_t *err) {
  berth_program_t *p = b->program;
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    berth_out_t out = p->signature.fetches[i];
    if (out.node != node->id) continue;
    int spot = berth_flow_fetch_place(p, i);
    const char *label = fetch_label(p, node, out.index, spot);
    if (label == NULL) return berth_error_no_memory(err, "a program");
    int32_t slots[2] = {berth_builder_slot_of(b, out), -1};
    if (berth_builder_is_ref(b, out))
      BERTH_TRY(berth_builder_deref(b, out, label, NULL, slots, err));
    berth_slot_t from = p->slots[slots[0]];
    berth_step_t step;
    if (!berth_flow_retval_step(label, from.dtype, &p->arena, &step)) {
      return berth_error_no_memory(err, "a program");
    }
    BERTH_TRY(berth_builder_slot(b, from.dtype, from.space, &slots[1], err));
    BERTH_TRY(berth_builder_step(b, step, slots, err));
    berth_flow_step_t *info = &p->flow->steps[p->step_count - 1];
    info->kind = BERTH_FLOW_RETVAL;
    info->fetch = spot;
    p->fetch_slots[i] = slots[1];
  }
  return BERTH_OK;
}

berth_code_t berth_builder_fetches_init(berth_program_t *p,
                                        berth_error_t *err) {
  size_t count = (size_t)p->signature.fetch_count + 1;
  p->fetch_slots =
      berth_arena_alloc(&p->arena, count * sizeof(*p->fetch_slots));
  if (p->fetch_slots == NULL) return berth_error_no_memory(err, "a program");
  memset(p->fetch_slots, 0xff, count * sizeof(*p->fetch_slots));
  return BERTH_OK;
}

// Reads the variable behind fetch |index| again, after all updates, if there
// were any since it was read.
static berth_code_t fetch_renew(berth_builder_t *b, int index,
                                berth_error_t *err) {
  berth_program_t *p = b->program;
  berth_out_t out = p->signature.fetches[index];
  // What a partial run hands out cannot wait for what is fed later.
  if (p->signature.is_partial || !berth_builder_is_outdated(b, out)) {
    return BERTH_OK;
  }
  const berth_node_t *node = berth_graph_get(b->host->graph, out.node);
  const char *label = fetch_label(p, node, out.index, index);
  berth_node_t last = {.name = label,
                       .controls = berth_arena_memdup(
                           &p->arena, b->updaters,
                           (size_t)b->updater_count * sizeof(*b->updaters)),
                       .control_count = b->updater_count};
  if (label == NULL || last.controls == NULL) {
    return berth_error_no_memory(err, "a program");
  }
  return berth_builder_renew(b, out, label, &last, &p->fetch_slots[index], err);
}

berth_code_t berth_builder_fetches(berth_builder_t *b, berth_error_t *err) {
  berth_program_t *p = b->program;
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    berth_out_t out = p->signature.fetches[i];
    const berth_node_t *node = berth_graph_get(b->host->graph, out.node);
    if (p->fetch_slots[i] < 0)
      p->fetch_slots[i] = berth_builder_slot_of(b, out);
    BERTH_TRY(fetch_renew(b, i, err));
    int space = p->signature.is_call ? p->slots[p->fetch_slots[i]].space
                                     : BERTH_HOST_SPACE;
    BERTH_TRY(
        berth_builder_bring(b, &p->fetch_slots[i], space, node->name, err));
    p->slots[p->fetch_slots[i]].is_kept = true;
  }
  return BERTH_OK;
}
