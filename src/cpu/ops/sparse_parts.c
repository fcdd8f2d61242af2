// sparse_parts.c - Kernels that join, cut, reshape or put in order sparse
// tensors.
#include "op/sparse_parts.h"

#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "cpu/ops/sparse_order.h"

// ---- SparseConcat ----

typedef struct join {
  int64_t axis, rank, count;
  int64_t *at;                    // Moved along the axis.
  berth_sparse_entry_t *entries;  // By number among all.
} join_t;

static berth_code_t read_shape(const berth_call_t *call, int parts,
                               join_t *join, int64_t *shape) {
  const int64_t *first = call->inputs[2 * parts]->data;
  int64_t axis = berth_node_attr_int(call->node, "concat_dim", 0);
  join->axis = axis < 0 ? axis + join->rank : axis;
  if (join->axis < 0 || join->axis >= join->rank) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Concat dimension must be in range [%lld, %lld), got "
        "%lld",
        (long long)-join->rank, (long long)join->rank, (long long)axis);
  }
  memcpy(shape, first, (size_t)join->rank * sizeof(*shape));
  for (int p = 1; p < parts; ++p) {
    const int64_t *own = call->inputs[2 * parts + p]->data;
    for (int64_t d = 0; d < join->rank; ++d) {
      if (d == join->axis) {
        if (__builtin_add_overflow(shape[d], own[d], &shape[d])) {
          return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                                 "the joined dimension is too large");
        }
      } else if (own[d] != shape[d]) {
        return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                               "Input shapes must match: expected %lld for "
                               "dimension %lld but got %lld at position %d",
                               (long long)shape[d], (long long)d,
                               (long long)own[d], p);
      }
    }
  }
  return BERTH_OK;
}

// Moves the places of all parts behind each other, and sorts them.
static void gather_places(const berth_call_t *call, int parts, join_t *join) {
  int64_t offset = 0, k = 0;
  for (int p = 0; p < parts; ++p) {
    const int64_t *at = call->inputs[p]->data;
    for (int64_t i = 0; i < call->inputs[parts + p]->count; ++i, ++k) {
      int64_t *to = join->at + k * join->rank;
      memcpy(to, at + i * join->rank, (size_t)join->rank * sizeof(*to));
      to[join->axis] = (int64_t)((uint64_t)to[join->axis] + (uint64_t)offset);
      join->entries[k] = (berth_sparse_entry_t){to, join->rank, k};
    }
    offset += ((const int64_t *)call->inputs[2 * parts + p]->data)[join->axis];
  }
  berth_sparse_sort(join->entries, join->count);
}

static berth_code_t write_joined(berth_call_t *call, int parts,
                                 const join_t *join, void *at, void *values) {
  for (int64_t i = 0; i < join->count; ++i) {
    int64_t number = join->entries[i].index;
    int p = 0;
    while (number >= call->inputs[parts + p]->count) {
      number -= call->inputs[parts + p++]->count;
    }
    memcpy((int64_t *)at + i * join->rank, join->entries[i].at,
           (size_t)join->rank * sizeof(int64_t));
    BERTH_TRY(berth_sparse_copy(call->inputs[parts + p], number, 1, values, i,
                                call->err));
  }
  return BERTH_OK;
}

static berth_code_t make_concat(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  (void)args;
  int parts = call->node->input_count / 3;
  join_t join = {.rank = call->inputs[2 * parts]->count};
  void *at = NULL, *values = NULL, *shape = NULL;
  for (int p = 0; p < parts; ++p) join.count += call->inputs[parts + p]->count;
  int64_t dims[2] = {join.count, join.rank};
  BERTH_TRY(berth_cpu_make(call, 2, 1, &dims[1], &shape));
  BERTH_TRY(read_shape(call, parts, &join, shape));
  BERTH_TRY(berth_cpu_make(call, 0, 2, dims, &at));
  BERTH_TRY(berth_cpu_make(call, 1, 1, dims, &values));
  join.at = berth_calloc((size_t)(join.count * join.rank) + 1, sizeof(int64_t));
  join.entries = berth_calloc((size_t)join.count + 1, sizeof(*join.entries));
  berth_code_t code = BERTH_RESOURCE_EXHAUSTED;
  if (join.at == NULL || join.entries == NULL) {
    code = berth_error_no_memory(call->err, "places");
  } else {
    gather_places(call, parts, &join);
    code = write_joined(call, parts, &join, at, values);
  }
  berth_free(join.at);
  berth_free(join.entries);
  return code;
}

BERTH_CPU_MAKES(concat)

// ---- SparseSplit, SparseSlice ----

static bool is_inside(const int64_t *at, const int64_t *start,
                      const int64_t *size, int64_t rank) {
  bool is_so = true;
  for (int64_t d = 0; d < rank; ++d) {
    is_so &= at[d] >= start[d] &&
             (uint64_t)at[d] - (uint64_t)start[d] < (uint64_t)size[d];
  }
  return is_so;
}

// Makes the sparse tensor of the elements of input |first| and after that lie
// in a box, as outputs |index|, |index| + step, |index| + 2 step.
static berth_code_t cut(berth_call_t *call, int first, const int64_t *start,
                        const int64_t *size, int index, int step) {
  const berth_tensor_t *values = call->inputs[first + 1];
  const int64_t *at = call->inputs[first]->data;
  int64_t dims[2] = {0, call->inputs[first + 2]->count};
  int64_t rank = dims[1];
  void *out_at = NULL, *out_values = NULL, *out_shape = NULL;
  for (int pass = 0; pass < 2; ++pass) {
    int64_t found = 0, run = 0;  // Of those, in a row, not copied yet.
    for (int64_t i = 0; i <= values->count; ++i) {
      if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
      const int64_t *from = at + i * rank;
      if (i < values->count && is_inside(from, start, size, rank)) {
        for (int64_t d = 0; pass == 1 && d < rank; ++d) {
          ((int64_t *)out_at)[found * rank + d] = from[d] - start[d];
        }
        ++found;
        ++run;
        continue;
      }
      if (pass == 1 && run > 0) {
        BERTH_TRY(berth_sparse_copy(values, i - run, run, out_values,
                                    found - run, call->err));
      }
      run = 0;
    }
    if (pass == 1) break;
    dims[0] = found;
    BERTH_TRY(berth_cpu_make(call, index, 2, dims, &out_at));
    BERTH_TRY(berth_cpu_make(call, index + step, 1, dims, &out_values));
    BERTH_TRY(berth_cpu_make(call, index + 2 * step, 1, &rank, &out_shape));
  }
  if (rank > 0) memcpy(out_shape, size, (size_t)rank * sizeof(*size));
  return BERTH_OK;
}

static berth_code_t make_split(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  int parts = call->node->output_count / 3;
  const berth_tensor_t *shape = call->inputs[3];
  int64_t rank = shape->count, given = *(const int64_t *)call->inputs[0]->data;
  int64_t axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank || rank > BERTH_MAX_RANK) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Input axis should be in range [%lld, %lld), got "
                           "%lld",
                           (long long)-rank, (long long)rank, (long long)given);
  }
  int64_t start[BERTH_MAX_RANK] = {0}, size[BERTH_MAX_RANK];
  memcpy(size, shape->data, (size_t)rank * sizeof(*size));
  int64_t length = size[axis];
  if (parts > length) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Input num_split should be between 1 and the "
                           "splitting dimension size (%lld), got %d",
                           (long long)length, parts);
  }
  BERTH_TRY(berth_sparse_inside(call->inputs[1], shape, call->err));
  for (int i = 0; i < parts; ++i) {
    size[axis] = length / parts + (i < length % parts ? 1 : 0);
    BERTH_TRY(cut(call, 1, start, size, i, parts));
    start[axis] += size[axis];
  }
  return BERTH_OK;
}

BERTH_CPU_MAKES(split)

static berth_code_t make_slice(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  const int64_t *shape = call->inputs[2]->data, *start = call->inputs[3]->data;
  const int64_t *size = call->inputs[4]->data;
  int64_t rank = call->inputs[2]->count, fits[BERTH_MAX_RANK];
  if (rank > BERTH_MAX_RANK) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "a sparse tensor has too many dimensions: %lld",
                           (long long)rank);
  }
  for (int64_t i = 0; i < rank; ++i) {
    if (size[i] < 0) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Expected a non-negative size, got %lld",
                             (long long)size[i]);
    }
    int64_t end = 0;
    if (__builtin_add_overflow(start[i], size[i], &end)) end = INT64_MAX;
    end = end < shape[i] ? end : shape[i];
    if (start[i] >= shape[i] ||
        __builtin_sub_overflow(end, start[i], &fits[i])) {
      fits[i] = 0;
    }
  }
  return cut(call, 0, start, fits, 0, 1);
}

BERTH_CPU_MAKES(slice)

// ---- SparseSliceGrad ----

typedef struct grad_plan {
  int64_t count, grads, rank;
  size_t size;
} grad_plan_t;

static berth_code_t run_slice_grad(const void *data, void *const *args,
                                   berth_call_t *call) {
  const grad_plan_t *plan = data;
  const int64_t *at = args[1], *start = args[2], *cut_at = args[3];
  int64_t used = 0;
  if (plan->count > 0) memset(args[4], 0, (size_t)plan->count * plan->size);
  for (int64_t i = 0; i < plan->count && used < plan->grads; ++i) {
    bool is_same = true;
    for (int64_t d = 0; d < plan->rank; ++d) {
      is_same = is_same && (uint64_t)at[i * plan->rank + d] ==
                               (uint64_t)cut_at[used * plan->rank + d] +
                                   (uint64_t)start[d];
    }
    if (!is_same) continue;
    memcpy((char *)args[4] + (size_t)i * plan->size,
           (const char *)args[0] + (size_t)used * plan->size, plan->size);
    ++used;
  }
  if (used == plan->grads) return BERTH_OK;
  return berth_error_set(call->err, BERTH_INTERNAL,
                         "Elements of backprop_val_grad aren't all propagated. "
                         "Num elements:%lld, used: %lld",
                         (long long)plan->grads, (long long)used);
}

static berth_code_t prepare_slice_grad(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  const berth_case_input_t *in = prepare->op.inputs;
  grad_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_sparse_slice_grad(&prepare->op, err));
  *plan = (grad_plan_t){in[1].dims[0], in[0].count, in[1].dims[1],
                        berth_dtype_size(in[0].dtype)};
  prepare->run = run_slice_grad;
  prepare->work = plan->count * 4;
  return BERTH_OK;
}

// ---- SparseReorder ----

typedef struct order_plan {
  int64_t count, rank;
  berth_dtype_t dtype;
} order_plan_t;

static berth_code_t run_reorder(const void *data, void *const *args,
                                berth_call_t *call) {
  const order_plan_t *plan = data;
  const int64_t *at = args[0];
  size_t size = berth_dtype_size(plan->dtype);
  berth_sparse_entry_t *entries = args[5];
  if (berth_sparse_is_sorted(at, plan->count, plan->rank)) {
    memcpy(args[3], at, (size_t)(plan->count * plan->rank) * sizeof(int64_t));
    return berth_elements_copy(plan->dtype, args[4], args[1], plan->count)
               ? BERTH_OK
               : berth_error_no_memory(call->err, "an element");
  }
  for (int64_t i = 0; i < plan->count; ++i) {
    entries[i] = (berth_sparse_entry_t){at + i * plan->rank, plan->rank, i};
  }
  berth_sparse_sort(entries, plan->count);
  for (int64_t i = 0; i < plan->count; ++i) {
    const char *from = (const char *)args[1] + (size_t)entries[i].index * size;
    memcpy((int64_t *)args[3] + i * plan->rank, entries[i].at,
           (size_t)plan->rank * sizeof(int64_t));
    if (!berth_elements_copy(plan->dtype, (char *)args[4] + (size_t)i * size,
                             from, 1)) {
      return berth_error_no_memory(call->err, "an element");
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_reorder(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  const berth_case_input_t *in = prepare->op.inputs;
  order_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_sparse_reorder(&prepare->op, err));
  *plan = (order_plan_t){in[1].count, in[2].count, in[1].dtype};
  prepare->run = run_reorder;
  prepare->scratch_size = (size_t)plan->count * sizeof(berth_sparse_entry_t);
  prepare->work = plan->count * 50;
  return BERTH_OK;
}

// ---- SparseReshape ----

// Multiplies |count| sizes; false when there are too many elements.
static bool multiply(const int64_t *sizes, int64_t count, int64_t *out) {
  *out = 1;
  for (int64_t i = 0; i < count; ++i) {
    if (sizes[i] < 0 || __builtin_mul_overflow(*out, sizes[i], out)) {
      return false;
    }
  }
  return true;
}

// Stores the sizes of |wanted| in |out|, with the unknown one inferred.
static berth_code_t infer_shape(const berth_tensor_t *given, int64_t elements,
                                const berth_tensor_t *wanted, int64_t *out,
                                berth_error_t *err) {
  const int64_t *sizes = wanted->data;
  int64_t unknown = -1, known = 0;
  for (int64_t i = 0; i < wanted->count; ++i) {
    out[i] = sizes[i];
    if (sizes[i] == -1) {
      if (unknown >= 0) {
        return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                               "only one output dimension may be -1, not both "
                               "%lld and %lld",
                               (long long)unknown, (long long)i);
      }
      unknown = i;
      out[i] = 1;
    } else if (sizes[i] < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "size %lld must be non-negative, not %lld",
                             (long long)i, (long long)sizes[i]);
    }
  }
  if (!multiply(out, wanted->count, &known)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "the requested shape has too many elements");
  }
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  berth_dims_text((berth_dims_t){(int32_t)given->count, given->data}, a);
  berth_dims_text((berth_dims_t){(int32_t)wanted->count, out}, b);
  if (unknown >= 0) {
    if (known == 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "reshape cannot infer the missing input size for "
                             "an empty tensor unless all specified input sizes "
                             "are non-zero");
    }
    if (elements % known != 0) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Input to reshape is a SparseTensor with %lld dense values, but the "
          "requested shape requires a multiple of %lld. input_shape=%s "
          "output_shape=%s",
          (long long)elements, (long long)known, a, b);
    }
    out[unknown] = elements / known;
    return BERTH_OK;
  }
  if (known == elements) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Input to reshape is a tensor with %lld dense values, "
                         "but the requested shape has %lld. input_shape=%s "
                         "output_shape=%s",
                         (long long)elements, (long long)known, a, b);
}

static berth_code_t make_reshape(const void *plan, void *const *args,
                                 berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *in = call->inputs[0], *given = call->inputs[1];
  const berth_tensor_t *wanted = call->inputs[2];
  const int64_t *at = in->data, *sizes = given->data;
  int64_t dims[2] = {in->dims[0], wanted->count}, elements = 0;
  void *out_at = NULL, *out_shape = NULL;
  if (!multiply(sizes, given->count, &elements)) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "the shape of a sparse tensor has a negative size, "
                           "or too many elements");
  }
  BERTH_TRY(berth_cpu_make(call, 1, 1, &dims[1], &out_shape));
  BERTH_TRY(infer_shape(given, elements, wanted, out_shape, call->err));
  BERTH_TRY(berth_cpu_make(call, 0, 2, dims, &out_at));
  if (elements == 0 && dims[0] > 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Input tensor has %lld non zero elements but input "
                           "shape or output shape has zero elements",
                           (long long)dims[0]);
  }
  const int64_t *to = out_shape;
  for (int64_t i = 0; i < dims[0]; ++i) {
    uint64_t element = 0;
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    for (int64_t d = 0; d < given->count; ++d) {
      element =
          element * (uint64_t)sizes[d] + (uint64_t)at[i * given->count + d];
    }
    for (int64_t d = wanted->count; d-- > 0;) {
      int64_t *place = (int64_t *)out_at + i * wanted->count + d;
      *place = d == 0 ? (int64_t)element : (int64_t)(element % (uint64_t)to[d]);
      element /= (uint64_t)to[d];
    }
  }
  return BERTH_OK;
}

BERTH_CPU_MAKES(reshape)

// Defines prepare_<name>(): what berth_op_sparse_<name>() checks, and a run that
// makes its outputs.
#define MAKES(name, input)                                     \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    BERTH_TRY(berth_op_sparse_##name(&prepare->op, err));      \
    prepare->run = run_##name;                                 \
    prepare->work = prepare->op.inputs[input].count * 20;      \
    return BERTH_OK;                                           \
  }

MAKES(concat, 0)
MAKES(split, 1)
MAKES(slice, 0)
MAKES(reshape, 0)

#define ELEMENTS                                    \
  {                                                 \
    { "T", BERTH_TYPES_BASIC | BERTH_TYPE(STRING) } \
  }

const berth_kernel_t berth_cpu_sparse_parts_kernels[] = {
    {.op = "SparseConcat", .types = ELEMENTS, .prepare = prepare_concat},
    {.op = "SparseSplit", .types = ELEMENTS, .prepare = prepare_split},
    {.op = "SparseSlice", .types = ELEMENTS, .prepare = prepare_slice},
    {.op = "SparseSliceGrad",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}},
     .prepare = prepare_slice_grad},
    {.op = "SparseReorder", .types = ELEMENTS, .prepare = prepare_reorder},
    {.op = "SparseReshape", .prepare = prepare_reshape},
    {.op = NULL},
};
