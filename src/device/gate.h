// gate.h - A card that is used by many, or changed by one.
//
// Whoever works on a card (a run, an eager call, a copy) holds its gate; so
// does memory of others that lies on it. Whoever gives the card back closes the
// gate, which takes until everybody has left:
//
//   open     o  o   o          holders come and go
//   closing  o  o | w  w       a closer waits for those inside; others wait
//   closed        |C| w  w     the closer has it alone
//
// A closer never waits for long: after a stated time the gate is open again,
// those outside go in, and the closer is told who was inside. So nobody waits
// in a circle for longer than that: neither a run whose callback waits for a
// thread that waits outside, nor two who hold one gate each and want the other.
//
// A thread that holds a gate enters it again without asking: a callback of a
// run may run, copy and call. Only closing it from inside is refused.
//
//   gate ──> holds: intrusive list, newest first     who is inside
//   thread ──> its own holds: innermost first        what it need not ask for
//
// Threads: thread-safe. The lock of a gate is innermost: nothing is locked or
// called under it. After fork() the child's gates are open, and hold nobody but
// the forking thread.
#ifndef BERTH_DEVICE_GATE_H_
#define BERTH_DEVICE_GATE_H_

#include "base/thread.h"
#include "device/await.h"

typedef struct berth_gate berth_gate_t;
typedef struct berth_hold berth_hold_t;

// Being inside a gate. The holder's storage, from enter to leave; zeroed holds
// nothing.
struct berth_hold {
  berth_gate_t *gate;  // NULL: holds nothing.
  const char *what;    // "a run of a session". Borrowed.
  const char *name;    // Of what it works on: an op. Borrowed; NULL: none.
  const void *owner;   // The thread, as gate.c knows it.
  int64_t thread;      // The same, as people do.
  int64_t since_ns;
  bool is_inner;              // The thread held the gate already.
  bool is_lasting;            // Belongs to no thread.
  berth_hold_t *next, *prev;  // In the gate; guarded by its lock.
  berth_hold_t *outer;        // In the thread.
};

struct berth_gate {
  berth_mutex_t lock;    // Guards what follows.
  berth_cond_t changed;  // Somebody left, or it is open again.
  berth_hold_t *holds;   // All that are inside, but inner ones.
  bool is_closed;        // Or closing: nobody comes in.
  const void *closer;    // The thread that does it, as in a hold.
  int64_t closer_thread;
  berth_gate_t *next;  // All gates; guarded by their list's lock.
};

// Sets |gate| up, open, and lets go of it when nobody is inside any more.
void berth_gate_init(berth_gate_t *gate);
void berth_gate_deinit(berth_gate_t *gate);

// Goes inside |gate| (NULL: nothing happens) with |hold|, whose |what| and
// |name| the caller has set. Waits while it is closed, looking at what may end
// the wait: BERTH_CANCELLED, with |hold| empty, when |look| (NULL: nothing)
// says so, and nothing else. One uncontended mutex.
BERTH_NODISCARD berth_code_t berth_gate_enter(berth_gate_t *gate,
                                              berth_hold_t *hold,
                                              berth_look_fn look, void *arg);

// The same for what stays inside beyond the call, on behalf of no thread;
// leave() may come from any.
void berth_gate_enter_lasting(berth_gate_t *gate, berth_hold_t *hold);

// Goes outside again: what was entered last by a thread leaves first. Fine for
// a hold that holds nothing.
void berth_gate_leave(berth_hold_t *hold);

// True when the calling thread is inside |gate|.
bool berth_gate_is_held(const berth_gate_t *gate);

// Returns what the calling thread works on, as its innermost hold says it: an
// op, or what kind of thing; NULL: it holds no gate. Borrowed; for now.
const char *berth_gate_label(void);

// Takes |gate| alone; |hold| is the caller's until berth_gate_open(), and lets
// its thread enter. Tries, then waits up to |wait_ns| while newcomers wait
// outside.
//
// Fails with BERTH_FAILED_PRECONDITION, the gate open as before, when somebody
// is still inside, or inside for good, or closes it too; |name| is what the
// text calls the card: `GPU:0 is in use by a run of a session (thread 12, for
// 3.2 s)`. At once when the calling thread is inside itself.
BERTH_NODISCARD berth_code_t berth_gate_close(berth_gate_t *gate,
                                              berth_hold_t *hold,
                                              const char *name, int64_t wait_ns,
                                              berth_error_t *err);
void berth_gate_open(berth_hold_t *hold);

#endif  // BERTH_DEVICE_GATE_H_
