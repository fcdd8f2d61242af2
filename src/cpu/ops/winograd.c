// winograd.c - Convolutions by tiles, where they take fewer multiplications.
#include "cpu/ops/winograd.h"

#include <string.h>

#include "base/parallel.h"
#include "cpu/loops/gemm.h"
#include "cpu/loops/winograd.h"
#include "cpu/ops/chain.h"
#include "cpu/ops/packed.h"
#include "cpu/ops/slots.h"

enum {
  TILE = BERTH_WINOGRAD_TILE,
  POINTS = BERTH_WINOGRAD_POINTS,
  MOST_LINES = 16,               // Of an output that a tile stands for.
  LEAST_TILES = 12,              // Fewer leave the products without rows.
  MOST_DEPTH = BERTH_GEMM_TILE,  // Channels: products are one tile wide.
  MOST_FILTER = 16 << 20,        // Bytes of a filter in all points.
  BATCH_BYTES = 2 << 20,         // Of tiles in all points, both sides.
  LEAST_BATCH = 8 * BERTH_GEMM_ROWS,
  TILE_GRAIN = 16,      // Tiles that are read or written together,
  POINT_GRAIN = 9,      // points that are multiplied,
  FILTER_GRAIN = 4096,  // and elements of a filter.
};

// In picoseconds: a multiplication.
#define UNIT_COST 25.0

typedef struct plan {
  berth_conv_t conv;
  int window, wide;
  // Of what is read in tiles, and of what tiles stand for.
  int64_t depth, height, width;
  int64_t out_depth, out_height, out_width;
  int64_t gap[2];  // Dilations: places so far apart are an image of their own.
  int64_t first[2];       // Where the first tile begins.
  int64_t rows, columns;  // Of tiles, of such an image.
  int64_t tiles, batch;   // Of all images; worked on at a time.
  berth_slots_t slots;    // For products.
  // In the scratch space: zeros, points of what is read and of what is made,
  // those of the filter, and the filter as it is packed.
  int64_t zeros_at, read_at, made_at, filter_at, packed_at;
  const berth_packed_t *packed;  // The filter is a constant; or NULL.
  berth_matrices_t matrices;     // What |packed| is of.
} plan_t;

typedef struct run {
  const plan_t *plan;
  const berth_winograd_loops_t *loops;
  const berth_gemm_loops_t *gemm;
  const float *from, *filter, *slopes;
  float *goal;
  char *scratch;
  const char *packed;
  const berth_ending_t *ending;  // NULL: none.
  int64_t begin, end;            // The tiles that are worked on.
} run_t;

// Returns what lies |at| bytes behind the begin of the scratch space.
static float *place_of(const run_t *run, int64_t at) {
  return (float *)(void *)(run->scratch + at);
}

static int64_t filter_size(const plan_t *plan) {
  return plan->depth * plan->out_depth;
}

// ---- Tiles ----

typedef struct spot {
  int64_t image, y, x;  // Of the first place that the tile stands for.
} spot_t;

static spot_t spot_of(const plan_t *plan, int64_t tile) {
  int64_t column = tile % plan->columns;
  tile /= plan->columns;
  int64_t row = tile % plan->rows;
  tile /= plan->rows;
  int64_t phases = plan->gap[0] * plan->gap[1], phase = tile % phases;
  return (spot_t){
      tile / phases,
      row * plan->wide * plan->gap[0] + phase / plan->gap[1],
      column * plan->wide * plan->gap[1] + phase % plan->gap[1]};
}

// Stores where the lines of |count| places by as many are, from |y| and |x| on and
// |gap| apart; |none| for those outside.
static void lines_find(const float *base, const int64_t *sizes,
                       const int64_t *gap, int64_t y, int64_t x, int count,
                       const float *none, const float **out) {
  for (int i = 0; i < count; ++i, y += gap[0]) {
    for (int j = 0; j < count; ++j) {
      int64_t at = x + j * gap[1];
      bool is_inside = y >= 0 && y < sizes[0] && at >= 0 && at < sizes[1];
      out[i * count + j] =
          is_inside ? base + (y * sizes[1] + at) * sizes[2] : none;
    }
  }
}

// Finds the places that tile |t| stands for; NULL for those outside.
static void places_find(const plan_t *plan, const float *base, int64_t t,
                        const float **out) {
  const int64_t sizes[] = {plan->out_height, plan->out_width, plan->out_depth};
  spot_t spot = spot_of(plan, t);
  base += spot.image * sizes[0] * sizes[1] * sizes[2];
  lines_find(base, sizes, plan->gap, spot.y, spot.x, plan->wide, NULL, out);
}

// Brings some of the tiles into points, and what is known of the slopes by the
// places that they stand for.
static void read_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  const int64_t sizes[] = {plan->height, plan->width, plan->depth};
  int64_t image = sizes[0] * sizes[1] * sizes[2];
  float *to = place_of(run, plan->read_at) + begin * plan->depth;
  float *made = place_of(run, plan->made_at) + begin * plan->out_depth;
  for (int64_t t = begin; t < end; ++t, to += plan->depth) {
    const float *lines[POINTS];
    spot_t spot = spot_of(plan, run->begin + t);
    lines_find(run->from + spot.image * image, sizes, plan->gap,
               spot.y + plan->first[0], spot.x + plan->first[1], TILE,
               place_of(run, plan->zeros_at), lines);
    run->loops->input(lines, plan->depth, to, plan->batch * plan->depth);
    if (run->slopes == NULL) continue;
    places_find(plan, run->slopes, run->begin + t, lines);
    run->loops->slope(plan->wide, lines, plan->out_depth, made,
                      plan->batch * plan->out_depth);
    made += plan->out_depth;
  }
}

// Writes the output of some of the tiles.
static void write_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  const float *from = place_of(run, plan->made_at) + begin * plan->out_depth;
  for (int64_t t = begin; t < end; ++t, from += plan->out_depth) {
    const float *lines[MOST_LINES];
    places_find(plan, run->goal, run->begin + t, lines);
    berth_winograd_out_t out = {.lines = (float *const *)(uintptr_t)lines,
                                .goal = run->goal,
                                .ending = run->ending};
    run->loops->output(plan->wide, from, plan->batch * plan->out_depth,
                       plan->out_depth, &out);
  }
}

// ---- Points ----

static int64_t packed_bytes(const plan_t *plan) {
  return berth_gemm_packed(plan->depth, plan->out_depth, sizeof(float));
}

// Returns the product in a point: of tiles and the filter, or, for the gradient
// of the filter, of channels over tiles.
static berth_gemm_t product_of(const run_t *run) {
  const plan_t *plan = run->plan;
  int64_t tiles = run->end - run->begin;
  if (plan->conv.goal == BERTH_CONV_FILTER) {
    return (berth_gemm_t){.m = plan->depth,
                          .n = plan->out_depth,
                          .k = tiles,
                          .a_row = 1,
                          .a_col = plan->depth,
                          .b_row = plan->out_depth,
                          .b_col = 1,
                          .c_row = plan->out_depth,
                          .adds = run->begin > 0};
  }
  return (berth_gemm_t){.m = tiles,
                        .n = plan->out_depth,
                        .k = plan->depth,
                        .a_row = plan->depth,
                        .a_col = 1,
                        .b_row = berth_gemm_width(plan->out_depth),
                        .c_row = plan->out_depth,
                        .is_packed = true};
}

static void points_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  bool is_filter = plan->conv.goal == BERTH_CONV_FILTER;
  berth_gemm_t gemm = product_of(run);
  char *space = NULL;
  atomic_flag *slot = berth_slots_take(&plan->slots, run->scratch, &space);
  for (int64_t i = begin; i < end; ++i) {
    const float *a =
        place_of(run, plan->read_at) + i * plan->batch * plan->depth;
    float *made =
        place_of(run, plan->made_at) + i * plan->batch * plan->out_depth;
    float *sums = place_of(run, plan->filter_at) + i * filter_size(plan);
    const void *b = made;
    if (!is_filter) b = run->packed + i * packed_bytes(plan);
    run->gemm->f32(&gemm, a, b, is_filter ? sums : made, space);
  }
  berth_slots_give(slot);
}

// ---- The filter ----

// Elements of the filter that piece |index| begins with.
static int64_t piece_begin(const plan_t *plan, int64_t index) {
  int64_t at = index * FILTER_GRAIN, size = filter_size(plan);
  return at < size ? at : size;
}

static int64_t filter_pieces(const plan_t *plan) {
  return (filter_size(plan) + FILTER_GRAIN - 1) / FILTER_GRAIN;
}

// Brings pieces of the filter into points.
static void filter_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  int64_t from = piece_begin(plan, begin), to = piece_begin(plan, end);
  run->loops->filter(plan->window, run->filter + from, filter_size(plan),
                     to - from, place_of(run, plan->filter_at) + from,
                     filter_size(plan), plan->conv.goal == BERTH_CONV_IMAGE);
}

// Makes taps of pieces of the slope by the filter.
static void taps_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  int64_t from = piece_begin(plan, begin), to = piece_begin(plan, end);
  run->loops->taps(plan->window, place_of(run, plan->filter_at) + from,
                   filter_size(plan), to - from, run->goal + from,
                   filter_size(plan));
}

// The filter in one point: from channels that are read to those that are made,
// or, for the gradient of the image, the other way round.
static berth_gemm_t filter_gemm(const plan_t *plan) {
  bool is_turned = plan->conv.goal == BERTH_CONV_IMAGE;
  return (berth_gemm_t){.n = plan->out_depth,
                        .k = plan->depth,
                        .b_row = is_turned ? 1 : plan->out_depth,
                        .b_col = is_turned ? plan->depth : 1};
}

static void pack_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  berth_gemm_t gemm = filter_gemm(plan);
  for (int64_t i = begin; i < end; ++i) {
    for (int64_t p = 0; p < gemm.k; p += BERTH_GEMM_DEPTH) {
      run->gemm->pack_f32(
          &gemm, place_of(run, plan->filter_at) + i * filter_size(plan), p,
          run->scratch + plan->packed_at + i * packed_bytes(plan));
    }
  }
}

// Makes the points of a constant filter; as berth_matrices_t.make.
static void filter_make(const berth_matrices_t *matrices, void *out) {
  BERTH_ISA_PICK(berth_cpu_winograd_loops)
      ->filter((int)matrices->window, matrices->value, matrices->step,
               matrices->step, out, matrices->step, false);
}

// ---- Running ----

// Brings the filter into the form that products want; false when the run was
// ended.
static bool filter_prepare(run_t *run) {
  const plan_t *plan = run->plan;
  if (plan->packed != NULL || plan->conv.goal == BERTH_CONV_FILTER) return true;
  return berth_parallel_for(filter_pieces(plan), 1, filter_run, run) &&
         berth_parallel_for(POINTS, POINT_GRAIN, pack_run, run);
}

// Works on a batch of tiles after the other; false when the run was ended.
static bool batches_run(run_t *run) {
  const plan_t *plan = run->plan;
  bool is_filter = plan->conv.goal == BERTH_CONV_FILTER, goes_on = true;
  for (run->begin = 0; goes_on && run->begin < plan->tiles;
       run->begin = run->end) {
    int64_t end = run->begin + plan->batch;
    run->end = end < plan->tiles ? end : plan->tiles;
    int64_t tiles = run->end - run->begin;
    goes_on =
        berth_parallel_for(tiles, TILE_GRAIN, read_run, run) &&
        berth_parallel_for(POINTS, POINT_GRAIN, points_run, run) &&
        (is_filter || berth_parallel_for(tiles, TILE_GRAIN, write_run, run));
  }
  return goes_on && (!is_filter ||
                     berth_parallel_for(filter_pieces(plan), 1, taps_run, run));
}

static berth_code_t run_head(const void *arg, void *const *args,
                             const berth_chain_t *chain, berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_conv_t *conv = &plan->conv;
  bool is_image = conv->goal == BERTH_CONV_IMAGE;
  bool is_filter = conv->goal == BERTH_CONV_FILTER;
  int goal = conv->goal == BERTH_CONV_OUTPUT ? 2 : 3;
  run_t run = {.plan = plan,
               .loops = BERTH_ISA_PICK(berth_cpu_winograd_loops),
               .gemm = BERTH_ISA_PICK(berth_cpu_gemm_loops),
               .from = args[is_image ? conv->output : conv->image],
               .filter = is_filter ? NULL : args[conv->filter],
               .slopes = is_filter ? args[conv->output] : NULL,
               .goal = args[goal],
               .scratch = args[goal + 1]};
  run.packed = plan->packed != NULL ? berth_packed_data(plan->packed)
                                    : run.scratch + plan->packed_at;
  if (run.packed == NULL) return berth_error_no_memory(call->err, "a filter");
  berth_ending_t ending;
  run.ending = berth_chain_ending(chain, &ending);
  berth_slots_clear(&plan->slots, run.scratch);
  memset(place_of(&run, plan->zeros_at), 0,
         (size_t)plan->depth * sizeof(float));
  bool is_done = filter_prepare(&run) && batches_run(&run);
  if (is_done && chain != NULL && run.ending == NULL) {
    berth_chain_finish_all(chain);
  }
  return BERTH_OK;
}

static berth_code_t run_conv(const void *arg, void *const *args,
                             berth_call_t *call) {
  return run_head(arg, args, NULL, call);
}

// ---- Preparing ----

static const berth_window_axis_t *axis_of(const berth_conv_t *conv, int axis) {
  return &conv->window.axes[BERTH_WINDOW_AXES - 2 + axis];
}

// Returns how many tiles places have along an axis that are as far apart as those
// of a window; there are as many such lines of them.
static int64_t tiles_along(const berth_conv_t *conv, int axis) {
  const berth_window_axis_t *a = axis_of(conv, axis);
  int64_t size = conv->goal == BERTH_CONV_IMAGE ? a->in : a->out;
  int64_t places = (size + a->dilation - 1) / a->dilation;
  int wide = berth_winograd_wide((int)a->window);
  return (places + wide - 1) / wide;
}

static int64_t tiles_of(const berth_conv_t *conv) {
  return conv->window.batch * axis_of(conv, 0)->dilation *
         axis_of(conv, 1)->dilation * tiles_along(conv, 0) *
         tiles_along(conv, 1);
}

// True for windows that tiles can do.
static bool is_tiled(const berth_conv_t *conv) {
  const berth_window_axis_t *depth = &conv->window.axes[0];
  if (depth->window != 1 || depth->in != 1 || depth->out != 1) return false;
  int64_t window = axis_of(conv, 0)->window;
  if (window != 3 && window != 5) return false;
  for (int i = 0; i < 2; ++i) {
    const berth_window_axis_t *axis = axis_of(conv, i);
    int64_t reach = window * axis->dilation;
    if (axis->window != window || axis->stride != 1 || axis->before >= reach ||
        axis->after >= reach) {
      return false;
    }
  }
  return true;
}

static bool is_depth(int64_t channels) {
  return channels % BERTH_WINOGRAD_LANES == 0 && channels <= MOST_DEPTH;
}

// True when tiles take less time than products of all taps, though the filter,
// which is no constant, is brought into points in every run. In nanoseconds for
// one element of the filter: what this takes, and a product.
static bool pays(const berth_conv_t *conv, int64_t tiles) {
  static const double bring = POINTS * 0.49, product = 0.009;
  const berth_window_axis_t *y = axis_of(conv, 0), *x = axis_of(conv, 1);
  bool is_image = conv->goal == BERTH_CONV_IMAGE;
  double places = (double)conv->window.batch *
                  (double)(is_image ? y->in * x->in : y->out * x->out);
  return bring + (double)(tiles * POINTS) * product <
         places * (double)(y->window * x->window) * product;
}

// True unless places that are far apart leave many tiles empty.
static bool fills_tiles(const berth_conv_t *conv, int64_t tiles) {
  const berth_window_axis_t *y = axis_of(conv, 0), *x = axis_of(conv, 1);
  int64_t places = conv->goal == BERTH_CONV_IMAGE ? y->in * x->in
                                                  : y->out * x->out;
  return (y->dilation == 1 && x->dilation == 1) ||
         4 * tiles * POINTS <
             3 * conv->window.batch * places * y->window * x->window;
}

bool berth_winograd_fits(const berth_conv_t *conv, bool is_fixed) {
  const berth_window_t *window = &conv->window;
  if (conv->dtype != BERTH_FLOAT || conv->groups != 1 ||
      window->layout.channels_first || !is_depth(window->channels) ||
      !is_depth(window->out_channels) || !is_tiled(conv)) {
    return false;
  }
  int64_t size = window->channels * window->out_channels;
  int64_t tiles = tiles_of(conv);
  bool is_ready = is_fixed || conv->goal == BERTH_CONV_FILTER;
  return size * POINTS * (int64_t)sizeof(float) <= MOST_FILTER &&
         tiles >= LEAST_TILES && fills_tiles(conv, tiles) &&
         (is_ready || pays(conv, tiles));
}

static void plan_sides(plan_t *plan) {
  const berth_conv_t *conv = &plan->conv;
  bool is_image = conv->goal == BERTH_CONV_IMAGE;
  const berth_window_axis_t *y = axis_of(conv, 0), *x = axis_of(conv, 1);
  plan->window = (int)y->window;
  plan->wide = berth_winograd_wide(plan->window);
  plan->depth = is_image ? conv->window.out_channels : conv->window.channels;
  plan->out_depth =
      is_image ? conv->window.channels : conv->window.out_channels;
  plan->height = is_image ? y->out : y->in;
  plan->width = is_image ? x->out : x->in;
  plan->out_height = is_image ? y->in : y->out;
  plan->out_width = is_image ? x->in : x->out;
  for (int i = 0; i < 2; ++i) {
    int64_t before = axis_of(conv, i)->before, gap = axis_of(conv, i)->dilation;
    plan->gap[i] = gap;
    plan->first[i] = is_image ? before - (plan->window - 1) * gap : -before;
  }
}

// Puts |floats| behind what is in the scratch space; returns where.
static int64_t room_add(berth_prepare_t *prepare, int64_t floats) {
  int64_t at = ((int64_t)prepare->scratch_size + 63) / 64 * 64;
  prepare->scratch_size = (size_t)(at + floats * (int64_t)sizeof(float));
  return at;
}

// Cuts the tiles into batches that stay near.
static void plan_batches(plan_t *plan, berth_prepare_t *prepare) {
  const berth_conv_t *conv = &plan->conv;
  plan->rows = tiles_along(conv, 0);
  plan->columns = tiles_along(conv, 1);
  plan->tiles = tiles_of(conv);
  int64_t each =
      POINTS * (plan->depth + plan->out_depth) * (int64_t)sizeof(float);
  int64_t batch = BATCH_BYTES / each / BERTH_GEMM_ROWS * BERTH_GEMM_ROWS;
  batch = batch < LEAST_BATCH ? LEAST_BATCH : batch;
  plan->batch = batch < plan->tiles ? batch : plan->tiles;
  bool is_filter = conv->goal == BERTH_CONV_FILTER;
  int64_t m = is_filter ? plan->depth : plan->batch;
  int64_t k = is_filter ? plan->batch : plan->depth;
  plan->slots =
      berth_slots_for(POINTS / POINT_GRAIN,
                      berth_gemm_space(m, plan->out_depth, k, sizeof(float)));
  prepare->scratch_size = (size_t)berth_slots_bytes(&plan->slots);
  plan->zeros_at = room_add(prepare, plan->depth);
  plan->read_at = room_add(prepare, POINTS * plan->batch * plan->depth);
  plan->made_at = room_add(prepare, POINTS * plan->batch * plan->out_depth);
}

// Has the filter packed, for good where it is a constant; false when memory is
// short.
static bool plan_filter(plan_t *plan, berth_prepare_t *prepare) {
  const berth_conv_t *conv = &plan->conv;
  int64_t size = filter_size(plan);
  const berth_case_input_t *filter = conv->goal == BERTH_CONV_OUTPUT
                                         ? &prepare->op.inputs[conv->filter]
                                         : NULL;
  if (filter != NULL && filter->is_fixed) {
    plan->matrices = (berth_matrices_t){
        .value = filter->value,
        .gemm = filter_gemm(plan),
        .count = POINTS,
        .step = size,
        .size = sizeof(float),
        .pack = BERTH_ISA_PICK(berth_cpu_gemm_loops)->pack_f32,
        .make = filter_make,
        .window = plan->window};
    plan->packed = berth_packed_claim(prepare, &plan->matrices, NULL);
    return plan->packed != NULL;
  }
  plan->filter_at = room_add(prepare, POINTS * size);
  if (conv->goal != BERTH_CONV_FILTER) {
    int64_t packed = packed_bytes(plan) / (int64_t)sizeof(float);
    plan->packed_at = room_add(prepare, POINTS * packed);
  }
  return true;
}

// As berth_cpu_term_t.scale.
static const void *scale(const void *arg, berth_prepare_t *prepare,
                         const float *factors) {
  plan_t *plan = berth_arena_memdup(prepare->op.arena, arg, sizeof(*plan));
  if (plan == NULL) return NULL;
  plan->packed = berth_packed_claim(prepare, &plan->matrices, factors);
  return plan->packed != NULL ? plan : NULL;
}

static berth_code_t head_set(const plan_t *plan, berth_prepare_t *prepare,
                             berth_error_t *err) {
  berth_cpu_term_t *head = NULL;
  BERTH_TRY(
      berth_cpu_head(prepare, plan->out_depth, sizeof(float), &head, err));
  head->run = run_head;
  head->ends = true;
  if (plan->packed != NULL) head->scale = scale;
  return BERTH_OK;
}

berth_code_t berth_winograd_plan(berth_prepare_t *prepare,
                                 const berth_conv_t *conv, berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) {
    return berth_error_no_memory(err, "the plan of a convolution");
  }
  plan->conv = *conv;
  plan_sides(plan);
  plan_batches(plan, prepare);
  if (!plan_filter(plan, prepare)) {
    return berth_error_no_memory(err, "the plan of a convolution");
  }
  double work = (double)plan->tiles * POINTS * (double)filter_size(plan);
  prepare->work =
      work < 1e15 ? (int64_t)(work * UNIT_COST / 1000) : INT64_MAX / 2;
  prepare->run = run_conv;
  return conv->goal == BERTH_CONV_OUTPUT ? head_set(plan, prepare, err)
                                         : BERTH_OK;
}
