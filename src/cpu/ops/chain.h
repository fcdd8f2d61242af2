// chain.h - Element-wise steps of the CPU that are done as one.
//
// A *chain* is a list of loops, each over the same block of elements, small
// enough to stay in the first cache. What one makes for the next lies in a
// *register*, a block of scratch space; only the last writes to the output:
//
//   for each block   r0 = x * s     r0 = r0 + row     out = relu(r0)
//
// The loops are those that the steps have alone, so the bits are the same.
//
// Where the first step is a product or a convolution (a *head*), it makes its
// output piece by piece and has the chain finish each, in place.
//
// A head whose image is made by another chain, for it alone, can have that made
// a few rows at a time, which stay in the cache; and it can skip a step that puts
// the image among zeros. A product of which another step takes a part is computed
// in that part alone.
//
// A reduction (an *end*) takes what a chain makes block by block, from a buffer
// that stays in the cache; nothing else of it is stored.
//
// Threads: a chain is immutable once made.
#ifndef BERTH_CPU_OPS_CHAIN_H_
#define BERTH_CPU_OPS_CHAIN_H_

#include "cpu/loops/ending.h"
#include "cpu/loops/strand.h"
#include "cpu/ops/slots.h"
#include "kernel/fuse.h"

enum { BERTH_TERM_INPUTS = 3 };

// What a term does to floats with constant rows, one behind the other.
typedef enum berth_rows_kind {
  BERTH_ROWS_NONE = 0,
  BERTH_ROWS_ADD,   // x + a
  BERTH_ROWS_SUB,   // x - a
  BERTH_ROWS_MUL,   // x * a
  BERTH_ROWS_NORM,  // (x - a) * b + c
} berth_rows_kind_t;

// Does |count| elements of a term, whose addresses |in| are by input: of the
// first element, the single one, or a row that is repeated often enough. Whole
// rows where the term has some. |out| may be any of |in|.
typedef void (*berth_term_fn)(const void *plan, const char *const *in,
                              char *out, int64_t count);

typedef struct berth_chain berth_chain_t;

// A part of a matrix.
typedef struct berth_cutout {
  int64_t row, col;    // Where it begins.
  int64_t rows, cols;  // How large it is.
} berth_cutout_t;

// A chain that makes an image for another's head, in one run.
typedef struct berth_supply berth_supply_t;
struct berth_supply {
  // Makes places [begin, end) of image |image| at |to|, one behind the other;
  // |space| has as many bytes as the head said. From any thread.
  void (*make)(const berth_supply_t *feed, int64_t image, int64_t begin,
               int64_t end, char *to, char *space);
  _Alignas(16) unsigned char state[128];  // The head's.
};

// How a head is fed.
typedef struct berth_fed {
  int64_t space;        // Bytes that berth_supply_t.make works in.
  size_t scratch_size;  // Set by the head: of all of its scratch space.
} berth_fed_t;

// A term of the CPU.
typedef struct berth_cpu_term {
  berth_term_t term;  // First.
  berth_term_fn apply;
  uint8_t reach[BERTH_TERM_INPUTS];
  uint8_t sizes[BERTH_TERM_INPUTS];  // Bytes of an element, by input.
  uint8_t out_size;
  // What it is of floats in registers (strand.h): |of_first| when input |first|
  // is x, |of_second| when |second| is; BERTH_STRAND_NONE: it is not.
  berth_strand_code_t of_first, of_second;
  uint8_t first, second;
  const float *parameter;  // The y of a term with one input.
  // What it does with constant rows alone, which stay as long as the plan.
  berth_rows_kind_t rows_kind;
  const float *rows;
  // Of a head: as berth_run_fn, with |args| as the step alone has them. Calls
  // berth_chain_finish() for all of its output. |chain| NULL: none.
  berth_code_t (*run)(const void *plan, void *const *args,
                      const berth_chain_t *chain, berth_call_t *call);
  // Optional: returns a plan that multiplies each column of the output by its
  // number of |factors|, which stay as long as the plan. NULL: memory is short.
  const void *(*scale)(const void *plan, berth_prepare_t *prepare,
                       const float *factors);
  bool ends;           // It asks for berth_chain_ending(),
  bool ends_in_place;  // and reads what that adds right before it writes there.
  // Of a step that puts floats of four dimensions among zeros: how many before
  // and behind, by dimension.
  const int64_t *pads;
  // Of heads, optional: store a plan of one that skips such a step, and of one
  // that asks for berth_chain_feed(). BERTH_UNIMPLEMENTED: that cannot be, or had
  // better not.
  berth_code_t (*pad)(const void *plan, berth_prepare_t *prepare,
                      const int64_t *pads, const void **out_plan);
  berth_code_t (*feed)(const void *plan, berth_prepare_t *prepare,
                       berth_fed_t *fed, const void **out_plan);
  // Of a step that takes a part of a matrix: which. It needs to be fed.
  const berth_cutout_t *window;
  // Of a product, optional: describes the step that computes |window| of it and
  // nothing else, but for its inputs, which are the same. BERTH_UNIMPLEMENTED:
  // the bits would be others.
  berth_code_t (*cut)(const void *plan, berth_prepare_t *prepare,
                      const berth_cutout_t *window, berth_fused_t *out_step,
                      berth_error_t *err);
  // Of an end: returns the bytes that a thread works in, where the chain has rows
  // of |row| elements (0: none); 0: it cannot be. And the run: makes |out|.
  int64_t (*end_space)(const void *plan, int64_t row);
  berth_code_t (*end)(const void *plan, void *out, void *scratch,
                      const berth_chain_t *chain, berth_call_t *call);
  // Of a head that can feed: the bytes it works in, and the begin of a run.
  // |args| as |run| has them, but for scratch space.
  int64_t space;
  berth_code_t (*open)(const void *plan, void *const *args,
                       const berth_ending_t *ending, berth_supply_t *out_feed,
                       berth_call_t *call);
} berth_cpu_term_t;

// Fuses terms of the CPU; as berth_fuse_fn.
berth_code_t berth_cpu_fuse(const berth_fusion_t *fusion,
                            berth_prepare_t *prepare, berth_error_t *err);

// Returns what all of |chain| is where that can be done in registers, and stores
// it in |out|: nothing is left to be finished. NULL otherwise.
const berth_ending_t *berth_chain_ending(const berth_chain_t *chain,
                                         berth_ending_t *out);

// Returns what makes the image of the head of |chain|, or NULL.
const berth_supply_t *berth_chain_feed(const berth_chain_t *chain);

// Finishes elements [begin, begin + count), which are whole rows where the
// chain has some and are in the output of the head already. From any thread.
void berth_chain_finish(const berth_chain_t *chain, int64_t begin,
                        int64_t count);

// Finishes all elements, once the head is done.
void berth_chain_finish_all(const berth_chain_t *chain);

// Where a thread has a chain make blocks for its end.
typedef struct berth_chain_place {
  atomic_flag *slot;
  char *registers;
  char *space;  // As many bytes as the end wants.
} berth_chain_place_t;

// Take and give back a place.
berth_chain_place_t berth_chain_take(const berth_chain_t *chain);
void berth_chain_give(const berth_chain_place_t *place);

// Makes elements [begin, begin + count) at |to|, one behind the other; they begin
// with a row where the chain has some.
void berth_chain_make_at(const berth_chain_t *chain,
                         const berth_chain_place_t *place, int64_t begin,
                         int64_t count, char *to);

// Makes |prepare|'s step a head, whose output has rows of |row| elements of
// |size| bytes, and stores its term: |run| is to be set. Fails with
// BERTH_RESOURCE_EXHAUSTED alone: whether factors are multiplied in advance, and
// so the last bits, must not depend on memory.
BERTH_NODISCARD berth_code_t berth_cpu_head(berth_prepare_t *prepare,
                                            int64_t row, size_t size,
                                            berth_cpu_term_t **out_term,
                                            berth_error_t *err);

#endif  // BERTH_CPU_OPS_CHAIN_H_
