// chain_order.c - The order of steps in a chain with several outputs.
//
// Functions in a row, each of the result of the one before, are one loop. Where
// a fusion has several outputs, the steps of one may stand between those of
// another: they are taken apart here. The last step stays the last.
#include "cpu/ops/chain_internal.h"

enum { MOST_STEPS = 64 };

typedef struct order {
  const berth_fusion_t *fusion;
  int32_t place[MOST_STEPS];  // By step: where it stands now; -1: nowhere yet.
  int32_t at[MOST_STEPS];     // By place: the step.
  int count;
} order_t;

// True when what step |s| reads is there.
static bool is_ready(const order_t *order, int s) {
  const berth_fused_t *step = &order->fusion->steps[s];
  for (int i = 0; i < step->input_count; ++i) {
    if (step->inputs[i] < 0 && order->place[~step->inputs[i]] < 0) return false;
  }
  return order->place[s] < 0;
}

static bool reads(const berth_fused_t *step, int32_t made_by) {
  for (int i = 0; i < step->input_count; ++i) {
    if (step->inputs[i] == ~made_by) return true;
  }
  return false;
}

// Returns the next step: one that goes on with what was made last, or else the
// first that is ready.
static int next_step(const order_t *order) {
  int last = order->fusion->step_count - 1, first = -1;
  for (int s = 0; s < last; ++s) {
    if (!is_ready(order, s)) continue;
    if (order->count > 0 &&
        reads(&order->fusion->steps[s], order->at[order->count - 1])) {
      return s;
    }
    if (first < 0) first = s;
  }
  return first >= 0 ? first : last;
}

// Copies the steps in their order into |steps|; false when memory is short.
static bool steps_copy(const order_t *order, berth_arena_t *arena,
                       berth_fused_t *steps) {
  for (int p = 0; p < order->count; ++p) {
    const berth_fused_t *from = &order->fusion->steps[order->at[p]];
    int32_t *inputs = berth_arena_memdup(
        arena, from->inputs, (size_t)from->input_count * sizeof(*inputs));
    if (inputs == NULL) return false;
    for (int i = 0; i < from->input_count; ++i) {
      if (inputs[i] < 0) inputs[i] = ~order->place[~inputs[i]];
    }
    steps[p] = *from;
    steps[p].inputs = inputs;
  }
  return true;
}

berth_code_t berth_chain_order(const berth_fusion_t *fusion,
                               berth_arena_t *arena, berth_fusion_t *out,
                               berth_error_t *err) {
  order_t order = {.fusion = fusion};
  if (fusion->step_count > MOST_STEPS) return BERTH_UNIMPLEMENTED;
  for (int s = 0; s < fusion->step_count; ++s) order.place[s] = -1;
  while (order.count < fusion->step_count) {
    int s = next_step(&order);
    order.place[s] = order.count;
    order.at[order.count++] = s;
  }
  size_t count = (size_t)fusion->step_count;
  berth_fused_t *steps = berth_arena_alloc(arena, count * sizeof(*steps));
  if (steps == NULL || !steps_copy(&order, arena, steps)) {
    return berth_error_no_memory(err, "a plan");
  }
  *out = *fusion;
  out->steps = steps;
  return BERTH_OK;
}
