// reduction.c - A reduction over any dimensions.
#include "cpu/ops/reduction.h"

#include "base/parallel.h"
#include "cpu/ops/chain.h"

enum {
  BLOCK = 4096,     // Columns, or lines, whose accumulators are on the stack.
  MAX_ACC = 16,     // Bytes of an accumulator.
  ROW_GROUP = 256,  // Rows that are summed before they meet what was summed.
  NARROW = 512,     // Rows of fewer columns are folded several at once,
  WIDE = 4096,      // as one of about so many.
  ITEM_VALUES = 65536,    // An item is worth a thread from so many values on.
  ITEMS = 16,             // Items that a large reduction is cut into.
  DIRECT = 32768,         // Up to so many values nothing is spread.
  MADE_BYTES = 16 << 10,  // Of values that a chain makes at a time,
  LEAST_MADE = 16384,     // where there are so many.
};

// Outer dimensions of one kind, slowest first. Steps are in elements.
typedef struct outer {
  int32_t rank;
  int64_t count;  // Product of the dimensions.
  int64_t *dims, *steps;
} outer_t;

typedef struct reduction {
  berth_cpu_reduction_spec_t spec;
  bool is_line;  // The inner dimension is reduced.
  // So is the outermost one, and what is between is kept: [R,K,R]. The kept
  // indices are columns then, each with a line of its own.
  bool is_band;
  int64_t inner;  // Its size.
  outer_t kept, folded;
  int64_t blocks;  // Of columns; 1 when the inner dimension is reduced.
  int64_t chunks;
  int64_t divisor;  // Values that become one.
  int64_t out_count;
  int32_t result;  // Which argument the output is; scratch space follows.
} reduction_t;

typedef struct reduction_run {
  const reduction_t *plan;
  const char *in;  // NULL: |chain| makes the values.
  char *out, *scratch;
  const berth_chain_t *chain;
} reduction_run_t;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// Returns the offset of index |index| of all |outer| dimensions.
static int64_t outer_offset(const outer_t *outer, int64_t index) {
  int64_t offset = 0;
  for (int32_t d = outer->rank - 1; d >= 0 && index > 0; --d) {
    offset += index % outer->dims[d] * outer->steps[d];
    index /= outer->dims[d];
  }
  return offset;
}

// Makes |count| accumulators of nothing, each copy as long as all before.
static void fill_identity(const reduction_t *plan, void *acc, int64_t count) {
  size_t size = (size_t)plan->spec.acc_size, total = (size_t)count * size;
  if (total == 0) return;
  memcpy(acc, plan->spec.identity, size);
  for (size_t done = size; done < total;) {
    size_t next = done < total - done ? done : total - done;
    memcpy((char *)acc + done, acc, next);
    done += next;
  }
}

static void store(const reduction_t *plan, const void *acc, int64_t count,
                  void *out) {
  if (plan->spec.finish != NULL) {
    plan->spec.finish(acc, count, plan->divisor, out);
  } else {
    memcpy(out, acc, (size_t)(count * plan->spec.acc_size));
  }
}

// Folds rows into |acc|, a group at a time: a sum of groups is more exact than
// one long sum. |cols| is at most BLOCK.
static void fold_groups(const reduction_t *plan, const char *in, int64_t rows,
                        int64_t step, int64_t cols, void *acc) {
  const berth_cpu_reduction_spec_t *spec = &plan->spec;
  if (rows <= ROW_GROUP) {
    spec->fold.rows(in, rows, step, cols, acc);
    return;
  }
  _Alignas(64) char group[BLOCK * MAX_ACC];
  for (int64_t r = 0; r < rows; r += ROW_GROUP) {
    fill_identity(plan, group, cols);
    spec->fold.rows(in + r * step * spec->value_size,
                    least(rows - r, ROW_GROUP), step, cols, group);
    spec->merge.rows(group, 1, cols, cols, acc);
  }
}

// Folds |rows| rows of accumulators into the first, in pairs: so many in a row
// would not be exact.
static void merge_pairs(const reduction_t *plan, char *acc, int64_t rows,
                        int64_t cols) {
  const berth_cpu_reduction_spec_t *spec = &plan->spec;
  while (rows > 1) {
    int64_t half = rows / 2;
    rows -= half;
    spec->merge.rows(acc + rows * cols * spec->acc_size, 1, half * cols,
                     half * cols, acc);
  }
}

// The same; rows of few columns that lie side by side are taken as longer ones.
static void fold_rows(const reduction_t *plan, const char *in, int64_t rows,
                      int64_t step, int64_t cols, void *acc) {
  const berth_cpu_reduction_spec_t *spec = &plan->spec;
  int64_t many = cols < NARROW && step == cols ? WIDE / cols : 1;
  int64_t whole = many > 1 && rows >= 2 * many ? rows / many : 0;
  if (whole > 0) {
    _Alignas(64) char wide[WIDE * MAX_ACC];
    fill_identity(plan, wide, many * cols);
    fold_groups(plan, in, whole, many * cols, many * cols, wide);
    merge_pairs(plan, wide, many, cols);
    spec->merge.rows(wide, 1, cols, cols, acc);
  }
  int64_t done = whole * many;
  fold_groups(plan, in + done * step * spec->value_size, rows - done, step,
              cols, acc);
}

// Folds |lines| lines into the one accumulator |acc|.
static void fold_lines(const reduction_t *plan, const char *in, int64_t lines,
                       int64_t step, void *acc) {
  const berth_cpu_reduction_spec_t *spec = &plan->spec;
  _Alignas(64) char parts[ROW_GROUP * MAX_ACC];
  for (int64_t i = 0; i < lines; i += ROW_GROUP) {
    int64_t count = least(lines - i, ROW_GROUP);
    spec->fold.lines(in + i * step * spec->value_size, count, step, plan->inner,
                     parts);
    _Alignas(64) char one[MAX_ACC];
    spec->merge.lines(parts, 1, count, count, one);
    spec->merge.rows(one, 1, 1, 1, acc);
  }
}

// Folds |rows| rows, each |cols| lines side by side, into |acc|.
static void fold_bands(const reduction_t *plan, const char *in, int64_t rows,
                       int64_t step, int64_t cols, void *acc) {
  const berth_cpu_reduction_spec_t *spec = &plan->spec;
  _Alignas(64) char parts[BLOCK * MAX_ACC];
  for (int64_t r = 0; r < rows; ++r) {
    spec->fold.lines(in + r * step * spec->value_size, cols, plan->inner,
                     plan->inner, parts);
    spec->merge.rows(parts, 1, cols, cols, acc);
  }
}

// Folds the reduced outer indices [begin, end), as far as they are regular at a
// time, at |in| into |acc|: one value, or |cols|.
static void fold_outer(const reduction_t *plan, const char *in, int64_t begin,
                       int64_t end, int64_t cols, void *acc) {
  const outer_t *folded = &plan->folded;
  int64_t dim = folded->rank > 0 ? folded->dims[folded->rank - 1] : 1;
  int64_t step = folded->rank > 0 ? folded->steps[folded->rank - 1] : 0;
  for (int64_t i = begin; i < end;) {
    int64_t count = least(dim - i % dim, end - i);
    const char *from = in + outer_offset(folded, i) * plan->spec.value_size;
    if (plan->is_band) {
      fold_bands(plan, from, count, step, cols, acc);
    } else if (plan->is_line) {
      fold_lines(plan, from, count, step, acc);
    } else {
      fold_rows(plan, from, count, step, cols, acc);
    }
    i += count;
  }
}

// Makes the accumulators of item (kept, block, chunk) in |acc|.
static void fold_item(const reduction_run_t *run, int64_t kept, int64_t block,
                      int64_t chunk, int64_t cols, void *acc) {
  const reduction_t *plan = run->plan;
  int64_t column = plan->is_band ? plan->inner : 1;
  int64_t offset = outer_offset(&plan->kept, kept) + block * BLOCK * column;
  const char *in = run->in + offset * plan->spec.value_size;
  // A single line is cut itself; otherwise the outer indices are.
  int64_t total = plan->folded.rank == 0 ? plan->inner : plan->folded.count;
  int64_t begin = total * chunk / plan->chunks;
  int64_t end = total * (chunk + 1) / plan->chunks;
  if (plan->is_line && plan->folded.rank == 0) {
    plan->spec.fold.lines(in + begin * plan->spec.value_size, 1, 0, end - begin,
                          acc);
    return;
  }
  fill_identity(plan, acc, cols);
  fold_outer(plan, in, begin, end, cols, acc);
}

// ---- Values that a chain makes ----

// Folds |count| values from |begin| on, which are made in the place, into |acc|:
// in the blocks that loops over lines have (fold.h), so that bits are the same.
static void fold_made(const reduction_run_t *run,
                      const berth_chain_place_t *place, int64_t begin,
                      int64_t count, char *acc) {
  const berth_cpu_reduction_spec_t *spec = &run->plan->spec;
  int64_t block = BERTH_FOLD_BLOCK_BYTES / spec->acc_size;
  fill_identity(run->plan, acc, 1);
  for (int64_t at = 0; at < count;) {
    int64_t some = least(count - at, block);
    _Alignas(64) char part[MAX_ACC];
    berth_chain_make_at(run->chain, place, begin + at, some, place->space);
    spec->fold.lines(place->space, 1, 0, some, part);
    spec->merge.rows(part, 1, 1, 1, acc);
    at += some;
  }
}

// Returns how many whole lines are made at a time; 0: they are too long.
static int64_t lines_at_once(const reduction_t *plan) {
  int64_t lines = MADE_BYTES / (plan->inner * plan->spec.value_size);
  return least(lines, BLOCK);
}

// Does lines [begin, end) of a reduction of the last dimension.
static void made_lines_run(void *arg, int64_t begin, int64_t end) {
  const reduction_run_t *run = arg;
  const reduction_t *plan = run->plan;
  berth_chain_place_t place = berth_chain_take(run->chain);
  _Alignas(64) char acc[BLOCK * MAX_ACC];
  int64_t most = lines_at_once(plan);
  for (int64_t i = begin; i < end;) {
    int64_t count = most > 0 ? least(end - i, most) : 1;
    if (most > 0) {
      berth_chain_make_at(run->chain, &place, i * plan->inner,
                          count * plan->inner, place.space);
      plan->spec.fold.lines(place.space, count, plan->inner, plan->inner, acc);
    } else {
      fold_made(run, &place, i * plan->inner, plan->inner, acc);
    }
    store(plan, acc, count, run->out + i * plan->spec.out_size);
    i += count;
  }
  berth_chain_give(&place);
}

// Does chunks [begin, end), of the only line or of all lines.
static void made_chunks_run(void *arg, int64_t begin, int64_t end) {
  const reduction_run_t *run = arg;
  const reduction_t *plan = run->plan;
  berth_chain_place_t place = berth_chain_take(run->chain);
  for (int64_t item = begin; item < end; ++item) {
    int64_t chunk = item % plan->chunks, line = item / plan->chunks;
    int64_t first = plan->inner * chunk / plan->chunks;
    int64_t last = plan->inner * (chunk + 1) / plan->chunks;
    fold_made(
        run, &place, line * plan->inner + first, last - first,
        run->scratch + (chunk * plan->out_count + line) * plan->spec.acc_size);
  }
  berth_chain_give(&place);
}

// Returns how many columns there are.
static int64_t plan_width(const reduction_t *plan) {
  if (plan->is_band) return plan->out_count;
  return plan->is_line ? 1 : plan->inner;
}

// Does items [begin, end): results, or accumulators when there are chunks.
static void items_run(void *arg, int64_t begin, int64_t end) {
  const reduction_run_t *run = arg;
  const reduction_t *plan = run->plan;
  _Alignas(64) char acc[BLOCK * MAX_ACC];
  int64_t width = plan_width(plan);
  for (int64_t item = begin; item < end; ++item) {
    int64_t chunk = item % plan->chunks;
    int64_t block = item / plan->chunks % plan->blocks;
    int64_t kept = item / plan->chunks / plan->blocks;
    int64_t cols = least(width - block * BLOCK, BLOCK);
    int64_t at = kept * width + block * BLOCK;
    fold_item(run, kept, block, chunk, cols, acc);
    if (plan->chunks == 1) {
      store(plan, acc, cols, run->out + at * plan->spec.out_size);
    } else {
      memcpy(
          run->scratch + (chunk * plan->out_count + at) * plan->spec.acc_size,
          acc, (size_t)(cols * plan->spec.acc_size));
    }
  }
}

// Does lines [begin, end) of a reduction of the last dimension.
static void lines_run(void *arg, int64_t begin, int64_t end) {
  const reduction_run_t *run = arg;
  const reduction_t *plan = run->plan;
  _Alignas(64) char acc[BLOCK * MAX_ACC];
  for (int64_t i = begin; i < end; i += BLOCK) {
    int64_t count = least(end - i, BLOCK);
    plan->spec.fold.lines(run->in + i * plan->inner * plan->spec.value_size,
                          count, plan->inner, plan->inner, acc);
    store(plan, acc, count, run->out + i * plan->spec.out_size);
  }
}

// Joins the chunks.
static void join(const reduction_run_t *run) {
  const reduction_t *plan = run->plan;
  _Alignas(64) char acc[BLOCK * MAX_ACC];
  for (int64_t i = 0; i < plan->out_count; i += BLOCK) {
    int64_t count = least(plan->out_count - i, BLOCK);
    fill_identity(plan, acc, count);
    plan->spec.merge.rows(run->scratch + i * plan->spec.acc_size, plan->chunks,
                          plan->out_count, count, acc);
    store(plan, acc, count, run->out + i * plan->spec.out_size);
  }
}

static berth_code_t run_items(const void *plan_arg, void *const *args,
                              berth_call_t *call) {
  (void)call;
  const reduction_t *plan = plan_arg;
  reduction_run_t run = {plan, args[0], args[plan->result],
                         plan->chunks > 1 ? args[plan->result + 1] : NULL,
                         NULL};
  int64_t items = plan->kept.count * plan->blocks * plan->chunks;
  int64_t values = plan->divisor * plan->out_count / items;
  bool is_done = berth_parallel_for(items, ITEM_VALUES / (values + 1) + 1,
                                    items_run, &run);
  if (is_done && plan->chunks > 1) join(&run);
  return BERTH_OK;
}

// As berth_cpu_term_t.end.
static berth_code_t run_end(const void *plan_arg, void *out, void *scratch,
                            const berth_chain_t *chain, berth_call_t *call) {
  (void)call;
  const reduction_t *plan = plan_arg;
  reduction_run_t run = {plan, NULL, out, scratch, chain};
  if (plan->chunks == 1) {
    (void)berth_parallel_for(plan->out_count, ITEM_VALUES / plan->inner + 1,
                             made_lines_run, &run);
  } else if (berth_parallel_for(plan->out_count * plan->chunks, 1,
                                made_chunks_run, &run)) {
    join(&run);
  }
  return BERTH_OK;
}

// As berth_cpu_term_t.end_space: rows have to begin where what is made does.
static int64_t end_space(const void *plan_arg, int64_t row) {
  const reduction_t *plan = plan_arg;
  bool makes_lines = plan->chunks == 1 && lines_at_once(plan) > 0;
  if (row > 0 && (!makes_lines || plan->inner % row != 0)) return 0;
  return MADE_BYTES;
}

static berth_code_t run_lines(const void *plan_arg, void *const *args,
                              berth_call_t *call) {
  (void)call;
  const reduction_t *plan = plan_arg;
  reduction_run_t run = {plan, args[0], args[plan->result], NULL, NULL};
  berth_parallel_for(plan->out_count, ITEM_VALUES / plan->inner + 1, lines_run,
                     &run);
  return BERTH_OK;
}

// Few values, whose accumulators are the results: one call.
static berth_code_t run_lines_direct(const void *plan_arg, void *const *args,
                                     berth_call_t *call) {
  (void)call;
  const reduction_t *plan = plan_arg;
  plan->spec.fold.lines(args[0], plan->out_count, plan->inner, plan->inner,
                        args[plan->result]);
  return BERTH_OK;
}

static berth_code_t run_rows_direct(const void *plan_arg, void *const *args,
                                    berth_call_t *call) {
  (void)call;
  const reduction_t *plan = plan_arg;
  fill_identity(plan, args[plan->result], plan->inner);
  fold_rows(plan, args[0], plan->folded.count, plan->inner, plan->inner,
            args[plan->result]);
  return BERTH_OK;
}

// There is nothing to reduce, but there are results.
static berth_code_t run_identity(const void *plan_arg, void *const *args,
                                 berth_call_t *call) {
  (void)call;
  const reduction_t *plan = plan_arg;
  _Alignas(64) char acc[BLOCK * MAX_ACC];
  fill_identity(plan, acc, least(plan->out_count, BLOCK));
  for (int64_t i = 0; i < plan->out_count; i += BLOCK) {
    store(plan, acc, least(plan->out_count - i, BLOCK),
          (char *)args[plan->result] + i * plan->spec.out_size);
  }
  return BERTH_OK;
}

// Puts a dimension before those of |outer|, which are filled from the end.
static void outer_push(outer_t *outer, int64_t dim, int64_t step) {
  ++outer->rank;
  --outer->dims;
  --outer->steps;
  outer->dims[0] = dim;
  outer->steps[0] = step;
  outer->count *= dim;
}

// Sorts the levels of |reduction| into inner, kept and folded.
static void set_levels(reduction_t *plan, const berth_reduction_t *reduction) {
  int64_t step = 1;
  plan->inner = 1;
  plan->is_line = false;
  for (int32_t i = reduction->level_count; i-- > 0;) {
    int64_t size = reduction->levels[i].count;
    bool is_reduced = reduction->levels[i].is_reduced;
    *(is_reduced ? &plan->divisor : &plan->out_count) *= size;
    if (i == reduction->level_count - 1) {
      plan->inner = size;
      plan->is_line = is_reduced;
    } else {
      outer_push(is_reduced ? &plan->folded : &plan->kept, size, step);
    }
    step *= size;
  }
}

// Makes a plan with room for the outer dimensions; NULL when memory is short.
static reduction_t *plan_make(const berth_cpu_reduction_spec_t *spec,
                              const berth_reduction_t *reduction,
                              berth_prepare_t *prepare) {
  reduction_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  size_t rank = (size_t)reduction->level_count;
  int64_t *room =
      berth_arena_calloc(prepare->op.arena, 4 * rank + 1, sizeof(*room));
  if (plan == NULL || room == NULL) return NULL;
  plan->spec = *spec;
  plan->result = prepare->op.input_count;
  plan->chunks = 1;
  if (reduction->values == 0) {
    plan->out_count = reduction->outputs;
    return plan;
  }
  plan->divisor = 1;
  plan->out_count = 1;
  plan->kept = (outer_t){0, 1, room + rank, room + 2 * rank};
  plan->folded = (outer_t){0, 1, room + 3 * rank, room + 4 * rank};
  set_levels(plan, reduction);
  plan->is_band = plan->is_line && plan->kept.rank == 1 &&
                  plan->folded.rank == 1 && plan->kept.steps[0] == plan->inner;
  if (plan->is_band) plan->kept = (outer_t){0, 1, NULL, NULL};
  plan->blocks = (plan_width(plan) + BLOCK - 1) / BLOCK;
  return plan;
}

// Cuts what is reduced when there are too few items otherwise.
static void choose_chunks(reduction_t *plan, int64_t values) {
  int64_t items = plan->kept.count * plan->blocks;
  if (items >= ITEMS || values < 2 * ITEM_VALUES) return;
  int64_t most = plan->folded.rank == 0 ? plan->inner : plan->folded.count;
  plan->chunks = least(most, least(ITEMS / items, values / ITEM_VALUES));
  if (plan->chunks < 1) plan->chunks = 1;
}

static berth_run_fn choose_run(const reduction_t *plan, int64_t values) {
  bool is_direct = plan->spec.finish == NULL && values <= DIRECT;
  if (plan->out_count == 0) return berth_run_nothing;
  if (plan->divisor == 0) return run_identity;
  if (plan->is_line && plan->folded.rank == 0 && plan->chunks == 1) {
    return is_direct ? run_lines_direct : run_lines;
  }
  if (is_direct && !plan->is_line && plan->kept.rank == 0 &&
      plan->folded.rank == 1 && plan->blocks == 1) {
    return run_rows_direct;
  }
  return run_items;
}

// Makes the reduction of lines of floats the end of a chain, where there are
// many; false when memory is short.
static bool end_offer(const reduction_t *plan, int64_t values,
                      berth_prepare_t *prepare) {
  const berth_cpu_reduction_spec_t *spec = &plan->spec;
  if (!plan->is_line || plan->folded.rank != 0 || !spec->is_floating ||
      values < LEAST_MADE) {
    return true;
  }
  berth_cpu_term_t *term =
      berth_arena_calloc(prepare->op.arena, 1, sizeof(*term));
  if (term == NULL) return false;
  term->term = (berth_term_t){.fuse = berth_cpu_fuse,
                              .count = plan->out_count,
                              .begins = true,
                              .fed = 1,
                              .needs_feed = true,
                              .ends = true};
  term->out_size = (uint8_t)spec->out_size;
  term->end_space = end_space;
  term->end = run_end;
  prepare->term = &term->term;
  return true;
}

berth_code_t berth_cpu_reduction_plan(berth_prepare_t *prepare,
                                      const berth_reduction_t *reduction,
                                      const berth_cpu_reduction_spec_t *spec,
                                      berth_error_t *err) {
  reduction_t *plan = plan_make(spec, reduction, prepare);
  if (plan == NULL) return berth_error_no_memory(err, "a reduction");
  int64_t values = reduction->values;
  choose_chunks(plan, values);
  if (plan->chunks > 1) {
    prepare->scratch_size =
        (size_t)(plan->chunks * plan->out_count * spec->acc_size);
  }
  prepare->run = choose_run(plan, values);
  // About what reading the values takes.
  prepare->work = values * spec->value_size / 16;
  return end_offer(plan, values, prepare)
             ? BERTH_OK
             : berth_error_no_memory(err, "a reduction");
}
