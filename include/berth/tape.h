// tape.h - Gradients of eager calls.
//
//   berth_tape_t *tape;
//   code = berth_tape_create(context, &tape, &err);
//   code = berth_tape_watch(tape, x, &err);
//   code = berth_tape_call(context, &tape, 1, "Square", NULL, NULL, &x, 1, &y,
//                          &count, &err);
//   code = berth_tape_gradient(tape, &(berth_tape_wish_t){...}, &err);
//
// A tape remembers the calls that depend on what it watches, with their inputs
// and outputs, until it is destroyed. Slopes are computed by the rules that
// graphs have (grad.h), one eager call after the other; those calls can be
// noted by other tapes, which is how slopes of slopes are had.
//
// Threads: a tape belongs to one thread at a time.
#ifndef BERTH_TAPE_H_
#define BERTH_TAPE_H_

#include "berth/eager.h"
#include "berth/grad.h"

#ifdef __cplusplus
extern "C" {
#endif

// Calls that were made. One owner.
typedef struct berth_tape berth_tape_t;

// Creates an empty tape of calls in |context|, which must outlive it.
BERTH_API BERTH_NODISCARD berth_code_t berth_tape_create(
    berth_context_t *context, berth_tape_t **out_tape, berth_error_t *err);
// Destroys it with all that it remembers. NULL is fine.
BERTH_API void berth_tape_destroy(berth_tape_t *tape);

// Makes what depends on |tensor| be remembered from now on; a handle of a
// variable stands for its value. Types without slopes are left alone.
BERTH_API BERTH_NODISCARD berth_code_t berth_tape_watch(berth_tape_t *tape,
                                                        berth_tensor_t *tensor,
                                                        berth_error_t *err);

// Calls |op| as berth_eager_call() does, or, where |description| is not NULL,
// what it says, and notes that in each of |tapes| that watches an input.
// Outputs are tensors of their own: none is an input.
BERTH_API BERTH_NODISCARD berth_code_t berth_tape_call(
    berth_context_t *context, berth_tape_t *const *tapes, int tape_count,
    const char *op, const berth_op_t *description, const char *device,
    berth_tensor_t *const *inputs, int input_count, berth_tensor_t **outputs,
    int *output_count, berth_error_t *err);

// Notes a call of the program's own, whose slopes it computes: |token| is
// handed to its function (berth_tape_wish_t). Sets |*out_noted| when the tape
// watches an input. Outputs that are inputs, or on the tape, are then replaced
// by tensors of their own, as berth_tape_call() does: the references change
// hands.
BERTH_API BERTH_NODISCARD berth_code_t berth_tape_note(
    berth_tape_t *tape, int64_t token, berth_tensor_t *const *inputs,
    int input_count, berth_tensor_t **outputs, int output_count,
    bool *out_noted, berth_error_t *err);

// A slope: none (NULL), a value, or rows of one, as berth_slope_t.
typedef struct berth_tape_slope {
  berth_tensor_t *values;
  berth_tensor_t *indices;
  berth_tensor_t *dense_shape;
} berth_tape_slope_t;

// Computes slopes by the inputs of the call noted as |token|, of |dx|, which
// start as none, from those by its outputs, which are borrowed. What is stored
// is the library's to release.
typedef berth_code_t (*berth_tape_slopes_fn)(void *arg, int64_t token,
                                             const berth_tape_slope_t *dy,
                                             int dy_count,
                                             berth_tape_slope_t *dx,
                                             int dx_count, berth_error_t *err);

// What is asked of a tape. Borrowed for the call.
typedef struct berth_tape_wish {
  berth_tensor_t *const *ys;
  int y_count;
  berth_tensor_t *const *dys;  // NULL, or NULL in it: ones.
  berth_tensor_t *const *xs;
  int x_count;
  berth_tape_slope_t *slopes;  // By x; the caller releases what is in them.
  berth_tape_t *const *tapes;  // Which note the calls that are made.
  int tape_count;
  berth_tape_slopes_fn slopes_fn;  // May be NULL without such calls.
  void *arg;
} berth_tape_wish_t;

// Stores the slopes of the sum of the ys by each x. Fails as berth_gradients()
// does, and with whatever a call fails with; nothing is stored then.
BERTH_API BERTH_NODISCARD berth_code_t
berth_tape_gradient(const berth_tape_t *tape, const berth_tape_wish_t *wish,
                    berth_error_t *err);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_TAPE_H_
