// sort.h - Putting many elements in order.
//
// Numbers are sorted by the digits of their keys, the least significant first:
// each pass counts how often a digit is there, which says where the elements
// with it begin, and puts them there in the order they had. Pieces of the row
// are counted and moved at the same time; where each of them puts its elements
// follows from the counts of all, so that the result is the same for any number
// of threads.
//
// Thread-safe; the memory is the caller's.
#ifndef BERTH_CPU_LOOPS_SORT_H_
#define BERTH_CPU_LOOPS_SORT_H_

#include <stdbool.h>
#include <stdint.h>

// A key and what it belongs to.
typedef struct berth_sort_entry {
  uint64_t key;
  int64_t index;
} berth_sort_entry_t;

// Sort |count| elements by bits [first, last) of their keys, both multiples of
// 8, the smallest first; of equal keys, in the order they have. Those of words
// are their own keys. |room| has space for as many. Returns where the result
// is, one of the two, or NULL when the loop was ended.
uint64_t *berth_sort_words(uint64_t *words, uint64_t *room, int64_t count,
                           int first, int last);
berth_sort_entry_t *berth_sort_entries(berth_sort_entry_t *entries,
                                       berth_sort_entry_t *room, int64_t count,
                                       int first, int last);

// Puts the places [0, count) at |places| in the order in which TensorFlow has
// elements of which some are no number, the largest first: that of C++'s
// std::sort in GCC's library, for which such elements are neither larger nor
// smaller than any, and equal ones in the order of their places.
void berth_sort_loosely(const double *values, int64_t *places, int64_t count);

#endif  // BERTH_CPU_LOOPS_SORT_H_
