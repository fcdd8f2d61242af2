// check_fan.c - Whether the fans of a layout are what they must be.
#include "base/alloc.h"
#include "exec/check.h"
#include "exec/fan.h"

static const char *shape_check(const berth_layout_t *layout,
                               const berth_fan_t *fan) {
  const berth_program_t *p = layout->program;
  BERTH_CHECK_THAT(
      fan->begin >= 0 && fan->begin < fan->end && fan->end <= p->step_count,
      "a fan is outside of its program");
  BERTH_CHECK_THAT(layout->hot[fan->begin].how == BERTH_HOT_FAN,
                   "a step does not know that it begins a fan");
  BERTH_CHECK_THAT(fan->part_count >= 2, "a fan has no parts");
  int32_t at = fan->begin;
  for (int i = 0; i < fan->part_count; ++i) {
    const berth_part_t *part = &fan->parts[i];
    BERTH_CHECK_THAT(part->begin == at && part->end > at,
                     "the parts of a fan do not follow each other");
    at = part->end;
    BERTH_CHECK_THAT(part->scratch_offset + part->scratch_size <=
                         layout->needs[0].scratch_offset,
                     "a part's scratch space reaches behind all values");
  }
  BERTH_CHECK_THAT(at == fan->end, "the parts of a fan are not all of it");
  return NULL;
}

// Checks step |s|, which is in a part of a fan, or is done before all parts: a
// part only computes values (I5).
static const char *step_check(const berth_layout_t *layout, int32_t s,
                              bool is_first) {
  const berth_program_t *p = layout->program;
  const berth_step_t *step = &p->steps[s];
  uint8_t how = layout->hot[s].how;
  BERTH_CHECK_THAT(is_first == (how == BERTH_HOT_FAN),
                   "a fan begins inside another");
  BERTH_CHECK_THAT(step->on_host, "a part of a fan works on a device");
  if (!berth_fan_leads(layout, s)) {
    BERTH_CHECK_THAT(
        how == BERTH_HOT_PLAIN || how == BERTH_HOT_SKIP || how == BERTH_HOT_FAN,
        "a step of a part makes tensors, or is late");
    BERTH_CHECK_THAT(berth_step_is_pure(step),
                     "a step of a part does more than compute");
    return NULL;
  }
  BERTH_CHECK_THAT(step->reads && step->node->control_count == 0,
                   "what is done before all parts does more than read");
  for (int i = 0; i < step->input_count; ++i) {
    int32_t slot = p->args[step->first_arg + i];
    BERTH_CHECK_THAT(layout->spots[slot].storage == BERTH_STORE_SETTLED,
                     "what is done before all parts needs some of them");
  }
  return NULL;
}

// Checks that step |s| needs nothing of another part. |part| is by step: its
// part and fan, or 0.
static const char *needs_check(const berth_layout_t *layout, int32_t s,
                               const int32_t *part, const int32_t *node_step) {
  const berth_program_t *p = layout->program;
  const berth_step_t *step = &p->steps[s];
  for (int i = 0; i < step->input_count; ++i) {
    const berth_spot_t *spot = &layout->spots[p->args[step->first_arg + i]];
    int32_t maker = p->slots[spot->root].producer;
    bool is_there = maker < 0 || spot->storage == BERTH_STORE_SETTLED;
    BERTH_CHECK_THAT(is_there || part[maker] == part[s] || part[maker] == 0,
                     "a part of a fan needs another");
  }
  for (int i = 0; i < step->node->control_count; ++i) {
    int32_t before = node_step[step->node->controls[i]];
    BERTH_CHECK_THAT(before < 0 || part[before] == part[s] || part[before] == 0,
                     "a part of a fan comes after another");
  }
  return NULL;
}

// As berth_fans_check(), with memory for what is by step and by node.
static const char *fan_check(const berth_layout_t *layout,
                             const berth_fan_t *fan, int32_t *part,
                             const int32_t *node_step) {
  BERTH_CHECK_TRY(shape_check(layout, fan));
  for (int i = 0; i < fan->part_count; ++i) {
    for (int32_t s = fan->parts[i].begin; s < fan->parts[i].end; ++s) {
      BERTH_CHECK_TRY(step_check(layout, s, s == fan->begin));
      part[s] = berth_fan_leads(layout, s) ? 0 : i + 1;
    }
  }
  const char *wrong = NULL;
  for (int32_t s = fan->begin; wrong == NULL && s < fan->end; ++s) {
    if (part[s] != 0) wrong = needs_check(layout, s, part, node_step);
  }
  for (int32_t s = fan->begin; s < fan->end; ++s) part[s] = 0;
  return wrong;
}

static const char *fans_walk(const berth_layout_t *layout, int32_t *part,
                             int32_t *node_step) {
  const berth_program_t *p = layout->program;
  for (int s = 0; s < p->step_count; ++s) {
    if (p->steps[s].node->id >= 0) node_step[p->steps[s].node->id] = s;
  }
  int begun = 0;
  for (int s = 0; s < p->step_count; ++s) {
    begun += layout->hot[s].how == BERTH_HOT_FAN;
  }
  BERTH_CHECK_THAT(begun == layout->fan_count, "a step begins no fan");
  int32_t end = 0;
  for (int f = 0; f < layout->fan_count; ++f) {
    const berth_fan_t *fan = &layout->fans[f];
    BERTH_CHECK_THAT(fan->begin >= end, "fans are not in order");
    end = fan->end;
    BERTH_CHECK_TRY(fan_check(layout, fan, part, node_step));
  }
  for (int t = 0; t < p->segment_count; ++t) {
    for (int f = 0; f < layout->fan_count; ++f) {
      bool is_cut = layout->fans[f].begin < p->segments[t].begin &&
                    layout->fans[f].end > p->segments[t].begin;
      BERTH_CHECK_THAT(!is_cut, "a fan is in two segments");
    }
  }
  return NULL;
}

const char *berth_fans_check(const berth_layout_t *layout) {
  const berth_program_t *p = layout->program;
  BERTH_CHECK_THAT(layout->fan_count == 0 || !p->uses_devices,
                   "a fan is where there are devices");
  // Asked for once: others may be adding nodes.
  int nodes = berth_graph_node_count(p->host->graph);
  int32_t *part = berth_calloc((size_t)p->step_count + 1, sizeof(*part));
  int32_t *node_step = berth_calloc((size_t)nodes + 1, sizeof(*node_step));
  const char *wrong = NULL;
  if (part != NULL && node_step != NULL) {
    for (int i = 0; i < nodes; ++i) node_step[i] = -1;
    wrong = fans_walk(layout, part, node_step);
  }
  berth_free(part);
  berth_free(node_step);
  return wrong;
}
