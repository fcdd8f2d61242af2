// vendor_test.c - Where the vendor's libraries are looked for.
#include "cuda/card/vendor.h"

#include <sys/stat.h>

#include "base/dynlib.h"
#include "cuda/card/cublaslt.h"
#include "cuda/card/cudnn.h"
#include "cuda/card/cusolver.h"
#include "harness.h"

#define LIB "/lib/python3.9/site-packages/nvidia/cudnn/lib"

static char folder[] = "/tmp/berth-vendor-XXXXXX";

static const char *const files[] = {"env" LIB "/libcublasLt.so.12",
                                    "env" LIB "/libcudnn_cnn.so.9",
                                    "env" LIB "/libcusolver.so.11"};

// Makes an environment of Python below |folder| and goes there. Its libraries
// are the software GPU, which has the functions of all.
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
  return access(file, R_OK) == 0 && symlink(file, files[0]) == 0 &&
         symlink(file, files[1]) == 0 && symlink(file, files[2]) == 0;
}

static void remove_environment(void) {
  char path[] = "env" LIB;
  for (int i = 0; i < BERTH_COUNT_OF(files); ++i) unlink(files[i]);
  for (char *at = path; at != NULL; at = strrchr(path, '/')) {
    if (at != path) *at = '\0';
    rmdir(path);
  }
  rmdir(folder);
}

// Looks for a library in the environment called |prefix|.
static berth_code_t open_in(const char *prefix,
                            berth_code_t (*open)(berth_error_t *)) {
  unsetenv("BERTH_SIMULATE_GPUS");
  unsetenv("BERTH_GPU_LIBRARIES");
  unsetenv("VIRTUAL_ENV");
  setenv("CONDA_PREFIX", prefix, 1);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = open(&err);
  berth_error_clear(&err);
  return code;
}

TEST(vendor, is_found_in_the_environment_of_python) {
  char prefix[256];
  ASSERT_TRUE(make_environment());
  snprintf(prefix, sizeof(prefix), "%s/env", folder);
  EXPECT_EQ(open_in(prefix, berth_cublaslt_open), BERTH_OK);
  EXPECT_EQ(open_in(prefix, berth_cudnn_open), BERTH_OK);
  EXPECT_EQ(open_in(prefix, berth_cusolver_open), BERTH_OK);
  remove_environment();
}

TEST(vendor, is_not_taken_from_the_current_folder) {
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("this machine may have its own");
  ASSERT_TRUE(make_environment());
  EXPECT_EQ(open_in("env", berth_cublaslt_open), BERTH_UNAVAILABLE);
  EXPECT_EQ(open_in("env", berth_cudnn_open), BERTH_UNAVAILABLE);
  EXPECT_EQ(open_in("env", berth_cusolver_open), BERTH_UNAVAILABLE);
  remove_environment();
}
