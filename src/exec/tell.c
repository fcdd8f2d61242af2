// tell.c - How programs do a node, in words.
#include "exec/tell.h"

#include "exec/flow.h"
#include "exec/fuse.h"

enum {
  FEW_NAMES = 6,    // Of the nodes of a group that are named.
  MOST_PARTS = 64,  // Of a group.
};

static bool twin_tell(const berth_program_t *p, int32_t node,
                      berth_str_t *str) {
  const berth_node_t *self = berth_graph_get(p->host->graph, node);
  if ((self->op->traits & BERTH_OP_CONSTANT) != 0) return false;
  for (int i = 0; i < p->twin_count; ++i) {
    if (p->twins[i].node != node) continue;
    berth_str_printf(str, " It has no step: '%s' computes the same.",
                     berth_graph_get(p->host->graph, p->twins[i].of)->name);
    return true;
  }
  return false;
}

static void group_tell(const berth_program_t *p, const berth_group_t *group,
                       int32_t node, berth_str_t *str) {
  const berth_node_t *parts[MOST_PARTS];
  int named = 0;
  berth_str_puts(str, " It is done in one step with");
  for (int32_t i = 0; i < group->step_count; ++i) {
    parts[i] = p->steps[group->steps[i]].node;
    if (parts[i]->id == node || named == FEW_NAMES) continue;
    berth_str_printf(str, "%s '%s'", named > 0 ? "," : "", parts[i]->name);
    ++named;
  }
  if (named < group->step_count - 1) {
    berth_str_printf(str, " and %d more", (int)group->step_count - 1 - named);
  }
  berth_str_puts(str, ": ");
  berth_trace_name_print(parts, group->step_count, str);
  berth_str_putc(str, '.');
}

static bool step_tell(berth_program_t *p, int32_t node, berth_str_t *str) {
  const berth_layout_t *layout = atomic_load(&p->layouts);
  for (int s = 0; layout != NULL && s < p->step_count; ++s) {
    if (p->steps[s].node->id != node) continue;
    const berth_group_t *group = berth_group_of(layout, s);
    if (group == NULL || group->step_count > MOST_PARTS) return false;
    group_tell(p, group, node, str);
    return true;
  }
  return false;
}

bool berth_program_tell(berth_program_t *p, int32_t node, berth_str_t *str) {
  if (twin_tell(p, node, str) || step_tell(p, node, str)) return true;
  for (int i = 0; p->flow != NULL && i < p->flow->block_count; ++i) {
    if (step_tell(p->flow->blocks[i].program, node, str)) return true;
  }
  return false;
}
