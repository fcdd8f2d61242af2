// sparse_map_test.c - Sparse tensors under numbers, beside a plain list.
#include "state/sparse_map.h"

#include "harness.h"

enum { STEPS = 3000 };

static berth_sparse_parts_t parts_make(int64_t value) {
  berth_sparse_parts_t parts = {{NULL}};
  for (int k = 0; k < 3; ++k) {
    (void)berth_tensor_make(NULL, BERTH_INT64, 0, NULL, 1, &parts.tensors[k],
                            NULL);
    *(int64_t *)parts.tensors[k]->data = value + k;
  }
  return parts;
}

static void parts_drop(berth_sparse_parts_t *parts) {
  for (int k = 0; k < 3; ++k) berth_tensor_release(parts->tensors[k]);
}

static void expect_taken(berth_sparse_map_t *map, int64_t number,
                         bool is_there) {
  berth_sparse_parts_t parts;
  bool found = berth_sparse_map_take(map, number, &parts);
  EXPECT_EQ(found, is_there);
  if (!found) return;
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(*(int64_t *)parts.tensors[k]->data, 10 * number + k);
  }
  parts_drop(&parts);
}

TEST(sparse_map, gives_back_what_it_was_given) {
  static bool is_there[STEPS];
  berth_container_t *container = NULL;
  berth_sparse_map_t *map = NULL, *same = NULL;
  uint32_t state = 7;
  int64_t next = 0;
  EXPECT_EQ(berth_container_create(&container, NULL), BERTH_OK);
  EXPECT_EQ(berth_sparse_map_get(container, "", "m", &map, NULL), BERTH_OK);
  EXPECT_EQ(berth_sparse_map_get(container, "", "m", &same, NULL), BERTH_OK);
  EXPECT_TRUE(map == same);
  for (int i = 0; i < STEPS; ++i) {
    state = state * 1664525u + 1013904223u;
    int64_t which = next > 0 ? (int64_t)(state >> 8) % next : 0;
    if ((state >> 4) % 5 < 3 || next == 0) {
      berth_sparse_parts_t parts = parts_make(10 * next);
      int64_t number = -1;
      EXPECT_EQ(berth_sparse_map_add(map, &parts, &number, NULL), BERTH_OK);
      EXPECT_EQ(number, next);
      is_there[next++] = true;
      parts_drop(&parts);
    } else {
      expect_taken(map, which, is_there[which]);
      is_there[which] = false;
    }
  }
  for (int64_t i = 0; i < next; i += 2) expect_taken(map, i, is_there[i]);
  expect_taken(map, next, false);
  expect_taken(map, -1, false);
  berth_resource_release((berth_resource_t *)map);
  berth_resource_release((berth_resource_t *)same);
  berth_container_destroy(container);
}
