// table.c - Tables for people.
#include "table.h"

#include <string.h>

#include "term.h"

// Returns how many columns of a terminal |text| takes: its UTF-8 characters.
static int width_of(const char *text) {
  int width = 0;
  for (; *text != '\0'; ++text) width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

void cli_table_add(cli_table_t *table, const char *const *cells) {
  for (int i = 0; i < table->column_count; ++i) {
    int width = width_of(cells[i]);
    if (width > table->widths[i]) table->widths[i] = width;
    cli_text_put(&table->text, cells[i], strlen(cells[i]) + 1);
    ++table->cell_count;
  }
}

// Writes one cell; |is_last| of its row.
static void print_cell(const char *cell, int width, bool is_right, bool is_last,
                       FILE *file) {
  int padding = width - width_of(cell);
  if (is_right) fprintf(file, "%*s", padding, "");
  fputs(cell, file);
  if (is_last) return;
  fprintf(file, "%*s", is_right ? 2 : padding + 2, "");
}

// Returns how many cells of the row at |cell| come before the empty ones at its
// end.
static int filled_count(const cli_table_t *table, const char *cell) {
  int filled = 0;
  for (int i = 0; i < table->column_count; ++i) {
    if (cell[0] != '\0') filled = i + 1;
    cell += strlen(cell) + 1;
  }
  return filled;
}

void cli_table_print(const cli_table_t *table, FILE *file) {
  const char *cell = cli_text_get(&table->text);
  int row_count =
      table->text.is_broken ? 0 : table->cell_count / table->column_count;
  for (int row = 0; row < row_count; ++row) {
    int filled = filled_count(table, cell);
    if (row == 0) fputs(cli_bold(file), file);
    for (int i = 0; i < table->column_count; ++i) {
      if (i < filled) {
        print_cell(cell, table->widths[i], table->is_right[i], i + 1 == filled,
                   file);
      }
      cell += strlen(cell) + 1;
    }
    if (row == 0) fputs(cli_plain(file), file);
    fputc('\n', file);
  }
}

void cli_table_clear(cli_table_t *table) { cli_text_clear(&table->text); }

void cli_print_bytes(int64_t bytes, char *text, size_t size) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = (double)bytes;
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  bool is_whole = value == (double)(int64_t)value;
  snprintf(text, size, is_whole ? "%.0f %s" : "%.1f %s", value, units[unit]);
}
