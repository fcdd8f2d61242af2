// pattern_test.c - Regular expressions: what they find, refuse and cost.
#include "base/pattern.h"

#include "base/fault.h"
#include "harness.h"

// Compiles |pattern|, or returns NULL with |err| set.
static berth_pattern_t *compile(const char *pattern, berth_error_t *err) {
  berth_pattern_t *made = NULL;
  berth_code_t code =
      berth_pattern_compile(pattern, strlen(pattern), &made, err);
  return code == BERTH_OK ? made : NULL;
}

// Checks where |pattern| finds |text|: "1-3", with groups "1-3 1-2"; "none".
static void check_found(const char *pattern, const char *text,
                        const char *expected) {
  berth_error_t err = {0};
  berth_pattern_t *made = compile(pattern, &err);
  berth_match_t groups[BERTH_PATTERN_GROUPS];
  bool found = false;
  char line[256] = "";
  size_t used = 0;
  ASSERT_TRUE(made != NULL);
  ASSERT_OK(berth_pattern_search(made, text, strlen(text), 0, false, groups,
                                 &found, &err),
            &err);
  for (int i = 0; found && i <= berth_pattern_groups(made); ++i) {
    used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%td-%td",
                             i > 0 ? " " : "", groups[i].begin, groups[i].end);
  }
  EXPECT_STR(found ? line : "none", expected);
  berth_pattern_free(made);
}

// Checks that tables and ways agree on whether |text| is a match.
static void check_whole(const char *pattern, const char *text, bool expected) {
  berth_error_t err = {0};
  berth_pattern_t *made = compile(pattern, &err);
  berth_match_t groups[BERTH_PATTERN_GROUPS];
  bool found = !expected, by_ways = !expected;
  ASSERT_TRUE(made != NULL);
  ASSERT_OK(berth_pattern_search(made, text, strlen(text), 0, true, NULL,
                                 &found, &err),
            &err);
  ASSERT_OK(berth_pattern_search(made, text, strlen(text), 0, true, groups,
                                 &by_ways, &err),
            &err);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(by_ways, expected);
  berth_pattern_free(made);
}

TEST(pattern, matches_whole_texts_with_tables_and_without) {
  check_whole(".*7.*", "word 717 ", true);
  check_whole(".*7.*", "word 11\n7", false);
  check_whole("(?s).*7.*", "word 11\n7", true);
  check_whole("[^0-9]*", "abc", true);
  check_whole("[^0-9]*", "ab1c", false);
  check_whole("[^0-9]*", "\xc3\xa9", true);
  check_whole("(a|ab)(c|bcd)*", "abcd", true);
  check_whole("(a|ab)(c|bcd)*", "abcdb", false);
  check_whole("", "", true);
  check_whole("", "a", false);
  check_whole("^a$", "a", true);
  check_whole("(?i)hello", "HeLLo", true);
  // More steps than a state has bits, and more states than there is room for.
  check_whole("a{70}", "aaa", false);
  check_whole("(a|b)*a(a|b)(a|b)(a|b)(a|b)(a|b)", "babbabab", false);
  check_whole("(a|b)*a(a|b)(a|b)(a|b)(a|b)(a|b)", "bbbbabbaba", true);
}

TEST(pattern, skips_to_where_a_match_may_begin) {
  check_found("[0-9]+", "word 17 ", "5-7");
  check_found("[0-9]+", "word", "none");
  check_found("[0-9]+", "", "none");
  check_found("[0-9]*", "word 17", "0-0");
  check_found("\\b[w7]", "a word 7", "2-3");
  check_found("7$", "77", "1-2");
  check_found("\\x{e9}|7", "a\xc3\xa9 7", "1-3");
  check_found("ab|b", "aab", "1-3");
}

TEST(pattern, finds_the_leftmost_and_preferred) {
  check_found("b+", "abbbc", "1-4");
  check_found("b+?", "abbbc", "1-2");
  check_found("a|ab", "ab", "0-1");
  check_found("(a|ab)(c|bcd)", "abcd", "0-4 0-1 1-4");
  check_found("x*", "aaa", "0-0");
  check_found("[^a-c]", "abcd", "3-4");
  check_found("[]a]+", "b]a", "1-3");
  check_found("[a\\-z]+", "b-a", "1-3");
  check_found("[[:punct:]]+", "a.!b", "1-3");
  check_found("\\d{2,3}", "1 22 4444", "2-4");
  check_found("^b", "ab", "none");
  check_found("(?m)^b", "a\nb", "2-3");
  check_found("a$", "a\n", "none");
  check_found("\\bcat\\b", "concat cat", "7-10");
  check_found(".", "\n", "none");
  check_found("(?s).", "\n", "0-1");
  check_found("(?i)HeL", "xhEl", "1-4");
  check_found("(?:ab)+(c)?", "ababd", "0-4 -1--1");
  check_found("a{0}b", "ab", "1-2");
  check_found("a{,2}", "a{,2}", "0-5");
  check_found(".", "\xc3\xa9", "0-2");
  check_found("\\x{e9}", "a\xc3\xa9", "1-3");
  check_found(".", "\xff", "none");
  check_found("\\Qa.b\\E", "axb a.b", "4-7");
  check_found("(?P<year>\\d+)", "in 1984", "3-7 3-7");
  check_found("(a*)*", "b", "0-0 0-0");
  check_found("(|a)+", "aa", "0-0 0-0");
  check_found("(a|)+", "aa", "0-2 1-2");
  check_found("(a*)*", "aab", "0-2 0-2");
  check_found("(x?){2}", "xx", "0-2 1-2");
  check_found("a{2,}", "aaaa", "0-4");
  check_found("a{1,2}b", "aaab", "1-4");
}

static void check_refused(const char *pattern, const char *text) {
  berth_error_t err = {0};
  ASSERT_TRUE(compile(pattern, &err) == NULL);
  EXPECT_STR(berth_error_message(&err), text);
  berth_error_clear(&err);
}

TEST(pattern, says_what_is_wrong) {
  check_refused("a(", "missing ): a(");
  check_refused("a)", "unexpected ): a)");
  check_refused("x[a", "missing ]: [a");
  check_refused("*", "no argument for repetition operator: *");
  check_refused("a**", "bad repetition operator: **");
  check_refused("a{1001}", "invalid repetition size: {1001}");
  check_refused("[z-a]", "invalid character class range: z-a");
  check_refused("\\y", "invalid escape sequence: \\y");
  check_refused("a\\", "trailing \\");
  check_refused("(?=a)", "invalid perl operator: (?=");
  check_refused("((a{1000}){1000}){1000}",
                "pattern too large - compile failed");
}

// A pattern that goes back would never end on this.
TEST(pattern, does_not_go_back) {
  char text[4096];
  memset(text, 'a', sizeof(text));
  text[sizeof(text) - 1] = '\0';
  check_found("(a*)*(a*)*(a*)*b", text, "none");
}

TEST(pattern, matches_all_of_a_text) {
  berth_error_t err = {0};
  berth_pattern_t *made = compile("a|ab", &err);
  berth_match_t groups[BERTH_PATTERN_GROUPS];
  bool found = false;
  ASSERT_OK(berth_pattern_search(made, "ab", 2, 0, true, groups, &found, &err),
            &err);
  ASSERT_TRUE(found && groups[0].end == 2);
  ASSERT_OK(berth_pattern_search(made, "abc", 3, 0, true, groups, &found, &err),
            &err);
  ASSERT_TRUE(!found);
  berth_pattern_free(made);
}

TEST(pattern, leaves_nothing_when_memory_is_short) {
  for (int i = 1; i < 64; ++i) {
    berth_error_t err = {0};
    berth_pattern_t *made = NULL;
    berth_match_t groups[BERTH_PATTERN_GROUPS];
    bool found = false;
    berth_fault_arm("alloc", i);
    berth_code_t code = berth_pattern_compile("(a|b)+[c-e]*", 12, &made, &err);
    if (code == BERTH_OK) {
      code =
          berth_pattern_search(made, "ab", 2, 0, false, groups, &found, &err);
    }
    berth_fault_disarm();
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED);
    berth_pattern_free(made);
    berth_error_clear(&err);
  }
}
