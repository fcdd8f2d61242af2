// depthwise.c - The kernels DepthwiseConv2dNative and its gradients.
//
// The loops take images with channels last, as many of the output as of the
// input, of floats or doubles. Everything else (channels first, several outputs
// of a channel, types of 16 bits) is brought into that form first, in the
// scratch space, and back afterwards:
//
//   image [.., c]  ->  [.., c, c, ...]  -> loops ->  output
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/depthwise.h"
#include "cpu/ops/chain.h"
#include "cpu/ops/conv.h"
#include "cpu/ops/conv_lanes.h"
#include "cpu/ops/conv_planes.h"
#include "op/types.h"
#include "tensor/half.h"

enum {
  MOST_TAPS = 64,    // Wider windows go as products.
  MOST_PARTS = 16,   // Sums of the filter's gradient, which are added.
  LINE_GRAIN = 256,  // Lines that are brought into form at a time.
  LEAST_REPEATS = 3,  // Outputs of a channel whose slopes are added afterwards.
};

// In nanoseconds: about what a piece takes at least, and a multiplication.
#define PIECE_NS 20000.0
#define UNIT_NS 0.06

// Where an image, or the filter, lies: as it is given or asked for, and as the
// loops have it, lines of channels one after another.
typedef struct form {
  int arg;
  int64_t at;                     // In the scratch space; -1: used as it is.
  int64_t lines, places;          // All of them; those of one image.
  int64_t batch, place, channel;  // Steps between given elements.
  int64_t repeats;                // Of each given channel in a line.
} form_t;

typedef struct plan {
  berth_conv_t conv;
  berth_dtype_t wide;  // What is computed with.
  int64_t channels;    // Of the output, and of every line.
  int64_t size;        // Of an element of |wide|.
  form_t image, filter, output;
  berth_depthwise_fn loop;
  int64_t passes, rows, grain;  // Rows of places; how many go in a piece.
  int64_t parts, part;  // Sums of the filter's gradient; rows that each is of.
  int64_t sums;         // Where they are in the scratch space.
  bool has_scratch;
  const float *fixed;   // The filter, where it is a constant, or NULL,
  const float *scaled;  // and what is used instead.
  // Where the image is made as it is needed (berth_chain_feed): rows that are
  // kept, in a ring, and that are made at once; parts of an image.
  int64_t ring, ahead, shares;
  // Loops over whole rows of windows of three by three, by rows - 1; or NULL.
  // What they see: the gradient of the image sees slopes, the other way round.
  const berth_depthwise_square_fn *squares;
  berth_window_axis_t seen[BERTH_WINDOW_AXES];
  int64_t turned;  // Where the filter is then, in the scratch space.
  berth_slots_t slots;
} plan_t;

typedef struct run {
  const plan_t *plan;
  void *const *args;
  char *scratch;
  // What the loops read and write.
  char *image, *filter, *output;
  const berth_chain_t *chain;    // What follows; NULL: nothing,
  const berth_ending_t *ending;  // or something that sums end with.
  const berth_supply_t *feed;    // What makes the image; NULL: it is there.
} run_t;

// ---- Forms ----

static double read_one(berth_dtype_t dtype, const char *from) {
  switch (dtype) {
    case BERTH_FLOAT:
      return *(const float *)(const void *)from;
    case BERTH_DOUBLE:
      return *(const double *)(const void *)from;
    case BERTH_HALF:
      return berth_half_to_float(*(const uint16_t *)(const void *)from);
    default:
      return berth_bfloat16_to_float(*(const uint16_t *)(const void *)from);
  }
}

static void write_one(berth_dtype_t dtype, double value, char *to) {
  switch (dtype) {
    case BERTH_FLOAT:
      *(float *)(void *)to = (float)value;
      return;
    case BERTH_DOUBLE:
      *(double *)(void *)to = value;
      return;
    case BERTH_HALF:
      *(uint16_t *)(void *)to = berth_float_to_half((float)value);
      return;
    default:
      *(uint16_t *)(void *)to = berth_float_to_bfloat16((float)value);
      return;
  }
}

// A form that is made of what is given, or the other way round.
typedef struct change {
  const plan_t *plan;
  const form_t *form;
  char *given, *made;
} change_t;

static char *given_at(const change_t *change, int64_t line) {
  const form_t *form = change->form;
  int64_t size = (int64_t)berth_dtype_size(change->plan->conv.dtype);
  return change->given + (line / form->places * form->batch +
                          line % form->places * form->place) *
                             size;
}

// True for floats that lie side by side.
static bool is_quick(const change_t *change) {
  return change->plan->conv.dtype == BERTH_FLOAT && change->form->channel == 1;
}

typedef float four_t __attribute__((vector_size(16)));

// Stores each of |count| floats |repeats| times.
static void repeat_floats(const float *from, int64_t count, int64_t repeats,
                          float *to) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t r = 0;
    four_t four = {from[i], from[i], from[i], from[i]};
    for (; r + 4 <= repeats; r += 4, to += 4) memcpy(to, &four, sizeof(four));
    for (; r < repeats; ++r) *to++ = from[i];
  }
}

static void make_lines(void *arg, int64_t begin, int64_t end) {
  const change_t *change = arg;
  const plan_t *plan = change->plan;
  const form_t *form = change->form;
  int64_t size = (int64_t)berth_dtype_size(plan->conv.dtype);
  char *to = change->made + begin * plan->channels * plan->size;
  for (int64_t line = begin; line < end; ++line) {
    if (is_quick(change)) {
      const void *given = given_at(change, line);
      repeat_floats(given, plan->channels / form->repeats, form->repeats,
                    (float *)(void *)to);
      to += plan->channels * plan->size;
      continue;
    }
    const char *from = given_at(change, line);
    for (int64_t c = 0; c < plan->channels; ++c, to += plan->size) {
      const char *one = from + c / form->repeats * form->channel * size;
      write_one(plan->wide, read_one(plan->conv.dtype, one), to);
    }
  }
}

// Stores the sum of each |repeats| floats.
static void add_floats(const float *from, int64_t count, int64_t repeats,
                       float *to) {
  for (int64_t i = 0; i < count; ++i) {
    double sum = 0;
    for (int64_t r = 0; r < repeats; ++r) sum += *from++;
    to[i] = (float)sum;
  }
}

// Adds what was computed for the repetitions of a channel, and rounds once.
static void give_lines(void *arg, int64_t begin, int64_t end) {
  const change_t *change = arg;
  const plan_t *plan = change->plan;
  const form_t *form = change->form;
  int64_t size = (int64_t)berth_dtype_size(plan->conv.dtype);
  const char *from = change->made + begin * plan->channels * plan->size;
  for (int64_t line = begin; line < end; ++line) {
    char *to = given_at(change, line);
    if (is_quick(change)) {
      add_floats((const float *)(const void *)from,
                 plan->channels / form->repeats, form->repeats,
                 (float *)(void *)to);
      from += plan->channels * plan->size;
      continue;
    }
    for (int64_t c = 0; c < plan->channels; c += form->repeats) {
      double sum = 0;
      for (int64_t r = 0; r < form->repeats; ++r, from += plan->size) {
        sum += read_one(plan->wide, from);
      }
      write_one(plan->conv.dtype, sum, to);
      to += form->channel * size;
    }
  }
}

// Returns where the loops find |form|; fills it in unless it is the goal. NULL
// when the run was ended.
static char *form_take(const run_t *run, const form_t *form, bool is_goal) {
  char *given = run->args[form->arg];
  if (form->at < 0) return given;
  change_t change = {run->plan, form, given, run->scratch + form->at};
  bool is_done = is_goal || berth_parallel_for(form->lines, LINE_GRAIN,
                                               make_lines, &change);
  return is_done ? change.made : NULL;
}

static void form_give(const run_t *run, const form_t *form, char *made) {
  if (form->at < 0) return;
  change_t change = {run->plan, form, run->args[form->arg], made};
  berth_parallel_for(form->lines, LINE_GRAIN, give_lines, &change);
}

// ---- Rows ----

// A row of places of a pass, and the taps across it.
typedef struct row {
  const plan_t *plan;
  const berth_conv_pass_t *pass;
  int lines;                   // Taps across the row that lie in the image:
  int64_t reads[MOST_TAPS];    // the first element of the line it reads,
  int64_t filters[MOST_TAPS];  // the first tap along the row.
  const char *x;
  char *w, *y;
  const berth_ending_t *ending;  // From |y| on; or NULL.
} row_t;

// Does places [begin, end) of |row|, of which the taps [first, last) along the
// row lie in the image.
static void row_run(const row_t *row, int64_t begin, int64_t end, int64_t first,
                    int64_t last) {
  const plan_t *plan = row->plan;
  const berth_conv_walk_t *walk = &row->pass->walks[BERTH_WINDOW_AXES - 1];
  int64_t apart = row->pass->apart[BERTH_WINDOW_AXES - 1];
  int64_t along = row->pass->taps_apart[BERTH_WINDOW_AXES - 1];
  const char *x[MOST_TAPS];
  char *w[MOST_TAPS];
  int taps = 0;
  int64_t line = plan->channels * plan->size;
  // In the order of squares, whose sums are the same; slopes of factors that meet
  // the same line go together, because the cache holds few lines.
  bool by_line = plan->conv.goal == BERTH_CONV_FILTER;
  int64_t inner = by_line ? last - first : row->lines;
  int64_t outer = by_line ? row->lines : last - first;
  for (int64_t a = 0; a < outer; ++a) {
    for (int64_t b = 0; b < inner; ++b) {
      int64_t t = first + (by_line ? b : a), l = by_line ? a : b;
      int64_t place = walk->first + begin * walk->step + t * walk->tap;
      x[taps] = row->x + (row->reads[l] + place) * line;
      w[taps++] = row->w + (row->filters[l] + t * along) * line;
    }
  }
  berth_ending_t ending;
  if (row->ending != NULL) {
    ending = berth_ending_at(row->ending, begin * apart * plan->channels, 0);
  }
  berth_depthwise_t run = {.x = x,
                           .w = w,
                           .taps = taps,
                           .ending = row->ending != NULL ? &ending : NULL,
                           .places = end - begin,
                           .channels = plan->channels,
                           .step = walk->step * plan->channels,
                           .apart = apart * plan->channels,
                           .y = row->y + begin * apart * line};
  plan->loop(&run);
}

// Finds the taps along the row that lie in the image for place |p|.
static void taps_at(const berth_conv_walk_t *walk, int64_t p, int64_t *first,
                    int64_t *last) {
  *first = *last = 0;
  for (int64_t t = 0; t < walk->taps; ++t) {
    int64_t at = walk->first + p * walk->step + t * walk->tap;
    if (at < 0 || at >= walk->size) continue;
    if (*last == 0) *first = t;
    *last = t + 1;
  }
}

// Returns where places end that follow |p| and surely see the same taps, [first,
// last), as it does: those inside the image.
static int64_t alike_end(const berth_conv_walk_t *walk, int64_t p,
                         int64_t first, int64_t last) {
  if (walk->tap < 0 || first > 0 || last < walk->taps) return p + 1;
  int64_t room = walk->size - 1 - (walk->taps - 1) * walk->tap - walk->first;
  int64_t end = room / walk->step + 1;
  end = end < walk->count ? end : walk->count;
  return end > p ? end : p + 1;
}

// Places whose taps are the same go together.
static void row_walk(const row_t *row) {
  const berth_conv_walk_t *walk = &row->pass->walks[BERTH_WINDOW_AXES - 1];
  for (int64_t p = 0, end = 0; p < walk->count; p = end) {
    int64_t first = 0, last = 0, f = 0, l = 0;
    taps_at(walk, p, &first, &last);
    for (end = alike_end(walk, p, first, last); end < walk->count; ++end) {
      taps_at(walk, end, &f, &l);
      if (f != first || l != last) break;
    }
    row_run(row, p, end, first, last);
  }
}

// Sets the taps across a row: those of places |z| and |y|.
static void row_set(row_t *row, int64_t z, int64_t y) {
  const berth_conv_pass_t *pass = row->pass;
  const berth_conv_walk_t *w = pass->walks;
  const berth_window_axis_t *axes = row->plan->conv.window.axes;
  row->lines = 0;
  for (int64_t d = 0; d < w[0].taps; ++d) {
    int64_t at_z = w[0].first + z * w[0].step + d * w[0].tap;
    for (int64_t h = 0; h < w[1].taps; ++h) {
      int64_t at_y = w[1].first + y * w[1].step + h * w[1].tap;
      if (at_z < 0 || at_z >= w[0].size || at_y < 0 || at_y >= w[1].size) {
        continue;
      }
      int64_t ring = row->plan->ring;
      row->reads[row->lines] =
          (ring > 0 ? at_y % ring : at_z * w[1].size + at_y) * w[2].size;
      int64_t tap_z = pass->tap[0] + d * pass->taps_apart[0];
      int64_t tap_y = pass->tap[1] + h * pass->taps_apart[1];
      row->filters[row->lines++] =
          (tap_z * axes[1].window + tap_y) * axes[2].window + pass->tap[2];
    }
  }
}

// Does row |index| of all passes and images; |w| is where factors are, |ring|
// where rows of the image are that are made as they are needed.
static void one_row(const run_t *run, int64_t index, char *w,
                    const char *ring) {
  const plan_t *plan = run->plan;
  const berth_conv_t *conv = &plan->conv;
  bool is_image = conv->goal == BERTH_CONV_IMAGE;
  berth_conv_pass_t pass;
  int64_t most = plan->rows / (conv->window.batch * plan->passes);
  berth_conv_pass(conv, index / most % plan->passes, &pass);
  int64_t rest = index % most, n = index / most / plan->passes;
  if (rest >= pass.walks[0].count * pass.walks[1].count) return;
  int64_t z = rest / pass.walks[1].count, y = rest % pass.walks[1].count;
  int64_t line = plan->channels * plan->size;
  const berth_window_axis_t *axes = conv->window.axes;
  int64_t high = is_image ? axes[1].in : axes[1].out;
  int64_t wide = is_image ? axes[2].in : axes[2].out;
  int64_t deep = is_image ? axes[0].in : axes[0].out;
  int64_t to =
      (pass.to[0] + z * pass.apart[0]) * high + pass.to[1] + y * pass.apart[1];
  row_t row = {.plan = plan, .pass = &pass, .w = w};
  row_set(&row, z, y);
  int64_t read = is_image ? plan->output.places : plan->image.places;
  row.x = ring != NULL
              ? ring
              : (is_image ? run->output : run->image) + n * read * line;
  row.y = (is_image ? run->image : run->output) +
          ((n * deep * high + to) * wide + pass.to[2]) * line;
  int64_t first = (n * deep * high + to) * wide * plan->channels;
  berth_ending_t ending;
  if (run->ending != NULL) {
    ending = berth_ending_at(run->ending, first, 0);
    row.ending = &ending;
  }
  row_walk(&row);
  if (run->chain != NULL) {
    berth_chain_finish(run->chain, first, wide * plan->channels);
  }
}

// ---- Squares ----

// True for windows of three by three that see one place outside at most.
static bool is_square(const berth_window_axis_t *axis) {
  int64_t last = (axis->out - 1) * axis->stride - axis->before + 2;
  return axis->window == 3 && axis->dilation == 1 && axis->before >= 0 &&
         axis->before <= 1 && axis->stride <= BERTH_DEPTHWISE_STRIDES &&
         last <= axis->in;
}

// Sets what squares see of |plan|.
static void seen_set(plan_t *plan) {
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    const berth_window_axis_t *axis = &plan->conv.window.axes[i];
    plan->seen[i] = *axis;
    if (plan->conv.goal != BERTH_CONV_IMAGE) continue;
    plan->seen[i].in = axis->out;
    plan->seen[i].out = axis->in;
    plan->seen[i].before = axis->window - 1 - axis->before;
  }
}

// Finds the loops over whole rows that do |plan|, if there are any.
static void squares_set(plan_t *plan) {
  const berth_depthwise_loops_t *loops =
      BERTH_ISA_PICK(berth_cpu_depthwise_loops);
  const berth_window_axis_t *axes = plan->seen;
  berth_conv_goal_t goal = plan->conv.goal;
  seen_set(plan);
  bool is_so =
      plan->wide == BERTH_FLOAT && axes[0].window == 1 && axes[0].in == 1 &&
      axes[0].out == 1 && is_square(&axes[1]) && is_square(&axes[2]) &&
      axes[1].stride == axes[2].stride && plan->channels >= loops->f32_lanes &&
      (goal == BERTH_CONV_OUTPUT ||
       (goal == BERTH_CONV_IMAGE && axes[1].stride == 1));
  plan->squares = is_so ? loops->f32_squares[axes[1].stride - 1] : NULL;
}

// Returns how many rows are done at once where there are |left|.
static int64_t rows_at_once(const plan_t *plan, int64_t left) {
  if (plan->squares == NULL) return 1;
  int64_t rows = left < BERTH_DEPTHWISE_ROWS ? left : BERTH_DEPTHWISE_ROWS;
  while (plan->squares[rows - 1] == NULL) --rows;
  return rows;
}

// Does rows [y, y + rows) of image |n|.
static void square_run(const run_t *run, int64_t n, int64_t y, int64_t rows,
                       const char *ring) {
  const plan_t *plan = run->plan;
  const berth_window_axis_t *axes = plan->seen;
  bool is_image = plan->conv.goal == BERTH_CONV_IMAGE;
  const char *from = is_image ? run->output : run->image;
  char *goal = is_image ? run->image : run->output;
  int64_t line = axes[2].in * plan->channels;
  int64_t row = axes[2].out * plan->channels;
  const float *image = (const float *)(const void *)ring;
  if (ring == NULL) {
    image = (const float *)(const void *)from + n * axes[1].in * line;
  }
  const float *lines[(BERTH_DEPTHWISE_ROWS - 1) * BERTH_DEPTHWISE_STRIDES + 3];
  int64_t first = y * axes[1].stride - axes[1].before;
  for (int64_t l = 0; l < (rows - 1) * axes[1].stride + 3; ++l) {
    int64_t at = first + l;
    bool is_inside = at >= 0 && at < axes[1].in;
    if (ring != NULL) at %= plan->ring;
    lines[l] = is_inside ? image + at * line : NULL;
  }
  int64_t to = (n * axes[1].out + y) * row;
  berth_ending_t ending;
  if (run->ending != NULL) ending = berth_ending_at(run->ending, to, 0);
  berth_depthwise_square_t square = {
      .x = lines,
      .w = (const float *)(const void *)run->filter,
      .y = (float *)(void *)goal + to,
      .row = row,
      .channels = plan->channels,
      .in = axes[2].in,
      .out = axes[2].out,
      .before = axes[2].before,
      .ending = run->ending != NULL ? &ending : NULL};
  plan->squares[rows - 1](&square);
  if (run->chain != NULL) berth_chain_finish(run->chain, to, rows * row);
}

// Does |rows| rows from |index| on, all of one image.
static void some_rows(const run_t *run, int64_t index, int64_t rows,
                      const char *ring) {
  int64_t each = run->plan->seen[1].out;
  if (run->plan->squares != NULL) {
    square_run(run, index / each, index % each, rows, ring);
  } else {
    one_row(run, index, run->filter, ring);
  }
}

static void rows_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  int64_t each = plan->seen[1].out, rows = 0;
  for (int64_t i = begin; i < end; i += rows) {
    int64_t left = plan->squares != NULL ? each - i % each : 1;
    rows = rows_at_once(plan, left < end - i ? left : end - i);
    some_rows(run, i, rows, NULL);
  }
}

// ---- An image that is made as it is needed ----

// Rows of the image that are there.
typedef struct ring {
  const run_t *run;
  int64_t image;
  int64_t made, most;  // Those before |made|; no more than |most| are needed.
  char *rows, *space;
} ring_t;

// Makes rows until there are |end|.
static void ring_fill(ring_t *ring, int64_t end) {
  const plan_t *plan = ring->run->plan;
  const berth_supply_t *feed = ring->run->feed;
  int64_t places = plan->conv.window.axes[BERTH_WINDOW_AXES - 1].in;
  while (ring->made < end) {
    int64_t at = ring->made % plan->ring, count = plan->ahead;
    if (count > plan->ring - at) count = plan->ring - at;
    if (count > ring->most - ring->made) count = ring->most - ring->made;
    feed->make(
        feed, ring->image, ring->made * places, (ring->made + count) * places,
        ring->rows + at * places * plan->channels * plan->size, ring->space);
    ring->made += count;
  }
}

// Does rows [begin, end) of the output of one image.
static void share_run(const run_t *run, ring_t *ring, int64_t begin,
                      int64_t end) {
  const plan_t *plan = run->plan;
  berth_conv_pass_t pass;
  berth_conv_pass(&plan->conv, 0, &pass);
  const berth_conv_walk_t *walk = &pass.walks[BERTH_WINDOW_AXES - 2];
  int64_t first = walk->first + begin * walk->step;
  int64_t reach = walk->first + (walk->taps - 1) * walk->tap + 1;
  int64_t most = reach + (end - 1) * walk->step;
  ring->made = first > 0 ? first : 0;
  ring->most = most < walk->size ? most : walk->size;
  int64_t rows = 0;
  for (int64_t y = begin; y < end; y += rows) {
    rows = rows_at_once(plan, end - y);
    int64_t last = reach + (y + rows - 1) * walk->step;
    ring_fill(ring, last < walk->size ? last : walk->size);
    some_rows(run, ring->image * walk->count + y, rows, ring->rows);
  }
}

static void shares_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  ring_t ring = {.run = run};
  atomic_flag *slot = berth_slots_take(&plan->slots, run->scratch, &ring.rows);
  const berth_window_axis_t *axes = plan->conv.window.axes;
  int64_t row = axes[2].in * plan->channels * plan->size;
  ring.space = ring.rows + (plan->ring * row + 63) / 64 * 64;
  int64_t rows = (axes[1].out + plan->shares - 1) / plan->shares;
  for (int64_t i = begin; i < end; ++i) {
    int64_t first = i % plan->shares * rows, last = first + rows;
    ring.image = i / plan->shares;
    last = last < axes[1].out ? last : axes[1].out;
    if (first < last) share_run(run, &ring, first, last);
  }
  berth_slots_give(slot);
}

// ---- The gradient of the filter ----

static int64_t sums_size(const plan_t *plan) {
  return berth_conv_taps(&plan->conv) * plan->channels * plan->size;
}

static void parts_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  for (int64_t i = begin; i < end; ++i) {
    char *sums = run->scratch + plan->sums + i * sums_size(plan);
    memset(sums, 0, (size_t)sums_size(plan));
    int64_t last = (i + 1) * plan->part;
    last = last < plan->rows ? last : plan->rows;
    for (int64_t row = i * plan->part; row < last; ++row) {
      one_row(run, row, sums, NULL);
    }
  }
}

// Adds the parts in their order, into the first.
static void parts_add(const run_t *run) {
  const plan_t *plan = run->plan;
  char *sums = run->scratch + plan->sums;
  int64_t count = sums_size(plan) / plan->size;
  for (int64_t i = 1; i < plan->parts; ++i) {
    const char *part = sums + i * sums_size(plan);
    for (int64_t j = 0; j < count; ++j) {
      if (plan->wide == BERTH_FLOAT) {
        ((float *)(void *)sums)[j] += ((const float *)(const void *)part)[j];
      } else {
        ((double *)(void *)sums)[j] += ((const double *)(const void *)part)[j];
      }
    }
  }
}

// ---- Running ----

static bool turns_filter(const plan_t *plan) {
  return plan->squares != NULL && plan->conv.goal == BERTH_CONV_IMAGE;
}

// Has the taps of the filter the other way round.
static void filter_turn(run_t *run) {
  const plan_t *plan = run->plan;
  int64_t taps = berth_conv_taps(&plan->conv);
  size_t line = (size_t)(plan->channels * plan->size);
  char *to = run->scratch + plan->turned;
  for (int64_t t = taps - 1; t >= 0; --t, to += line) {
    memcpy(to, run->filter + (size_t)t * line, line);
  }
  run->filter = run->scratch + plan->turned;
}

static berth_code_t run_head(const void *arg, void *const *args,
                             const berth_chain_t *chain, berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  berth_conv_goal_t goal = plan->conv.goal;
  berth_ending_t ending;
  run_t run = {.plan = plan,
               .args = args,
               .chain = chain,
               .ending = berth_chain_ending(chain, &ending)};
  if (run.ending != NULL) run.chain = NULL;
  run.feed = berth_chain_feed(chain);
  if (plan->has_scratch) run.scratch = args[goal == BERTH_CONV_OUTPUT ? 3 : 4];
  run.image = form_take(&run, &plan->image, goal == BERTH_CONV_IMAGE);
  run.filter = plan->scaled != NULL
                   ? (char *)(uintptr_t)plan->scaled
                   : form_take(&run, &plan->filter, goal == BERTH_CONV_FILTER);
  run.output = form_take(&run, &plan->output, goal == BERTH_CONV_OUTPUT);
  if (run.image == NULL || run.filter == NULL || run.output == NULL) {
    return BERTH_OK;  // It was ended.
  }
  if (turns_filter(plan)) filter_turn(&run);
  if (goal == BERTH_CONV_FILTER) {
    if (!berth_parallel_for(plan->parts, 1, parts_run, &run)) return BERTH_OK;
    parts_add(&run);
    form_give(&run, &plan->filter, run.scratch + plan->sums);
    return BERTH_OK;
  }
  if (run.feed != NULL) {
    berth_slots_clear(&plan->slots, run.scratch);
    berth_parallel_for(plan->conv.window.batch * plan->shares, 1, shares_run,
                       &run);
    return BERTH_OK;
  }
  if (!berth_parallel_for(plan->rows, plan->grain, rows_run, &run)) {
    return BERTH_OK;
  }
  if (goal == BERTH_CONV_OUTPUT) form_give(&run, &plan->output, run.output);
  if (goal == BERTH_CONV_IMAGE) form_give(&run, &plan->image, run.image);
  return BERTH_OK;
}

static berth_code_t run_depthwise(const void *arg, void *const *args,
                                  berth_call_t *call) {
  return run_head(arg, args, NULL, call);
}

// ---- Preparing ----

static form_t form_of(const plan_t *plan, int arg, int64_t batch,
                      int64_t places, int64_t channels) {
  bool first = plan->conv.window.layout.channels_first;
  return (form_t){.arg = arg,
                  .lines = batch * places,
                  .places = places,
                  .batch = places * channels,
                  .place = first ? 1 : channels,
                  .channel = first ? places : 1,
                  .repeats = plan->channels / channels};
}

// Gives |form| room in the scratch space unless it is as the loops have it.
static void form_plan(const plan_t *plan, form_t *form, size_t *scratch) {
  form->at = -1;
  if (form->channel == 1 && form->repeats == 1 &&
      plan->conv.dtype == plan->wide) {
    return;
  }
  form->at = (int64_t)*scratch;
  *scratch +=
      (size_t)(form->lines * plan->channels * plan->size + 63) / 64 * 64;
}

static void plan_forms(plan_t *plan, size_t *scratch) {
  const berth_conv_t *conv = &plan->conv;
  int64_t batch = conv->window.batch, channels = conv->window.channels;
  plan->image =
      form_of(plan, conv->image, batch, berth_conv_places(conv), channels);
  plan->output = form_of(plan, conv->output, batch, berth_conv_out_places(conv),
                         plan->channels);
  // The filter always has its channels last.
  plan->filter = (form_t){.arg = conv->filter,
                          .lines = berth_conv_taps(conv),
                          .places = berth_conv_taps(conv),
                          .place = plan->channels,
                          .channel = 1,
                          .repeats = 1};
  form_plan(plan, &plan->image, scratch);
  form_plan(plan, &plan->output, scratch);
  if (conv->goal == BERTH_CONV_FILTER) {
    // It is summed in parts.
    plan->filter.at = plan->sums = (int64_t)*scratch;
    *scratch += (size_t)(plan->parts * sums_size(plan));
  } else {
    form_plan(plan, &plan->filter, scratch);
  }
}

static void plan_rows(plan_t *plan, berth_prepare_t *prepare) {
  const berth_conv_t *conv = &plan->conv;
  berth_conv_pass_t pass;
  plan->passes = berth_conv_passes(conv);
  berth_conv_pass(conv, 0, &pass);  // No other has more rows.
  plan->rows = conv->window.batch * plan->passes * pass.walks[0].count *
               pass.walks[1].count;
  double work =
      (double)conv->window.batch * (double)berth_conv_out_places(conv) *
      (double)berth_conv_taps(conv) * (double)plan->channels * UNIT_NS;
  double row = work / (double)plan->rows;
  plan->grain = row >= PIECE_NS ? 1 : (int64_t)(PIECE_NS / (row + 1e-3)) + 1;
  plan->grain = plan->grain < plan->rows ? plan->grain : plan->rows;
  // Two threads each find their half of the image near where that was made by
  // halves.
  int64_t pieces = (plan->rows + plan->grain - 1) / plan->grain;
  if (pieces % 2 == 1) pieces += pieces > 1;
  plan->grain = (plan->rows + pieces - 1) / pieces;
  plan->part = (plan->rows + MOST_PARTS - 1) / MOST_PARTS;
  plan->part = plan->part > plan->grain ? plan->part : plan->grain;
  plan->parts = (plan->rows + plan->part - 1) / plan->part;
  prepare->work = work < 1e15 ? (int64_t)work : INT64_MAX / 2;
}

static berth_depthwise_fn choose_loop(const plan_t *plan) {
  const berth_depthwise_loops_t *loops =
      BERTH_ISA_PICK(berth_cpu_depthwise_loops);
  bool adds = plan->conv.goal == BERTH_CONV_FILTER;
  if (plan->wide == BERTH_DOUBLE) return adds ? loops->f64_add : loops->f64_dot;
  return adds ? loops->f32_add : loops->f32_dot;
}

// Returns a plan whose filter is multiplied by |factors|, one a channel.
static const void *scale(const void *arg, berth_prepare_t *prepare,
                         const float *factors) {
  plan_t *plan = berth_arena_memdup(prepare->op.arena, arg, sizeof(*plan));
  int64_t taps = berth_conv_taps(&((const plan_t *)arg)->conv);
  if (plan == NULL) return NULL;
  float *scaled = berth_arena_alloc(
      prepare->op.arena, (size_t)(taps * plan->channels) * sizeof(*scaled));
  if (scaled == NULL) return NULL;
  for (int64_t i = 0; i < taps * plan->channels; ++i) {
    scaled[i] = plan->fixed[i] * factors[i % plan->channels];
  }
  plan->scaled = scaled;
  return plan;
}

// As berth_cpu_term_t.pad.
static berth_code_t pad(const void *arg, berth_prepare_t *prepare,
                        const int64_t *pads, const void **out_plan) {
  plan_t *plan = berth_arena_memdup(prepare->op.arena, arg, sizeof(*plan));
  if (plan == NULL) return BERTH_RESOURCE_EXHAUSTED;
  if (!berth_conv_pad(&plan->conv, pads)) return BERTH_UNIMPLEMENTED;
  const berth_window_t *window = &plan->conv.window;
  plan->image = form_of(plan, plan->conv.image, window->batch,
                        berth_conv_places(&plan->conv), window->channels);
  plan->image.at = -1;
  squares_set(plan);
  *out_plan = plan;
  return BERTH_OK;
}

// Returns into how many parts an image is cut where it is made as it is needed;
// 0: it had better be made before. Parts make the rows between them twice, which
// may cost a twentieth.
static int64_t shares_of(const plan_t *plan) {
  enum { MOST_TWICE = 20 };
  const berth_window_t *window = &plan->conv.window;
  const berth_window_axis_t *axis = &window->axes[1];
  int64_t threads = berth_parallel_threads();
  int64_t shares = (threads + window->batch - 1) / window->batch;
  int64_t twice = (axis->window - 1) * axis->dilation + 1 - axis->stride;
  if (shares > axis->out ||
      (twice > 0 && (shares - 1) * twice * MOST_TWICE > axis->in)) {
    return 0;
  }
  return shares;
}

// As berth_cpu_term_t.feed.
static berth_code_t feed(const void *arg, berth_prepare_t *prepare,
                         berth_fed_t *fed, const void **out_plan) {
  enum { PLACES = 224 };  // That are made at a time, about.
  const plan_t *given = arg;
  const berth_window_axis_t *axes = given->conv.window.axes;
  int64_t shares = shares_of(given);
  if (shares == 0 || axes[0].in != 1 || axes[0].window != 1) {
    return BERTH_UNIMPLEMENTED;
  }
  plan_t *plan = berth_arena_memdup(prepare->op.arena, arg, sizeof(*plan));
  if (plan == NULL) return BERTH_RESOURCE_EXHAUSTED;
  int64_t row = axes[2].in * plan->channels * plan->size;
  plan->shares = shares;
  plan->ahead = (PLACES + axes[2].in - 1) / axes[2].in;
  int64_t more = (rows_at_once(plan, axes[1].out) - 1) * axes[1].stride;
  plan->ring = plan->ahead + (axes[1].window - 1) * axes[1].dilation + 1 + more;
  if (plan->ring > axes[1].in) plan->ring = axes[1].in;
  plan->slots = berth_slots_for(given->conv.window.batch * shares,
                                (plan->ring * row + 63) / 64 * 64 + fed->space);
  plan->has_scratch = true;
  fed->scratch_size = (size_t)berth_slots_bytes(&plan->slots);
  *out_plan = plan;
  return BERTH_OK;
}

static berth_code_t head_set(plan_t *plan, berth_prepare_t *prepare,
                             berth_error_t *err) {
  const berth_case_input_t *filter = &prepare->op.inputs[plan->conv.filter];
  berth_cpu_term_t *head = NULL;
  BERTH_TRY(
      berth_cpu_head(prepare, plan->channels, (size_t)plan->size, &head, err));
  head->run = run_head;
  if (plan->conv.dtype != BERTH_FLOAT) return BERTH_OK;
  head->ends = true;
  if (filter->is_fixed) {
    plan->fixed = filter->value;
    head->scale = scale;
  }
  if (plan->image.at < 0) {
    head->term.fed = UINT32_C(1) << plan->conv.image;
    head->pad = pad;
    head->feed = feed;
  }
  return BERTH_OK;
}

// True where lanes (conv_lanes.h) do better than a form: where channels do not
// fill vectors, and for the few sums that have as many places to be added.
static bool lanes_are_better(const berth_conv_t *conv) {
  const berth_window_t *window = &conv->window;
  int64_t lanes = BERTH_ISA_PICK(berth_cpu_depthwise_loops)->f32_lanes;
  int64_t repeats = berth_conv_out_depth(conv);
  bool has_form = conv->dtype == BERTH_FLOAT && window->out_channels >= lanes;
  int64_t least = conv->goal == BERTH_CONV_OUTPUT ? 2 : LEAST_REPEATS;
  return berth_conv_lanes_fits(conv) &&
         (!has_form || conv->goal == BERTH_CONV_FILTER || repeats < least);
}

static berth_code_t depthwise_plan(berth_prepare_t *prepare,
                                   const berth_conv_t *conv,
                                   berth_error_t *err) {
  const berth_window_t *window = &conv->window;
  bool has_form = window->channels == window->out_channels &&
                  (conv->dtype == BERTH_FLOAT || conv->dtype == BERTH_DOUBLE);
  if (conv->is_empty || conv->is_zero || berth_conv_taps(conv) > MOST_TAPS ||
      (!has_form && lanes_are_better(conv))) {
    return berth_cpu_conv_plan(prepare, conv, err);
  }
  if (window->layout.channels_first) {
    return berth_conv_planes_plan(prepare, conv, depthwise_plan, err);
  }
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) {
    return berth_error_no_memory(err, "the plan of a convolution");
  }
  plan->conv = *conv;
  plan->wide = conv->dtype == BERTH_DOUBLE ? BERTH_DOUBLE : BERTH_FLOAT;
  plan->size = (int64_t)berth_dtype_size(plan->wide);
  plan->channels = window->out_channels;
  plan_rows(plan, prepare);
  plan_forms(plan, &prepare->scratch_size);
  squares_set(plan);
  if (turns_filter(plan)) {
    plan->turned = (int64_t)prepare->scratch_size;
    prepare->scratch_size += (size_t)sums_size(plan);
  }
  plan->has_scratch = prepare->scratch_size > 0;
  plan->loop = choose_loop(plan);
  prepare->run = run_depthwise;
  if (conv->goal == BERTH_CONV_OUTPUT && plan->output.at < 0) {
    return head_set(plan, prepare, err);
  }
  return BERTH_OK;
}

static berth_code_t prepare_depthwise(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  berth_conv_t conv;
  BERTH_TRY(berth_op_conv(&prepare->op, &conv, err));
  return depthwise_plan(prepare, &conv, err);
}

#define KERNEL(name)                                    \
  {                                                     \
    .op = name, .types = {{"T", BERTH_TYPES_FLOATING}}, \
    .prepare = prepare_depthwise                        \
  }

const berth_kernel_t berth_cpu_depthwise_kernels[] = {
    KERNEL("DepthwiseConv2dNative"),
    KERNEL("DepthwiseConv2dNativeBackpropFilter"),
    KERNEL("DepthwiseConv2dNativeBackpropInput"),
    {.op = NULL},
};
