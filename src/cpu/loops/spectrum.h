// spectrum.h - Fourier transforms of rows and columns of complex numbers.
//
// The work is done in lanes: as many transforms side by side as a vector has
// elements, each step of all of them one instruction. An element of a buffer is
// one vector of real parts and one of imaginary parts.
//
//   rows, short    lanes are rows; a buffer is the transposed of them
//   rows, long     n = first * second: lanes are columns of the row seen as
//                  a matrix, and then its rows
//   columns        lanes are neighbours
//
// A length is cut into factors up to BERTH_SPECTRUM_PRIME; one that has a
// larger prime factor becomes a convolution of a length that has none
// (Bluestein). Transforms back are those of numbers whose parts have changed
// places.
//
// Plans are immutable once made; space is the caller's.
#ifndef BERTH_CPU_LOOPS_SPECTRUM_H_
#define BERTH_CPU_LOOPS_SPECTRUM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/isa.h"

enum {
  BERTH_SPECTRUM_PRIME = 31,
  BERTH_SPECTRUM_FACTORS = 40,
};

// Numbers in tables are pairs of floats or doubles.
typedef struct berth_spectrum_lanes {
  int64_t n;
  int64_t length;  // That is cut into factors: |n|, or that of a convolution.
  int32_t count;
  int32_t radix[BERTH_SPECTRUM_FACTORS];
  // For each factor r, what is left being m * r: the roots of one of r where it
  // has no code of its own, and m * (r - 1) turns.
  const void *turns[BERTH_SPECTRUM_FACTORS];
  const void *roots[BERTH_SPECTRUM_FACTORS];
  // Of a convolution, else NULL: |n| factors, and |length| of what they are
  // convolved with, transformed.
  const void *chirp, *kernel;
} berth_spectrum_lanes_t;

// How rows of |n| are transformed.
typedef struct berth_spectrum_row {
  int64_t n;
  berth_spectrum_lanes_t first;
  // Long rows: |second| lies in lanes, too, and |turns| for each group of
  // columns has vectors for |first| elements. Else its n is 0.
  berth_spectrum_lanes_t second;
  const void *turns;
  // Long rows that are convolutions: how those are done.
  const struct berth_spectrum_row *inner;
  const void *chirp, *kernel;
} berth_spectrum_row_t;

// |count| rows or columns to transform. Steps are in floats or doubles: rows of
// real numbers may be taken for pairs.
typedef struct berth_spectrum_move {
  const void *from;
  void *to;
  int64_t from_step, to_step;  // From one row to the next.
  int64_t count;
  bool is_back;
  double scale;  // Of the results.
} berth_spectrum_move_t;

typedef struct berth_spectrum_loops {
  int32_t lanes;
  // |space|: see berth_spectrum_space(), aligned to 64.
  void (*rows)(const berth_spectrum_row_t *row,
               const berth_spectrum_move_t *move, void *space);
  // Transforms |count| columns of rows that lie |*_step| apart.
  void (*columns)(const berth_spectrum_lanes_t *lanes,
                  const berth_spectrum_move_t *move, void *space);
  // Makes of the transform of |half| pairs of real numbers the one of twice as
  // many, |half| + 1 numbers, in place; |turns| has half / 2 + 1.
  void (*unpair)(void *line, int64_t half, const void *turns);
  // The way back: |half| + 1 numbers become what transformed back gives pairs.
  void (*pair)(const void *line, int64_t half, const void *turns, void *out);
} berth_spectrum_loops_t;

typedef struct berth_spectrum_table {
  berth_spectrum_loops_t f32, f64;
} berth_spectrum_table_t;

BERTH_ISA_TABLE(berth_spectrum_table_t, berth_cpu_spectrum);

// Returns the numbers, of one float or double, that |lanes| work in.
static inline int64_t berth_spectrum_lanes_space(
    const berth_spectrum_lanes_t *lanes, int64_t width) {
  return 4 * width * lanes->length;
}

// The same for rows.
static inline int64_t berth_spectrum_space(const berth_spectrum_row_t *row,
                                           int64_t width) {
  if (row->inner != NULL) {
    return 4 * row->inner->n + 32 + berth_spectrum_space(row->inner, width);
  }
  int64_t first = berth_spectrum_lanes_space(&row->first, width);
  if (row->second.n == 0) return first;
  int64_t groups = (row->first.n + width - 1) / width;
  int64_t second = berth_spectrum_lanes_space(&row->second, width) / 2;
  return (first > second ? first : second) + 2 * groups * width * row->second.n;
}

#endif  // BERTH_CPU_LOOPS_SPECTRUM_H_
