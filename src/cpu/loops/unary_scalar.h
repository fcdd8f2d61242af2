// unary_scalar.h - What the expressions of op/unary_list.inc are made of on the
// host.
//
// Functions of float and double are those of vmath.h and its like; what else
// there is, is the C library's.
#ifndef BERTH_CPU_LOOPS_UNARY_SCALAR_H_
#define BERTH_CPU_LOOPS_UNARY_SCALAR_H_

#include "cpu/loops/scalar.h"
#include "cpu/loops/vangle64.h"
#include "cpu/loops/varc64.h"
#include "cpu/loops/verror64.h"
#include "cpu/loops/vmath.h"
#include "cpu/loops/vmath64.h"
#include "op/scalar.h"
#include "tensor/complex.h"

// Places in tables: at_neg.
enum {
#define UNARY(NAME, name, ...) at_##name = BERTH_UNARY_##NAME,
#include "op/unary_list.inc"
};

// ---- float ----

#define berth_scalar_sqrt_F32 sqrtf
#define berth_scalar_ceil_F32 ceilf
#define berth_scalar_rint_F32 rintf
#define berth_scalar_exp_F32 berth_vexp
#define berth_scalar_expm1_F32 berth_vexpm1
#define berth_scalar_log_F32 berth_vlog
#define berth_scalar_log1p_F32 berth_vlog1p
#define berth_scalar_sigmoid_F32 berth_vsigmoid
#define berth_scalar_tanh_F32 berth_vtanh
#define berth_scalar_softplus_F32 berth_vsoftplus
#define berth_scalar_erf_F32 berth_verf
#define berth_scalar_erfc_F32 berth_verfc
// Of any angle, and of one below BERTH_VTRIG_LIMIT.
#define berth_scalar_sin_F32 sinf
#define berth_scalar_cos_F32 cosf
#define berth_scalar_tan_F32 tanf
#define berth_scalar_near_sin_F32(x) berth_vsin_turned(x, 0)
#define berth_scalar_near_cos_F32(x) berth_vsin_turned(x, 1)
#define berth_scalar_near_tan_F32(x) berth_vtan(x)

// ---- double ----

#define berth_scalar_sqrt_F64 sqrt
#define berth_scalar_ceil_F64 ceil
#define berth_scalar_rint_F64 rint
#define berth_scalar_exp_F64 berth_vexp64
#define berth_scalar_expm1_F64 berth_vexpm164
#define berth_scalar_log_F64 berth_vlog64
#define berth_scalar_log1p_F64 berth_vlog1p64
#define berth_scalar_sigmoid_F64 berth_vsigmoid64
#define berth_scalar_tanh_F64 berth_vtanh64
#define berth_scalar_softplus_F64 berth_vsoftplus64
#define berth_scalar_erf_F64 berth_verf64
#define berth_scalar_erfc_F64 berth_verfc64
#define berth_scalar_sinh_F64 berth_vsinh64
#define berth_scalar_cosh_F64 berth_vcosh64
#define berth_scalar_sin_F64 sin
#define berth_scalar_cos_F64 cos
#define berth_scalar_tan_F64 tan
#define berth_scalar_near_sin_F64(x) berth_vsin64_turned(x, 0)
#define berth_scalar_near_cos_F64(x) berth_vsin64_turned(x, 1)
#define berth_scalar_near_tan_F64(x) berth_vtan64(x)

// ---- half and bfloat16, computed in float ----

#define berth_scalar_pick_HALF(a, b) a
#define berth_scalar_pick_BFLOAT16(a, b) b
#define berth_scalar_softplus_HALF berth_vsoftplus
#define berth_scalar_softplus_BFLOAT16 berth_vsoftplus

// ---- Complex numbers ----

static BERTH_INLINE berth_complex64_t
berth_scalar_sign_C64(berth_complex64_t x) {
  const float size = cabsf(x);
  return size == 0 ? 0 : x / size;
}
static BERTH_INLINE berth_complex128_t
berth_scalar_sign_C128(berth_complex128_t x) {
  const double size = cabs(x);
  return size == 0 ? 0 : x / size;
}

#define berth_scalar_neg_C64(x) (-(x))
#define berth_scalar_square_C64(x) ((x) * (x))
#define berth_scalar_reciprocal_C64(x) (1 / (x))
#define berth_scalar_sqrt_C64 csqrtf
#define berth_scalar_exp_C64 cexpf
#define berth_scalar_expm1_C64(x) (cexpf(x) - 1)
#define berth_scalar_log_C64 clogf
#define berth_scalar_log1p_C64(x) clogf(1 + (x))
#define berth_scalar_sigmoid_C64(x) (1 / (1 + cexpf(-(x))))
#define berth_scalar_tanh_C64 ctanhf
#define berth_scalar_sinh_C64 csinhf
#define berth_scalar_cosh_C64 ccoshf
#define berth_scalar_sin_C64 csinf
#define berth_scalar_cos_C64 ccosf
#define berth_scalar_tan_C64 ctanf

#define berth_scalar_neg_C128(x) (-(x))
#define berth_scalar_square_C128(x) ((x) * (x))
#define berth_scalar_reciprocal_C128(x) (1 / (x))
#define berth_scalar_sqrt_C128 csqrt
#define berth_scalar_exp_C128 cexp
#define berth_scalar_expm1_C128(x) (cexp(x) - 1)
#define berth_scalar_log_C128 clog
#define berth_scalar_log1p_C128(x) clog(1 + (x))
#define berth_scalar_sigmoid_C128(x) (1 / (1 + cexp(-(x))))
#define berth_scalar_tanh_C128 ctanh
#define berth_scalar_sinh_C128 csinh
#define berth_scalar_cosh_C128 ccosh
#define berth_scalar_sin_C128 csin
#define berth_scalar_cos_C128 ccos
#define berth_scalar_tan_C128 ctan

#endif  // BERTH_CPU_LOOPS_UNARY_SCALAR_H_
