// cmd_top.c - `berth top` and `berth memory`: who holds how much of which card.
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "args.h"
#include "cards.h"
#include "command.h"
#include "holders.h"
#include "table.h"
#include "term.h"

static const char TOP_HELP[] =
    "Shows all cards and who holds memory of them, again and again; processes\n"
    "of Berth in detail. q or Ctrl-C ends it.\n"
    "\n"
    "Usage:\n"
    "  berth top [OPTIONS]\n"
    "\n"
    "Options:\n"
    "  --once           once, and not again and again\n"
    "  --json           once, as JSON\n"
    "  --interval S     seconds between two looks; 1 if not given\n"
    "  --simulate SPEC  cards made in software\n"
    "\n"
    "Columns:\n"
    "  HOLDS    of the card, in all, as the driver counts\n"
    "  POOL     of that for tensors\n"
    "  IN USE   by tensors that live, now and (PEAK) at most\n"
    "  OUTSIDE  context, code and libraries\n"
    "  BUDGET   what the process may hold in all\n";

static const char MEMORY_HELP[] =
    "Tells what a process of Berth, or each of them, holds of each card.\n"
    "\n"
    "Usage:\n"
    "  berth memory [PID] [OPTIONS]\n"
    "\n"
    "Options:\n"
    "  --json           as JSON\n"
    "  --simulate SPEC  cards made in software\n"
    "\n"
    "Examples:\n"
    "  berth memory\n"
    "  berth memory 4711 --json\n";

enum { BAR = 18, PROGRAM = 16 };

// ---- Showing ----

// Writes a size in few letters, "1.5G"; "-" for one that is not known.
static void size_print(uint64_t bytes, bool is_known, char *text, size_t size) {
  static const char units[] = "BKMGT";
  double value = (double)bytes;
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  if (!is_known) {
    snprintf(text, size, "-");
  } else {
    snprintf(text, size, unit == 0 ? "%.0f%c" : "%.1f%c", value, units[unit]);
  }
}

static void card_print(const cli_card_view_t *view) {
  const berth_card_t *card = &view->card;
  char used[32], total[32], bar[BAR + 1];
  uint64_t held = card->total_bytes - card->free_bytes;
  int full = card->total_bytes > 0
                 ? (int)((double)held / (double)card->total_bytes * BAR + 0.5)
                 : 0;
  for (int i = 0; i < BAR; ++i) bar[i] = i < full ? '#' : '.';
  bar[BAR] = '\0';
  size_print(held, true, used, sizeof(used));
  size_print(card->total_bytes, true, total, sizeof(total));
  printf("%s%3d %-20.20s%s [%s] %7s of %-7s %s\n", cli_bold(stdout),
         card->bus_index, card->name, cli_plain(stdout), bar, used, total,
         card->is_simulated ? "simulated" : card->pci_bus_id);
}

static void holder_print(const cli_holder_t *holder) {
  char holds[32], pool[32], in_use[32], peak[32], outside[32], budget[32];
  const berth_card_share_t *share = &holder->share;
  bool is_berth = holder->is_berth;
  size_print(holder->bytes, holder->bytes != UINT64_MAX, holds, sizeof(holds));
  size_print(share->pool_bytes, is_berth, pool, sizeof(pool));
  size_print(share->in_use_bytes, is_berth, in_use, sizeof(in_use));
  size_print(share->peak_bytes, is_berth, peak, sizeof(peak));
  size_print(share->outside_bytes, is_berth, outside, sizeof(outside));
  size_print(share->budget_bytes, is_berth && share->budget_bytes > 0, budget,
             sizeof(budget));
  printf("%7lld %-*.*s %8s %8s %8s %8s %8s %8s\n", (long long)holder->pid,
         PROGRAM, PROGRAM, holder->program[0] != '\0' ? holder->program : "?",
         holds, pool, in_use, peak, outside, budget);
}

static void holders_print(const cli_card_view_t *card) {
  if (card->holder_count == 0) return;
  char title[32];
  snprintf(title, sizeof(title), "ON CARD %d", card->card.bus_index);
  printf("\n%s%7s %-*s %8s %8s %8s %8s %8s %8s%s\n", cli_bold(stdout), "PID",
         PROGRAM, title, "HOLDS", "POOL", "IN USE", "PEAK", "OUTSIDE", "BUDGET",
         cli_plain(stdout));
  for (int i = 0; i < card->holder_count; ++i) holder_print(&card->holders[i]);
}

static void print_json(const cli_view_t *view) {
  cli_json_t json;
  cli_json_begin(&json, stdout);
  cli_json_open(&json, NULL, '{');
  cli_view_write(view, &json);
  cli_json_close(&json);
  cli_json_end(&json);
}

static void view_print(const cli_view_t *view) {
  int holders = 0;
  if (view->card_count == 0) printf("No GPU: %s\n", berth_card_problem());
  for (int i = 0; i < view->card_count; ++i) card_print(&view->cards[i]);
  for (int i = 0; i < view->card_count; ++i) {
    holders_print(&view->cards[i]);
    holders += view->cards[i].holder_count;
  }
  if (view->card_count > 0 && holders == 0) puts("\nNobody is on a card.");
}

// ---- Again and again ----

static volatile sig_atomic_t has_ended = 0;

static void end(int number) {
  (void)number;
  has_ended = 1;
}

// The terminal as it was.
static struct termios terminal;

static void terminal_open(void) {
  struct termios raw;
  tcgetattr(STDIN_FILENO, &terminal);
  raw = terminal;
  raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  // Another screen, without a cursor.
  fputs("\033[?1049h\033[?25l", stdout);
}

static void terminal_close(void) {
  fputs("\033[?25h\033[?1049l", stdout);
  fflush(stdout);
  tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
}

// Waits so many milliseconds; false when the user wants to end it.
static bool wait(int milliseconds) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  if (poll(&input, 1, milliseconds) > 0) {
    char key = 'q';
    if (read(STDIN_FILENO, &key, 1) < 1 || key == 'q' || key == 'Q') {
      return false;
    }
  }
  return has_ended == 0;
}

static int watch(int milliseconds) {
  int status = CLI_OK;
  terminal_open();
  do {
    cli_view_t view;
    status = cli_view_take(&view);
    if (status != CLI_OK) break;
    fputs("\033[H\033[2J", stdout);
    view_print(&view);
    cli_view_clear(&view);
    fflush(stdout);
  } while (wait(milliseconds));
  terminal_close();
  return status;
}

// ---- Commands ----

static int view_once(bool is_json) {
  cli_view_t view;
  int status = cli_view_take(&view);
  if (status != CLI_OK) return status;
  if (is_json) {
    print_json(&view);
  } else {
    view_print(&view);
  }
  cli_view_clear(&view);
  return CLI_OK;
}

static int run_top(int argc, char **argv) {
  bool is_once = false, is_json = false;
  const char *simulate = NULL;
  int64_t interval = 1000;
  cli_list_t others = {0};
  const cli_option_t options[] = {{"--once", CLI_FLAG, &is_once},
                                  {"--json", CLI_FLAG, &is_json},
                                  {"--interval", CLI_SECONDS, &interval},
                                  {"--simulate", CLI_VALUE, &simulate},
                                  {NULL, CLI_FLAG, NULL}};
  int status = cli_args_parse("top", argc, argv, options, &others);
  if (status == CLI_OK && others.count > 0) {
    status = cli_misuse("top", "unknown argument '%s'", others.items[0]);
  }
  cli_list_clear(&others);
  if (status == CLI_OK) status = cli_all_cards("top", simulate);
  if (status != CLI_OK) return status;
  cli_announce_nothing();
  bool is_live =
      !is_once && !is_json && isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
  if (!is_live) return view_once(is_json);
  return watch(interval > 60000 ? 60000 : (int)interval);
}

// Leaves only process |pid| in |view|, 0: those of Berth; returns how many.
static int view_filter(cli_view_t *view, int64_t pid) {
  int found = 0;
  for (int i = 0; i < view->card_count; ++i) {
    cli_card_view_t *card = &view->cards[i];
    int kept = 0;
    for (int k = 0; k < card->holder_count; ++k) {
      const cli_holder_t *holder = &card->holders[k];
      bool is_it = pid > 0 ? holder->pid == pid : holder->is_berth;
      if (is_it) card->holders[kept++] = *holder;
    }
    card->holder_count = kept;
    found += kept;
  }
  return found;
}

static void detail_print(const char *name, uint64_t bytes) {
  char text[32];
  cli_print_bytes((int64_t)bytes, text, sizeof(text));
  printf("  %-26s %10s\n", name, text);
}

static void holder_tell(const cli_card_view_t *card,
                        const cli_holder_t *holder) {
  const berth_card_share_t *share = &holder->share;
  printf("%s%lld %s on card %d (%s)%s\n", cli_bold(stdout),
         (long long)holder->pid, holder->program, card->card.bus_index,
         card->card.name, cli_plain(stdout));
  if (holder->bytes != UINT64_MAX) {
    detail_print("holds, as the driver says", holder->bytes);
  }
  if (!holder->is_berth) {
    puts("  not a process of Berth: that is all");
    return;
  }
  detail_print("pool", share->pool_bytes);
  detail_print("in use", share->in_use_bytes);
  detail_print("peak", share->peak_bytes);
  detail_print("outside the pool", share->outside_bytes);
  if (share->budget_bytes > 0) detail_print("budget", share->budget_bytes);
  if (share->floor_bytes > 0) detail_print("floor", share->floor_bytes);
  if (share->wish_bytes > 0) detail_print("short of", share->wish_bytes);
  if (share->asked_count > 0) {
    detail_print("given back when asked", share->given_bytes);
  }
}

static int memory_tell(int pid, bool is_json) {
  cli_view_t view;
  int status = cli_view_take(&view);
  if (status != CLI_OK) return status;
  int found = view_filter(&view, pid);
  if (found == 0 && pid > 0) {
    status = cli_fail("process %d holds nothing of a card", pid);
  } else if (is_json) {
    print_json(&view);
  } else {
    if (found == 0) puts("No process of Berth is on a card.");
    for (int i = 0; i < view.card_count; ++i) {
      for (int k = 0; k < view.cards[i].holder_count; ++k) {
        holder_tell(&view.cards[i], &view.cards[i].holders[k]);
      }
    }
  }
  cli_view_clear(&view);
  return status;
}

static int run_memory(int argc, char **argv) {
  bool is_json = false;
  const char *simulate = NULL;
  cli_list_t pids = {0};
  int pid = 0;
  const cli_option_t options[] = {{"--json", CLI_FLAG, &is_json},
                                  {"--simulate", CLI_VALUE, &simulate},
                                  {NULL, CLI_FLAG, NULL}};
  int status = cli_args_parse("memory", argc, argv, options, &pids);
  if (status == CLI_OK && pids.count > 1) {
    status = cli_misuse("memory", "one process at a time");
  }
  if (status == CLI_OK && pids.count == 1 &&
      !cli_parse_int(pids.items[0], 1, &pid)) {
    status = cli_misuse("memory", "'%s' is no process", pids.items[0]);
  }
  cli_list_clear(&pids);
  if (status == CLI_OK) status = cli_all_cards("memory", simulate);
  if (status != CLI_OK) return status;
  cli_announce_nothing();
  return memory_tell(pid, is_json);
}

const cli_command_t cli_cmd_top = {
    "top", "show who holds how much of which card", TOP_HELP, run_top};
const cli_command_t cli_cmd_memory = {
    "memory", "tell what a process holds of cards", MEMORY_HELP, run_memory};
