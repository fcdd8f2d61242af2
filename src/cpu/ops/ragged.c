// ragged.c - Kernels of ragged tensors, whose rows are parts of one tensor of
// values: RaggedRange, RaggedGather, RaggedTensorToSparse.
//
//   splits  0     2 2       5        row i has the values [splits[i], splits[i+1])
//   values  a  b  | | c  d  e
//
// Splits may have splits: the rows of the first are rows of the second.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "op/types.h"

#define INVALID(...) \
  berth_error_set(call->err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

static int64_t at(const berth_tensor_t *tensor, int64_t i) {
  return berth_index_get(tensor->dtype, tensor->data, i);
}

// ---- RaggedRange ----

static bool is_whole(const berth_tensor_t *tensor) {
  return berth_type_in(tensor->dtype, BERTH_TYPES_INDEX);
}

// Stores how many numbers row |row| has.
static berth_code_t range_size(berth_call_t *call, int64_t row, int64_t most,
                               int64_t *out) {
  berth_tensor_t *const *in = call->inputs;
  int64_t i[3];
  *out = 0;
  for (int k = 0; k < 3; ++k) i[k] = in[k]->rank == 0 ? 0 : row;
  if (is_whole(in[0])) {
    int64_t start = at(in[0], i[0]), end = at(in[1], i[1]);
    int64_t step = at(in[2], i[2]);
    if (step == 0) return INVALID("Requires delta != 0");
    if ((step > 0 && end < start) || (step < 0 && end > start)) return BERTH_OK;
    uint64_t way = end > start ? (uint64_t)end - (uint64_t)start
                               : (uint64_t)start - (uint64_t)end;
    uint64_t pace = step > 0 ? (uint64_t)step : -(uint64_t)step;
    *out = (int64_t)((way + pace - 1) / pace);
  } else {
    berth_dtype_t dtype = in[0]->dtype;
    double start = berth_number_at(dtype, in[0]->data, i[0]);
    double end = berth_number_at(dtype, in[1]->data, i[1]);
    double step = berth_number_at(dtype, in[2]->data, i[2]);
    if (step == 0) return INVALID("Requires delta != 0");
    if ((step > 0 && end < start) || (step < 0 && end > start)) return BERTH_OK;
    double size =
        dtype == BERTH_FLOAT
            ? (double)ceilf(fabsf(((float)end - (float)start) / (float)step))
            : ceil(fabs((end - start) / step));
    *out = size < (double)INT64_MAX ? (int64_t)size : INT64_MAX;
    if (!(size <= (double)most)) *out = INT64_MAX;
  }
  if (*out >= 0 && *out <= most && *out != INT64_MAX) return BERTH_OK;
  return INVALID("Requires ((limit - start) / delta) <= %lld", (long long)most);
}

// Numbers are added up, as TensorFlow does.
static void write_range(berth_tensor_t *const *in, int64_t row, int64_t begin,
                        int64_t end, void *out) {
  berth_dtype_t dtype = in[0]->dtype;
  int64_t first = in[0]->rank == 0 ? 0 : row, pace = in[2]->rank == 0 ? 0 : row;
  if (is_whole(in[0])) {
    uint64_t value = (uint64_t)at(in[0], first);
    for (int64_t i = begin; i < end; ++i) {
      berth_index_set(dtype, out, i, (int64_t)value);
      value += (uint64_t)at(in[2], pace);
    }
    return;
  }
  double value = berth_number_at(dtype, in[0]->data, first);
  double step = berth_number_at(dtype, in[2]->data, pace);
  for (int64_t i = begin; i < end; ++i) {
    berth_number_set(dtype, out, i, value);
    value = dtype == BERTH_FLOAT ? (double)((float)value + (float)step)
                                 : value + step;
  }
}

static berth_code_t range_rows(berth_call_t *call, int64_t *out_rows) {
  static const char *const names[] = {"starts", "limits", "deltas"};
  int64_t rows = -1;
  for (int i = 0; i < 3; ++i) {
    if (call->inputs[i]->rank <= 1) continue;
    return INVALID("%s must be a scalar or vector", names[i]);
  }
  for (int i = 0; i < 3; ++i) {
    const berth_tensor_t *in = call->inputs[i];
    if (in->rank == 0) continue;
    if (rows >= 0 && rows != in->dims[0]) {
      return INVALID("starts, limits, and deltas must have the same shape");
    }
    rows = in->dims[0];
  }
  *out_rows = rows < 0 ? 1 : rows;
  return BERTH_OK;
}

static berth_code_t make_range(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  void *splits = NULL, *values = NULL;
  int64_t rows = 0, size = 0, all = 0;
  berth_dtype_t type = call->node->output_types[0];
  int64_t most = type == BERTH_INT32 ? INT32_MAX : INT64_MAX;
  BERTH_TRY(range_rows(call, &rows));
  BERTH_TRY(berth_cpu_make(call, 0, 1, (int64_t[]){rows + 1}, &splits));
  berth_index_set(type, splits, 0, 0);
  for (int64_t i = 0; i < rows; ++i) {
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    BERTH_TRY(range_size(call, i, most, &size));
    if (size > most - all) {
      return INVALID(
          "The total range size overflowed. Consider using int64 instead of "
          "int32 for row_splits_dtype.");
    }
    berth_index_set(type, splits, i + 1, all += size);
  }
  BERTH_TRY(berth_cpu_make(call, 1, 1, &all, &values));
  for (int64_t i = 0; i < rows; ++i) {
    write_range(call->inputs, i, berth_index_get(type, splits, i),
                berth_index_get(type, splits, i + 1), values);
  }
  return BERTH_OK;
}

BERTH_CPU_LATE(range)

// ---- RaggedTensorToSparse ----

static berth_code_t check_splits(berth_call_t *call, int count) {
  const berth_tensor_t *values = call->inputs[count];
  for (int i = 0; i < count; ++i) {
    const berth_tensor_t *splits = call->inputs[i];
    if (splits->count == 0) return INVALID("ragged splits may not be empty.");
    if (at(splits, 0) != 0) {
      return INVALID("First value of ragged splits must be 0.");
    }
    for (int64_t k = 1; k < splits->count; ++k) {
      if (at(splits, k) >= at(splits, k - 1)) continue;
      return INVALID(
          "Ragged splits should be non decreasing, but we got %lld followed by "
          "%lld",
          (long long)at(splits, k - 1), (long long)at(splits, k));
    }
    int64_t next = i + 1 < count      ? call->inputs[i + 1]->count - 1
                   : values->rank > 0 ? values->dims[0]
                                      : -1;
    if (at(splits, splits->count - 1) != next) {
      return INVALID(
          "Final value of ragged splits must match the length the "
          "corresponding ragged values.");
    }
  }
  return BERTH_OK;
}

// Writes the places of values. |row| has, for each splits, the row that the
// value is in.
static void write_places(berth_call_t *call, int count, int64_t *row,
                         int64_t *out) {
  const berth_tensor_t *values = call->inputs[count];
  int64_t inner = values->dims[0] > 0 ? values->count / values->dims[0] : 0;
  for (int64_t i = 0; i < values->dims[0]; ++i) {
    int64_t up = i;
    for (int k = count; k-- > 0;) {
      while (at(call->inputs[k], row[k] + 1) <= up) ++row[k];
      row[count + 1 + k] = up - at(call->inputs[k], row[k]);
      up = row[k];
    }
    for (int64_t n = 0; n < inner; ++n) {
      int64_t left = n;
      *out++ = up;
      for (int k = 0; k < count; ++k) *out++ = row[count + 1 + k];
      out += values->rank - 1;
      for (int32_t d = values->rank; d-- > 1; left /= values->dims[d]) {
        out[d - values->rank] = left % values->dims[d];
      }
    }
  }
}

static int64_t longest(const berth_tensor_t *splits) {
  int64_t most = 0;
  for (int64_t i = 1; i < splits->count; ++i) {
    int64_t size = at(splits, i) - at(splits, i - 1);
    most = size > most ? size : most;
  }
  return most;
}

static berth_code_t make_to_sparse(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan;
  (void)args;
  int count = call->node->input_count - 1;
  berth_tensor_t *values = call->inputs[count];
  void *places = NULL, *sizes = NULL;
  BERTH_TRY(check_splits(call, count));
  int64_t rank = count + values->rank;
  int64_t dims[2] = {values->count, rank};
  BERTH_TRY(berth_cpu_make(call, 0, 2, dims, &places));
  BERTH_TRY(berth_tensor_view(values->buffer, values->data, values->dtype, 1,
                              &values->count, values->count, values->device,
                              &call->outputs[1], call->err));
  BERTH_TRY(berth_cpu_make(call, 2, 1, &rank, &sizes));
  int64_t *size = sizes;
  *size++ = call->inputs[0]->count - 1;
  for (int i = 0; i < count; ++i) *size++ = longest(call->inputs[i]);
  for (int32_t d = 1; d < values->rank; ++d) *size++ = values->dims[d];
  int64_t *row = berth_calloc(2 * (size_t)count + 1, sizeof(*row));
  if (row == NULL) return berth_error_no_memory(call->err, "rows");
  write_places(call, count, row, places);
  berth_free(row);
  return BERTH_OK;
}

BERTH_CPU_LATE(to_sparse)

// ---- RaggedGather ----

// What is taken of splits: rows [begins[i], ends[i]) of those below.
typedef struct taken {
  int64_t *begins, *ends;
  int64_t count;
} taken_t;

static berth_code_t check_gathered(berth_call_t *call, int count) {
  const berth_tensor_t *values = call->inputs[count];
  const berth_tensor_t *indices = call->inputs[count + 1];
  if (values->rank == 0) return INVALID("params.rank must be nonzero");
  if (count + indices->rank != call->node->output_count) {
    return INVALID("OUTPUT_RAGGED_RANK is %d, but must be %d",
                   call->node->output_count - 1, count + indices->rank - 1);
  }
  int64_t rows = call->inputs[0]->rank == 1   ? call->inputs[0]->count - 1
                 : call->inputs[0]->rank == 0 ? 0
                                              : call->inputs[0]->dims[0] - 1;
  for (int64_t i = 0; i < indices->count; ++i) {
    if (at(indices, i) >= 0 && at(indices, i) < rows) continue;
    return INVALID("indices[%lld] = %lld is not in [0, %lld)", (long long)i,
                   (long long)at(indices, i), (long long)rows);
  }
  for (int i = 0; i < count; ++i) {
    const berth_tensor_t *splits = call->inputs[i];
    int64_t most =
        i + 1 < count ? call->inputs[i + 1]->count - 1 : values->dims[0];
    for (int64_t k = 0; k < splits->count; ++k) {
      if (k > 0 && at(splits, k) < at(splits, k - 1)) {
        return INVALID("Ragged splits must be sorted");
      }
      if (at(splits, k) < 0) {
        return INVALID("Ragged splits must be non-negative");
      }
      if (at(splits, k) > most) {
        return INVALID("Ragged splits must not point past values");
      }
    }
  }
  return BERTH_OK;
}

// Makes the splits that the dimensions of |indices| but the first are.
static berth_code_t make_outer(berth_call_t *call,
                               const berth_tensor_t *indices) {
  int64_t rows = indices->rank > 0 ? indices->dims[0] : 1;
  berth_dtype_t type = call->inputs[0]->dtype;
  for (int32_t d = 1; d < indices->rank; ++d) {
    void *splits = NULL;
    BERTH_TRY(berth_cpu_make(call, d - 1, 1, (int64_t[]){rows + 1}, &splits));
    for (int64_t i = 0; i <= rows; ++i) {
      berth_index_set(type, splits, i, i * indices->dims[d]);
    }
    rows *= indices->dims[d];
  }
  return BERTH_OK;
}

// Makes output |index|, the splits of the rows that are |taken| of |splits|,
// and takes what is below.
static berth_code_t take_rows(berth_call_t *call, const berth_tensor_t *splits,
                              int index, taken_t *taken) {
  int64_t rows = 0, all = 0, next = 0;
  for (int64_t i = 0; i < taken->count; ++i) {
    rows += taken->ends[i] - taken->begins[i];
  }
  void *out = NULL;
  BERTH_TRY(berth_cpu_make(call, index, 1, (int64_t[]){rows + 1}, &out));
  berth_index_set(splits->dtype, out, next++, 0);
  for (int64_t i = 0; i < taken->count; ++i) {
    for (int64_t r = taken->begins[i]; r < taken->ends[i]; ++r) {
      if (berth_cpu_ends_at(call, next)) return berth_cpu_ended(call);
      all += at(splits, r + 1) - at(splits, r);
      berth_index_set(splits->dtype, out, next++, all);
    }
    taken->begins[i] = at(splits, taken->begins[i]);
    taken->ends[i] = at(splits, taken->ends[i]);
  }
  return BERTH_OK;
}

static berth_code_t take_values(berth_call_t *call,
                                const berth_tensor_t *values, int index,
                                const taken_t *taken) {
  int64_t dims[BERTH_MAX_RANK] = {0}, next = 0;
  memcpy(dims, values->dims, (size_t)values->rank * sizeof(*dims));
  int64_t inner = dims[0] > 0 ? values->count / dims[0] : 0;
  dims[0] = 0;
  for (int64_t i = 0; i < taken->count; ++i) {
    dims[0] += taken->ends[i] - taken->begins[i];
  }
  void *out = NULL;
  size_t size = berth_dtype_size(values->dtype) * (size_t)inner;
  BERTH_TRY(berth_cpu_make(call, index, values->rank, dims, &out));
  for (int64_t i = 0; i < taken->count; ++i) {
    int64_t count = taken->ends[i] - taken->begins[i];
    if (count == 0 || inner == 0) continue;
    if (!berth_elements_copy(
            values->dtype, (char *)out + (size_t)next * size,
            (const char *)values->data + (size_t)taken->begins[i] * size,
            count * inner)) {
      return berth_error_no_memory(call->err, "values");
    }
    next += count;
  }
  return BERTH_OK;
}

static berth_code_t gather_rows(berth_call_t *call, int count, taken_t *taken) {
  const berth_tensor_t *indices = call->inputs[count + 1];
  bool is_one = indices->rank == 0;
  int first = is_one ? 0 : indices->rank - 1;
  BERTH_TRY(make_outer(call, indices));
  for (int64_t i = 0; i < indices->count; ++i) {
    taken->begins[i] = at(indices, i);
    taken->ends[i] = taken->begins[i] + 1;
  }
  for (int k = 0; k < count; ++k) {
    if (k == 0 && is_one) {  // Of one row the splits are not told.
      taken->begins[0] = at(call->inputs[0], taken->begins[0]);
      taken->ends[0] = at(call->inputs[0], taken->ends[0]);
      continue;
    }
    BERTH_TRY(take_rows(call, call->inputs[k], first++, taken));
  }
  return take_values(call, call->inputs[count], first, taken);
}

static berth_code_t make_gather(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  (void)args;
  int count = call->node->input_count - 2;
  BERTH_TRY(check_gathered(call, count));
  size_t rows = (size_t)call->inputs[count + 1]->count;
  int64_t *room = berth_calloc(2 * rows + 1, sizeof(*room));
  if (room == NULL) return berth_error_no_memory(call->err, "rows");
  taken_t taken = {room, room + rows, (int64_t)rows};
  berth_code_t code = gather_rows(call, count, &taken);
  berth_free(room);
  return code;
}

BERTH_CPU_LATE(gather)

#define VALUES (BERTH_TYPES_BASIC | BERTH_TYPES_QUANTIZED | BERTH_TYPE(STRING))

const berth_kernel_t berth_cpu_ragged_kernels[] = {
    {.op = "RaggedGather",
     .types = {{"Tvalues", VALUES}},
     .prepare = prepare_gather},
    {.op = "RaggedRange",
     .types = {{"T",
                BERTH_TYPES_INDEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE)}},
     .prepare = prepare_range},
    {.op = "RaggedTensorToSparse", .prepare = prepare_to_sparse},
    {.op = NULL},
};
