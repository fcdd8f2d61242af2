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

enum { BERTH_TABLE_KINDS = 24, BERTH_TABLE_STATES = 32 };

// What a pattern does with ASCII (pattern_table.c).
typedef struct berth_pattern_table {
  bool has_first;         // A match begins with a character,
  uint8_t is_first[128];  // one of these, or with none of ASCII.
  bool has_states;        // What follows is there.
  uint8_t kinds[128];     // Of characters.
  uint8_t next[BERTH_TABLE_STATES][BERTH_TABLE_KINDS];
  uint8_t is_done[BERTH_TABLE_STATES];
} berth_pattern_table_t;

struct berth_pattern {
  berth_pattern_step_t *steps;
  berth_pattern_range_t *ranges;
  int32_t step_count, range_count;
  int32_t groups;
  berth_pattern_table_t table;
};

// Makes the tables of a pattern, as far as it may have them.
void berth_pattern_table_make(berth_pattern_t *pattern);

typedef enum berth_pattern_answer {
  BERTH_PATTERN_NO,
  BERTH_PATTERN_YES,
  BERTH_PATTERN_UNKNOWN,  // There are no states, or the text is not ASCII.
} berth_pattern_answer_t;

// Returns whether all of |text| is a match.
berth_pattern_answer_t berth_pattern_table_match(
    const berth_pattern_table_t *table, const char *text, size_t size);

// Returns the first place from |at| on where a match may begin, or |size|.
size_t berth_pattern_table_skip(const berth_pattern_table_t *table,
                                const char *text, size_t size, size_t at);

#endif  // BERTH_BASE_PATTERN_INTERNAL_H_
