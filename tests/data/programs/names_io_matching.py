import os
import tensorflow as tf

for name in ('a1.csv', 'a2.csv', 'b.txt'):
    tf.io.write_file(name, name)
print(tf.io.matching_files('*.csv'))
print(tf.io.matching_files(['*.txt', 'a1*']).numpy())
print(tf.io.matching_files('*.nothing'))
