// matmul_small.cuh - The kernel of matmul_small.cu for one type of numbers.
//
// Included by matmul_types.cuh, which says what the macros are.
KERNEL(NAME(berth_matmul_small)) {
  uint32_t m = (uint32_t)p.m, n = (uint32_t)p.n;
  BERTH_EACH(each, p.batch * p.m * p.n) {
    uint32_t i = (uint32_t)each;
    uint32_t col = i % n, row = i / n % m, batch = i / n / m;
    const STORED *a = (const STORED *)p.a + (int64_t)batch * p.a_batch +
                      (int64_t)row * p.a_row;
    const STORED *b = (const STORED *)p.b + (int64_t)batch * p.b_batch +
                      (int64_t)col * p.b_col;
    WORKING sum = NAME(zero)();
    for (uint32_t d = 0; d < (uint32_t)p.k; ++d) {
      WORKING x = NAME(load)(a[(int64_t)d * p.a_col], p.conj_a);
      WORKING y = NAME(load)(b[(int64_t)d * p.b_row], p.conj_b);
      sum = NAME(add_product)(sum, x, y);
    }
    ((STORED *)p.c)[i] = NAME(berth_store)(sum);
  }
}
