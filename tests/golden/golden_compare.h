// golden_compare.h - Compares results with expected ones, by type.
//
// Threads: caller serialises.
#ifndef BERTH_TESTS_GOLDEN_GOLDEN_COMPARE_H_
#define BERTH_TESTS_GOLDEN_GOLDEN_COMPARE_H_

#include "golden_text.h"

// How far a result of one type may be off; see tolerance.txt.
typedef struct golden_tolerance {
  double relative;
  double absolute;
  int64_t ulps;
} golden_tolerance_t;

// Reads tolerance.txt into |tolerances|, one for each type.
bool golden_read_tolerances(const char *path,
                            golden_tolerance_t tolerances[BERTH_DTYPE_COUNT]);

// True when |got| is what was |expected|; complains when it is not. |what| says
// which result it is.
bool golden_compare(golden_file_t *file, const char *what,
                    const golden_tolerance_t *tolerances,
                    const berth_tensor_t *got, const berth_tensor_t *expected);

#endif  // BERTH_TESTS_GOLDEN_GOLDEN_COMPARE_H_
