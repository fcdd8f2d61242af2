// forecast_internal.h - Playing runs, shared by forecast.c and forecast_flow.c.
//
//   forecast.c        moments, values, bytes; a layout from its begin to its end
//   forecast_flow.c   the walk among conditionals and loops
#ifndef BERTH_EXEC_FORECAST_INTERNAL_H_
#define BERTH_EXEC_FORECAST_INTERNAL_H_

#include "exec/forecast.h"

// Memory of a run that is played: a buffer, counted as one is. Those of nobody
// (settled, fed, a variable's) have the number NONE.
typedef struct held {
  int32_t value;  // In the forecast.
  int32_t refs;
} held_t;

enum { HELD_NONE = -1, LENT_MOST = 16 };

// What lies idle in a lender (device/lender.h): sizes as they were asked for.
typedef struct lent {
  int64_t idle[LENT_MOST];
  int count;
} lent_t;

typedef struct player {
  berth_forecast_t *forecast;
  const berth_exec_host_t *host;
  const berth_program_t *program;  // The one that is played,
  berth_tensor_t *const *handles;  // and by feed what leads to variables;
                                   // NULL: nothing does.
  berth_watch_t *watch;
  held_t *held;
  size_t held_count, held_capacity;
  lent_t *lenders;    // By memory.
  const void **seen;  // Buffers and variables that were counted.
  size_t seen_count, seen_capacity;
  bool failed;  // Memory was short.
} player_t;

// A value that is fed to a layout, or comes out of it.
typedef struct worth {
  berth_dims_t dims;  // Rank -1: not known. In the forecast's arena.
  int32_t held;       // Or HELD_NONE.
  // Of what leaves a block: nobody else sees it. Of what is fed to one: what
  // leaves may have its memory (heir.h).
  bool is_own;
} worth_t;

// Says that |step| is played next.
void berth_player_moment(player_t *player, const berth_step_t *step);

// Says that |step| may take more than is known; each is listed once.
void berth_player_unknown(player_t *player, const berth_step_t *step,
                          const char *why);

// Takes the bytes of a tensor that |step| makes, with one reference; HELD_NONE
// where it comes from no pool.
int32_t berth_player_take(player_t *player, const berth_step_t *step,
                          int32_t output, int memory, berth_dtype_t dtype,
                          berth_dims_t dims);

// Adds and takes away a reference of |held|; HELD_NONE is fine.
void berth_player_retain(player_t *player, int32_t held);
void berth_player_release(player_t *player, int32_t held);

// Takes working space for the time of one step.
void berth_player_scratch(player_t *player, const berth_step_t *step,
                          int memory, size_t size);

// Makes a layout of |program| for |feeds|, to be dropped with
// berth_layout_drop(), or stores NULL where a shape is not known.
BERTH_NODISCARD berth_code_t berth_player_layout(player_t *player,
                                                 berth_program_t *program,
                                                 const worth_t *feeds,
                                                 berth_layout_t **out_layout,
                                                 berth_error_t *err);

// Takes the arenas of |layout|: those that stay with a frame (once), and those
// that are borrowed; and returns the latter.
void berth_player_own(player_t *player, const berth_layout_t *layout);
void berth_player_borrow(player_t *player, const berth_layout_t *layout);
void berth_player_return(player_t *player, const berth_layout_t *layout);

// Plays the steps of |layout|, whose arenas are taken, with |feeds|, and fills
// |results|, which have references.
BERTH_NODISCARD berth_code_t berth_player_steps(player_t *player,
                                                const berth_layout_t *layout,
                                                const worth_t *feeds,
                                                worth_t *results,
                                                berth_error_t *err);

// forecast_flow.c: the same for a program with conditionals or loops.
BERTH_NODISCARD berth_code_t berth_player_flow(player_t *player,
                                               berth_program_t *program,
                                               const worth_t *feeds,
                                               worth_t *results,
                                               berth_error_t *err);

#endif  // BERTH_EXEC_FORECAST_INTERNAL_H_
