// cublaslt_test.c - Where cuBLASLt is looked for.
#include "cuda/card/cublaslt.h"

#include <sys/stat.h>

#include "base/dynlib.h"
#include "harness.h"

#define LIB "/lib/python3.9/site-packages/nvidia/cublas/lib"

static char folder[] = "/tmp/berth-cublaslt-XXXXXX";

// Makes an environment of Python below |folder| and goes there. Its library is
// the software GPU, which has the functions of cuBLASLt too.
static bool make_environment(void) {
  char path[] = "env" LIB, file[4096], own[4000];
  if (mkdtemp(folder) == NULL || chdir(folder) != 0 ||
      !berth_dynlib_own_folder(own, sizeof(own))) {
    return false;
  }
  for (char *at = path; at != NULL;) {
    at = strchr(at + 1, '/');
    if (at != NULL) *at = '\0';
    if (mkdir(path, 0700) != 0) return false;
    if (at != NULL) *at = '/';
  }
  snprintf(file, sizeof(file), "%s/../lib/libberth-softgpu.so", own);
  return access(file, R_OK) == 0 &&
         symlink(file, "env" LIB "/libcublasLt.so.12") == 0;
}

static void remove_environment(void) {
  char path[] = "env" LIB;
  unlink("env" LIB "/libcublasLt.so.12");
  for (char *at = path; at != NULL; at = strrchr(path, '/')) {
    if (at != path) *at = '\0';
    rmdir(path);
  }
  rmdir(folder);
}

// Looks for the library in the environment called |prefix|.
static berth_code_t open_in(const char *prefix) {
  unsetenv("BERTH_SIMULATE_GPUS");
  unsetenv("BERTH_GPU_LIBRARIES");
  unsetenv("VIRTUAL_ENV");
  setenv("CONDA_PREFIX", prefix, 1);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = berth_cublaslt_open(&err);
  berth_error_clear(&err);
  return code;
}

TEST(cublaslt, is_found_in_the_environment_of_python) {
  char prefix[256];
  ASSERT_TRUE(make_environment());
  snprintf(prefix, sizeof(prefix), "%s/env", folder);
  EXPECT_EQ(open_in(prefix), BERTH_OK);
  remove_environment();
}

TEST(cublaslt, is_not_taken_from_the_current_folder) {
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("this machine may have its own");
  ASSERT_TRUE(make_environment());
  EXPECT_EQ(open_in("env"), BERTH_UNAVAILABLE);
  remove_environment();
}
