// conv.c - The kernels Conv2D, Conv3D and their gradients.
#include "cpu/ops/conv.h"

#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/move_loops.h"
#include "cpu/ops/chain.h"
#include "cpu/ops/conv_lanes.h"
#include "cpu/ops/conv_planes.h"
#include "cpu/ops/conv_scatter.h"
#include "cpu/ops/packed.h"
#include "cpu/ops/product.h"
#include "cpu/ops/winograd.h"
#include "op/types.h"

enum {
  LINES_BYTES = 192 << 10,  // Of gathered lines: they stay in the cache.
  LEAST_BLOCK = 2 * BERTH_GEMM_ROWS,
  LEAST_LINES = 8 * BERTH_GEMM_ROWS,  // Of those that are not gathered.
  MOST_BLOCK = 40 * BERTH_GEMM_ROWS,
  // A filter that does not stay in the cache meets more lines at a time.
  NEAR_FILTER = 1 << 20,
  FAR_BLOCK = 5 * BERTH_GEMM_ROWS,
  GATHER_SHARES = 2,   // Bands of columns that gather the same lines.
  CHANNEL_BLOCK = 96,  // Of the gradient of the filter,
  MOST_TAPS = 320,     // or so many of several taps.
  MOST_SHARES = 4,     // Pieces that a convolution is cut into to be shared.
  TURN_GRAIN = 8,      // Taps of the filter that are turned at a time.
};

// In picoseconds: multiplications of a float, and what a piece takes at least.
#define UNIT_COST 25.0
#define PIECE_COST 2e7
// Where adding up windows has to gain so much, tiles are better.
#define TILED_GAIN 1.5

typedef struct plan {
  berth_conv_t conv;
  berth_conv_side_t image, output;
  berth_gemm_fn tile;
  int64_t size;  // Of an element.
  // Items of one group of one image, or of all images where they are as one of
  // so many places; columns of the product of each.
  int64_t passes, blocks, block, places, bands, band;
  int64_t items, grain;
  int64_t taps;       // Of an item of the filter's gradient,
  int across;         // which has one tap along each of so many axes,
  int64_t slice;      // and gathers so many places at a time.
  bool reads_lines;   // They are read where they are, not gathered.
  bool writes_lines;  // The product is written where it belongs.
  int64_t lines_bytes, result_bytes;  // In a slot.
  berth_slots_t slots;
  int64_t turned;           // Where the turned filter is in the scratch space.
  berth_gemm_pack_fn pack;  // NULL: the filter is not packed ahead.
  const berth_packed_t *packed;  // It is a constant; or NULL:
  int64_t packed_at;             // where it is packed in the scratch space.
  berth_matrices_t matrices;     // What |packed| is of.
} plan_t;

typedef struct run {
  const plan_t *plan;
  const char *image, *filter, *output;  // Those that are given.
  char *goal;
  char *scratch;
  const char *packed;            // The filter.
  const berth_chain_t *chain;    // What follows; NULL: nothing,
  const berth_ending_t *ending;  // or something that products end with.
  berth_ending_t own_ending;     // Where that may be.
} run_t;

// ---- Products ----

// Computes |gemm| in tiles that are not too wide.
static void multiply(const plan_t *plan, const berth_gemm_t *gemm,
                     const char *a, const char *b, char *c, char *space) {
  berth_gemm_t part = *gemm;
  berth_ending_t ending;
  for (int64_t j = 0; j < gemm->n; j += BERTH_GEMM_TILE) {
    int64_t left = gemm->n - j;
    if (gemm->ending != NULL) {
      ending = berth_ending_at(gemm->ending, j, j);
      part.ending = &ending;
    }
    part.n = left < BERTH_GEMM_TILE ? left : BERTH_GEMM_TILE;
    const char *from = b;
    if (gemm->is_packed) {
      part.b_col = gemm->b_col + j;
    } else {
      from += j * gemm->b_col * plan->size;
    }
    plan->tile(&part, a, from, c + j * plan->size, space);
  }
}

// Splits |item| into image, group, pass, block and band.
typedef struct item {
  int64_t image, group, pass, block, band;
} item_t;

static item_t item_split(const plan_t *plan, int64_t index) {
  item_t item;
  item.band = index % plan->bands;
  index /= plan->bands;
  item.block = index % plan->blocks;
  index /= plan->blocks;
  item.pass = index % plan->passes;
  index /= plan->passes;
  item.group = index % plan->conv.groups;
  item.image = index / plan->conv.groups;
  return item;
}

// ---- The output, and the gradient of the image ----

// The sides that are read and written.
static const berth_conv_side_t *from_side(const plan_t *plan) {
  return plan->conv.goal == BERTH_CONV_IMAGE ? &plan->output : &plan->image;
}
static const berth_conv_side_t *to_side(const plan_t *plan) {
  return plan->conv.goal == BERTH_CONV_IMAGE ? &plan->image : &plan->output;
}

static void to_sizes(const plan_t *plan, int64_t *out) {
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    const berth_window_axis_t *axis = &plan->conv.window.axes[i];
    out[i] = plan->conv.goal == BERTH_CONV_IMAGE ? axis->in : axis->out;
  }
}

// Bytes of an element that is packed.
static int64_t packed_size(const plan_t *plan) {
  return plan->size < 4 ? 4 : plan->size;
}

// Returns the filter of |group| for |pass| as it is packed.
static const char *packed_of(const run_t *run, int64_t group,
                             const berth_conv_pass_t *pass, int64_t n) {
  const plan_t *plan = run->plan;
  int64_t row = group * berth_conv_taps(&plan->conv) + pass->filter;
  return run->packed +
         row * from_side(plan)->depth * berth_gemm_width(n) * packed_size(plan);
}

// True when the filter is turned before it is used. Packing does it where there
// is one tap.
static bool turns_filter(const plan_t *plan) {
  return plan->conv.goal == BERTH_CONV_IMAGE &&
         (plan->pack == NULL || berth_conv_taps(&plan->conv) > 1);
}

// Returns the filter of |group| for |pass|; sets its steps in |gemm|.
static const char *filter_of(const run_t *run, int64_t group,
                             const berth_conv_pass_t *pass,
                             berth_gemm_t *gemm) {
  const plan_t *plan = run->plan;
  int64_t depth = plan->image.depth, out_depth = plan->output.depth;
  gemm->b_col = 1;
  if (plan->conv.goal == BERTH_CONV_OUTPUT) {
    gemm->b_row = plan->conv.window.out_channels;
    return run->filter + group * out_depth * plan->size;
  }
  if (!turns_filter(plan)) {
    gemm->b_row = 1;
    gemm->b_col = plan->conv.window.out_channels;
    return run->filter + group * out_depth * plan->size;
  }
  gemm->b_row = depth;
  int64_t tap = group * berth_conv_taps(&plan->conv) + pass->filter;
  return run->scratch + plan->turned + tap * depth * out_depth * plan->size;
}

// Places of one image and group, and columns, that are computed at a time.
typedef struct part {
  int64_t image, group;
  int64_t begin, end;
  int64_t column, wide;
  char *to;  // Where the first line goes; NULL: where it belongs.
} part_t;

// Writes the lines of |part|, which are the product of |a| and |filter|.
static void lines_write(const run_t *run, const part_t *part,
                        berth_gemm_t *gemm, const char *a, const char *filter,
                        char *work) {
  const plan_t *plan = run->plan;
  const berth_conv_side_t *to = to_side(plan);
  int64_t first = part->image * to->batch + part->group * to->depth +
                  part->begin * to->place;
  char *written = part->to;
  berth_ending_t ending;
  if (written == NULL) {
    written = run->goal + (first + part->column) * plan->size;
  }
  gemm->c_row = to->place;
  gemm->n = part->wide;
  if (run->ending != NULL) {
    ending = berth_ending_at(run->ending, first + part->column, part->column);
    gemm->ending = &ending;
  }
  multiply(plan, gemm, a, filter, written, work);
  if (run->chain != NULL) {
    berth_chain_finish(run->chain, first, gemm->m * to->place);
  }
}

static void part_run(const run_t *run, const berth_conv_pass_t *pass,
                     const part_t *part, char *space) {
  const plan_t *plan = run->plan;
  const berth_conv_side_t *from = from_side(plan), *to = to_side(plan);
  bool is_image = plan->conv.goal == BERTH_CONV_IMAGE;
  const char *read =
      (is_image ? run->output : run->image) +
      (part->image * from->batch + part->group * from->depth) * plan->size;
  berth_gemm_t gemm = {.m = part->end - part->begin,
                       .n = to->depth,
                       .k = pass->taps * from->depth,
                       .a_row = pass->taps * from->depth,
                       .a_col = 1,
                       .c_row = to->depth};
  const char *filter = filter_of(run, part->group, pass, &gemm);
  if (plan->pack != NULL) {
    filter = packed_of(run, part->group, pass, gemm.n);
    gemm.is_packed = true;
    gemm.b_row = berth_gemm_width(gemm.n);
    gemm.b_col = part->column;
  }
  if (plan->reads_lines) {
    read += part->begin * from->place * plan->size;
    gemm.a_row = from->place;
    gemm.a_col = 1;
  } else {
    berth_conv_gather_t gather = {pass->walks, from, from->depth, plan->size};
    berth_conv_gather(&gather, read, part->begin, part->end, space);
    read = space;
  }
  char *result = space + plan->lines_bytes;
  char *work = result + plan->result_bytes;
  if (plan->writes_lines) {
    lines_write(run, part, &gemm, read, filter, work);
    return;
  }
  int64_t sizes[BERTH_WINDOW_AXES];
  to_sizes(plan, sizes);
  multiply(plan, &gemm, read, filter, result, work);
  berth_conv_spread(
      pass, sizes, to, plan->size, result, part->begin, part->end,
      run->goal +
          (part->image * to->batch + part->group * to->depth) * plan->size);
}

static void places_run(const run_t *run, int64_t index, char *space) {
  const plan_t *plan = run->plan;
  item_t item = item_split(plan, index);
  berth_conv_pass_t pass;
  berth_conv_pass(&plan->conv, item.pass, &pass);
  if (plan->conv.goal == BERTH_CONV_IMAGE) berth_conv_face(&pass);
  int64_t places = plan->places > 0 ? plan->places : pass.places;
  int64_t begin = item.block * plan->block, end = begin + plan->block;
  if (item.block == plan->blocks - 1 || end > places) end = places;
  int64_t column = item.band * plan->band, wide = to_side(plan)->depth - column;
  part_t part = {.image = item.image,
                 .group = item.group,
                 .begin = begin,
                 .end = end,
                 .column = column,
                 .wide = wide < plan->band ? wide : plan->band};
  if (begin < end) part_run(run, &pass, &part, space);
}

// Returns what transposes elements of |size| bytes: 2, 4 or 8.
static berth_transpose_fn transpose_of(int64_t size) {
  int class = size == 2 ? 1 : size == 4 ? 2 : 3;
  return BERTH_ISA_PICK(berth_cpu_move_loops)->transpose[class];
}

// Turns taps [begin, end) of all groups: from [channels, channels of the
// output] to the other way round.
static void turn_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  int64_t taps = berth_conv_taps(&plan->conv), size = plan->size;
  int64_t depth = plan->image.depth, out_depth = plan->output.depth;
  int64_t row = plan->conv.window.out_channels * size;
  berth_transpose_fn transpose = transpose_of(size);
  for (int64_t i = begin; i < end; ++i) {
    int64_t tap = i % taps, group = i / taps;
    int64_t at = group * taps + berth_conv_turned(&plan->conv, tap);
    char *to = run->scratch + plan->turned + at * depth * out_depth * size;
    const char *from =
        run->filter + tap * depth * row + group * out_depth * size;
    transpose(from, row, to, depth * size, depth, out_depth, false);
  }
}

// Returns how many slices a pass has at most.
static int64_t slices_of(const plan_t *plan) {
  int64_t rows = berth_conv_taps(&plan->conv) * from_side(plan)->depth;
  return (rows + BERTH_GEMM_DEPTH - 1) / BERTH_GEMM_DEPTH;
}

// Packs slices [begin, end) of the filter, those of all passes and groups.
static void pack_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  int64_t each = slices_of(plan);
  for (int64_t i = begin; i < end; ++i) {
    int64_t p = i % each * BERTH_GEMM_DEPTH, rest = i / each;
    int64_t group = rest / plan->passes;
    berth_conv_pass_t pass;
    berth_conv_pass(&plan->conv, rest % plan->passes, &pass);
    berth_gemm_t gemm = {.n = to_side(plan)->depth,
                         .k = pass.taps * from_side(plan)->depth};
    const char *filter = filter_of(run, group, &pass, &gemm);
    if (p >= gemm.k) continue;
    plan->pack(&gemm, filter, p,
               (char *)(uintptr_t)packed_of(run, group, &pass, gemm.n));
  }
}

// Brings the filter into the form that the products want; false when the run
// was ended.
static bool filter_prepare(const run_t *run) {
  const plan_t *plan = run->plan;
  const berth_conv_t *conv = &plan->conv;
  if (turns_filter(plan) &&
      !berth_parallel_for(conv->groups * berth_conv_taps(conv), TURN_GRAIN,
                          turn_run, (void *)(uintptr_t)run)) {
    return false;
  }
  if (plan->pack == NULL || plan->packed != NULL) return true;
  int64_t slices = conv->groups * plan->passes * slices_of(plan);
  return berth_parallel_for(slices, 1, pack_run, (void *)(uintptr_t)run);
}

// ---- The gradient of the filter ----

// One tap and some channels of a group, or several taps and all channels.
typedef struct tap {
  const run_t *run;
  berth_conv_pass_t pass;  // Of these taps alone.
  int64_t channels;
  const char *x;  // The first place that is read.
} tap_t;

// Finds the taps of |item|.
static void tap_set(tap_t *tap, const item_t *item) {
  const plan_t *plan = tap->run->plan;
  int64_t at = item->pass;
  berth_conv_pass(&plan->conv, 0, &tap->pass);
  for (int i = plan->across - 1; i >= 0; --i) {
    berth_conv_walk_t *walk = &tap->pass.walks[i];
    walk->first += at % walk->taps * walk->tap;
    at /= walk->taps;
    walk->taps = 1;
  }
}

// Gathers what the taps see at places [begin, end) of all images.
static void tap_gather(const tap_t *tap, int64_t begin, int64_t end, char *to) {
  const plan_t *plan = tap->run->plan;
  const berth_conv_side_t *image = &plan->image;
  int64_t places = berth_conv_out_places(&plan->conv);
  int64_t line = plan->taps * tap->channels * plan->size;
  berth_conv_gather_t gather = {tap->pass.walks, image, tap->channels,
                                plan->size};
  while (begin < end) {
    int64_t first = begin % places, last = first + end - begin;
    last = last < places ? last : places;
    berth_conv_gather(&gather,
                      tap->x + begin / places * image->batch * plan->size,
                      first, last, to);
    to += (last - first) * line;
    begin += last - first;
  }
}

// Adds up the products of |gemm|, whose A is gathered a slice at a time: as
// products cut themselves, so that sums are the same.
static void slices_run(const tap_t *tap, berth_gemm_t *gemm, const char *dy,
                       char *to, char *space) {
  const plan_t *plan = tap->run->plan;
  int64_t rows = gemm->k;
  gemm->a_row = 1;
  gemm->a_col = gemm->m;
  for (int64_t p = 0; p < rows; p += plan->slice) {
    gemm->k = rows - p < plan->slice ? rows - p : plan->slice;
    gemm->adds = p > 0;
    tap_gather(tap, p, p + gemm->k, space);
    multiply(plan, gemm, space, dy + p * gemm->b_row * plan->size, to,
             space + plan->lines_bytes + plan->result_bytes);
  }
}

static void tap_run(const run_t *run, int64_t index, char *space) {
  const plan_t *plan = run->plan;
  const berth_conv_side_t *image = &plan->image, *output = &plan->output;
  item_t item = item_split(plan, index);
  int64_t begin = item.block * plan->block, size = plan->size;
  int64_t channels = image->depth - begin;
  channels = channels < plan->block ? channels : plan->block;
  tap_t tap = {.run = run,
               .channels = channels,
               .x = run->image + (item.group * image->depth + begin) * size};
  const char *dy = run->output + item.group * output->depth * size;
  berth_gemm_t gemm = {
      .m = plan->taps * channels,
      .n = output->depth,
      .k = plan->conv.window.batch * berth_conv_out_places(&plan->conv),
      .a_row = 1,
      .a_col = image->place,
      .b_row = output->place,
      .b_col = 1,
      .c_row = plan->conv.window.out_channels};
  char *to = run->goal +
             ((item.pass * plan->taps * image->depth + begin) * gemm.c_row +
              item.group * output->depth) *
                 size;
  if (plan->reads_lines) {
    multiply(plan, &gemm, tap.x, dy, to,
             space + plan->lines_bytes + plan->result_bytes);
    return;
  }
  tap_set(&tap, &item);
  slices_run(&tap, &gemm, dy, to, space);
}

// ---- Running ----

static void items_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  char *space = NULL;
  atomic_flag *slot = berth_slots_take(&run->plan->slots, run->scratch, &space);
  for (int64_t item = begin; item < end; ++item) {
    if (run->plan->conv.goal == BERTH_CONV_FILTER) {
      tap_run(run, item, space);
    } else {
      places_run(run, item, space);
    }
  }
  berth_slots_give(slot);
}

static berth_code_t run_head(const void *arg, void *const *args,
                             const berth_chain_t *chain, berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_conv_t *conv = &plan->conv;
  int goal = conv->goal == BERTH_CONV_OUTPUT ? 2 : 3;
  run_t run = {.plan = plan,
               .image = args[conv->image],
               .filter = args[conv->filter],
               .output = args[conv->output],
               .goal = args[goal],
               .scratch = args[goal + 1],
               .chain = chain};
  run.packed = plan->packed != NULL ? berth_packed_data(plan->packed)
                                    : run.scratch + plan->packed_at;
  if (run.packed == NULL) return berth_error_no_memory(call->err, "a filter");
  berth_ending_t ending;
  run.ending = berth_chain_ending(chain, &ending);
  if (run.ending != NULL) run.chain = NULL;
  berth_slots_clear(&plan->slots, run.scratch);
  if (!filter_prepare(&run)) return BERTH_OK;  // It was ended.
  // Rows that are cut are finished when they are whole.
  bool finishes = run.chain != NULL && plan->bands > 1;
  if (finishes) run.chain = NULL;
  bool is_done = berth_parallel_for(plan->items, plan->grain, items_run, &run);
  if (finishes && is_done) berth_chain_finish_all(chain);
  return BERTH_OK;
}

// ---- Feeding a head ----

// As berth_supply_t.make.
static void feed_make(const berth_supply_t *feed, int64_t image, int64_t begin,
                      int64_t end, char *to, char *space) {
  const run_t *run = (const run_t *)(const void *)feed->state;
  const plan_t *plan = run->plan;
  berth_conv_pass_t pass;
  berth_conv_pass(&plan->conv, 0, &pass);
  int64_t line = to_side(plan)->depth * plan->size;
  for (; begin < end; begin += plan->block, to += plan->block * line) {
    int64_t last = begin + plan->block;
    part_t part = {.image = image,
                   .begin = begin,
                   .end = last < end ? last : end,
                   .wide = to_side(plan)->depth,
                   .to = to};
    part_run(run, &pass, &part, space);
  }
}

static berth_code_t feed_open(const void *arg, void *const *args,
                              const berth_ending_t *ending,
                              berth_supply_t *out_feed, berth_call_t *call) {
  const plan_t *plan = arg;
  run_t *run = (run_t *)(void *)out_feed->state;
  _Static_assert(sizeof(*run) <= sizeof(out_feed->state), "a run fits in");
  *run = (run_t){.plan = plan,
                 .image = args[plan->conv.image],
                 .packed = berth_packed_data(plan->packed)};
  if (run->packed == NULL) return berth_error_no_memory(call->err, "a filter");
  if (ending != NULL) {
    run->own_ending = *ending;
    run->ending = &run->own_ending;
  }
  out_feed->make = feed_make;
  return BERTH_OK;
}

static berth_code_t run_conv(const void *arg, void *const *args,
                             berth_call_t *call) {
  return run_head(arg, args, NULL, call);
}

static berth_code_t run_zeros(const void *arg, void *const *args,
                              berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  int goal = plan->conv.goal == BERTH_CONV_OUTPUT ? 2 : 3;
  memset(args[goal], 0, (size_t)plan->lines_bytes);
  return BERTH_OK;
}

// ---- Preparing ----

static berth_conv_side_t side_of(const berth_conv_t *conv, int64_t channels,
                                 int64_t places) {
  return (berth_conv_side_t){.batch = channels * places,
                             .place = channels,
                             .depth = channels / conv->groups};
}

// True when every place reads itself.
static bool is_pointwise(const berth_conv_t *conv) {
  bool is_so = true;
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    const berth_window_axis_t *axis = &conv->window.axes[i];
    is_so = is_so && axis->window == 1 && axis->stride == 1 &&
            axis->before == 0 && axis->in == axis->out;
  }
  return is_so;
}

static int64_t round_block(int64_t block, int64_t most) {
  block = block < LEAST_BLOCK ? LEAST_BLOCK : block;
  block = block > MOST_BLOCK ? MOST_BLOCK : block;
  block -= block % BERTH_GEMM_ROWS;
  return block < most ? block : most;
}

// Cuts the columns into bands, where there are few places.
static void plan_bands(plan_t *plan, int64_t items, double work) {
  int64_t wide = to_side(plan)->depth, bands = 1;
  bool can_be_cut = plan->writes_lines && plan->conv.groups == 1 &&
                    berth_cpu_product_pack(plan->conv.dtype) != NULL;
  int64_t most = plan->reads_lines ? MOST_SHARES : GATHER_SHARES;
  while (can_be_cut && items * bands < most &&
         work / (double)(items * bands) > 2 * PIECE_COST / UNIT_COST &&
         wide / (2 * bands) >= BERTH_GEMM_COLS) {
    bands *= 2;
  }
  plan->band = berth_gemm_width((wide + bands - 1) / bands);
  plan->bands = (wide + plan->band - 1) / plan->band;
}

// Returns how many blocks of |block| places there are. A few places more go with
// the last one: alone they would take the whole filter once more.
static int64_t count_blocks(int64_t places, int64_t block) {
  int64_t more = BERTH_GEMM_ROWS - 1;
  int64_t blocks = (places + block - 1 - more) / block;
  return blocks > 1 ? blocks : 1;
}

// Cuts |places| into blocks of about |block|, of the same size as far as can be:
// so threads end together. Returns how many places the largest has.
static int64_t plan_blocks(plan_t *plan, int64_t places, int64_t block) {
  plan->blocks = count_blocks(places, block);
  int64_t even = places / plan->blocks / BERTH_GEMM_ROWS * BERTH_GEMM_ROWS;
  int64_t last = places - (plan->blocks - 1) * even;
  if (plan->blocks > 1 && last > even + even / 8) {
    even += BERTH_GEMM_ROWS;
    plan->blocks = count_blocks(places, even);
    last = places - (plan->blocks - 1) * even;
  }
  plan->block = plan->blocks > 1 ? even : places;
  return last > plan->block ? last : plan->block;
}

// Cuts places into blocks whose lines stay in the cache, and into enough of
// them to be shared.
static void plan_places(plan_t *plan, double work) {
  berth_conv_t *conv = &plan->conv;
  berth_conv_pass_t pass;
  plan->passes = berth_conv_passes(conv);
  berth_conv_pass(conv, 0, &pass);  // No other has more places.
  const berth_conv_side_t *from = from_side(plan), *to = to_side(plan);
  int64_t line = berth_conv_taps(conv) * from->depth * plan->size;
  int64_t outer = conv->window.batch * conv->groups * plan->passes;
  plan->reads_lines = is_pointwise(conv);
  plan->writes_lines = plan->passes == 1;
  int64_t places = pass.places, near = line;
  if (plan->reads_lines) {
    // Products take a slice of the lines at a time.
    int64_t slice = BERTH_GEMM_DEPTH * plan->size;
    near = line < slice ? line : slice;
  }
  if (plan->reads_lines && plan->writes_lines && conv->groups == 1) {
    // The lines of all images follow each other.
    plan->places = places = conv->window.batch * pass.places;
    outer = 1;
  }
  int64_t block = LINES_BYTES / near;
  int64_t least_block = plan->reads_lines ? LEAST_LINES : LEAST_BLOCK;
  if (!plan->reads_lines && line * to->depth > NEAR_FILTER) {
    least_block = FAR_BLOCK;
    block = block > FAR_BLOCK ? block : FAR_BLOCK;
  }
  block = round_block(block, places);
  // Each of the halves is worth a thread.
  double least = 2 * PIECE_COST / UNIT_COST;
  while (block >= 2 * least_block &&
         outer * ((places + block - 1) / block) < MOST_SHARES &&
         work * (double)block / (double)(outer * places) > least) {
    block = round_block(block / 2, places);
  }
  int64_t most = plan_blocks(plan, places, block);
  plan_bands(plan, outer * plan->blocks, work);
  plan->items = outer * plan->blocks * plan->bands;
  plan->lines_bytes = plan->reads_lines ? 0 : (most * line + 63) / 64 * 64;
  int64_t result = most * to->depth * plan->size;
  plan->result_bytes = plan->writes_lines ? 0 : (result + 63) / 64 * 64;
  int64_t wide = to->depth;
  plan->slots = berth_slots_for(
      plan->items,
      plan->lines_bytes + plan->result_bytes +
          berth_gemm_space(most,
                           wide < BERTH_GEMM_TILE ? wide : BERTH_GEMM_TILE,
                           line / plan->size, plan->size));
}

// Cuts the filter into taps and blocks of channels.
static void plan_taps(plan_t *plan) {
  berth_conv_t *conv = &plan->conv;
  int64_t depth = plan->image.depth, wide = plan->output.depth;
  int64_t rows = conv->window.batch * berth_conv_out_places(conv);
  plan->passes = berth_conv_taps(conv);
  plan->across = BERTH_WINDOW_AXES;
  plan->taps = 1;
  // Taps along the last axes go together where there are few channels.
  while (plan->across > 0) {
    int64_t taps = plan->taps * conv->window.axes[plan->across - 1].window;
    if (taps * depth > MOST_TAPS) break;
    plan->taps = taps;
    --plan->across;
  }
  plan->passes /= plan->taps;
  plan->block = depth < CHANNEL_BLOCK || plan->taps > 1 ? depth : CHANNEL_BLOCK;
  plan->blocks = (depth + plan->block - 1) / plan->block;
  plan->bands = 1;
  // Types of 16 bits are rounded once, when all is added up.
  plan->slice =
      plan->size < 4 || rows < BERTH_GEMM_DEPTH ? rows : BERTH_GEMM_DEPTH;
  plan->items = conv->groups * plan->passes * plan->blocks;
  plan->reads_lines = is_pointwise(conv);
  plan->writes_lines = true;
  plan->lines_bytes =
      plan->reads_lines
          ? 0
          : (plan->slice * plan->taps * plan->block * plan->size + 63) / 64 *
                64;
  plan->result_bytes = 0;
  plan->slots = berth_slots_for(
      plan->items,
      plan->lines_bytes + plan->result_bytes +
          berth_gemm_space(plan->taps * plan->block,
                           wide < BERTH_GEMM_TILE ? wide : BERTH_GEMM_TILE,
                           rows, plan->size));
}

// Multiplications of the whole convolution; as a double it does not overflow.
static double work_of(const plan_t *plan) {
  const berth_conv_t *conv = &plan->conv;
  return (double)conv->window.batch * (double)berth_conv_out_places(conv) *
         (double)berth_conv_taps(conv) * (double)plan->image.depth *
         (double)conv->window.out_channels;
}

// Has the filter packed, for good where it is a constant; false when memory is
// short.
static bool plan_pack(plan_t *plan, berth_prepare_t *prepare) {
  const berth_conv_t *conv = &plan->conv;
  const berth_case_input_t *filter = &prepare->op.inputs[conv->filter];
  int64_t depth = plan->image.depth, wide = plan->output.depth;
  int64_t taps = berth_conv_taps(conv);
  if (plan->pack == NULL) return true;
  if (conv->goal == BERTH_CONV_OUTPUT && filter->is_fixed) {
    plan->matrices = (berth_matrices_t){.value = filter->value,
                                        .gemm = {.n = wide,
                                                 .k = taps * depth,
                                                 .b_row = wide * conv->groups,
                                                 .b_col = 1},
                                        .count = conv->groups,
                                        .step = wide,
                                        .size = plan->size,
                                        .pack = plan->pack};
    plan->packed = berth_packed_claim(prepare, &plan->matrices, NULL);
    return plan->packed != NULL;
  }
  bool is_image = conv->goal == BERTH_CONV_IMAGE;
  plan->packed_at = ((int64_t)prepare->scratch_size + 63) / 64 * 64;
  int64_t bytes = berth_gemm_packed(taps * (is_image ? wide : depth),
                                    is_image ? depth : wide, plan->size);
  prepare->scratch_size = (size_t)(plan->packed_at + conv->groups * bytes);
  return true;
}

// Returns a plan whose filter is multiplied by |factors|, one a channel.
static const void *scale(const void *arg, berth_prepare_t *prepare,
                         const float *factors) {
  plan_t *plan = berth_arena_memdup(prepare->op.arena, arg, sizeof(*plan));
  if (plan == NULL) return NULL;
  plan->packed = berth_packed_claim(prepare, &plan->matrices, factors);
  return plan->packed != NULL ? plan : NULL;
}

// As berth_cpu_term_t.pad.
static berth_code_t pad(const void *arg, berth_prepare_t *prepare,
                        const int64_t *pads, const void **out_plan) {
  const plan_t *given = arg;
  // What is read where it lies is not gathered, and has no room for it.
  if (given->reads_lines) return BERTH_UNIMPLEMENTED;
  plan_t *plan = berth_arena_memdup(prepare->op.arena, arg, sizeof(*plan));
  if (plan == NULL) return BERTH_RESOURCE_EXHAUSTED;
  if (!berth_conv_pad(&plan->conv, pads)) return BERTH_UNIMPLEMENTED;
  plan->image = side_of(&plan->conv, plan->conv.window.channels,
                        berth_conv_places(&plan->conv));
  *out_plan = plan;
  return BERTH_OK;
}

static berth_code_t head_set(const plan_t *plan, berth_prepare_t *prepare,
                             berth_error_t *err) {
  berth_cpu_term_t *head = NULL;
  BERTH_TRY(berth_cpu_head(prepare, plan->output.depth, (size_t)plan->size,
                           &head, err));
  head->run = run_head;
  if (plan->conv.dtype != BERTH_FLOAT) return BERTH_OK;
  head->ends = true;
  head->pad = pad;
  head->term.fed = UINT32_C(1) << plan->conv.image;
  if (plan->packed != NULL) {
    head->scale = scale;
    head->open = feed_open;
    head->space = plan->slots.size;
  }
  return BERTH_OK;
}

static berth_code_t plan_make(plan_t *plan, berth_prepare_t *prepare,
                              berth_error_t *err) {
  const berth_conv_t *conv = &plan->conv;
  plan->image = side_of(conv, conv->window.channels, berth_conv_places(conv));
  plan->output =
      side_of(conv, conv->window.out_channels, berth_conv_out_places(conv));
  plan->tile = berth_cpu_product_tile(conv->dtype);
  double work = work_of(plan);
  if (conv->goal == BERTH_CONV_FILTER) {
    plan_taps(plan);
  } else {
    plan_places(plan, work);
  }
  double cost = work * UNIT_COST / (double)plan->items;
  plan->grain = cost >= PIECE_COST ? 1 : (int64_t)(PIECE_COST / (cost + 1)) + 1;
  prepare->work =
      work < 1e15 ? (int64_t)(work * UNIT_COST / 1000) : INT64_MAX / 2;
  plan->turned = berth_slots_bytes(&plan->slots);
  prepare->scratch_size = (size_t)plan->turned;
  if (conv->goal != BERTH_CONV_FILTER) {
    plan->pack = berth_cpu_product_pack(conv->dtype);
  }
  if (turns_filter(plan)) {
    prepare->scratch_size +=
        (size_t)(conv->groups * berth_conv_taps(conv) * plan->image.depth *
                 plan->output.depth * plan->size);
  }
  if (conv->goal != BERTH_CONV_FILTER && !plan_pack(plan, prepare)) {
    return berth_error_no_memory(err, "the plan of a convolution");
  }
  prepare->run = run_conv;
  if (conv->goal == BERTH_CONV_OUTPUT && plan->writes_lines &&
      conv->groups == 1) {
    return head_set(plan, prepare, err);
  }
  return BERTH_OK;
}

berth_code_t berth_cpu_conv_plan(berth_prepare_t *prepare,
                                 const berth_conv_t *conv, berth_error_t *err) {
  prepare->run = berth_run_nothing;
  if (conv->is_empty) return BERTH_OK;
  if (conv->window.layout.channels_first && !conv->is_zero) {
    return berth_conv_planes_plan(prepare, conv, berth_cpu_conv_plan, err);
  }
  bool is_fixed = conv->goal != BERTH_CONV_FILTER &&
                  prepare->op.inputs[conv->filter].is_fixed;
  double gain = conv->is_zero ? 0 : berth_conv_scatter_gain(conv);
  if (gain < TILED_GAIN && !conv->is_zero &&
      berth_winograd_fits(conv, is_fixed)) {
    return berth_winograd_plan(prepare, conv, err);
  }
  if (gain > 1) return berth_conv_scatter_plan(prepare, conv, err);
  if (!conv->is_zero && berth_conv_lanes_fits(conv)) {
    return berth_conv_lanes_plan(prepare, conv, err);
  }
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) {
    return berth_error_no_memory(err, "the plan of a convolution");
  }
  plan->conv = *conv;
  plan->size = (int64_t)berth_dtype_size(conv->dtype);
  if (conv->is_zero) {
    plan->lines_bytes =
        berth_dims_count(berth_case_output_dims(&prepare->op, 0)) * plan->size;
    prepare->run = run_zeros;
    return BERTH_OK;
  }
  return plan_make(plan, prepare, err);
}

static berth_code_t prepare_conv(berth_prepare_t *prepare, berth_error_t *err) {
  berth_conv_t conv;
  BERTH_TRY(berth_op_conv(&prepare->op, &conv, err));
  return berth_cpu_conv_plan(prepare, &conv, err);
}

#define KERNEL(name, set) \
  { .op = name, .types = {{"T", set}}, .prepare = prepare_conv }
#define WITH_INT32 (BERTH_TYPES_FLOATING | BERTH_TYPE(INT32))

const berth_kernel_t berth_cpu_conv_kernels[] = {
    KERNEL("Conv2D", WITH_INT32),
    KERNEL("Conv2DBackpropFilter", BERTH_TYPES_FLOATING),
    KERNEL("Conv2DBackpropInput", WITH_INT32),
    KERNEL("Conv3D", BERTH_TYPES_FLOATING),
    KERNEL("Conv3DBackpropFilterV2", BERTH_TYPES_FLOATING),
    KERNEL("Conv3DBackpropInputV2", BERTH_TYPES_FLOATING),
    {.op = NULL},
};
