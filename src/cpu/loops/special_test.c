// special_test.c - Special functions of blocks against values of more digits,
// and what they are of numbers outside of their domains.
#include "cpu/loops/special.h"

#include <float.h>
#include <math.h>

#include "base/compiler.h"
#include "harness.h"

typedef struct value {
  berth_special_fn function;
  double in[3];
  double exact;
} value_t;

// Computed with 40 digits.
// clang-format off
static const value_t values[] = {
    {berth_special_lgammas, {1e-09}, 20.7232658363691954},
    {berth_special_lgammas, {0.3}, 1.09579799481807556},
    {berth_special_lgammas, {0.9999}, 0.0000577297915611938628},
    {berth_special_lgammas, {1.0001}, -0.000057713342220471268},
    {berth_special_lgammas, {1.5}, -0.120782237635245222},
    {berth_special_lgammas, {2.0001}, 0.0000422816581129199463},
    {berth_special_lgammas, {4.25}, 2.11445692745037148},
    {berth_special_lgammas, {7.9}, 8.32426586800880963},
    {berth_special_lgammas, {8.1}, 8.7273882634320398},
    {berth_special_lgammas, {100.0}, 359.134205369575399},
    {berth_special_lgammas, {1000000000.0}, 19723265827.5037168},
    {berth_special_digamma, {1e-09}, -1000000000.5772156},
    {berth_special_digamma, {0.3}, -3.50252422220013312},
    {berth_special_digamma, {3.5}, 1.10315664064524319},
    {berth_special_digamma, {7.9}, 2.00223848756357104},
    {berth_special_digamma, {8.1}, 2.02886745708058143},
    {berth_special_digamma, {100.0}, 4.6001618527380874},
    {berth_special_digamma, {-2.3}, 3.31732315756182274},
    {berth_special_expint, {0.001}, -6.3295393640250382},
    {berth_special_expint, {2.9}, 9.28602418656634756},
    {berth_special_expint, {3.1}, 10.6263002841098074},
    {berth_special_expint, {5.9}, 79.5381901448875928},
    {berth_special_expint, {6.1}, 93.0020099869636616},
    {berth_special_expint, {8.9}, 951.727829711949862},
    {berth_special_expint, {9.1}, 1132.03729505957711},
    {berth_special_expint, {13.9}, 84989.1743083827121},
    {berth_special_expint, {14.1}, 102194.08162205729},
    {berth_special_expint, {29.9}, 335019113674.934185},
    {berth_special_expint, {30.1}, 406373416320.396258},
    {berth_special_expint, {500.0}, 2.81282139788629434e+214},
    {berth_special_spence, {1e-09}, 1.64493404512496059},
    {berth_special_spence, {0.3}, 0.889377624286038758},
    {berth_special_spence, {0.49}, 0.596165361377950755},
    {berth_special_spence, {0.51}, 0.568438443896666897},
    {berth_special_spence, {1.9}, -0.752163179217261557},
    {berth_special_spence, {2.1}, -0.890838090262282666},
    {berth_special_spence, {1000000.0}, -97.0790852399416749},
    {berth_special_igamma, {0.5, 0.2}, 0.472910743134461926},
    {berth_special_igammac, {0.5, 0.2}, 0.527089256865538074},
    {berth_special_igamma, {0.5, 0.9}, 0.820287505121000163},
    {berth_special_igammac, {0.5, 0.9}, 0.179712494878999837},
    {berth_special_igamma, {0.5, 3.0}, 0.98569412156457036},
    {berth_special_igammac, {0.5, 3.0}, 0.0143058784354296395},
    {berth_special_igamma, {30.0, 25.0}, 0.18210391597745511},
    {berth_special_igammac, {30.0, 25.0}, 0.81789608402254489},
    {berth_special_igamma, {30.0, 35.0}, 0.822954547899940303},
    {berth_special_igammac, {30.0, 35.0}, 0.177045452100059697},
    {berth_special_igamma, {300.0, 290.0}, 0.286175510294303733},
    {berth_special_igammac, {300.0, 290.0}, 0.713824489705696267},
    {berth_special_igamma, {300.0, 310.0}, 0.722488754171861109},
    {berth_special_igammac, {300.0, 310.0}, 0.277511245828138891},
    {berth_special_igamma, {5.0, 80.0}, 1.0},
    {berth_special_igammac, {5.0, 80.0}, 3.2402154044225048e-29},
    {berth_special_igamma_grad_a, {0.5, 0.2}, -0.820161406486338878},
    {berth_special_gamma_grad, {0.5, 0.2}, 0.794050566330843324},
    {berth_special_igamma_grad_a, {0.5, 3.0}, -0.0472403264479737509},
    {berth_special_gamma_grad, {0.5, 3.0}, 2.91294241644036457},
    {berth_special_igamma_grad_a, {30.0, 25.0}, -0.0499548774258348562},
    {berth_special_gamma_grad, {30.0, 25.0}, 0.916681599735657239},
    {berth_special_igamma_grad_a, {30.0, 35.0}, -0.0464070220283442491},
    {berth_special_gamma_grad, {30.0, 35.0}, 1.0850658643202265},
    {berth_special_igamma_grad_a, {5.0, 0.01}, -5.21599523407497526e-12},
    {berth_special_gamma_grad, {5.0, 0.01}, 0.0126442004584503662},
    {berth_special_zeta, {1.01, 0.5}, 101.97709317748227},
    {berth_special_zeta, {2.0, 1.0}, 1.64493406684822644},
    {berth_special_zeta, {2.5, 20.0}, 0.0077388877025726046},
    {berth_special_zeta, {7.0, 0.3}, 4572.63629570606991},
    {berth_special_zeta, {30.0, 0.9}, 23.5898248802647477},
    {berth_special_zeta, {60.0, 3.0}, 2.3589825628243266e-29},
    {berth_special_zeta, {4.0, -1.5}, 32.4323793698646037},
    {berth_special_zeta, {10, 1e-30}, 1e300},
    {berth_special_zeta, {150, 30}, 2.72271549229423069e-222},
    {berth_special_zeta, {20, 30}, 6.12035098301146659e-30},
    {berth_special_zeta, {4, -300.5}, 32.4696969991111725},
    {berth_special_polygamma, {0.0, 0.3}, -3.50252422220013312},
    {berth_special_polygamma, {1.0, 0.3}, 12.2453645461077313},
    {berth_special_polygamma, {5.0, 3.5}, 0.0870491785671834846},
    {berth_special_polygamma, {20.0, 12.0}, -0.0000654721193671601017},
    {berth_special_betainc, {0.5, 0.5, 0.2}, 0.295167235300866557},
    {berth_special_betainc, {2.0, 3.0, 0.9}, 0.996300000000000002},
    {berth_special_betainc, {30.0, 20.0, 0.5}, 0.0762038859807390168},
    {berth_special_betainc, {30.0, 20.0, 0.7}, 0.930012906699492519},
    {berth_special_betainc, {0.1, 100.0, 0.01}, 0.975892711294801845},
    {berth_special_betainc, {200.0, 1.0, 0.999}, 0.81864882947863556},
};
// clang-format on

// A block of |count| equal numbers.
static void fill_block(berth_special_block_t *block, const value_t *value,
                       int count) {
  block->count = count;
  block->precision = DBL_EPSILON / 4;
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < count; ++i) block->in[k][i] = value->in[k];
  }
}

TEST(special, is_right_to_thirteen_digits) {
  static berth_special_block_t block;
  for (int i = 0; i < BERTH_COUNT_OF(values); ++i) {
    // Whatever is left of the last vector.
    for (int count = 1; count <= BERTH_SPECIAL_BLOCK; count += 5) {
      fill_block(&block, &values[i], count);
      values[i].function(&block);
      for (int k = 0; k < count; ++k) {
        const double off = fabs(block.out[k] / values[i].exact - 1);
        if (!(off < 2e-13)) fprintf(stderr, "row %d: off by %g\n", i, off);
        EXPECT_TRUE(off < 2e-13);
      }
    }
  }
}

// What TensorFlow answers where there is no value.
static const value_t others[] = {
    {berth_special_lgammas, {0}, INFINITY},
    {berth_special_lgammas, {-1}, INFINITY},
    {berth_special_lgammas, {-INFINITY}, INFINITY},
    {berth_special_lgammas, {INFINITY}, INFINITY},
    {berth_special_lgammas, {NAN}, NAN},
    {berth_special_lgammas, {1}, 0},
    {berth_special_lgammas, {2}, 0},
    {berth_special_digamma, {0}, NAN},
    {berth_special_digamma, {-1}, NAN},
    {berth_special_digamma, {INFINITY}, INFINITY},
    {berth_special_digamma, {-INFINITY}, NAN},
    {berth_special_digamma, {NAN}, NAN},
    {berth_special_expint, {0}, -INFINITY},
    {berth_special_expint, {-1}, NAN},
    {berth_special_expint, {INFINITY}, NAN},
    {berth_special_spence, {-1}, NAN},
    {berth_special_spence, {1}, 0},
    {berth_special_spence, {NAN}, NAN},
    {berth_special_igamma, {1, 0}, 0},
    {berth_special_igamma, {1, 1e300}, 1},
    {berth_special_igamma, {1, INFINITY}, 1},
    {berth_special_igamma, {INFINITY, 1}, 0},
    {berth_special_igamma, {0, 1}, NAN},
    {berth_special_igamma, {1, -1}, NAN},
    {berth_special_igammac, {1, 0}, 1},
    {berth_special_igammac, {1, 1e300}, 0},
    {berth_special_igammac, {1, INFINITY}, 0},
    {berth_special_igammac, {INFINITY, 1}, 1},
    {berth_special_igammac, {NAN, 1}, NAN},
    {berth_special_igamma_grad_a, {1, 0}, 0},
    {berth_special_igamma_grad_a, {-1, 1}, NAN},
    {berth_special_gamma_grad, {INFINITY, 1}, 0},
    {berth_special_gamma_grad, {1, -1}, NAN},
    {berth_special_zeta, {1, 1}, INFINITY},
    {berth_special_zeta, {0.5, 1}, NAN},
    {berth_special_zeta, {2, 0}, INFINITY},
    {berth_special_zeta, {3, -1}, NAN},
    {berth_special_zeta, {2.5, -1.5}, NAN},
    {berth_special_zeta, {INFINITY, 1}, 1},
    {berth_special_zeta, {INFINITY, 2}, 0},
    {berth_special_zeta, {1e5, -0.5}, INFINITY},
    {berth_special_zeta, {40, 1}, 1.0000000000009094948},
    {berth_special_polygamma, {700, -3.7}, -INFINITY},
    {berth_special_polygamma, {-1, 1}, NAN},
    {berth_special_polygamma, {1.5, 1}, NAN},
    {berth_special_betainc, {1, 1, 0}, 0},
    {berth_special_betainc, {1, 1, 1}, 1},
    {berth_special_betainc, {1, 1, 2}, NAN},
    {berth_special_betainc, {0, 1, 0.5}, NAN},
};

TEST(special, is_as_tensorflow_says_outside_of_a_domain) {
  static berth_special_block_t block;
  for (int i = 0; i < BERTH_COUNT_OF(others); ++i) {
    fill_block(&block, &others[i], 3);
    others[i].function(&block);
    const double y = block.out[1], exact = others[i].exact;
    const bool is_right = isnan(exact) ? isnan(y) : y == exact;
    if (!is_right) fprintf(stderr, "row %d: %g\n", i, y);
    EXPECT_TRUE(is_right);
  }
}

// One number of a block does not change with the others.
TEST(special, does_not_depend_on_neighbors) {
  static berth_special_block_t alone, among;
  for (int i = 0; i < BERTH_COUNT_OF(values); ++i) {
    fill_block(&alone, &values[i], 1);
    fill_block(&among, &values[i], 9);
    values[i].function(&alone);
    for (int k = 0; k < 3; ++k) among.in[k][3] = k == 2 ? 0.25 : 40;
    values[i].function(&among);
    EXPECT_TRUE(among.out[0] == alone.out[0]);
    EXPECT_TRUE(among.out[8] == alone.out[0]);
  }
}
