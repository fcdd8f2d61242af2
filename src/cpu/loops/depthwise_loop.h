// depthwise_loop.h - The loops of one type.
//
// A template: include it in depthwise_isa.c once per type, with T, V, V_(x),
// LANES and NAME(x) as gemm_micro.h has them, and
//   END(run, sums, places, at, c)   ends sums of |places| places, which go |at|
//                                   elements behind the begin of y, channel |c|
//   END_ONE(run, sum, at, c)        ends one
//   SQUARES                         1: windows of three by three have a loop,
//                                   and large ones

// Places that share the factors of a tap.
#ifndef GROUP
#define GROUP 4
#define MANY 12  // Of windows of more taps than registers keep.
#endif

// |places| places, MANY at most, of the channels from |c| on.
static BERTH_INLINE void NAME(dot_vector)(const berth_depthwise_t *run,
                                          int64_t p, const int places,
                                          int64_t c) {
  V sums[MANY];
  BERTH_UNROLL
  for (int i = 0; i < places; ++i) sums[i] = V_(splat)(0);
  for (int t = 0; t < run->taps; ++t) {
    const T *x = (const T *)(const void *)run->x[t] + p * run->step + c;
    V w = V_(load)((const T *)(const void *)run->w[t] + c);
    BERTH_UNROLL
    for (int i = 0; i < places; ++i) {
      sums[i] = V_(fma)(V_(load)(x + i * run->step), w, sums[i]);
    }
  }
  int64_t at = p * run->apart + c;
  if (run->ending != NULL) END(run, sums, places, at, c);
  T *y = (T *)(void *)run->y + at;
  BERTH_UNROLL
  for (int i = 0; i < places; ++i) V_(store)(y + i * run->apart, sums[i]);
}

#if SQUARES
// MANY places of whole vectors of channels.
static BERTH_NOINLINE void NAME(dot_many)(const berth_depthwise_t *run,
                                          int64_t p) {
  for (int64_t c = 0; c < run->channels; c += LANES) {
    NAME(dot_vector)(run, p, MANY, c);
  }
}
#endif

#if SQUARES
// GROUP places of windows that are three wide and |stride| taps apart, over
// three lines: what several of them see is loaded once.
static BERTH_INLINE void NAME(dot_square)(const berth_depthwise_t *run,
                                          const int stride, int64_t p,
                                          int64_t c) {
  V sums[GROUP];
  BERTH_UNROLL
  for (int i = 0; i < GROUP; ++i) sums[i] = V_(splat)(0);
  BERTH_UNROLL
  for (int l = 0; l < 3; ++l) {
    const T *x = (const T *)(const void *)run->x[3 * l] + p * run->step + c;
    V seen[2 * GROUP + 1];
    BERTH_UNROLL
    for (int i = 0; i < stride * (GROUP - 1) + 3; ++i) {
      seen[i] = V_(load)(x + i * run->next);
    }
    BERTH_UNROLL
    for (int t = 0; t < 3; ++t) {
      V w = V_(load)((const T *)(const void *)run->w[3 * l + t] + c);
      BERTH_UNROLL
      for (int i = 0; i < GROUP; ++i) {
        sums[i] = V_(fma)(seen[stride * i + t], w, sums[i]);
      }
    }
  }
  int64_t at = p * run->apart + c;
  if (run->ending != NULL) END(run, sums, GROUP, at, c);
  T *y = (T *)(void *)run->y + at;
  BERTH_UNROLL
  for (int i = 0; i < GROUP; ++i) V_(store)(y + i * run->apart, sums[i]);
}

// The same for all whole vectors of channels; returns how many channels there
// are of them.
static int64_t NAME(dot_squares)(const berth_depthwise_t *run, int64_t p) {
  int64_t c = 0;
  if (run->taps != 9 || run->along != 3) return 0;
  if (run->step == run->next) {
    for (; c + LANES <= run->channels; c += LANES) {
      NAME(dot_square)(run, 1, p, c);
    }
  } else if (run->step == 2 * run->next) {
    for (; c + LANES <= run->channels; c += LANES) {
      NAME(dot_square)(run, 2, p, c);
    }
  }
  return c;
}

#endif

// |places| places, GROUP at most.
static BERTH_NOINLINE void NAME(dot_some)(const berth_depthwise_t *run,
                                          int64_t p, int places) {
  int64_t c = 0;
#if SQUARES
  if (places == GROUP) c = NAME(dot_squares)(run, p);
#endif
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
      int64_t at = (p + i) * run->apart + c;
      if (run->ending != NULL) END_ONE(run, sum, at, c);
      ((T *)(void *)run->y)[at] = sum;
    }
  }
}

static void NAME(dot)(const berth_depthwise_t *run) {
  int64_t p = 0;
#if SQUARES
  if (run->taps > 9 && run->channels % LANES == 0) {
    for (; p + MANY <= run->places; p += MANY) NAME(dot_many)(run, p);
  }
#endif
  for (; p < run->places; p += GROUP) {
    int64_t left = run->places - p;
    // The last ones go with some that are computed again, which costs less than
    // one by one.
    if (left < GROUP && run->places >= GROUP) p -= GROUP - left;
    NAME(dot_some)(run, p, run->places < GROUP ? (int)left : GROUP);
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
