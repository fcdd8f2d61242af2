// hold_test.c - The cards that a run uses are not given back meanwhile.
#include "exec/hold.h"

#include "exec/exec_testing.h"

// Whatever its nodes use first, a program enters gates in the one order that
// all programs have.
TEST(hold, enters_in_one_order) {
  static const int orders[][RIG_GPUS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int i = 0; i < (int)(sizeof(orders) / sizeof(orders[0])); ++i) {
    rig_t rig;
    rig_init(&rig);
    berth_out_t last = rig_feed(&rig);
    for (int k = 0; k < RIG_GPUS; ++k) {
      last = rig_one(&rig, "Neg", orders[i][k], last);
    }
    rig_fetch(&rig, last);
    ASSERT_OK(rig_build(&rig), &rig.err);
    EXPECT_EQ(rig.program->used_count, RIG_GPUS);
    uint64_t before = 0;
    const berth_used_device_t *used = rig.program->used;
    for (; used != NULL; used = used->next) {
      EXPECT_TRUE(used->device->order > before);
      before = used->device->order;
    }
    rig_clear(&rig);
  }
}
