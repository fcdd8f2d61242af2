// conv_planes.c - Convolutions of images whose channels come first.
#include "cpu/ops/conv_planes.h"

#include "base/parallel.h"
#include "cpu/loops/move_loops.h"

enum {
  IMAGE,
  OUTPUT,
  SIDES,
  PIECE = 4096,  // Elements that are moved together, about.
};

// An image, or the output, in both orders.
typedef struct side {
  int64_t batch, channels, places;
  int64_t at;    // In the scratch space.
  bool is_same;  // In both orders.
} side_t;

typedef struct plan {
  side_t sides[SIDES];
  berth_conv_goal_t goal;
  int image, filter, output;  // Which inputs they are.
  int64_t size;               // Of an element.
  berth_transpose_fn transpose;
  berth_run_fn run;  // With channels last.
  const void *plan;
  int64_t scratch_at;  // Its scratch space.
} plan_t;

// A side that is moved.
typedef struct move {
  const plan_t *plan;
  const side_t *side;
  const char *from;
  char *to;
  bool is_back;           // Channels come first again.
  int64_t piece, pieces;  // Places together; of an image.
} move_t;

// Moves pieces [begin, end): some places, all channels of each.
static void move_run(void *arg, int64_t begin, int64_t end) {
  const move_t *move = arg;
  const plan_t *plan = move->plan;
  const side_t *side = move->side;
  int64_t plane = side->places * plan->size, line = side->channels * plan->size;
  for (int64_t i = begin; i < end; ++i) {
    int64_t image = i / move->pieces * side->channels * plane;
    int64_t first = i % move->pieces * move->piece;
    int64_t count = side->places - first;
    count = count < move->piece ? count : move->piece;
    int64_t planes = image + first * plan->size, lines = image + first * line;
    if (move->is_back) {
      plan->transpose(move->from + lines, line, move->to + planes, plane, count,
                      side->channels, false);
    } else {
      plan->transpose(move->from + planes, plane, move->to + lines, line,
                      side->channels, count, false);
    }
  }
}

// Moves a side; false when the run was ended.
static bool side_move(const plan_t *plan, int which, const char *from, char *to,
                      bool is_back) {
  const side_t *side = &plan->sides[which];
  move_t move = {plan, side, from, to, is_back, 0, 0};
  move.piece = (PIECE + side->channels - 1) / side->channels;
  move.piece = (move.piece + 15) / 16 * 16;
  move.pieces = (side->places + move.piece - 1) / move.piece;
  return berth_parallel_for(side->batch * move.pieces, 4, move_run, &move);
}

static berth_code_t run_planes(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  enum { MOST = 5 };
  int goal = plan->goal == BERTH_CONV_OUTPUT ? 2 : 3;
  char *scratch = args[goal + 1];
  void *inner[MOST] = {args[0], args[1], args[2], args[3]};
  int at[SIDES] = {plan->image, plan->output};
  int made = plan->goal == BERTH_CONV_IMAGE    ? IMAGE
             : plan->goal == BERTH_CONV_OUTPUT ? OUTPUT
                                               : SIDES;
  for (int i = 0; i < SIDES; ++i) {
    if (plan->sides[i].is_same) continue;
    if (i == made) {
      inner[goal] = scratch + plan->sides[i].at;
      continue;
    }
    inner[at[i]] = scratch + plan->sides[i].at;
    if (!side_move(plan, i, args[at[i]], inner[at[i]], false)) return BERTH_OK;
  }
  inner[goal + 1] = scratch + plan->scratch_at;
  berth_code_t code = plan->run(plan->plan, inner, call);
  if (code == BERTH_OK && made < SIDES && !plan->sides[made].is_same) {
    // Where it is ended the run says so.
    (void)side_move(plan, made, inner[goal], args[goal], true);
  }
  return code;
}

// Gives a side room in the scratch space.
static void side_set(plan_t *plan, int which, int64_t batch, int64_t channels,
                     int64_t places, int64_t *scratch) {
  bool is_same = channels == 1 || places == 1;
  plan->sides[which] = (side_t){batch, channels, places, *scratch, is_same};
  if (is_same) return;
  *scratch += (batch * channels * places * plan->size + 63) / 64 * 64;
}

berth_code_t berth_conv_planes_plan(berth_prepare_t *prepare,
                                    const berth_conv_t *conv,
                                    berth_conv_plan_fn make,
                                    berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) {
    return berth_error_no_memory(err, "the plan of a convolution");
  }
  berth_conv_t last = *conv;
  last.window.layout.channels_first = false;
  berth_prepare_t inner = {.op = prepare->op, .device = prepare->device};
  BERTH_TRY(make(&inner, &last, err));
  const berth_window_t *window = &conv->window;
  plan->goal = conv->goal;
  plan->image = conv->image;
  plan->filter = conv->filter;
  plan->output = conv->output;
  plan->size = (int64_t)berth_dtype_size(conv->dtype);
  int class = plan->size == 2 ? 1 : plan->size == 4 ? 2 : 3;
  plan->transpose = BERTH_ISA_PICK(berth_cpu_move_loops)->transpose[class];
  plan->run = inner.run;
  plan->plan = inner.plan;
  side_set(plan, IMAGE, window->batch, window->channels,
           berth_conv_places(conv), &plan->scratch_at);
  side_set(plan, OUTPUT, window->batch, window->out_channels,
           berth_conv_out_places(conv), &plan->scratch_at);
  prepare->scratch_size = (size_t)plan->scratch_at + inner.scratch_size;
  prepare->work = inner.work;
  prepare->run = run_planes;
  return BERTH_OK;
}
