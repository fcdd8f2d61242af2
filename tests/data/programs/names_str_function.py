import tensorflow as tf


@tf.function
def standardize(text):
    text = tf.strings.lower(text)
    text = tf.strings.regex_replace(text, '[^ a-z.?!,]', '')
    text = tf.strings.regex_replace(text, '[.?!,]', r' \0 ')
    text = tf.strings.strip(text)
    text = tf.strings.join(['[START]', text, '[END]'], separator=' ')
    return text


example = tf.constant('Todavia esta en casa?')
print(example.numpy())
print(standardize(example).numpy().decode())
print(standardize(tf.constant(['Hi!', 'What, 3 things?'])))
print(standardize.get_concrete_function(tf.TensorSpec([None], tf.string)).structured_outputs)
