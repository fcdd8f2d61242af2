// conv.h - Convolutions on the CPU, as products of matrices.
//
// What a block of places sees is gathered into a matrix, a line for each place,
// and multiplied with the filter. Lines hold the taps one after another, each
// with the channels of one group:
//
//                 taps x channels                channels that are computed
//   places  [ x[tap 0] x[tap 1] ... ]     by   [ w[tap 0]; w[tap 1]; ... ]
//
// The gradient of the image is the same the other way round: a place of the
// image sees the outputs that it took part in. With strides these are other
// taps for places that differ modulo the stride; places of one such phase are
// worked on together, and the filter is turned round and sorted by phases
// first. The gradient of the filter is, tap by tap, a product over all places.
//
// Pieces depend on shapes alone: results do not depend on threads.
//
// Threads: a plan is immutable once made.
#ifndef BERTH_CPU_OPS_CONV_H_
#define BERTH_CPU_OPS_CONV_H_

#include "cpu/loops/gemm.h"
#include "cpu/ops/slots.h"
#include "kernel/kernel.h"
#include "op/conv.h"

// One spatial dimension, from the places that are computed to those that are
// read: place p reads first + p * step + t * tap for tap t, where that is in
// [0, size).
typedef struct berth_conv_walk {
  int64_t count;  // Places.
  int64_t taps;
  int64_t first, step, tap;
  int64_t size;  // Of what is read.
} berth_conv_walk_t;

// How images lie in memory, channels last: steps in elements.
typedef struct berth_conv_side {
  int64_t batch, place;
  int64_t depth;  // Channels of one group.
} berth_conv_side_t;

// Places that are computed together: of one phase, or all of them.
typedef struct berth_conv_pass {
  berth_conv_walk_t walks[BERTH_WINDOW_AXES];
  int64_t to[BERTH_WINDOW_AXES];     // Where the first is written,
  int64_t apart[BERTH_WINDOW_AXES];  // and how far the next is from it.
  int64_t tap[BERTH_WINDOW_AXES];    // The first tap of the window, and from
  int64_t taps_apart[BERTH_WINDOW_AXES];  // one to the next.
  int64_t places, taps;
  int64_t filter;  // Which tap of the turned filter is its first.
} berth_conv_pass_t;

// Describes pass |index| of the gradient of the image, or the only one of the
// output.
void berth_conv_pass(const berth_conv_t *conv, int64_t index,
                     berth_conv_pass_t *out);
// Returns how many passes there are.
int64_t berth_conv_passes(const berth_conv_t *conv);

// Returns where tap |tap| of the filter stands in the turned one, whose taps
// along the last axis go backwards: so what they read goes forwards, and lies
// side by side where nothing is left out.
int64_t berth_conv_turned(const berth_conv_t *conv, int64_t tap);
// Has |pass|, of the gradient of the image, read in that order.
void berth_conv_face(berth_conv_pass_t *pass);

// Makes |conv|, of images of two axes with channels last, one of images without
// the zeros that |pads| (by dimension, before and behind) has around them. False
// when it cannot be.
bool berth_conv_pad(berth_conv_t *conv, const int64_t *pads);

// Gathers what places [begin, end) of |walks| see of |channels| channels of the
// image at |from|, a line of taps x channels elements of |size| bytes each.
typedef struct berth_conv_gather {
  const berth_conv_walk_t *walks;
  const berth_conv_side_t *side;
  int64_t channels, size;
} berth_conv_gather_t;
void berth_conv_gather(const berth_conv_gather_t *gather, const char *from,
                       int64_t begin, int64_t end, char *to);

// Writes lines of |side->depth| elements to places [begin, end) of |pass|.
// |sizes| are those of the image that is written.
void berth_conv_spread(const berth_conv_pass_t *pass, const int64_t *sizes,
                       const berth_conv_side_t *side, int64_t size,
                       const char *from, int64_t begin, int64_t end, char *to);

// Plans |conv|.
BERTH_NODISCARD berth_code_t berth_cpu_conv_plan(berth_prepare_t *prepare,
                                                 const berth_conv_t *conv,
                                                 berth_error_t *err);

#endif  // BERTH_CPU_OPS_CONV_H_
