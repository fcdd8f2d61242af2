// chain_draft_test.c - What groups that read parts of values are written of, and
// what that computes.
#include "cuda/ops/chain_draft.h"

#include "base/alloc.h"
#include "cuda/ops/chain_testing.h"

enum { MOST = 4096, ARGUMENTS = 8, STEPS = 24 };

// Returns a number below |limit|, the same ones in every run.
static uint32_t pick(uint32_t limit) {
  static uint32_t state = 20261119;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % limit;
}

// A group by hand: what its arguments hold, and what its steps give.
typedef struct group {
  berth_gpu_term_t terms[STEPS];
  berth_fused_t steps[STEPS];
  int32_t inputs[STEPS][2];
  int step_count, input_count, output_count;
  _Alignas(16) float arguments[ARGUMENTS][MOST];
  float results[STEPS][MOST];
} group_t;

// Adds a step: |name| of |x| and |y|, of which the second is read as |reach|.
static int add(group_t *g, const char *name, int64_t count, int32_t x,
               int32_t y, berth_reach_t reach, int64_t row) {
  int s = g->step_count++;
  g->terms[s] = (berth_gpu_term_t){
      .term = {.count = count, .row = reach == BERTH_REACH_ROW ? row : 0},
      .name = name,
      .from = BERTH_FLOAT,
      .to = BERTH_FLOAT,
      .reach = {BERTH_REACH_ALL, (uint8_t)reach}};
  g->inputs[s][0] = x;
  g->inputs[s][1] = y;
  g->steps[s] = (berth_fused_t){.term = &g->terms[s].term,
                                .input_count = 2,
                                .inputs = g->inputs[s],
                                .result = -1};
  const float *a = x < 0 ? g->results[~x] : g->arguments[x];
  const float *b = y < 0 ? g->results[~y] : g->arguments[y];
  for (int64_t n = 0; n < count; ++n) {
    int64_t at = reach == BERTH_REACH_ONE   ? 0
                 : reach == BERTH_REACH_ROW ? n % row
                                            : n;
    float u = a[n], v = b[at];
    g->results[s][n] = name[2] == 'a' ? u + v : name[2] == 's' ? u - v : u * v;
  }
  return ~s;
}

// Adds the part |view| of |x|.
static int cut(group_t *g, int32_t x, const berth_view_t *view) {
  int s = g->step_count++;
  g->terms[s] = (berth_gpu_term_t){
      .term = {.views = view}, .from = BERTH_FLOAT, .to = BERTH_FLOAT};
  g->inputs[s][0] = x;
  g->steps[s] = (berth_fused_t){.term = &g->terms[s].term,
                                .input_count = 1,
                                .inputs = g->inputs[s],
                                .result = -1,
                                .view = view};
  const float *from = x < 0 ? g->results[~x] : g->arguments[x];
  for (int64_t n = 0; n < view->count; ++n) {
    g->results[s][n] =
        from[view->offset + n / view->run * view->stride + n % view->run];
  }
  return ~s;
}

static group_t *group_new(int arguments) {
  group_t *g = berth_calloc(1, sizeof(*g));
  g->input_count = arguments;
  for (int i = 0; i < arguments; ++i) {
    for (int n = 0; n < MOST; ++n) {
      g->arguments[i][n] = (float)pick(2001) / 64 - 15;
    }
  }
  return g;
}

static berth_fusion_t fusion_of(group_t *g) {
  g->output_count = 1;
  for (int s = 0; s < g->step_count - 1; ++s) {
    if (g->steps[s].result < 0) continue;
    g->steps[s].result = g->input_count + g->output_count++;
  }
  g->steps[g->step_count - 1].result = g->input_count;
  return (berth_fusion_t){g->steps, g->step_count, g->input_count,
                          g->output_count};
}

// Runs the texts of |draft|, packs as far as they fit, over |g|, and compares.
static void text_try(group_t *g, const berth_chain_draft_t *draft,
                     bool is_wide) {
  berth_chain_text_t chain = {.steps = draft->steps,
                              .step_count = draft->step_count,
                              .input_count = draft->input_count,
                              .outputs = draft->outputs,
                              .output_count = g->output_count,
                              .reach = draft->reach,
                              .dtypes = draft->dtypes,
                              .cc_major = 9,
                              .is_few = !is_wide && pick(2) == 0};
  _Alignas(16) static float made[STEPS][MOST];
  uint64_t count = (uint64_t)g->terms[g->step_count - 1].term.count;
  berth_chain_text_params_t params = {.out = made[0],
                                      .stride = (uint32_t)draft->stride};
  berth_str_t text = {0};
  bool fits = is_wide && draft->row % 4 == 0 && draft->stride % 4 == 0;
  if (!berth_chain_text_write(&chain, &text)) HARNESS_FAIL("no text");
  if (draft->row > 0) params.row = berth_divider((uint64_t)draft->row);
  for (int i = 0; i < draft->input_count; ++i) {
    params.in[i] =
        (char *)g->arguments[draft->arguments[i]] + draft->offsets[i];
    fits &= draft->offsets[i] % 16 == 0 || draft->reach[i] == BERTH_REACH_ONE;
  }
  for (int i = 1; i < g->output_count; ++i) {
    params.in[draft->input_count + i - 1] = made[i];
  }
  memset(made, 0, sizeof(made));
  params.count = fits ? count / 4 : 0;
  if (fits) ptx_run(berth_str_get(&text), BERTH_CHAIN_WIDE, &params, 2, 3);
  params.first = params.count * 4;
  params.count = count - params.first;
  ptx_run(berth_str_get(&text), BERTH_CHAIN_NARROW, &params, 3, 5);
  for (int s = 0; s < g->step_count; ++s) {
    int index = g->steps[s].result - g->input_count;
    if (index < 0) continue;
    EXPECT_TRUE(memcmp(made[index], g->results[s], count * sizeof(float)) == 0);
    EXPECT_TRUE(made[index][count] == 0);
  }
  berth_str_clear(&text);
}

static const char *const names[] = {"b_add", "b_sub", "b_mul"};

static const char *some_name(void) { return names[pick(3)]; }

// Cuts what is |rows| by |columns| in some way; returns the count of |views|.
static int views_make(berth_view_t *views, int64_t rows, int64_t columns) {
  int64_t parts = 1 + pick(4), kind = pick(4);
  for (int64_t i = 0; i < parts; ++i) {
    int64_t run = columns;
    switch (kind) {
      case 0:  // Columns side by side.
        views[i] = (berth_view_t){rows * run, i * run, run, parts * run};
        break;
      case 1:  // Rows below each other.
        views[i] = (berth_view_t){rows * run, i * rows * run, rows * run, 1};
        break;
      case 2:  // Single columns.
        views[i] = (berth_view_t){rows, i, 1, columns + 3};
        break;
      default:  // One row that is repeated.
        views[i] = (berth_view_t){rows * run, i * run, run, 0};
    }
  }
  return (int)parts;
}

// What is cut has |elements|; rows of it have |row|.
static void random_try(void) {
  group_t *g = group_new(6);
  berth_view_t views[4];
  int64_t rows = 1 + pick(7), columns = 1 + pick(9);
  if (pick(2) == 0) columns *= 4;
  int view_count = views_make(views, rows, columns);
  int64_t elements = MOST, count = views[0].count;
  int64_t row = views[0].stride > views[0].run ? views[0].stride : columns;
  int32_t x = 0;
  for (int i = (int)pick(4); i > 0; --i) {
    static const berth_reach_t all[] = {BERTH_REACH_ALL, BERTH_REACH_ONE,
                                        BERTH_REACH_ROW};
    int kind = (int)pick(3);
    x = add(g, some_name(), elements, x, 1 + kind, all[kind], row);
  }
  int32_t parts[16];
  int part_count = 0;
  for (; part_count < view_count; ++part_count) {
    parts[part_count] = cut(g, x, &views[part_count]);
  }
  for (int i = 1 + (int)pick(6); i > 0; --i) {
    int32_t a = parts[pick((uint32_t)part_count)];
    int32_t b = pick(3) == 0 ? 4 : parts[pick((uint32_t)part_count)];
    bool is_row =
        count % columns == 0 && views[0].run == columns && pick(4) == 0;
    if (is_row) b = 5;
    int32_t y = add(g, some_name(), count, a, b,
                    is_row ? BERTH_REACH_ROW : BERTH_REACH_ALL, columns);
    parts[part_count++] = y;
    if (pick(3) == 0) g->steps[~y].result = 0;
  }
  berth_fusion_t fusion = fusion_of(g);
  berth_chain_draft_t *draft = berth_calloc(1, sizeof(*draft));
  EXPECT_TRUE(berth_chain_draft_make(&fusion, draft));
  text_try(g, draft, true);
  text_try(g, draft, false);
  berth_free(draft);
  berth_free(g);
}

TEST(chain_draft, parts_are_what_they_are_in_the_whole) {
  for (int i = 0; i < 300; ++i) random_try();
}

// Returns whether a text can be written of two parts that are added.
static bool can_add(const berth_view_t *x, const berth_view_t *y, int64_t row) {
  group_t *g = group_new(2);
  int32_t from = 0;
  if (row > 0) from = add(g, "b_add", MOST, 0, 1, BERTH_REACH_ROW, row);
  int32_t a = cut(g, from, x), b = cut(g, from, y);
  add(g, "b_mul", x->count, a, b, BERTH_REACH_ALL, 0);
  berth_fusion_t fusion = fusion_of(g);
  berth_chain_draft_t *draft = berth_calloc(1, sizeof(*draft));
  bool can = berth_chain_draft_make(&fusion, draft);
  if (can) text_try(g, draft, true);
  berth_free(draft);
  berth_free(g);
  return can;
}

// What is read element by element may be lost, what is read in parts may not.
TEST(chain_draft, parts_are_not_overwritten) {
  const berth_view_t part = {32, 0, 8, 16};
  group_t *g = group_new(3);
  int32_t x = cut(g, 0, &part);
  int32_t y = add(g, "b_add", 32, x, 1, BERTH_REACH_ALL, 0);
  add(g, "b_mul", 32, y, 2, BERTH_REACH_ONE, 0);
  berth_fusion_t fusion = fusion_of(g);
  EXPECT_EQ(berth_chain_overwritable(&fusion), 2);
  berth_free(g);
}

// A text has one length of rows and runs, and one way from run to run.
TEST(chain_draft, what_no_text_says_is_refused) {
  const berth_view_t columns = {24, 0, 4, 12}, others = {24, 4, 4, 12};
  const berth_view_t apart = {24, 0, 4, 16}, longer = {24, 0, 6, 12};
  const berth_view_t across = {24, 10, 4, 12}, whole = {24, 48, 24, 24};
  EXPECT_TRUE(can_add(&columns, &others, 0));
  EXPECT_TRUE(can_add(&columns, &whole, 0));
  EXPECT_TRUE(!can_add(&columns, &apart, 0));
  EXPECT_TRUE(!can_add(&columns, &longer, 0));
  EXPECT_TRUE(can_add(&columns, &others, 12));
  EXPECT_TRUE(can_add(&columns, &columns, 6));
  // Runs that begin at other places of a row, or reach into the next one.
  EXPECT_TRUE(!can_add(&columns, &others, 8));
  EXPECT_TRUE(!can_add(&columns, &others, 6));
  EXPECT_TRUE(!can_add(&columns, &across, 12));
  EXPECT_TRUE(can_add(&columns, &others, 4));
  // Rows below each other: whole ones, and some that begin amid one.
  const berth_view_t first = {20, 0, 20, 20}, below = {20, 16, 20, 20};
  const berth_view_t amid = {20, 12, 20, 20};
  EXPECT_TRUE(can_add(&first, &below, 8));
  EXPECT_TRUE(!can_add(&first, &amid, 8));
  EXPECT_TRUE(can_add(&first, &amid, 4));
}

// Parts of one value have different numbers of elements before them, and what is
// read so is no longer the same input.
TEST(chain_draft, what_leads_to_parts_is_written_for_each) {
  const berth_view_t parts[] = {{32, 0, 8, 16}, {32, 8, 8, 16}};
  group_t *g = group_new(2);
  int32_t sum = add(g, "b_add", MOST, 0, 1, BERTH_REACH_ROW, 16);
  int32_t x = cut(g, sum, &parts[0]), y = cut(g, sum, &parts[1]);
  add(g, "b_mul", 32, x, y, BERTH_REACH_ALL, 0);
  berth_fusion_t fusion = fusion_of(g);
  berth_chain_draft_t *draft = berth_calloc(1, sizeof(*draft));
  EXPECT_TRUE(berth_chain_sees(&fusion));
  EXPECT_TRUE(berth_chain_draft_make(&fusion, draft));
  EXPECT_EQ(draft->step_count, 3);
  EXPECT_EQ(draft->input_count, 4);
  EXPECT_EQ(draft->row, 8);
  EXPECT_EQ(draft->stride, 16);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(draft->arguments[i], i % 2);
    EXPECT_EQ(draft->offsets[i], i < 2 ? 0 : 32);
    EXPECT_EQ(draft->reach[i], i % 2 == 0 ? BERTH_REACH_PART : BERTH_REACH_ROW);
  }
  bool is_whole[STEPS];
  berth_chain_whole(&fusion, is_whole);
  EXPECT_TRUE(!is_whole[~sum] && is_whole[~x] && is_whole[~y] && is_whole[3]);
  EXPECT_EQ(berth_chain_overwritable(&fusion), 0);
  text_try(g, draft, false);
  berth_free(draft);
  berth_free(g);
}
