// cmd_report.c - `berth report`: a plan of memory as one page for a browser.
#include <errno.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "term.h"

static const char HELP[] =
    "Makes one HTML page of a memory plan: what is held at every step, drawn\n"
    "by value, and what makes the peak. The page needs nothing but itself.\n"
    "\n"
    "Usage:\n"
    "  berth report PLAN.json [-o REPORT.html]\n"
    "\n"
    "  PLAN.json is what `berth plan --json` prints, or MemoryPlan.save() of\n"
    "  Python writes, with the lines of the script; - is standard input.\n"
    "\n"
    "Options:\n"
    "  -o, --out FILE  write the page there, and not to standard output\n"
    "\n"
    "Examples:\n"
    "  berth plan model.pb --batch 128 --json | berth report - -o "
    "report.html\n";

// The page, with @DATA@ where the plan goes.
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

// True when |text| looks like a plan.
static bool is_plan(const char *text) {
  static const char *const members[] = {"\"memories\"", "\"steps\"",
                                        "\"values\"", "\"unknown\""};
  for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); ++i) {
    if (strstr(text, members[i]) == NULL) return false;
  }
  return text[strspn(text, " \t\r\n")] == '{';
}

static int page_write(const cli_text_t *plan, const char *path) {
  FILE *file = path != NULL ? fopen(path, "w") : stdout;
  if (file == NULL) return cli_fail("%s: %s", path, strerror(errno));
  const char *place = strstr(PAGE, "@DATA@");
  fwrite(PAGE, 1, (size_t)(place - PAGE), file);
  write_safe(plan, file);
  fputs(place + strlen("@DATA@"), file);
  if (path == NULL) return CLI_OK;
  bool is_fine = ferror(file) == 0;
  is_fine = fclose(file) == 0 && is_fine;
  return is_fine ? CLI_OK : cli_fail("%s: cannot be written", path);
}

static int run(int argc, char **argv) {
  const char *path = NULL;
  cli_list_t plans = {0};
  cli_text_t text = {0};
  const cli_option_t options[] = {{"-o", CLI_VALUE, &path},
                                  {"--out", CLI_VALUE, &path},
                                  {NULL, CLI_FLAG, NULL}};
  int status = cli_args_parse("report", argc, argv, options, &plans);
  if (status == CLI_OK && plans.count != 1) {
    status = cli_misuse("report", "needs one plan, not %d", plans.count);
  }
  if (status == CLI_OK && !cli_text_read(&text, plans.items[0])) {
    status = cli_fail("%s: %s", plans.items[0], strerror(errno));
  }
  if (status == CLI_OK && !is_plan(cli_text_get(&text))) {
    status = cli_fail("%s is no memory plan: berth plan --json makes one",
                      plans.items[0]);
  }
  if (status == CLI_OK) status = page_write(&text, path);
  cli_text_clear(&text);
  cli_list_clear(&plans);
  return status;
}

const cli_command_t cli_cmd_report = {
    "report", "make a page of a memory plan for a browser", HELP, run};
