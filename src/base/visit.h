// visit.h - Calling a library that is taken apart when the process ends.
//
// A library in C++ destroys its static objects in handlers that exit() calls.
// Other threads run on meanwhile, and one that is inside the library, as a
// worker or the stream of a simulated card may be, falls over what is gone. So
// calls of such a library are visits:
//
//   if (berth_visit_begin()) {
//     call_the_library();
//     berth_visit_end();
//   } else {
//     do_without_it();
//   }
//
// When the process ends, a handler shuts the doors: it waits for those who are
// inside, and lets nobody else in. Whoever comes later does without, so that
// threads and handlers of the program work on until the very end. A visit must
// therefore be short: the end of the process waits for it.
//
// A visit tells no thread of another one: it orders nothing between streams.
//
// Thread-safe.
#ifndef BERTH_BASE_VISIT_H_
#define BERTH_BASE_VISIT_H_

#include <stdbool.h>

// Begins a visit; false when the doors are shut.
bool berth_visit_begin(void);

// Ends a visit that began.
void berth_visit_end(void);

// Says that the library has been loaded, or used in a way that it first had to
// get ready for: what it has left for the end of the process so far comes after
// the shutting of the doors.
void berth_visit_settle(void);

// True when the doors are shut: the process is about to end.
bool berth_visit_is_over(void);

#endif  // BERTH_BASE_VISIT_H_
