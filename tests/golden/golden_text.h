// golden_text.h - Reads the lines of golden files.
//
// README.md explains the format. Everything here fails by returning false after
// golden_complain(); a golden file is written by a program, so that one
// complaint about it is enough.
//
// Threads: caller serialises.
#ifndef BERTH_TESTS_GOLDEN_GOLDEN_TEXT_H_
#define BERTH_TESTS_GOLDEN_GOLDEN_TEXT_H_

#include "berth/berth.h"

// A file cut into lines, and which one is being read.
typedef struct golden_file {
  const char *path;
  char *text;    // Owned; its newlines are NULs.
  char **lines;  // Owned; into |text|.
  int line_count;
  int at;             // Index of the current line.
  const char *title;  // Of the current case.
  const char *how;    // How it is replayed, for complaints.
  int failures;
} golden_file_t;

// Reads |path| into |file|, to be closed with golden_close().
bool golden_open(golden_file_t *file, const char *path);
void golden_close(golden_file_t *file);

// Counts a failure and says where it is. Returns false.
bool golden_complain(golden_file_t *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Cuts the first word off |*rest|, which ends up at the next one. NULL when
// there is none.
char *golden_word(char **rest);

// Replaces \n, \t and \\ in |text| by what they stand for.
void golden_unescape(char *text);

// Reads "[2,?]" or "?" into |shape|.
bool golden_shape(golden_file_t *file, const char *word, berth_shape_t *shape);

// Makes the tensor that "TYPE SHAPE DATA" describes. The caller releases it.
bool golden_tensor(golden_file_t *file, char *text, berth_tensor_t **out);

// Sets one attribute of |op| from "NAME KIND VALUE".
bool golden_attr(golden_file_t *file, char *text, berth_op_t *op);

// Sets an attribute that is a type from "NAME=TYPE".
bool golden_attr_type(golden_file_t *file, char *word, berth_op_t *op);

#endif  // BERTH_TESTS_GOLDEN_GOLDEN_TEXT_H_
