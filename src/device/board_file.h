// board_file.h - The files through which processes see each other.
//
// One file per process, in a folder of its user's:
//
//   /dev/shm/berth-1000/ 4711-88123456     <pid>-<when it started>
//                        4712-88123999
//
// A process holds a record lock on its file from before the name appears until
// it dies, however it dies; a file without one is nobody's, and whoever lists
// the folder removes it. (Record locks belong to a process: a forked child
// holds none.)
//
// The folder is BERTH_SHARED_DIR, or /dev/shm/berth-<user>; "none" stands for
// no folder. One that others could write to is not used.
//
// Threads: thread-safe.
#ifndef BERTH_DEVICE_BOARD_FILE_H_
#define BERTH_DEVICE_BOARD_FILE_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/card.h"

enum {
  BERTH_BOARD_VERSION = 1,
  BERTH_BOARD_CARDS = 32,
  BERTH_BOARD_PROGRAM = 64,
};

// One card, as one process uses it. The owner of the file writes figures, the
// others |asked_bytes| and |asked|.
typedef struct berth_board_card {
  char key[BERTH_CARD_UUID];  // Which card; "" in an empty line.
  char pci_bus_id[BERTH_CARD_PCI];
  _Atomic uint64_t budget_bytes, floor_bytes;
  _Atomic uint64_t pool_bytes, in_use_bytes, peak_bytes, outside_bytes;
  _Atomic uint64_t wish_bytes;
  _Atomic uint64_t asked_bytes;  // Largest request that waits; 0: none.
  _Atomic uint64_t asked;        // Requests there were,
  _Atomic uint64_t answered;     // those that were answered,
  _Atomic uint64_t given_bytes;  // and what was given in all.
} berth_board_card_t;

// What a file consists of.
typedef struct berth_board_page {
  char magic[8];
  uint32_t version;
  uint32_t size;  // Of this struct.
  int64_t pid;
  char program[BERTH_BOARD_PROGRAM];
  _Atomic uint32_t bell;        // Goes up when somebody asks; a futex.
  _Atomic uint32_t card_count;  // Lines that are written.
  berth_board_card_t cards[BERTH_BOARD_CARDS];
} berth_board_page_t;

// Writes what people would call this process: its script, or its program.
void berth_board_program(char program[BERTH_BOARD_PROGRAM]);

// Opens the folder, which is made if need be; -1: there is none to be used.
int berth_board_folder(void);

// Makes the file of this process and maps it; NULL when there is no folder, or
// nothing can be made in it. Not for two threads at once.
berth_board_page_t *berth_board_file_open(void);

// Takes the file away. The mapping stays.
void berth_board_file_close(void);

// Forgets the file, which is the parent's. For the child of a fork.
void berth_board_file_forget(void);

// Calls |visit| with the page of every other process that lives, until it
// returns false; removes the files of those that do not. A page is mapped for
// the call alone, unless |visit| sets |*keep|: then it is the caller's to
// unmap.
typedef bool (*berth_board_visit_fn)(void *arg, berth_board_page_t *page,
                                     bool *keep);
void berth_board_file_visit(berth_board_visit_fn visit, void *arg);

// Unmaps a page that a visit has kept.
void berth_board_file_unmap(berth_board_page_t *page);

#endif  // BERTH_DEVICE_BOARD_FILE_H_
