// json.c - Writing JSON.
#include "json.h"

#include <inttypes.h>
#include <string.h>

void cli_json_begin(cli_json_t *json, FILE *file) {
  *json = (cli_json_t){.file = file, .flat_depth = 2};
}

void cli_json_end(cli_json_t *json) { fputc('\n', json->file); }

// Starts a line inside the current level, or stays on it.
static void break_line(const cli_json_t *json) {
  if (json->depth > json->flat_depth) return;
  fprintf(json->file, "\n%*s", 2 * json->depth, "");
}

// Returns the length of the UTF-8 character at |text|, 0 when it is none.
static size_t utf8_size(const unsigned char *text, size_t room) {
  size_t size = text[0] >= 0xf0 && text[0] < 0xf5   ? 4
                : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
                : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                                                    : 0;
  if (size > room) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((text[i] & 0xc0) != 0x80) return 0;
  }
  return size;
}

static void write_quoted(FILE *file, const char *text, size_t size) {
  const unsigned char *bytes = (const unsigned char *)text;
  fputc('"', file);
  for (size_t i = 0; i < size;) {
    size_t width = utf8_size(bytes + i, size - i);
    if (width > 0) {
      fwrite(bytes + i, 1, width, file);
      i += width;
      continue;
    }
    unsigned char c = bytes[i++];
    if (c == '"' || c == '\\') {
      fprintf(file, "\\%c", c);
    } else if (c == '\n') {
      fputs("\\n", file);
    } else if (c < 0x20 || c >= 0x7f) {
      fprintf(file, "\\u%04x", c);
    } else {
      fputc(c, file);
    }
  }
  fputc('"', file);
}

// The comma after the member before, the line, the key.
static void begin_member(cli_json_t *json, const char *key) {
  if (json->depth > 0) {
    if (json->has_members[json->depth]) {
      fputs(json->depth > json->flat_depth ? ", " : ",", json->file);
    }
    break_line(json);
  }
  json->has_members[json->depth] = true;
  if (key == NULL) return;
  write_quoted(json->file, key, strlen(key));
  fputs(": ", json->file);
}

void cli_json_open(cli_json_t *json, const char *key, char bracket) {
  begin_member(json, key);
  fputc(bracket, json->file);
  if (json->depth >= CLI_JSON_DEPTH) return;
  json->closers[json->depth++] = bracket == '{' ? '}' : ']';
  json->has_members[json->depth] = false;
}

void cli_json_close(cli_json_t *json) {
  bool had_members = json->has_members[json->depth];
  bool is_flat = json->depth > json->flat_depth;
  --json->depth;
  if (had_members && !is_flat) break_line(json);
  fputc(json->closers[json->depth], json->file);
}

void cli_json_bytes(cli_json_t *json, const char *key, const char *value,
                    size_t size) {
  begin_member(json, key);
  write_quoted(json->file, value, size);
}

void cli_json_text(cli_json_t *json, const char *key, const char *value) {
  cli_json_bytes(json, key, value, strlen(value));
}

void cli_json_int(cli_json_t *json, const char *key, int64_t value) {
  begin_member(json, key);
  fprintf(json->file, "%" PRId64, value);
}

void cli_json_bool(cli_json_t *json, const char *key, bool value) {
  begin_member(json, key);
  fputs(value ? "true" : "false", json->file);
}

void cli_json_null(cli_json_t *json, const char *key) {
  begin_member(json, key);
  fputs("null", json->file);
}

void cli_json_decimal(cli_json_t *json, const char *key, double value) {
  begin_member(json, key);
  fprintf(json->file, "%.3f", value);
}
