// hold.h - Signals that wait until a file is written.
//
// A signal that ends the process must not do so between the creation of a
// temporary file and its end. Only signals that nobody handles are held back:
// a program's own handlers run as ever. They are held back from the calling
// thread; Berth's own threads take none, and a program that has others may end
// by one of those.
#ifndef BERTH_IO_HOLD_H_
#define BERTH_IO_HOLD_H_

#include <signal.h>
#include <stdbool.h>

typedef struct berth_file_hold {
  sigset_t before;  // What the thread blocked.
  sigset_t ends;    // What is held back and would end the process.
  bool is_over_limit_held;
} berth_file_hold_t;

// Holds back the signal of a file that grows beyond the limit, so that writing
// fails instead, and with |is_whole| those that ask the process to end.
void berth_file_hold_begin(berth_file_hold_t *hold, bool is_whole);

// Returns the number of a signal that has come and would end the process, or 0.
int berth_file_hold_signal(const berth_file_hold_t *hold);

// Lets them through: one that has come ends the process here.
void berth_file_hold_end(berth_file_hold_t *hold);

#endif  // BERTH_IO_HOLD_H_
