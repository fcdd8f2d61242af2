// holders.c - Who holds memory of which card.
#include "holders.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "term.h"

enum { MOST_USERS = 256, MOST_SHARES = 1024 };

// ---- Taking ----

// Stores what process |pid| is called; "" where that cannot be seen.
static void name_find(int64_t pid, char *name, size_t size) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%lld/comm", (long long)pid);
  name[0] = '\0';
  FILE *file = fopen(path, "r");
  if (file == NULL) return;
  if (fgets(name, (int)size, file) == NULL) name[0] = '\0';
  name[strcspn(name, "\n")] = '\0';
  fclose(file);
}

static cli_holder_t *holder_add(cli_card_view_t *card) {
  cli_holder_t *holders = cli_grow(card->holders, (size_t)card->holder_count,
                                   sizeof(*card->holders));
  if (holders == NULL) return NULL;
  card->holders = holders;
  cli_holder_t *holder = &holders[card->holder_count++];
  *holder = (cli_holder_t){0};
  return holder;
}

// Adds a process of Berth, or what is known of one that the driver lists.
static bool share_add(cli_card_view_t *card, const berth_card_share_t *share) {
  cli_holder_t *holder = NULL;
  for (int i = 0; i < card->holder_count; ++i) {
    if (card->holders[i].pid == share->pid) holder = &card->holders[i];
  }
  if (holder == NULL) {
    holder = holder_add(card);
    if (holder == NULL) return false;
    holder->pid = share->pid;
    holder->bytes = share->pool_bytes + share->outside_bytes;
  }
  holder->is_berth = true;
  holder->share = *share;
  snprintf(holder->program, sizeof(holder->program), "%s", share->program);
  return true;
}

static int compare_holders(const void *a, const void *b) {
  const cli_holder_t *x = a, *y = b;
  uint64_t left = x->bytes == UINT64_MAX ? 0 : x->bytes;
  uint64_t right = y->bytes == UINT64_MAX ? 0 : y->bytes;
  if (left != right) return left > right ? -1 : 1;
  return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static berth_code_t card_take(cli_card_view_t *view, int index,
                              const berth_card_share_t *shares, int count,
                              berth_error_t *err) {
  berth_card_user_t users[MOST_USERS];
  int user_count = 0;
  berth_code_t code = berth_card_query(index, &view->card, err);
  if (code != BERTH_OK) return code;
  // Where the driver does not list processes those of Berth are known.
  if (berth_card_query_users(index, users, MOST_USERS, &user_count, NULL) !=
      BERTH_OK) {
    user_count = 0;
  }
  for (int i = 0; i < user_count && i < MOST_USERS; ++i) {
    cli_holder_t *holder = holder_add(view);
    if (holder == NULL) return cli_refuse(err, "not enough memory");
    holder->pid = users[i].pid;
    holder->bytes = users[i].bytes;
    name_find(holder->pid, holder->program, sizeof(holder->program));
  }
  for (int i = 0; i < count; ++i) {
    if (strcmp(shares[i].card_uuid, view->card.uuid) != 0) continue;
    if (!share_add(view, &shares[i]))
      return cli_refuse(err, "not enough memory");
  }
  if (view->holder_count > 1) {
    qsort(view->holders, (size_t)view->holder_count, sizeof(*view->holders),
          compare_holders);
  }
  return BERTH_OK;
}

// Cards stand in nvidia-smi's order.
static int compare_cards(const void *a, const void *b) {
  const cli_card_view_t *x = a, *y = b;
  return x->card.bus_index - y->card.bus_index;
}

int cli_view_take(cli_view_t *view) {
  berth_error_t err = BERTH_ERROR_INIT;
  int cards = 0, count = 0;
  *view = (cli_view_t){0};
  berth_card_share_t *shares = cli_calloc(MOST_SHARES, sizeof(*shares));
  berth_code_t code = shares != NULL ? berth_card_count(&cards, &err)
                                     : cli_refuse(&err, "not enough memory");
  if (code == BERTH_OK) {
    code = berth_card_shares(shares, MOST_SHARES, &count, &err);
  }
  if (code == BERTH_OK) {
    view->cards = cli_calloc((size_t)cards, sizeof(*view->cards));
    if (view->cards == NULL) code = cli_refuse(&err, "not enough memory");
  }
  if (count > MOST_SHARES) count = MOST_SHARES;
  for (int i = 0; code == BERTH_OK && i < cards; ++i) {
    code = card_take(&view->cards[view->card_count++], i, shares, count, &err);
  }
  cli_free(shares);
  if (code == BERTH_OK && view->card_count > 1) {
    qsort(view->cards, (size_t)view->card_count, sizeof(*view->cards),
          compare_cards);
  }
  if (code == BERTH_OK) return CLI_OK;
  cli_view_clear(view);
  return cli_fail_with(NULL, &err);
}

void cli_view_clear(cli_view_t *view) {
  for (int i = 0; i < view->card_count; ++i) cli_free(view->cards[i].holders);
  cli_free(view->cards);
  *view = (cli_view_t){0};
}

// ---- Writing ----

static void holder_write(const cli_holder_t *holder, cli_json_t *json) {
  cli_json_open(json, NULL, '{');
  cli_json_int(json, "pid", holder->pid);
  cli_json_text(json, "program", holder->program);
  if (holder->bytes != UINT64_MAX) {
    cli_json_int(json, "bytes", (int64_t)holder->bytes);
  }
  cli_json_bool(json, "berth", holder->is_berth);
  if (holder->is_berth) {
    const berth_card_share_t *share = &holder->share;
    cli_json_int(json, "pool_bytes", (int64_t)share->pool_bytes);
    cli_json_int(json, "in_use_bytes", (int64_t)share->in_use_bytes);
    cli_json_int(json, "peak_bytes", (int64_t)share->peak_bytes);
    cli_json_int(json, "outside_bytes", (int64_t)share->outside_bytes);
    cli_json_int(json, "budget_bytes", (int64_t)share->budget_bytes);
    cli_json_int(json, "floor_bytes", (int64_t)share->floor_bytes);
    cli_json_int(json, "wish_bytes", (int64_t)share->wish_bytes);
    cli_json_int(json, "asked_count", (int64_t)share->asked_count);
    cli_json_int(json, "given_bytes", (int64_t)share->given_bytes);
  }
  cli_json_close(json);
}

void cli_view_write(const cli_view_t *view, cli_json_t *json) {
  cli_json_open(json, "cards", '[');
  for (int i = 0; i < view->card_count; ++i) {
    const cli_card_view_t *card = &view->cards[i];
    cli_json_open(json, NULL, '{');
    cli_json_int(json, "index", card->card.bus_index);
    cli_json_text(json, "name", card->card.name);
    cli_json_text(json, "uuid", card->card.uuid);
    cli_json_text(json, "pci_bus_id", card->card.pci_bus_id);
    cli_json_int(json, "total_bytes", (int64_t)card->card.total_bytes);
    cli_json_int(json, "free_bytes", (int64_t)card->card.free_bytes);
    cli_json_bool(json, "simulated", card->card.is_simulated);
    cli_json_open(json, "processes", '[');
    for (int k = 0; k < card->holder_count; ++k) {
      holder_write(&card->holders[k], json);
    }
    cli_json_close(json);
    cli_json_close(json);
  }
  cli_json_close(json);
}
