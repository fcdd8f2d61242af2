// pattern.c - Running the program of a regular expression over a text.
//
// All ways through the program are followed at once, a character at a time. A
// way is a step and the places it has noted; ways stand in the order in which
// the pattern prefers them, and no two stand at one step.
#include "base/pattern.h"

#include <string.h>

#include "base/alloc.h"
#include "base/pattern_internal.h"
#include "base/unicode.h"

enum { SLOTS = 2 * BERTH_PATTERN_GROUPS };

// Steps of programs whose searches need no memory of their own.
enum { FEW_STEPS = 32 };

typedef struct way {
  int32_t step;
  ptrdiff_t places[SLOTS];
} way_t;

// What is still to be done when a way is added: a step to go to, or a place to
// be put back.
typedef struct task {
  int32_t step;  // -1: put |place| back into |slot|.
  int32_t slot;
  ptrdiff_t place;
} task_t;

typedef struct search {
  const berth_pattern_t *pattern;
  const char *text;
  size_t size;
  bool is_whole;
  way_t *ways[2];
  int32_t counts[2];
  uint32_t *seen;  // By step: when it was last added.
  uint32_t round;
  task_t *tasks;
  size_t places_size;  // Of the places that the pattern notes.
} search_t;

// What searches of small programs use.
typedef struct room {
  way_t ways[2][FEW_STEPS];
  uint32_t seen[FEW_STEPS];
  task_t tasks[2 * FEW_STEPS + 2];
} room_t;

static bool is_word_at(const search_t *search, size_t at) {
  if (at >= search->size) return false;
  char c = search->text[at];
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || c == '_';
}

static bool place_is(const search_t *search, size_t at,
                     berth_pattern_place_t place) {
  bool before = at > 0 && is_word_at(search, at - 1);
  bool edge = before != is_word_at(search, at);
  switch (place) {
    case BERTH_PLACE_TEXT_BEGIN:
      return at == 0;
    case BERTH_PLACE_TEXT_END:
      return at == search->size;
    case BERTH_PLACE_LINE_BEGIN:
      return at == 0 || search->text[at - 1] == '\n';
    case BERTH_PLACE_LINE_END:
      return at == search->size || search->text[at] == '\n';
    case BERTH_PLACE_WORD_EDGE:
      return edge;
    default:
      return !edge;
  }
}

// Follows |step| to the next characters, and adds a way for each.
static void add_ways(search_t *search, int list, int32_t step, size_t at,
                     ptrdiff_t places[SLOTS]) {
  const berth_pattern_step_t *steps = search->pattern->steps;
  int32_t count = 0;
  search->tasks[count++] = (task_t){step, 0, 0};
  while (count > 0) {
    task_t task = search->tasks[--count];
    if (task.step < 0) {
      places[task.slot] = task.place;
      continue;
    }
    if (search->seen[task.step] == search->round) continue;
    search->seen[task.step] = search->round;
    const berth_pattern_step_t *next = &steps[task.step];
    switch (next->op) {
      case BERTH_PATTERN_JUMP:
        search->tasks[count++] = (task_t){task.step + next->x, 0, 0};
        break;
      case BERTH_PATTERN_SPLIT:
        search->tasks[count++] = (task_t){task.step + next->y, 0, 0};
        search->tasks[count++] = (task_t){task.step + next->x, 0, 0};
        break;
      case BERTH_PATTERN_SAVE:
        search->tasks[count++] = (task_t){-1, next->x, places[next->x]};
        places[next->x] = (ptrdiff_t)at;
        search->tasks[count++] = (task_t){task.step + 1, 0, 0};
        break;
      case BERTH_PATTERN_CHECK:
        if (place_is(search, at, (berth_pattern_place_t)next->x)) {
          search->tasks[count++] = (task_t){task.step + 1, 0, 0};
        }
        break;
      default: {
        way_t *way = &search->ways[list][search->counts[list]++];
        way->step = task.step;
        memcpy(way->places, places, search->places_size);
        break;
      }
    }
  }
}

static bool class_has(const berth_pattern_t *pattern,
                      const berth_pattern_step_t *step, int32_t c) {
  const berth_pattern_range_t *range = &pattern->ranges[step->y];
  if (c < 0) return false;
  for (int32_t i = 0; i < step->x; ++i) {
    if (c >= range[i].low && c <= range[i].high) return !step->is_negated;
  }
  return step->is_negated;
}

// Moves all ways over the character |c| to |after|; true, with the places, when
// one was done at |at|. Those it was preferred to are dropped.
static bool step_ways(search_t *search, int list, int32_t c, size_t at,
                      size_t after, ptrdiff_t found[SLOTS]) {
  bool is_done = false;
  search->counts[1 - list] = 0;
  ++search->round;
  for (int32_t i = 0; i < search->counts[list]; ++i) {
    way_t *way = &search->ways[list][i];
    const berth_pattern_step_t *step = &search->pattern->steps[way->step];
    if (step->op == BERTH_PATTERN_DONE) {
      if (search->is_whole && at != search->size) continue;
      memcpy(found, way->places, search->places_size);
      is_done = true;
      break;
    }
    if (class_has(search->pattern, step, c)) {
      add_ways(search, 1 - list, way->step + 1, after, way->places);
    }
  }
  return is_done;
}

static bool run_search(search_t *search, size_t start, ptrdiff_t found[SLOTS]) {
  bool has_found = false;
  int list = 0;
  size_t at = start;
  search->counts[0] = 0;
  ++search->round;
  for (;;) {
    if (!has_found && !search->is_whole && search->counts[list] == 0) {
      at = berth_pattern_table_skip(&search->pattern->table, search->text,
                                    search->size, at);
    }
    if (!has_found && (at == start || !search->is_whole)) {
      ptrdiff_t places[SLOTS];
      for (int i = 0; i < SLOTS; ++i) places[i] = -1;
      add_ways(search, list, 0, at, places);
    }
    int32_t c = -1;
    size_t length = 0;
    if (at < search->size) {
      length =
          (size_t)berth_utf8_read(search->text + at, search->size - at, &c);
    }
    if (step_ways(search, list, c, at, at + length, found)) has_found = true;
    if (at >= search->size) break;
    at += length;
    list = 1 - list;
    if (search->counts[list] == 0 && (has_found || search->is_whole)) break;
  }
  return has_found;
}

static bool search_open(search_t *search, room_t *room) {
  size_t count = (size_t)search->pattern->step_count;
  if (count <= FEW_STEPS) {
    memset(room->seen, 0, sizeof(room->seen));
    search->ways[0] = room->ways[0];
    search->ways[1] = room->ways[1];
    search->seen = room->seen;
    search->tasks = room->tasks;
    return true;
  }
  search->ways[0] = berth_calloc(count, sizeof(way_t));
  search->ways[1] = berth_calloc(count, sizeof(way_t));
  search->seen = berth_calloc(count, sizeof(*search->seen));
  // Each step leaves two tasks at most, and is met once in a round.
  search->tasks = berth_calloc(2 * count + 2, sizeof(*search->tasks));
  return search->ways[0] != NULL && search->ways[1] != NULL &&
         search->seen != NULL && search->tasks != NULL;
}

static void search_close(search_t *search) {
  if (search->pattern->step_count <= FEW_STEPS) return;
  berth_free(search->ways[0]);
  berth_free(search->ways[1]);
  berth_free(search->seen);
  berth_free(search->tasks);
}

// Notes places and follows all ways, for what tables do not answer.
static berth_code_t search_all(const berth_pattern_t *pattern, const char *text,
                               size_t size, size_t start, bool is_whole,
                               ptrdiff_t found[SLOTS], bool *out_found,
                               berth_error_t *err) {
  room_t room;
  int32_t groups = pattern->groups < BERTH_PATTERN_GROUPS
                       ? pattern->groups + 1
                       : BERTH_PATTERN_GROUPS;
  search_t search = {.pattern = pattern,
                     .text = text,
                     .size = size,
                     .is_whole = is_whole,
                     .places_size = 2 * (size_t)groups * sizeof(ptrdiff_t)};
  berth_code_t code = BERTH_OK;
  if (search_open(&search, &room)) {
    *out_found = run_search(&search, start, found);
  } else {
    code = berth_error_no_memory(err, "a search");
  }
  search_close(&search);
  return code;
}

berth_code_t berth_pattern_search(const berth_pattern_t *pattern,
                                  const char *text, size_t size, size_t start,
                                  bool is_whole,
                                  berth_match_t groups[BERTH_PATTERN_GROUPS],
                                  bool *out_found, berth_error_t *err) {
  if (is_whole && groups == NULL) {
    berth_pattern_answer_t answer =
        berth_pattern_table_match(&pattern->table, text + start, size - start);
    *out_found = answer == BERTH_PATTERN_YES;
    if (answer != BERTH_PATTERN_UNKNOWN) return BERTH_OK;
  }
  size_t first =
      is_whole ? start
               : berth_pattern_table_skip(&pattern->table, text, size, start);
  if (first == size && first > start && pattern->table.has_first) {
    *out_found = false;
    return BERTH_OK;
  }
  ptrdiff_t found[SLOTS];
  for (int i = 0; i < SLOTS; ++i) found[i] = -1;
  BERTH_TRY(
      search_all(pattern, text, size, start, is_whole, found, out_found, err));
  for (int i = 0; groups != NULL && *out_found && i < BERTH_PATTERN_GROUPS;
       ++i) {
    groups[i] = (berth_match_t){found[2 * i], found[2 * i + 1]};
  }
  return BERTH_OK;
}
