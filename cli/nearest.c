// nearest.c - What somebody meant who wrote a word that is not known.
#include "nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Longer words are not compared: nobody mistypes those by hand.
enum { MOST = 64 };

static int least(int a, int b) { return a < b ? a : b; }

static bool is_same(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// Counts the steps from |a| to |b|: one letter changed, left out, put in, or
// two neighbours that change places. Three rows of the table are kept.
static int count_steps(const char *a, int a_size, const char *b, int b_size) {
  int rows[3][MOST + 1];
  int *before = rows[0], *last = rows[1], *row = rows[2];
  for (int j = 0; j <= b_size; ++j) last[j] = j;
  for (int i = 1; i <= a_size; ++i) {
    row[0] = i;
    for (int j = 1; j <= b_size; ++j) {
      int change = last[j - 1] + !is_same(a[i - 1], b[j - 1]);
      row[j] = least(change, 1 + least(last[j], row[j - 1]));
      if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) &&
          is_same(a[i - 2], b[j - 1])) {
        row[j] = least(row[j], before[j - 2] + 1);
      }
    }
    int *oldest = before;
    before = last;
    last = row;
    row = oldest;
  }
  return last[b_size];
}

void cli_nearest_try(cli_nearest_t *near, const char *name) {
  size_t word_size = strlen(near->word), name_size = strlen(name);
  if (word_size == 0 || word_size > MOST || name_size > MOST) return;
  int steps = count_steps(near->word, (int)word_size, name, (int)name_size);
  size_t longer = word_size > name_size ? word_size : name_size;
  if (3 * steps > (int)longer) return;
  if (near->best != NULL && near->distance <= steps) return;
  near->best = name;
  near->distance = steps;
}

const char *cli_nearest_say(cli_nearest_t *near) {
  if (near->best == NULL) return "";
  snprintf(near->text, sizeof(near->text), "; did you mean %s?", near->best);
  return near->text;
}
