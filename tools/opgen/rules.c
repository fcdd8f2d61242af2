// rules.c - Reading shapes.def: rules of shapes, a line for each op.
//
// A rule is handed on as a text; it is checked here, so that whoever follows it
// need not.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { RULES_ROOM = 1 << 20 };

static char rules_text[RULES_ROOM];

static bool fail(const char *path, int line, const char *message,
                 const char *detail) {
  fprintf(stderr, "%s:%d: %s '%s'\n", path, line, message, detail);
  return false;
}

static bool read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fprintf(stderr, "opgen: cannot open %s\n", path);
    return false;
  }
  size_t size = fread(rules_text, 1, RULES_ROOM - 1, file);
  bool is_whole = feof(file) != 0;
  fclose(file);
  rules_text[size] = '\0';
  if (!is_whole) fprintf(stderr, "opgen: %s is too long\n", path);
  return is_whole;
}

static int compare_names(const void *name, const void *op) {
  return strcmp(name, ((const op_t *)op)->name);
}

static op_t *find_op(const char *name) {
  op_t *op = bsearch(name, opgen_ops, (size_t)opgen_op_count, sizeof(op_t),
                     compare_names);
  if (op != NULL) return op;
  return bsearch(name, opgen_known, (size_t)opgen_known_count, sizeof(op_t),
                 compare_names);
}

// Returns whether |op| has the attribute at |at|, which |end| follows.
static bool has_attr(const op_t *op, const char *at, const char *end) {
  char name[64];
  size_t size = (size_t)(end - at);
  if (size >= sizeof(name)) return false;
  memcpy(name, at, size);
  name[size] = '\0';
  return opgen_find_attr(op, name) >= 0;
}

// Checks a size; |at| is moved behind it.
static bool is_size(const op_t *op, const char **at, bool is_output) {
  const char *start = *at;
  *at += strcspn(*at, ",]");
  if (*at == start || **at == '\0') return false;
  if (*start == '$') return is_output && has_attr(op, start + 1, *at);
  bool is_number = true;
  for (const char *c = start; c < *at; ++c) is_number &= isdigit(*c) != 0;
  if (is_number) return true;
  return *at - start == 1 && (*start == '?' || islower(*start));
}

// Checks "[a,3,?]".
static bool is_shape(const op_t *op, const char *word, bool is_output) {
  const char *at = word + 1;
  if (strcmp(at, "]") == 0) return true;
  while (is_size(op, &at, is_output)) {
    if (*at == ']') return at[1] == '\0';
    ++at;
  }
  return false;
}

// Checks a number below |limit| that ends the word.
static bool is_below(const char *text, int limit) {
  char *end = NULL;
  long number = strtol(text, &end, 10);
  return isdigit(text[0]) && *end == '\0' && number < limit;
}

// Checks what stands for input, or output, |index| of |op|.
static bool is_word(const op_t *op, const char *word, int index,
                    bool is_output) {
  switch (word[0]) {
    case '[':
      return is_shape(op, word, is_output);
    case '=':
      return is_below(word + 1, is_output ? op->input_count : index);
    case '*':
      return !is_output && word[1] == '\0';
    case '?':
      return is_output && word[1] == '\0';
    case '<':
    case '>':
      return !is_output && is_below(word + 1, 255);
    case '@':
      return is_output && has_attr(op, word + 1, word + strlen(word));
    default:
      return false;
  }
}

// Checks the rule of |op|; returns the word that is wrong, or NULL.
static const char *find_wrong(const op_t *op, const char *rule) {
  static char words[1024];
  int index = 0;
  bool is_output = false;
  if (strlen(rule) >= sizeof(words)) return "too long";
  strncpy(words, rule, sizeof(words) - 1);
  char *rest = words;
  for (char *word; (word = strsep(&rest, " ")) != NULL;) {
    if (strcmp(word, "->") == 0) {
      if (is_output || index != op->input_count) return word;
      is_output = true;
      index = 0;
      continue;
    }
    int count = is_output ? op->output_count : op->input_count;
    if (index >= count || !is_word(op, word, index, is_output)) return word;
    ++index;
  }
  return is_output && index == op->output_count ? NULL : "the end";
}

// Reads "Op  rule".
static bool read_line(const char *path, int number, char *line) {
  size_t size = strcspn(line, " ");
  char *rule = line + size;
  if (*rule != '\0') *rule++ = '\0';
  rule += strspn(rule, " ");
  op_t *op = find_op(line);
  if (op == NULL) return fail(path, number, "there is no op", line);
  const char *wrong = find_wrong(op, rule);
  if (wrong != NULL) return fail(path, number, "what is", wrong);
  if (op->rule != NULL) return fail(path, number, "a second rule of", line);
  if (op->shape == NULL) op->rule = rule;
  return true;
}

bool opgen_parse_rules(const char *path) {
  if (!read_file(path)) return false;
  char *rest = rules_text;
  int number = 0;
  for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
    ++number;
    if (line[0] == '\0' || line[0] == '#') continue;
    if (!read_line(path, number, line)) return false;
  }
  return true;
}
