// pool.c - The kernels of pooling and of its gradients.
//
// Forward, rows of outputs are pieces; backward, some channels of one image
// are, because windows overlap in what they write. Both depend on shapes alone.
#include "op/pool.h"

#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "cpu/loops/pool.h"
#include "op/types.h"
#include "tensor/half.h"

// Adds element |from| of |grad| to element |to| of |out|.
typedef void (*add_fn)(void *out, int64_t to, const void *grad, int64_t from);

typedef struct plan {
  const berth_pooling_loops_t *loops;
  berth_pooling_t pool;
  berth_pooling_fn join;            // Forward.
  berth_pooling_grad_fn spread;     // Backward.
  add_fn add;                       // The same, with places.
  int64_t pieces, grain;            // Rows, or parts of images.
  int64_t image_size, output_size;  // Elements of one image.
} plan_t;

typedef struct pool_run {
  const plan_t *plan;
  const void *in;
  void *out;
  berth_pooling_places_t places;
  berth_pooling_grad_t grad;
} pool_run_t;

// ---- Running ----

static void run_rows(void *arg, int64_t begin, int64_t end) {
  const pool_run_t *run = arg;
  run->plan->join(&run->plan->pool.window, run->in, run->out, begin, end);
}

static berth_code_t run_pool(const void *arg, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  // MaxPoolV2 has its sizes between the image and the output.
  pool_run_t run = {.plan = plan, .in = args[0]};
  run.out = args[call->node->input_count];
  berth_parallel_for(plan->pieces, plan->grain, run_rows, &run);
  return BERTH_OK;
}

static void run_place_rows(void *arg, int64_t begin, int64_t end) {
  const pool_run_t *run = arg;
  run->plan->loops->max_at(&run->plan->pool.window, run->in, run->out,
                           &run->places, begin, end);
}

static berth_code_t run_argmax(const void *arg, void *const *args,
                               berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  pool_run_t run = {.plan = plan,
                    .in = args[0],
                    .out = args[1],
                    .places = {.at = args[2],
                               .is_wide = plan->pool.index_type == BERTH_INT64,
                               .counts_batch = plan->pool.counts_batch}};
  berth_parallel_for(plan->pieces, plan->grain, run_place_rows, &run);
  return BERTH_OK;
}

static void run_pieces(void *arg, int64_t begin, int64_t end) {
  const pool_run_t *run = arg;
  for (int64_t i = begin; i < end; ++i) run->plan->spread(&run->grad, i);
}

static berth_code_t run_max_grad(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = arg;
  pool_run_t run = {.plan = plan,
                    .grad = {.window = &plan->pool.window,
                             .in = args[0],
                             .found = args[1],
                             .grad = args[2],
                             .out = args[call->node->input_count]}};
  berth_parallel_for(plan->pieces, plan->grain, run_pieces, &run);
  return BERTH_OK;
}

static berth_code_t run_mean_grad(const void *arg, void *const *args,
                                  berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  pool_run_t run = {
      .plan = plan,
      .grad = {.window = &plan->pool.window, .grad = args[1], .out = args[2]}};
  berth_parallel_for(plan->pieces, plan->grain, run_pieces, &run);
  return BERTH_OK;
}

// ---- Gradients that are told where to go ----

// Adds elements in their order, so one thread does it.
#define DEFINE_ADD(name, type, SUM)                                         \
  static void name(void *out, int64_t to, const void *grad, int64_t from) { \
    type *y = (type *)out + to;                                             \
    type g = ((const type *)grad)[from];                                    \
    *y = SUM(*y, g);                                                        \
  }
#define PLAIN_SUM(x, y) ((x) + (y))
#define WRAP_8(x, y) ((uint8_t)((x) + (y)))
#define WRAP_16(x, y) ((uint16_t)((x) + (y)))
#define HALF_SUM(x, y) \
  berth_float_to_half(berth_half_to_float(x) + berth_half_to_float(y))
#define BFLOAT16_SUM(x, y)                             \
  berth_float_to_bfloat16(berth_bfloat16_to_float(x) + \
                          berth_bfloat16_to_float(y))
DEFINE_ADD(add_f32, float, PLAIN_SUM)
DEFINE_ADD(add_f64, double, PLAIN_SUM)
DEFINE_ADD(add_half, uint16_t, HALF_SUM)
DEFINE_ADD(add_bfloat16, uint16_t, BFLOAT16_SUM)
DEFINE_ADD(add_8, uint8_t, WRAP_8)
DEFINE_ADD(add_16, uint16_t, WRAP_16)
DEFINE_ADD(add_32, uint32_t, PLAIN_SUM)
DEFINE_ADD(add_64, uint64_t, PLAIN_SUM)

static add_fn add_of(berth_dtype_t dtype) {
  static const add_fn integers[] = {add_8, add_16, add_32, add_64};
  switch (dtype) {
    case BERTH_FLOAT:
      return add_f32;
    case BERTH_DOUBLE:
      return add_f64;
    case BERTH_HALF:
      return add_half;
    case BERTH_BFLOAT16:
      return add_bfloat16;
    default:
      return integers[__builtin_ctzll(berth_dtype_size(dtype))];
  }
}

static berth_code_t run_grad_argmax(const void *arg, void *const *args,
                                    berth_call_t *call) {
  const plan_t *plan = arg;
  int64_t batches = plan->pool.window.batch, size = plan->image_size;
  int64_t all = batches * size;
  const int64_t *places = args[2];
  size_t item = berth_dtype_size(plan->pool.dtype);
  bool is_grad_grad = plan->pool.joins == BERTH_POOL_GRAD_GRAD;
  if (!is_grad_grad) memset(args[3], 0, (size_t)all * item);
  for (int64_t i = 0; i < batches * plan->output_size; ++i) {
    if (berth_cpu_ends_at(call, i)) return BERTH_OK;
    int64_t offset = plan->pool.counts_batch ? 0 : i / plan->output_size * size;
    int64_t end = plan->pool.counts_batch ? all : size;
    if (places[i] < 0 || places[i] >= end) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Invalid output gradient index: %lld, %lld, %lld",
                             (long long)(places[i] + offset), (long long)offset,
                             (long long)(offset + end));
    }
    int64_t place = places[i] + offset;
    if (is_grad_grad) {
      memcpy((char *)args[3] + (size_t)i * item,
             (const char *)args[1] + (size_t)place * item, item);
    } else {
      plan->add(args[3], place, args[1], i);
    }
  }
  return BERTH_OK;
}

// ---- Preparing ----

static int64_t spots(const berth_window_t *window, bool is_in) {
  int64_t count = 1;
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    count *= is_in ? window->axes[i].in : window->axes[i].out;
  }
  return count;
}

static int64_t tap_count(const berth_window_t *window) {
  int64_t count = 1;
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    const berth_window_axis_t *axis = &window->axes[i];
    count *= axis->window < axis->in ? axis->window : axis->in;
  }
  return count;
}

// Picoseconds for one tap of one channel.
static int64_t unit_cost(berth_dtype_t dtype) {
  return dtype == BERTH_FLOAT ? 100 : dtype == BERTH_HALF ? 2500 : 500;
}

static plan_t *new_plan(berth_prepare_t *prepare, const berth_pooling_t *pool) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return NULL;
  plan->pool = *pool;
  plan->loops = berth_pooling_loops(pool->dtype);
  plan->image_size = spots(&pool->window, true) * pool->window.channels;
  plan->output_size = spots(&pool->window, false) * pool->window.out_channels;
  return plan;
}

// Cuts rows of outputs into pieces of 20 microseconds or more.
static void cut_rows(berth_prepare_t *prepare, plan_t *plan) {
  const berth_window_t *window = &plan->pool.window;
  int64_t row = window->axes[2].out * window->channels;
  int64_t cost = row * tap_count(window) * unit_cost(plan->pool.dtype) + 1;
  plan->pieces = window->batch * window->axes[0].out * window->axes[1].out;
  plan->grain = 20000000 / cost + 1;
  prepare->work = plan->pieces * cost / 1000;
}

// Cuts images into blocks of channels.
static void cut_images(berth_prepare_t *prepare, plan_t *plan) {
  const berth_window_t *window = &plan->pool.window;
  int64_t blocks = (window->channels + BERTH_POOL_BLOCK - 1) / BERTH_POOL_BLOCK;
  int64_t taps = plan->output_size * tap_count(window) + plan->image_size;
  int64_t cost = taps * 3 * unit_cost(plan->pool.dtype) + 1;
  plan->pieces = window->batch * blocks;
  plan->grain = 20000000 / (cost / (blocks > 0 ? blocks : 1) + 1) + 1;
  prepare->work = window->batch * cost / 1000;
}

static bool is_nothing(const berth_prepare_t *prepare) {
  return berth_dims_count(berth_case_output_dims(&prepare->op, 0)) == 0;
}

static berth_code_t prepare_join(berth_prepare_t *prepare, bool is_mean,
                                 berth_error_t *err) {
  berth_pooling_t pool;
  BERTH_TRY(berth_op_pool_needs_channels_last(&prepare->op, err));
  BERTH_TRY(berth_op_pool(&prepare->op, &pool, err));
  prepare->run = berth_run_nothing;
  if (is_nothing(prepare)) return BERTH_OK;
  plan_t *plan = new_plan(prepare, &pool);
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->join = is_mean ? plan->loops->mean : plan->loops->max;
  cut_rows(prepare, plan);
  prepare->run = run_pool;
  return BERTH_OK;
}

static berth_code_t prepare_max(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_join(prepare, false, err);
}

static berth_code_t prepare_mean(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_join(prepare, true, err);
}

static berth_code_t prepare_argmax(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_pooling_t pool;
  BERTH_TRY(berth_op_pool_argmax(&prepare->op, &pool, err));
  prepare->run = berth_run_nothing;
  if (is_nothing(prepare)) return BERTH_OK;
  plan_t *plan = new_plan(prepare, &pool);
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  cut_rows(prepare, plan);
  prepare->run = run_argmax;
  return BERTH_OK;
}

static berth_code_t prepare_spread(berth_prepare_t *prepare,
                                   const berth_pooling_t *pool,
                                   berth_run_fn run, plan_t **out_plan,
                                   berth_error_t *err) {
  prepare->run = berth_run_nothing;
  *out_plan = NULL;
  if (is_nothing(prepare)) return BERTH_OK;
  plan_t *plan = new_plan(prepare, pool);
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  cut_images(prepare, plan);
  prepare->run = run;
  *out_plan = plan;
  return BERTH_OK;
}

static berth_code_t prepare_max_grad(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_pooling_t pool;
  plan_t *plan;
  BERTH_TRY(berth_op_pool_needs_channels_last(&prepare->op, err));
  BERTH_TRY(berth_op_max_pool_grad(&prepare->op, &pool, err));
  if (pool.window.layout.channels_first) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "MaxPool3DGradGrad on a CPU takes NDHWC alone");
  }
  BERTH_TRY(prepare_spread(prepare, &pool, run_max_grad, &plan, err));
  if (plan == NULL) return BERTH_OK;
  const berth_pooling_loops_t *loops = plan->loops;
  plan->spread = pool.joins == BERTH_POOL_GRAD_GRAD ? loops->grad_grad
                 : pool.joins == BERTH_POOL_EQUAL   ? loops->equal_grad
                                                    : loops->max_grad;
  return BERTH_OK;
}

static berth_code_t prepare_mean_grad(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  berth_pooling_t pool;
  plan_t *plan;
  BERTH_TRY(berth_op_pool_needs_channels_last(&prepare->op, err));
  BERTH_TRY(berth_op_avg_pool_grad(&prepare->op, &pool, err));
  BERTH_TRY(prepare_spread(prepare, &pool, run_mean_grad, &plan, err));
  if (plan != NULL) plan->spread = plan->loops->mean_grad;
  return BERTH_OK;
}

static berth_code_t prepare_grad_argmax(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  berth_pooling_t pool;
  BERTH_TRY(berth_op_max_pool_grad_argmax(&prepare->op, &pool, err));
  prepare->run = berth_run_nothing;
  if (is_nothing(prepare)) return BERTH_OK;
  plan_t *plan = new_plan(prepare, &pool);
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->add = add_of(pool.dtype);
  prepare->work = pool.window.batch * (plan->image_size + plan->output_size);
  prepare->run = run_grad_argmax;
  return BERTH_OK;
}

#define TYPES_3D (BERTH_TYPE(BFLOAT16) | BERTH_TYPE(FLOAT))
#define KERNEL(name, set, function) \
  { .op = name, .types = {{"T", set}}, .prepare = function }

const berth_kernel_t berth_cpu_pool_kernels[] = {
    KERNEL("MaxPool", BERTH_TYPES_REAL, prepare_max),
    KERNEL("MaxPoolV2", BERTH_TYPES_REAL, prepare_max),
    KERNEL("MaxPool3D", TYPES_3D, prepare_max),
    KERNEL("AvgPool", BERTH_TYPES_FLOATING, prepare_mean),
    KERNEL("AvgPool3D", TYPES_3D, prepare_mean),
    {.op = "MaxPoolWithArgmax",
     .types = {{"T", BERTH_TYPES_REAL}, {"Targmax", BERTH_TYPES_INDEX}},
     .prepare = prepare_argmax},
    {.op = "MaxPoolGradWithArgmax",
     .types = {{"T", BERTH_TYPES_REAL}, {"Targmax", BERTH_TYPE(INT64)}},
     .prepare = prepare_grad_argmax},
    {.op = "MaxPoolGradGradWithArgmax",
     .types = {{"T", BERTH_TYPES_FLOATING}, {"Targmax", BERTH_TYPE(INT64)}},
     .prepare = prepare_grad_argmax},
    KERNEL("MaxPoolGrad", BERTH_TYPES_REAL, prepare_max_grad),
    KERNEL("MaxPoolGradV2", BERTH_TYPES_REAL, prepare_max_grad),
    KERNEL("MaxPool3DGrad", TYPES_3D, prepare_max_grad),
    KERNEL("MaxPoolGradGrad", BERTH_TYPES_REAL, prepare_max_grad),
    KERNEL("MaxPoolGradGradV2", BERTH_TYPES_REAL, prepare_max_grad),
    KERNEL("MaxPool3DGradGrad", TYPES_3D, prepare_max_grad),
    KERNEL("AvgPoolGrad", BERTH_TYPES_FLOATING, prepare_mean_grad),
    KERNEL("AvgPool3DGrad", TYPES_3D, prepare_mean_grad),
    {.op = NULL},
};
