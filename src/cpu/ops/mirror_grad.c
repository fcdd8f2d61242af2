// mirror_grad.c - The kernel MirrorPadGrad.
//
// TensorFlow folds one dimension after the other, each sum rounded to the type:
// so an element is a sum over the last dimension of sums over those before it.
#include "base/parallel.h"
#include "cpu/kernels.h"
#include "op/array.h"
#include "op/types.h"
#include "tensor/complex.h"
#include "tensor/half.h"

// Stores where in the input of dimension |d| the elements lie that index |at|
// of the output was copied to, and returns how many they are.
static int find_sources(const berth_mirror_t *mirror, int32_t d, int64_t at,
                        int64_t sources[3]) {
  int64_t edge = mirror->reflects ? 1 : 0;
  int64_t before = mirror->before[d], size = mirror->sizes[d];
  int64_t left = at - edge, right = size - 1 - edge - at;
  int count = 0;
  sources[count++] = (before + at) * mirror->in_steps[d];
  if (left >= 0 && left < before) {
    sources[count++] = (before - 1 - left) * mirror->in_steps[d];
  }
  if (right >= 0 && right < mirror->after[d]) {
    sources[count++] = (before + size + right) * mirror->in_steps[d];
  }
  return count;
}

// The sources of one element of the output, by dimensions.
typedef struct element {
  int32_t rank;
  int counts[BERTH_MIRROR_MAX_RANK];
  int64_t sources[BERTH_MIRROR_MAX_RANK][3];
} element_t;

static void element_find(const berth_mirror_t *mirror, int64_t index,
                         element_t *element) {
  element->rank = mirror->rank;
  for (int32_t d = mirror->rank - 1; d >= 0; --d) {
    element->counts[d] =
        find_sources(mirror, d, index % mirror->sizes[d], element->sources[d]);
    index /= mirror->sizes[d];
  }
}

typedef struct work {
  const berth_mirror_t *mirror;
  const void *from;
  void *to;
} work_t;

// Defines sum_<slot>() and piece_<slot>(): sums of stored_t, added up as
// work_t and rounded after each.
#define MIRROR(slot, stored_t, number_t, load, store)                         \
  static number_t sum_##slot(const element_t *element, int32_t dims,          \
                             const stored_t *from, int64_t at) {              \
    if (dims == 0) return load(from[at]);                                     \
    const int64_t *sources = element->sources[dims - 1];                      \
    number_t sum = sum_##slot(element, dims - 1, from, at + sources[0]);      \
    for (int i = 1; i < element->counts[dims - 1]; ++i) {                     \
      sum = load(                                                             \
          store(sum + sum_##slot(element, dims - 1, from, at + sources[i]))); \
    }                                                                         \
    return sum;                                                               \
  }                                                                           \
  static void piece_##slot(void *arg, int64_t begin, int64_t end) {           \
    const work_t *work = arg;                                                 \
    element_t element;                                                        \
    for (int64_t i = begin; i < end; ++i) {                                   \
      element_find(work->mirror, i, &element);                                \
      ((stored_t *)work->to)[i] =                                             \
          store(sum_##slot(&element, element.rank, work->from, 0));           \
    }                                                                         \
  }

// Integers are added without their sign: sums wrap.
#define SAME(x) (x)
#define AS_U8(x) ((uint8_t)(x))
#define AS_U16(x) ((uint16_t)(x))
MIRROR(f32, float, float, SAME, SAME)
MIRROR(f64, double, double, SAME, SAME)
MIRROR(half, uint16_t, float, berth_half_to_float, berth_float_to_half)
MIRROR(bfloat16, uint16_t, float, berth_bfloat16_to_float,
       berth_float_to_bfloat16)
MIRROR(c64, berth_complex64_t, berth_complex64_t, SAME, SAME)
MIRROR(c128, berth_complex128_t, berth_complex128_t, SAME, SAME)
MIRROR(u8, uint8_t, unsigned, AS_U8, AS_U8)
MIRROR(u16, uint16_t, unsigned, AS_U16, AS_U16)
MIRROR(u32, uint32_t, uint32_t, SAME, SAME)
MIRROR(u64, uint64_t, uint64_t, SAME, SAME)

typedef void (*piece_fn)(void *arg, int64_t begin, int64_t end);

static piece_fn piece_of(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
      return piece_f32;
    case BERTH_DOUBLE:
      return piece_f64;
    case BERTH_HALF:
      return piece_half;
    case BERTH_BFLOAT16:
      return piece_bfloat16;
    case BERTH_COMPLEX64:
      return piece_c64;
    case BERTH_COMPLEX128:
      return piece_c128;
    default:
      break;
  }
  switch (berth_dtype_size(dtype)) {
    case 1:
      return piece_u8;
    case 2:
      return piece_u16;
    case 4:
      return piece_u32;
    default:
      return piece_u64;
  }
}

typedef struct plan {
  berth_mirror_t mirror;
  piece_fn piece;
} plan_t;

enum { COST = 20, GRAIN = 1024 };  // Nanoseconds of an element; elements.

static berth_code_t run_mirror(const void *arg, void *const *args,
                               berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  work_t work = {&plan->mirror, args[0], args[2]};
  berth_parallel_for(plan->mirror.count, GRAIN, plan->piece, &work);
  return BERTH_OK;
}

static berth_code_t prepare_mirror(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_mirror_pad_grad(&prepare->op, &plan->mirror, err));
  plan->piece = piece_of(plan->mirror.dtype);
  prepare->run = run_mirror;
  prepare->work = plan->mirror.count * COST;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_mirror_grad_kernels[] = {
    {.op = "MirrorPadGrad",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}, {"Tpaddings", BERTH_TYPES_INDEX}},
     .prepare = prepare_mirror},
    {.op = NULL},
};
