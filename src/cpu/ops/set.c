// set.c - Kernels on sets.
//
// The elements of both sides are sorted by the group that they belong to, which
// is where they lie but for the last dimension, and by value; then both are
// walked at once.
#include "op/set.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "cpu/ops/sparse_order.h"
#include "tensor/string.h"

// An element, and where it belongs.
typedef struct item {
  int64_t group;
  int64_t number;  // 0: a string.
  const char *value;
  berth_dtype_t dtype;
} item_t;

// One of both tensors. |shape| is that of the groups, with the last dimension.
typedef struct side {
  berth_dims_t shape;
  item_t *items;  // Sorted, each once.
  int64_t count;
} side_t;

// ---- Order ----

static int64_t number_of(const item_t *item) {
  switch (item->dtype) {
    case BERTH_STRING:
      return 0;
    case BERTH_INT8:
      return *(const int8_t *)item->value;
    case BERTH_UINT8:
      return *(const uint8_t *)item->value;
    case BERTH_INT16:
      return *(const int16_t *)(const void *)item->value;
    case BERTH_UINT16:
      return *(const uint16_t *)(const void *)item->value;
    case BERTH_INT32:
      return *(const int32_t *)(const void *)item->value;
    default:
      return *(const int64_t *)(const void *)item->value;
  }
}

static int compare_values(const item_t *a, const item_t *b) {
  if (a->dtype != BERTH_STRING) {
    return a->number < b->number ? -1 : a->number > b->number;
  }
  size_t n = 0, m = 0;
  const char *x = berth_string_get((const void *)a->value, &n);
  const char *y = berth_string_get((const void *)b->value, &m);
  int order = memcmp(x, y, n < m ? n : m);
  return order != 0 ? order : n < m ? -1 : n > m;
}

static int compare_items(const void *a, const void *b) {
  const item_t *x = a, *y = b;
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  return compare_values(x, y);
}

// ---- Reading ----

// Stores how many groups |shape| has.
static berth_code_t count_groups(berth_dims_t shape, int64_t *out,
                                 berth_error_t *err) {
  *out = 1;
  for (int32_t i = 0; i + 1 < shape.rank; ++i) {
    if (shape.dims[i] >= 0 &&
        !__builtin_mul_overflow(*out, shape.dims[i], out)) {
      continue;
    }
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "the shape of a sparse tensor has a negative size, "
                           "or too many elements");
  }
  return BERTH_OK;
}

// Stores the group of |place|.
static berth_code_t group_of(const int64_t *place, berth_dims_t shape,
                             int64_t *out, berth_error_t *err) {
  *out = 0;
  for (int32_t d = 0; d + 1 < shape.rank; ++d) {
    if (place[d] < 0 || place[d] >= shape.dims[d]) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "index %lld of dimension %d is out of bounds, "
                             "which has %lld",
                             (long long)place[d], (int)d,
                             (long long)shape.dims[d]);
    }
    *out = *out * shape.dims[d] + place[d];
  }
  return BERTH_OK;
}

static void sort(item_t *items, int64_t count) {
  qsort(items, (size_t)count, sizeof(*items), compare_items);
}

// Sorts groups that come in order one by one, and what does not as a whole.
static void sort_groups(side_t *side) {
  item_t *items = side->items;
  for (int64_t begin = 0, end = 0; begin < side->count; begin = end) {
    for (++end; end < side->count; ++end) {
      if (items[end].group != items[begin].group) break;
    }
    if (end < side->count && items[end].group < items[begin].group) {
      sort(items, side->count);
      return;
    }
    sort(items + begin, end - begin);
  }
}

// Sorts what |side| has, and drops what is there twice.
static void settle(side_t *side) {
  int64_t kept = 0;
  sort_groups(side);
  for (int64_t i = 0; i < side->count; ++i) {
    bool is_new =
        i == 0 || compare_items(&side->items[kept - 1], &side->items[i]) != 0;
    if (is_new) side->items[kept++] = side->items[i];
  }
  side->count = kept;
}

// Fills in the items of |side|, whose inputs begin at |first|.
static berth_code_t read_side(berth_call_t *call, const berth_set_t *plan,
                              int first, bool is_sparse, side_t *side) {
  const berth_tensor_t *values = call->inputs[first + (is_sparse ? 1 : 0)];
  const int64_t *at = is_sparse ? call->inputs[first]->data : NULL;
  size_t size = berth_dtype_size(values->dtype);
  int64_t groups = 0;
  BERTH_TRY(count_groups(side->shape, &groups, call->err));
  if (is_sparse && plan->validates) {
    BERTH_TRY(
        berth_sparse_validate(at, values->count, side->shape, "", call->err));
  }
  int64_t row = side->shape.dims[side->shape.rank - 1];
  side->count = values->count;
  side->items = berth_calloc((size_t)values->count + 1, sizeof(*side->items));
  if (side->items == NULL) return berth_error_no_memory(call->err, "a set");
  for (int64_t i = 0; i < values->count; ++i) {
    item_t *item = &side->items[i];
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    *item = (item_t){.value = (const char *)values->data + (size_t)i * size,
                     .dtype = values->dtype};
    item->number = number_of(item);
    if (!is_sparse) {
      item->group = i / row;
    } else {
      BERTH_TRY(group_of(at + i * side->shape.rank, side->shape, &item->group,
                         call->err));
    }
  }
  settle(side);
  return BERTH_OK;
}

static berth_dims_t shape_of(const berth_call_t *call, int first,
                             bool is_sparse) {
  const berth_tensor_t *tensor = call->inputs[first + (is_sparse ? 2 : 0)];
  if (!is_sparse) return (berth_dims_t){tensor->rank, tensor->dims};
  return (berth_dims_t){(int32_t)tensor->count, tensor->data};
}

static berth_code_t check_rank(berth_dims_t shape, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (shape.rank > BERTH_MAX_RANK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "a sparse tensor has too many dimensions: %d",
                           (int)shape.rank);
  }
  if (shape.rank >= 2) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Shape %s has rank %d < 2",
                         berth_dims_text(shape, text), (int)shape.rank);
}

static berth_code_t check_groups(berth_dims_t a, berth_dims_t b,
                                 berth_error_t *err) {
  char x[BERTH_DIMS_TEXT], y[BERTH_DIMS_TEXT];
  BERTH_TRY(check_rank(a, err));
  BERTH_TRY(check_rank(b, err));
  --a.rank;
  --b.rank;
  if (berth_dims_equal(a, b)) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Mismatched shapes %s vs %s", berth_dims_text(a, x),
                         berth_dims_text(b, y));
}

// ---- Operations ----

// Walks both and keeps, in |out|, what the operation gives; returns how many.
static int64_t merge(berth_set_how_t how, const side_t *a, const side_t *b,
                     item_t *out) {
  int64_t i = 0, k = 0, count = 0;
  while (i < a->count || k < b->count) {
    int order = i == a->count   ? 1
                : k == b->count ? -1
                                : compare_items(&a->items[i], &b->items[k]);
    const item_t *item = order <= 0 ? &a->items[i] : &b->items[k];
    bool is_kept = how == BERTH_SET_EITHER ||
                   (how == BERTH_SET_BOTH && order == 0) ||
                   (how == BERTH_SET_LESS && order < 0) ||
                   (how == BERTH_SET_MORE && order > 0);
    if (is_kept) out[count++] = *item;
    i += order <= 0 ? 1 : 0;
    k += order >= 0 ? 1 : 0;
  }
  return count;
}

// Makes the outputs: places, values, shape.
static berth_code_t write_sets(berth_call_t *call, berth_dims_t shape,
                               const item_t *items, int64_t count) {
  int64_t dims[2] = {count, shape.rank}, last = 0, longest = 0;
  void *at = NULL, *values = NULL, *sizes = NULL;
  BERTH_TRY(berth_cpu_make(call, 0, 2, dims, &at));
  BERTH_TRY(berth_cpu_make(call, 1, 1, dims, &values));
  BERTH_TRY(berth_cpu_make(call, 2, 1, &dims[1], &sizes));
  for (int64_t i = 0; i < count; ++i) {
    int64_t *place = (int64_t *)at + i * shape.rank, group = items[i].group;
    last = i > 0 && items[i - 1].group == group ? last + 1 : 0;
    longest = last + 1 > longest ? last + 1 : longest;
    place[shape.rank - 1] = last;
    for (int32_t d = shape.rank - 1; d-- > 0;) {
      place[d] = group % shape.dims[d];
      group /= shape.dims[d];
    }
    size_t size = berth_dtype_size(items[i].dtype);
    if (!berth_elements_copy(items[i].dtype, (char *)values + (size_t)i * size,
                             items[i].value, 1)) {
      return berth_error_no_memory(call->err, "an element");
    }
  }
  memcpy(sizes, shape.dims, (size_t)shape.rank * sizeof(int64_t));
  ((int64_t *)sizes)[shape.rank - 1] = longest;
  return BERTH_OK;
}

static berth_code_t make_operation(const void *data, void *const *args,
                                   berth_call_t *call) {
  (void)args;
  const berth_set_t *plan = data;
  int second = plan->is_sparse[0] ? 3 : 1;
  side_t a = {.shape = shape_of(call, 0, plan->is_sparse[0])};
  side_t b = {.shape = shape_of(call, second, plan->is_sparse[1])};
  BERTH_TRY(check_groups(a.shape, b.shape, call->err));
  item_t *kept = NULL;
  berth_code_t code = read_side(call, plan, 0, plan->is_sparse[0], &a);
  if (code == BERTH_OK) {
    code = read_side(call, plan, second, plan->is_sparse[1], &b);
  }
  if (code == BERTH_OK) {
    kept = berth_calloc((size_t)(a.count + b.count) + 1, sizeof(*kept));
    code = kept == NULL ? berth_error_no_memory(call->err, "a set")
                        : write_sets(call, a.shape, kept,
                                     merge(plan->how, &a, &b, kept));
  }
  berth_free(a.items);
  berth_free(b.items);
  berth_free(kept);
  return code;
}

BERTH_CPU_MAKES(operation)

static berth_code_t make_size(const void *data, void *const *args,
                              berth_call_t *call) {
  (void)args;
  side_t side = {.shape = shape_of(call, 0, true)};
  void *out = NULL;
  BERTH_TRY(check_rank(side.shape, call->err));
  berth_code_t code = read_side(call, data, 0, true, &side);
  if (code == BERTH_OK) {
    code = berth_cpu_make(call, 0, side.shape.rank - 1, side.shape.dims, &out);
  }
  if (code == BERTH_OK && call->outputs[0]->count > 0) {
    memset(out, 0, call->outputs[0]->size);
    for (int64_t i = 0; i < side.count; ++i) {
      ++((int32_t *)out)[side.items[i].group];
    }
  }
  berth_free(side.items);
  return code;
}

BERTH_CPU_MAKES(size)

static berth_code_t prepare_operation(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  berth_set_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_set_operation(&prepare->op, plan, err));
  prepare->run = run_operation;
  prepare->work = prepare->op.inputs[0].count * 100;
  return BERTH_OK;
}

static berth_code_t prepare_size(berth_prepare_t *prepare, berth_error_t *err) {
  berth_set_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_set_size(&prepare->op, plan, err));
  prepare->run = run_size;
  prepare->work = prepare->op.inputs[1].count * 100;
  return BERTH_OK;
}

#define KERNEL(name, function)                                     \
  {                                                                \
    .op = name,                                                    \
    .types = {{"T", BERTH_TYPES_SIGNED | BERTH_TYPE(UINT8) |       \
                        BERTH_TYPE(UINT16) | BERTH_TYPE(STRING)}}, \
    .prepare = prepare_##function                                  \
  }

const berth_kernel_t berth_cpu_set_kernels[] = {
    KERNEL("DenseToDenseSetOperation", operation),
    KERNEL("DenseToSparseSetOperation", operation),
    KERNEL("SparseToSparseSetOperation", operation),
    KERNEL("SetSize", size),
    {.op = NULL},
};
