// matmul_term.cuh - A term of a product, for one type of numbers.
//
// Included by matmul_types.cuh, which says what the macros are.

// Loads a number, of a complex one with |is_conj| its conjugate.
BERTH_GPU_FN WORKING NAME(load)(STORED from, uint32_t is_conj) {
  WORKING x = NAME(berth_load)(from);
#ifdef IS_COMPLEX
  if (is_conj) x.im = -x.im;
#else
  (void)is_conj;
#endif
  return x;
}

BERTH_GPU_FN WORKING NAME(zero)(void) {
#ifdef IS_COMPLEX
  return NAME(berth_make)(0, 0);
#else
  return 0;
#endif
}

BERTH_GPU_FN WORKING NAME(add_product)(WORKING sum, WORKING x, WORKING y) {
#ifdef IS_COMPLEX
  return NAME(berth_add)(sum, NAME(berth_mul)(x, y));
#else
  return sum + x * y;
#endif
}
