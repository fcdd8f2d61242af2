// image_test.c - The compiled kernels that are built in.
#include "harness.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "cuda/code/image.h"
#include "cuda/code/image_internal.h"

// Opens the file; returns its images, and what it lacks.
static const berth_cuda_packed_t *images(const char **out_left_out) {
  const berth_cuda_packed_t *found = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_EQ(berth_cuda_images_open(&found, out_left_out, &err), BERTH_OK);
  return found;
}

TEST(image, every_one_unpacks) {
  const char *left_out = NULL;
  const berth_cuda_packed_t *all = images(&left_out);
  if (left_out[0] != '\0') SKIP(left_out);
  int modules = 0;
  for (const berth_cuda_packed_t *i = all; i->module; ++i) {
    if (i->chip != 0) continue;
    void *image = NULL;
    berth_error_t err = BERTH_ERROR_INIT;
    ASSERT_OK(berth_cuda_image(i->module, 7, 0, &image, &err), &err);
    EXPECT_EQ(strlen(image), i->size);
    EXPECT_TRUE(strstr(image, ".target sm_70") != NULL);
    EXPECT_TRUE(strstr(image, strncmp(i->module, "terms_", 6) == 0
                                  ? ".visible .func "
                                  : ".visible .entry berth_") != NULL);
    EXPECT_TRUE(strstr(image, ".extern .func") == NULL);
    berth_free(image);
    ++modules;
  }
  EXPECT_TRUE(modules > 10);
}

TEST(image, what_is_not_there) {
  const char *left_out = NULL;
  (void)images(&left_out);
  void *image = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_TRUE(berth_cuda_image("nothing", 9, 0, &image, &err) ==
              BERTH_NOT_FOUND);
  EXPECT_TRUE(strncmp(berth_error_message(&err),
                      "There are no GPU kernels \"nothing\"", 34) == 0);
  EXPECT_TRUE(strstr(berth_error_message(&err), left_out) != NULL);
  EXPECT_TRUE(image == NULL);
}

TEST(image, memory_is_short) {
  const char *left_out = NULL;
  (void)images(&left_out);
  if (left_out[0] != '\0') SKIP(left_out);
  berth_error_t err = BERTH_ERROR_INIT;
  void *image = NULL;
  berth_fault_arm("alloc", 1);
  EXPECT_TRUE(berth_cuda_image("fill", 9, 0, &image, &err) ==
              BERTH_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(image == NULL);
}
