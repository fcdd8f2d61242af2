// variable_testing.h - What the tests of variables share.
#ifndef BERTH_STATE_VARIABLE_TESTING_H_
#define BERTH_STATE_VARIABLE_TESTING_H_

#include "harness.h"
#include "state/variable.h"

// Of all variables of a test; made with the first.
static berth_container_t *container = NULL;

// Makes a variable and, when |value| is not 0, gives it two such elements.
static inline berth_variable_t *make(const char *name, int64_t value) {
  berth_variable_t *variable = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  if (container == NULL) {
    EXPECT_EQ(berth_container_create(&container, &err), BERTH_OK);
  }
  EXPECT_EQ(
      berth_variable_get(container, "", name, BERTH_INT64, &variable, &err),
      BERTH_OK);
  if (value != 0) {
    int64_t values[2] = {value, value};
    berth_tensor_t *tensor = NULL;
    EXPECT_EQ(berth_tensor_copy_from(BERTH_INT64, BERTH_SHAPE(2), values,
                                     &tensor, &err),
              BERTH_OK);
    berth_variable_assign(variable, tensor);
    berth_tensor_release(tensor);
  }
  return variable;
}

#endif  // BERTH_STATE_VARIABLE_TESTING_H_
