// pattern_internal.h - The program that a pattern is compiled into.
//
// Jumps are relative, so that a piece of a program can be copied and moved.
#ifndef BERTH_BASE_PATTERN_INTERNAL_H_
#define BERTH_BASE_PATTERN_INTERNAL_H_

#include <stdint.h>

#include "base/pattern.h"

typedef enum berth_pattern_op {
  BERTH_PATTERN_CLASS,  // One character of |x| ranges from |y| on; |negated|.
  BERTH_PATTERN_SPLIT,  // Goes on at +x, which is preferred, and at +y.
  BERTH_PATTERN_JUMP,   // Goes on at +x.
  BERTH_PATTERN_SAVE,   // Notes the place in slot |x|.
  BERTH_PATTERN_CHECK,  // Goes on where the place is a |x|.
  BERTH_PATTERN_DONE,
} berth_pattern_op_t;

typedef enum berth_pattern_place {
  BERTH_PLACE_TEXT_BEGIN,
  BERTH_PLACE_TEXT_END,
  BERTH_PLACE_LINE_BEGIN,
  BERTH_PLACE_LINE_END,
  BERTH_PLACE_WORD_EDGE,
  BERTH_PLACE_NO_WORD_EDGE,
} berth_pattern_place_t;

typedef struct berth_pattern_step {
  uint8_t op;
  bool is_negated;
  int32_t x, y;
} berth_pattern_step_t;

typedef struct berth_pattern_range {
  int32_t low, high;  // Code points.
} berth_pattern_range_t;

struct berth_pattern {
  berth_pattern_step_t *steps;
  berth_pattern_range_t *ranges;
  int32_t step_count, range_count;
  int32_t groups;
};

#endif  // BERTH_BASE_PATTERN_INTERNAL_H_
