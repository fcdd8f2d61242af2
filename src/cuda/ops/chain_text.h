// chain_text.h - Writes kernels for groups of element-wise functions, as text
// that the driver compiles.
//
// Two kernels of one module do the same: BERTH_CHAIN_WIDE takes four elements
// at a time, which lie side by side and are aligned, BERTH_CHAIN_NARROW one.
// Both take elements through all functions in registers, and single numbers are
// read once. An input may be a part of something larger: runs of the length that
// rows have, |stride| elements apart.
//
//   ld.global.f32     %c1, [%g1];                    a single number
//   LOOP:
//   ld.global.v4.f32  {%i0_0, ..., %i0_3}, [%b0_0];  an input, element by element
//   add.rn.f32        %v0_0, %i0_0, %c1;             step 0
//   max.NaN.f32       %v1_0, %v0_0, 0f00000000;      step 1
//   st.global.v4.f32  [%b9_0], {%v1_0, ..., %v1_3};
//
// Functions are copied from the text of terms_type.inc, instruction by
// instruction, so that the bits are those of the kernels of single functions,
// which the same compiler has made of the same expressions. What is written
// otherwise here is said at is_plain(), is_max() and sign_of().
//
// Pure functions.
#ifndef BERTH_CUDA_OPS_CHAIN_TEXT_H_
#define BERTH_CUDA_OPS_CHAIN_TEXT_H_

#include "base/str.h"
#include "cuda/math/divide.h"
#include "kernel/fuse.h"

// Names of the kernels, and elements that they take at a time.
#define BERTH_CHAIN_WIDE "berth_chain_text_wide"
#define BERTH_CHAIN_NARROW "berth_chain_text_narrow"
#define BERTH_CHAIN_WIDTH 4

// Packs of a thread that are under way at a time; of few elements one is.
#define BERTH_CHAIN_TEXT_SETS 2

// Inputs, with outputs but for the first, and functions at most.
#define BERTH_CHAIN_TEXT_INPUTS 66
#define BERTH_CHAIN_TEXT_STEPS 64
#define BERTH_CHAIN_TEXT_OPERANDS 5  // Of a function.

// What the kernels are told. They get as many addresses as there are inputs, and
// outputs but for the first behind them.
typedef struct berth_chain_text_params {
  void *out;
  uint64_t count;       // Packs, or elements.
  uint64_t first;       // Element.
  berth_divider_t row;  // How long rows and runs are, where there are some.
  uint32_t stride;      // From one run to the next, in elements.
  void *in[BERTH_CHAIN_TEXT_INPUTS];
} berth_chain_text_params_t;

// One function.
typedef struct berth_chain_text_step {
  const char *name;     // "u_tanh", "b_add": as in the lists.
  berth_dtype_t dtype;  // Of what it takes and gives; a cast takes any.
  int32_t input_count;
  // An argument, or ~s for the result of step s.
  int32_t inputs[BERTH_CHAIN_TEXT_OPERANDS];
  double parameter;
} berth_chain_text_step_t;

// What is written. Types are float, half and bfloat16.
typedef struct berth_chain_text {
  const berth_chain_text_step_t *steps;
  int step_count;
  int input_count;
  const int32_t *outputs;  // Steps whose results are stored.
  int output_count;
  const uint8_t *reach;         // By argument: berth_reach_t.
  const berth_dtype_t *dtypes;  // By argument.
  int cc_major;                 // Compute capability of the card.
  bool is_few;  // One element for each thread: BERTH_CHAIN_NARROW alone.
  // Texts of functions: of float, half, bfloat16.
  const char *terms[3];
} berth_chain_text_t;

// Returns the index in |terms| of functions of |dtype|; -1: there are none.
int berth_chain_text_type(berth_dtype_t dtype);

// Appends the module to |out|. False when a function is not there, or refers to
// something outside of itself; what |out| holds then is of no use.
bool berth_chain_text_write(const berth_chain_text_t *chain, berth_str_t *out);

#endif  // BERTH_CUDA_OPS_CHAIN_TEXT_H_
