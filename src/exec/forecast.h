// forecast.h - What a run will take of each memory, known before it runs.
//
// A forecast plays a run through with shapes alone. What the run allocates is
// what its layouts say: arenas, tensors that are made in advance, copies of
// what is handed out.
//
//   moments   0 conv   1 bias   2 relu   3 pool   …   steps, in running order
//   values    [conv ──────────)                       when each holds bytes
//                      [bias ──────────)
//   taken     ▁▁▃▃▅▅▇▇▅▅                              of the pool; the peak
//
// Where there are loops each is gone round twice, which is when it holds most;
// of conditionals both ways are taken, so that the figure is one that no run
// exceeds (|is_bound|). Steps whose shapes are not known in advance take memory
// that nobody can foretell: they are listed.
//
// Memories are numbered as arenas are (layout.h): the host's, one for each
// device, pinned memory as the last.
//
// Threads: immutable once made.
#ifndef BERTH_EXEC_FORECAST_H_
#define BERTH_EXEC_FORECAST_H_

#include "base/str.h"
#include "exec/layout.h"

// Why the bytes of a value are held.
typedef enum berth_forecast_kind {
  BERTH_FORECAST_ARENA = 0,  // In an arena, shared with others.
  BERTH_FORECAST_TENSOR,     // Memory of its own.
  BERTH_FORECAST_SCRATCH,    // Working space of a step.
} berth_forecast_kind_t;

// A step as it is played.
typedef struct berth_forecast_moment {
  const char *name, *op;  // In the forecast's arena.
  int16_t memory;         // Where it works.
} berth_forecast_moment_t;

typedef struct berth_forecast_value {
  const char *name, *op;  // Of the node that makes it.
  int32_t output;
  int16_t memory;
  uint8_t kind;  // berth_forecast_kind_t.
  berth_dtype_t dtype;
  berth_dims_t dims;
  int64_t bytes;       // As the memory counts them.
  int32_t begin, end;  // Moments, the end not included.
} berth_forecast_value_t;

// A step that may take memory that is not in the forecast.
typedef struct berth_forecast_unknown {
  const char *name, *op;
  const char *why;  // Constant.
} berth_forecast_unknown_t;

// What is taken of one memory.
typedef struct berth_forecast_memory {
  int64_t taken;   // While it is played.
  int64_t peak;    // Most of it.
  int64_t arenas;  // Of the peak, in arenas.
  int64_t held;    // By variables and constants that it uses, run or not.
  int32_t moment;  // When the values together hold most; -1: never any.
  int64_t *live;   // By moment: bytes of values.
} berth_forecast_memory_t;

typedef struct berth_forecast {
  berth_arena_t arena;  // Names, shapes and what |memories| point to.
  berth_forecast_memory_t *memories;
  int memory_count;
  berth_forecast_moment_t *moments;
  size_t moment_count, moment_capacity;
  berth_forecast_value_t *values;
  size_t value_count, value_capacity;
  berth_forecast_unknown_t *unknowns;
  size_t unknown_count, unknown_capacity;
  bool is_bound;  // No run takes more; one may take less.
} berth_forecast_t;

// Plays a run of |program| with feeds of |shapes|, in its order, and fills
// |forecast|, which is zeroed. Of |handles| (NULL: none) those that are not NULL
// are fed, and lead to variables. Nothing runs but what making a layout computes;
// |watch| may end that. The caller is counted in the host's terms.
//
// Fails as making a layout does: shapes that do not fit are told. |forecast| is
// to be cleared in any case.
BERTH_NODISCARD berth_code_t berth_forecast_make(berth_forecast_t *forecast,
                                                 berth_program_t *program,
                                                 const berth_dims_t *shapes,
                                                 berth_tensor_t *const *handles,
                                                 berth_watch_t *watch,
                                                 berth_error_t *err);

// The same for one |layout|, which has shapes, by what is in it: nothing is made
// and nothing is waited for.
BERTH_NODISCARD berth_code_t berth_forecast_layout(berth_forecast_t *forecast,
                                                   const berth_layout_t *layout,
                                                   berth_error_t *err);

// True when memory |index| is one to tell of: the host's, or one that is used.
bool berth_forecast_counts(const berth_forecast_t *forecast, int index);

// Returns what memory |index| is called. Borrowed from |host|.
const char *berth_forecast_name(const berth_forecast_t *forecast,
                                const berth_exec_host_t *host, int index);

// Appends |forecast| as JSON, as berth/memory_plan.h has it, with the memories
// that count; |names| are theirs, by number.
void berth_forecast_print(const berth_forecast_t *forecast,
                          const char *const *names, berth_str_t *str);

// Frees what |forecast| has.
void berth_forecast_clear(berth_forecast_t *forecast);

#endif  // BERTH_EXEC_FORECAST_H_
