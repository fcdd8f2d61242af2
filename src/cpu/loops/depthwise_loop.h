// depthwise_loop.h - The loops of one type.
//
// A template: include it in depthwise_isa.c once per type, with T, V, V_(x),
// LANES and NAME(x) as gemm_micro.h has them.

// Places that share the factors of a tap.
#ifndef GROUP
#define GROUP 4
#endif

// |places| places, GROUP at most, of the channels from |c| on.
static BERTH_INLINE void NAME(dot_vector)(const berth_depthwise_t *run,
                                          int64_t p, int places, int64_t c) {
  V sums[GROUP];
  for (int i = 0; i < places; ++i) sums[i] = V_(splat)(0);
  for (int t = 0; t < run->taps; ++t) {
    const T *x = (const T *)(const void *)run->x[t] + p * run->step + c;
    V w = V_(load)((const T *)(const void *)run->w[t] + c);
    for (int i = 0; i < places; ++i) {
      sums[i] = V_(fma)(V_(load)(x + i * run->step), w, sums[i]);
    }
  }
  T *y = (T *)(void *)run->y + p * run->apart + c;
  for (int i = 0; i < places; ++i) V_(store)(y + i * run->apart, sums[i]);
}

static void NAME(dot)(const berth_depthwise_t *run) {
  for (int64_t p = 0; p < run->places; p += GROUP) {
    int64_t left = run->places - p;
    int places = left < GROUP ? (int)left : GROUP;
    int64_t c = 0;
    for (; c + LANES <= run->channels; c += LANES) {
      if (places == GROUP) {
        NAME(dot_vector)(run, p, GROUP, c);
      } else {
        for (int i = 0; i < places; ++i) NAME(dot_vector)(run, p + i, 1, c);
      }
    }
    for (; c < run->channels; ++c) {
      for (int i = 0; i < places; ++i) {
        T sum = 0;
        for (int t = 0; t < run->taps; ++t) {
          const T *x = (const T *)(const void *)run->x[t];
          const T *w = (const T *)(const void *)run->w[t];
          sum += x[(p + i) * run->step + c] * w[c];
        }
        ((T *)(void *)run->y)[(p + i) * run->apart + c] = sum;
      }
    }
  }
}

static void NAME(add)(const berth_depthwise_t *run) {
  for (int t = 0; t < run->taps; ++t) {
    const T *x = (const T *)(const void *)run->x[t];
    const T *y = (const T *)(const void *)run->y;
    T *w = (T *)(void *)run->w[t];
    int64_t c = 0;
    for (; c + LANES <= run->channels; c += LANES) {
      // Two sums, so that one product need not wait for the last.
      V even = V_(load)(w + c), odd = V_(splat)(0);
      int64_t p = 0;
      for (; p + 2 <= run->places; p += 2) {
        even = V_(fma)(V_(load)(x + p * run->step + c),
                       V_(load)(y + p * run->apart + c), even);
        odd = V_(fma)(V_(load)(x + (p + 1) * run->step + c),
                      V_(load)(y + (p + 1) * run->apart + c), odd);
      }
      if (p < run->places) {
        even = V_(fma)(V_(load)(x + p * run->step + c),
                       V_(load)(y + p * run->apart + c), even);
      }
      V_(store)(w + c, even + odd);
    }
    for (; c < run->channels; ++c) {
      T sum = w[c];
      for (int64_t p = 0; p < run->places; ++p) {
        sum += x[p * run->step + c] * y[p * run->apart + c];
      }
      w[c] = sum;
    }
  }
}
