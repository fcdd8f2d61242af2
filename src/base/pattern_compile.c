// pattern_compile.c - Regular expressions, read and made into programs.
//
// What is read is appended to the program at once. What comes before it, for
// one of several or for a repetition, is inserted: all jumps are relative, and
// a piece that is moved or copied stays right.
#include <string.h>

#include "base/alloc.h"
#include "base/pattern_internal.h"
#include "base/unicode.h"

enum {
  MOST_STEPS = 1 << 15,
  MOST_REPEATS = 1000,
  MOST_DEPTH = 500,
  MOST_CHAR = 0x10ffff,
};

enum { FOLD = 1, DOT_ALL = 2, LINES = 4, SWAP_GREED = 8 };

// A pattern while it is read.
typedef struct reader {
  const char *begin, *at, *end;
  berth_pattern_t *made;
  size_t step_room, range_room;
  uint32_t flags;
  int depth;
  berth_error_t *err;
} reader_t;

static berth_code_t fail(reader_t *r, const char *what, const char *from,
                         const char *to) {
  return berth_error_set(r->err, BERTH_INVALID_ARGUMENT, "%s: %.*s", what,
                         (int)(to - from), from);
}

static bool sees(const reader_t *r, const char *text) {
  size_t size = strlen(text);
  return (size_t)(r->end - r->at) >= size && memcmp(r->at, text, size) == 0;
}

static bool takes(reader_t *r, const char *text) {
  if (!sees(r, text)) return false;
  r->at += strlen(text);
  return true;
}

// ---- Making the program ----

// Inserts a step at |place|; what stands behind it moves.
static berth_code_t insert(reader_t *r, int32_t place,
                           berth_pattern_step_t step) {
  berth_pattern_t *made = r->made;
  if (made->step_count >= MOST_STEPS) {
    return berth_error_set(r->err, BERTH_INVALID_ARGUMENT,
                           "pattern too large - compile failed");
  }
  if ((size_t)made->step_count == r->step_room) {
    void *grown = berth_grow(made->steps, (size_t)made->step_count,
                             &r->step_room, sizeof(*made->steps));
    if (grown == NULL) return berth_error_no_memory(r->err, "a pattern");
    made->steps = grown;
  }
  memmove(&made->steps[place + 1], &made->steps[place],
          (size_t)(made->step_count - place) * sizeof(*made->steps));
  made->steps[place] = step;
  ++made->step_count;
  return BERTH_OK;
}

static berth_code_t append(reader_t *r, berth_pattern_step_t step) {
  return insert(r, r->made->step_count, step);
}

static berth_code_t add_range(reader_t *r, int32_t low, int32_t high) {
  berth_pattern_t *made = r->made;
  if ((size_t)made->range_count == r->range_room) {
    void *grown = berth_grow(made->ranges, (size_t)made->range_count,
                             &r->range_room, sizeof(*made->ranges));
    if (grown == NULL) return berth_error_no_memory(r->err, "a pattern");
    made->ranges = grown;
  }
  made->ranges[made->range_count++] = (berth_pattern_range_t){low, high};
  return BERTH_OK;
}

// Adds the part of a range that lies in |from| .. |from| + 25, moved by |by|.
static berth_code_t add_folded(reader_t *r, int32_t low, int32_t high,
                               int32_t from, int32_t by) {
  int32_t first = low > from ? low : from;
  int32_t last = high < from + 25 ? high : from + 25;
  return first <= last ? add_range(r, first + by, last + by) : BERTH_OK;
}

// Adds a range, and with FOLD its letters in the other case.
static berth_code_t add_chars(reader_t *r, int32_t low, int32_t high) {
  BERTH_TRY(add_range(r, low, high));
  if ((r->flags & FOLD) == 0) return BERTH_OK;
  BERTH_TRY(add_folded(r, low, high, 'a', 'A' - 'a'));
  return add_folded(r, low, high, 'A', 'a' - 'A');
}

// Appends the step of a class whose ranges begin at |first|.
static berth_code_t append_class(reader_t *r, int32_t first, bool is_negated) {
  return append(r, (berth_pattern_step_t){
                       .op = BERTH_PATTERN_CLASS,
                       .is_negated = is_negated,
                       .x = r->made->range_count - first,
                       .y = first,
                   });
}

static berth_code_t append_char(reader_t *r, int32_t c) {
  int32_t first = r->made->range_count;
  BERTH_TRY(add_chars(r, c, c));
  return append_class(r, first, false);
}

// ---- Classes ----

typedef struct set {
  const char *name;
  const char *pairs;  // Low and high, in turns.
} set_t;

static const set_t escapes[] = {
    {"d", "09"}, {"w", "09AZaz__"}, {"s", "\t\n\f\r  "}, {NULL, NULL}};

static const set_t posix_classes[] = {{"alnum", "09AZaz"},
                                      {"alpha", "AZaz"},
                                      {"ascii", "\1\x7f"},
                                      {"blank", "\t\t  "},
                                      {"cntrl", "\1\x1f\x7f\x7f"},
                                      {"digit", "09"},
                                      {"graph", "!~"},
                                      {"lower", "az"},
                                      {"print", " ~"},
                                      {"punct", "!/:@[`{~"},
                                      {"space", "\t\r  "},
                                      {"upper", "AZ"},
                                      {"word", "09AZaz__"},
                                      {"xdigit", "09AFaf"},
                                      {NULL, NULL}};

static const set_t *find_set(const set_t *sets, const char *name, size_t size) {
  for (; sets->name != NULL; ++sets) {
    if (strlen(sets->name) == size && memcmp(sets->name, name, size) == 0) {
      return sets;
    }
  }
  return NULL;
}

// Adds the ranges of |set|, or all that it leaves out.
static berth_code_t add_set(reader_t *r, const set_t *set, bool is_negated) {
  int32_t next = 0;
  for (const char *p = set->pairs; *p != '\0'; p += 2) {
    int32_t low = (unsigned char)p[0], high = (unsigned char)p[1];
    if (!is_negated) {
      BERTH_TRY(add_chars(r, low, high));
    } else if (next < low) {
      BERTH_TRY(add_range(r, next, low - 1));
    }
    next = high + 1;
  }
  return is_negated ? add_range(r, next, MOST_CHAR) : BERTH_OK;
}

// Adds \d and its kin, after the backslash; false when it is none of them.
static bool is_set_escape(const reader_t *r) {
  return r->at < r->end && strchr("dwsDWS", *r->at) != NULL;
}

static berth_code_t add_set_escape(reader_t *r) {
  char c = *r->at++;
  char lower = (char)(c | 0x20);
  return add_set(r, find_set(escapes, &lower, 1), c != lower);
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = (char)(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Reads \x41 or \x{e9}, after the x.
static bool read_hex(reader_t *r, int32_t *out_char) {
  int32_t value = 0;
  int digits = 0;
  bool is_braced = takes(r, "{");
  while (r->at < r->end && hex_digit(*r->at) >= 0 &&
         (is_braced ? value <= MOST_CHAR : digits < 2)) {
    value = value * 16 + hex_digit(*r->at++);
    ++digits;
  }
  *out_char = value;
  if (is_braced) return digits > 0 && takes(r, "}") && value <= MOST_CHAR;
  return digits == 2;
}

// Reads an escape that is one character, after the backslash.
static berth_code_t read_escape(reader_t *r, int32_t *out_char) {
  static const char names[] = "afnrtv", values[] = "\a\f\n\r\t\v";
  const char *from = r->at - 1;
  if (r->at == r->end) {
    return berth_error_set(r->err, BERTH_INVALID_ARGUMENT, "trailing \\");
  }
  int length = berth_utf8_read(r->at, (size_t)(r->end - r->at), out_char);
  char c = *r->at;
  r->at += length;
  const char *name = c != '\0' ? strchr(names, c) : NULL;
  bool is_letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                   (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
  if (name != NULL) {
    *out_char = values[name - names];
  } else if (c == '0') {
    *out_char = 0;
  } else if (is_letter && !(c == 'x' && read_hex(r, out_char))) {
    return fail(r, "invalid escape sequence", from, r->at);
  }
  return BERTH_OK;
}

// Reads one character of a class, escaped or not.
static berth_code_t read_class_char(reader_t *r, int32_t *out_char) {
  if (takes(r, "\\")) return read_escape(r, out_char);
  const char *from = r->at;
  r->at += berth_utf8_read(r->at, (size_t)(r->end - r->at), out_char);
  return *out_char < 0 ? fail(r, "invalid UTF-8", from, from) : BERTH_OK;
}

// Reads [:alpha:], at the bracket; says whether there was one.
static berth_code_t read_posix(reader_t *r, bool *out_was) {
  const char *from = r->at, *name = r->at + 2;
  *out_was = false;
  if (!sees(r, "[:")) return BERTH_OK;
  const char *close = name;
  while (close + 1 < r->end && memcmp(close, ":]", 2) != 0) ++close;
  if (close + 1 >= r->end) return BERTH_OK;
  bool is_negated = *name == '^';
  name += is_negated;
  const set_t *set = find_set(posix_classes, name, (size_t)(close - name));
  r->at = close + 2;
  *out_was = true;
  if (set == NULL) {
    return fail(r, "invalid character class range", from, r->at);
  }
  return add_set(r, set, is_negated);
}

static berth_code_t read_range(reader_t *r) {
  const char *from = r->at;
  int32_t low = 0, high = 0;
  BERTH_TRY(read_class_char(r, &low));
  high = low;
  if (sees(r, "-") && r->at + 1 < r->end && r->at[1] != ']') {
    ++r->at;
    BERTH_TRY(read_class_char(r, &high));
  }
  if (high < low) {
    return fail(r, "invalid character class range", from, r->at);
  }
  return add_chars(r, low, high);
}

// Reads a class after its bracket.
static berth_code_t read_class(reader_t *r) {
  const char *from = r->at - 1;
  int32_t first = r->made->range_count;
  bool is_negated = takes(r, "^"), is_first = true;
  while (r->at < r->end && (is_first || *r->at != ']')) {
    bool was_posix = false;
    is_first = false;
    BERTH_TRY(read_posix(r, &was_posix));
    if (was_posix) continue;
    if (r->end - r->at > 1 && *r->at == '\\' &&
        strchr("dwsDWS", r->at[1]) != NULL) {
      ++r->at;
      BERTH_TRY(add_set_escape(r));
      continue;
    }
    BERTH_TRY(read_range(r));
  }
  if (!takes(r, "]")) return fail(r, "missing ]", from, r->end);
  return append_class(r, first, is_negated);
}

// ---- One piece ----

static berth_code_t read_either(reader_t *r);

static berth_code_t append_check(reader_t *r, berth_pattern_place_t place) {
  return append(r, (berth_pattern_step_t){.op = BERTH_PATTERN_CHECK,
                                          .x = (int32_t)place});
}

// Reads what follows a backslash outside of a class.
static berth_code_t read_backslash(reader_t *r) {
  int32_t first = r->made->range_count, c = 0;
  if (takes(r, "A")) return append_check(r, BERTH_PLACE_TEXT_BEGIN);
  if (takes(r, "z")) return append_check(r, BERTH_PLACE_TEXT_END);
  if (takes(r, "b")) return append_check(r, BERTH_PLACE_WORD_EDGE);
  if (takes(r, "B")) return append_check(r, BERTH_PLACE_NO_WORD_EDGE);
  if (is_set_escape(r)) {
    BERTH_TRY(add_set_escape(r));
    return append_class(r, first, false);
  }
  BERTH_TRY(read_escape(r, &c));
  return append_char(r, c);
}

// Reads flags after (? up to : or ), and says which it was.
static berth_code_t read_flags(reader_t *r, char *out_end) {
  const char *from = r->at - 2;
  static const char letters[] = "ismU";
  bool is_off = false;
  for (; r->at < r->end; ++r->at) {
    const char *letter = strchr(letters, *r->at);
    if (*r->at == ':' || *r->at == ')') {
      *out_end = *r->at++;
      return BERTH_OK;
    }
    if (*r->at == '-' && !is_off) {
      is_off = true;
    } else if (*r->at != '\0' && letter != NULL) {
      uint32_t flag = 1U << (letter - letters);
      r->flags = is_off ? r->flags & ~flag : r->flags | flag;
    } else {
      ++r->at;
      break;
    }
  }
  return fail(r, "invalid perl operator", from, r->at);
}

// Reads a group that is numbered, after its parenthesis and name.
static berth_code_t read_numbered(reader_t *r) {
  int32_t number = ++r->made->groups;
  bool is_kept = number < BERTH_PATTERN_GROUPS;
  berth_pattern_step_t save = {.op = BERTH_PATTERN_SAVE, .x = 2 * number};
  if (is_kept) BERTH_TRY(append(r, save));
  BERTH_TRY(read_either(r));
  save.x += 1;
  return is_kept ? append(r, save) : BERTH_OK;
}

// Reads a name after (?P< or (?<.
static berth_code_t read_name(reader_t *r, const char *from) {
  const char *name = r->at;
  while (r->at < r->end && *r->at != '>') ++r->at;
  if (r->at == name || !takes(r, ">")) {
    return fail(r, "invalid named capture group", from, r->at);
  }
  return BERTH_OK;
}

static berth_code_t read_group(reader_t *r) {
  const char *from = r->at - 1;
  uint32_t flags = r->flags;
  char end = ':';
  if (takes(r, "?P<") ||
      (sees(r, "?<") && !sees(r, "?<=") && !sees(r, "?<!") && takes(r, "?<"))) {
    BERTH_TRY(read_name(r, from));
    BERTH_TRY(read_numbered(r));
  } else if (takes(r, "?")) {
    BERTH_TRY(read_flags(r, &end));
    if (end == ')')
      return BERTH_OK;  // Flags hold to the end of what is around.
    BERTH_TRY(read_either(r));
  } else {
    BERTH_TRY(read_numbered(r));
  }
  r->flags = flags;
  return takes(r, ")") ? BERTH_OK : fail(r, "missing )", r->begin, r->end);
}

static berth_code_t append_any(reader_t *r) {
  int32_t first = r->made->range_count;
  BERTH_TRY(add_range(r, 0, (r->flags & DOT_ALL) != 0 ? MOST_CHAR : '\n' - 1));
  if ((r->flags & DOT_ALL) == 0) BERTH_TRY(add_range(r, '\n' + 1, MOST_CHAR));
  return append_class(r, first, false);
}

// Reads a text between \Q and \E; the last character is left to be repeated.
static berth_code_t read_quoted(reader_t *r) {
  while (r->at < r->end && !takes(r, "\\E")) {
    int32_t c = 0;
    r->at += berth_utf8_read(r->at, (size_t)(r->end - r->at), &c);
    BERTH_TRY(append_char(r, c));
  }
  return BERTH_OK;
}

static berth_code_t read_piece(reader_t *r) {
  int32_t c = 0;
  bool has_lines = (r->flags & LINES) != 0;
  const char *from = r->at;
  if (takes(r, "(")) return read_group(r);
  if (takes(r, "[")) return read_class(r);
  if (takes(r, ".")) return append_any(r);
  if (takes(r, "\\Q")) return read_quoted(r);
  if (takes(r, "\\")) return read_backslash(r);
  if (takes(r, "^")) {
    return append_check(
        r, has_lines ? BERTH_PLACE_LINE_BEGIN : BERTH_PLACE_TEXT_BEGIN);
  }
  if (takes(r, "$")) {
    return append_check(
        r, has_lines ? BERTH_PLACE_LINE_END : BERTH_PLACE_TEXT_END);
  }
  r->at += berth_utf8_read(r->at, (size_t)(r->end - r->at), &c);
  if (c < 0) return fail(r, "invalid UTF-8", from, from);
  return append_char(r, c);
}

// ---- Repetitions ----

typedef struct repeat {
  int least, most;  // -1: any number.
} repeat_t;

static bool read_count(reader_t *r, int *out_count) {
  int count = 0;
  const char *from = r->at;
  while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
    count = count > MOST_REPEATS ? count : count * 10 + (*r->at - '0');
    ++r->at;
  }
  *out_count = count;
  return r->at > from;
}

// Reads {n}, {n,} or {n,m}; anything else is a brace like any character.
static bool read_braces(reader_t *r, repeat_t *repeat) {
  const char *from = r->at;
  if (takes(r, "{") && read_count(r, &repeat->least)) {
    repeat->most = repeat->least;
    if (takes(r, ",") && !read_count(r, &repeat->most)) repeat->most = -1;
    if (takes(r, "}")) return true;
  }
  r->at = from;
  return false;
}

static bool read_repeat(reader_t *r, repeat_t *repeat) {
  if (takes(r, "*"))
    *repeat = (repeat_t){0, -1};
  else if (takes(r, "+"))
    *repeat = (repeat_t){1, -1};
  else if (takes(r, "?"))
    *repeat = (repeat_t){0, 1};
  else
    return read_braces(r, repeat);
  return true;
}

// Appends a copy of |size| steps from |first| on.
static berth_code_t copy_steps(reader_t *r, int32_t first, int32_t size) {
  for (int32_t i = 0; i < size; ++i) {
    BERTH_TRY(append(r, r->made->steps[first + i]));
  }
  return BERTH_OK;
}

static berth_pattern_step_t split(int32_t into, int32_t past, bool is_lazy) {
  return (berth_pattern_step_t){.op = BERTH_PATTERN_SPLIT,
                                .x = is_lazy ? past : into,
                                .y = is_lazy ? into : past};
}

// Makes the steps from |first| on once or more often: back to them, or on.
static berth_code_t repeat_forever(reader_t *r, int32_t first, bool is_lazy) {
  int32_t size = r->made->step_count - first;
  return append(r, split(-size, 1, is_lazy));
}

// Repeats the steps from |first| to the end.
static berth_code_t repeat_steps(reader_t *r, int32_t first, repeat_t repeat,
                                 bool is_lazy) {
  int32_t size = r->made->step_count - first;
  if (repeat.most == 0) {
    r->made->step_count = first;
    return BERTH_OK;
  }
  for (int i = 1; i < repeat.least; ++i) BERTH_TRY(copy_steps(r, first, size));
  if (repeat.most < 0) {
    int32_t last = r->made->step_count - size;
    BERTH_TRY(repeat_forever(r, last, is_lazy));
    return repeat.least > 0 ? BERTH_OK
                            : insert(r, first, split(1, size + 2, is_lazy));
  }
  // Those that may be missing each have a way past them.
  for (int i = repeat.least; i < repeat.most; ++i) {
    if (i == 0) {
      BERTH_TRY(insert(r, first++, split(1, size + 1, is_lazy)));
      continue;
    }
    BERTH_TRY(append(r, split(1, size + 1, is_lazy)));
    BERTH_TRY(copy_steps(r, first, size));
  }
  return BERTH_OK;
}

// Reads what repeats the steps from |first| on, if anything does.
static berth_code_t read_repeats(reader_t *r, int32_t first) {
  repeat_t repeat = {0, 0};
  const char *from = r->at;
  if (!read_repeat(r, &repeat)) return BERTH_OK;
  bool is_lazy = takes(r, "?") != ((r->flags & SWAP_GREED) != 0);
  const char *behind = r->at;
  if (repeat.least > MOST_REPEATS || repeat.most > MOST_REPEATS ||
      (repeat.most >= 0 && repeat.most < repeat.least)) {
    return fail(r, "invalid repetition size", from, behind);
  }
  repeat_t next = {0, 0};
  if (read_repeat(r, &next)) {
    return fail(r, "bad repetition operator", from, r->at);
  }
  return repeat_steps(r, first, repeat, is_lazy);
}

// Reads pieces one after the other.
static berth_code_t read_row(reader_t *r) {
  while (r->at < r->end && *r->at != '|' && *r->at != ')') {
    repeat_t repeat = {0, 0};
    int32_t first = r->made->step_count;
    const char *from = r->at;
    if (*r->at != '{' && read_repeat(r, &repeat)) {
      return fail(r, "no argument for repetition operator", from, r->at);
    }
    bool is_flags = false;
    int32_t groups = r->made->groups;
    BERTH_TRY(read_piece(r));
    is_flags = *from == '(' && r->made->step_count == first &&
               r->made->groups == groups && from + 2 < r->at && from[1] == '?';
    if (!is_flags) BERTH_TRY(read_repeats(r, first));
  }
  return BERTH_OK;
}

// Reads rows with | between them: each but the last leads past the others.
static berth_code_t read_either(reader_t *r) {
  int32_t jumps = -1;  // The last jump; its |y| is the one before it.
  if (++r->depth > MOST_DEPTH) {
    return berth_error_set(r->err, BERTH_INVALID_ARGUMENT,
                           "expression nests too deeply");
  }
  for (;;) {
    int32_t first = r->made->step_count;
    BERTH_TRY(read_row(r));
    if (!takes(r, "|")) break;
    int32_t size = r->made->step_count - first;
    BERTH_TRY(insert(r, first, split(1, size + 2, false)));
    BERTH_TRY(append(
        r, (berth_pattern_step_t){.op = BERTH_PATTERN_JUMP, .y = jumps}));
    jumps = r->made->step_count - 1;
  }
  while (jumps >= 0) {
    berth_pattern_step_t *jump = &r->made->steps[jumps];
    jump->x = r->made->step_count - jumps;
    jumps = jump->y;
  }
  --r->depth;
  return BERTH_OK;
}

static berth_code_t read_all(reader_t *r) {
  BERTH_TRY(append(r, (berth_pattern_step_t){.op = BERTH_PATTERN_SAVE}));
  BERTH_TRY(read_either(r));
  if (r->at < r->end) return fail(r, "unexpected )", r->begin, r->end);
  BERTH_TRY(
      append(r, (berth_pattern_step_t){.op = BERTH_PATTERN_SAVE, .x = 1}));
  return append(r, (berth_pattern_step_t){.op = BERTH_PATTERN_DONE});
}

berth_code_t berth_pattern_compile(const char *text, size_t size,
                                   berth_pattern_t **out_pattern,
                                   berth_error_t *err) {
  reader_t reader = {.begin = text, .at = text, .end = text + size, .err = err};
  reader.made = berth_calloc(1, sizeof(*reader.made));
  if (reader.made == NULL) return berth_error_no_memory(err, "a pattern");
  berth_code_t code = read_all(&reader);
  if (code != BERTH_OK) {
    berth_pattern_free(reader.made);
    return code;
  }
  berth_pattern_table_make(reader.made);
  *out_pattern = reader.made;
  return BERTH_OK;
}

void berth_pattern_free(berth_pattern_t *pattern) {
  if (pattern == NULL) return;
  berth_free(pattern->steps);
  berth_free(pattern->ranges);
  berth_free(pattern);
}

int berth_pattern_groups(const berth_pattern_t *pattern) {
  return pattern->groups;
}
