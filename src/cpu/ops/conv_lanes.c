// conv_lanes.c - Convolutions whose channels are in small groups.
#include "cpu/ops/conv_lanes.h"

#include <string.h>

#include "base/parallel.h"
#include "cpu/loops/convert.h"
#include "cpu/loops/lanes.h"
#include "cpu/ops/conv.h"
#include "cpu/ops/slots.h"
#include "tensor/half.h"

enum {
  AXES = BERTH_WINDOW_AXES,
  MOST = BERTH_LANES_MOST,
  MOST_WIDE = 16,         // Channels of a group that products are as good at.
  MOST_LINES = 256,       // Taps across a row.
  BAND_BYTES = 32 << 10,  // of places in vectors: they stay near.
  MOST_PLACES = 1024,     // Along a row of a band.
};

// In picoseconds: a multiplication.
#define UNIT_COST 25.0

typedef struct plan {
  berth_conv_t conv;
  const berth_lane_loops_t *loops;
  berth_lanes_read_fn read;
  int64_t lanes, size;  // Of a vector; bytes of an element.
  int64_t some;         // Channels of the goal in a block: at most |lanes|.
  int64_t depth, wide;  // Channels of a group: read, and of the goal.
  int64_t from, to;     // All channels: read, and of the goal.
  int64_t blocks, passes, taps;
  // What a place is of: one vector for all factors, or one for each.
  int64_t vectors;
  const int32_t *at;   // By block: the channel, behind its first, of each lane.
  int32_t same[MOST];  // Each lane itself.
  // Places p of all passes read from p * step + low up to p * step + high.
  int64_t low[AXES], high[AXES], step[AXES];
  int64_t sizes[AXES];               // Of what is read.
  int64_t count[AXES], band[AXES];   // Places, and of those a band has.
  int64_t bands[AXES], lines[AXES];  // Bands, and what one reads.
  berth_slots_t slots;
  int64_t made_at;     // In a slot, behind what is in lanes.
  int64_t factors_at;  // In the scratch space.
} plan_t;

typedef struct run {
  const plan_t *plan;
  const char *from, *other;  // What is read; the filter, or the slopes.
  char *goal, *scratch;
} run_t;

// Some channels of a band, in a slot.
typedef struct work {
  const run_t *run;
  int64_t image, block;
  int64_t begin[AXES];  // The first places.
  float *places, *made;
} work_t;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t channels_of(const plan_t *plan, int64_t block) {
  return least(plan->some, plan->to - block * plan->some);
}

static float *factors_of(const run_t *run, int64_t block) {
  const plan_t *plan = run->plan;
  return (float *)(void *)(run->scratch + plan->factors_at) +
         block * plan->taps * plan->depth * plan->lanes;
}

// ---- Elements ----

static float element(berth_dtype_t dtype, const char *from) {
  uint16_t bits = 0;
  float x = 0;
  if (dtype == BERTH_FLOAT) {
    memcpy(&x, from, sizeof(x));
    return x;
  }
  memcpy(&bits, from, sizeof(bits));
  return dtype == BERTH_HALF ? berth_half_to_float(bits)
                             : berth_bfloat16_to_float(bits);
}

// Stores |count| floats as they are in the goal.
static void elements_give(berth_dtype_t dtype, const float *from, int64_t count,
                          char *to) {
  const berth_convert_loops_t *loops = BERTH_ISA_PICK(berth_cpu_convert_loops);
  if (dtype == BERTH_FLOAT) {
    memcpy(to, from, (size_t)count * sizeof(*from));
  } else if (dtype == BERTH_HALF) {
    loops->float_to_half(from, to, count);
  } else {
    loops->FLOAT_to_BFLOAT16(from, to, count);
  }
}

// ---- The filter ----

// Returns the bytes from the begin of the filter to factor |i| of tap |t| of
// channel |c| of the goal.
static int64_t factor_at(const plan_t *plan, int64_t t, int64_t i, int64_t c) {
  int64_t outer = plan->conv.window.out_channels;
  if (plan->conv.goal != BERTH_CONV_IMAGE) {
    return ((t * plan->depth + i) * outer + c) * plan->size;
  }
  return ((t * plan->wide + c % plan->wide) * outer +
          c / plan->wide * plan->depth + i) *
         plan->size;
}

// Brings the factors of blocks [begin, end) into lanes.
static void factors_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  for (int64_t b = begin; b < end; ++b) {
    float *to = factors_of(run, b);
    int64_t count = channels_of(plan, b);
    for (int64_t t = 0; t < plan->taps; ++t) {
      for (int64_t i = 0; i < plan->depth; ++i, to += plan->lanes) {
        for (int64_t l = 0; l < plan->lanes; ++l) to[l] = 0;
        for (int64_t l = 0; l < count; ++l) {
          int64_t at = factor_at(plan, t, i, b * plan->some + l);
          to[l] = element(plan->conv.dtype, run->other + at);
        }
      }
    }
  }
}

// ---- Bringing into lanes ----

// Brings the part of row |row| of an image (NULL: zeros) that the band sees
// into vectors.
static void row_read(const work_t *work, const char *row, float *to) {
  const plan_t *plan = work->run->plan;
  int64_t count = plan->lines[2], line = plan->vectors * plan->lanes;
  int64_t first = work->begin[2] * plan->step[2] + plan->low[2];
  int64_t begin = first < 0 ? least(-first, count) : 0;
  int64_t end = least(count, plan->sizes[2] - first);
  if (row == NULL || end <= begin) begin = end = count;
  memset(to, 0, (size_t)(begin * line) * sizeof(*to));
  if (begin < end) {
    int64_t channel = work->block * plan->some / plan->wide * plan->depth;
    bool is_one = plan->vectors < plan->depth;
    berth_lanes_read_t read = {
        .from = row + ((first + begin) * plan->from + channel) * plan->size,
        .place = plan->from,
        .count = end - begin,
        .lanes = least(plan->lanes, plan->from - channel),
        .vectors = plan->vectors,
        .at = is_one ? NULL : plan->at + work->block * line,
        .to = to + begin * line};
    plan->read(&read);
  }
  memset(to + end * line, 0, (size_t)((count - end) * line) * sizeof(*to));
}

static void band_read(const work_t *work) {
  const plan_t *plan = work->run->plan;
  const int64_t *sizes = plan->sizes;
  int64_t row = plan->lines[2] * plan->vectors * plan->lanes;
  float *to = work->places;
  for (int64_t d = 0; d < plan->lines[0]; ++d) {
    int64_t z = work->begin[0] * plan->step[0] + plan->low[0] + d;
    for (int64_t h = 0; h < plan->lines[1]; ++h, to += row) {
      int64_t y = work->begin[1] * plan->step[1] + plan->low[1] + h;
      bool is_inside = z >= 0 && z < sizes[0] && y >= 0 && y < sizes[1];
      int64_t line = ((work->image * sizes[0] + z) * sizes[1] + y) * sizes[2];
      row_read(
          work,
          is_inside ? work->run->from + line * plan->from * plan->size : NULL,
          to);
    }
  }
}

// ---- Rows ----

// Sets the taps that a row of places of |pass| sees, |y| of axis 1.
static void lines_set(const work_t *work, const berth_conv_pass_t *pass,
                      int64_t y, berth_lane_sums_t *run) {
  const plan_t *plan = work->run->plan;
  const berth_conv_walk_t *w = pass->walks;
  const berth_window_axis_t *axes = plan->conv.window.axes;
  int64_t line = plan->vectors * plan->lanes;
  int64_t factor = plan->depth * plan->lanes;
  float *factors = factors_of(work->run, work->block);
  run->lines = 0;
  run->taps = w[2].taps;
  run->depth = plan->depth;
  bool is_one = plan->vectors < plan->depth;
  run->at = is_one ? plan->at + work->block * factor : plan->same;
  run->at_next = is_one ? plan->lanes : 0;
  run->x_next = is_one ? 0 : plan->lanes;
  run->x_tap = w[2].tap * line;
  run->w_tap = pass->taps_apart[2] * factor;
  run->step = w[2].step * line;
  for (int64_t d = 0; d < w[0].taps; ++d) {
    int64_t plane = w[0].first + d * w[0].tap - plan->low[0];
    int64_t tap_z = pass->tap[0] + d * pass->taps_apart[0];
    for (int64_t h = 0; h < w[1].taps; ++h) {
      int64_t row = (y - work->begin[1]) * w[1].step + w[1].first +
                    h * w[1].tap - plan->low[1];
      int64_t tap_y = pass->tap[1] + h * pass->taps_apart[1];
      int64_t at = (plane * plan->lines[1] + row) * plan->lines[2] +
                   w[2].first - plan->low[2];
      int64_t tap =
          (tap_z * axes[1].window + tap_y) * axes[2].window + pass->tap[2];
      run->x[run->lines] = work->places + at * line;
      run->w[run->lines++] = factors + tap * factor;
    }
  }
}

// Writes row |y| of the band, of one pass.
static void row_write(const work_t *work, const berth_conv_pass_t *pass,
                      int64_t y, int64_t places) {
  const plan_t *plan = work->run->plan;
  const berth_window_axis_t *axes = plan->conv.window.axes;
  bool is_image = plan->conv.goal == BERTH_CONV_IMAGE;
  const float *x[MOST_LINES];
  float *w[MOST_LINES];
  berth_lane_sums_t run = {.x = x, .w = w, .places = places};
  lines_set(work, pass, y, &run);
  int64_t at = work->image;
  const int64_t spot[AXES] = {work->begin[0], y, work->begin[2]};
  for (int i = 0; i < AXES; ++i) {
    at = at * (is_image ? axes[i].in : axes[i].out) + pass->to[i] +
         spot[i] * pass->apart[i];
  }
  int64_t count = channels_of(plan, work->block), apart = pass->apart[2];
  char *to =
      work->run->goal + (at * plan->to + work->block * plan->some) * plan->size;
  bool is_straight = plan->conv.dtype == BERTH_FLOAT && count == plan->lanes;
  run.y = is_straight ? (float *)(void *)to : work->made;
  run.apart = is_straight ? apart * plan->to : plan->lanes;
  plan->loops->dot(&run);
  for (int64_t p = 0; !is_straight && p < places; ++p) {
    elements_give(plan->conv.dtype, work->made + p * plan->lanes, count, to);
    to += apart * plan->to * plan->size;
  }
}

// Returns how many places of |walk| are in the band, along |axis|.
static int64_t places_in(const work_t *work, const berth_conv_walk_t *walk,
                         int axis) {
  int64_t left = walk->count - work->begin[axis];
  return least(left, work->run->plan->band[axis]);
}

static void band_write(const work_t *work) {
  const plan_t *plan = work->run->plan;
  for (int64_t i = 0; i < plan->passes; ++i) {
    berth_conv_pass_t pass;
    berth_conv_pass(&plan->conv, i, &pass);
    int64_t rows = places_in(work, &pass.walks[1], 1);
    int64_t places = places_in(work, &pass.walks[2], 2);
    if (places_in(work, &pass.walks[0], 0) < 1 || places < 1) continue;
    for (int64_t y = 0; y < rows; ++y) {
      row_write(work, &pass, work->begin[1] + y, places);
    }
  }
}

// ---- Slopes by the filter ----

// Adds what row |y| of the band gives.
static void row_add(const work_t *work, const berth_conv_pass_t *pass,
                    int64_t y, int64_t places) {
  const plan_t *plan = work->run->plan;
  const berth_window_axis_t *axes = plan->conv.window.axes;
  const float *x[MOST_LINES];
  float *w[MOST_LINES];
  berth_lane_sums_t run = {.x = x, .w = w, .places = places};
  lines_set(work, pass, y, &run);
  int64_t at = (work->image * axes[0].out + work->begin[0]) * axes[1].out + y;
  at = at * axes[2].out + work->begin[2];
  const char *slopes = work->run->other + at * plan->to * plan->size;
  int64_t count = channels_of(plan, work->block);
  slopes += work->block * plan->some * plan->size;
  if (count == plan->lanes && plan->conv.dtype == BERTH_FLOAT) {
    run.y = (float *)(void *)(uintptr_t)slopes;
    run.apart = plan->to;
  } else {
    berth_lanes_read_t read = {.from = slopes,
                               .place = plan->to,
                               .count = places,
                               .lanes = count,
                               .vectors = 1,
                               .to = work->made};
    plan->read(&read);
    run.y = work->made;
    run.apart = plan->lanes;
  }
  plan->loops->add(&run);
}

static void band_add(const work_t *work) {
  berth_conv_pass_t pass;
  berth_conv_pass(&work->run->plan->conv, 0, &pass);
  int64_t rows = places_in(work, &pass.walks[1], 1);
  int64_t places = places_in(work, &pass.walks[2], 2);
  for (int64_t y = 0; y < rows; ++y) {
    row_add(work, &pass, work->begin[1] + y, places);
  }
}

// Stores the sums of a block in the goal.
static void sums_give(const run_t *run, int64_t block) {
  const plan_t *plan = run->plan;
  const float *from = factors_of(run, block);
  int64_t count = channels_of(plan, block);
  for (int64_t t = 0; t < plan->taps; ++t) {
    for (int64_t i = 0; i < plan->depth; ++i, from += plan->lanes) {
      elements_give(plan->conv.dtype, from, count,
                    run->goal + factor_at(plan, t, i, block * plan->some));
    }
  }
}

// ---- Running ----

// Sets |work| in a slot whose space is at |space|.
static void work_set(work_t *work, const run_t *run, char *space) {
  const plan_t *plan = run->plan;
  *work = (work_t){.run = run,
                   .places = (float *)(void *)space,
                   .made = (float *)(void *)(space + plan->made_at)};
}

// Returns how many bands an image has.
static int64_t bands_of(const plan_t *plan) {
  return plan->bands[0] * plan->bands[1] * plan->bands[2];
}

static void band_set(work_t *work, int64_t index) {
  const plan_t *plan = work->run->plan;
  for (int i = AXES - 1; i >= 0; --i) {
    work->begin[i] = index % plan->bands[i] * plan->band[i];
    index /= plan->bands[i];
  }
  work->image = index;
}

static void bands_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  char *space = NULL;
  atomic_flag *slot = berth_slots_take(&plan->slots, run->scratch, &space);
  work_t work;
  work_set(&work, run, space);
  for (int64_t i = begin; i < end; ++i) {
    work.block = i % plan->blocks;
    band_set(&work, i / plan->blocks);
    band_read(&work);
    band_write(&work);
  }
  berth_slots_give(slot);
}

static void blocks_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  char *space = NULL;
  atomic_flag *slot = berth_slots_take(&plan->slots, run->scratch, &space);
  work_t work;
  work_set(&work, run, space);
  int64_t each = bands_of(plan) * plan->conv.window.batch;
  for (work.block = begin; work.block < end; ++work.block) {
    memset(factors_of(run, work.block), 0,
           (size_t)(plan->taps * plan->depth * plan->lanes) * sizeof(float));
    for (int64_t i = 0; i < each; ++i) {
      band_set(&work, i);
      band_read(&work);
      band_add(&work);
    }
    sums_give(run, work.block);
  }
  berth_slots_give(slot);
}

static berth_code_t run_lanes(const void *arg, void *const *args,
                              berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  const berth_conv_t *conv = &plan->conv;
  bool is_filter = conv->goal == BERTH_CONV_FILTER;
  int goal = conv->goal == BERTH_CONV_OUTPUT ? 2 : 3;
  run_t run = {
      .plan = plan,
      .from = args[conv->goal == BERTH_CONV_IMAGE ? conv->output : conv->image],
      .other = args[is_filter ? conv->output : conv->filter],
      .goal = args[goal],
      .scratch = args[goal + 1]};
  berth_slots_clear(&plan->slots, run.scratch);
  if (is_filter) {
    (void)berth_parallel_for(plan->blocks, 1, blocks_run, &run);
    return BERTH_OK;
  }
  if (!berth_parallel_for(plan->blocks, 1, factors_run, &run)) return BERTH_OK;
  int64_t items = plan->blocks * bands_of(plan) * conv->window.batch;
  // Where it is ended the run says so.
  (void)berth_parallel_for(items, 1, bands_run, &run);
  return BERTH_OK;
}

// ---- Preparing ----

bool berth_conv_lanes_fits(const berth_conv_t *conv) {
  const berth_window_t *window = &conv->window;
  bool is_image = conv->goal == BERTH_CONV_IMAGE;
  int64_t wide = is_image ? berth_conv_depth(conv) : berth_conv_out_depth(conv);
  int64_t depth =
      is_image ? berth_conv_out_depth(conv) : berth_conv_depth(conv);
  bool has_type = conv->dtype == BERTH_FLOAT || conv->dtype == BERTH_HALF ||
                  conv->dtype == BERTH_BFLOAT16;
  int64_t taps = berth_conv_taps(conv);
  return has_type && conv->groups > 1 && !window->layout.channels_first &&
         wide <= MOST_WIDE && depth <= 4 * MOST_WIDE &&
         window->axes[0].window * window->axes[1].window <= MOST_LINES &&
         (taps > 1 || (wide <= MOST_WIDE / 2 && depth <= wide));
}

// Finds what the places of all passes read.
static void plan_reach(plan_t *plan) {
  bool is_known[AXES] = {false};
  for (int64_t i = plan->passes - 1; i >= 0; --i) {
    berth_conv_pass_t pass;
    berth_conv_pass(&plan->conv, i, &pass);
    for (int a = 0; a < AXES; ++a) {
      const berth_conv_walk_t *walk = &pass.walks[a];
      plan->count[a] = walk->count;  // None has more than the first.
      plan->step[a] = walk->step;
      plan->sizes[a] = walk->size;
      if (walk->taps == 0) continue;
      int64_t last = walk->first + (walk->taps - 1) * walk->tap;
      int64_t low = least(walk->first, last);
      int64_t high = walk->first + last - low;
      if (!is_known[a] || low < plan->low[a]) plan->low[a] = low;
      if (!is_known[a] || high > plan->high[a]) plan->high[a] = high;
      is_known[a] = true;
    }
  }
}

static void band_cut(plan_t *plan, int axis, int64_t most) {
  int64_t count = plan->count[axis];
  most = most < 1 ? 1 : most;
  plan->bands[axis] = (count + most - 1) / most;
  plan->band[axis] = (count + plan->bands[axis] - 1) / plan->bands[axis];
  plan->bands[axis] = (count + plan->band[axis] - 1) / plan->band[axis];
  plan->lines[axis] = (plan->band[axis] - 1) * plan->step[axis] +
                      plan->high[axis] - plan->low[axis] + 1;
}

// Cuts images into bands that stay near, but not so low that much is brought
// into lanes twice.
static void plan_bands(plan_t *plan) {
  band_cut(plan, 0, 1);
  band_cut(plan, 2, MOST_PLACES);
  int64_t row = plan->lines[0] * plan->lines[2] * plan->vectors * plan->lanes *
                (int64_t)sizeof(float);
  int64_t again = plan->high[1] - plan->low[1] + 1 - plan->step[1];
  int64_t rows = (BAND_BYTES / row - again) / plan->step[1];
  int64_t fewest = 3 * again / plan->step[1];
  band_cut(plan, 1, rows > fewest ? rows : fewest);
}

// Finds which channels the lanes of |block| see, behind the first of all.
static void channels_find(const plan_t *plan, int64_t block, int32_t *at) {
  int64_t first = block * plan->some;
  int64_t last = first + channels_of(plan, block) - 1;
  for (int64_t i = 0; i < plan->depth; ++i) {
    for (int64_t l = 0; l < plan->lanes; ++l, ++at) {
      // Lanes without a channel see what the last one sees.
      int64_t group = least(first + l, last) / plan->wide;
      *at = (int32_t)((group - first / plan->wide) * plan->depth + i);
    }
  }
}

// Cuts the channels into blocks, of whole groups where a vector holds some;
// false when memory is short.
static bool plan_channels(plan_t *plan, berth_prepare_t *prepare) {
  int64_t each = plan->depth * plan->lanes;
  bool has_groups = plan->wide <= plan->lanes;
  plan->some = plan->lanes - (has_groups ? plan->lanes % plan->wide : 0);
  plan->blocks = (plan->to + plan->some - 1) / plan->some;
  bool is_one =
      has_groups && plan->some / plan->wide * plan->depth <= plan->lanes;
  plan->vectors = is_one ? 1 : plan->depth;
  int32_t *at = berth_arena_alloc(prepare->op.arena,
                                  (size_t)(plan->blocks * each) * sizeof(*at));
  if (at == NULL) return false;
  for (int64_t b = 0; b < plan->blocks; ++b) {
    channels_find(plan, b, at + b * each);
  }
  plan->at = at;
  for (int i = 0; i < MOST; ++i) plan->same[i] = i;
  return true;
}

static void plan_space(plan_t *plan, berth_prepare_t *prepare) {
  int64_t size = sizeof(float), line = plan->depth * plan->lanes;
  plan->made_at = plan->lines[0] * plan->lines[1] * plan->lines[2] *
                  plan->vectors * plan->lanes * size;
  bool is_filter = plan->conv.goal == BERTH_CONV_FILTER;
  int64_t items = plan->blocks;
  if (!is_filter) items *= bands_of(plan) * plan->conv.window.batch;
  plan->slots = berth_slots_for(
      items, plan->made_at + plan->band[2] * plan->lanes * size);
  plan->factors_at = berth_slots_bytes(&plan->slots);
  prepare->scratch_size =
      (size_t)(plan->factors_at + plan->blocks * plan->taps * line * size);
}

berth_code_t berth_conv_lanes_plan(berth_prepare_t *prepare,
                                   const berth_conv_t *conv,
                                   berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) {
    return berth_error_no_memory(err, "the plan of a convolution");
  }
  bool is_image = conv->goal == BERTH_CONV_IMAGE;
  int64_t depth = berth_conv_depth(conv), outer = berth_conv_out_depth(conv);
  plan->conv = *conv;
  plan->loops = BERTH_ISA_PICK(berth_cpu_lane_loops);
  plan->read = conv->dtype == BERTH_FLOAT  ? plan->loops->read_f32
               : conv->dtype == BERTH_HALF ? plan->loops->read_half
                                           : plan->loops->read_bfloat16;
  plan->lanes = plan->loops->lanes;
  plan->size = (int64_t)berth_dtype_size(conv->dtype);
  plan->depth = is_image ? outer : depth;
  plan->wide = is_image ? depth : outer;
  plan->from = plan->depth * conv->groups;
  plan->to = plan->wide * conv->groups;
  plan->passes = berth_conv_passes(conv);
  plan->taps = berth_conv_taps(conv);
  if (!plan_channels(plan, prepare)) {
    return berth_error_no_memory(err, "the plan of a convolution");
  }
  plan_reach(plan);
  plan_bands(plan);
  plan_space(plan, prepare);
  double work = (double)conv->window.batch *
                (double)berth_conv_out_places(conv) * (double)plan->taps *
                (double)depth * (double)conv->window.out_channels;
  prepare->work =
      work < 1e15 ? (int64_t)(work * UNIT_COST / 1000) : INT64_MAX / 2;
  prepare->run = run_lanes;
  return BERTH_OK;
}
