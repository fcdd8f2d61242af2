// chain_head.c - Groups that begin with a product or a convolution.
//
// The head writes the output. What it can do to that at once, it does
// (berth_head_t); the rest of the group is a chain over the output, in place.
#include <string.h>

#include "cuda/ops/chain_internal.h"

enum { HEAD_INPUTS = 3 };

// A head, and what is done to its output in place: the tail's last input is the
// output.
typedef struct head_plan {
  berth_fused_t head;
  int32_t inputs[HEAD_INPUTS];
  int32_t input_count;           // Of the group.
  const berth_head_t *finisher;  // NULL: the output is not finished by it.
  berth_finish_t finish;
  berth_run_fn run;  // Of the tail; NULL: there is none.
  const void *plan;
} head_plan_t;

static berth_code_t run_head(const void *arg, void *const *args,
                             berth_call_t *call) {
  const head_plan_t *plan = arg;
  int32_t count = plan->input_count, own = plan->head.input_count;
  void *head[HEAD_INPUTS + 2], *tail[BERTH_CHAIN_INPUTS + 2];
  for (int32_t i = 0; i < own; ++i) head[i] = args[plan->inputs[i]];
  head[own] = args[count];
  head[own + 1] = args[count + 1];
  if (plan->finisher != NULL) {
    BERTH_TRY(
        plan->finisher->run(plan->head.plan, &plan->finish, head, args, call));
  } else {
    BERTH_TRY(plan->head.run(plan->head.plan, head, call));
  }
  if (plan->run == NULL) return BERTH_OK;
  memcpy(tail, args, (size_t)count * sizeof(*tail));
  tail[count] = tail[count + 1] = args[count];
  tail[count + 2] = args[count + 1];
  return plan->run(plan->plan, tail, call);
}

// Which steps of a group are done with its head.
typedef struct taken {
  bool is[BERTH_CHAIN_STEPS];
  int last;  // The step whose result the head writes.
} taken_t;

// Returns the step that alone reads what step |s| makes, once, or -1.
static int reader_of(const berth_fusion_t *fusion, int s) {
  int reader = -1;
  for (int t = 0; t < fusion->step_count; ++t) {
    for (int i = 0; i < fusion->steps[t].input_count; ++i) {
      if (fusion->steps[t].inputs[i] != ~s) continue;
      if (reader >= 0) return -1;
      reader = t;
    }
  }
  return reader;
}

// How far a finish has come.
enum { AT_HEAD, AT_BIAS, AT_NORM, AT_ADDED, AT_RELU };

// Makes step |s|, which reads the result of step |from|, part of |finish|;
// returns how far that has come, or -1: it cannot be.
static int finish_add(const berth_fusion_t *fusion, int s, int from, int stage,
                      berth_finish_t *finish) {
  const berth_fused_t *step = &fusion->steps[s];
  const berth_gpu_term_t *term = berth_gpu_term(fusion, s);
  bool is_sum = term->name != NULL && strcmp(term->name, "b_add") == 0;
  int other = is_sum && step->inputs[0] == ~from ? 1 : 0;
  if (term->to != BERTH_FLOAT || term->name == NULL) return -1;
  if (is_sum && step->inputs[other] >= 0) {
    int reach = term->reach[other];
    if (reach == BERTH_REACH_ROW && stage < AT_BIAS) {
      finish->bias = step->inputs[other];
      return AT_BIAS;
    }
    if (reach != BERTH_REACH_ALL || stage >= AT_ADDED) return -1;
    finish->added = step->inputs[other];
    return AT_ADDED;
  }
  if (strcmp(term->name, "n_norm") == 0 && stage < AT_NORM &&
      step->inputs[1] >= 0 && step->inputs[2] >= 0 && step->inputs[3] >= 0 &&
      step->inputs[4] >= 0) {
    finish->scale = step->inputs[1];
    finish->offset = step->inputs[2];
    finish->mean = step->inputs[3];
    finish->variance = step->inputs[4];
    finish->epsilon = (float)term->parameter;
    return AT_NORM;
  }
  if (strcmp(term->name, "u_relu") != 0 || stage >= AT_RELU) return -1;
  finish->is_relu = true;
  return AT_RELU;
}

// Finds what a head does to its output at once: what follows the last that is
// |taken|.
static void finish_find(const berth_fusion_t *fusion, berth_finish_t *finish,
                        taken_t *taken) {
  *finish = (berth_finish_t){.bias = -1,
                             .scale = -1,
                             .offset = -1,
                             .mean = -1,
                             .variance = -1,
                             .added = -1};
  int stage = AT_HEAD;
  while (stage >= 0) {
    int next = reader_of(fusion, taken->last);
    stage =
        next < 0 ? -1 : finish_add(fusion, next, taken->last, stage, finish);
    if (stage < 0) return;
    taken->is[next] = true;
    taken->last = next;
  }
}

// Describes in |steps| and |inputs| the steps of |fusion| that are not |taken|.
static berth_fusion_t tail_of(const berth_fusion_t *fusion,
                              const taken_t *taken, berth_fused_t *steps,
                              int32_t *inputs) {
  int place[BERTH_CHAIN_STEPS], count = 0;
  for (int s = 0; s < fusion->step_count; ++s) {
    if (taken->is[s]) continue;
    const berth_fused_t *step = &fusion->steps[s];
    steps[count] = *step;
    steps[count].inputs = inputs;
    if (step->result >= 0) ++steps[count].result;  // Behind one input more.
    for (int i = 0; i < step->input_count; ++i) {
      int32_t from = step->inputs[i];
      if (from >= 0) {
        *inputs++ = from;
      } else {
        *inputs++ = ~from == taken->last ? fusion->input_count : ~place[~from];
      }
    }
    place[s] = count++;
  }
  return (berth_fusion_t){steps, count, fusion->input_count + 1, 1};
}

static int64_t row_of(const berth_fusion_t *fusion) {
  int64_t row = 0;
  for (int s = 0; s < fusion->step_count; ++s) {
    if (fusion->steps[s].term->row > 0) row = fusion->steps[s].term->row;
  }
  return row;
}

// Lets the head finish its output where it can; returns its scratch space.
static size_t head_finish(const berth_fusion_t *fusion, int head,
                          berth_device_t *device, head_plan_t *plan,
                          taken_t *taken) {
  const berth_gpu_term_t *term = berth_gpu_term(fusion, head);
  taken_t all = *taken;
  size_t room = 0;
  finish_find(fusion, &plan->finish, &all);
  int64_t row = row_of(fusion);
  if (term->head != NULL && all.last != head) {
    room = term->head->room(plan->head.plan, &plan->finish, row, device);
  }
  if (room == 0) return plan->head.scratch_size;
  plan->finisher = term->head;
  *taken = all;
  return room;
}

static berth_code_t head_fuse(const berth_fusion_t *fusion, int head,
                              berth_prepare_t *prepare, berth_error_t *err) {
  berth_fused_t steps[BERTH_CHAIN_STEPS];
  int32_t inputs[BERTH_CHAIN_STEPS * BERTH_CHAIN_TEXT_OPERANDS];
  const berth_fused_t *made = &fusion->steps[head];
  if (fusion->step_count > BERTH_CHAIN_STEPS ||
      fusion->input_count >= BERTH_CHAIN_INPUTS ||
      made->input_count > HEAD_INPUTS) {
    return BERTH_UNIMPLEMENTED;
  }
  head_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  taken_t taken = {.last = head};
  taken.is[head] = true;
  plan->head = *made;
  plan->input_count = fusion->input_count;
  memcpy(plan->inputs, made->inputs,
         (size_t)made->input_count * sizeof(*plan->inputs));
  size_t room = head_finish(fusion, head, prepare->device, plan, &taken);
  berth_fusion_t tail = tail_of(fusion, &taken, steps, inputs);
  if (tail.step_count > 0) {
    BERTH_TRY(berth_chain_fuse_tail(&tail, prepare, err));
    plan->run = prepare->run;
    plan->plan = prepare->plan;
  }
  prepare->run = run_head;
  prepare->plan = plan;
  // The tail comes when the head is done with it.
  if (prepare->scratch_size < room) prepare->scratch_size = room;
  prepare->work += made->work;
  // The head writes before the others have read.
  prepare->op.may_overwrite = 0;
  return BERTH_OK;
}

berth_code_t berth_chain_fuse(const berth_fusion_t *fusion,
                              berth_prepare_t *prepare, berth_error_t *err) {
  for (int s = 0; s < fusion->step_count; ++s) {
    if (fusion->steps[s].term->begins) {
      return head_fuse(fusion, s, prepare, err);
    }
  }
  return berth_chain_fuse_tail(fusion, prepare, err);
}
