import tensorflow as tf

s = tf.constant(['<br />Great movie!', "don't. stop", 'abc 123 def'])
print(tf.strings.regex_replace(s, '<br />', ' '))
print(tf.strings.regex_replace(s, '[^a-zA-Z ]', ''))
print(tf.strings.regex_replace(s, r'(\w+) (\d+)', r'\2-\1'))
print(tf.strings.regex_replace(s, 'o', '0', replace_global=False))
print(tf.strings.regex_full_match(s, '.*movie.*'))
print(tf.strings.regex_full_match(['a1', 'b', 'aaa'], 'a+[0-9]?'))
import string
print(tf.strings.regex_replace(s, f'[{__import__("re").escape(string.punctuation)}]', ''))
print(tf.strings.regex_replace('[START] Hi [END]', r'\[(?:START|END)\]', '').numpy())
try:
    tf.strings.regex_full_match('a', '(')
except tf.errors.InvalidArgumentError as e:
    print(type(e).__name__)
