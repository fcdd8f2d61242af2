// top_k.c - The kernel TopKV2: the largest elements of each row, the largest
// first.
//
// Elements become keys: unsigned numbers in the same order. Where many of a
// long row are wanted, all are sorted by their keys (cpu/loops/sort.h).
// Otherwise a heap keeps the best so far, the worst of them on top: whatever is
// better takes its place. Taking the top off again and again puts them in order
// from the end.
//
//   heap of 3   [ 4 7 9 ]   5 comes: better than 4   [ 5 7 9 ]   2 comes: no
//
// Of equal ones the first in the row is better, and nothing else is equal, so
// the result does not depend on the order of the work. Where all of a row are
// wanted and some are no number, they come in TensorFlow's order.
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "cpu/loops/sort.h"
#include "op/rows.h"
#include "op/types.h"
#include "tensor/half.h"

enum {
  ROW_VALUES = 16384,  // Values that are worth a thread.
  MANY = 256,          // Values that are worth sorting by keys.
  LONG = 1 << 18,      // Values of a row that is worth several threads.
};

typedef struct plan {
  berth_dtype_t dtype, index_type;
  size_t size;  // Bytes of an element.
  int64_t rows, n, k;
  bool sorts;    // By keys, all of a row;
  bool is_wide;  // as entries and not as words.
  bool has_reals;
} plan_t;

typedef struct entry {
  uint64_t key;
  int64_t index;
} entry_t;

static bool is_better(const entry_t *a, const entry_t *b) {
  return a->key > b->key || (a->key == b->key && a->index < b->index);
}

// ---- Keys ----

// Makes floats of |size| bits comparable: the larger a negative one is, the
// smaller its bits. Both zeros are the same.
static uint64_t float_key(uint64_t bits, int size) {
  uint64_t sign = UINT64_C(1) << (size - 1);
  if (bits == sign) bits = 0;
  return (bits & sign) != 0 ? ~bits & (sign | (sign - 1)) : bits | sign;
}

// The same for integers, whose sign is the first bit of |size|.
static uint64_t int_key(int64_t value, int size) {
  uint64_t sign = UINT64_C(1) << (size - 1);
  return ((uint64_t)value ^ sign) & (sign | (sign - 1));
}

#define AT(type) (((const type *)row)[i])

static uint64_t key_of(const plan_t *plan, const void *row, int64_t i) {
  switch (plan->dtype) {
    case BERTH_FLOAT:
      return float_key(AT(uint32_t), 32);
    case BERTH_DOUBLE:
      return float_key(AT(uint64_t), 64);
    case BERTH_HALF:
    case BERTH_BFLOAT16:
      return float_key(AT(uint16_t), 16);
    case BERTH_INT8:
      return int_key(AT(int8_t), 8);
    case BERTH_INT16:
      return int_key(AT(int16_t), 16);
    case BERTH_INT32:
      return int_key(AT(int32_t), 32);
    case BERTH_INT64:
      return int_key(AT(int64_t), 64);
    case BERTH_UINT8:
      return AT(uint8_t);
    case BERTH_UINT16:
      return AT(uint16_t);
    case BERTH_UINT32:
      return AT(uint32_t);
    default:
      return AT(uint64_t);
  }
}

// ---- Elements that are no number ----

static double real_of(const plan_t *plan, const void *row, int64_t i) {
  switch (plan->dtype) {
    case BERTH_FLOAT:
      return (double)AT(float);
    case BERTH_DOUBLE:
      return AT(double);
    case BERTH_HALF:
      return (double)berth_half_to_float(AT(uint16_t));
    default:
      return (double)berth_bfloat16_to_float(AT(uint16_t));
  }
}

static bool has_nan(const plan_t *plan, const void *row) {
  bool found = false;
  for (int64_t i = 0; i < plan->n; ++i) {
    double value = real_of(plan, row, i);
    found = found || value != value;
  }
  return found;
}

// ---- The heap ----

// Puts |entry| into the heap of |count| entries whose top is free.
static void sink(entry_t *heap, int64_t count, entry_t entry) {
  int64_t at = 0;
  for (;;) {
    int64_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && is_better(&heap[child], &heap[child + 1])) ++child;
    if (!is_better(&entry, &heap[child])) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = entry;
}

// Adds |entry| to a heap of |count|.
static void rise(entry_t *heap, int64_t count, entry_t entry) {
  int64_t at = count;
  while (at > 0 && is_better(&heap[(at - 1) / 2], &entry)) {
    heap[at] = heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap[at] = entry;
}

// Finds the best of |row|, in order; false when the run has ended.
static bool find_best(const plan_t *plan, const void *row,
                      const berth_call_t *call, entry_t *heap) {
  for (int64_t i = 0; i < plan->n; ++i) {
    if (berth_cpu_ends_at(call, i)) return false;
    entry_t entry = {key_of(plan, row, i), i};
    if (i < plan->k) {
      rise(heap, i, entry);
    } else if (is_better(&entry, &heap[0])) {
      sink(heap, plan->k, entry);
    }
  }
  for (int64_t left = plan->k - 1; left > 0; --left) {
    if (berth_cpu_ends_at(call, left)) return false;
    entry_t last = heap[left];
    heap[left] = heap[0];
    sink(heap, left, last);
  }
  return true;
}

// ---- Running ----

typedef struct top_run {
  const plan_t *plan;
  const char *in;
  char *values;
  void *indices;
  char *room;  // One for each row, or for one.
  const berth_call_t *call;
} top_run_t;

// Bytes of room for a row.
static size_t row_room(const plan_t *plan) {
  size_t entry = plan->is_wide ? sizeof(berth_sort_entry_t) : sizeof(uint64_t);
  return plan->sorts ? (size_t)plan->n * entry * 2
                     : (size_t)plan->k * sizeof(entry_t);
}

static void store_index(const top_run_t *run, int64_t at, int64_t index) {
  switch (run->plan->index_type) {
    case BERTH_INT16:
      ((int16_t *)run->indices)[at] = (int16_t)index;
      break;
    case BERTH_INT32:
      ((int32_t *)run->indices)[at] = (int32_t)index;
      break;
    default:
      ((int64_t *)run->indices)[at] = index;
      break;
  }
}

// Stores that output |at|, of all, is element |index| of |row|.
static void store(const top_run_t *run, const char *row, int64_t at,
                  int64_t index) {
  size_t size = run->plan->size;
  memcpy(run->values + (size_t)at * size, row + (size_t)index * size, size);
  store_index(run, at, index);
}

static void run_heap(const top_run_t *run, const char *row, int64_t at,
                     void *room) {
  entry_t *heap = room;
  if (!find_best(run->plan, row, run->call, heap)) return;
  for (int64_t i = 0; i < run->plan->k; ++i) {
    store(run, row, at + i, heap[i].index);
  }
}

static void run_loosely(const top_run_t *run, const char *row, int64_t at,
                        void *room) {
  double *values = room;
  int64_t *places = (int64_t *)room + run->plan->n;
  for (int64_t i = 0; i < run->plan->n; ++i) {
    values[i] = real_of(run->plan, row, i);
  }
  berth_sort_loosely(values, places, run->plan->n);
  for (int64_t i = 0; i < run->plan->k; ++i) {
    store(run, row, at + i, places[i]);
  }
}

// Keys of up to 32 bits lie in one word with their index.
static void run_words(const top_run_t *run, const char *row, int64_t at,
                      void *room) {
  const plan_t *plan = run->plan;
  uint64_t *words = room;
  for (int64_t i = 0; i < plan->n; ++i) {
    words[i] = ~key_of(plan, row, i) << 32 | (uint64_t)i;
  }
  uint64_t *sorted = berth_sort_words(words, words + plan->n, plan->n, 32,
                                      32 + 8 * (int)plan->size);
  if (sorted == NULL) return;
  for (int64_t i = 0; i < plan->k; ++i) {
    store(run, row, at + i, (int64_t)(sorted[i] & UINT32_MAX));
  }
}

static void run_entries(const top_run_t *run, const char *row, int64_t at,
                        void *room) {
  const plan_t *plan = run->plan;
  berth_sort_entry_t *entries = room;
  for (int64_t i = 0; i < plan->n; ++i) {
    entries[i] = (berth_sort_entry_t){~key_of(plan, row, i), i};
  }
  const berth_sort_entry_t *sorted = berth_sort_entries(
      entries, entries + plan->n, plan->n, 0, 8 * (int)plan->size);
  if (sorted == NULL) return;
  for (int64_t i = 0; i < plan->k; ++i) {
    store(run, row, at + i, sorted[i].index);
  }
}

static void run_row(const top_run_t *run, int64_t r, void *room) {
  const plan_t *plan = run->plan;
  const char *row = run->in + (size_t)(r * plan->n) * plan->size;
  int64_t at = r * plan->k;
  if (plan->has_reals && plan->k == plan->n && has_nan(plan, row)) {
    run_loosely(run, row, at, room);
  } else if (!plan->sorts) {
    run_heap(run, row, at, room);
  } else if (plan->is_wide) {
    run_entries(run, row, at, room);
  } else {
    run_words(run, row, at, room);
  }
}

static void run_rows(void *arg, int64_t begin, int64_t end) {
  const top_run_t *run = arg;
  for (int64_t r = begin; r < end; ++r) {
    if (berth_cpu_has_ended(run->call)) return;
    run_row(run, r, run->room + (size_t)r * row_room(run->plan));
  }
}

static berth_code_t run_top(const void *arg, void *const *args,
                            berth_call_t *call) {
  const plan_t *plan = arg;
  top_run_t run = {.plan = plan,
                   .in = args[0],
                   .values = args[call->node->input_count],
                   .indices = args[call->node->input_count + 1],
                   .room = args[call->node->input_count + 2],
                   .call = call};
  // Of long rows each is done by all threads.
  if (plan->sorts && plan->n >= LONG) {
    for (int64_t r = 0; r < plan->rows; ++r) {
      if (berth_cpu_has_ended(call)) break;
      run_row(&run, r, run.room);
    }
    return BERTH_OK;
  }
  berth_parallel_for(plan->rows, ROW_VALUES / (plan->n + 1) + 1, run_rows,
                     &run);
  return BERTH_OK;
}

// ---- Preparing ----

static berth_code_t prepare_top(berth_prepare_t *prepare, berth_error_t *err) {
  berth_top_k_t top;
  BERTH_TRY(berth_op_top_k(&prepare->op, &top, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (plan_t){
      .dtype = top.dtype,
      .index_type = top.index_type,
      .size = berth_dtype_size(top.dtype),
      .rows = top.rows,
      .n = top.n,
      .k = top.k,
      .sorts = top.n >= MANY && top.k >= top.n / 8,
      .is_wide = berth_dtype_size(top.dtype) > 4 || top.n > (int64_t)UINT32_MAX,
      .has_reals = berth_type_in(top.dtype, BERTH_TYPES_FLOATING)};
  prepare->scratch_size = row_room(plan);
  if (!plan->sorts || plan->n < LONG) {
    prepare->scratch_size *= (size_t)top.rows;
  }
  prepare->run = top.rows * top.k > 0 ? run_top : berth_run_nothing;
  prepare->work = prepare->op.inputs[0].count * 5;
  return BERTH_OK;
}

#define TYPES (BERTH_TYPES_ARITHMETIC & ~BERTH_TYPES_COMPLEX)

const berth_kernel_t berth_cpu_top_k_kernels[] = {
    {.op = "TopKV2",
     .types = {{"T", TYPES},
               {"index_type", BERTH_TYPES_INDEX | BERTH_TYPE(INT16)}},
     .prepare = prepare_top},
    {.op = "ApproxTopK", .types = {{"T", TYPES}}, .prepare = prepare_top},
    {.op = NULL},
};
