// binary.c - Kernels of ops with two inputs, most of which broadcast.
//
// All are made from op/binary_list.inc. prepare finds the loops for the type;
// sweep.c does the rest.
#include "cpu/loops/binary.h"

#include "cpu/kernels.h"
#include "cpu/loops/complex_vector.h"
#include "cpu/loops/unary.h"
#include "cpu/ops/binary_one.h"
#include "cpu/ops/move.h"
#include "cpu/ops/strings.h"

const berth_loops_t *berth_binary_loops(berth_binary_op_t op,
                                        berth_dtype_t dtype) {
  if (dtype == BERTH_STRING) return berth_string_loops(op);
  berth_form_t slot = berth_form_of(dtype);
  if (slot == BERTH_FORM_NONE) return NULL;
  const berth_binary_hot_t *loops = BERTH_ISA_PICK(berth_cpu_binary_hot);
  const berth_loops_t *narrow = dtype == BERTH_HALF       ? loops->half
                                : dtype == BERTH_BFLOAT16 ? loops->bfloat16
                                                          : NULL;
  if (narrow != NULL && narrow[op].both != NULL) return &narrow[op];
  if (slot < BERTH_FORM_HOT_COUNT && loops->at[slot][op].both != NULL) {
    return &loops->at[slot][op];
  }
  if (slot == BERTH_FORM_C64 || slot == BERTH_FORM_C128) {
    const berth_complex_hot_t *hot = BERTH_ISA_PICK(berth_cpu_complex_hot);
    const berth_loops_t *vector =
        &(slot == BERTH_FORM_C64 ? &hot->c64 : &hot->c128)->binary[op];
    if (vector->both != NULL) return vector;
  }
  const berth_loops_t *rest = berth_cpu_binary_rest[slot];
  return rest != NULL && rest[op].both != NULL ? &rest[op] : NULL;
}

// ---- Errors ----

// What is wrong is looked for before anything is computed.
#define ACCEPT(name, type, wrong)                      \
  static bool name(const void *right, int64_t count) { \
    const type *y = right;                             \
    for (int64_t i = 0; i < count; ++i) {              \
      if (wrong) return false;                         \
    }                                                  \
    return true;                                       \
  }

ACCEPT(has_no_zero_8, uint8_t, y[i] == 0)
ACCEPT(has_no_zero_16, uint16_t, y[i] == 0)
ACCEPT(has_no_zero_32, uint32_t, y[i] == 0)
ACCEPT(has_no_zero_64, uint64_t, y[i] == 0)
ACCEPT(has_no_negative_8, int8_t, y[i] < 0)
ACCEPT(has_no_negative_16, int16_t, y[i] < 0)
ACCEPT(has_no_negative_32, int32_t, y[i] < 0)
ACCEPT(has_no_negative_64, int64_t, y[i] < 0)

typedef bool (*accept_fn)(const void *right, int64_t count);

// Returns the check that right inputs of |size| bytes an element pass, or NULL.
static accept_fn accept_find(berth_wrong_t wrong, size_t size) {
  const bool zero = wrong == BERTH_WRONG_ZERO;
  if (wrong == BERTH_WRONG_NOTHING) return NULL;
  switch (size) {
    case 1:
      return zero ? has_no_zero_8 : has_no_negative_8;
    case 2:
      return zero ? has_no_zero_16 : has_no_negative_16;
    case 4:
      return zero ? has_no_zero_32 : has_no_negative_32;
    default:
      return zero ? has_no_zero_64 : has_no_negative_64;
  }
}

// ---- Preparing ----

// Picoseconds an element, where it is more than reading and writing it.
static int32_t cost_of(berth_binary_op_t op, berth_form_t slot) {
  static const struct {
    int32_t of_real, of_others;
  } costs[BERTH_BINARY_COUNT] = {
#define BINARY(NAME, name, result, of_real, of_others) \
  [BERTH_BINARY_##NAME] = {of_real, of_others},
#include "op/binary_list.inc"
  };
  if (slot == BERTH_FORM_NONE) return 10000;
  bool is_real = slot == BERTH_FORM_F32 || slot == BERTH_FORM_F64;
  return is_real ? costs[op].of_real : costs[op].of_others;
}

static berth_code_t run_answer(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)call;
  *(bool *)args[2] = *(const bool *)plan;
  return BERTH_OK;
}

// What Equal gives for shapes that do not fit, when that is no error.
static berth_code_t prepare_answer(berth_prepare_t *prepare, bool answer,
                                   berth_error_t *err) {
  bool *value = berth_prepare_plan(prepare, sizeof(bool));
  if (value == NULL) return berth_error_no_memory(err, "a plan");
  *value = answer;
  prepare->run = run_answer;
  return BERTH_OK;
}

// TensorFlow computes some in two steps, each rounded to half or bfloat16.
static void sweep_set_steps(berth_sweep_t *sweep, berth_binary_op_t op) {
  berth_binary_op_t first;
  berth_unary_op_t second;
  if (sweep->input != BERTH_HALF && sweep->input != BERTH_BFLOAT16) return;
  if (!berth_binary_steps(op, &first, &second)) return;
  sweep->loops = *berth_binary_loops(first, BERTH_FLOAT);
  sweep->after = berth_unary_loop(second, BERTH_FLOAT);
}

// Says what the function is of floats in registers.
static void sweep_set_strand(berth_sweep_t *sweep, berth_binary_op_t op) {
  static const struct {
    berth_strand_code_t strand, strand_of;
  } codes[BERTH_BINARY_COUNT] = {
      [BERTH_BINARY_ADD] = {BERTH_STRAND_ADD, BERTH_STRAND_ADD},
      [BERTH_BINARY_SUB] = {BERTH_STRAND_SUB, BERTH_STRAND_SUB_OF},
      [BERTH_BINARY_MUL] = {BERTH_STRAND_MUL, BERTH_STRAND_MUL},
      [BERTH_BINARY_DIV] = {BERTH_STRAND_DIV, BERTH_STRAND_DIV_OF},
      [BERTH_BINARY_MAX] = {BERTH_STRAND_MAX, BERTH_STRAND_MAX_OF},
      [BERTH_BINARY_MIN] = {BERTH_STRAND_MIN, BERTH_STRAND_MIN_OF},
  };
  sweep->strand = codes[op].strand;
  sweep->strand_of = codes[op].strand_of;
}

// The loop of a function with a slope, or NULL.
static berth_slope_fn slope_of(berth_binary_op_t op, berth_dtype_t dtype) {
  if (op != BERTH_BINARY_LEAKY_RELU_GRAD) return NULL;
  const berth_binary_hot_t *hot = BERTH_ISA_PICK(berth_cpu_binary_hot);
  return dtype == BERTH_DOUBLE ? hot->slope_f64 : hot->slope_f32;
}

static berth_code_t prepare_binary(berth_prepare_t *prepare,
                                   berth_binary_t binary, berth_error_t *err) {
  BERTH_TRY(berth_op_binary(&prepare->op, &binary, err));
  if (binary.answer >= 0) {
    return prepare_answer(prepare, binary.answer != 0, err);
  }
  const berth_loops_t *loops =
      berth_binary_loops(binary.function, binary.input);
  berth_slope_fn slope = slope_of(binary.function, binary.input);
  if (loops == NULL && slope == NULL) {
    return berth_error_set(err, BERTH_INTERNAL, "%s has no loop for %s",
                           prepare->op.node->op->name,
                           berth_dtype_name(binary.input));
  }
  berth_form_t slot = berth_form_of(binary.input);
  berth_sweep_t sweep = {
      .loops = loops != NULL ? *loops : (berth_loops_t){.both = NULL},
      .slope = slope,
      .parameter = binary.parameter,
      .input = binary.input,
      .output = binary.output,
      .cost = cost_of(binary.function, slot),
      .swap = binary.swap,
      .accept = accept_find(binary.wrong, berth_dtype_size(binary.input)),
      .code = binary.code,
      .text = binary.text,
      .broadcast = &binary.broadcast};
  if (sweep.accept == NULL) {
    sweep.one = berth_binary_one(binary.function, slot, binary.swap);
  }
  sweep_set_steps(&sweep, binary.function);
  sweep_set_strand(&sweep, binary.function);
  return berth_sweep_binary(prepare, &sweep, err);
}

#define AS_IS false
#define SWAPPED true

#define BINARY_OP(op, id, NAME, order, not_allowed, ...)          \
  static berth_code_t prepare_##id(berth_prepare_t *prepare,      \
                                   berth_error_t *err) {          \
    berth_binary_t binary = {.function = BERTH_BINARY_##NAME,     \
                             .swap = order,                       \
                             .wrong = BERTH_WRONG_##not_allowed}; \
    return prepare_binary(prepare, binary, err);                  \
  }
#define BINARY_OP_HOST BINARY_OP
#define BINARY_OP_BOOL(op, id, NAME) BINARY_OP(op, id, NAME, AS_IS, NOTHING, )
#define BINARY_OP_GRAD(op, id, NAME, alike, ...)              \
  static berth_code_t prepare_##id(berth_prepare_t *prepare,  \
                                   berth_error_t *err) {      \
    berth_binary_t binary = {.function = BERTH_BINARY_##NAME, \
                             .meet = BERTH_MEET_##alike};     \
    return prepare_binary(prepare, binary, err);              \
  }
#include "op/binary_list.inc"

const berth_kernel_t berth_cpu_binary_kernels[] = {
#define BINARY_OP(name, id, NAME, order, wrong, cpu, gpu) \
  {.op = name, .types = {{"T", cpu}}, .prepare = prepare_##id},
#define BINARY_OP_HOST(name, id, NAME, order, wrong, cpu) \
  {.op = name, .types = {{"T", cpu}}, .prepare = prepare_##id},
#define BINARY_OP_BOOL(name, id, NAME) {.op = name, .prepare = prepare_##id},
#define BINARY_OP_GRAD(name, id, NAME, meet, cpu, gpu) \
  {.op = name, .types = {{"T", cpu}}, .prepare = prepare_##id},
#include "op/binary_list.inc"
    {.op = NULL},
};
