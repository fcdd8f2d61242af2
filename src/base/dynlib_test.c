// dynlib_test.c - Tests of opening shared libraries.
#include "base/dynlib.h"

#include "base/fault.h"
#include "harness.h"

TEST(dynlib, own_folder_does_not_depend_on_the_current_one) {
  char first[4096] = "", second[4096] = "";
  ASSERT_TRUE(berth_dynlib_own_folder(first, sizeof(first)));
  EXPECT_TRUE(first[0] == '/');
  ASSERT_TRUE(chdir("/") == 0);
  ASSERT_TRUE(berth_dynlib_own_folder(second, sizeof(second)));
  EXPECT_STR(second, first);
}

TEST(dynlib, own_folder_that_is_not_known_is_no_folder) {
  char folder[4096] = "", tiny[2] = "";
  berth_fault_arm("own_folder", 1);
  EXPECT_FALSE(berth_dynlib_own_folder(folder, sizeof(folder)));
  berth_fault_disarm();
  EXPECT_STR(folder, "");
  EXPECT_FALSE(berth_dynlib_own_folder(tiny, sizeof(tiny)));
}

TEST(dynlib, missing_library_is_told_with_all_names) {
  static const char *const names[] = {"libberth-absent.so.2",
                                      "libberth-absent.so.1", NULL};
  berth_dynlib_t *lib = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_EQ(berth_dynlib_open(names, &lib, &err), BERTH_UNAVAILABLE);
  EXPECT_TRUE(strstr(berth_error_message(&err), "libberth-absent.so.2") &&
              strstr(berth_error_message(&err), "libberth-absent.so.1"));
  EXPECT_TRUE(lib == NULL);
  berth_error_clear(&err);
}
