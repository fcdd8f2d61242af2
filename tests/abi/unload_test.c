// unload_test.c - Libraries whose threads never end are never unloaded.
#include <dlfcn.h>

#include "harness.h"

// Opens |file|, closes it and says whether it is still there.
static bool stays(const char *file) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    HARNESS_FAIL("%s", dlerror());
    return false;
  }
  dlclose(library);
  library = dlopen(file, RTLD_NOW | RTLD_NOLOAD);
  return library != NULL;
}

TEST(unload, keeps_the_library) { EXPECT_TRUE(stays(BERTH_FILE)); }

TEST(unload, keeps_the_software_gpu) { EXPECT_TRUE(stays(BERTH_SOFTGPU_FILE)); }
