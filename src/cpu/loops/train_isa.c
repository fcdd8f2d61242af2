// train_isa.c - Updates by optimisers of float and double.
#include <math.h>

#include "cpu/loops/loop.h"
#include "cpu/loops/train.h"
#include "cpu/loops/vmath.h"
#include "cpu/loops/vmath64.h"
#include "op/train_steps.h"

#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define RSQRT(x) (1 / SQRT(x))
#define CONST(x) ((NUMBER)(x))
#define ABOVE(x, y) ((x) > (y))
#define SIGN(x) ((NUMBER)(((x) > 0) - ((x) < 0)))
#define LARGER(x, y) ((x) > (y) ? (x) : (y))
#define WHOLE(i) (*(const int64_t *)places->scalars[i])
#define SAME(x) (x)

#define SQRT sqrtf
#define ABS fabsf
#define POW powf
#define EXP berth_vexp

#define SLOT F32
#define STORED float
#define NUMBER float
#define LOAD SAME
#define STORE SAME
#define HINT BERTH_VECTOR_LOOP
#define REAL_SLOT
#include "cpu/loops/train_slot.inc"

#undef SQRT
#undef ABS
#undef POW
#undef EXP
#define SQRT sqrt
#define ABS fabs
#define POW pow
#define EXP berth_vexp64

#define SLOT F64
#define STORED double
#define NUMBER double
#define LOAD SAME
#define STORE SAME
#define HINT BERTH_VECTOR_LOOP
#define REAL_SLOT
#include "cpu/loops/train_slot.inc"

#define TRAIN(NAME, name, ...) [BERTH_TRAIN_##NAME] = train_##name##_F32,
const berth_train_hot_t BERTH_ISA(berth_cpu_train_hot) = {.f32 =
                                                              {
#include "op/train_list.inc"
                                                              },
#define TRAIN(NAME, name, ...) [BERTH_TRAIN_##NAME] = train_##name##_F64,
                                                          .f64 = {
#include "op/train_list.inc"
                                                          }};
