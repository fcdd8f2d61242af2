// cmd_report.c - `berth report`: a plan or a snapshot of memory as one page for a
// browser.
#include <errno.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "term.h"

static const char HELP[] =
    "Makes one HTML page of a memory plan, or of a snapshot with its history:\n"
    "what is held at every step, drawn by value, and what makes the peak. The\n"
    "page needs nothing but itself.\n"
    "\n"
    "Usage:\n"
    "  berth report FILE.json [-o REPORT.html]\n"
    "\n"
    "  FILE.json is what `berth plan --json` prints, or MemoryPlan.save() or\n"
    "  berth.memory.snapshot() of Python write, with the lines of the script;\n"
    "  - is standard input.\n"
    "\n"
    "Options:\n"
    "  -o, --out FILE  write the page there, and not to standard output\n"
    "\n"
    "Examples:\n"
    "  berth plan model.pb --batch 128 --json | berth report - -o "
    "report.html\n"
    "  berth report snapshot.json -o report.html\n";

// The page, with @DATA@ where the file goes.
static const char PAGE[] = {
#include "report_html.inc"
    '\0'};

// Writes |text| as it can stand in a page: nothing ends its element.
static void write_safe(const cli_text_t *text, FILE *file) {
  for (size_t i = 0; i < text->size; ++i) {
    if (text->data[i] == '<') {
      fputs("\\u003c", file);
    } else {
      fputc(text->data[i], file);
    }
  }
}

enum { MEMBERS = 4 };

static bool has_all(const char *text, const char *const members[MEMBERS]) {
  for (int i = 0; i < MEMBERS; ++i) {
    if (strstr(text, members[i]) == NULL) return false;
  }
  return text[strspn(text, " \t\r\n")] == '{';
}

// True when |text| looks like a plan, or a snapshot.
static bool is_known(const char *text) {
  static const char *const plan[MEMBERS] = {"\"memories\"", "\"steps\"",
                                            "\"values\"", "\"unknown\""};
  static const char *const snapshot[MEMBERS] = {"\"devices\"", "\"labels\"",
                                                "\"holders\"", "\"history\""};
  return has_all(text, plan) || has_all(text, snapshot);
}

static int page_write(const cli_text_t *data, const char *path) {
  FILE *file = path != NULL ? fopen(path, "w") : stdout;
  if (file == NULL) return cli_fail("%s: %s", path, strerror(errno));
  const char *place = strstr(PAGE, "@DATA@");
  fwrite(PAGE, 1, (size_t)(place - PAGE), file);
  write_safe(data, file);
  fputs(place + strlen("@DATA@"), file);
  if (path == NULL) return CLI_OK;
  bool is_fine = ferror(file) == 0;
  is_fine = fclose(file) == 0 && is_fine;
  return is_fine ? CLI_OK : cli_fail("%s: cannot be written", path);
}

static int run(int argc, char **argv) {
  const char *path = NULL;
  cli_list_t files = {0};
  cli_text_t text = {0};
  const cli_option_t options[] = {{"-o", CLI_VALUE, &path},
                                  {"--out", CLI_VALUE, &path},
                                  {NULL, CLI_FLAG, NULL}};
  int status = cli_args_parse("report", argc, argv, options, &files);
  if (status == CLI_OK && files.count != 1) {
    status = cli_misuse("report", "needs one file, not %d", files.count);
  }
  if (status == CLI_OK && !cli_text_read(&text, files.items[0])) {
    status = cli_fail("%s: %s", files.items[0], strerror(errno));
  }
  if (status == CLI_OK && !is_known(cli_text_get(&text))) {
    status = cli_fail(
        "%s is neither a memory plan nor a snapshot: berth plan --json and "
        "berth.memory.snapshot() make them",
        files.items[0]);
  }
  if (status == CLI_OK) status = page_write(&text, path);
  cli_text_clear(&text);
  cli_list_clear(&files);
  return status;
}

const cli_command_t cli_cmd_report = {
    "report", "make a page of a memory plan or snapshot", HELP, run};
