// ages.h - How long things have been idle, without reading a clock each time.
//
// Memory that falls idle is stamped with a counter, which costs nothing. Now
// and then somebody who has the time at hand notes "at time t the counter stood
// at c"; whatever has a stamp up to c has been idle since t at least. A few
// notes are kept, close together for the recent past and farther apart for the
// distant one, so that an answer is late by a fraction of the age asked for.
//
// Threads: caller serialises.
#ifndef BERTH_MEMORY_AGES_H_
#define BERTH_MEMORY_AGES_H_

#include <stdint.h>

enum { BERTH_AGES = 24 };

// Zeroed is empty and valid.
typedef struct berth_ages {
  int64_t times[BERTH_AGES];    // Nanoseconds, ascending.
  uint64_t stamps[BERTH_AGES];  // What the counter stood at.
  int count;
} berth_ages_t;

// Notes that the counter stands at |stamp| at time |now|.
void berth_ages_note(berth_ages_t *ages, int64_t now, uint64_t stamp);

// Returns the largest stamp that is known to be from |time| or before; 0 when
// none is.
uint64_t berth_ages_at(const berth_ages_t *ages, int64_t time);

#endif  // BERTH_MEMORY_AGES_H_
