// nearest.h - What somebody meant who wrote a word that is not known.
//
//   cli_nearest_t near = {.word = "rnu"};
//   for (...) cli_nearest_try(&near, name);
//   cli_misuse(NULL, "there is no command 'rnu'%s", cli_nearest_say(&near));
#ifndef BERTH_CLI_NEAREST_H_
#define BERTH_CLI_NEAREST_H_

// The search for a word. Caller serialises.
typedef struct cli_nearest {
  const char *word;  // What was written. Borrowed.
  const char *best;  // The nearest so far, or NULL. Borrowed.
  int distance;      // Of that one.
  char text[128];    // What cli_nearest_say() returns.
} cli_nearest_t;

// Compares with |name|: letters that differ, are missing, are too many or have
// changed places count, upper and lower case do not. What differs in more than
// a third of its letters is another word.
void cli_nearest_try(cli_nearest_t *near, const char *name);

// Returns "; did you mean NAME?", or "" when nothing is near. Borrowed.
const char *cli_nearest_say(cli_nearest_t *near);

#endif  // BERTH_CLI_NEAREST_H_
