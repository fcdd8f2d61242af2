// dataset.h - Datasets and what goes through them.
//
//   dataset   what there is to go through: immutable, counted; behind variants
//   cursor    where one is in it; each kind of dataset makes cursors of its own
//   reading   what all cursors of one iterator share
//
//   iterator ──> cursor(Batch) ──> cursor(Map) ──> cursor(Range)
//                   |                 |                |
//                dataset(Batch) ─> dataset(Map) ─> dataset(Range)
//
// An element is |width| tensors in host memory. A cursor asks the one before it
// for elements when it is asked itself; some have threads that run ahead
// (crew.h).
//
//   I1  A cursor's next is called by one thread at a time.
//   I2  A cursor is destroyed before the reading, and after its threads.
//   I3  After an end, next says so again; after an error it may go on.
//
// Threads: datasets are immutable; the caller serialises the use of a cursor.
#ifndef BERTH_DATA_DATASET_H_
#define BERTH_DATA_DATASET_H_

#include <stdatomic.h>

#include "base/thread.h"
#include "kernel/kernel.h"
#include "state/resource.h"
#include "state/routine.h"

typedef struct berth_dataset berth_dataset_t;
typedef struct berth_cursor berth_cursor_t;
typedef struct berth_reading berth_reading_t;

// How many elements there are, where no number says it.
enum { BERTH_INFINITE = -1, BERTH_UNCOUNTED = -2 };

// What a kind of dataset does. Constant.
typedef struct berth_dataset_kind {
  const char *name;
  size_t size;         // Of its struct, which begins with berth_dataset_t.
  size_t cursor_size;  // Of its cursors', which begin with berth_cursor_t.
  // Optional. Makes a zeroed cursor ready; on failure |close| is called.
  berth_code_t (*open)(berth_cursor_t *cursor, berth_error_t *err);
  // Stores the next element in |out|, |width| tensors that the caller owns, or
  // sets |*out_end|.
  berth_code_t (*next)(berth_cursor_t *cursor, berth_tensor_t **out,
                       bool *out_end, berth_error_t *err);
  // Optional. Gives back what the cursor has besides its inputs.
  void (*close)(berth_cursor_t *cursor);
  // Optional. Gives back what the dataset has besides its inputs.
  void (*drop)(berth_dataset_t *dataset);
  // Optional; without it the number is not known.
  int64_t (*count)(const berth_dataset_t *dataset);
} berth_dataset_kind_t;

enum { BERTH_DATASET_INPUTS = 2 };

// Begins every dataset.
struct berth_dataset {
  berth_resource_t resource;  // First.
  const berth_dataset_kind_t *kind;
  int width;                 // Tensors of an element.
  berth_dtype_t *types;      // Of these. Owned.
  berth_shape_t *shapes;     // What is known of theirs. Owned.
  berth_dataset_t **inputs;  // Retained.
  int input_count;
};

// Begins every cursor.
struct berth_cursor {
  const berth_dataset_t *dataset;  // Retained.
  berth_reading_t *reading;        // Borrowed.
  berth_cursor_t *input;           // That of the first input, where it is open.
};

// A function with the tensors it has captured. Part of a dataset.
typedef struct berth_closure {
  berth_routine_t *routine;
  berth_tensor_t **captured;
  int captured_count;
} berth_closure_t;

// A routine that begins anew with an iterator.
typedef struct berth_reading_routine {
  const berth_closure_t *closure;
  berth_routine_t *routine;
} berth_reading_routine_t;

// The seeds of a cursor, and where those that gave them were: what they began
// with, and how often they had given some.
typedef struct berth_drawn {
  int64_t seed, seed2;
  int64_t from, from2, count;
} berth_drawn_t;

// Whether elements keep the order in which one thread would make them.
typedef enum berth_element_order {
  BERTH_ORDER_DEFAULT,  // As the options say; kept, where they do not.
  BERTH_ORDER_KEPT,
  BERTH_ORDER_ANY,
} berth_element_order_t;

// What an iterator's cursors share. Options are set before cursors that obey
// them open.
struct berth_reading {
  atomic_int ended;  // Whoever waits stops.
  int most_threads;  // Option: of a cursor; 0 is as many as it wants.
  berth_element_order_t order;  // Option.
  berth_mutex_t lock;           // Guards what follows.
  berth_reading_routine_t *routines;
  size_t routine_count, routine_capacity;
  // Seeds that cursors have drawn, in order. An iterator that goes back to where
  // another was draws that one's first.
  berth_drawn_t *drawn;
  size_t drawn_count, drawn_capacity, drawn_at;
};

// ---- Datasets ----

// Makes a dataset of |kind| for the node of |call|, whose attributes say what
// its elements are, over the datasets of its first |input_count| inputs. One
// reference, the caller's. BERTH_INVALID_ARGUMENT when an input is none.
BERTH_NODISCARD berth_code_t berth_dataset_make(
    const berth_dataset_kind_t *kind, const berth_call_t *call, int input_count,
    berth_dataset_t **out_dataset, berth_error_t *err);

// Makes a dataset of |kind| without inputs, of elements of |types| and |shapes|
// (copied).
BERTH_NODISCARD berth_code_t berth_dataset_make_bare(
    const berth_dataset_kind_t *kind, const berth_dtype_t *types,
    const berth_shape_t *shapes, int width, berth_dataset_t **out_dataset,
    berth_error_t *err);

static inline berth_dataset_t *berth_dataset_retain(
    const berth_dataset_t *dataset) {
  return (berth_dataset_t *)berth_resource_retain(
      (berth_resource_t *)(uintptr_t)dataset);
}
static inline void berth_dataset_release(berth_dataset_t *dataset) {
  berth_resource_release((berth_resource_t *)dataset);
}

// Stores the dataset behind a variant; borrowed.
BERTH_NODISCARD berth_code_t berth_dataset_of(const berth_tensor_t *tensor,
                                              berth_dataset_t **out_dataset,
                                              berth_error_t *err);

// Makes a variant of |dataset|, whose reference is taken over, also on failure.
BERTH_NODISCARD berth_code_t berth_dataset_wrap(berth_dataset_t *dataset,
                                                berth_tensor_t **out_tensor,
                                                berth_error_t *err);

// Returns how many elements there are, BERTH_INFINITE or BERTH_UNCOUNTED.
int64_t berth_dataset_count(const berth_dataset_t *dataset);

// ---- Cursors ----

// Opens a cursor at the beginning of |dataset|.
BERTH_NODISCARD berth_code_t berth_cursor_open(const berth_dataset_t *dataset,
                                               berth_reading_t *reading,
                                               berth_cursor_t **out_cursor,
                                               berth_error_t *err);
// Closes one. NULL is fine.
void berth_cursor_close(berth_cursor_t *cursor);

// Opens the cursor of the first input.
BERTH_NODISCARD berth_code_t berth_cursor_open_input(berth_cursor_t *cursor,
                                                     berth_error_t *err);

static inline berth_code_t berth_cursor_next(berth_cursor_t *cursor,
                                             berth_tensor_t **out,
                                             bool *out_end,
                                             berth_error_t *err) {
  return cursor->dataset->kind->next(cursor, out, out_end, err);
}

// Releases |count| tensors and forgets them. NULLs are fine.
void berth_element_drop(berth_tensor_t **tensors, int count);

// Makes an array of |count| NULLs; a local one where they are few.
enum { BERTH_ELEMENT_FEW = 8 };
berth_tensor_t **berth_element_room(int count,
                                    berth_tensor_t *few[BERTH_ELEMENT_FEW]);

// ---- Readings ----

// Makes what an iterator's cursors share ready, and frees it.
void berth_reading_init(berth_reading_t *reading);
void berth_reading_deinit(berth_reading_t *reading);

// True when whoever waits is to stop: the iterator goes, or the run was ended.
bool berth_reading_has_ended(const berth_reading_t *reading);
BERTH_NODISCARD berth_code_t berth_reading_fail_ended(berth_error_t *err);

// Returns how many threads a cursor has that wants |threads|, -1 where Berth
// chooses among up to |most|.
int berth_reading_threads(const berth_reading_t *reading, int64_t threads,
                          int64_t most);

// True when a cursor of |order| keeps the order of elements.
bool berth_reading_keeps(const berth_reading_t *reading,
                         berth_element_order_t order);

// ---- Closures ----

// Makes a closure of the function in attribute |attr| of the node of |call|,
// with |count| inputs of it from |first| on.
BERTH_NODISCARD berth_code_t berth_closure_init(berth_closure_t *closure,
                                                const berth_call_t *call,
                                                const char *attr, int first,
                                                int count, berth_error_t *err);
// The same with the inputs of the argument |others|; fails into |call|.
BERTH_NODISCARD berth_code_t berth_closure_read(berth_closure_t *closure,
                                                const berth_call_t *call,
                                                const char *attr,
                                                const char *others);
void berth_closure_deinit(berth_closure_t *closure);

// Stores the routine that |reading| calls for |closure|; borrowed.
BERTH_NODISCARD berth_code_t
berth_closure_routine(const berth_closure_t *closure, berth_reading_t *reading,
                      berth_routine_t **out_routine, berth_error_t *err);

// Calls |routine| with |inputs| and what |closure| has captured.
BERTH_NODISCARD berth_code_t berth_closure_call(const berth_closure_t *closure,
                                                berth_routine_t *routine,
                                                berth_tensor_t *const *inputs,
                                                int input_count,
                                                berth_tensor_t **outputs,
                                                berth_error_t *err);

// ---- Arguments of kernels ----

// Stores the number, truth or text at input |index| of |call|, a scalar.
BERTH_NODISCARD berth_code_t berth_data_int(const berth_call_t *call, int index,
                                            const char *name, int64_t *out);
BERTH_NODISCARD berth_code_t berth_data_bool(const berth_call_t *call,
                                             int index, const char *name,
                                             bool *out);

// Returns what the node of |call| says about the order of elements.
berth_element_order_t berth_data_order(const berth_call_t *call);

// Stores where argument |name| begins among the inputs, and how many it has.
void berth_data_range(const berth_call_t *call, const char *name,
                      int *out_first, int *out_count);

// Makes a dataset for a call.
typedef berth_code_t (*berth_dataset_make_fn)(berth_call_t *call,
                                              berth_dataset_t **out_dataset);

// Hands |dataset| out when |code| is BERTH_OK, and lets go of it otherwise.
BERTH_NODISCARD berth_code_t berth_data_finish(berth_dataset_t *dataset,
                                               berth_code_t code,
                                               berth_dataset_t **out_dataset);

// Ends a kernel: makes |make|'s dataset its output.
BERTH_NODISCARD berth_code_t berth_data_give(berth_call_t *call,
                                             berth_dataset_make_fn make);

// Leaves the outputs open: kernels here make them.
BERTH_NODISCARD berth_code_t berth_data_prepare(berth_prepare_t *prepare,
                                                berth_run_fn run);

enum { BERTH_DATA_TRAITS = BERTH_OP_MAKES | BERTH_OP_IMPURE | BERTH_OP_MOVES };

// Defines prepare_<name>() of a kernel whose dataset make_<name>() makes.
#define BERTH_DATASET(name)                                           \
  static berth_code_t run_##name(const void *plan, void *const *args, \
                                 berth_call_t *call) {                \
    (void)plan;                                                       \
    (void)args;                                                       \
    return berth_data_give(call, make_##name);                        \
  }                                                                   \
  BERTH_DATA_KERNEL(name)

// Defines prepare_<name>() for run_<name>().
#define BERTH_DATA_KERNEL(name)                                \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    (void)err;                                                 \
    return berth_data_prepare(prepare, run_##name);            \
  }

#endif  // BERTH_DATA_DATASET_H_
