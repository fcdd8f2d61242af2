// sobol.c - SobolSample: points that fill a cube evenly.
//
// Point n is a sum modulo 2, of the direction numbers of the bits of n's Gray
// code, so that each point differs from the one before it by one of them. From
// point 2^30 on TensorFlow's numbers are negative, by an overflow; here they are
// those of the sequence.
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "op/source.h"

enum { DEGREES = 9, MOST = 101, BITS = 32 };

static const uint8_t table[] = {
#include "cpu/ops/sobol_table.inc"
};
static const uint8_t dimensions[DEGREES] = {1, 1, 2, 2, 6, 6, 18, 16, 48};

typedef struct plan {
  berth_dtype_t dtype;
  int64_t columns, rows;
  uint32_t first;  // The number of the point before the first.
} plan_t;

// Stores the direction numbers of a dimension of |degree|, whose part of the
// table |*at| is, and goes on to the next. A degree of 0 is the first one's.
static void set_directions(int degree, const uint8_t **at, uint32_t out[BITS]) {
  const uint8_t *given = *at;
  for (int i = 0; i < BITS; ++i) {
    uint32_t number = 1;
    if (i > 0 && i < degree) {
      number = 2u * given[i] + 1;
    } else if (i >= degree && degree > 0) {
      number = out[i - degree] ^ out[i - degree] << degree;
      for (int k = 1; k < degree; ++k) {
        if (given[0] >> (degree - 1 - k) & 1) number ^= out[i - k] << k;
      }
    }
    out[i] = number;
  }
  for (int i = 0; i < BITS; ++i) out[i] <<= BITS - 1 - i;
  *at += degree;
}

static void fill_column(const plan_t *plan, const uint32_t directions[BITS],
                        int64_t column, void *out) {
  uint32_t point = 0, number = plan->first;
  for (uint32_t code = number ^ number >> 1; code != 0; code &= code - 1) {
    point ^= directions[__builtin_ctz(code)];
  }
  for (int64_t i = 0; i < plan->rows; ++i, ++number) {
    point ^= directions[__builtin_ctz(~number)];
    berth_number_set(plan->dtype, out, i * plan->columns + column,
                     point * 0x1p-32);
  }
}

static berth_code_t run_sobol(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  const uint8_t *at = table;
  uint32_t directions[BITS];
  int degree = 0, left = 1;
  for (int64_t i = 0; i < plan->columns; ++i, --left) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    if (left == 0) left = dimensions[degree++];
    set_directions(degree, &at, directions);
    fill_column(plan, directions, i, args[3]);
  }
  return BERTH_OK;
}

static berth_code_t prepare_sobol(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  int64_t sizes[3];
  BERTH_TRY(berth_op_sobol(&prepare->op, sizes, err));
  if (sizes[0] > MOST) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Berth has Sobol's sequence in up to %d dimensions, "
                           "not in %lld",
                           MOST, (long long)sizes[0]);
  }
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (plan_t){prepare->op.node->output_types[0], sizes[0], sizes[1],
                   (uint32_t)sizes[2]};
  prepare->run = run_sobol;
  prepare->work = sizes[0] * (sizes[1] * 3 + 300);
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_sobol_kernels[] = {
    {.op = "SobolSample", .prepare = prepare_sobol},
    {.op = NULL},
};
