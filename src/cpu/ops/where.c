// where.c - Where: the places of the elements that are not zero.
//
// How many there are is known only when they have been looked at, so the kernel
// makes its output itself: a first walk counts, a second one writes.
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/index.h"

enum { PIECE = 1024 };  // Elements that are looked at together.

typedef struct where {
  int64_t count;  // Of elements.
  int32_t rank;
  size_t size;    // Bytes of an element.
  size_t part;    // Bytes of a number in it; a complex one has two.
  bool has_sign;  // Of floats: -0 is zero.
  const int64_t *dims;
} where_t;

static bool is_set(const where_t *w, const unsigned char *element) {
  unsigned any = 0;
  for (size_t i = 0; i < w->size; ++i) {
    bool is_top = w->has_sign && i % w->part == w->part - 1;
    any |= element[i] & (is_top ? 0x7fu : 0xffu);
  }
  return any != 0;
}

// Stores in |marks| whether each of |count| elements is not zero, as 1 or 0;
// returns how many are.
#define DEFINE_MARK(bits)                                              \
  static int64_t mark_##bits(const where_t *w, const void *data,       \
                             int64_t count, unsigned char *marks) {    \
    const uint##bits##_t *from = data;                                 \
    uint##bits##_t mask = (uint##bits##_t)(UINT64_MAX >> (64 - bits)); \
    if (w->has_sign) mask >>= 1;                                       \
    int64_t found = 0;                                                 \
    for (int64_t i = 0; i < count; ++i) {                              \
      marks[i] = (from[i] & mask) != 0;                                \
      found += marks[i];                                               \
    }                                                                  \
    return found;                                                      \
  }
DEFINE_MARK(8)
DEFINE_MARK(16)
DEFINE_MARK(32)
DEFINE_MARK(64)
#undef DEFINE_MARK

static int64_t mark(const where_t *w, const unsigned char *data, int64_t count,
                    unsigned char *marks) {
  if (w->part == w->size && w->size <= 8) {
    switch (w->size) {
      case 1:
        return mark_8(w, data, count, marks);
      case 2:
        return mark_16(w, data, count, marks);
      case 4:
        return mark_32(w, data, count, marks);
      default:
        return mark_64(w, data, count, marks);
    }
  }
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    marks[i] = is_set(w, data + (size_t)i * w->size);
    found += marks[i];
  }
  return found;
}

// Returns how many there are; -1 when the run has ended.
static int64_t count_set(const where_t *w, const unsigned char *data,
                         const berth_call_t *call) {
  unsigned char marks[PIECE];
  int64_t found = 0;
  for (int64_t i = 0; i < w->count; i += PIECE) {
    int64_t count = w->count - i < PIECE ? w->count - i : PIECE;
    found += mark(w, data + (size_t)i * w->size, count, marks);
    if (i % BERTH_CPU_POLL == 0 && berth_cpu_has_ended(call)) return -1;
  }
  return found;
}

// Moves |place| to the next element.
static void place_next(const where_t *w, int64_t *place) {
  for (int32_t d = w->rank - 1; d >= 0; --d) {
    if (++place[d] < w->dims[d] || d == 0) return;
    place[d] = 0;
  }
}

// Does what write_places() does for matrices of |width| columns, which most are.
static int64_t *write_pairs(int64_t width, const unsigned char *marks,
                            int64_t count, int64_t *place, int64_t *to,
                            const int64_t *end) {
  int64_t row = place[0], column = place[1];
  for (int64_t i = 0; i < count && to < end; ++i) {
    to[0] = row;
    to[1] = column;
    to += marks[i] * 2;
    if (++column == width) {
      column = 0;
      ++row;
    }
  }
  place[0] = row;
  place[1] = column;
  return to;
}

// Writes the coordinates of those of |count| elements that are marked at |to|,
// where there is room up to |end|; |place| is that of the first, and moves on.
// Returns where the next go.
static int64_t *write_places(const where_t *w, const unsigned char *marks,
                             int64_t count, int64_t *place, int64_t *to,
                             const int64_t *end) {
  int32_t rank = w->rank;
  if (rank == 2) return write_pairs(w->dims[1], marks, count, place, to, end);
  for (int64_t i = 0; i < count && to < end; ++i) {
    // What is not marked is written over: no branch to be guessed.
    for (int32_t d = 0; d < rank; ++d) to[d] = place[d];
    to += marks[i] * rank;
    place_next(w, place);
  }
  return to;
}

static berth_code_t run_where(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)args;
  const where_t *w = plan;
  const unsigned char *data = call->inputs[0]->data;
  int64_t dims[2] = {count_set(w, data, call), w->rank};
  if (dims[0] < 0) return berth_cpu_ended(call);
  berth_tensor_t *out = NULL;
  BERTH_TRY(berth_tensor_make(call->allocator, BERTH_INT64, 2, dims,
                              dims[0] * dims[1], &out, call->err));
  int64_t place[BERTH_MAX_RANK] = {0};
  int64_t *to = out->data, *end = to + out->count;
  unsigned char marks[PIECE];
  for (int64_t i = 0; i < w->count && to < end; i += PIECE) {
    int64_t count = w->count - i < PIECE ? w->count - i : PIECE;
    if (i % BERTH_CPU_POLL == 0 && berth_cpu_has_ended(call)) {
      berth_tensor_release(out);
      return berth_cpu_ended(call);
    }
    (void)mark(w, data + (size_t)i * w->size, count, marks);
    to = write_places(w, marks, count, place, to, end);
  }
  call->outputs[0] = out;
  return BERTH_OK;
}

static berth_code_t prepare_where(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  BERTH_TRY(berth_op_where(&prepare->op, err));
  where_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  int64_t *dims = berth_arena_calloc(prepare->op.arena, (size_t)input->rank + 1,
                                     sizeof(*dims));
  if (plan == NULL || dims == NULL) return berth_error_no_memory(err, "a plan");
  for (int32_t i = 0; i < input->rank; ++i) dims[i] = input->dims[i];
  bool is_complex =
      input->dtype == BERTH_COMPLEX64 || input->dtype == BERTH_COMPLEX128;
  bool is_float = (BERTH_DTYPE_BIT(input->dtype) & BERTH_TYPES_FLOATING) != 0;
  plan->has_sign = is_complex || is_float;
  plan->count = input->count;
  plan->rank = input->rank;
  plan->size = berth_dtype_size(input->dtype);
  plan->part = is_complex ? plan->size / 2 : plan->size;
  plan->dims = dims;
  prepare->run = run_where;
  prepare->work = input->count;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_where_kernels[] = {
    {.op = "Where",
     .types = {{"T", BERTH_TYPES_BASIC}},
     .prepare = prepare_where},
    {.op = NULL},
};
