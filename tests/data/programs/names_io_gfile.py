import tensorflow as tf

gf = tf.io.gfile
gf.makedirs('data/train')
gf.mkdir('data/test')
for i in range(3):
    with gf.GFile(f'data/train/part-{i}.txt', 'w') as f:
        f.write(f'line {i}\nsecond\n')
print(gf.exists('data/train'), gf.isdir('data/train'), gf.exists('data/none'))
print(sorted(gf.listdir('data')))
print(sorted(gf.glob('data/train/*.txt')))
with gf.GFile('data/train/part-1.txt') as f:
    print(repr(f.readline()), repr(f.read()))
with gf.GFile('data/train/part-1.txt', 'rb') as f:
    print(f.read(), f.size())
gf.copy('data/train/part-0.txt', 'data/test/copy.txt')
gf.rename('data/test/copy.txt', 'data/test/moved.txt')
print(gf.stat('data/test/moved.txt').length)
for top, dirs, files in gf.walk('data'):
    print(top, sorted(dirs), sorted(files))
gf.remove('data/test/moved.txt')
print(gf.listdir('data/test'), gf.join('a', 'b', 'c'))
gf.rmtree('data')
print(gf.exists('data'))
try:
    gf.GFile('nothing.txt').read()
except tf.errors.NotFoundError as e:
    print(e)
try:
    gf.copy('nothing.txt', 'x')
except tf.errors.NotFoundError as e:
    print(e.message)
try:
    gf.listdir('nothing')
except tf.errors.NotFoundError as e:
    print(e.message)
