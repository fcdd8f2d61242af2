// conv_scatter.c - The gradient of an image, added up where windows were.
#include "cpu/ops/conv_scatter.h"

#include <string.h>

#include "base/parallel.h"
#include "cpu/loops/convert.h"
#include "cpu/loops/gemm.h"
#include "cpu/loops/lines.h"
#include "cpu/ops/slots.h"
#include "op/types.h"

enum {
  MOST_COLUMNS = BERTH_GEMM_TILE,  // Products are one tile wide, about,
  MOST_DEPTH = 2048,               // or as wide as the image has channels.
  MOST_BYTES = 1 << 20,            // Of what a row of the output makes.
  PLACES = 12 * BERTH_GEMM_ROWS,   // That are multiplied together, about.
  MOST_SHARES = 4,                 // Pieces where there are few images,
  LEAST_WINDOWS = 4,               // each of so many windows' rows.
  FEW_CHANNELS = 8,                // Of an image of few.
  LANES_BYTES = 64,                // Channels that cost as much as one.
  ADDED = 24,  // Multiplications that take as long as adding what comes of one.
};

// In picoseconds: a multiplication.
#define UNIT_COST 25.0
// What images of few channels gain at least.
#define FEW_GAIN 2.0

typedef struct plan {
  berth_window_axis_t z, y, x;
  int64_t batch, depth, out_depth;
  berth_dtype_t dtype;
  int64_t size;                // Of a number that is computed with: 16 bits are
  bool is_narrow;              // made floats, an image at a time.
  int64_t tap_rows, tap_cols;  // Of the window: a block.
  int64_t blocks, block_bytes;
  int64_t images;       // Of a piece.
  int64_t rows, cols;   // Of the output: places that are multiplied together.
  int64_t bands, band;  // Of an image, and rows of one.
  int filter, output;   // Which inputs they are.
  berth_slots_t slots;
  // In a slot: what comes of a product, and from where on there are the space
  // for products, outputs and images of floats.
  int64_t made_bytes, output_at, image_at;
  int64_t packed_at, filter_at;  // In the scratch space.
} plan_t;

typedef struct run {
  const plan_t *plan;
  berth_gemm_fn tile;
  berth_gemm_pack_fn pack;
  const berth_lines_loops_t *lines;
  berth_convert_fn from, to;  // Of 16 bits.
  const char *filter, *output;
  char *goal, *scratch;
} run_t;

static int64_t ceil_div(int64_t a, int64_t b) {
  return a <= 0 ? 0 : (a + b - 1) / b;
}

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t image_count(const plan_t *plan) {
  return plan->z.in * plan->y.in * plan->x.in * plan->depth;
}

static int64_t output_count(const plan_t *plan) {
  return plan->z.out * plan->y.out * plan->x.out * plan->out_depth;
}

// ---- Blocks ----

// Some taps of the window that follow each other in the filter: whole rows, of
// one plane after the other, or part of a row.
typedef struct block {
  int64_t row, rows;       // Of the window.
  berth_window_axis_t x;   // The taps across, as a window of their own.
  int64_t begin, columns;  // Of the filter, turned.
  int64_t at;              // Where it is packed, in bytes.
} block_t;

static block_t block_at(const plan_t *plan, int64_t index) {
  int64_t across = ceil_div(plan->x.window, plan->tap_cols);
  int64_t x = index % across * plan->tap_cols;
  block_t block = {.row = index / across * plan->tap_rows,
                   .x = plan->x,
                   .at = index * plan->block_bytes};
  block.rows =
      at_most(plan->tap_rows, plan->z.window * plan->y.window - block.row);
  block.x.window = at_most(plan->tap_cols, plan->x.window - x);
  block.x.before -= x * block.x.dilation;
  block.begin = (block.row * plan->x.window + x) * plan->depth;
  block.columns = block.rows * block.x.window * plan->depth;
  return block;
}

// ---- Adding ----

static void lines_add(const run_t *run, const berth_lines_t *lines,
                      const char *from, char *to) {
  if (run->plan->size == (int64_t)sizeof(double)) {
    run->lines->add_f64(lines, (const double *)(const void *)from,
                        (double *)(void *)to);
  } else {
    run->lines->add(lines, (const float *)(const void *)from,
                    (float *)(void *)to);
  }
}

// Adds what a row of the output has made, of |columns| for each place, to a row
// of the image: for taps across, |x|, that are side by side.
static void taps_add(const run_t *run, const berth_window_axis_t *x,
                     int64_t columns, const char *made, char *row) {
  int64_t depth = run->plan->depth, size = run->plan->size;
  // Windows [begin, end) lie inside.
  int64_t begin = at_most(ceil_div(x->before, x->stride), x->out);
  int64_t room = x->in - x->window + x->before;
  int64_t end = room < 0 ? 0 : at_most(room / x->stride + 1, x->out);
  begin = at_most(begin, end);
  berth_lines_t lines = {end - begin, x->window * depth, columns,
                         x->stride * depth};
  if (begin < end) {
    lines_add(run, &lines, made + begin * columns * size,
              row + (begin * x->stride - x->before) * depth * size);
  }
  for (int64_t o = 0; o < x->out; ++o) {
    if (o == begin) o = end;
    if (o >= x->out) break;
    int64_t first = 0, last = 0;
    berth_window_taps(x, o, &first, &last);
    if (first == last) continue;
    berth_lines_t line = {1, (last - first) * depth, 0, 1};
    lines_add(run, &line, made + (o * columns + first * depth) * size,
              row + (o * x->stride - x->before + first) * depth * size);
  }
}

// The same for a row of the taps of |block|.
static void row_add(const run_t *run, const block_t *block, const char *made,
                    char *row) {
  berth_window_axis_t x = block->x;
  if (x.dilation == 1) {
    taps_add(run, &x, block->columns, made, row);
    return;
  }
  x.window = x.dilation = 1;
  for (int64_t tap = 0; tap < block->x.window; ++tap) {
    taps_add(run, &x, block->columns,
             made + tap * run->plan->depth * run->plan->size, row);
    x.before -= block->x.dilation;
  }
}

// Some places of the output that are multiplied together: all columns of some
// rows, or some columns of one.
typedef struct places {
  int64_t images;  // Several only where these are all rows of each.
  int64_t row, rows, col, cols;
  int64_t top, bottom;  // Rows of the image that they are added to.
} places_t;

// Returns the row of the image that row |tap| of the window sees from row |row|
// of the output; -1 outside.
static int64_t row_seen(const plan_t *plan, int64_t row, int64_t tap) {
  const berth_window_axis_t *z = &plan->z, *y = &plan->y;
  int64_t deep =
      row / y->out * z->stride - z->before + tap / y->window * z->dilation;
  int64_t down =
      row % y->out * y->stride - y->before + tap % y->window * y->dilation;
  bool is_inside = deep >= 0 && deep < z->in && down >= 0 && down < y->in;
  return is_inside ? deep * y->in + down : -1;
}

// Adds what |places| of one output have made with |block| to the image at
// |image|.
static void places_add(const run_t *run, const block_t *block,
                       const places_t *places, const char *made, char *image) {
  const plan_t *plan = run->plan;
  int64_t across = block->x.window * plan->depth * plan->size;
  for (int64_t i = 0; i < places->rows; ++i) {
    for (int64_t tap = 0; tap < block->rows; ++tap) {
      int64_t row = row_seen(plan, places->row + i, block->row + tap);
      if (row < places->top || row >= places->bottom) continue;
      row_add(run, block, made + tap * across,
              image + row * plan->x.in * plan->depth * plan->size);
    }
    made += places->cols * block->columns * plan->size;
  }
}

// ---- Running ----

// Multiplies |count| places of |output| with |block|.
static void block_make(const run_t *run, const block_t *block, int64_t count,
                       const char *output, char *space) {
  const plan_t *plan = run->plan;
  berth_gemm_t gemm = {.m = count,
                       .k = plan->out_depth,
                       .a_row = plan->out_depth,
                       .a_col = 1,
                       .b_row = berth_gemm_width(block->columns),
                       .c_row = block->columns,
                       .is_packed = true};
  for (; gemm.b_col < block->columns; gemm.b_col += MOST_COLUMNS) {
    gemm.n = at_most(block->columns - gemm.b_col, MOST_COLUMNS);
    run->tile(&gemm, output, run->scratch + plan->packed_at + block->at,
              space + gemm.b_col * plan->size, space + plan->made_bytes);
  }
}

// Adds to images from |image| on what |places| of their outputs, from |output|
// on, make with each block.
static void places_make(const run_t *run, const places_t *places,
                        const char *output, char *image, char *space) {
  const plan_t *plan = run->plan;
  int64_t count = places->rows * places->cols;
  output +=
      (places->row * plan->x.out + places->col) * plan->out_depth * plan->size;
  for (int64_t i = 0; i < plan->blocks; ++i) {
    block_t block = block_at(plan, i);
    block.x.before -= places->col * block.x.stride;
    block.x.out = places->cols;
    block_make(run, &block, places->images * count, output, space);
    const char *made = space;
    for (int64_t j = 0; j < places->images; ++j) {
      places_add(run, &block, places, made,
                 image + j * image_count(plan) * plan->size);
      made += count * block.columns * plan->size;
    }
  }
}

// Makes rows [top, bottom) of images from |image| on, whose outputs begin at
// |output|.
static void rows_make(const run_t *run, places_t *places, const char *output,
                      char *image, char *space) {
  const plan_t *plan = run->plan;
  const berth_window_axis_t *y = &plan->y;
  int64_t line = plan->x.in * plan->depth * plan->size;
  int64_t rows = plan->z.in * y->in;
  memset(image + places->top * line, 0,
         (size_t)((places->images - 1) * rows * line +
                  (places->bottom - places->top) * line));
  // The rows of the output that see the band.
  int64_t reach = (y->window - 1) * y->dilation;
  int64_t end = plan->z.out * y->out;
  if (plan->bands > 1) {
    places->row = ceil_div(places->top + y->before - reach, y->stride);
    end = at_most(ceil_div(places->bottom + y->before, y->stride), y->out);
  }
  for (; places->row < end; places->row += plan->rows) {
    places->rows = at_most(plan->rows, end - places->row);
    for (int64_t col = 0; col < plan->x.out; col += plan->cols) {
      places->col = col;
      places->cols = at_most(plan->cols, plan->x.out - col);
      places_make(run, places, output, image, space);
    }
  }
}

// Makes one band of one image, or several images.
static void piece_run(const run_t *run, int64_t item, char *space) {
  const plan_t *plan = run->plan;
  int64_t index = item / plan->bands * plan->images;
  int64_t rows = plan->z.in * plan->y.in;
  places_t places = {.images = at_most(plan->images, plan->batch - index),
                     .top = item % plan->bands * plan->band};
  places.bottom = at_most(places.top + plan->band, rows);
  int64_t in = image_count(plan), out = output_count(plan);
  if (!plan->is_narrow) {
    rows_make(run, &places, run->output + index * out * plan->size,
              run->goal + index * in * plan->size, space);
    return;
  }
  int64_t size = (int64_t)sizeof(uint16_t);
  run->from(run->output + index * out * size, space + plan->output_at,
            places.images * out);
  rows_make(run, &places, space + plan->output_at, space + plan->image_at,
            space);
  run->to(space + plan->image_at, run->goal + index * in * size,
          places.images * in);
}

static void pieces_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  char *space = NULL;
  atomic_flag *slot = berth_slots_take(&run->plan->slots, run->scratch, &space);
  for (int64_t item = begin; item < end; ++item) piece_run(run, item, space);
  berth_slots_give(slot);
}

// Packs blocks [begin, end) of the filter, turned.
static void pack_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  for (int64_t i = begin; i < end; ++i) {
    block_t block = block_at(plan, i);
    berth_gemm_t gemm = {.n = block.columns,
                         .k = plan->out_depth,
                         .b_row = 1,
                         .b_col = plan->out_depth};
    int64_t at = block.begin * plan->out_depth;
    const char *filter = run->filter + at * plan->size;
    if (plan->is_narrow) {
      char *wide = run->scratch + plan->filter_at + at * plan->size;
      run->from(run->filter + at * (int64_t)sizeof(uint16_t), wide,
                block.columns * plan->out_depth);
      filter = wide;
    }
    for (int64_t p = 0; p < plan->out_depth; p += BERTH_GEMM_DEPTH) {
      run->pack(&gemm, filter, p, run->scratch + plan->packed_at + block.at);
    }
  }
}

static berth_code_t run_scatter(const void *arg, void *const *args,
                                berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  const berth_gemm_loops_t *gemm = BERTH_ISA_PICK(berth_cpu_gemm_loops);
  const berth_convert_loops_t *convert =
      BERTH_ISA_PICK(berth_cpu_convert_loops);
  bool is_double = plan->dtype == BERTH_DOUBLE;
  bool is_half = plan->dtype == BERTH_HALF;
  run_t run = {
      .plan = plan,
      .tile = is_double ? gemm->f64 : gemm->f32,
      .pack = is_double ? gemm->pack_f64 : gemm->pack_f32,
      .lines = BERTH_ISA_PICK(berth_cpu_lines_loops),
      .from = is_half ? convert->half_to_float : convert->BFLOAT16_to_FLOAT,
      .to = is_half ? convert->float_to_half : convert->FLOAT_to_BFLOAT16,
      .filter = args[plan->filter],
      .output = args[plan->output],
      .goal = args[3],
      .scratch = args[4]};
  berth_slots_clear(&plan->slots, run.scratch);
  if (!berth_parallel_for(plan->blocks, 1, pack_run, &run)) return BERTH_OK;
  // Where it is ended the run says so.
  (void)berth_parallel_for(ceil_div(plan->batch, plan->images) * plan->bands, 1,
                           pieces_run, &run);
  return BERTH_OK;
}

// ---- Preparing ----

// True for few channels, of which a vector would be mostly empty.
static bool are_few(const berth_conv_t *conv) {
  const berth_window_axis_t *axes = conv->window.axes;
  int64_t taps = axes[1].window * axes[2].window;
  int64_t columns = taps * conv->window.channels;
  // Sums over taps have columns of their own for each, of a vector.
  return axes[0].window == 1 && axes[2].dilation == 1 &&
         conv->dtype == BERTH_FLOAT && conv->window.channels <= FEW_CHANNELS &&
         3 * berth_gemm_width(columns) <= BERTH_GEMM_COLS * taps;
}

// Returns how many places of the image there are for one of the output, and how
// many of the taps each of them sees.
static double places_seen(const berth_conv_t *conv) {
  double seen = 1;
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    const berth_window_axis_t *axis = &conv->window.axes[i];
    // Of strides each place sees every second tap, or every third.
    seen *= (double)axis->in / (double)(axis->out * axis->stride);
  }
  return seen;
}

double berth_conv_scatter_gain(const berth_conv_t *conv) {
  const berth_window_t *window = &conv->window;
  int64_t depth = window->channels;
  if (conv->goal != BERTH_CONV_IMAGE || conv->groups != 1 ||
      window->layout.channels_first || berth_conv_taps(conv) == 1 ||
      depth > MOST_DEPTH || conv->dtype == BERTH_INT32) {
    return 0;
  }
  int64_t lane = LANES_BYTES / (conv->dtype == BERTH_DOUBLE ? 8 : 4);
  double outs = (double)window->out_channels, added = ADDED;
  // Taps that are apart are added one by one.
  if (window->axes[2].dilation != 1 && depth < lane) {
    added *= (double)lane / (double)depth;
  }
  double found = places_seen(conv) * (double)(ceil_div(depth, lane) * lane) *
                 outs / ((double)depth * (outs + added));
  return are_few(conv) && found < FEW_GAIN ? FEW_GAIN : found;
}

// Settles how many taps make a block.
static void plan_blocks(plan_t *plan) {
  int64_t rows = plan->z.window * plan->y.window;
  int64_t taps =
      MOST_COLUMNS / plan->depth > 1 ? MOST_COLUMNS / plan->depth : 1;
  plan->tap_cols = at_most(taps, plan->x.window);
  plan->tap_rows = plan->tap_cols == plan->x.window
                       ? at_most(taps / plan->x.window, rows)
                       : 1;
  plan->blocks =
      ceil_div(rows, plan->tap_rows) * ceil_div(plan->x.window, plan->tap_cols);
}

static void plan_pieces(plan_t *plan) {
  int64_t rows = plan->z.out * plan->y.out;
  int64_t columns = plan->tap_rows * plan->tap_cols * plan->depth;
  int64_t least = LEAST_WINDOWS * plan->y.window * plan->y.dilation;
  int64_t bands = ceil_div(MOST_SHARES, plan->batch);
  int64_t most = plan->y.in / least > 1 ? plan->y.in / least : 1;
  if (plan->z.in > 1 || plan->z.out > 1 || plan->is_narrow) bands = 1;
  plan->band = ceil_div(plan->z.in * plan->y.in, at_most(bands, most));
  plan->bands = ceil_div(plan->z.in * plan->y.in, plan->band);
  plan->rows = at_most(ceil_div(PLACES, plan->x.out), rows);
  int64_t room = MOST_BYTES / (columns * plan->size);
  plan->cols = plan->rows > 1 || plan->x.out <= room ? plan->x.out : room;
  plan->images = 1;
  if (plan->bands == 1 && plan->rows == rows && plan->cols == plan->x.out) {
    plan->images = at_most(ceil_div(PLACES, rows * plan->x.out),
                           ceil_div(plan->batch, MOST_SHARES));
  }
}

static int64_t round_up(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// Settles what lies where, and how much scratch space there is.
static int64_t plan_space(plan_t *plan) {
  int64_t size = plan->size;
  int64_t columns = plan->tap_rows * plan->tap_cols * plan->depth;
  int64_t places = plan->images * plan->rows * plan->cols;
  plan->block_bytes = berth_gemm_packed(plan->out_depth, columns, size);
  plan->made_bytes = round_up(places * columns * size);
  plan->output_at =
      plan->made_bytes +
      round_up(berth_gemm_space(places, at_most(columns, MOST_COLUMNS),
                                plan->out_depth, size));
  int64_t wide = plan->is_narrow ? plan->images * size : 0;
  plan->image_at = plan->output_at + round_up(wide * output_count(plan));
  plan->slots =
      berth_slots_for(ceil_div(plan->batch, plan->images) * plan->bands,
                      plan->image_at + round_up(wide * image_count(plan)));
  plan->packed_at = round_up(berth_slots_bytes(&plan->slots));
  plan->filter_at =
      plan->packed_at + round_up(plan->blocks * plan->block_bytes);
  int64_t taps = plan->z.window * plan->y.window * plan->x.window;
  int64_t filter = plan->is_narrow ? size * plan->depth * plan->out_depth : 0;
  return plan->filter_at + filter * taps;
}

berth_code_t berth_conv_scatter_plan(berth_prepare_t *prepare,
                                     const berth_conv_t *conv,
                                     berth_error_t *err) {
  const berth_window_t *window = &conv->window;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) {
    return berth_error_no_memory(err, "the plan of a convolution");
  }
  *plan = (plan_t){
      .z = window->axes[0],
      .y = window->axes[1],
      .x = window->axes[2],
      .batch = window->batch,
      .depth = window->channels,
      .out_depth = window->out_channels,
      .dtype = conv->dtype,
      .size = conv->dtype == BERTH_DOUBLE ? 8 : 4,
      .is_narrow = conv->dtype == BERTH_HALF || conv->dtype == BERTH_BFLOAT16,
      .filter = conv->filter,
      .output = conv->output};
  plan_blocks(plan);
  plan_pieces(plan);
  prepare->scratch_size = (size_t)plan_space(plan);
  double work = (double)(plan->batch * output_count(plan)) *
                (double)berth_conv_taps(conv) * (double)plan->depth;
  prepare->work =
      work < 1e15 ? (int64_t)(work * UNIT_COST / 1000) : INT64_MAX / 2;
  prepare->run = run_scatter;
  return BERTH_OK;
}
