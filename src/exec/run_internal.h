// run_internal.h - A run under way, shared by the files that run it.
//
//   run.c    the walk over the steps of a segment, and runs without waiting
//   issue.c  the same walk where steps are queued on devices
//   late.c   steps that are prepared as they run, or make tensors
//   wait.c   segments that become ready, blocking steps
//   fan_run.c  parts of a segment that run beside each other
//   part.c   runs that are fed in pieces
//   flow_run.c, flow_pass.c, flow_lean.c, flow_wait.c
//            the walk where there are conditionals and loops (flow_walk.h)
#ifndef BERTH_EXEC_RUN_INTERNAL_H_
#define BERTH_EXEC_RUN_INTERNAL_H_

#include "exec/flow.h"
#include "exec/issue.h"
#include "exec/run.h"

typedef struct berth_waits berth_waits_t;

// What a block is run with, and what comes of it.
typedef struct berth_block_call {
  // By feed. NULL once a result has taken it over, with the caller's reference.
  berth_tensor_t **feeds;
  bool *given;               // By feed: a result may take it over (heir.h).
  berth_tensor_t **results;  // References to what leaves.
  bool *is_own;              // By result: nobody else knows its memory.
  bool is_open;              // Work on devices is not waited for.
  bool has_new_frame;        // It was run in another frame than the one kept.
} berth_block_call_t;

struct berth_runner {
  berth_program_t *program;
  berth_layout_t *layout;
  berth_frame_t *frame;
  berth_watch_t *watch;  // Borrowed; of the whole run.
  berth_waits_t *waits;  // NULL for a program without blocking steps.
  berth_block_call_t *block;  // Of a block that is run, else NULL.
};

// Takes a frame of the layout. Where there is no memory for its arenas, it is
// one of the late layout: steps get what they need from the pool, one by one,
// and give it back as soon as they can.
BERTH_NODISCARD berth_code_t berth_runner_frame(berth_runner_t *runner,
                                                berth_error_t *err);

// Binds |feeds|, and makes what the run is known to need.
BERTH_NODISCARD berth_code_t berth_runner_begin(berth_runner_t *runner,
                                                berth_tensor_t *const *feeds,
                                                berth_error_t *err);

// Takes over the tensor of |feed|, which what is made may take over, if the run is
// given that; or returns NULL.
berth_tensor_t *berth_runner_inherited(const berth_runner_t *runner,
                                       int32_t feed);

// Makes the tensor of |slot|, which the run is known to need. |err| names the node
// that it is of.
BERTH_NODISCARD berth_code_t berth_runner_tensor(const berth_runner_t *runner,
                                                 int32_t slot,
                                                 berth_tensor_t **out_tensor,
                                                 berth_error_t *err);

// Runs the steps [begin, end). |err| names the node that failed.
BERTH_NODISCARD berth_code_t berth_runner_steps(berth_runner_t *runner,
                                                int begin, int end,
                                                berth_error_t *err);

// Runs one step of any kind; |call| is for a plain one.
BERTH_NODISCARD berth_code_t berth_runner_step(berth_runner_t *runner, int step,
                                               berth_call_t *call,
                                               berth_error_t *err);

// Runs a step that is not plain: one that makes tensors, keeps inputs, or is
// late. |completion| for a blocking one.
BERTH_NODISCARD berth_code_t
berth_runner_special(berth_runner_t *runner, int step,
                     berth_completion_t *completion, berth_error_t *err);

// Does what steps up to |last| want to change, together, if there is such. Of
// the steps between, those that |is_skipped| (NULL: none) have not run. |err|
// does not name the step.
BERTH_NODISCARD berth_code_t berth_runner_commit(berth_runner_t *runner,
                                                 int last,
                                                 const bool *is_skipped,
                                                 berth_error_t *err);

// Names the step that failed at |step|: itself, or one whose change was to be
// made with its own.
void berth_runner_blame(const berth_runner_t *runner, int step,
                        berth_error_t *err);

// Does what is to be done behind the steps |first| to |last|, which have
// succeeded: lets values go, and looks at what may end the run if |look|. Fails
// when that has ended, or one of the steps was cut short.
BERTH_NODISCARD berth_code_t berth_runner_after(berth_runner_t *runner,
                                                int first, int last, bool look,
                                                berth_error_t *err);

// fan_run.c: runs the steps of |fan|, and what is to be done behind them.
BERTH_NODISCARD berth_code_t berth_fan_run(berth_runner_t *runner,
                                           const berth_fan_t *fan,
                                           berth_call_t *call,
                                           berth_error_t *err);

// Lets go of late inputs of |step| that nobody else will read.
void berth_runner_inputs_read(berth_runner_t *runner, const berth_step_t *step);

// Hands the outputs of step |index| to the frame, taking over the references.
void berth_runner_set_outputs(berth_runner_t *runner, int index,
                              berth_tensor_t **outputs);

// wait.c: a step of a blocking kernel, from berth_runner_steps().
BERTH_NODISCARD berth_code_t berth_waits_step(berth_runner_t *runner, int step,
                                              berth_error_t *err);
// Runs all segments as they become ready.
BERTH_NODISCARD berth_code_t berth_waits_run(berth_runner_t *runner,
                                             berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_waits_create(berth_runner_t *runner,
                                                berth_error_t *err);
// Nothing may be waited for any more. NULL is fine.
void berth_waits_destroy(berth_waits_t *waits);
// What waited for |blocker| waits no longer.
void berth_waits_release(berth_waits_t *waits, int blocker);
// Ends what is waited for, and waits until nothing points into the run. NULL is
// fine.
void berth_waits_end(berth_waits_t *waits);
// True when every segment has run.
bool berth_waits_are_over(const berth_waits_t *waits);

// flow_run.c: begins a walk through a program with conditionals and loops;
// nothing has run. berth_flow_run() does all of it.
BERTH_NODISCARD berth_code_t berth_flow_begin(berth_runner_t *runner,
                                              berth_error_t *err);
// Runs the steps [begin, end), which no loop has or one that is begun.
BERTH_NODISCARD berth_code_t berth_flow_stretch(berth_runner_t *runner,
                                                int begin, int end,
                                                berth_error_t *err);
// Runs the loop that begins at |mark|, and the loops in it.
BERTH_NODISCARD berth_code_t berth_flow_loop(berth_runner_t *runner,
                                             int32_t mark, berth_error_t *err);
// Waits for what was queued on devices.
BERTH_NODISCARD berth_code_t berth_flow_sync(berth_runner_t *runner,
                                             berth_error_t *err);
// Ends the walk, which came out as |code|.
void berth_flow_end(berth_runner_t *runner, berth_code_t code);
// True when |slot| has no value.
bool berth_flow_is_dead(const berth_runner_t *runner, int32_t slot);

// flow_run.c: runs a program with conditionals and loops, and waits for what it
// has queued on devices. BERTH_INVALID_ARGUMENT when something fetched has no
// value.
BERTH_NODISCARD berth_code_t berth_flow_run(berth_runner_t *runner,
                                            berth_error_t *err);
// block_run.c: runs |block| as |call| says and fills that in. |*kept| is a frame
// that this run has used for the block before, or NULL; it may be used again. What
// is queued on devices is waited for, or, where nobody need wait
// (|call->is_open|), before everything that is queued on their compute streams
// afterwards. |err| names the node that failed; feeds may be taken over then too.
BERTH_NODISCARD berth_code_t berth_block_run(berth_runner_t *runner,
                                             const berth_block_t *block,
                                             berth_frame_t **kept,
                                             berth_block_call_t *call,
                                             berth_error_t *err);
// Gives a frame back that was kept; nothing that is queued uses it. NULL is
// fine.
void berth_block_release(berth_frame_t *kept);
// The same for a run that was ended: something may.
void berth_block_abandon(berth_frame_t *kept);
// flow_wait.c: runs a step of a blocking kernel and waits until it is done.
BERTH_NODISCARD berth_code_t berth_flow_await(berth_runner_t *runner, int step,
                                              berth_error_t *err);

// flow_wait.c: steps of a walk that others of the run have to join (MEETS).
typedef struct berth_flow_open berth_flow_open_t;

// Begins |step|; one that waits for others is put into |*open|, and the walk
// goes on.
BERTH_NODISCARD berth_code_t berth_flow_open_begin(berth_runner_t *runner,
                                                   int step,
                                                   berth_flow_open_t **open,
                                                   berth_error_t *err);
// Waits for those of |*open| that make one of the |count| |slots| (NULL: for
// all) and takes them out.
BERTH_NODISCARD berth_code_t berth_flow_open_finish(berth_runner_t *runner,
                                                    berth_flow_open_t **open,
                                                    const int32_t *slots,
                                                    int count,
                                                    berth_error_t *err);
// Gives all of |*open| up.
void berth_flow_open_drop(berth_flow_open_t **open);

#endif  // BERTH_EXEC_RUN_INTERNAL_H_
