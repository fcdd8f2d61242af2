// table.h - Tables for people: columns as wide as what stands in them.
//
//   cli_table_t table = {.column_count = 2};
//   cli_table_row(&table, "NODE", "DEVICE");
//   cli_table_row(&table, name, device);
//   cli_table_print(&table, stdout);
//   cli_table_clear(&table);
//
// The first row is the heading. Cells are copied.
#ifndef BERTH_CLI_TABLE_H_
#define BERTH_CLI_TABLE_H_

#include <stdint.h>

#include "memory.h"

enum { CLI_MAX_COLUMNS = 8 };

typedef struct cli_table {
  int column_count;
  bool is_right[CLI_MAX_COLUMNS];  // Numbers: aligned to the right.
  cli_text_t text;                 // All cells, each with a NUL.
  int cell_count;
  int widths[CLI_MAX_COLUMNS];
} cli_table_t;

// Adds a row: as many texts as there are columns.
#define cli_table_row(table, ...) \
  cli_table_add(table, (const char *const[]){__VA_ARGS__})
void cli_table_add(cli_table_t *table, const char *const *cells);

// Writes the table, two spaces between columns, none at the end of a line.
void cli_table_print(const cli_table_t *table, FILE *file);

void cli_table_clear(cli_table_t *table);

// Writes a number of bytes as people say it, "256 MiB", into |text|.
void cli_print_bytes(int64_t bytes, char *text, size_t size);

#endif  // BERTH_CLI_TABLE_H_
