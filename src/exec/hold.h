// hold.h - The cards that a run uses are not given back meanwhile.
//
// A program notes the devices that it works on as it is made, and holds their
// gates (device/gate.h) until it is; every run of it holds them all.
//
// Threads: the holds of a run belong to its thread.
#ifndef BERTH_EXEC_HOLD_H_
#define BERTH_EXEC_HOLD_H_

#include "device/gate.h"
#include "exec/program.h"

// A device that a program works on; in the program's arena.
struct berth_used_device {
  berth_device_t *device;  // Borrowed.
  berth_hold_t making;     // While the program is made.
  berth_used_device_t *next;
};

// Notes that |program|, which is being made, works on |device| (NULL: nothing),
// holds its gate and starts it. |watch| may end waiting for the gate:
// BERTH_CANCELLED or BERTH_DEADLINE_EXCEEDED. Fails too with what starting the
// device fails with; the device is not noted then.
BERTH_NODISCARD berth_code_t berth_program_use(berth_program_t *program,
                                               berth_device_t *device,
                                               berth_watch_t *watch,
                                               berth_error_t *err);

// Lets go of the gates when |program| is made, or has failed.
void berth_program_let_go(berth_program_t *program);

// What one run holds. Most use one card, or none.
typedef struct berth_holds {
  berth_hold_t few[2];
  berth_hold_t *all;
  int count;
} berth_holds_t;

// Holds the gates of everything that |program| works on, and makes sure that it
// is started, in one order for all programs. |watch| (NULL: nothing) may end
// waiting for them. Fails as berth_program_use() does; nothing is held then.
BERTH_NODISCARD berth_code_t berth_holds_enter(berth_holds_t *holds,
                                               const berth_program_t *program,
                                               berth_watch_t *watch,
                                               berth_error_t *err);

// Lets go of them. Zeroed is fine.
void berth_holds_leave(berth_holds_t *holds);

#endif  // BERTH_EXEC_HOLD_H_
