// fourier.c - Kernels of Fourier transforms.
//
// A transform of several dimensions goes over one after the other: forward the
// rows first, and then columns in the place of the result. Real numbers are
// rows on one side, of half a spectrum on the other; on the way back columns
// come first, into the scratch space. Rows of an even length are transformed
// as pairs, which takes half the work; others become complex numbers.
#include "op/fourier.h"

#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/ops/fourier_plan.h"
#include "cpu/ops/slots.h"
#include "op/types.h"

typedef struct plan {
  berth_fourier_t fourier;
  const berth_spectrum_loops_t *loops;
  int64_t size;  // Bytes of a float or double.
  bool is_paired;
  berth_spectrum_row_t row;
  berth_spectrum_lanes_t columns[2];  // Of the first two dimensions.
  const void *turns;                  // Of pairs.
  int64_t rows;                       // Of all transforms.
  int64_t group;                      // Rows at a time.
  int64_t grain;                      // Groups of a piece.
  int64_t middle;  // Bytes of the scratch space that columns go to.
  berth_slots_t slots;
} plan_t;

// One pass over all rows, or over all columns of a dimension.
typedef struct pass {
  const plan_t *plan;
  const char *from;
  char *to, *scratch;
  int axis;
  int64_t matrices, width, groups;  // Of columns.
  const int64_t *dims;              // Of what they are read from.
} pass_t;

// Columns that are kept between the transforms: half of those of real numbers.
static int64_t width_of(const berth_fourier_t *f) {
  return f->is_real ? f->sizes[2] / 2 + 1 : f->sizes[2];
}

// ---- Rows ----

// Where row |row| begins, in floats, in an array of |dims|; |parts| of a number.
static int64_t row_at(const berth_fourier_t *f, const int64_t *dims,
                      int64_t row, int64_t parts) {
  int64_t plane = row / f->sizes[1], in = row % f->sizes[1];
  int64_t batch = plane / f->sizes[0], at = plane % f->sizes[0];
  return ((batch * dims[0] + at) * dims[1] + in) * dims[2] * parts;
}

// Returns how many rows from |row| on lie evenly apart in |dims|, |most| at most.
static int64_t rows_even(const berth_fourier_t *f, const int64_t *dims,
                         int64_t row, int64_t most) {
  if (dims[0] == f->sizes[0] && dims[1] == f->sizes[1]) return most;
  int64_t left = f->sizes[1] - row % f->sizes[1];
  return left < most ? left : most;
}

// What a transform back is divided by; pairs are half as many.
static double scale_of(const plan_t *plan) {
  const berth_fourier_t *f = &plan->fourier;
  if (!f->is_inverse) return 1;
  double count = 1;
  for (int i = 0; i < BERTH_FOURIER_RANK; ++i) count *= (double)f->sizes[i];
  return (plan->is_paired ? 2 : 1) / count;
}

// Real numbers become the real parts of complex ones.
static void widen(const plan_t *plan, const char *from, int64_t n, char *to) {
  memset(to, 0, (size_t)(2 * n * plan->size));
  for (int64_t i = 0; i < n; ++i) {
    memcpy(to + 2 * i * plan->size, from + i * plan->size, (size_t)plan->size);
  }
}

static void narrow(const plan_t *plan, const char *from, int64_t n, char *to) {
  for (int64_t i = 0; i < n; ++i) {
    memcpy(to + i * plan->size, from + 2 * i * plan->size, (size_t)plan->size);
  }
}

// Of half a spectrum the rest is its mirror; what has no mirror is real.
static void mirror(const plan_t *plan, const char *from, int64_t n, char *to) {
  int64_t size = plan->size;
  memcpy(to, from, (size_t)((n / 2 + 1) * 2 * size));
  memset(to + size, 0, (size_t)size);
  for (int64_t i = n / 2 + 1; i < n; ++i) {
    const char *source = from + 2 * (n - i) * size + size;
    char *place = to + 2 * i * size;
    memcpy(place, source - size, (size_t)size);
    if (size == 8) {
      *(double *)(void *)(place + size) =
          -*(const double *)(const void *)source;
    } else {
      *(float *)(void *)(place + size) = -*(const float *)(const void *)source;
    }
  }
}

// Bytes of the rows of a group that are neither read nor written as they are.
static int64_t lines_bytes(const plan_t *plan) {
  const berth_fourier_t *f = &plan->fourier;
  if (!f->is_real || (plan->is_paired && !f->is_inverse)) return 0;
  int64_t lines = plan->is_paired ? 1 : 2;
  return (lines * plan->group * plan->row.n * 2 * plan->size + 63) / 64 * 64;
}

// Transforms rows of real numbers, |move|->count of them, a group at most.
static void real_rows(const plan_t *plan, const berth_spectrum_move_t *move,
                      char *space) {
  const berth_fourier_t *f = &plan->fourier;
  int64_t n = f->sizes[2], half = n / 2, line = plan->row.n * 2 * plan->size;
  char *rest = space + lines_bytes(plan), *other = space + plan->group * line;
  berth_spectrum_move_t inner = *move;
  if (f->is_inverse || !plan->is_paired) {
    inner.from = space;
    inner.from_step = 2 * plan->row.n;
  }
  if (!plan->is_paired) {
    inner.to = other;
    inner.to_step = 2 * plan->row.n;
  }
  for (int64_t i = 0; inner.from == space && i < move->count; ++i) {
    const char *from =
        (const char *)move->from + i * move->from_step * plan->size;
    char *to = space + i * line;
    if (plan->is_paired) plan->loops->pair(from, half, plan->turns, to);
    if (!plan->is_paired && f->is_inverse) mirror(plan, from, n, to);
    if (!plan->is_paired && !f->is_inverse) widen(plan, from, n, to);
  }
  plan->loops->rows(&plan->row, &inner, rest);
  for (int64_t i = 0; i < move->count; ++i) {
    char *to = (char *)move->to + i * move->to_step * plan->size;
    if (plan->is_paired && !f->is_inverse) {
      plan->loops->unpair(to, half, plan->turns);
    }
    if (plan->is_paired) continue;
    if (f->is_inverse) narrow(plan, other + i * line, n, to);
    if (!f->is_inverse) {
      memcpy(to, other + i * line, (size_t)((half + 1) * 2 * plan->size));
    }
  }
}

// As berth_parallel_fn, over groups of rows.
static void do_rows(void *arg, int64_t begin, int64_t end) {
  const pass_t *pass = arg;
  const plan_t *plan = pass->plan;
  const berth_fourier_t *f = &plan->fourier;
  bool from_real = f->is_real && !f->is_inverse;
  bool to_real = f->is_real && f->is_inverse;
  int64_t last =
      end * plan->group < plan->rows ? end * plan->group : plan->rows;
  char *space;
  atomic_flag *slot = berth_slots_take(&plan->slots, pass->scratch, &space);
  for (int64_t row = begin * plan->group; row < last;) {
    int64_t count = last - row < plan->group ? last - row : plan->group;
    count = rows_even(f, pass->dims, row, count);
    berth_spectrum_move_t move = {
        .from = pass->from +
                row_at(f, pass->dims, row, from_real ? 1 : 2) * plan->size,
        .to = pass->to + row_at(f, f->out, row, to_real ? 1 : 2) * plan->size,
        .from_step = pass->dims[2] * (from_real ? 1 : 2),
        .to_step = f->out[2] * (to_real ? 1 : 2),
        .count = count,
        .is_back = f->is_inverse,
        .scale = scale_of(plan)};
    if (f->is_real) {
      real_rows(plan, &move, space);
    } else {
      plan->loops->rows(&plan->row, &move, space);
    }
    row += count;
  }
  berth_slots_give(slot);
}

static bool run_rows(const plan_t *plan, const char *from, const int64_t *dims,
                     char *to, char *scratch) {
  pass_t pass = {
      .plan = plan, .from = from, .to = to, .scratch = scratch, .dims = dims};
  int64_t groups = (plan->rows + plan->group - 1) / plan->group;
  return berth_parallel_for(groups, plan->grain, do_rows, &pass);
}

// ---- Columns ----

// As berth_parallel_fn, over groups of columns of all matrices.
static void do_columns(void *arg, int64_t begin, int64_t end) {
  const pass_t *pass = arg;
  const plan_t *plan = pass->plan;
  const berth_fourier_t *f = &plan->fourier;
  int64_t lanes = plan->loops->lanes, element = 2 * plan->size;
  char *space;
  atomic_flag *slot = berth_slots_take(&plan->slots, pass->scratch, &space);
  for (int64_t item = begin; item < end; ++item) {
    int64_t matrix = item / pass->groups;
    int64_t first = item % pass->groups * lanes, left = pass->width - first;
    int64_t to = matrix * pass->width * f->sizes[pass->axis] + first;
    // Only matrices of rows may be read from an array with more in it.
    int64_t from = to, step = pass->width;
    if (pass->axis == 1) {
      from = row_at(f, pass->dims, matrix * f->sizes[1], 1) + first;
      step = pass->dims[2];
    }
    berth_spectrum_move_t move = {.from = pass->from + from * element,
                                  .to = pass->to + to * element,
                                  .from_step = 2 * step,
                                  .to_step = 2 * pass->width,
                                  .count = left < lanes ? left : lanes,
                                  .is_back = f->is_inverse,
                                  .scale = 1};
    plan->loops->columns(&plan->columns[pass->axis], &move, space);
  }
  berth_slots_give(slot);
}

// Transforms dimension |axis| of what is at |from|, an array of |dims|.
static bool run_columns(const plan_t *plan, int axis, const char *from,
                        const int64_t *dims, char *to, char *scratch) {
  const berth_fourier_t *f = &plan->fourier;
  pass_t pass = {.plan = plan,
                 .from = from,
                 .to = to,
                 .scratch = scratch,
                 .axis = axis,
                 .dims = dims};
  pass.width = width_of(f) * (axis == 0 ? f->sizes[1] : 1);
  pass.matrices = f->batch * (axis == 0 ? 1 : f->sizes[0]);
  pass.groups = (pass.width + plan->loops->lanes - 1) / plan->loops->lanes;
  int64_t work = f->sizes[axis] * plan->loops->lanes;
  return berth_parallel_for(pass.matrices * pass.groups, 8192 / work + 1,
                            do_columns, &pass);
}

// ---- Running ----

static bool has_columns(const berth_fourier_t *f) {
  return f->sizes[0] > 1 || f->sizes[1] > 1;
}

static berth_code_t run_fourier(const void *arg, void *const *args,
                                berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  const berth_fourier_t *f = &plan->fourier;
  int output = f->is_real ? 2 : 1;
  char *to = args[output], *scratch = args[output + 1];
  berth_slots_clear(&plan->slots, scratch);
  if (!has_columns(f)) {
    (void)run_rows(plan, args[0], f->in, to, scratch);
    return BERTH_OK;
  }
  int64_t dims[BERTH_FOURIER_RANK] = {f->sizes[0], f->sizes[1], width_of(f)};
  if (f->is_real && f->is_inverse) {
    char *middle = scratch + berth_slots_bytes(&plan->slots);
    if (run_columns(plan, 1, args[0], f->in, middle, scratch) &&
        (f->sizes[0] == 1 ||
         run_columns(plan, 0, middle, dims, middle, scratch))) {
      (void)run_rows(plan, middle, dims, to, scratch);
    }
    return BERTH_OK;
  }
  if (run_rows(plan, args[0], f->in, to, scratch) &&
      run_columns(plan, 1, to, dims, to, scratch) && f->sizes[0] > 1) {
    (void)run_columns(plan, 0, to, dims, to, scratch);
  }
  return BERTH_OK;
}

// TensorFlow leaves open what comes of nothing; here it is zeros.
static berth_code_t run_zeros(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_fourier_t *f = &plan->fourier;
  int64_t parts = f->is_real && f->is_inverse ? 1 : 2;
  int64_t count = f->batch * f->out[0] * f->out[1] * f->out[2] * parts;
  memset(args[call->node->input_count], 0, (size_t)(count * plan->size));
  return BERTH_OK;
}

// ---- Preparing ----

// Bytes that one piece works in.
static int64_t piece_bytes(const plan_t *plan) {
  int64_t lanes = plan->loops->lanes;
  int64_t most = berth_spectrum_space(&plan->row, lanes) * plan->size;
  most += lines_bytes(plan);
  for (int i = 0; i < 2; ++i) {
    if (plan->columns[i].n == 0) continue;
    int64_t bytes =
        berth_spectrum_lanes_space(&plan->columns[i], lanes) * plan->size;
    if (bytes > most) most = bytes;
  }
  return most;
}

static bool plan_make(plan_t *plan, const berth_fourier_maker_t *maker) {
  const berth_fourier_t *f = &plan->fourier;
  plan->rows = f->batch * f->sizes[0] * f->sizes[1];
  plan->is_paired = f->is_real && f->sizes[2] % 2 == 0;
  int64_t n = plan->is_paired ? f->sizes[2] / 2 : f->sizes[2];
  if (!berth_fourier_plan_row(maker, n, plan->rows, &plan->row)) return false;
  for (int i = 0; i < 2 && has_columns(f); ++i) {
    if (!berth_fourier_plan_lanes(maker, f->sizes[i], &plan->columns[i])) {
      return false;
    }
  }
  if (plan->is_paired) {
    plan->turns = berth_fourier_plan_turns(maker, 2 * n, n / 2 + 1);
    if (plan->turns == NULL) return false;
  }
  bool is_long = plan->row.inner != NULL || plan->row.second.n > 0;
  plan->group = is_long ? 1 : plan->loops->lanes;
  plan->grain = 16384 / (n * plan->group) + 1;
  if (has_columns(f) && f->is_real && f->is_inverse) {
    plan->middle = plan->rows * width_of(f) * 2 * plan->size;
  }
  return true;
}

static berth_code_t prepare_fourier(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  memset(plan, 0, sizeof(*plan));
  BERTH_TRY(berth_op_fourier(&prepare->op, &plan->fourier, err));
  berth_dtype_t dtype = prepare->op.inputs[0].dtype;
  bool is_wide = dtype == BERTH_DOUBLE || dtype == BERTH_COMPLEX128;
  const berth_spectrum_table_t *table = BERTH_ISA_PICK(berth_cpu_spectrum);
  plan->loops = is_wide ? &table->f64 : &table->f32;
  plan->size = is_wide ? 8 : 4;
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  if (count == 0 || prepare->op.inputs[0].count == 0) {
    prepare->run = count > 0 ? run_zeros : berth_run_nothing;
    return BERTH_OK;
  }
  berth_fourier_maker_t maker = {prepare->op.arena, plan->loops, is_wide};
  if (!plan_make(plan, &maker)) return berth_error_no_memory(err, "a plan");
  plan->slots = berth_slots_for(INT64_MAX, piece_bytes(plan));
  prepare->scratch_size =
      (size_t)(berth_slots_bytes(&plan->slots) + plan->middle);
  prepare->run = run_fourier;
  prepare->work = count * 4;
  return BERTH_OK;
}

#define FOURIER(name) \
  { .op = name, .prepare = prepare_fourier }

const berth_kernel_t berth_cpu_fourier_kernels[] = {
    FOURIER("FFT"),   FOURIER("IFFT"),   FOURIER("RFFT"),   FOURIER("IRFFT"),
    FOURIER("FFT2D"), FOURIER("IFFT2D"), FOURIER("RFFT2D"), FOURIER("IRFFT2D"),
    FOURIER("FFT3D"), FOURIER("IFFT3D"), FOURIER("RFFT3D"), FOURIER("IRFFT3D"),
    {.op = NULL},
};
