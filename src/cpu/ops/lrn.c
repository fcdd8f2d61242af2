// lrn.c - The kernels LRN and LRNGrad.
#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/norm.h"
#include "op/norm.h"
#include "op/types.h"

// Rows are done together, about so many numbers at once; of fewer channels side
// by side.
enum { AT_ONCE = 256, FEW_CHANNELS = 8, VECTOR = 16 };

typedef struct plan {
  const berth_norm_loops_t *loops;
  berth_lrn_numbers_t numbers;
  int64_t channels, rows;
  int64_t grain;  // Rows of a piece, each of which has room of its own.
  int64_t masks;  // 0: none are needed.
  int64_t room;   // Floats, with the masks.
  bool is_half;
} plan_t;

typedef struct lrn_run {
  const plan_t *plan;
  const void *inputs[3];
  void *out;
  float *room;
} lrn_run_t;

// Returns |n| numbers of |from| from |at| on as floats, which |room| holds where
// they are none.
static const float *load(const plan_t *plan, const void *from, int64_t at,
                         int64_t n, float *room) {
  if (!plan->is_half) return (const float *)from + at;
  plan->loops->from_half((const uint16_t *)from + at, room, n);
  return room;
}

static void masks_fill(const plan_t *plan, uint32_t *masks) {
  int64_t radius = plan->numbers.radius, n = plan->channels;
  for (int64_t k = -radius; k <= radius; ++k) {
    for (int64_t i = 0; i < plan->numbers.at_once; ++i) {
      int64_t channel = i % n + k;
      *masks++ = channel >= 0 && channel < n ? ~0U : 0;
    }
  }
}

// Does |n| numbers from |at| on, whole rows.
static void run_rows(const lrn_run_t *run, const berth_lrn_numbers_t *numbers,
                     int64_t at, int64_t n, float *room) {
  const plan_t *plan = run->plan;
  float *rows = room + berth_lrn_room(n, numbers->radius, numbers->channels);
  float *y = plan->is_half ? rows + 3 * n : (float *)run->out + at;
  const float *inputs[3] = {load(plan, run->inputs[0], at, n, rows)};
  if (run->inputs[1] == NULL) {
    plan->loops->lrn(inputs[0], y, n, numbers, room);
  } else {
    inputs[1] = load(plan, run->inputs[1], at, n, rows + n);
    inputs[2] = load(plan, run->inputs[2], at, n, rows + 2 * n);
    plan->loops->lrn_grad(inputs, y, n, numbers, room);
  }
  if (plan->is_half) plan->loops->to_half(y, (uint16_t *)run->out + at, n);
}

static void run_piece(const lrn_run_t *run, int64_t piece) {
  const plan_t *plan = run->plan;
  berth_lrn_numbers_t numbers = plan->numbers;
  int64_t end = (piece + 1) * plan->grain;
  float *room = run->room + piece * plan->room;
  if (end > plan->rows) end = plan->rows;
  if (plan->masks > 0) {
    numbers.masks = (const uint32_t *)room;
    masks_fill(plan, (uint32_t *)room);
    room += plan->masks;
  }
  end *= plan->channels;
  for (int64_t at = piece * plan->grain * plan->channels; at < end;
       at += numbers.at_once) {
    int64_t n = end - at < numbers.at_once ? end - at : numbers.at_once;
    run_rows(run, &numbers, at, n, room);
  }
}

static void run_pieces(void *arg, int64_t begin, int64_t end) {
  const lrn_run_t *run = arg;
  for (int64_t i = begin; i < end; ++i) run_piece(run, i);
}

static berth_code_t run_all(const plan_t *plan, lrn_run_t *run) {
  int64_t pieces = (plan->rows + plan->grain - 1) / plan->grain;
  berth_parallel_for(pieces, 1, run_pieces, run);
  return BERTH_OK;
}

static berth_code_t run_lrn(const void *arg, void *const *args,
                            berth_call_t *call) {
  (void)call;
  lrn_run_t run = {
      .plan = arg, .inputs = {args[0]}, .out = args[1], .room = args[2]};
  return run_all(arg, &run);
}

static berth_code_t run_grad(const void *arg, void *const *args,
                             berth_call_t *call) {
  (void)call;
  lrn_run_t run = {.plan = arg,
                   .inputs = {args[0], args[1], args[2]},
                   .out = args[3],
                   .room = args[4]};
  return run_all(arg, &run);
}

static berth_code_t make_plan(berth_prepare_t *prepare, const berth_lrn_t *lrn,
                              berth_run_fn run, berth_error_t *err) {
  prepare->run = berth_run_nothing;
  if (lrn->rows == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  int64_t n = lrn->channels;
  // Radii beyond the channels see no more than these.
  int64_t reach = lrn->radius < n ? lrn->radius : n;
  int64_t at_once = (AT_ONCE + n - 1) / n * n;
  int64_t masks = n < FEW_CHANNELS ? (2 * reach + 1) * at_once + VECTOR : 0;
  *plan =
      (plan_t){.loops = BERTH_ISA_PICK(berth_cpu_norm_loops),
               .numbers = {.radius = reach,
                           .bias = lrn->bias,
                           .alpha = lrn->alpha,
                           .beta = lrn->beta,
                           .channels = n,
                           .at_once = at_once},
               .channels = n,
               .rows = lrn->rows,
               .grain = 16384 / n + 1,
               .masks = masks,
               .room = masks + berth_lrn_room(at_once, reach, n) + 4 * at_once,
               .is_half = lrn->dtype == BERTH_HALF};
  int64_t pieces = (plan->rows + plan->grain - 1) / plan->grain;
  prepare->scratch_size = (size_t)(pieces * plan->room) * sizeof(float);
  prepare->work = lrn->rows * n * (2 + reach / 4);
  prepare->run = run;
  return BERTH_OK;
}

static berth_code_t prepare_lrn(berth_prepare_t *prepare, berth_error_t *err) {
  berth_lrn_t lrn;
  BERTH_TRY(berth_op_lrn(&prepare->op, &lrn, err));
  return make_plan(prepare, &lrn, run_lrn, err);
}

static berth_code_t prepare_grad(berth_prepare_t *prepare, berth_error_t *err) {
  berth_lrn_t lrn;
  BERTH_TRY(berth_op_lrn_grad(&prepare->op, &lrn, err));
  return make_plan(prepare, &lrn, run_grad, err);
}

#define TYPES (BERTH_TYPE(HALF) | BERTH_TYPE(FLOAT))

const berth_kernel_t berth_cpu_lrn_kernels[] = {
    {.op = "LRN", .types = {{"T", TYPES}}, .prepare = prepare_lrn},
    {.op = "LRNGrad", .types = {{"T", TYPES}}, .prepare = prepare_grad},
    {.op = NULL},
};
