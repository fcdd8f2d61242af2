// chain_draft.c - What the kernel of a group is written of.
#include "cuda/ops/chain_draft.h"

#include <string.h>

typedef struct drafter {
  const berth_fusion_t *fusion;
  berth_chain_draft_t *draft;
  // By step of the group: what its result is, as inputs of texts say it; of what
  // is done for a part, for that part.
  int32_t whole[BERTH_CHAIN_TEXT_STEPS];
  int32_t part[BERTH_CHAIN_TEXT_STEPS];
  bool fails;
} drafter_t;

bool berth_chain_sees(const berth_fusion_t *fusion) {
  for (int s = 0; s < fusion->step_count; ++s) {
    if (fusion->steps[s].view != NULL) return true;
  }
  return false;
}

// Marks the steps that those which are |marked| read, up to step |last|, but for
// what views read.
static void marks_spread(const berth_fusion_t *fusion, int last, bool *marked) {
  for (int s = last; s >= 0; --s) {
    const berth_fused_t *step = &fusion->steps[s];
    if (!marked[s] || step->view != NULL) continue;
    for (int i = 0; i < step->input_count; ++i) {
      if (step->inputs[i] < 0) marked[~step->inputs[i]] = true;
    }
  }
}

void berth_chain_whole(const berth_fusion_t *fusion, bool *is_whole) {
  int last = fusion->step_count - 1;
  for (int s = 0; s <= last; ++s) {
    is_whole[s] = s == last || fusion->steps[s].result >= 0;
  }
  marks_spread(fusion, last, is_whole);
}

uint32_t berth_chain_overwritable(const berth_fusion_t *fusion) {
  size_t size =
      berth_dtype_size(berth_gpu_term(fusion, fusion->step_count - 1)->to);
  uint32_t mask = 0, others = 0;
  bool is_whole[BERTH_CHAIN_TEXT_STEPS];
  berth_chain_whole(fusion, is_whole);
  for (int s = 0; s < fusion->step_count; ++s) {
    const berth_gpu_term_t *term = berth_gpu_term(fusion, s);
    for (int i = 0; i < fusion->steps[s].input_count; ++i) {
      int32_t from = fusion->steps[s].inputs[i];
      if (from < 0 || from >= 32) continue;
      bool fits = is_whole[s] && term->reach[i] == BERTH_REACH_ALL &&
                  berth_dtype_size(term->from) == size;
      *(fits ? &mask : &others) |= UINT32_C(1) << from;
    }
  }
  return mask & ~others;
}

// ---- Inputs ----

// Returns the input that is |argument| from element |offset| on.
static int32_t input_of(drafter_t *d, int32_t argument, int reach,
                        berth_dtype_t dtype, int64_t offset) {
  berth_chain_draft_t *draft = d->draft;
  int64_t bytes = offset * (int64_t)berth_dtype_size(dtype);
  int32_t i = 0;
  for (; i < draft->input_count; ++i) {
    if (draft->arguments[i] == argument && draft->reach[i] == reach &&
        draft->offsets[i] == bytes) {
      return i;
    }
  }
  if (i + d->fusion->output_count > BERTH_CHAIN_TEXT_INPUTS) {
    d->fails = true;
    return 0;
  }
  draft->arguments[i] = argument;
  draft->reach[i] = (uint8_t)reach;
  draft->dtypes[i] = dtype;
  draft->offsets[i] = bytes;
  return draft->input_count++;
}

// Says that |*length| is |value|: there is one for all inputs.
static void length_set(drafter_t *d, int64_t *length, int64_t value) {
  if (*length != 0 && *length != value) d->fails = true;
  *length = value;
}

// Returns a row of |row| elements of |argument| from |offset| on.
static int32_t row_of(drafter_t *d, int32_t argument, berth_dtype_t dtype,
                      int64_t row, int64_t offset) {
  length_set(d, &d->draft->row, row);
  return input_of(d, argument, BERTH_REACH_ROW, dtype, offset);
}

static bool is_one_run(const berth_view_t *view) {
  return view->run >= view->count || view->stride == view->run;
}

// Returns the part of |argument| that |view| says.
static int32_t part_of(drafter_t *d, int32_t argument, berth_dtype_t dtype,
                       const berth_view_t *view) {
  if (is_one_run(view)) {
    return input_of(d, argument, BERTH_REACH_ALL, dtype, view->offset);
  }
  if (view->stride == 0) {
    return row_of(d, argument, dtype, view->run, view->offset);
  }
  d->fails |= view->stride > UINT32_MAX;
  length_set(d, &d->draft->row, view->run);
  length_set(d, &d->draft->stride, view->stride);
  return input_of(d, argument, BERTH_REACH_PART, dtype, view->offset);
}

// Returns what the part that |view| says takes of |argument|, which repeats a row
// of |row| elements in the whole: each run must begin at the same place of it.
static int32_t row_part_of(drafter_t *d, int32_t argument, berth_dtype_t dtype,
                           int64_t row, const berth_view_t *view) {
  bool is_one = is_one_run(view);
  int64_t run = is_one ? view->count : view->run, begin = view->offset % row;
  d->fails |= !is_one && view->stride % row != 0;
  if (begin + run <= row) {
    return is_one ? input_of(d, argument, BERTH_REACH_ALL, dtype, begin)
                  : row_of(d, argument, dtype, run, begin);
  }
  d->fails |= begin != 0 || !is_one;
  return row_of(d, argument, dtype, row, 0);
}

// Returns input |i| of step |s|, of the part that |view| says; NULL: of all.
static int32_t operand_of(drafter_t *d, int s, int i,
                          const berth_view_t *view) {
  const berth_gpu_term_t *term = berth_gpu_term(d->fusion, s);
  int32_t from = d->fusion->steps[s].inputs[i];
  int reach = term->reach[i];
  if (from < 0) return view != NULL ? d->part[~from] : d->whole[~from];
  if (reach == BERTH_REACH_ROW && view != NULL) {
    return row_part_of(d, from, term->from, term->term.row, view);
  }
  if (reach == BERTH_REACH_ROW) {
    return row_of(d, from, term->from, term->term.row, 0);
  }
  return reach == BERTH_REACH_ALL && view != NULL
             ? part_of(d, from, term->from, view)
             : input_of(d, from, reach, term->from, 0);
}

// ---- Steps ----

// Adds step |s|, of the part that |view| says, and returns its result.
static int32_t step_add(drafter_t *d, int s, const berth_view_t *view) {
  const berth_fused_t *step = &d->fusion->steps[s];
  const berth_gpu_term_t *term = berth_gpu_term(d->fusion, s);
  if (d->draft->step_count == BERTH_CHAIN_TEXT_STEPS) {
    d->fails = true;
    return 0;
  }
  berth_chain_text_step_t made = {.name = term->name,
                                  .dtype = term->to,
                                  .input_count = step->input_count,
                                  .parameter = term->parameter};
  for (int i = 0; i < step->input_count; ++i) {
    int at = step->input_count == 2 && term->left == 1 ? 1 - i : i;
    made.inputs[at] = operand_of(d, s, i, view);
  }
  d->draft->steps[d->draft->step_count] = made;
  return ~d->draft->step_count++;
}

// Adds what leads to |s|, a view, and returns what it is.
static int32_t view_add(drafter_t *d, int s) {
  const berth_fused_t *step = &d->fusion->steps[s];
  bool leads[BERTH_CHAIN_TEXT_STEPS] = {false};
  int32_t from = step->inputs[0];
  if (from >= 0) {
    return part_of(d, from, berth_gpu_term(d->fusion, s)->from, step->view);
  }
  leads[~from] = true;
  marks_spread(d->fusion, ~from, leads);
  for (int t = 0; t <= ~from; ++t) {
    // Views of views are none.
    d->fails |= leads[t] && d->fusion->steps[t].view != NULL;
    if (leads[t] && !d->fails) d->part[t] = step_add(d, t, step->view);
  }
  return d->part[~from];
}

bool berth_chain_draft_make(const berth_fusion_t *fusion,
                            berth_chain_draft_t *draft) {
  drafter_t d = {.fusion = fusion, .draft = draft};
  bool is_whole[BERTH_CHAIN_TEXT_STEPS];
  if (fusion->step_count > BERTH_CHAIN_TEXT_STEPS) return false;
  berth_chain_whole(fusion, is_whole);
  for (int s = 0; s < fusion->step_count && !d.fails; ++s) {
    const berth_fused_t *step = &fusion->steps[s];
    if (!is_whole[s]) continue;
    d.whole[s] = step->view != NULL ? view_add(&d, s) : step_add(&d, s, NULL);
    if (step->result >= 0) {
      draft->outputs[step->result - fusion->input_count] = ~d.whole[s];
    }
  }
  int last = fusion->step_count - 1;
  draft->outputs[0] = ~d.whole[last];
  // Rows and runs are found by dividing numbers of 32 bits.
  return !d.fails && (draft->row == 0 || fusion->steps[last].term->count <
                                             (int64_t)BERTH_DIVIDE_LIMIT);
}
