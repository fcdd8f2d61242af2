// conv_few.c - The gradient of an image of few channels.
#include "cpu/ops/conv_few.h"

#include <string.h>

#include "base/parallel.h"
#include "cpu/loops/gemm.h"
#include "cpu/loops/lines.h"
#include "cpu/ops/slots.h"

enum {
  MOST_DEPTH = 8,                  // Channels of the image.
  MOST_COLUMNS = BERTH_GEMM_TILE,  // Products are one tile wide.
  MOST_BYTES = 1 << 20,            // Of what a row of the output makes.
  PLACES = 12 * BERTH_GEMM_ROWS,   // That are multiplied together, about.
  MOST_SHARES = 4,                 // Pieces where there are few images,
  LEAST_WINDOWS = 4,               // each of so many windows' rows.
};

// In picoseconds: a multiplication.
#define UNIT_COST 25.0

typedef struct plan {
  berth_window_axis_t y, x;
  int64_t batch, depth, out_depth;
  int64_t columns;      // Of a product: taps x channels of the image.
  int64_t rows;         // Of the output that are multiplied together.
  int64_t bands, band;  // Of an image, and rows of one.
  int filter, output;   // Which inputs they are.
  berth_slots_t slots;
  int64_t made_bytes;  // In a slot: what comes of a product.
  int64_t packed_at;   // Where the filter is in the scratch space.
} plan_t;

typedef struct run {
  const plan_t *plan;
  const berth_gemm_loops_t *gemm;
  const berth_lines_loops_t *lines;
  const float *filter, *output;
  float *goal;
  char *scratch;
} run_t;

// ---- Adding ----

// Adds what a row of the output has made for row |tap| of the window to a row of
// the image.
static void row_add(const run_t *run, int64_t tap, const float *made,
                    float *row) {
  const plan_t *plan = run->plan;
  const berth_window_axis_t *x = &plan->x;
  made += tap * x->window * plan->depth;
  // Windows [begin, end) lie inside.
  int64_t begin = (x->before + x->stride - 1) / x->stride;
  int64_t room = x->in - x->window + x->before;
  int64_t end = room < 0 ? 0 : room / x->stride + 1;
  end = end < x->out ? end : x->out;
  begin = begin < end ? begin : end;
  berth_lines_t lines = {end - begin, x->window * plan->depth, plan->columns,
                         x->stride * plan->depth};
  run->lines->add(&lines, made + begin * plan->columns,
                  row + (begin * x->stride - x->before) * plan->depth);
  for (int64_t o = 0; o < x->out; ++o) {
    if (o == begin) o = end;
    if (o >= x->out) break;
    int64_t first = 0, last = 0;
    berth_window_taps(x, o, &first, &last);
    berth_lines_t line = {1, (last - first) * plan->depth, 0, 1};
    run->lines->add(&line, made + o * plan->columns + first * plan->depth,
                    row + (o * x->stride - x->before + first) * plan->depth);
  }
}

// Adds what rows [begin, end) of an output have made to rows [top, bottom) of
// the image at |image|.
static void rows_add(const run_t *run, int64_t begin, int64_t end, int64_t top,
                     int64_t bottom, const float *made, float *image) {
  const plan_t *plan = run->plan;
  for (int64_t o = begin; o < end; ++o, made += plan->x.out * plan->columns) {
    int64_t first = o * plan->y.stride - plan->y.before;
    for (int64_t tap = 0; tap < plan->y.window; ++tap) {
      int64_t row = first + tap;
      if (row < top || row >= bottom) continue;
      row_add(run, tap, made, image + row * plan->x.in * plan->depth);
    }
  }
}

// ---- Running ----

static int64_t ceil_div(int64_t a, int64_t b) {
  return a <= 0 ? 0 : (a + b - 1) / b;
}

// Makes one band of one image.
static void band_run(const run_t *run, int64_t item, char *space) {
  const plan_t *plan = run->plan;
  const berth_window_axis_t *y = &plan->y;
  int64_t line = plan->x.in * plan->depth, index = item / plan->bands;
  int64_t top = item % plan->bands * plan->band, bottom = top + plan->band;
  bottom = bottom < y->in ? bottom : y->in;
  float *image = run->goal + index * y->in * line;
  memset(image + top * line, 0,
         (size_t)((bottom - top) * line) * sizeof(float));
  int64_t width = plan->x.out * plan->out_depth;
  const float *output = run->output + index * y->out * width;
  berth_gemm_t gemm = {.n = plan->columns,
                       .k = plan->out_depth,
                       .a_row = plan->out_depth,
                       .a_col = 1,
                       .b_row = berth_gemm_width(plan->columns),
                       .c_row = plan->columns,
                       .is_packed = true};
  // The rows of the output that see the band.
  int64_t begin = ceil_div(top + y->before - y->window + 1, y->stride);
  int64_t end = ceil_div(bottom + y->before, y->stride);
  end = end < y->out ? end : y->out;
  for (; begin < end; begin += plan->rows) {
    int64_t last = begin + plan->rows < end ? begin + plan->rows : end;
    gemm.m = (last - begin) * plan->x.out;
    run->gemm->f32(&gemm, output + begin * width,
                   run->scratch + plan->packed_at, space,
                   space + plan->made_bytes);
    rows_add(run, begin, last, top, bottom, (const float *)(const void *)space,
             image);
  }
}

static void bands_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  char *space = NULL;
  atomic_flag *slot = berth_slots_take(&run->plan->slots, run->scratch, &space);
  for (int64_t item = begin; item < end; ++item) band_run(run, item, space);
  berth_slots_give(slot);
}

// Packs slices [begin, end) of the filter, turned.
static void pack_run(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  berth_gemm_t gemm = {.n = plan->columns,
                       .k = plan->out_depth,
                       .b_row = 1,
                       .b_col = plan->out_depth};
  for (int64_t i = begin; i < end; ++i) {
    run->gemm->pack_f32(&gemm, run->filter, i * BERTH_GEMM_DEPTH,
                        run->scratch + plan->packed_at);
  }
}

static berth_code_t run_few(const void *arg, void *const *args,
                            berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  run_t run = {.plan = plan,
               .gemm = BERTH_ISA_PICK(berth_cpu_gemm_loops),
               .lines = BERTH_ISA_PICK(berth_cpu_lines_loops),
               .filter = args[plan->filter],
               .output = args[plan->output],
               .goal = args[3],
               .scratch = args[4]};
  int64_t slices = ceil_div(plan->out_depth, BERTH_GEMM_DEPTH);
  berth_slots_clear(&plan->slots, run.scratch);
  if (!berth_parallel_for(slices, 1, pack_run, &run)) return BERTH_OK;
  // Where it is ended the run says so.
  (void)berth_parallel_for(plan->batch * plan->bands, 1, bands_run, &run);
  return BERTH_OK;
}

// ---- Preparing ----

bool berth_conv_few_fits(const berth_conv_t *conv) {
  const berth_window_t *window = &conv->window;
  const berth_window_axis_t *axes = window->axes;
  int64_t taps = axes[1].window * axes[2].window;
  int64_t columns = taps * window->channels;
  if (conv->goal != BERTH_CONV_IMAGE || conv->dtype != BERTH_FLOAT ||
      conv->groups != 1 || window->layout.channels_first ||
      axes[0].window != 1 || axes[0].in != 1 || axes[0].out != 1 ||
      axes[1].dilation != 1 || axes[2].dilation != 1 ||
      window->channels > MOST_DEPTH || columns > MOST_COLUMNS) {
    return false;
  }
  // Sums over taps have columns of their own for each, of a vector.
  return 3 * berth_gemm_width(columns) <= BERTH_GEMM_COLS * taps &&
         axes[2].out * columns * (int64_t)sizeof(float) <= MOST_BYTES;
}

static void plan_pieces(plan_t *plan) {
  int64_t least = LEAST_WINDOWS * plan->y.window;
  int64_t bands = ceil_div(MOST_SHARES, plan->batch);
  int64_t most = plan->y.in / least > 1 ? plan->y.in / least : 1;
  bands = bands < most ? bands : most;
  plan->band = ceil_div(plan->y.in, bands);
  plan->bands = ceil_div(plan->y.in, plan->band);
  plan->rows = ceil_div(PLACES, plan->x.out);
  plan->rows = plan->rows < plan->y.out ? plan->rows : plan->y.out;
}

berth_code_t berth_conv_few_plan(berth_prepare_t *prepare,
                                 const berth_conv_t *conv, berth_error_t *err) {
  const berth_window_t *window = &conv->window;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) {
    return berth_error_no_memory(err, "the plan of a convolution");
  }
  *plan = (plan_t){.y = window->axes[1],
                   .x = window->axes[2],
                   .batch = window->batch,
                   .depth = window->channels,
                   .out_depth = window->out_channels,
                   .filter = conv->filter,
                   .output = conv->output};
  plan->columns = plan->y.window * plan->x.window * plan->depth;
  plan_pieces(plan);
  int64_t places = plan->rows * plan->x.out;
  int64_t size = sizeof(float);
  plan->made_bytes = (places * plan->columns * size + 63) / 64 * 64;
  plan->slots = berth_slots_for(
      plan->batch * plan->bands,
      plan->made_bytes +
          berth_gemm_space(places, plan->columns, plan->out_depth, size));
  plan->packed_at = (berth_slots_bytes(&plan->slots) + 63) / 64 * 64;
  prepare->scratch_size =
      (size_t)(plan->packed_at +
               berth_gemm_packed(plan->out_depth, plan->columns, size));
  double work = (double)plan->batch * (double)plan->y.out *
                (double)plan->x.out * (double)plan->columns *
                (double)plan->out_depth;
  prepare->work =
      work < 1e15 ? (int64_t)(work * UNIT_COST / 1000) : INT64_MAX / 2;
  prepare->run = run_few;
  return BERTH_OK;
}
