// error_test.c - Tests of errors and strings under construction.
#include "base/error.h"

#include "base/fault.h"
#include "base/str.h"
#include "harness.h"

TEST(error, holds_short_and_long_texts) {
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_EQ(berth_error_set(&err, BERTH_NOT_FOUND, "no %s", "node"),
            BERTH_NOT_FOUND);
  EXPECT_STR(berth_error_message(&err), "no node");
  char text[2000];
  memset(text, 'x', sizeof(text) - 1);
  text[sizeof(text) - 1] = '\0';
  berth_error_set(&err, BERTH_INTERNAL, "%s", text);
  EXPECT_STR(berth_error_message(&err), text);
  berth_error_clear(&err);
  EXPECT_STR(berth_error_message(&err), "");
  EXPECT_EQ(err.code, BERTH_OK);
}

TEST(error, keeps_the_beginning_when_memory_is_short) {
  berth_error_t err = BERTH_ERROR_INIT;
  char text[2000];
  memset(text, 'x', sizeof(text) - 1);
  text[sizeof(text) - 1] = '\0';
  berth_fault_arm("alloc", 1);
  berth_error_set_text(&err, BERTH_INTERNAL, text);
  berth_fault_disarm();
  EXPECT_EQ(strlen(berth_error_message(&err)), BERTH_ERROR_TEXT_SIZE - 1);
  berth_error_clear(&err);
}

TEST(error, appends_and_prepends) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_error_set(&err, BERTH_INVALID_ARGUMENT, "middle");
  EXPECT_EQ(berth_error_append(&err, "\n\t [[{{node %s}}]]", "n"),
            BERTH_INVALID_ARGUMENT);
  berth_error_prepend(&err, "%s ", "before");
  EXPECT_STR(berth_error_message(&err), "before middle\n\t [[{{node n}}]]");
  berth_error_clear(&err);
}

TEST(error, may_be_null) {
  EXPECT_EQ(berth_error_set(NULL, BERTH_ABORTED, "x"), BERTH_ABORTED);
  EXPECT_STR(berth_error_message(NULL), "");
  berth_error_clear(NULL);
}

TEST(error, moves) {
  berth_error_t from = BERTH_ERROR_INIT, to = BERTH_ERROR_INIT;
  berth_error_set(&to, BERTH_ABORTED, "old");
  berth_error_set(&from, BERTH_UNAVAILABLE, "new");
  EXPECT_EQ(berth_error_move(&to, &from), BERTH_UNAVAILABLE);
  EXPECT_STR(berth_error_message(&to), "new");
  EXPECT_EQ(from.code, BERTH_OK);
}

TEST(error, names_codes_as_logs_do) {
  EXPECT_STR(berth_code_name(BERTH_INVALID_ARGUMENT), "INVALID_ARGUMENT");
  EXPECT_STR(berth_code_name(BERTH_UNAUTHENTICATED), "UNAUTHENTICATED");
  EXPECT_STR(berth_code_name((berth_code_t)99), "UNKNOWN");
}

TEST(str, grows_and_is_taken) {
  berth_str_t str = {0};
  for (int i = 0; i < 1000; ++i) berth_str_printf(&str, "%d,", i);
  EXPECT_TRUE(berth_str_ok(&str));
  EXPECT_EQ(str.size, 3890);
  EXPECT_TRUE(berth_has_prefix(berth_str_get(&str), "0,1,2,"));
  char *text = berth_str_take(&str);
  ASSERT_TRUE(text != NULL);
  EXPECT_EQ(strlen(text), 3890);
  free(text);
  EXPECT_STR(berth_str_get(&str), "");
}

TEST(str, remembers_that_memory_was_short) {
  berth_str_t str = {0};
  berth_fault_arm("alloc", 1);
  berth_str_puts(&str, "lost");
  berth_fault_disarm();
  berth_str_puts(&str, "more");
  EXPECT_FALSE(berth_str_ok(&str));
  EXPECT_TRUE(berth_str_take(&str) == NULL);
}

TEST(str, reads_whole_numbers_only) {
  int64_t value = 0;
  EXPECT_TRUE(berth_parse_int64("-42", &value));
  EXPECT_EQ(value, -42);
  EXPECT_FALSE(berth_parse_int64("42x", &value));
  EXPECT_FALSE(berth_parse_int64("", &value));
  EXPECT_FALSE(berth_parse_int64("9223372036854775808", &value));
}
