// pattern.h - Regular expressions, as RE2 writes them.
//
// A pattern is compiled into a program that is run over a text without going
// back: time is the length of the text times that of the program, whatever the
// pattern. Of several matches the leftmost is found, and of those at one place
// the one that the pattern names first.
//
//   x  .  [a-z]  [^a-z]  [[:alpha:]]  \d \w \s \D \W \S  \x41 \x{e9}  \Q..\E
//   xy  x|y  (x)  (?:x)  (?P<name>x)  (?flags)  (?flags:x), flags i s m U
//   x* x+ x? x{n} x{n,} x{n,m}, each with ? behind it for as few as possible
//   ^ $ \A \z \b \B
//
// Characters are code points of UTF-8; a byte that is not UTF-8 is one of its
// own. What is missing, and refused: \p{…} and \C.
//
// Threads: immutable once compiled; each search has memory of its own.
#ifndef BERTH_BASE_PATTERN_H_
#define BERTH_BASE_PATTERN_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct berth_pattern berth_pattern_t;

enum { BERTH_PATTERN_GROUPS = 10 };  // \0 to \9: what a rewriting may name.

// A part of a text; |begin| is -1 for a group that took no part in a match.
typedef struct berth_match {
  ptrdiff_t begin, end;
} berth_match_t;

// Compiles |size| bytes; free with berth_pattern_free(). Fails with
// BERTH_INVALID_ARGUMENT and RE2's words for what is wrong ("missing ): (x"),
// BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t
berth_pattern_compile(const char *text, size_t size,
                      berth_pattern_t **out_pattern, berth_error_t *err);

// Frees a pattern; NULL is fine.
void berth_pattern_free(berth_pattern_t *pattern);

// Returns the number of groups in parentheses.
int berth_pattern_groups(const berth_pattern_t *pattern);

// Searches |text| from |start| on and stores the match and the first groups;
// |*out_found| says whether there is one. With |is_whole| only all of the text
// from |start| on is a match. |groups| may be NULL, where nobody asks for them.
// Fails with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_pattern_search(
    const berth_pattern_t *pattern, const char *text, size_t size, size_t start,
    bool is_whole, berth_match_t groups[BERTH_PATTERN_GROUPS], bool *out_found,
    berth_error_t *err);

#endif  // BERTH_BASE_PATTERN_H_
