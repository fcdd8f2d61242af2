// special_isa.c - Loops of special functions for float and double.
#include "cpu/loops/even.h"
#include "cpu/loops/special_vector.h"
#include "cpu/loops/varc.h"
#include "cpu/loops/varc64.h"
#include "cpu/loops/verror64.h"

#define OF_DOUBLE(name) LOOP1_EVEN(name, F64, double, berth_v##name##64(x))
BERTH_SPECIAL_LIST(OF_DOUBLE, OF_DOUBLE)

#define OF_FLOAT(name) LOOP1_EVEN(name, F32, float, berth_v##name(x))
BERTH_SPECIAL_LIST(OF_FLOAT, LOOP1_IN_DOUBLE)

#define F32_ENTRY(name) [BERTH_SPECIAL_##name] = loop_##name##_F32,
#define F64_ENTRY(name) [BERTH_SPECIAL_##name] = loop_##name##_F64,

const berth_special_hot_t BERTH_ISA(berth_cpu_special_hot) = {
    .f32 = {BERTH_SPECIAL_LIST(F32_ENTRY, F32_ENTRY)},
    .f64 = {BERTH_SPECIAL_LIST(F64_ENTRY, F64_ENTRY)}};
