// sweep_internal.h - What sweep.c prepares and sweep_run.c runs.
#ifndef BERTH_CPU_OPS_SWEEP_INTERNAL_H_
#define BERTH_CPU_OPS_SWEEP_INTERNAL_H_

#include "cpu/loops/convert.h"
#include "cpu/ops/rows.h"
#include "cpu/ops/sweep.h"

typedef struct berth_sweep_plan berth_sweep_plan_t;

// Does |count| elements that are contiguous or single as the plan says.
typedef void (*berth_strip_fn)(const berth_sweep_plan_t *plan, const char *a,
                               const char *b, char *out, int64_t count);

struct berth_sweep_plan {
  berth_loop_fn loop;
  berth_loop_fn both;    // |loop| where neither input is single.
  berth_slope_fn slope;  // NULL: |loop|.
  int64_t count;         // Of the output.
  int32_t first;         // Which argument is |a|.
  int32_t second;        // Which is |b|; -1: the parameter.
  int32_t result;        // Which is the output.
  berth_strip_fn strip;
  berth_strip_fn strip_in_place;  // Never past the caches.
  int32_t a_size, b_size;  // Bytes from one element to the next; 0: single.
  int32_t in_size, out_size;
  berth_convert_fn widen, narrow;  // Narrow NULL: the output is no such type.
  berth_loop_fn after;             // NULL: none.
  int64_t grain;
  int64_t tile;  // Elements of a repeated row in scratch space.
  int64_t row;   // Elements of the row that is repeated.
  bool tile_is_first;
  berth_broadcast_t broadcast;
  bool (*accept)(const void *right, int64_t count);
  int64_t right_count;
  berth_run_fn run;  // After |accept|.
  berth_code_t code;
  const char *text;
  int32_t input_count;  // Of a sum, and of its first group.
  int32_t first_count;
  union {
    double f64;
    float f32;
  } parameter;
};

// Strips: the loop alone; the loop into a small buffer that is sent past the
// caches; the loop on floats, for half and bfloat16.
void berth_sweep_strip_plain(const berth_sweep_plan_t *plan, const char *a,
                             const char *b, char *out, int64_t count);
void berth_sweep_strip_stream(const berth_sweep_plan_t *plan, const char *a,
                              const char *b, char *out, int64_t count);
void berth_sweep_strip_convert(const berth_sweep_plan_t *plan, const char *a,
                               const char *b, char *out, int64_t count);

// Runs, as berth_run_fn: a few elements of a type that needs no conversion, of
// two inputs and of one.
berth_code_t berth_sweep_run_small(const void *arg, void *const *args,
                                   berth_call_t *call);
berth_code_t berth_sweep_run_small_unary(const void *arg, void *const *args,
                                         berth_call_t *call);

// One run of elements; one per row; one per tile of repeated rows.
berth_code_t berth_sweep_run_flat(const void *arg, void *const *args,
                                  berth_call_t *call);
berth_code_t berth_sweep_run_rows(const void *arg, void *const *args,
                                  berth_call_t *call);
berth_code_t berth_sweep_run_tiles(const void *arg, void *const *args,
                                   berth_call_t *call);
// Many short rows at once, of copies of the inputs that are as long.
berth_code_t berth_sweep_run_spread(const void *arg, void *const *args,
                                    berth_call_t *call);

// Looks at the whole right input first, so that loops need not fail; then runs
// |run| of the plan.
berth_code_t berth_sweep_run_checked(const void *arg, void *const *args,
                                     berth_call_t *call);

// Adds up all inputs.
berth_code_t berth_sweep_run_sum(const void *arg, void *const *args,
                                 berth_call_t *call);

#endif  // BERTH_CPU_OPS_SWEEP_INTERNAL_H_
