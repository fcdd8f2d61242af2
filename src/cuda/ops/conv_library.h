// conv_library.h - Convolutions by the vendor's libraries.
//
// Where every tap meets every place, once, a convolution is a product of
// matrices, which is cuBLASLt's: nothing is gathered, and TensorFlow's filter
// [taps..., in, out] is a matrix as it lies. The others, and those of floats that
// may round to TF32, are cuDNN's, whose filters lie otherwise: they are moved
// first, or the gradient afterwards.
//
// cuDNN pads both ends of an axis alike. Where one end has more, as SAME often
// does with strides, the filter gets taps of zeros at that end:
//
//   before 2, after 3   . . |        | . . .       [ 7 taps      ]
//   3 at both ends    . . . |        | . . .     [ 0 + 7 taps    ]
//
// Threads: immutable once prepared.
#ifndef BERTH_CUDA_OPS_CONV_LIBRARY_H_
#define BERTH_CUDA_OPS_CONV_LIBRARY_H_

#include "cuda/code/blas.h"
#include "cuda/code/dnn.h"
#include "cuda/ops/conv_finish_params.h"
#include "cuda/ops/move_plan.h"

typedef struct berth_conv_library {
  enum {
    BERTH_CONV_NO_LIBRARY = 0,
    BERTH_CONV_PRODUCT,
    BERTH_CONV_DNN,
  } kind;
  int goal_arg;  // What is written; the scratch space follows.

  // A product of two of the arguments.
  berth_cuda_product_t product;
  berth_blas_plan_t blas;
  int a_arg, b_arg;

  // A convolution, and how the filter comes into the scratch space or out.
  berth_dnn_plan_t dnn;
  const berth_cuda_moves_t *turn;  // Arguments: from, to.
  size_t filter_size;              // Bytes of it there.
  bool has_zeros;                  // It has taps that nothing is moved to.
} berth_conv_library_t;

// Plans in |*library|, zeroed and in the plan of |prepare|, how |conv| is
// computed by a library, and asks for scratch space; BERTH_OK also where none
// does it, which is then said by |kind|.
BERTH_NODISCARD berth_code_t
berth_conv_library_prepare(berth_prepare_t *prepare, const berth_conv_t *conv,
                           berth_conv_library_t *library, berth_error_t *err);

// True when a library computes |conv| with these addresses. Asked before every
// run: those of feeds and views may be anything.
bool berth_conv_library_suits(const berth_conv_library_t *library,
                              const berth_conv_t *conv, void *const *args);

// Queues it. Fails as the libraries do.
BERTH_NODISCARD berth_code_t berth_conv_library_run(
    const berth_conv_library_t *library, const berth_conv_t *conv,
    void *const *args, berth_call_t *call);

// Returns the bytes of scratch space for computing |conv| and finishing its
// output, of |channels| in a row, in one; 0: the library does not do that.
size_t berth_conv_library_finish_room(const berth_conv_library_t *library,
                                      const berth_conv_t *conv,
                                      int64_t channels);

// True when, on |device|, a NaN stays one where the library cuts off below zero,
// behind a sum with another tensor if there is one. Not all of its kernels do
// what they are told: it is tried, once for each convolution and precision.
bool berth_conv_library_keeps_nan(const berth_conv_library_t *library,
                                  const berth_conv_t *conv,
                                  berth_device_t *device, bool has_added);

// Queues that; the library suits. |fold| is berth_conv_fold_f32.
BERTH_NODISCARD berth_code_t berth_conv_library_finish(
    const berth_conv_library_t *library, const berth_conv_t *conv, int fold,
    berth_conv_finish_params_t *finish, void *const *args, berth_call_t *call);

#endif  // BERTH_CUDA_OPS_CONV_LIBRARY_H_
