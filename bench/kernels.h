// kernels.h - What the kernel_ rows compute: one table for every C side.
//
// Each kernel is one op on fed inputs. There are two sets of inputs, used in
// turn, and for each set a few elements of the result worked out here in
// double precision, so that every call's result is read and checked.
#ifndef BERTH_BENCH_KERNELS_H_
#define BERTH_BENCH_KERNELS_H_

#include <stdbool.h>
#include <stdint.h>

enum { KERNEL_SETS = 2, KERNEL_INPUTS = 2, KERNEL_SAMPLES = 8 };

// Data types, with TensorFlow's numbers.
enum { KERNEL_FLOAT = 1, KERNEL_INT32 = 3, KERNEL_BFLOAT16 = 14 };

typedef struct kernel_shape {
  int rank;  // 0: there is no such input.
  int64_t dims[4];
} kernel_shape_t;

// One set of inputs, as the libraries get them. Borrowed from their tensors.
typedef struct kernel_set {
  void *data[KERNEL_INPUTS];
} kernel_set_t;

typedef struct kernel kernel_t;
struct kernel {
  const char *name;
  const char *op;
  const char *unit;
  double work;  // As side_bench_t has it.
  kernel_shape_t inputs[KERNEL_INPUTS];
  bool is_list;      // The inputs are one list argument.
  bool has_index;    // The second input holds int32 row numbers.
  bool has_windows;  // Attributes say windows of 3 by 3, in steps of 2, padded.
  // The int32 constant that follows the inputs: axes, a permutation.
  int setting_rank;  // -1: none.
  int64_t setting_count;
  int32_t setting[2];
  int result_type;
  int64_t result_count;
  float scale;  // Inputs lie in [0, scale).
  // Returns element |at| of the result.
  double (*expect)(const kernel_t *kernel, const kernel_set_t *set, int64_t at);
};

// Sizes and steps of windows, for attributes.
extern const int64_t kernel_window[4], kernel_steps[4];

// The results to expect of both sets.
typedef struct kernel_answers {
  int64_t at[KERNEL_SAMPLES];
  double value[KERNEL_SETS][KERNEL_SAMPLES];
} kernel_answers_t;

// Returns the kernels and stores how many there are.
const kernel_t *kernel_list(int *out_count);

// Returns how many elements |shape| has.
int64_t kernel_shape_count(const kernel_shape_t *shape);

// Returns the type of input |index|, KERNEL_FLOAT or KERNEL_INT32.
int kernel_input_type(const kernel_t *kernel, int index);

// Fills input |index| of set |set| at |data|.
void kernel_fill(const kernel_t *kernel, int set, int index, void *data);

// Works out the elements that kernel_check() looks at.
void kernel_answer(const kernel_t *kernel, const kernel_set_t *sets,
                   kernel_answers_t *out_answers);

// Returns whether |result|, of call |turn|, has the element of that turn.
bool kernel_check(const kernel_t *kernel, const kernel_answers_t *answers,
                  long turn, const void *result);

#endif  // BERTH_BENCH_KERNELS_H_
