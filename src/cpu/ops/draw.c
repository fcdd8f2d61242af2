// draw.c - Shuffles, and draws of classes.
//
// All take the words of a sequence one after the other, as TensorFlow
// does, so that they give its numbers. TensorFlow shares out large batches of
// draws to threads, which begin elsewhere in the sequence; here a row follows
// the one before it.
#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/words.h"
#include "op/distribution.h"
#include "op/source.h"
#include "op/types.h"
#include "op/value.h"

// ---- RandomShuffle ----

typedef struct shuffle_plan {
  berth_dtype_t dtype;
  int64_t rows, inner;
  bool is_keyed;  // Inputs 1 and 2 say where the sequence begins.
  bool has_long_counter;
} shuffle_plan_t;

// Returns the words that the order comes from; the last row has no choice.
static berth_words_t shuffle_words(const shuffle_plan_t *plan,
                                   void *const *args,
                                   const berth_call_t *call) {
  if (!plan->is_keyed) {
    return berth_words_reserve(call, ((uint64_t)plan->rows + 2) / 4);
  }
  const uint64_t *counter = args[2];
  return (berth_words_t){
      .philox = berth_philox_keyed(*(const uint64_t *)args[1], counter[0],
                                   plan->has_long_counter ? counter[1] : 0),
      .used = 4};
}

// Puts |rows| elements of |type| in another order, where they are.
#define DEFINE_SHUFFLE(name, type)                                            \
  static void shuffle_##name(type *out, int64_t rows, berth_words_t *words) { \
    for (int64_t i = 0; i + 1 < rows; ++i) {                                  \
      uint32_t left = (uint32_t)(rows - i);                                   \
      int64_t other = i + berth_words_next(words) % left;                     \
      type kept = out[i];                                                     \
      out[i] = out[other];                                                    \
      out[other] = kept;                                                      \
    }                                                                         \
  }
DEFINE_SHUFFLE(32, uint32_t)
DEFINE_SHUFFLE(64, uint64_t)

static berth_code_t run_shuffle(const void *arg, void *const *args,
                                berth_call_t *call) {
  const shuffle_plan_t *plan = arg;
  char *out = args[plan->is_keyed ? 4 : 1];
  int64_t *order = args[plan->is_keyed ? 5 : 2];
  size_t row = (size_t)plan->inner * berth_dtype_size(plan->dtype);
  berth_words_t words = shuffle_words(plan, args, call);
  if (berth_dtype_is_plain(plan->dtype) && (row == 4 || row == 8)) {
    memcpy(out, args[0], (size_t)plan->rows * row);
    row == 4 ? shuffle_32((void *)out, plan->rows, &words)
             : shuffle_64((void *)out, plan->rows, &words);
    return BERTH_OK;
  }
  for (int64_t i = 0; i < plan->rows; ++i) order[i] = i;
  shuffle_64((uint64_t *)order, plan->rows, &words);
  for (int64_t i = 0; i < plan->rows; ++i) {
    if (berth_cpu_ends_at(call, i)) return BERTH_OK;
    if (!berth_elements_copy(plan->dtype, out + (size_t)i * row,
                             (const char *)args[0] + (size_t)order[i] * row,
                             plan->inner)) {
      return berth_error_no_memory(call->err, "the elements of a tensor");
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_shuffle(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  shuffle_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  bool is_keyed = prepare->op.input_count > 1;
  if (is_keyed) BERTH_TRY(berth_check_key(&prepare->op, 1, err));
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  prepare->run = berth_run_nothing;
  if (input->count == 0) return BERTH_OK;
  int64_t rows = input->rank > 0 ? input->dims[0] : 1;
  if (rows <= 1) {
    prepare->op.alias = 0;
    return BERTH_OK;
  }
  *plan = (shuffle_plan_t){input->dtype, rows, input->count / rows, is_keyed,
                           is_keyed && prepare->op.inputs[2].count > 1};
  prepare->scratch_size = (size_t)rows * sizeof(int64_t);
  prepare->run = run_shuffle;
  prepare->work = input->count * 2;
  return BERTH_OK;
}

// ---- Multinomial ----

typedef struct draw_plan {
  berth_dtype_t dtype, out_type;
  int64_t rows, classes, count;
  bool is_seeded, is_wide;  // Input 2 is two seeds, of 64 bits.
} draw_plan_t;

static berth_words_t draw_words(const draw_plan_t *plan, void *const *args,
                                const berth_call_t *call) {
  uint64_t each = ((uint64_t)plan->count + 3) / 4 * 4 * 2;
  if (!plan->is_seeded) {
    return berth_words_reserve(
        call, (uint64_t)plan->rows * each * BERTH_GENERATOR_STEPS);
  }
  const int64_t *wide = args[2];
  const int32_t *narrow = args[2];
  uint64_t key, counter[2];
  berth_philox_scramble((uint64_t)(plan->is_wide ? wide[0] : narrow[0]),
                        (uint64_t)(plan->is_wide ? wide[1] : narrow[1]), &key,
                        counter);
  return (berth_words_t){
      .philox = berth_philox_keyed(key, counter[0], counter[1]), .used = 4};
}

// Fills |sums| with the running sums of what each class weighs, and returns
// their total. A class that is not finite weighs nothing.
static double add_up(const draw_plan_t *plan, const void *logits, int64_t first,
                     double *sums) {
  double largest = -INFINITY, total = 0;
  for (int64_t i = 0; i < plan->classes; ++i) {
    double x = berth_number_at(plan->dtype, logits, first + i);
    if (isfinite(x) && x > largest) largest = x;
  }
  for (int64_t i = 0; i < plan->classes; ++i) {
    double x = berth_number_at(plan->dtype, logits, first + i);
    if (isfinite(x)) total += exp(x - largest);
    sums[i] = total;
  }
  return total;
}

// Returns the first class whose sum is above |wanted|.
static int64_t find_class(const double *sums, int64_t count, double wanted) {
  int64_t low = 0, high = count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (wanted < sums[middle]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

static berth_code_t run_draw(const void *arg, void *const *args,
                             berth_call_t *call) {
  const draw_plan_t *plan = arg;
  int out = plan->is_seeded ? 3 : 2;
  double *sums = args[out + 1];
  berth_words_t words = draw_words(plan, args, call);
  for (int64_t r = 0; r < plan->rows; ++r) {
    double total = add_up(plan, args[0], r * plan->classes, sums);
    for (int64_t i = 0; i < plan->count; ++i) {
      if (berth_cpu_ends_at(call, i)) return BERTH_OK;
      uint32_t first = berth_words_next(&words),
               second = berth_words_next(&words);
      double wanted = berth_philox_double(first, second) * total;
      berth_index_set(plan->out_type, args[out], r * plan->count + i,
                      find_class(sums, plan->classes, wanted));
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_draw(berth_prepare_t *prepare, berth_error_t *err) {
  const berth_case_input_t *logits = &prepare->op.inputs[0];
  int64_t count = 0;
  BERTH_TRY(berth_op_multinomial(&prepare->op, &count, err));
  draw_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (draw_plan_t){.dtype = logits->dtype,
                        .out_type = prepare->op.node->output_types[0],
                        .rows = logits->dims[0],
                        .classes = logits->dims[1],
                        .count = count,
                        .is_seeded = prepare->op.input_count > 2};
  if (plan->is_seeded) {
    plan->is_wide = prepare->op.inputs[2].dtype == BERTH_INT64;
  }
  prepare->scratch_size = (size_t)plan->classes * sizeof(double);
  prepare->run = plan->rows * count > 0 ? run_draw : berth_run_nothing;
  prepare->work = logits->count * 20 + plan->rows * count * 50;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_draw_kernels[] = {
    {.op = "RandomShuffle",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT}},
     .prepare = prepare_shuffle},
    {.op = "StatelessShuffle",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT}},
     .prepare = prepare_shuffle},
    {.op = "StatelessMultinomial",
     .types = {{"T", BERTH_TYPES_FLOATING},
               {"output_dtype", BERTH_TYPES_INDEX}},
     .prepare = prepare_draw},
    {.op = "Multinomial",
     .types = {{"T", BERTH_TYPES_FLOATING},
               {"output_dtype", BERTH_TYPES_INDEX}},
     .prepare = prepare_draw},
    {.op = NULL},
};
