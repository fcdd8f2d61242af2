"""Fourier transforms."""


def _complex(name, shape, dtype='complex64'):
    def case(tf, x):
        a = x(shape, 1, dtype=dtype)
        y = getattr(tf.raw_ops, name)(input=a)
        return tf.math.real(y) * 2 + tf.math.imag(y), [a]
    return case


def _rfft(length):
    def case(tf, x):
        a = x([2, length], 1)
        y = tf.raw_ops.RFFT(input=a, fft_length=[length])
        return tf.math.real(y) * 2 + tf.math.imag(y), [a]
    return case


def _rfft2d(shape, dtype='float32', lengths=None):
    def case(tf, x):
        a = x(list(shape), 1, dtype=dtype)
        out = tf.complex64 if dtype == 'float32' else tf.complex128
        y = tf.raw_ops.RFFT2D(input=a, fft_length=list(lengths or shape[-2:]), Tcomplex=out)
        return tf.math.real(y) * 2 + tf.math.imag(y), [a]
    return case


def _irfft(name, shape, length):
    def case(tf, x):
        a = x(shape, 1, dtype='complex64')
        y = getattr(tf.raw_ops, name)(input=a, fft_length=length)
        return y * y, [a]
    return case


CASES = {
    'fft': _complex('FFT', [2, 3]), 'ifft': _complex('IFFT', [2, 3]), 'fft_double': _complex('FFT', [4], 'complex128'),
    'fft2d': _complex('FFT2D', [2, 3]), 'ifft2d': _complex('IFFT2D', [2, 2, 3]), 'fft3d': _complex('FFT3D', [2, 2, 3]),
    'ifft3d': _complex('IFFT3D', [2, 2, 3]),
    'rfft_even': _rfft(4), 'rfft_odd': _rfft(5),
    'irfft_even': _irfft('IRFFT', [2, 3], [4]), 'irfft_odd': _irfft('IRFFT', [2, 3], [5]),
    'irfft2d': _irfft('IRFFT2D', [2, 3], [2, 4]),
    'rfft2d_even': _rfft2d((3, 4)), 'rfft2d_odd': _rfft2d((2, 5)), 'rfft2d_batch': _rfft2d((2, 3, 4), 'float64'),
}
UNNAMED = ('rfft_even', 'rfft_odd', 'irfft2d')
# TensorFlow's rule multiplies by a matrix of roots of 1; here the whole sum is taken.
RENAMED = ('rfft2d_even', 'rfft2d_odd', 'rfft2d_batch')
