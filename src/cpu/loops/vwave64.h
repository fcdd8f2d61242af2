// vwave64.h - Bessel functions of the first and second kind, and the integrals of
// Fresnel and Dawson, of double, for loops that compilers turn into vectors.
//
// As vmath64.h: no branches, no calls. The coefficients are those of
// interpolations in Chebyshev's points, of t in [-1, 1]. Pure functions. For
// *_isa.c files.
#ifndef BERTH_CPU_LOOPS_VWAVE64_H_
#define BERTH_CPU_LOOPS_VWAVE64_H_

#include "cpu/loops/vangle64.h"
#include "cpu/loops/varc64.h"

// Returns the sine of x and stores its cosine; |x| <= BERTH_VTRIG_LIMIT64.
static BERTH_INLINE double berth_vsincos64(double x, double *out_cosine) {
  uint64_t n;
  const double r = berth_vtrig64_reduce(x, &n);
  const double s = berth_vsin64_inside(r), c = berth_vcos64_inside(r);
  const double sine = (n & 1) != 0 ? c : s, cosine = (n & 1) != 0 ? s : c;
  *out_cosine =
      berth_double_from_bits(berth_double_bits(cosine) ^ (((n + 1) & 2) << 62));
  return berth_double_from_bits(berth_double_bits(sine) ^ ((n & 2) << 62));
}

// ---- Bessel ----
//
// Up to 5 they are functions of x^2, those of the second kind with a logarithm
// of those of the first beside them. Beyond, they are waves that turn slowly:
//
//   J = k (P cos w - Q sin w)   Y = k (P sin w + Q cos w)   w = x - (2n + 1) pi/4
//
// where P and Q / x are functions of 1 / x^2.

// Of s = 12.5 (t + 1): J0, J1 / x, and what is beside the logarithms.
static BERTH_INLINE double berth_vbessel_j0_near(double t) {
  return BERTH_VPOLY64(
      t, -0.38474450981404538, -0.21650541389819159, 0.70941600353354178,
      -0.36018076595039128, 0.085391823542596735, -0.012035214154289672,
      0.0011343635095863094, -7.6834336156762338e-5, 3.9285088877689494e-6,
      -1.5718405867627206e-7, 5.059294185929358e-9, -1.3408115586282428e-10,
      2.9694473329583778e-12);
}
static BERTH_INLINE double berth_vbessel_j1_near(double t) {
  return BERTH_VPOLY64(
      t, 0.034640866223710683, -0.22701312113073337, 0.17288676765618543,
      -0.05465076706726198, 0.0096281713234635159, -0.0010889889692024139,
      8.6054456343036518e-5, -5.0284913774837196e-6, 2.2634537135947768e-7,
      -8.0948694314154971e-9, 2.356632323536745e-10, -5.7018453078703508e-12,
      1.1621889632590412e-13);
}
static BERTH_INLINE double berth_vbessel_y0_near(double t) {
  return BERTH_VPOLY64(
      t, 0.4837248578102995, -0.43265582228551289, -0.47057636552972878,
      0.38851639956571979, -0.11151682184328655, 0.017635345389255821,
      -0.0018028096665503852, 0.00012994629120518141, -6.9855043740770608e-6,
      2.9142159496351494e-7, -9.7209552080454007e-9, 2.6577889877100746e-10,
      -6.0499369472396503e-12);
}
static BERTH_INLINE double berth_vbessel_y1_near(double t) {
  return BERTH_VPOLY64(
      t, 0.13974939033568805, 0.091086508384484423, -0.16312020358118715,
      0.066346953547791451, -0.013433433740818166, 0.0016688031328605529,
      -0.00014141835794484213, 8.733098315276175e-6, -4.1137780795312437e-7,
      1.528888444673751e-8, -4.6013010745475041e-10, 1.1462847037754036e-11,
      -2.3977823416691828e-13);
}

// Where the wave of x stands: 1 / sqrt(pi x), both sums of its sine and cosine,
// P and Q.
typedef struct berth_vwave {
  double k, minus, plus, p, q;
} berth_vwave_t;

static BERTH_INLINE berth_vwave_t berth_vwave_at(double x) {
  const double far = x > 5.0 ? x : 5.0;
  double cosine;
  const double sine = berth_vsincos64(far, &cosine);
  return (berth_vwave_t){.k = 0.56418958354775629 / sqrt(far),
                         .minus = sine - cosine,
                         .plus = sine + cosine};
}

static BERTH_INLINE berth_vwave_t berth_vwave0_at(double x) {
  berth_vwave_t w = berth_vwave_at(x);
  const double v = 5.0 / (x > 5.0 ? x : 5.0), t = 2 * v * v - 1;
  w.p = BERTH_VPOLY64(
      t, 0.99863476590919907, -0.0013274931271998205, 3.4917305810770849e-5,
      -2.4599633493181306e-6, 2.9759010201737062e-7, -5.0863933418486714e-8,
      1.1058301818592053e-8, -2.8729929399972919e-9, 8.5622925918416931e-10,
      -2.7701504105952111e-10, 9.7250551457764992e-11, -5.0824799392579052e-11,
      2.4823644443773406e-11, 2.9884138002187608e-12, -3.7435929805120248e-12,
      -6.0851008658033111e-12, 3.6143863492486002e-12);
  w.q = v * BERTH_VPOLY64(t, -0.02472299270522373, 0.00026284279458203208,
                          -1.2677430885018453e-5, 1.2478226352134048e-6,
                          -1.8819750652607561e-7, 3.7740567905105809e-8,
                          -9.2795604456600881e-9, 2.6595889558072115e-9,
                          -8.5913440812577994e-10, 3.0416328812211762e-10,
                          -1.1614153083518079e-10, 5.1697561956603497e-11,
                          -2.4435105760909558e-11, 3.0248924729469806e-12,
                          1.3969128881591054e-12, 9.7758772138645215e-12,
                          -7.4473348695584723e-12, -4.3611348831241976e-12,
                          3.5304134564691433e-12, 1.7122282409111153e-12,
                          -1.2064057495728869e-12);
  return w;
}

static BERTH_INLINE berth_vwave_t berth_vwave1_at(double x) {
  berth_vwave_t w = berth_vwave_at(x);
  const double v = 5.0 / (x > 5.0 ? x : 5.0), t = 2 * v * v - 1;
  w.p = BERTH_VPOLY64(
      t, 1.0022906462560662, 0.0022414632139165769, -4.5782806529390982e-5,
      2.9786211346350552e-6, -3.4667191513411589e-7, 5.7916265549804919e-8,
      -1.2402701962004368e-8, 3.1875529562097118e-9, -9.4221474949966734e-10,
      3.0312304895803643e-10, -1.0595089749231098e-10, 5.4809501894723723e-11,
      -2.6622329676450115e-11, -3.0642934501236307e-12, 3.9193568327846732e-12,
      6.4755469047094081e-12, -3.8375164481595079e-12);
  w.q = v * BERTH_VPOLY64(t, 0.074609486634816038, -0.00037296992436824416,
                          1.5796188356370898e-5, -1.4739855909090526e-6,
                          2.1597706285591963e-7, -4.2533452690430071e-8,
                          1.0328489178678967e-8, -2.9331342317849729e-9,
                          9.3949834138605977e-10, -3.3126415985057923e-10,
                          1.3090041597593381e-10, -5.5725981355202017e-11,
                          1.4924176597316174e-11, -3.3838170931287553e-12,
                          1.4495069669122592e-11, -1.0323185486170794e-11,
                          -5.6477783247512652e-12, 4.5840507745852879e-12,
                          2.6412286161708523e-12, -1.8049299445088275e-12);
  return w;
}

static BERTH_INLINE double berth_vbessel_j064(double x) {
  const double a = berth_vabs64(x), c = a > 5.0 ? 5.0 : a;
  const berth_vwave_t w = berth_vwave0_at(a);
  const double near = berth_vbessel_j0_near(c * c * 0.08 - 1);
  const double far = w.k * (w.p * w.plus - w.q * w.minus);
  const double y = a > 5.0 ? far : near;
  return a < (double)INFINITY ? y : (double)NAN;
}

static BERTH_INLINE double berth_vbessel_j164(double x) {
  const double a = berth_vabs64(x), c = a > 5.0 ? 5.0 : a;
  const berth_vwave_t w = berth_vwave1_at(a);
  const double near = c * berth_vbessel_j1_near(c * c * 0.08 - 1);
  const double far = w.k * (w.p * w.minus + w.q * w.plus);
  const double y = a > 5.0 ? far : near;
  return a < (double)INFINITY ? (x < 0 ? -y : y) : (double)NAN;
}

static BERTH_INLINE double berth_vbessel_y064(double x) {
  const double c = x > 5.0 ? 5.0 : x, t = c * c * 0.08 - 1;
  const berth_vwave_t w = berth_vwave0_at(x);
  const double wave = 0.63661977236758134 * berth_vbessel_j0_near(t);
  const double near =
      berth_vfma64(wave, berth_vlog64(c), berth_vbessel_y0_near(t));
  const double far = w.k * (w.p * w.minus + w.q * w.plus);
  const double y = x > 5.0 ? far : near;
  const double inside = x > 0 ? y : -(double)INFINITY;
  return x == x && x < (double)INFINITY ? inside : (double)NAN;
}

static BERTH_INLINE double berth_vbessel_y164(double x) {
  const double c = x > 5.0 ? 5.0 : x, t = c * c * 0.08 - 1;
  const berth_vwave_t w = berth_vwave1_at(x);
  const double wave = c * berth_vbessel_j1_near(t) * berth_vlog64(c) - 1 / c;
  const double near =
      berth_vfma64(0.63661977236758134, wave, c * berth_vbessel_y1_near(t));
  const double far = w.k * (w.q * w.minus - w.p * w.plus);
  const double y = x > 5.0 ? far : near;
  const double inside = x > 0 ? y : -(double)INFINITY;
  return x == x && x < (double)INFINITY ? inside : (double)NAN;
}

// ---- Fresnel ----
//
// Up to 2.6 they are x and x^3 times functions of x^4. Beyond they wind about a
// half: C = 1/2 + f sin a - g cos a, S = 1/2 - f cos a - g sin a, a = pi x^2 / 2,
// where pi x f and pi^2 x^3 g are functions of 1 / x^4.
typedef struct berth_vfresnel {
  double x, t;  // Up to 2.6, and the place in the polynomial.
  double f, g, sine, cosine;
} berth_vfresnel_t;

static BERTH_INLINE berth_vfresnel_t berth_vfresnel_at(double a) {
  const double near = a > 2.6 ? 2.6 : a, s = near * near;
  const double far = a > 2.6 ? a : 2.6, v = 2.6 / far, u = v * v;
  const double t = 2 * (u * u) - 1, turn = 1 / (3.14159265358979323846 * far);
  berth_vfresnel_t at = {.x = near, .t = s * s * (2 / 45.6976) - 1};
  at.f = turn * BERTH_VPOLY64(t, 0.99679138598887288, -0.0031014592371370851,
                              9.853033357615614e-5, -7.4803017135818655e-6,
                              9.3420005479671387e-7, -1.6157537567079833e-7,
                              3.5177215086266453e-8, -9.0911965097244753e-9,
                              2.6894701987875278e-9, -8.8627215269619698e-10,
                              3.0149594785872626e-10, -1.0959333376602291e-10,
                              7.1673723962299937e-11, -3.8166583052442642e-11,
                              -9.1035329071297951e-12, 8.5187113391019036e-12,
                              9.8358209600984995e-12, -5.9726784295033046e-12);
  at.g = turn * turn / far *
         BERTH_VPOLY64(t, 0.98438554904032515, -0.01471905351704178,
                       0.00079700938154535991, -8.229672327871899e-5,
                       1.264989488709629e-5, -2.5487999126650288e-6,
                       6.2486735971107039e-7, -1.7779413261807114e-7,
                       5.6870503093633567e-8, -1.9924300872302774e-8,
                       7.527113505004405e-9, -3.2607428813593454e-9,
                       1.4995680036695584e-9, -2.523006888133229e-10,
                       -2.6851119470322985e-11, -5.3180463097055067e-10,
                       3.9399349453652514e-10, 2.2638898411644302e-10,
                       -1.8103970423737589e-10, -9.1902801990169835e-11,
                       6.3566665000528522e-11);
  // The angle, less whole turns: of the square, what it is rounded by counts.
  const double square = far * far, rest = berth_vfma64(far, far, -square);
  const double whole = (0.25 * square + BERTH_VROUND64) - BERTH_VROUND64;
  const double angle = (0.5 * square - 2 * whole) + 0.5 * rest;
  at.sine = berth_vsincos64(3.14159265358979323846 * angle, &at.cosine);
  return at;
}

static BERTH_INLINE double berth_vfresnel_cos64(double x) {
  const double a = berth_vabs64(x);
  const berth_vfresnel_t at = berth_vfresnel_at(a > 1e8 ? 1e8 : a);
  const double t = at.t;
  const double near =
      at.x * BERTH_VPOLY64(t, 0.28919138123121295, 0.012371175097958499,
                           -0.44927849760324711, 0.21165835771150222,
                           0.39362227528809339, -0.52907519832572903,
                           0.31067512656892036, -0.11423470545174541,
                           0.029679755447152794, -0.0058116304407535971,
                           0.0008940827864524408, -0.000111324858597299,
                           1.1474348090867682e-5, -9.9661793349498379e-7,
                           7.400795833458227e-8, -4.7567287024232972e-9,
                           2.699753958812165e-10, -1.3363746437494905e-11);
  const double far = 0.5 + at.f * at.sine - at.g * at.cosine;
  const double y = a > 1e8 ? 0.5 : a > 2.6 ? far : near;
  return a == a ? berth_vcopysign64(y, x) : x;
}

static BERTH_INLINE double berth_vfresnel_sin64(double x) {
  const double a = berth_vabs64(x);
  const berth_vfresnel_t at = berth_vfresnel_at(a > 1e8 ? 1e8 : a);
  const double t = at.t;
  const double near =
      at.x * at.x * at.x *
      BERTH_VPOLY64(
          t, 0.042355273441799128, 0.017443523683765654, 0.0056838686470996191,
          -0.13128029569368832, 0.1772663802574765, -0.11749342707920613,
          0.048956140528177089, -0.014287661241173304, 0.0031112215971728046,
          -0.00052740446519108601, 7.1778803309411537e-5,
          -8.0305944963813636e-6, 7.5257109713408597e-7, -5.9981364691261965e-8,
          4.118857365319224e-9, -2.4889440641164584e-10,
          1.3061140702179353e-11);
  const double far = 0.5 - at.f * at.cosine - at.g * at.sine;
  const double y = a > 1e8 ? 0.5 : a > 2.6 ? far : near;
  return a == a ? berth_vcopysign64(y, x) : x;
}

// ---- Dawson ----

static BERTH_INLINE double berth_vdawsn_near(double t) {
  return BERTH_VPOLY64(
      t, 0.31999403728270447, -0.29998509320676117, 0.20497987582912601,
      -0.10747975160585002, 0.045294720543522055, -0.01589123606419454,
      0.0047658048986470669, -0.0012466956447405349, 0.0002889998556305362,
      -6.0123019409250739e-5, 1.1341494965243837e-5, -1.9566107179783299e-6,
      3.1094843992076075e-7, -4.5799414270106859e-8, 6.2748853214056429e-9,
      -8.062635004396898e-10, 1.0302735263617197e-10, -1.1700751531420774e-11);
}
static BERTH_INLINE double berth_vdawsn_middle(double t) {
  return BERTH_VPOLY64(
      t, 0.14962159308075649, -0.071026727347943135, 0.036241734144997524,
      -0.020305978485576031, 0.012531242611633492, -0.0080402288474508468,
      0.0046719685212895514, -0.0018392342361483606, -0.00021398731803185371,
      0.0011692689758114264, -0.0011314384524300947, 0.00060167222994932531,
      -0.00010217212333765206, -0.00012574806953166088, 0.00012714627611306305,
      -5.1276034781321433e-5, -2.0957780007011874e-6, 1.4862772430321858e-5,
      -8.1704793060981255e-6, 1.0033243074249984e-6, 1.3411789669580517e-6,
      -8.9550078353399537e-7, 1.2853640709422823e-7, 1.2476612776916328e-7,
      -6.5376947361073511e-8, 5.228414586433069e-10, 6.8519239945734161e-9,
      -1.3190104039458021e-9);
}
static BERTH_INLINE double berth_vdawsn_far(double t) {
  return BERTH_VPOLY64(
      t, 1.0103161564918599, 0.010649746347064306, 0.00035243661981268562,
      2.0415560334076902e-5, 1.7463312413929873e-6, 2.036564253041252e-7,
      3.0989775705042765e-8, 6.0055923435663377e-9, 1.4703159379527232e-9,
      4.4948872587510538e-10, 1.6683604256558675e-10, 1.0316726187928532e-10,
      8.9481170169888911e-11, 2.1521190452202857e-11, -4.3032702555405334e-11,
      -2.7579182385663107e-11, 5.0940377437263408e-12, 5.37015704520421e-12);
}

static BERTH_INLINE double berth_vdawsn64(double x) {
  const double a = berth_vabs64(x), c = a > 2.0 ? 2.0 : a;
  const double m = a > 5.0 ? 5.0 : a > 2.0 ? a : 2.0, f = a > 5.0 ? a : 5.0;
  const double v = 5.0 / f;
  const double near = c * berth_vdawsn_near(0.5 * c * c - 1);
  const double middle = berth_vdawsn_middle((m - 3.5) * (1 / 1.5));
  const double far = berth_vdawsn_far(2 * v * v - 1) * 0.5 / f;
  const double y = a > 5.0 ? far : a > 2.0 ? middle : near;
  return a == a ? berth_vcopysign64(y, x) : x;
}

#endif  // BERTH_CPU_LOOPS_VWAVE64_H_
