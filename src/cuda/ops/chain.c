// chain.c - Element-wise steps on a card that are done as one.
#include "cuda/ops/chain.h"

#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/log.h"
#include "cuda/code/launch.h"
#include "cuda/code/terms.h"
#include "cuda/code/text.h"
#include "cuda/ops/chain_params.h"
#include "cuda/ops/chain_text.h"
#include "cuda/ops/elementwise.h"

// Kernels are told what terms say.
_Static_assert((int)BERTH_CHAIN_NONE == (int)BERTH_REACH_NONE &&
                   (int)BERTH_CHAIN_ONE == (int)BERTH_REACH_ONE &&
                   (int)BERTH_CHAIN_ALL == (int)BERTH_REACH_ALL &&
                   (int)BERTH_CHAIN_ROW == (int)BERTH_REACH_ROW,
               "they mean the same");

// Which kernel that goes through lists has a function.
enum { IN_NONE, IN_BRIEF, IN_CURVES };

// How many steps a function counts for: what is written of it is as long as so
// many additions.
enum { BRIEF_WEIGHT = 1, CURVE_WEIGHT = 6, ERROR_WEIGHT = 12 };

// A term of a card.
typedef struct term {
  berth_term_t term;   // First.
  const char *name;    // In texts.
  berth_dtype_t from;  // Of all inputs.
  berth_dtype_t to;
  double parameter;
  berth_chain_step_t step;
  uint8_t kernel;                            // IN_*.
  uint8_t reach[BERTH_CHAIN_TEXT_OPERANDS];  // By input.
  uint8_t left;  // Which input is the left one of a function of two.
  const berth_head_t *head;  // Of a head that finishes its output.
} term_t;

typedef struct plan {
  int kernel;
  int32_t input_count;
  berth_chain_params_t params;  // All but addresses and the granule.
} plan_t;

// A group whose kernel is written.
typedef struct text_plan {
  berth_cuda_text_t *text;
  int32_t input_count;
  uint64_t count;
  uint64_t row;  // 0: there are none.
  size_t out_size;
  berth_divider_t divider;
  uint8_t sizes[BERTH_CHAIN_TEXT_INPUTS];  // Of elements; 0: a single number.
} text_plan_t;

// ---- Running lists ----

enum { MAX_GRANULE = 16 };

static berth_code_t run_chain(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  berth_chain_params_t params = plan->params;
  const size_t size = sizeof(float);
  params.out = args[plan->input_count];
  for (int32_t i = 0; i < plan->input_count; ++i) params.in[i] = args[i];
  uint32_t granule = berth_granule_at(params.granule, params.out, size);
  granule = berth_granule_at(granule, params.in[params.x], size);
  for (uint32_t s = 0; s < params.step_count; ++s) {
    const berth_chain_step_t *step = &params.steps[s];
    if (step->reach < BERTH_CHAIN_ALL) continue;
    granule = berth_granule_at(granule, params.in[step->input], size);
  }
  params.granule = granule;
  // A thread takes several packs: what choosing functions costs is shared.
  uint64_t each = granule >= 4 ? BERTH_CHAIN_PACKS * 4 : BERTH_CHAIN_SINGLES;
  return berth_cuda_launch(call, plan->kernel, (params.count + each - 1) / each,
                           &params, sizeof(params));
}

// ---- Running texts ----

enum { IS_WIDE, IS_NARROW };  // As names are handed to berth_cuda_text_get().

// Fewer elements, with some left over, are done one by one: a second launch
// takes longer.
enum { FEW = 4096 };

static bool is_wide(const text_plan_t *plan, void *const *args) {
  if (plan->row % BERTH_CHAIN_WIDTH != 0 ||
      (plan->count <= FEW && plan->count % BERTH_CHAIN_WIDTH != 0)) {
    return false;
  }
  uintptr_t bits =
      (uintptr_t)args[plan->input_count] % (BERTH_CHAIN_WIDTH * plan->out_size);
  for (int32_t i = 0; i < plan->input_count; ++i) {
    if (plan->sizes[i] == 0) continue;
    bits |=
        (uintptr_t)args[i] % ((uintptr_t)BERTH_CHAIN_WIDTH * plan->sizes[i]);
  }
  return bits == 0;
}

static berth_code_t launch_text(const text_plan_t *plan, int kernel,
                                berth_chain_text_params_t *params,
                                berth_call_t *call) {
  const uint64_t sets = BERTH_CHAIN_TEXT_SETS;
  return berth_cuda_text_launch(call, plan->text, kernel,
                                (params->count + sets - 1) / sets, params,
                                offsetof(berth_chain_text_params_t, in) +
                                    (size_t)plan->input_count * sizeof(void *));
}

static berth_code_t run_text(const void *arg, void *const *args,
                             berth_call_t *call) {
  const text_plan_t *plan = arg;
  uint64_t packs = is_wide(plan, args) ? plan->count / BERTH_CHAIN_WIDTH : 0;
  berth_chain_text_params_t params = {
      .out = args[plan->input_count], .count = packs, .row = plan->divider};
  for (int32_t i = 0; i < plan->input_count; ++i) params.in[i] = args[i];
  if (packs > 0) BERTH_TRY(launch_text(plan, IS_WIDE, &params, call));
  params.first = packs * BERTH_CHAIN_WIDTH;
  params.count = plan->count - params.first;
  if (params.count == 0) return BERTH_OK;
  return launch_text(plan, IS_NARROW, &params, call);
}

// ---- Planning lists ----

static const term_t *term_of(const berth_fusion_t *fusion, int step) {
  return (const term_t *)fusion->steps[step].term;
}

// Adds step |s| to |plan|; false when it is no function of what the step before
// it has made and one other number.
static bool step_add(plan_t *plan, const berth_fusion_t *fusion, int s) {
  const berth_fused_t *step = &fusion->steps[s];
  const term_t *term = term_of(fusion, s);
  berth_chain_step_t *to = &plan->params.steps[s];
  int x = -1;
  if (term->kernel == IN_NONE || term->from != BERTH_FLOAT) return false;
  for (int i = 0; i < step->input_count; ++i) {
    int32_t from = step->inputs[i];
    bool is_element = s == 0 ? from >= 0 && term->reach[i] == BERTH_CHAIN_ALL
                             : from == ~(s - 1);
    if (is_element && x < 0) {
      x = i;
    } else if (from < 0) {
      return false;
    }
  }
  if (x < 0) return false;
  if (s == 0) plan->params.x = (uint32_t)step->inputs[x];
  *to = term->step;
  if (step->input_count == 1) return true;
  to->reach = term->reach[1 - x];
  to->input = (uint8_t)step->inputs[1 - x];
  to->is_of = x != term->left;
  return true;
}

// Fills |plan| but for its kernel; false when the group is no chain. Stores which
// kernel has all functions.
static bool list_make(plan_t *plan, const berth_fusion_t *fusion,
                      int *out_kernel) {
  int64_t row = 0;
  *out_kernel = IN_BRIEF;
  for (int s = 0; s < fusion->step_count; ++s) {
    const term_t *term = term_of(fusion, s);
    if (!step_add(plan, fusion, s)) return false;
    if (term->kernel > *out_kernel) *out_kernel = term->kernel;
    if (term->term.row > 0) row = term->term.row;
  }
  plan->input_count = fusion->input_count;
  plan->params.count = (uint64_t)fusion->steps[0].term->count;
  plan->params.step_count = (uint32_t)fusion->step_count;
  plan->params.granule = MAX_GRANULE;
  if (row > 0) {
    plan->params.row = berth_divider((uint64_t)row);
    plan->params.granule = row % 4 == 0 ? 4 : 1;
  }
  return true;
}

static berth_code_t list_fuse(const berth_fusion_t *fusion,
                              berth_prepare_t *prepare, berth_error_t *err) {
  int kernel = IN_NONE;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  if (!list_make(plan, fusion, &kernel)) return BERTH_UNIMPLEMENTED;
  plan->kernel =
      kernel == IN_CURVES
          ? berth_cuda_kernel("chain_curve_f32", "berth_chain_curve_f32")
          : berth_cuda_kernel("chain_f32", "berth_chain_f32");
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  prepare->run = run_chain;
  return BERTH_OK;
}

// ---- Planning texts ----

// What a group is written of.
typedef struct draft {
  berth_chain_text_step_t steps[BERTH_CHAIN_TEXT_STEPS];
  uint8_t reach[BERTH_CHAIN_TEXT_INPUTS];
  berth_dtype_t dtypes[BERTH_CHAIN_TEXT_INPUTS];
  int64_t row;
} draft_t;

static void draft_make(draft_t *draft, const berth_fusion_t *fusion) {
  for (int s = 0; s < fusion->step_count; ++s) {
    const berth_fused_t *step = &fusion->steps[s];
    const term_t *term = term_of(fusion, s);
    draft->steps[s] =
        (berth_chain_text_step_t){.name = term->name,
                                  .dtype = term->to,
                                  .input_count = step->input_count,
                                  .parameter = term->parameter};
    for (int i = 0; i < step->input_count; ++i) {
      int at = step->input_count == 2 && term->left == 1 ? 1 - i : i;
      draft->steps[s].inputs[at] = step->inputs[i];
      if (step->inputs[i] < 0) continue;
      draft->reach[step->inputs[i]] = term->reach[i];
      draft->dtypes[step->inputs[i]] = term->from;
    }
    if (term->term.row > 0) draft->row = term->term.row;
  }
}

// Writes the kernels of |draft| for the card of |device|, and has them loaded.
static berth_code_t text_make(const draft_t *draft,
                              const berth_fusion_t *fusion,
                              berth_device_t *device,
                              berth_cuda_text_t **out_text,
                              berth_error_t *err) {
  static const char *const names[] = {BERTH_CHAIN_WIDE, BERTH_CHAIN_NARROW};
  berth_chain_text_t chain = {.steps = draft->steps,
                              .step_count = fusion->step_count,
                              .input_count = fusion->input_count,
                              .reach = draft->reach,
                              .dtypes = draft->dtypes,
                              .cc_major = berth_cuda_cc_major(device)};
  for (int s = 0; s < fusion->step_count; ++s) {
    int type = berth_chain_text_type(draft->steps[s].dtype);
    BERTH_TRY(berth_cuda_terms(type, &chain.terms[type], err));
  }
  berth_str_t text = {0};
  berth_code_t code = BERTH_UNIMPLEMENTED;
  if (berth_chain_text_write(&chain, &text)) {
    code = berth_cuda_text_get(device, berth_str_get(&text), names,
                               BERTH_COUNT_OF(names), out_text, err);
  }
  berth_str_clear(&text);
  return code;
}

static berth_code_t text_fuse(const berth_fusion_t *fusion,
                              berth_prepare_t *prepare, berth_error_t *err) {
  draft_t *draft = berth_calloc(1, sizeof(*draft));
  text_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  berth_code_t code = draft != NULL && plan != NULL
                          ? BERTH_OK
                          : berth_error_no_memory(err, "a plan");
  if (code == BERTH_OK) {
    draft_make(draft, fusion);
    code = text_make(draft, fusion, prepare->device, &plan->text, err);
  }
  if (code == BERTH_OK &&
      !berth_prepare_own(prepare, plan->text, berth_cuda_text_drop)) {
    code = berth_error_no_memory(err, "a plan");
  }
  if (code == BERTH_OK) {
    const term_t *last = term_of(fusion, fusion->step_count - 1);
    plan->input_count = fusion->input_count;
    plan->count = (uint64_t)last->term.count;
    plan->row = (uint64_t)draft->row;
    if (plan->row > 0) plan->divider = berth_divider(plan->row);
    plan->out_size = berth_dtype_size(last->to);
    for (int i = 0; i < fusion->input_count; ++i) {
      if (draft->reach[i] == BERTH_REACH_ONE) continue;
      plan->sizes[i] = (uint8_t)berth_dtype_size(draft->dtypes[i]);
    }
    prepare->run = run_text;
  }
  berth_free(draft);
  return code;
}

// ---- Planning ----

// Compiling takes some ten milliseconds, and what it wins over a list is a third
// of a microsecond for each function, or most of the time of many elements; over
// single steps it wins a launch for each, and reading and writing.
static bool text_pays(const berth_fusion_t *fusion, bool is_list) {
  int64_t wanted = berth_env_int("BERTH_CUDA_TEXT", -1);
  int64_t steps = fusion->step_count,
          work = steps * fusion->steps[0].term->count;
  if (wanted >= 0) return wanted > 0;
  return is_list ? steps >= 24 || work >= 1 << 18
                 : steps >= 8 || work >= 1 << 16;
}

// Inputs as large as the output, of elements as large, may be overwritten: all
// are read before anything is written, but for those that repeat.
static uint32_t overwritable(const berth_fusion_t *fusion) {
  size_t size = berth_dtype_size(term_of(fusion, fusion->step_count - 1)->to);
  uint32_t mask = 0, others = 0;
  for (int s = 0; s < fusion->step_count; ++s) {
    const term_t *term = term_of(fusion, s);
    for (int i = 0; i < fusion->steps[s].input_count; ++i) {
      int32_t from = fusion->steps[s].inputs[i];
      if (from < 0 || from >= 32) continue;
      bool fits = term->reach[i] == BERTH_REACH_ALL &&
                  berth_dtype_size(term->from) == size;
      *(fits ? &mask : &others) |= UINT32_C(1) << from;
    }
  }
  return mask & ~others;
}

static bool is_list(const berth_fusion_t *fusion) {
  plan_t plan = {0};
  int kernel = IN_NONE;
  return list_make(&plan, fusion, &kernel);
}

// Plans a group without a head.
static berth_code_t tail_fuse(const berth_fusion_t *fusion,
                              berth_prepare_t *prepare, berth_error_t *err) {
  if (fusion->input_count > BERTH_CHAIN_INPUTS ||
      fusion->step_count > BERTH_CHAIN_STEPS) {
    return BERTH_UNIMPLEMENTED;
  }
  // One function alone has a kernel of its own.
  bool can_list = fusion->step_count > 1 && is_list(fusion);
  berth_code_t code = BERTH_UNIMPLEMENTED;
  if (text_pays(fusion, can_list)) {
    berth_error_t reason = BERTH_ERROR_INIT;
    code = text_fuse(fusion, prepare, &reason);
    if (code != BERTH_OK) {
      berth_trace("kernel", "no kernel is written for %d steps: %s",
                  fusion->step_count, berth_error_message(&reason));
    }
    berth_error_clear(&reason);
  }
  if (code != BERTH_OK && can_list) code = list_fuse(fusion, prepare, err);
  if (code != BERTH_OK) return can_list ? code : BERTH_UNIMPLEMENTED;
  for (int s = 0; s < fusion->step_count; ++s) {
    prepare->work += fusion->steps[s].work;
  }
  prepare->op.may_overwrite = overwritable(fusion);
  return BERTH_OK;
}

// ---- Heads ----

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
  void *head[HEAD_INPUTS + 2], *tail[BERTH_CHAIN_INPUTS + 1];
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
  const term_t *term = term_of(fusion, s);
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
  return (berth_fusion_t){steps, count, fusion->input_count + 1};
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
                          head_plan_t *plan, taken_t *taken) {
  const term_t *term = term_of(fusion, head);
  taken_t all = *taken;
  size_t room = 0;
  finish_find(fusion, &plan->finish, &all);
  int64_t row = row_of(fusion);
  if (term->head != NULL && all.last != head) {
    room = term->head->room(plan->head.plan, row);
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
  size_t room = head_finish(fusion, head, plan, &taken);
  berth_fusion_t tail = tail_of(fusion, &taken, steps, inputs);
  if (tail.step_count > 0) {
    BERTH_TRY(tail_fuse(&tail, prepare, err));
    plan->run = prepare->run;
    plan->plan = prepare->plan;
  }
  prepare->run = run_head;
  prepare->plan = plan;
  prepare->scratch_size = room;
  prepare->work += made->work;
  // The head writes before the others have read.
  prepare->op.may_overwrite = 0;
  return BERTH_OK;
}

static berth_code_t fuse(const berth_fusion_t *fusion, berth_prepare_t *prepare,
                         berth_error_t *err) {
  for (int s = 0; s < fusion->step_count; ++s) {
    if (fusion->steps[s].term->begins) {
      return head_fuse(fusion, s, prepare, err);
    }
  }
  return tail_fuse(fusion, prepare, err);
}

// ---- Terms ----

// Adds |made|, whose weight is that of floats.
static void term_add(berth_prepare_t *prepare, const term_t *made) {
  if (made->term.count == 0) return;
  term_t *term = berth_arena_memdup(prepare->op.arena, made, sizeof(*made));
  if (term == NULL) return;
  // Half floats are rounded in between.
  if (made->to != BERTH_FLOAT) {
    term->term.weight = (uint8_t)(made->term.weight + 2);
  }
  term->term.fuse = fuse;
  term->term.most_inputs = BERTH_CHAIN_INPUTS;
  prepare->term = &term->term;
}

// What a function is, on cards.
typedef struct function {
  const char *name;  // NULL: no term.
  uint8_t kernel, weight;
} function_t;

void berth_chain_term_unary(berth_prepare_t *prepare,
                            const berth_unary_t *unary) {
  enum { HOST, EVERY, BOTH, WIDE, INDEX, NOT_BF16 };
  enum { BRIEF, QUESTION, CURVE, ERROR, ANGLE, LONG };
  enum {
#define UNARY(NAME, name, ...) at_##name = BERTH_UNARY_##NAME,
#include "op/unary_list.inc"
  };
  static const function_t functions[BERTH_UNARY_COUNT] = {
#define UNARY_REAL(where, kind, name, expr)                                  \
  [at_##name] = {                                                            \
      where == HOST || kind == QUESTION || kind > ERROR ? NULL : "u_" #name, \
      kind == BRIEF ? IN_BRIEF : IN_CURVES,                                  \
      kind == BRIEF   ? BRIEF_WEIGHT                                         \
      : kind == CURVE ? CURVE_WEIGHT                                         \
                      : ERROR_WEIGHT},
#include "op/unary_list.inc"
  };
  const function_t *function = &functions[unary->function];
  if (function->name == NULL || unary->input != unary->output ||
      berth_chain_text_type(unary->input) < 0) {
    return;
  }
  term_t made = {
      .term = {.count = unary->count, .carried = 1, .weight = function->weight},
      .name = function->name,
      .from = unary->input,
      .to = unary->output,
      .parameter = unary->parameter,
      .step = {.code = (uint8_t)unary->function,
               .parameter = (float)unary->parameter},
      .kernel = function->kernel,
      .reach = {BERTH_CHAIN_ALL}};
  term_add(prepare, &made);
}

void berth_chain_term_cast(berth_prepare_t *prepare,
                           const berth_unary_t *cast) {
  // A parameter says that numbers are cut off.
  if (cast->parameter != 0 || berth_chain_text_type(cast->input) < 0 ||
      berth_chain_text_type(cast->output) < 0) {
    return;
  }
  term_t made = {
      .term = {.count = cast->count, .carried = 1, .weight = BRIEF_WEIGHT},
      .name = "u_cast",
      .from = cast->input,
      .to = cast->output,
      .kernel = IN_NONE,
      .reach = {BERTH_CHAIN_ALL}};
  term_add(prepare, &made);
}

void berth_chain_term_binary(berth_prepare_t *prepare, berth_binary_op_t op,
                             bool swap, const berth_broadcast_t *broadcast) {
  enum { HOST, EVERY, BOTH, WIDE, INDEX, NOT_BF16, DEVICE };
  enum { COMMON, COMPARE, BRIEF, CURVE, SLOPE, LONG };
  enum {
#define BINARY(NAME, name, ...) at_##name = BERTH_BINARY_##NAME,
#include "op/binary_list.inc"
  };
  static const function_t functions[BERTH_BINARY_COUNT] = {
#define BINARY_REAL(where, kind, order, name, expr)                         \
  [at_##name] = {                                                           \
      where == HOST || kind == COMPARE || kind > CURVE ? NULL : "b_" #name, \
      kind == CURVE ? IN_CURVES : IN_BRIEF,                                 \
      kind == CURVE ? CURVE_WEIGHT : BRIEF_WEIGHT},
#include "op/binary_list.inc"
  };
  const function_t *function = &functions[op];
  const berth_case_input_t *inputs = prepare->op.inputs;
  if (function->name == NULL || berth_chain_text_type(inputs[0].dtype) < 0) {
    return;
  }
  term_t made = {.term = {.count = berth_dims_count(
                              berth_case_output_dims(&prepare->op, 0)),
                          .weight = function->weight},
                 .name = function->name,
                 .from = inputs[0].dtype,
                 .to = inputs[0].dtype,
                 .step = {.code = (uint8_t)op},
                 .kernel = function->kernel,
                 .left = swap};
  for (int i = 0; i < 2; ++i) {
    made.reach[i] =
        (uint8_t)berth_term_reach(&made.term, &inputs[i], broadcast, i);
    if (made.reach[i] == BERTH_REACH_NONE) return;
  }
  // Rows are found by dividing numbers of 32 bits.
  if (made.term.row > 0 && made.term.count >= (int64_t)BERTH_DIVIDE_LIMIT) {
    return;
  }
  term_add(prepare, &made);
}

void berth_chain_term_norm(berth_prepare_t *prepare,
                           const berth_batch_norm_t *norm) {
  int64_t count = norm->outer * norm->channels;
  if (norm->is_training || norm->dtype != BERTH_FLOAT || norm->inner != 1 ||
      count >= (int64_t)BERTH_DIVIDE_LIMIT) {
    return;
  }
  term_t made = {.term = {.count = count,
                          .row = norm->channels,
                          .carried = 1,
                          .weight = CURVE_WEIGHT},
                 .name = "n_norm",
                 .from = BERTH_FLOAT,
                 .to = BERTH_FLOAT,
                 .parameter = (double)norm->epsilon,
                 .kernel = IN_NONE,
                 .reach = {BERTH_CHAIN_ALL, BERTH_CHAIN_ROW, BERTH_CHAIN_ROW,
                           BERTH_CHAIN_ROW, BERTH_CHAIN_ROW}};
  term_add(prepare, &made);
}

void berth_chain_term_head(berth_prepare_t *prepare, berth_dtype_t dtype,
                           const berth_head_t *head) {
  if (berth_chain_text_type(dtype) < 0) return;
  term_t made = {.term = {.count = berth_dims_count(
                              berth_case_output_dims(&prepare->op, 0)),
                          .begins = true,
                          .weight = BRIEF_WEIGHT},
                 .from = dtype,
                 .to = dtype,
                 .kernel = IN_NONE,
                 .head = head};
  term_add(prepare, &made);
}
