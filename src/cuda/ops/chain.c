// chain.c - Element-wise steps on a card that are done as one.
#include "cuda/ops/chain_draft.h"

#include "base/alloc.h"
#include "base/env.h"
#include "base/log.h"
#include "cuda/code/launch.h"
#include "cuda/code/terms.h"
#include "cuda/code/text.h"
#include "cuda/ops/elementwise.h"

// Kernels are told what terms say.
_Static_assert((int)BERTH_CHAIN_NONE == (int)BERTH_REACH_NONE &&
                   (int)BERTH_CHAIN_ONE == (int)BERTH_REACH_ONE &&
                   (int)BERTH_CHAIN_ALL == (int)BERTH_REACH_ALL &&
                   (int)BERTH_CHAIN_ROW == (int)BERTH_REACH_ROW,
               "they mean the same");

typedef struct plan {
  int kernel;
  int32_t input_count;
  berth_chain_params_t params;  // All but addresses and the granule.
} plan_t;

// A group whose kernel is written.
typedef struct text_plan {
  berth_cuda_text_t *text;
  int32_t argument_count;  // Of the group, without outputs.
  int32_t input_count;
  int32_t output_count;
  uint64_t count;
  uint64_t row;  // 0: there are none.
  uint32_t stride;
  berth_divider_t divider;
  // By input: which argument it is, from which byte on.
  int32_t arguments[BERTH_CHAIN_TEXT_INPUTS];
  int64_t offsets[BERTH_CHAIN_TEXT_INPUTS];
  // Of elements, by input and output; 0: a single number.
  uint8_t sizes[BERTH_CHAIN_TEXT_INPUTS + 1];
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

enum { IS_NARROW, IS_WIDE };  // As names are handed to berth_cuda_text_get().

// Fewer elements are done one by one, each by a thread of its own: a card has
// enough of them, and each would go through its functions several times, and wait
// for as many more instructions to be read.
enum { FEW = 1 << 16 };

static bool is_few(uint64_t count) { return count <= FEW; }

static bool is_aligned(const text_plan_t *plan, int32_t index,
                       const void *address) {
  uintptr_t size = (uintptr_t)BERTH_CHAIN_WIDTH * plan->sizes[index];
  return size == 0 || (uintptr_t)address % size == 0;
}

// Packs of elements are read at once: none lies in two rows or runs.
static bool is_wide(const text_plan_t *plan,
                    const berth_chain_text_params_t *params) {
  if (plan->row % BERTH_CHAIN_WIDTH != 0 ||
      plan->stride % BERTH_CHAIN_WIDTH != 0 || is_few(plan->count)) {
    return false;
  }
  bool fits = is_aligned(plan, plan->input_count, params->out);
  for (int32_t i = 0; i < plan->input_count; ++i) {
    fits &= is_aligned(plan, i, params->in[i]);
  }
  for (int32_t i = plan->input_count + 1;
       i < plan->input_count + plan->output_count; ++i) {
    fits &= is_aligned(plan, i, params->in[i - 1]);
  }
  return fits;
}

static berth_code_t launch_text(const text_plan_t *plan, int kernel,
                                berth_chain_text_params_t *params,
                                berth_call_t *call) {
  const uint64_t sets = is_few(plan->count) ? 1 : BERTH_CHAIN_TEXT_SETS;
  size_t addresses = (size_t)(plan->input_count + plan->output_count - 1);
  return berth_cuda_text_launch(
      call, plan->text, kernel, (params->count + sets - 1) / sets, params,
      offsetof(berth_chain_text_params_t, in) + addresses * sizeof(void *));
}

static berth_code_t run_text(const void *arg, void *const *args,
                             berth_call_t *call) {
  const text_plan_t *plan = arg;
  void *const *outputs = args + plan->argument_count;
  berth_chain_text_params_t params = {
      .out = outputs[0], .row = plan->divider, .stride = plan->stride};
  for (int32_t i = 0; i < plan->input_count; ++i) {
    params.in[i] = (char *)args[plan->arguments[i]] + plan->offsets[i];
  }
  for (int32_t i = 1; i < plan->output_count; ++i) {
    params.in[plan->input_count + i - 1] = outputs[i];
  }
  uint64_t packs = is_wide(plan, &params) ? plan->count / BERTH_CHAIN_WIDTH : 0;
  params.count = packs;
  if (packs > 0) BERTH_TRY(launch_text(plan, IS_WIDE, &params, call));
  params.first = packs * BERTH_CHAIN_WIDTH;
  params.count = plan->count - params.first;
  if (params.count == 0) return BERTH_OK;
  return launch_text(plan, IS_NARROW, &params, call);
}

// ---- Planning lists ----

// Adds step |s| to |plan|; false when it is no function of what the step before
// it has made and one other number.
static bool step_add(plan_t *plan, const berth_fusion_t *fusion, int s) {
  const berth_fused_t *step = &fusion->steps[s];
  const berth_gpu_term_t *term = berth_gpu_term(fusion, s);
  berth_chain_step_t *to = &plan->params.steps[s];
  int x = -1;
  if (term->kernel == BERTH_IN_NONE || term->from != BERTH_FLOAT) return false;
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

// Fills |plan| but for its kernel; false when the group is no chain with one
// result. Stores which kernel has all functions.
static bool list_make(plan_t *plan, const berth_fusion_t *fusion,
                      int *out_kernel) {
  int64_t row = 0;
  *out_kernel = BERTH_IN_BRIEF;
  if (fusion->output_count > 1) return false;
  for (int s = 0; s < fusion->step_count; ++s) {
    const berth_gpu_term_t *term = berth_gpu_term(fusion, s);
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
  int kernel = BERTH_IN_NONE;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  if (!list_make(plan, fusion, &kernel)) return BERTH_UNIMPLEMENTED;
  plan->kernel =
      kernel == BERTH_IN_CURVES
          ? berth_cuda_kernel("chain_curve_f32", "berth_chain_curve_f32")
          : berth_cuda_kernel("chain_f32", "berth_chain_f32");
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  prepare->run = run_chain;
  return BERTH_OK;
}

// ---- Planning texts ----

// Writes the kernels of |draft| for the card of |device|, and has them loaded.
static berth_code_t text_make(const berth_chain_draft_t *draft,
                              const berth_fusion_t *fusion,
                              berth_device_t *device,
                              berth_cuda_text_t **out_text,
                              berth_error_t *err) {
  static const char *const names[] = {BERTH_CHAIN_NARROW, BERTH_CHAIN_WIDE};
  int64_t count = berth_gpu_term(fusion, fusion->step_count - 1)->term.count;
  berth_chain_text_t chain = {.steps = draft->steps,
                              .step_count = draft->step_count,
                              .input_count = draft->input_count,
                              .outputs = draft->outputs,
                              .output_count = fusion->output_count,
                              .reach = draft->reach,
                              .dtypes = draft->dtypes,
                              .cc_major = berth_cuda_cc_major(device),
                              .is_few = is_few((uint64_t)count)};
  for (int s = 0; s < draft->step_count; ++s) {
    int type = berth_chain_text_type(draft->steps[s].dtype);
    BERTH_TRY(berth_cuda_terms(type, &chain.terms[type], err));
  }
  berth_str_t text = {0};
  berth_code_t code = BERTH_UNIMPLEMENTED;
  if (berth_chain_text_write(&chain, &text)) {
    code = berth_cuda_text_get(device, berth_str_get(&text), names,
                               chain.is_few ? 1 : BERTH_COUNT_OF(names),
                               out_text, err);
  }
  berth_str_clear(&text);
  return code;
}

// Fills |plan| but for its text.
static void text_plan_set(text_plan_t *plan, const berth_fusion_t *fusion,
                          const berth_chain_draft_t *draft) {
  const berth_gpu_term_t *last = berth_gpu_term(fusion, fusion->step_count - 1);
  plan->argument_count = fusion->input_count;
  plan->input_count = draft->input_count;
  plan->output_count = fusion->output_count;
  plan->count = (uint64_t)last->term.count;
  plan->row = (uint64_t)draft->row;
  plan->stride = (uint32_t)draft->stride;
  if (plan->row > 0) plan->divider = berth_divider(plan->row);
  for (int i = 0; i < draft->input_count; ++i) {
    plan->arguments[i] = draft->arguments[i];
    plan->offsets[i] = draft->offsets[i];
    if (draft->reach[i] == BERTH_REACH_ONE) continue;
    plan->sizes[i] = (uint8_t)berth_dtype_size(draft->dtypes[i]);
  }
  for (int i = 0; i < fusion->output_count; ++i) {
    berth_dtype_t dtype = draft->steps[draft->outputs[i]].dtype;
    plan->sizes[draft->input_count + i] = (uint8_t)berth_dtype_size(dtype);
  }
}

static berth_code_t text_fuse(const berth_fusion_t *fusion,
                              berth_prepare_t *prepare, berth_error_t *err) {
  berth_chain_draft_t *draft = berth_calloc(1, sizeof(*draft));
  text_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  berth_code_t code = draft != NULL && plan != NULL
                          ? BERTH_OK
                          : berth_error_no_memory(err, "a plan");
  if (code == BERTH_OK && !berth_chain_draft_make(fusion, draft)) {
    code = BERTH_UNIMPLEMENTED;
  }
  if (code == BERTH_OK) {
    code = text_make(draft, fusion, prepare->device, &plan->text, err);
  }
  if (code == BERTH_OK &&
      !berth_prepare_own(prepare, plan->text, berth_cuda_text_drop)) {
    code = berth_error_no_memory(err, "a plan");
  }
  if (code == BERTH_OK) {
    text_plan_set(plan, fusion, draft);
    prepare->run = run_text;
  }
  berth_free(draft);
  return code;
}

// ---- Planning ----

// Compiling takes some ten milliseconds, and what it wins over a list is a third
// of a microsecond for each function, or most of the time of many elements; over
// single steps it wins a launch for each, and reading and writing. What a loop
// repeats gets it back soon. A list has one result: of several outputs the others
// would be made by steps of their own.
static bool text_pays(const berth_fusion_t *fusion, bool repeats,
                      bool is_list) {
  int64_t wanted = berth_env_int("BERTH_CUDA_TEXT", -1);
  int64_t steps = fusion->step_count,
          work = steps * fusion->steps[steps - 1].term->count;
  if (wanted >= 0) return wanted > 0;
  if (fusion->output_count > 1 || (repeats && steps > 1)) return true;
  return is_list ? steps >= 24 || work >= 1 << 18
                 : steps >= 8 || work >= 1 << 16;
}

static bool is_list(const berth_fusion_t *fusion) {
  plan_t plan = {0};
  int kernel = BERTH_IN_NONE;
  return list_make(&plan, fusion, &kernel);
}

berth_code_t berth_chain_fuse_tail(const berth_fusion_t *fusion,
                                   berth_prepare_t *prepare,
                                   berth_error_t *err) {
  if (fusion->input_count + fusion->output_count - 1 > BERTH_CHAIN_INPUTS ||
      fusion->step_count > BERTH_CHAIN_STEPS) {
    return BERTH_UNIMPLEMENTED;
  }
  // One function alone has a kernel of its own.
  bool sees = berth_chain_sees(fusion);
  bool can_list = fusion->step_count > 1 && !sees && is_list(fusion);
  bool can_text = text_pays(fusion, prepare->repeats, can_list);
  berth_code_t code = BERTH_UNIMPLEMENTED;
  if (can_text) {
    berth_error_t reason = BERTH_ERROR_INIT;
    code = text_fuse(fusion, prepare, &reason);
    if (code != BERTH_OK) {
      berth_trace("kernel", "no kernel is written for %d steps: %s",
                  fusion->step_count, berth_error_message(&reason));
    }
    berth_error_clear(&reason);
  }
  // Parts are copied one by one where a text could not be had: rarely.
  bool by_steps =
      code != BERTH_OK && (sees ? can_text : fusion->output_count > 1);
  if (code != BERTH_OK && !can_list && !by_steps) return BERTH_UNIMPLEMENTED;
  if (by_steps) {
    BERTH_TRY(berth_chain_fuse_steps(fusion, prepare, err));
  } else if (code != BERTH_OK) {
    BERTH_TRY(list_fuse(fusion, prepare, err));
  }
  for (int s = 0; s < fusion->step_count; ++s) {
    prepare->work += fusion->steps[s].work;
  }
  // The last step makes what takes an input's place, when all others have read.
  prepare->op.may_overwrite = berth_chain_overwritable(fusion);
  return BERTH_OK;
}
