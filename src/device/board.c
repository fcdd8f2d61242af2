// board.c - Where the Berth processes of a machine tell each other what they
// hold, and ask each other for memory.
#include "device/board.h"

#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/fork.h"
#include "base/hash.h"

#define SECOND ((int64_t)1000000000)

enum {
  MOST_ASKED = 256,  // Processes that are asked at once.
  LOOK_NS = 500000,  // Between looks for an answer.
};

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards making the page.
static bool has_tried = false, has_left = false;
static _Atomic(berth_board_page_t *) own = NULL;

static void before_fork(void) { berth_mutex_lock(&lock); }
static void in_parent(void) { berth_mutex_unlock(&lock); }

// The file is the parent's.
static void in_child(void) {
  atomic_store(&own, NULL);
  has_tried = false;
  berth_board_file_forget();
  berth_mutex_unlock(&lock);
}

BERTH_FORK_HOOK(board, .rank = BERTH_FORK_LEAF, .before = before_fork,
                .in_parent = in_parent, .in_child = in_child)

// ---- The own lines ----

// Is there so that files of the dead are looked for, and removed.
static bool pass_by(void *arg, berth_board_page_t *page, bool *keep) {
  (void)arg, (void)page, (void)keep;
  return true;
}

// Returns the line of |key|, or NULL.
static berth_board_card_t *find_line(berth_board_page_t *page,
                                     const char *key) {
  uint32_t count = atomic_load(&page->card_count);
  for (uint32_t i = 0; i < count && i < BERTH_BOARD_CARDS; ++i) {
    if (strncmp(page->cards[i].key, key, BERTH_CARD_UUID) == 0) {
      return &page->cards[i];
    }
  }
  return NULL;
}

// Lock held.
static berth_board_card_t *add_line(berth_board_page_t *page, const char *key,
                                    const char *pci_bus_id) {
  uint32_t count = atomic_load(&page->card_count);
  if (count >= BERTH_BOARD_CARDS) return NULL;
  berth_board_card_t *line = &page->cards[count];
  snprintf(line->key, sizeof(line->key), "%s", key);
  snprintf(line->pci_bus_id, sizeof(line->pci_bus_id), "%s", pci_bus_id);
  atomic_store(&page->card_count, count + 1);
  return line;
}

berth_board_card_t *berth_board_enter(const char *key, const char *pci_bus_id) {
  berth_mutex_lock(&lock);
  if (!has_tried && !has_left) {
    atomic_store(&own, berth_board_file_open());
    berth_board_file_visit(pass_by, NULL);
  }
  has_tried = true;
  berth_board_page_t *page = atomic_load(&own);
  berth_board_card_t *line = page != NULL ? find_line(page, key) : NULL;
  if (page != NULL && line == NULL) line = add_line(page, key, pci_bus_id);
  berth_mutex_unlock(&lock);
  return line;
}

void berth_board_leave(void) {
  berth_mutex_lock(&lock);
  has_left = true;
  // What others have left goes, too.
  if (atomic_load(&own) != NULL) berth_board_file_visit(pass_by, NULL);
  // The page stays mapped: whoever has a line may write to it still.
  berth_board_file_close();
  berth_mutex_unlock(&lock);
}

static void put(_Atomic uint64_t *place, uint64_t value) {
  atomic_store_explicit(place, value, memory_order_relaxed);
}

static uint64_t get(_Atomic uint64_t *place) {
  return atomic_load_explicit(place, memory_order_relaxed);
}

void berth_board_publish(berth_board_card_t *line,
                         const berth_card_figures_t *figures) {
  if (line == NULL) return;
  put(&line->budget_bytes, figures->budget_bytes);
  put(&line->floor_bytes, figures->floor_bytes);
  put(&line->pool_bytes, figures->pool_bytes);
  put(&line->in_use_bytes, figures->in_use_bytes);
  put(&line->peak_bytes, figures->peak_bytes);
  put(&line->outside_bytes, figures->outside_bytes);
}

// ---- Being asked ----

bool berth_board_asked(berth_board_card_t *line, uint64_t *out_bytes,
                       uint64_t *out_ticket) {
  if (line == NULL) return false;
  uint64_t ticket = atomic_load(&line->asked);
  if (ticket == get(&line->answered)) return false;
  *out_ticket = ticket;
  *out_bytes = atomic_exchange(&line->asked_bytes, 0);
  return true;
}

void berth_board_answer(berth_board_card_t *line, uint64_t ticket,
                        uint64_t bytes) {
  atomic_fetch_add(&line->given_bytes, bytes);
  atomic_store(&line->answered, ticket);
}

uint32_t berth_board_bell(void) {
  berth_board_page_t *page = atomic_load(&own);
  return page != NULL ? atomic_load(&page->bell) : 0;
}

void berth_board_wait(uint32_t seen, int64_t wait_ns) {
  berth_board_page_t *page = atomic_load(&own);
  if (page == NULL) {
    berth_sleep_ns(wait_ns);
    return;
  }
  struct timespec wait = {.tv_sec = (time_t)(wait_ns / SECOND),
                          .tv_nsec = (long)(wait_ns % SECOND)};
  (void)syscall(SYS_futex, &page->bell, FUTEX_WAIT, seen, &wait, NULL, 0);
}

static void ring(berth_board_page_t *page) {
  atomic_fetch_add(&page->bell, 1);
  (void)syscall(SYS_futex, &page->bell, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void berth_board_ring(void) {
  berth_board_page_t *page = atomic_load(&own);
  if (page != NULL) ring(page);
}

// ---- Asking ----

// Those who were asked, each with the number of the request.
typedef struct question {
  const char *key;
  uint64_t bytes;
  int count;
  struct {
    berth_board_page_t *page;
    berth_board_card_t *line;
    uint64_t ticket, given;
  } asked[MOST_ASKED];
} question_t;

static void raise_to(_Atomic uint64_t *place, uint64_t value) {
  uint64_t before = atomic_load(place);
  while (before < value &&
         !atomic_compare_exchange_weak(place, &before, value)) {
  }
}

// Asks one process, if it has something to give.
static bool ask_one(void *arg, berth_board_page_t *page, bool *keep) {
  question_t *question = arg;
  berth_board_card_t *line = find_line(page, question->key);
  if (line == NULL || get(&line->pool_bytes) == 0) return true;
  int at = question->count++;
  question->asked[at].page = page;
  question->asked[at].line = line;
  question->asked[at].given = atomic_load(&line->given_bytes);
  raise_to(&line->asked_bytes, question->bytes);
  question->asked[at].ticket = atomic_fetch_add(&line->asked, 1) + 1;
  ring(page);
  *keep = true;
  return question->count < MOST_ASKED;
}

static bool is_answered(const question_t *question) {
  for (int i = 0; i < question->count; ++i) {
    if (atomic_load(&question->asked[i].line->answered) <
        question->asked[i].ticket) {
      return false;
    }
  }
  return true;
}

uint64_t berth_board_ask(const char *key, uint64_t bytes, int64_t wait_ns) {
  question_t question = {.key = key, .bytes = bytes};
  berth_board_page_t *page = atomic_load(&own);
  berth_board_card_t *line = page != NULL ? find_line(page, key) : NULL;
  if (line != NULL) put(&line->wish_bytes, bytes);
  int64_t until = berth_now_ns() + wait_ns;
  berth_board_file_visit(ask_one, &question);
  while (!is_answered(&question) && berth_now_ns() < until) {
    berth_sleep_ns(LOOK_NS);
  }
  uint64_t given = 0;
  for (int i = 0; i < question.count; ++i) {
    given += atomic_load(&question.asked[i].line->given_bytes) -
             question.asked[i].given;
    berth_board_file_unmap(question.asked[i].page);
  }
  if (line != NULL) put(&line->wish_bytes, 0);
  return given;
}

// ---- Looking ----

typedef struct listing {
  berth_card_share_t *shares;
  int room, count;
  bool is_self;
} listing_t;

void berth_board_mark(char mark[BERTH_BOARD_MARK]) {
  const char *ledger = berth_env_get("BERTH_SIMULATE_LEDGER");
  if (ledger == NULL) ledger = "";
  snprintf(mark, BERTH_BOARD_MARK, "@%016llx",
           (unsigned long long)berth_hash(ledger, strlen(ledger), 0));
}

// True for a card of the machine, and for a simulated one of this ledger.
static bool is_here(const berth_board_card_t *line) {
  char mark[BERTH_BOARD_MARK];
  const char *found = strchr(line->key, '@');
  berth_board_mark(mark);
  return found == NULL || strcmp(found, mark) == 0;
}

static void list_line(listing_t *listing, const berth_board_page_t *page,
                      berth_board_card_t *line) {
  if (!is_here(line)) return;
  int at = listing->count++;
  if (at >= listing->room) return;
  berth_card_share_t *share = &listing->shares[at];
  *share = (berth_card_share_t){.pid = page->pid,
                                .budget_bytes = get(&line->budget_bytes),
                                .floor_bytes = get(&line->floor_bytes),
                                .pool_bytes = get(&line->pool_bytes),
                                .in_use_bytes = get(&line->in_use_bytes),
                                .peak_bytes = get(&line->peak_bytes),
                                .outside_bytes = get(&line->outside_bytes),
                                .wish_bytes = get(&line->wish_bytes),
                                .asked_count = get(&line->asked),
                                .given_bytes = get(&line->given_bytes),
                                .is_self = listing->is_self};
  snprintf(share->program, sizeof(share->program), "%.*s",
           (int)sizeof(page->program) - 1, page->program);
  // What follows the UUID says whose accounts a simulated card is in.
  snprintf(share->card_uuid, sizeof(share->card_uuid), "%.*s",
           (int)strcspn(line->key, "@"), line->key);
  snprintf(share->pci_bus_id, sizeof(share->pci_bus_id), "%.*s",
           (int)sizeof(line->pci_bus_id) - 1, line->pci_bus_id);
}

static bool list_page(void *arg, berth_board_page_t *page, bool *keep) {
  (void)keep;
  uint32_t count = atomic_load(&page->card_count);
  for (uint32_t i = 0; i < count && i < BERTH_BOARD_CARDS; ++i) {
    list_line(arg, page, &page->cards[i]);
  }
  return true;
}

int berth_board_list(berth_card_share_t *shares, int room) {
  listing_t listing = {.shares = shares, .room = room, .is_self = true};
  berth_board_page_t *page = atomic_load(&own);
  bool keep = false;
  if (page != NULL) list_page(&listing, page, &keep);
  listing.is_self = false;
  berth_board_file_visit(list_page, &listing);
  return listing.count;
}
