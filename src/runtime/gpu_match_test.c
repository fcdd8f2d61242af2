// gpu_match_test.c - Which numbers logical GPUs get when some are there
// already.
#include "runtime/gpu_match.h"

#include "harness.h"

enum { MOST = 6 };

// Matches cards |wanted| ("0 1 1") with slots |there| ("0 1! - 2!": "!" stays,
// "-" is a hole), and writes the numbers, and what nobody wants behind a bar.
static const char *match(const char *wanted, const char *there) {
  static char text[64];
  berth_logical_gpu_t items[MOST] = {0};
  berth_gpu_slot_t slots[MOST] = {0};
  int numbers[MOST], slot_count = 0;
  berth_gpus_t gpus = {.items = items};
  for (; *wanted != '\0'; wanted += wanted[1] == ' ' ? 2 : 1) {
    items[gpus.count++].card = *wanted - '0';
  }
  for (; *there != '\0'; ++there) {
    if (*there == ' ') continue;
    if (*there == '!') {
      slots[slot_count - 1].stays = true;
    } else {
      slots[slot_count++].card = *there - '0';
    }
  }
  int unwanted = berth_gpu_match(&gpus, slots, slot_count, numbers);
  text[0] = '\0';
  for (int i = 0; i < gpus.count; ++i) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof(text) - used, "%s%d", i > 0 ? " " : "",
             numbers[i]);
  }
  size_t used = strlen(text);
  if (unwanted >= 0) {
    snprintf(text + used, sizeof(text) - used, "|%d", unwanted);
  }
  return text;
}

TEST(gpu_match, as_at_the_start_where_nothing_stays) {
  EXPECT_STR(match("0 1 2", ""), "0 1 2");
  EXPECT_STR(match("1 2", "0 1 2"), "0 1");
  EXPECT_STR(match("2", "0 1 2"), "0");
  EXPECT_STR(match("", "0 1 2"), "");
}

TEST(gpu_match, what_stays_keeps_its_number) {
  EXPECT_STR(match("1 2", "0 1! 2"), "1 0");
  EXPECT_STR(match("0 0 1", "0 1!"), "0 2 1");
  EXPECT_STR(match("0 1 1", "0 1 1!"), "0 1 2");
  EXPECT_STR(match("0 1 1 2 2 2", "0 1 2! - 2! 1!"), "0 5 1 2 4 3");
}

TEST(gpu_match, says_what_nobody_wants) {
  EXPECT_STR(match("0", "0 1!"), "0|1");
  EXPECT_STR(match("1", "0! 1!"), "1|0");
  EXPECT_STR(match("0 0", "0! 0! 0! 1!"), "0 1|2");
  EXPECT_STR(match("", "0!"), "|0");
}
