// json.h - Writing JSON.
//
//   cli_json_t json;
//   cli_json_begin(&json, stdout);
//   cli_json_open(&json, NULL, '{');
//   cli_json_text(&json, "name", "CPU:0");
//   cli_json_close(&json);
//   cli_json_end(&json);
//
// Keys are NULL inside a list. Commas and indentation come by themselves; a
// list or object below |flat_depth| is written on one line.
#ifndef BERTH_CLI_JSON_H_
#define BERTH_CLI_JSON_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CLI_JSON_DEPTH = 16 };

typedef struct cli_json {
  FILE *file;
  int depth;
  int flat_depth;                // From this depth on, one line.
  char closers[CLI_JSON_DEPTH];  // What ends each open level.
  bool has_members[CLI_JSON_DEPTH + 1];
} cli_json_t;

// Begins a document on |file|, one line for everything deeper than two.
void cli_json_begin(cli_json_t *json, FILE *file);
// Ends it with a newline.
void cli_json_end(cli_json_t *json);

// Opens an object ('{') or a list ('['); the depth is limited to 16.
void cli_json_open(cli_json_t *json, const char *key, char bracket);
void cli_json_close(cli_json_t *json);

// A text; bytes that are no UTF-8 are written as those of Latin-1.
void cli_json_text(cli_json_t *json, const char *key, const char *value);
void cli_json_bytes(cli_json_t *json, const char *key, const char *value,
                    size_t size);
void cli_json_int(cli_json_t *json, const char *key, int64_t value);
void cli_json_bool(cli_json_t *json, const char *key, bool value);
void cli_json_null(cli_json_t *json, const char *key);
// A number with three decimals.
void cli_json_decimal(cli_json_t *json, const char *key, double value);

#endif  // BERTH_CLI_JSON_H_
