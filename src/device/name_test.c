// name_test.c - Device names: every rule, form and text of TensorFlow's.
#include "device/name.h"

#include "base/compiler.h"
#include "harness.h"

// Prints |name| into static storage, so that a comparison reads as one line.
static const char *printed(const berth_device_name_t *name) {
  static char text[512];
  berth_str_t str = {0};
  berth_device_name_print(name, &str);
  snprintf(text, sizeof(text), "%s", berth_str_get(&str));
  berth_str_clear(&str);
  return text;
}

// Reads |text| as the runtime does and prints it, "malformed" when it is that.
static const char *reread(const char *text) {
  berth_device_name_t name;
  return berth_device_name_parse(text, &name) ? printed(&name) : "malformed";
}

typedef struct pair {
  const char *text, *want;
} pair_t;

TEST(name, runtime_reads_well_formed_names) {
  static const pair_t cases[] = {
      {"", ""},
      {"/", ""},
      {"/cpu:0", "/device:CPU:0"},
      {"/CPU:0", "/device:CPU:0"},
      {"/gpu:2", "/device:GPU:2"},
      {"/GPU:2", "/device:GPU:2"},
      {"/cpu:*", "/device:CPU:*"},
      {"/gpu:*", "/device:GPU:*"},
      {"/device:CPU:0", "/device:CPU:0"},
      {"/device:cpu:0", "/device:cpu:0"},
      {"/device:gpu:0", "/device:gpu:0"},
      {"/device:CPU", "/device:CPU:*"},
      {"/device:CPU:*", "/device:CPU:*"},
      {"/device:XLA_GPU:3", "/device:XLA_GPU:3"},
      {"/device:*", ""},
      {"/device:*:0", ""},
      {"/job:localhost/cpu:0", "/job:localhost/device:CPU:0"},
      {"/job:*/cpu:0", "/device:CPU:0"},
      {"/cpu:0/job:localhost", "/job:localhost/device:CPU:0"},
      {"/cpu:1/cpu:0", "/device:CPU:0"},
      {"/gpu:0/cpu:0", "/device:CPU:0"},
      {"/job:a/job:b", "/job:b"},
      {"/job:a/job:*", ""},
      {"/gpu:0/device:TPU", "/device:TPU:*"},
      {"/cpu:00", "/device:CPU:0"},
      {"/task:0", "/task:0"},
      {"/task:*", ""},
      {"/replica:*", ""},
      {"/replica:3/task:4", "/replica:3/task:4"},
      {"/job:a_1", "/job:a_1"},
      {"/job:localhost/replica:0/task:0/device:GPU:0",
       "/job:localhost/replica:0/task:0/device:GPU:0"},
      {"/job:localhost/replica:0/task:0/gpu:0",
       "/job:localhost/replica:0/task:0/device:GPU:0"},
      // Numbers are read as 64 bits and cut to 32.
      {"/cpu:4294967296", "/device:CPU:0"},
      {"/cpu:99999999999", "/device:CPU:1215752191"},
      {"/cpu:18446744073709551615", "/device:CPU:-1"},
  };
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    EXPECT_STR(reread(cases[i].text), cases[i].want);
  }
}

TEST(name, runtime_refuses_malformed_names) {
  static const char *const cases[] = {"/Cpu:0",
                                      "/Gpu:0",
                                      "/cpu",
                                      "/CPU",
                                      "/gpu",
                                      "/gpu:",
                                      "/device:",
                                      "/device",
                                      "CPU:0",
                                      "cpu:0",
                                      "/cpu:x",
                                      "/cpu:-1",
                                      "/cpu:0x",
                                      "/cpu: 0",
                                      "/cpu:0 ",
                                      "/job:my-job",
                                      "/job:",
                                      "/job:9",
                                      "/job:_a",
                                      "/job:localhost:0",
                                      "/job:*a",
                                      "/replica:",
                                      "/task:a",
                                      "/task:+1",
                                      "/foo:0",
                                      "//",
                                      "/cpu:0/",
                                      "//cpu:0",
                                      "zzz",
                                      "/TPU:0",
                                      " /cpu:0",
                                      "/device:9:0",
                                      "/device:_A:0",
                                      "/device:GPU:",
                                      "/device:GPU:a",
                                      "/device:G-PU:0",
                                      "/cpu:18446744073709551616",
                                      "/cpu:99999999999999999999999999",
                                      "/job",
                                      "/job:a/",
                                      "/cpu:0cpu:1"};
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    if (strcmp(reread(cases[i]), "malformed") != 0) {
      HARNESS_FAIL("'%s' was read as '%s'", cases[i], reread(cases[i]));
    }
  }
}

TEST(name, failure_leaves_the_output_alone) {
  berth_device_name_t name = {.task = 7, .has_task = true};
  EXPECT_FALSE(berth_device_name_parse("/job:a/foo", &name));
  EXPECT_FALSE(berth_device_name_parse_local("GPU:0:1", &name));
  EXPECT_FALSE(berth_device_name_parse_any("nonsense", &name));
  EXPECT_STR(printed(&name), "/task:7");
}

TEST(name, star_makes_a_part_absent) {
  berth_device_name_t name;
  ASSERT_TRUE(berth_device_name_parse("/device:*:4", &name));
  EXPECT_FALSE(name.has_type);
  EXPECT_TRUE(name.has_id);
  EXPECT_EQ(name.id, 4);
  EXPECT_STR(printed(&name), "");  // An id without a type is not printed.
  ASSERT_TRUE(berth_device_name_parse("/job:*/replica:*/task:*", &name));
  EXPECT_TRUE(berth_device_name_is_empty(&name));
}

TEST(name, local_names) {
  berth_device_name_t name;
  ASSERT_TRUE(berth_device_name_parse_local("GPU:12", &name));
  EXPECT_STR(printed(&name), "/device:GPU:12");
  ASSERT_TRUE(berth_device_name_parse_local("gpu:0", &name));
  EXPECT_STR(printed(&name), "/device:gpu:0");
  static const char *const bad[] = {
      "GPU", "GPU:", "GPU:*", "/GPU:0", "GPU:0/", "GPU:0:0", "", ":0", "*:0"};
  for (int i = 0; i < BERTH_COUNT_OF(bad); ++i) {
    EXPECT_FALSE(berth_device_name_parse_local(bad[i], &name));
  }
  ASSERT_TRUE(berth_device_name_parse_any("GPU:1", &name));
  EXPECT_STR(printed(&name), "/device:GPU:1");
  ASSERT_TRUE(berth_device_name_parse_any("/job:a", &name));
  EXPECT_STR(printed(&name), "/job:a");
}

TEST(name, legacy_form) {
  berth_device_name_t name;
  berth_str_t str = {0};
  ASSERT_TRUE(berth_device_name_parse(
      "/job:localhost/replica:0/task:1/device:GPU:2", &name));
  berth_device_name_print_legacy(&name, &str);
  EXPECT_STR(berth_str_get(&str), "/job:localhost/replica:0/task:1/gpu:2");
  berth_str_clear(&str);
  ASSERT_TRUE(berth_device_name_parse("/device:XLA_CPU:*", &name));
  berth_device_name_print_legacy(&name, &str);
  EXPECT_STR(berth_str_get(&str), "/xla_cpu:*");
  berth_str_clear(&str);
}

// ---- Python's reader ----

TEST(spec, reads_what_python_reads) {
  static const pair_t cases[] = {
      {"", ""},
      {"/", ""},
      {"//", ""},
      {"::", ""},
      {"/:foo", ""},
      {"/cpu:0", "/device:CPU:0"},
      {"/GPU:1", "/device:GPU:1"},
      {"/Gpu:2", "/device:GPU:2"},
      {"gpu:0", "/device:GPU:0"},
      {"GPU", "/device:GPU:*"},
      {"/gpu", "/device:GPU:*"},
      {"/cpu", "/device:CPU:*"},
      {"/gpu:*", "/device:GPU:*"},
      {"/tpu:1", "/device:TPU:1"},
      {"/CUSTOM:1", "/device:CUSTOM:1"},
      {"/epu", "/device:EPU:*"},
      {"/device:GPU:0", "/device:GPU:0"},
      {"/device:gpu:0", "/device:GPU:0"},
      {"/device:cpu:*", "/device:CPU:*"},
      {"/device:Gpu:0", "/device:Gpu:0"},
      {"/device:gPU:1", "/device:gPU:1"},
      {"/device:XLA_CPU:0", "/device:XLA_CPU:0"},
      {"/device:foo:3", "/device:foo:3"},
      {"/device:*:0", "/device:*:0"},
      {"/device::0", "/device::0"},
      {"/job:worker", "/job:worker"},
      {"/job:*", "/job:*"},
      {"/job:", "/job:"},
      {"/job:my-job", "/job:my-job"},
      {"/job:a_b.c", "/job:a_b.c"},
      {"/task:0/job:a", "/job:a/task:0"},
      {"/job:a/job:b", "/job:b"},
      {"//gpu:0//", "/device:GPU:0"},
      {"/replica:3", "/replica:3"},
      {"/replica:-3", "/replica:-3"},
      {"/replica:1_000", "/replica:1000"},
      {"/job:x/replica: 2 ", "/job:x/replica:2"},
      {"/gpu:007", "/device:GPU:7"},
      {"/gpu:+1", "/device:GPU:1"},
      {"/gpu: 1", "/device:GPU:1"},
      {"/gpu:0 ", "/device:GPU:0"},
      {"/gpu:\t2\n", "/device:GPU:2"},
      {"/gpu:-1", "/device:GPU:-1"},
      {"/gpu:1_0", "/device:GPU:10"},
      {"/gpu:2147483647", "/device:GPU:2147483647"},
      {"/job:localhost/replica:0/task:0/device:GPU:1",
       "/job:localhost/replica:0/task:0/device:GPU:1"},
  };
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    berth_device_name_t name;
    berth_error_t err = BERTH_ERROR_INIT;
    ASSERT_OK(berth_device_name_parse_spec(cases[i].text, &name, &err), &err);
    EXPECT_STR(printed(&name), cases[i].want);
  }
}

TEST(spec, fails_with_pythons_texts) {
#define UNKNOWN(part, text)             \
  "Unknown attribute '" part            \
  "' is encountered while parsing the " \
  "device spec: '" text "'."
#define MULTIPLE(text)                                                         \
  "Multiple device types are not allowed while parsing the device spec: " text \
  "."
#define LITERAL(text) "invalid literal for int() with base 10: " text
  static const pair_t cases[] = {
      {"/gpu:0/gpu:1", MULTIPLE("/gpu:0/gpu:1")},
      {"/gpu:0/GPU:0", MULTIPLE("/gpu:0/GPU:0")},
      {"/cpu:0/device:GPU:1", MULTIPLE("/cpu:0/device:GPU:1")},
      {"/device:GPU", UNKNOWN("device", "/device:GPU")},
      {"/job:a/device:GPU", UNKNOWN("device", "/job:a/device:GPU")},
      {"nonsense", UNKNOWN("nonsense", "nonsense")},
      {"a:1:2:3:4:5", UNKNOWN("a", "a:1:2:3:4:5")},
      {"/XLA_CPU:0", UNKNOWN("XLA_CPU", "/XLA_CPU:0")},
      {"/job:a:b", UNKNOWN("job", "/job:a:b")},
      {"/cpu:0:1", UNKNOWN("cpu", "/cpu:0:1")},
      {"/gpux:1", UNKNOWN("gpux", "/gpux:1")},
      {"/gpu:", LITERAL("''")},
      {"/gpu: ", LITERAL("' '")},
      {"/gpu:x", LITERAL("'x'")},
      {"/gpu:_1", LITERAL("'_1'")},
      {"/gpu:1_", LITERAL("'1_'")},
      {"/gpu:1__0", LITERAL("'1__0'")},
      {"/gpu:0x1", LITERAL("'0x1'")},
      {"/gpu:--1", LITERAL("'--1'")},
      {"/gpu:+ 1", LITERAL("'+ 1'")},
      {"/gpu:+", LITERAL("'+'")},
      {"/gpu:1 1", LITERAL("'1 1'")},
      {"/gpu:'", LITERAL("\"'\"")},
      {"/gpu:\"'", LITERAL("'\"\\''")},
      {"/gpu:a\\", LITERAL("'a\\\\'")},
      {"/gpu:a\n\x01", LITERAL("'a\\n\\x01'")},
      {"/gpu:\xc3\xa9", LITERAL("'\xc3\xa9'")},
      {"/device:GPU:x", LITERAL("'x'")},
      {"/replica:*", LITERAL("'*'")},
      {"/task:", LITERAL("''")},
      // Pieces are looked at before replica and task become numbers.
      {"/replica:x/foo:1", UNKNOWN("foo", "/replica:x/foo:1")},
      {"/task:x/gpu:y", LITERAL("'y'")},
      {"/gpu:2147483648",
       "2147483648 is too large for a number in a device name"},
  };
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    berth_device_name_t name = {.task = 7, .has_task = true};
    berth_error_t err = BERTH_ERROR_INIT;
    EXPECT_FAILS(berth_device_name_parse_spec(cases[i].text, &name, &err),
                 BERTH_INVALID_ARGUMENT, &err, cases[i].want);
    EXPECT_STR(printed(&name), "/task:7");
  }
}

// Python upper-cases the type before the runtime sees it; the runtime keeps it.
TEST(spec, lower_case_device_differs_between_the_readers) {
  berth_device_name_t spec, runtime, gpu;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_device_name_parse_spec("/device:gpu:0", &spec, &err), &err);
  ASSERT_TRUE(berth_device_name_parse("/device:gpu:0", &runtime));
  ASSERT_TRUE(berth_device_name_parse(
      "/job:localhost/replica:0/task:0/device:GPU:0", &gpu));
  EXPECT_TRUE(berth_device_name_matches(&spec, &gpu));
  EXPECT_FALSE(berth_device_name_matches(&runtime, &gpu));
}

// `/cpu` inside `/gpu:1` inherits the index: type and id merge independently.
TEST(spec, an_inner_type_keeps_the_outer_index) {
  berth_device_name_t outer, inner;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_device_name_parse_spec("/job:a/gpu:1", &outer, &err), &err);
  ASSERT_OK(berth_device_name_parse_spec("/cpu", &inner, &err), &err);
  berth_device_name_override(&outer, &inner);
  EXPECT_STR(printed(&outer), "/job:a/device:CPU:1");
}

// ---- Relations ----

static berth_device_name_t parsed(const char *text) {
  berth_device_name_t name = {0};
  if (!berth_device_name_parse(text, &name)) HARNESS_FAIL("bad: %s", text);
  return name;
}

typedef struct relation {
  const char *a, *b;
  bool equal, specification, compatible, matches;
} relation_t;

TEST(relation, table) {
#define HERE "/job:a/replica:0/task:0"
  static const relation_t cases[] = {
      {"", "", true, true, true, false},
      {"", "/cpu:0", false, true, true, false},
      {"/cpu:0", "", false, false, true, false},
      {"/cpu:0", "/cpu:0", true, true, true, false},
      {"/cpu:0", "/cpu:1", false, false, false, false},
      {"/cpu:*", "/cpu:1", false, true, true, false},
      {"/cpu:0", "/gpu:0", false, false, false, false},
      {"/job:a", "/job:ab", false, false, false, false},
      {"/job:a", "/task:0", false, false, true, false},
      {"/replica:0", "/replica:1", false, false, false, false},
      {"/task:0", "/task:1", false, false, false, false},
      {"", HERE "/cpu:0", false, true, true, true},
      {"/cpu:*", HERE "/cpu:3", false, true, true, true},
      {"/device:*:3", HERE "/cpu:3", false, true, true, true},
      {"/gpu:*", HERE "/cpu:3", false, false, false, false},
      {"/job:b", HERE "/cpu:3", false, false, false, false},
      {HERE "/cpu:3", HERE "/cpu:3", true, true, true, true},
      {HERE "/cpu:3", HERE "/cpu:*", false, false, true, false},
  };
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    berth_device_name_t a = parsed(cases[i].a), b = parsed(cases[i].b);
    bool ok =
        berth_device_name_equal(&a, &b) == cases[i].equal &&
        berth_device_name_is_specification(&a, &b) == cases[i].specification &&
        berth_device_name_is_compatible(&a, &b) == cases[i].compatible &&
        berth_device_name_matches(&a, &b) == cases[i].matches;
    if (!ok) HARNESS_FAIL("'%s' and '%s'", cases[i].a, cases[i].b);
  }
}

TEST(relation, full_and_empty) {
  berth_device_name_t full = parsed(HERE "/cpu:0"),
                      part = parsed(HERE "/cpu:*");
  berth_device_name_t none = parsed("/job:*");
  EXPECT_TRUE(berth_device_name_is_full(&full));
  EXPECT_FALSE(berth_device_name_is_full(&part));
  EXPECT_TRUE(berth_device_name_is_empty(&none));
  EXPECT_FALSE(berth_device_name_is_empty(&part));
}

TEST(relation, same_address_space) {
  berth_device_name_t a = parsed(HERE "/cpu:0"), b = parsed(HERE "/gpu:1");
  berth_device_name_t c = parsed("/job:a/replica:0/task:1/cpu:0");
  berth_device_name_t d = parsed("/job:a/replica:0");
  EXPECT_TRUE(berth_device_name_same_address_space(&a, &b));
  EXPECT_FALSE(berth_device_name_same_address_space(&a, &c));
  EXPECT_FALSE(berth_device_name_same_address_space(&a, &d));
  EXPECT_FALSE(berth_device_name_same_address_space(&d, &d));
}

TEST(relation, override_and_merge_unset) {
  berth_device_name_t target = parsed("/job:a/gpu:1");
  berth_device_name_t other = parsed("/job:b/task:2/device:CPU");
  berth_device_name_t kept = target;
  berth_device_name_override(&target, &other);
  EXPECT_STR(printed(&target), "/job:b/task:2/device:CPU:1");
  berth_device_name_merge_unset(&kept, &other);
  EXPECT_STR(printed(&kept), "/job:a/task:2/device:GPU:1");
}

// ---- Merging ----

typedef struct merging {
  const char *target, *other, *strict, *soft, *override;  // Error or result.
} merging_t;

static void check_merge(const merging_t *c, berth_merge_mode_t mode,
                        const char *want) {
  berth_device_name_t target = parsed(c->target), other = parsed(c->other);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = berth_device_name_merge(&target, &other, mode, &err);
  bool fails = strncmp(want, "Cannot", 6) == 0;
  EXPECT_EQ(code, fails ? BERTH_INVALID_ARGUMENT : BERTH_OK);
  EXPECT_STR(fails ? berth_error_message(&err) : printed(&target), want);
  berth_error_clear(&err);
}

TEST(merge, table) {
#define CANNOT(what, a, b) \
  "Cannot merge devices with incompatible " what ": '" a "' and '" b "'"
#define ALL(text) text, text, text
  static const merging_t cases[] = {
      {"", "/job:a/replica:1/task:2/gpu:3",
       ALL("/job:a/replica:1/task:2/device:GPU:3")},
      {"/job:a/replica:1/task:2/gpu:3", "",
       ALL("/job:a/replica:1/task:2/device:GPU:3")},
      {"/gpu:1", "/gpu:1", ALL("/device:GPU:1")},
      {"/gpu:*", "/gpu:1", ALL("/device:GPU:1")},
      {"/job:a", "/job:b", ALL(CANNOT("jobs", "/job:a", "/job:b"))},
      {"/job:a/replica:1", "/replica:2",
       ALL(CANNOT("replicas", "/job:a/replica:1", "/replica:2"))},
      {"/task:1", "/task:2", ALL(CANNOT("tasks", "/task:1", "/task:2"))},
      {"/gpu:1", "/cpu:2", CANNOT("types", "/device:GPU:1", "/device:CPU:2"),
       "", "/device:CPU:2"},
      {"/gpu:1", "/device:CPU",
       CANNOT("types", "/device:GPU:1", "/device:CPU:*"), "", "/device:CPU:1"},
      {"/gpu:1", "/gpu:2", CANNOT("ids", "/device:GPU:1", "/device:GPU:2"),
       "/device:GPU:*", "/device:GPU:2"},
      // What was merged before the conflict shows in its text.
      {"/gpu:1", "/job:a/task:3/cpu:1",
       CANNOT("types", "/job:a/task:3/device:GPU:1",
              "/job:a/task:3/device:CPU:1"),
       "/job:a/task:3", "/job:a/task:3/device:CPU:1"},
  };
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    check_merge(&cases[i], BERTH_MERGE_STRICT, cases[i].strict);
    check_merge(&cases[i], BERTH_MERGE_SOFT, cases[i].soft);
    check_merge(&cases[i], BERTH_MERGE_OVERRIDE, cases[i].override);
  }
}

// A soft conflict of types drops type and id together, and the other's id is
// ignored.
TEST(merge, soft_type_conflict_ignores_the_id) {
  berth_device_name_t target = parsed("/gpu:1"), other = parsed("/cpu:2");
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_device_name_merge(&target, &other, BERTH_MERGE_SOFT, &err),
            &err);
  EXPECT_TRUE(berth_device_name_is_empty(&target));
}

// ---- Completing ----

#define BASE "/job:localhost/replica:0/task:0/device:CPU:0"

TEST(canonicalise, completes_from_the_base) {
  static const pair_t cases[] = {
      {"GPU:1", "/job:localhost/replica:0/task:0/device:GPU:1"},
      {"/gpu:1", "/job:localhost/replica:0/task:0/device:GPU:1"},
      {"/device:GPU", "/job:localhost/replica:0/task:0/device:GPU:0"},
      {"", BASE},
      {"/task:3", "/job:localhost/replica:0/task:3/device:CPU:0"},
      {"/job:w/replica:1/task:2/cpu:3", "/job:w/replica:1/task:2/device:CPU:3"},
  };
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    berth_str_t str = {0};
    berth_error_t err = BERTH_ERROR_INIT;
    ASSERT_OK(berth_device_name_canonicalise(cases[i].text, BASE, &str, &err),
              &err);
    EXPECT_STR(berth_str_get(&str), cases[i].want);
    berth_str_clear(&str);
  }
}

TEST(canonicalise, texts_of_failures) {
  berth_str_t str = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(berth_device_name_canonicalise("GPU:1", "zzz", &str, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Could not parse basename: zzz into a device specification.");
  EXPECT_FAILS(
      berth_device_name_canonicalise("GPU:1", "/job:a/cpu:0", &str, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Basename: /job:a/cpu:0 should be fully specified.");
  EXPECT_FAILS(berth_device_name_canonicalise("/gpu", BASE, &str, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Could not parse /gpu into a device specification.");
  EXPECT_STR(berth_str_get(&str), "");
}
