// where.c - Where: the places of the elements that are not zero.
//
// How many there are is known only when they have been looked at, so the kernel
// makes its output itself: a first walk counts, a second one writes.
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/index.h"

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

// Returns how many there are; -1 when the run has ended.
static int64_t count_set(const where_t *w, const unsigned char *data,
                         const berth_call_t *call) {
  int64_t found = 0;
  for (int64_t i = 0; i < w->count; ++i) {
    if (berth_cpu_ends_at(call, i)) return -1;
    found += is_set(w, data + (size_t)i * w->size);
  }
  return found;
}

// Writes the coordinates of element |index|.
static void write_place(const where_t *w, int64_t index, int64_t *place) {
  for (int32_t d = w->rank - 1; d >= 0; --d) {
    place[d] = index % w->dims[d];
    index /= w->dims[d];
  }
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
  int64_t *place = out->data;
  for (int64_t i = 0; i < w->count; ++i) {
    if (berth_cpu_ends_at(call, i)) {
      berth_tensor_release(out);
      return berth_cpu_ended(call);
    }
    if (!is_set(w, data + (size_t)i * w->size)) continue;
    write_place(w, i, place);
    place += w->rank;
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
