import tensorflow as tf

s = tf.constant(['Hello World', 'tensor flow', '', 'a-b-c'])
print(tf.strings.length(s))
print(tf.strings.upper(s), tf.strings.lower(s))
print(tf.strings.split(s))
print(tf.strings.split('a,b,c', sep=','))
print(tf.strings.substr(s, 0, 1))
print(tf.strings.join([s, s], separator='/'))
print(tf.strings.reduce_join(s, separator=' '))
print(tf.strings.regex_replace(s, r'[aeiou]', '*'))
print(tf.strings.regex_full_match(s, '.*w.*'))
print(tf.strings.strip('  x '))
print(tf.strings.to_number(['1.5', '2'], tf.float32))
print(tf.strings.as_string([1.5, 2.25], precision=1))
print(tf.strings.format('t={} u={}', (tf.range(3), 'k')))
print(tf.strings.to_hash_bucket_fast(s, 100))
print(tf.strings.bytes_split('abc'))
print(s + '!', s == 'a-b-c')
for bad in (lambda: tf.strings.to_number('abc'), lambda: tf.strings.substr('abc', 5, 1),
            lambda: tf.strings.upper(3), lambda: s * 2, lambda: tf.strings.regex_replace('a', '(', '')):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
