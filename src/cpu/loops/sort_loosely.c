// sort_loosely.c - The order of elements of which some are no number.
//
// TensorFlow sorts places with C++'s std::sort, which is told that a number that
// is none is neither larger nor smaller than any. Where elements end up then
// follows from the steps of the method alone: quicksort by the median of three,
// down to parts of sixteen, and insertion at last. These are its steps; ends
// that it does not look for are looked for here.
#include "cpu/loops/sort.h"

enum { SMALL = 16 };

typedef struct row {
  const double *values;
  int64_t *places;
} row_t;

static bool is_before(const row_t *row, int64_t a, int64_t b) {
  return row->values[b] < row->values[a];
}

static void swap(int64_t *a, int64_t *b) {
  int64_t kept = *a;
  *a = *b;
  *b = kept;
}

// Puts the median of the places |a|, |b| and |c| into |to|.
static void take_median(const row_t *row, int64_t *to, int64_t *a, int64_t *b,
                        int64_t *c) {
  if (is_before(row, *a, *b)) {
    swap(to, is_before(row, *b, *c) ? b : is_before(row, *a, *c) ? c : a);
  } else {
    swap(to, is_before(row, *a, *c) ? a : is_before(row, *b, *c) ? c : b);
  }
}

// Splits [first, last) around its first place; returns where the second part
// begins.
static int64_t split(const row_t *row, int64_t first, int64_t last) {
  int64_t *p = row->places, begin = first, end = last;
  int64_t pivot = p[first++];
  for (;;) {
    while (first < end && is_before(row, p[first], pivot)) ++first;
    --last;
    while (last > begin && is_before(row, pivot, p[last])) --last;
    if (first >= last) return first;
    swap(&p[first], &p[last]);
    ++first;
  }
}

static void insert(const row_t *row, int64_t first, int64_t at) {
  int64_t *p = row->places, place = p[at];
  while (at > first && is_before(row, place, p[at - 1])) {
    p[at] = p[at - 1];
    --at;
  }
  p[at] = place;
}

// Inserts each of [first, last) among those before it. What belongs in front
// of the first goes there whatever lies between.
static void insert_all(const row_t *row, int64_t first, int64_t last) {
  int64_t *p = row->places;
  for (int64_t i = first + 1; i < last; ++i) {
    int64_t place = p[i];
    if (!is_before(row, place, p[first])) {
      insert(row, first, i);
      continue;
    }
    for (int64_t at = i; at > first; --at) p[at] = p[at - 1];
    p[first] = place;
  }
}

// ---- Heaps ----

typedef bool (*before_fn)(const row_t *row, int64_t a, int64_t b);

static bool is_earlier(const row_t *row, int64_t a, int64_t b) {
  (void)row;
  return a < b;
}

// Lets the place at |at| sink in the heap of |count| places at |p|.
static void sink(const row_t *row, int64_t *p, int64_t count, int64_t at,
                 before_fn before) {
  int64_t place = p[at];
  for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && before(row, p[child], p[child + 1])) ++child;
    if (!before(row, place, p[child])) break;
    p[at] = p[child];
    at = child;
  }
  p[at] = place;
}

// Sorts |count| places at |p|, however they lie.
static void sort_heap(const row_t *row, int64_t *p, int64_t count,
                      before_fn before) {
  for (int64_t at = count / 2 - 1; at >= 0; --at) {
    sink(row, p, count, at, before);
  }
  for (int64_t left = count - 1; left > 0; --left) {
    swap(&p[0], &p[left]);
    sink(row, p, left, 0, before);
  }
}

// ---- Parts ----

// The larger part is done by the loop, so that calls do not go deep. After
// |depth| splits that were of no use a heap does the rest.
static void sort_part(const row_t *row, int64_t first, int64_t last,
                      int depth) {
  while (last - first > SMALL) {
    if (depth-- == 0) {
      sort_heap(row, row->places + first, last - first, is_before);
      return;
    }
    int64_t *p = row->places;
    take_median(row, &p[first], &p[first + 1], &p[first + (last - first) / 2],
                &p[last - 1]);
    int64_t cut = split(row, first, last);
    if (cut == last || cut == first) return;  // Nothing is before the pivot.
    if (cut - first < last - cut) {
      sort_part(row, first, cut, depth);
      first = cut;
    } else {
      sort_part(row, cut, last, depth);
      last = cut;
    }
  }
}

// Puts the places of equal numbers in order.
static void order_equal(const row_t *row, int64_t count) {
  int64_t *p = row->places;
  for (int64_t first = 0; first < count;) {
    int64_t last = first + 1;
    while (last < count && row->values[p[first]] == row->values[p[last]]) {
      ++last;
    }
    sort_heap(row, p + first, last - first, is_earlier);
    first = last;
  }
}

void berth_sort_loosely(const double *values, int64_t *places, int64_t count) {
  row_t row = {values, places};
  int depth = 0;
  for (int64_t i = 0; i < count; ++i) places[i] = i;
  for (int64_t half = count; half > 1; half /= 2) depth += 2;
  sort_part(&row, 0, count, depth);
  insert_all(&row, 0, count < SMALL ? count : SMALL);
  for (int64_t i = SMALL; i < count; ++i) insert(&row, 0, i);
  order_equal(&row, count);
}
