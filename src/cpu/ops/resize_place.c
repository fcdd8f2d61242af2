// resize_place.c - Where in the input an output of a resized image is.
//
// In float, step by step as TensorFlow does it: which pixel is taken may depend
// on the last digit.
#include "cpu/ops/resize_place.h"

#include <math.h>

static int64_t bound(int64_t at, int64_t size) {
  return at < 0 ? 0 : at < size ? at : size - 1;
}

// Returns the place of output |i| among inputs.
static float place_of(const berth_resize_t *resize, int axis, int64_t i) {
  float scale = resize->axes[axis].scale;
  if (!resize->has_centers) return (float)i * scale;
  float middle = ((float)i + 0.5f) * scale;
  return middle - 0.5f;
}

berth_between_t berth_resize_between(const berth_resize_t *resize, int axis,
                                     int64_t i) {
  int64_t size = resize->axes[axis].in;
  float at = place_of(resize, axis, i), below = floorf(at);
  return (berth_between_t){.lower = bound((int64_t)below, size),
                           .upper = bound((int64_t)ceilf(at), size),
                           .share = at - below};
}

int64_t berth_resize_nearest(const berth_resize_t *resize, int axis,
                             int64_t i) {
  const berth_resize_axis_t *along = &resize->axes[axis];
  float at = resize->has_centers ? ((float)i + 0.5f) * along->scale
                                 : (float)i * along->scale;
  at = resize->aligns_corners ? roundf(at) : floorf(at);
  return bound((int64_t)at, along->in);
}

// The curve is a table of so many steps in TensorFlow.
enum { STEPS = 1024 };

// Weights of the two inputs on one side: the near one, which is |step| away,
// and the far one.
static float near_weight(double a, int64_t step) {
  float x = (float)((double)step * 1.0 / STEPS);
  return (float)(((a + 2) * (double)x - (a + 3)) * (double)x * (double)x + 1);
}
static float far_weight(double a, int64_t step) {
  float x = (float)((double)(float)((double)step * 1.0 / STEPS) + 1.0);
  return (float)(((a * (double)x - 5 * a) * (double)x + 8 * a) * (double)x -
                 4 * a);
}

// What lies outside has no weight, and the others make up for it.
static void drop_outside(berth_among_t *place, int64_t first) {
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    if (place->at[i] != first + i) place->weights[i] = 0;
    sum += place->weights[i];
  }
  if (fabsf(sum) < 1000.0f * 1.17549435e-38f) return;
  float factor = 1.0f / sum;
  for (int i = 0; i < 4; ++i) place->weights[i] *= factor;
}

berth_among_t berth_resize_among(const berth_resize_t *resize, int axis,
                                 int64_t i) {
  float at = place_of(resize, axis, i);
  int64_t below = (int64_t)floorf(at);
  float apart = at - (float)below;
  int64_t step = lrintf(apart * STEPS);
  double a = resize->has_centers ? (double)-0.5f : (double)-0.75f;
  berth_among_t place = {.weights = {far_weight(a, step), near_weight(a, step),
                                     near_weight(a, STEPS - step),
                                     far_weight(a, STEPS - step)}};
  for (int k = 0; k < 4; ++k) {
    place.at[k] = bound(below - 1 + k, resize->axes[axis].in);
  }
  if (resize->has_centers) drop_outside(&place, below - 1);
  return place;
}
