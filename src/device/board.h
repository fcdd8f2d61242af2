// board.h - Where the Berth processes of a machine tell each other what they
// hold, and ask each other for memory.
//
//   process A                      its file             process B
//   publish figures  ───────────>  [ card: figures ]  <── list
//   wait for the bell  <─────────  [ bell, asked   ]  <── ask for 2 GiB
//   give back, answer  ──────────> [ answered      ]  ──> tries again
//
// A line is one card as one process uses it; cards are told apart by a key, the
// card's UUID (and, for simulated ones, whose accounts they are in). Figures
// are stored one by one without a lock: a reader may see some a moment older
// than others. Where there is no folder for files (device/board_file.h) a
// process has no line, and nobody to ask.
//
// Threads: thread-safe. After fork() the child has lines of its own.
#ifndef BERTH_DEVICE_BOARD_H_
#define BERTH_DEVICE_BOARD_H_

#include "berth/share.h"
#include "device/board_file.h"

// What a process says about one card. Bytes.
typedef struct berth_card_figures {
  uint64_t budget_bytes;  // 0: none.
  uint64_t floor_bytes;
  uint64_t pool_bytes, in_use_bytes, peak_bytes;
  uint64_t outside_bytes;
} berth_card_figures_t;

// Returns this process's line for the card called |key|, made if there is none;
// NULL: nobody will see it. Lives as long as the process.
berth_board_card_t *berth_board_enter(const char *key, const char *pci_bus_id);

// Puts |figures| on |line| (NULL: nowhere).
void berth_board_publish(berth_board_card_t *line,
                         const berth_card_figures_t *figures);

// True when somebody wants memory of the card of |line|: how much, and which
// requests that is, for the answer.
bool berth_board_asked(berth_board_card_t *line, uint64_t *out_bytes,
                       uint64_t *out_ticket);

// Answers the requests up to |ticket|: |bytes| were given back.
void berth_board_answer(berth_board_card_t *line, uint64_t ticket,
                        uint64_t bytes);

// Returns the number of times that somebody has asked this process; and waits
// until it is another one than |seen|, or |wait_ns| have gone by. Without a
// board nothing but time ends the wait.
uint32_t berth_board_bell(void);
void berth_board_wait(uint32_t seen, int64_t wait_ns);

// Ends the wait of this process's own thread.
void berth_board_ring(void);

// Asks the other processes on the card called |key| for |bytes|, and waits for
// their answers up to |wait_ns|. Returns what they gave.
uint64_t berth_board_ask(const char *key, uint64_t bytes, int64_t wait_ns);

// Writes what follows the UUID of a simulated card in its key: cards of one name in
// two ledgers are two cards.
enum { BERTH_BOARD_MARK = 18 };
void berth_board_mark(char mark[BERTH_BOARD_MARK]);

// Fills |shares| with the lines of all processes, this one first, at most
// |room|; returns how many there are.
int berth_board_list(berth_card_share_t *shares, int room);

// Takes the lines of this process away, for good. At the end of the process.
void berth_board_leave(void);

#endif  // BERTH_DEVICE_BOARD_H_
