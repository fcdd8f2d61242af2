"""test_seq2seq.py - tf.contrib.seq2seq: decoders, helpers, attention and the search of beams, beside numpy."""

from __future__ import annotations

from script import run

# A decoder with attention in each mode, over one set of variables; and what numpy makes of its weights.
MODEL = """
import numpy as np
import berth as tf
s2s = tf.contrib.seq2seq
B, T, D, U, V = 3, 5, 4, 6, 7
rs = np.random.RandomState(0)
memory, lengths = rs.randn(B, T, D).astype(np.float32), np.array([5, 3, 2], np.int32)
fed = rs.randint(0, V, [B, T])
tf.set_random_seed(1)
def model(mode, mechanism, width=1, wrapper={}, **more):
    # Returns what dynamic_decode does.
    tile = (lambda x: s2s.tile_batch(x, width)) if mode == 'beam' else tf.convert_to_tensor
    embedding = tf.get_variable('embedding', [V, U], initializer=tf.random_normal_initializer(stddev=3.))
    looks = mechanism(tile(memory), tile(lengths))
    cell = s2s.AttentionWrapper(tf.contrib.rnn.LSTMCell(U), looks, **{'attention_layer_size': U, **wrapper})
    layer = tf.layers.Dense(V, name='out', use_bias=False)
    start = cell.zero_state(B * (width if mode == 'beam' else 1), tf.float32)
    if mode == 'train':
        helper = s2s.TrainingHelper(tf.nn.embedding_lookup(embedding, fed), lengths)
    elif mode == 'greedy':
        helper = s2s.GreedyEmbeddingHelper(embedding, [1] * B, 2)
    if mode == 'beam':
        decoder = s2s.BeamSearchDecoder(cell, embedding, [1] * B, 2, start, width, layer, **more.pop('search', {}))
    else:
        decoder = s2s.BasicDecoder(cell, helper, start, layer)
    return s2s.dynamic_decode(decoder, **more)
def sigmoid(x): return 1 / (1 + np.exp(-x))
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
def values(session):
    return {v.op.name.replace('m/', ''): session.run(v) for v in tf.global_variables()}
def begin(session, seed=3):
    # Larger weights than those at the start, or all weights of attention would be alike.
    session.run(tf.global_variables_initializer())
    draw = np.random.RandomState(seed)
    for v in tf.trainable_variables():
        v.load(np.float32(draw.randn(*v.shape.as_list())), session)
def step(w, x, c, h, attention, score):
    gates = np.concatenate([x, attention, h], 1) @ w['decoder/attention_wrapper/lstm_cell/kernel']
    i, j, f, o = np.split(gates + w['decoder/attention_wrapper/lstm_cell/bias'], 4, 1)
    c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
    h = sigmoid(o) * np.tanh(c)
    masked = memory * (np.arange(T) < lengths[:, None])[..., None]
    s = score(w, h, masked @ w['memory_layer/kernel'])
    a = softmax(np.where(np.arange(T) < lengths[:, None], s, -np.inf))
    seen = np.einsum('bt,btd->bd', a, masked)
    attention = np.concatenate([h, seen], 1) @ w['decoder/attention_wrapper/attention_layer/kernel']
    return c, h, attention, a
def bahdanau(w, h, keys):
    base = 'decoder/attention_wrapper/bahdanau_attention/'
    v, g, b = (w[base + 'attention_' + x] for x in 'vgb')
    return (g * v / np.sqrt((v * v).sum()) * np.tanh(keys + (h @ w[base + 'query_layer/kernel'])[:, None] + b)).sum(2)
def luong(w, h, keys):
    return np.einsum('btu,bu->bt', keys, h) * w['decoder/attention_wrapper/luong_attention/attention_g']
def mechanism(normalize):
    if normalize: return lambda m, n: s2s.BahdanauAttention(U, m, n, normalize=True)
    return lambda m, n: s2s.LuongAttention(U, m, n, scale=True)
def walk(w, score, inputs):
    # Returns logits and weights of all steps; |inputs| gives numbers by step and last logits.
    c, h, attention, logits, out, looked = np.zeros([B, U]), np.zeros([B, U]), np.zeros([B, U]), None, [], []
    for t in range(T):
        c, h, attention, a = step(w, w['embedding'][inputs(t, logits)], c, h, attention, score)
        logits = attention @ w['decoder/out/kernel']
        out.append(logits), looked.append(a)
    return np.stack(out, 1), np.stack(looked)
"""


def test_attention() -> None:
    """Names of variables are TensorFlow's, and outputs, weights, lengths and zeros what numpy says."""
    run(MODEL + """
for normalize, score in ((True, bahdanau), (False, luong)):
    tf.reset_default_graph()
    outputs, state, found = model('train', mechanism(normalize), wrapper={'alignment_history': True},
                                  impute_finished=True)
    names = [v.op.name for v in tf.global_variables()]
    inner = 'decoder/attention_wrapper/'
    own = [f'{inner}bahdanau_attention/{x}' for x in ('query_layer/kernel', 'attention_v', 'attention_g',
                                                      'attention_b')] if normalize else [
        f'{inner}luong_attention/attention_g']
    assert names == ['embedding', 'memory_layer/kernel', f'{inner}lstm_cell/kernel', f'{inner}lstm_cell/bias', *own,
                     f'{inner}attention_layer/kernel', 'decoder/out/kernel'], names
    with tf.Session() as session:
        begin(session)
        logits, ids, looked, steps, attention = session.run([
            outputs.rnn_output, outputs.sample_id, state.alignment_history.stack(), found, state.attention])
        expected, weights = walk(values(session), score, lambda t, _: fed[:, t])
        is_there = (np.arange(T) < lengths[:, None])
        assert np.allclose(logits, expected * is_there[..., None], atol=1e-3), abs(logits - expected).max()
        assert (ids == expected.argmax(2) * is_there).all() and (steps == lengths).all()
        assert np.allclose(looked[:2], weights[:2], atol=1e-4)
        assert (looked[:, 1, 3:] == 0).all() and weights.max() > .5
        # The state is that of the last step of each row.
        kernel = values(session)['decoder/out/kernel']
        assert np.allclose(attention @ kernel, expected[np.arange(B), lengths - 1], atol=1e-3)
""")


def test_greedy_and_beams() -> None:
    """One beam is greedy decoding; more find sequences as likely at least, whose scores numpy finds again."""
    run(MODEL + """
made = mechanism(True)
with tf.variable_scope('m'):
    greedy = model('greedy', made, maximum_iterations=T)
with tf.variable_scope('m', reuse=True):
    one = model('beam', made, 1, maximum_iterations=T)
with tf.variable_scope('m', reuse=True):
    many = model('beam', made, 4, maximum_iterations=T, wrapper={'alignment_history': True})
with tf.variable_scope('m', reuse=True):
    raw = model('beam', made, 4, maximum_iterations=T, wrapper={'alignment_history': True},
                search={'reorder_tensor_arrays': False})
with tf.variable_scope('m', reuse=True):
    shorter = model('beam', made, 4, maximum_iterations=T, search={'length_penalty_weight': 2.})
with tf.variable_scope('m', reuse=True):
    covering = model('beam', made, 4, maximum_iterations=T, search={'coverage_penalty_weight': 1e3})
with tf.Session() as session:
    begin(session, 5)
    w = values(session)
    ids, logits, first, best, scores, final, looked = session.run([
        greedy[0].sample_id, greedy[0].rnn_output, one[0].predicted_ids, many[0].predicted_ids,
        many[0].beam_search_decoder_output.scores, many[1].log_probs, many[1].cell_state.alignment_history])
    expected, _ = walk(w, bahdanau, lambda t, before: np.full(B, 1) if t == 0 else before.argmax(1))
    n = ids.shape[1]
    assert np.allclose(logits[0], expected[0, :n], atol=1e-3)
    assert first.shape == ids.shape + (1,)
    for row in range(B):
        end = list(ids[row]).index(2) + 1 if 2 in ids[row] else n
        assert (first[row, :end, 0] == ids[row, :end]).all(), (first[..., 0], ids)
    def score(found):
        given, _ = walk(w, bahdanau, lambda t, _: np.full(B, 1) if t == 0 else np.resize(found[:, t - 1], B))
        logs = np.log(softmax(given))
        sums = []
        for row in range(B):
            end = list(found[row]).index(2) + 1 if 2 in found[row] else found.shape[1]
            sums.append(sum(logs[row, t, found[row, t]] for t in range(end)))
        return np.array(sums)
    plain = score(ids)
    for beam in range(4):
        assert np.allclose(score(best[:, :, beam]), final[:, beam], atol=1e-2), beam
    assert (final[:, 0] >= plain - 1e-3).all() and (final[:, 0] > plain + 1e-2).any(), (final[:, 0], plain)
    assert (np.diff(final, axis=1) <= 0).all() and np.allclose(scores[:, -1], final)
    # Weights are sorted by the slots that beams have behind each step.
    stacked, parents, sizes = session.run([raw[1].cell_state.alignment_history.stack(),
                                           raw[0].beam_search_decoder_output.parent_ids, raw[1].lengths])
    slots = np.zeros([stacked.shape[0], B, 4], int)
    for row in range(B):
        for beam in range(4):
            at = beam
            for t in reversed(range(stacked.shape[0])):
                slots[t, row, beam] = at if t < sizes[row, beam] else beam
                at = parents[row, t, at] if t < sizes[row].max() else at
    expected = np.take_along_axis(stacked.reshape(-1, B, 4, T), slots[..., None], 2)
    assert looked.shape == stacked.shape and np.allclose(looked, expected.reshape(looked.shape), atol=1e-6)
    assert not np.allclose(looked, stacked)
    logs, sizes, found = session.run([shorter[1].log_probs, shorter[1].lengths,
                                      shorter[0].beam_search_decoder_output.scores])
    assert not np.allclose(found[:, -1], logs)
    live = session.run(tf.logical_not(shorter[1].finished))
    assert np.allclose((logs / ((5 + sizes) / 6.) ** 2)[live], found[:, -1][live], rtol=1e-3)
    assert session.run(covering[0].beam_search_decoder_output.scores).shape[2] == 4
    assert session.run(covering[1].accumulated_attention_probs).sum() > B
""")


def test_scores_of_beams() -> None:
    """One step from a state made by hand: penalties for length and for what was hardly looked at."""
    run("""
import numpy as np
import berth as tf
s2s = tf.contrib.seq2seq
logits = np.float32([[1.5, 3., 1.], [3., 1., 2.]])
class Fake(tf.nn.rnn_cell.RNNCell):
    output_size = 3
    state_size = s2s.AttentionWrapperState(1, 1, tf.TensorShape([]), 2, (), 2)
    def call(self, inputs, state): return tf.constant(logits), state
first = s2s.AttentionWrapperState(tf.zeros([2, 1]), tf.zeros([2, 1]), tf.constant(0),
                                  tf.constant([[.2, .3], [.4, .1]]), (), tf.zeros([2, 2]))
decoder = s2s.BeamSearchDecoder(Fake(), tf.eye(3), [1], 0, first, 2, length_penalty_weight=.7,
                                coverage_penalty_weight=.6)
_, inputs, state = decoder.initialize()
assert state.accumulated_attention_probs.shape == (1, 2, 2)
state = state._replace(log_probs=tf.constant([[-1., -2.]]), finished=tf.constant([[False, True]]),
                       lengths=tf.constant([[3, 2]], tf.int64),
                       accumulated_attention_probs=tf.constant([[[.1, 0.], [.3, 2.]]]))
output, new, inputs, over = decoder.step(tf.constant(4), inputs, state)
with tf.Session() as session:
    output, accumulated, lengths, logs, over, inputs = session.run([
        output, new.accumulated_attention_probs, new.lengths, new.log_probs, over, inputs])
ours = -1 + logits[0] - np.log(np.exp(logits[0]).sum())
penalty = .6 * np.log(.7)     # The second beam looked at .7 and, which is enough, at 2.1.
scores = [*(ours / ((5 + np.array([3, 4, 4])) / 6) ** .7), -2 / (7 / 6) ** .7 + penalty]
best = np.argsort(scores)[::-1][:2]
assert sorted(best) == [1, 3], scores
assert np.allclose(output.scores, np.array(scores)[best]), (output.scores, scores)
assert output.predicted_ids.tolist() == [[0 if i == 3 else 1 for i in best]]
assert output.parent_ids.tolist() == [[int(i == 3) for i in best]] and over.tolist() == [[i == 3 for i in best]]
assert np.allclose(logs, [[-2 if i == 3 else ours[1] for i in best]])
assert lengths.tolist() == [[2 if i == 3 else 4 for i in best]]
assert np.allclose(accumulated, [[[.7, 2.1] if i == 3 else [.3, .3] for i in best]])
ends = s2s.BeamSearchDecoder(Fake(), tf.eye(3), [1], 0, first, 2, length_penalty_weight=9.)
_, inputs, state = ends.initialize()
output = ends.step(tf.constant(0), inputs, state._replace(log_probs=tf.constant([[-1., -9.]])))[0]
with tf.Session() as session: found = session.run(output)
# The end alone makes a sequence no longer: divided by less, it is the worst of the first beam.
grown = np.array([ours[0] / (5 / 6) ** 9, ours[1], ours[2]])
assert found.predicted_ids[0, 0] == 1 and np.allclose(found.scores[0], np.sort(grown)[::-1][:2]), (found, grown)
bare = s2s.BeamSearchDecoder(tf.nn.rnn_cell.GRUCell(3), tf.eye(3), [1], 0, tf.zeros([2, 3]), 2,
                             coverage_penalty_weight=.5)
try: bare.initialize()
except ValueError as error: assert 'coverage_penalty_weight must be 0.0' in str(error)
else: raise AssertionError
""")


def test_gather_tree() -> None:
    """Sequences go back by their parents, and end once."""
    run("""
import numpy as np
import berth as tf
ids = np.array([[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]]]).repeat(2, 1)
parents = np.array([[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]]]).repeat(2, 1)
ids[1, 1, 1] = 10
with tf.Session() as session:
    found = session.run(tf.contrib.seq2seq.gather_tree(ids, parents, [3, 2], 10))
    assert found[:, 0].tolist() == [[2, 2, 2], [6, 5, 6], [7, 8, 9]], found[:, 0]
    assert found[:, 1].tolist() == [[1, 2, 2], [4, 10, 6], [10, 10, 10]], found[:, 1]
    tiled = tf.contrib.seq2seq.tile_batch((tf.constant([[1, 2], [3, 4]]), tf.constant([5, 6])), 2)
    assert [t.shape.as_list() for t in tiled] == [[4, 2], [4]]
    assert [x.tolist() for x in session.run(tiled)] == [[[1, 2], [1, 2], [3, 4], [3, 4]], [5, 5, 6, 6]]
""")


def test_monotonic() -> None:
    """All modes give weights that only go on, and slopes are those of differences."""
    run("""
import numpy as np
import berth as tf
s2s = tf.contrib.seq2seq
rs = np.random.RandomState(1)
chances, before = np.float32(.1 + .8 * rs.rand(2, 4)), rs.dirichlet(np.ones(4), 2).astype(np.float32)
expected = np.zeros([2, 4])
for j in range(4):
    for k in range(j + 1):
        expected[:, j] += chances[:, j] * before[:, k] * np.prod(1 - chances[:, k:j], axis=1)
hard = [s2s.monotonic_attention(np.float32([[0, 1, 0, 1], [1, 0, 0, 0]]), np.float32([[0, 1, 0, 0], [0, 0, 1, 0]]),
                                'hard')]
with tf.Session() as session:
    for mode in ('parallel', 'recursive'):
        given = tf.constant(chances)
        found = s2s.monotonic_attention(given, before, mode)
        assert np.allclose(session.run(found), expected, atol=1e-5), mode
        slope, numeric = tf.test.compute_gradient(given, [2, 4], found, [2, 4], chances)
        assert np.allclose(slope, numeric, atol=1e-2) and abs(slope).max() > .1, mode
    assert session.run(hard)[0].tolist() == [[0, 1, 0, 0], [0, 0, 0, 0]]
    try: s2s.monotonic_attention(given, before, 'soft')
    except ValueError as error: assert str(error) == "mode must be 'recursive', 'parallel', or 'hard'."
    else: raise AssertionError
    memory = tf.constant(rs.rand(2, 4, 3), tf.float32)
    query, start = tf.constant(rs.rand(2, 5), tf.float32), [[1, 0, 0, 0], [1, 0, 0, 0]]
    for kind in (s2s.BahdanauMonotonicAttention, s2s.LuongMonotonicAttention):
        looks = kind(5, memory, [4, 2], score_bias_init=-1.)
        first = looks.initial_state(2, tf.float32)
        weights, after = looks(query, first)
        session.run(tf.global_variables_initializer())
        found = session.run(weights)
        assert session.run(first).tolist() == start
        assert (found[:, 0] > 0).all() and (found[1, 2:] == 0).all() and (found.sum(1) < 1).all(), found
    names = [v.op.name for v in tf.global_variables()]
    assert names == ['memory_layer/kernel', 'bahdanau_monotonic_attention/query_layer/kernel',
                     'bahdanau_monotonic_attention/attention_v', 'bahdanau_monotonic_attention/attention_score_bias',
                     'memory_layer_1/kernel', 'luong_monotonic_attention/attention_score_bias'], names
    assert session.run(s2s.hardmax(tf.constant([[1., 3., 2.]]))).tolist() == [[0, 1, 0]]
""")


def test_helpers() -> None:
    """What is fed is known, drawn, or both, as helpers say."""
    run("""
import numpy as np
import berth as tf
s2s = tf.contrib.seq2seq
table = np.float32(np.eye(4)[[1, 2, 3, 0]] * 9)      # After 0 comes 1, after 1 comes 2 and so on.
class Echo(tf.nn.rnn_cell.RNNCell):
    output_size = state_size = 4
    def __call__(self, inputs, state, scope=None): return inputs, state + 1
def decode(helper, **more):
    return s2s.dynamic_decode(s2s.BasicDecoder(Echo(), helper, tf.zeros([2, 4])), **more)
known = np.float32(np.eye(4)[[[0, 0, 0], [3, 3, 3]]])
def training(kind, *values, **more): return decode(kind(known, [3, 2], *values, **more))
embed = s2s.ScheduledEmbeddingTrainingHelper
output = s2s.ScheduledOutputTrainingHelper
with tf.Session() as session:
    plain = training(s2s.TrainingHelper)
    assert [x.tolist() for x in session.run([plain[0].sample_id, plain[2]])] == [[[0, 0, 0], [3, 3, 3]], [3, 2]]
    assert session.run(plain[1]).tolist() == [[3] * 4] * 2      # Nobody asked for states to stay.
    assert session.run(training(output, 0.)[0].rnn_output[:, 1:]).tolist()[0] == known[0, 1:].tolist()
    never = session.run(training(embed, table, 0.)[0])
    assert (never.sample_id == -1).all() and (never.rnn_output[0] == known[0]).all()
    # Always: what is drawn is almost surely the largest, and its vector points to the next.
    always = session.run(training(embed, table, 1., seed=1)[0])
    assert (always.sample_id >= 0).all()
    assert always.sample_id[0, 1:].tolist() == [(always.sample_id[0, 0] + 1) % 4, (always.sample_id[0, 0] + 2) % 4]
    fed = session.run(training(output, 1., next_inputs_fn=lambda x: x * 2)[0].rnn_output)
    assert fed[0].tolist() == [[1, 0, 0, 0], [2, 0, 0, 0], [4, 0, 0, 0]]
    some = session.run(training(output, .5, seed=3, next_inputs_fn=lambda x: x * 2)[0])
    assert set(some.sample_id.flat) == {0, 1}
    more = tf.constant(np.arange(6, dtype=np.float32).reshape(2, 3, 1))
    class Wide(Echo):
        def __call__(self, inputs, state, scope=None): return inputs[:, :4], state + inputs[:, 4:]
    helper = output(known, [3, 3], 1., auxiliary_inputs=more)
    _, state, _ = s2s.dynamic_decode(s2s.BasicDecoder(Wide(), helper, tf.zeros([2, 4])))
    assert session.run(state).tolist() == [[3] * 4, [12] * 4]
    for helper in (s2s.GreedyEmbeddingHelper(table, [0, 1], 3), s2s.SampleEmbeddingHelper(table, [0, 1], 3, .01)):
        found = session.run(decode(helper, impute_finished=True))
        assert found[0].sample_id.tolist() == [[1, 2, 3], [2, 3, 0]] and found[2].tolist() == [3, 2]
        assert found[1].tolist() == [[3] * 4, [2] * 4] and found[0].rnn_output[1, 2].tolist() == [0] * 4
    wide = tf.constant(np.float32([[9, 0]] * 300))
    for temperature, most in ((None, 10), (1e6, 200)):
        sampler = s2s.SampleEmbeddingHelper(table, [0], 3, temperature, seed=2)
        assert most / 20 <= session.run(sampler.sample(0, wide, None)).sum() + .5 < most, temperature
    timed = session.run(decode(helper, output_time_major=True, maximum_iterations=2))
    assert timed[0].sample_id.tolist() == [[1, 2], [2, 3]] and timed[2].tolist() == [2, 2]
    grown = decode(s2s.InferenceHelper(lambda x: x * 2, [4], tf.float32, known[:, 0],
                                       lambda x: tf.reduce_max(x, 1) > 5), impute_finished=True)
    assert session.run(grown[0].rnn_output)[1].tolist() == [[0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 4]]
    own = decode(s2s.CustomHelper(lambda: (tf.constant([False, True]), tf.ones([2, 4])),
                                  lambda time, outputs, state: tf.fill([2], time),
                                  lambda time, outputs, state, sample_ids: (
                                      tf.fill([2], time > 0), outputs + 1, state)))
    assert session.run([own[0].sample_id, own[2]])[1].tolist() == [2, 0]
    for wrong, text in ((lambda: s2s.GreedyEmbeddingHelper(table, 0, 3), 'start_tokens must be a vector'),
                        (lambda: s2s.GreedyEmbeddingHelper(table, [0], [3]), 'end_token must be a scalar'),
                        (lambda: s2s.TrainingHelper(known, 3), 'Expected sequence_length to be a vector'),
                        (lambda: decode(None), 'helper must be a Helper'),
                        (lambda: s2s.dynamic_decode(None), 'Expected decoder to be type Decoder'),
                        (lambda: decode(helper, maximum_iterations=[1]), 'maximum_iterations must be a scalar')):
        try: wrong()
        except (TypeError, ValueError) as error: assert text in str(error), error
        else: raise AssertionError(text)
""")


def test_wrapper_parts() -> None:
    """Several memories, states given and cloned, inputs made by functions, and batches that do not fit."""
    run("""
import numpy as np
import berth as tf
s2s = tf.contrib.seq2seq
tf.set_random_seed(0)
one, two = tf.random_normal([2, 3, 4]), tf.random_normal([2, 5, 6])
looks = [s2s.LuongAttention(7, one), s2s.BahdanauAttention(7, two)]
cell = s2s.AttentionWrapper(tf.contrib.rnn.GRUCell(7), looks, [2, 3], alignment_history=True,
                            cell_input_fn=lambda x, a: tf.concat([x, a, a], 1), output_attention=False)
start = cell.zero_state(2, tf.float32)
assert start.attention.shape.as_list() == [2, 5] and [a.shape.as_list() for a in start.alignments] == [[2, 3], [2, 5]]
assert cell.output_size == 7 and cell.state_size.alignments == (3, 5)
given = start.clone(cell_state=tf.ones([2, 7]))
output, state = cell(tf.ones([2, 1]), given)
again, _ = cell(tf.ones([2, 1]), given)
assert [v.op.name for v in tf.global_variables()][2:] == ['attention_wrapper/' + x for x in (
    'gru_cell/gates/kernel', 'gru_cell/gates/bias', 'gru_cell/candidate/kernel', 'gru_cell/candidate/bias',
    'attention_layer/kernel', 'bahdanau_attention/query_layer/kernel', 'bahdanau_attention/attention_v',
    'attention_layer_1/kernel')]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    out, attention, time, history, kept, ones = session.run([
        output, state.attention, state.time, state.alignment_history[1].stack(), state.alignments[1],
        given.cell_state])
    assert out.shape == (2, 7) and attention.shape == (2, 5) and time == 1 and (history[0] == kept).all()
    assert (ones == 1).all() and np.allclose(kept.sum(1), 1)
    fixed = tf.constant(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    first = s2s.LuongAttention(7, fixed)
    bare = s2s.AttentionWrapper(tf.contrib.rnn.GRUCell(7), first, initial_cell_state=tf.ones([2, 7]))
    assert bare.output_size == 4
    state = bare.zero_state(2, tf.float32)
    seen, after = bare(tf.zeros([2, 1]), state)
    session.run(tf.global_variables_initializer())
    seen, weights, start = session.run([seen, after.alignments, state.cell_state])
    assert (start == 1).all() and np.allclose(seen, np.einsum('bt,btd->bd', weights, session.run(fixed)), atol=1e-4)
    cut = s2s.LuongAttention(7, fixed, [3, 1])
    session.run(tf.global_variables_initializer())
    for part in session.run([cut.values, cut.keys]): assert (part[1, 1:] == 0).all() and (part[1, 0] != 0).any()
    size = tf.placeholder_with_default(3, [])
    try: session.run(bare.zero_state(size, tf.float32).cell_state)
    except tf.errors.InvalidArgumentError as error: assert 'tf.contrib.seq2seq.tile_batch' in str(error)
    else: raise AssertionError
for wrong, kind, text in (
        (lambda: s2s.AttentionWrapper(cell, 3), TypeError, 'attention_mechanism must be an AttentionMechanism or list'),
        (lambda: s2s.AttentionWrapper(cell, looks, [1]), ValueError, 'per attention_mechanism, saw: 1 vs 2'),
        (lambda: s2s.AttentionWrapper(cell, first, 1, attention_layer=tf.layers.Dense(1)), ValueError, 'Only one of'),
        (lambda: bare(tf.ones([2, 1]), tf.ones([2, 7])), TypeError, 'instance of AttentionWrapperState'),
        (lambda: s2s.LuongAttention(5, one)(tf.ones([2, 7]), None), ValueError, 'Incompatible or unknown inner'),
        (lambda: s2s.LuongAttention(5, tf.placeholder(tf.float32, [2, 3, None])), ValueError, 'fully defined inner')):
    try: wrong()
    except kind as error: assert text in str(error), error
    else: raise AssertionError(text)
""")


def test_copying_is_learned() -> None:
    """A model that reads four numbers and writes them again becomes right, greedily and by beams."""
    run("""
import numpy as np
import berth as tf
s2s = tf.contrib.seq2seq
V, N, U = 6, 4, 32
tf.set_random_seed(0)
source = tf.placeholder(tf.int32, [None, N])
table = tf.get_variable('table', [V, U])
encoded, last = tf.nn.dynamic_rnn(tf.contrib.rnn.GRUCell(U), tf.nn.embedding_lookup(table, source), dtype=tf.float32)
lengths = tf.fill([tf.shape(source)[0]], N)
def decode(helper=None, width=None):
    tile = (lambda x: s2s.tile_batch(x, width)) if width else (lambda x: x)
    with tf.variable_scope('model', reuse=tf.AUTO_REUSE):
        looks = s2s.BahdanauAttention(U, tile(encoded), memory_sequence_length=tile(lengths))
        cell = s2s.AttentionWrapper(tf.contrib.rnn.GRUCell(U), looks, U)
        start = cell.zero_state(tf.shape(source)[0] * (width or 1), tf.float32).clone(cell_state=tile(last))
        layer = tf.layers.Dense(V, name='words')
        begin = tf.fill([tf.shape(source)[0]], 0)
        if width: decoder = s2s.BeamSearchDecoder(cell, table, begin, 1, start, width, layer)
        else: decoder = s2s.BasicDecoder(cell, helper or s2s.GreedyEmbeddingHelper(table, begin, 1), start, layer)
        return s2s.dynamic_decode(decoder, maximum_iterations=N + 1)
given = tf.concat([tf.zeros_like(source[:, :1]), source], 1)
wanted = tf.concat([source, tf.ones_like(source[:, :1])], 1)
trained = decode(s2s.TrainingHelper(tf.nn.embedding_lookup(table, given), lengths + 1))[0].rnn_output
loss = s2s.sequence_loss(trained, wanted, tf.ones(tf.shape(wanted)))
train = tf.train.AdamOptimizer(.01).minimize(loss)
greedy, beams = decode()[0].sample_id, decode(width=3)[0].predicted_ids
rs = np.random.RandomState(0)
draw = lambda n: rs.randint(2, V, [n, N])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    before = session.run(loss, {source: draw(64)})
    for _ in range(250): session.run(train, {source: draw(32)})
    test = draw(50)
    after, found, best = session.run([loss, greedy, beams], {source: test})
    right = np.concatenate([test, np.ones([50, 1], int)], 1)
    assert before > 1.5 and after < .2, (before, after)
    assert found.shape == right.shape and (found == right).mean() > .95, found
    assert (best[:, :, 0] == right).mean() > .95
""")


def test_own_mechanism() -> None:
    """A program may write its own mechanism on TensorFlow's, which also sees where it looked before."""
    run(MODEL + """
from berth.contrib.seq2seq.python.ops.attention_wrapper import BahdanauAttention, _BaseAttentionMechanism
class Located(BahdanauAttention):
    def __init__(self, memory, lengths):
        super().__init__(U, memory, lengths, name='Located')
        self.conv = tf.layers.Conv1D(3, 3, padding='same', name='places')
        self.dense = tf.layers.Dense(U, use_bias=False, name='located')
    def __call__(self, query, state):
        with tf.variable_scope(None, 'located_attention', [query]):
            places = self.dense(self.conv(tf.expand_dims(state, 2)))
            v = tf.get_variable('v', [U])
            score = tf.reduce_sum(v * tf.tanh(self.keys + tf.expand_dims(self.query_layer(query), 1) + places), 2)
            weights = self._probability_fn(score, state)
        return weights, state + weights
outputs, state, _ = model('train', Located, wrapper={'alignment_history': True})
assert issubclass(BahdanauAttention, _BaseAttentionMechanism)
inner = 'decoder/attention_wrapper/located_attention/'
assert [v.op.name for v in tf.trainable_variables() if inner in v.op.name] == [inner + n for n in (
    'places/kernel', 'places/bias', 'located/kernel', 'v', 'query_layer/kernel')]
with tf.Session() as session:
    begin(session)
    looked, total = session.run([state.alignment_history.stack(), state.attention_state])
    assert np.allclose(looked.sum(0), total, atol=1e-4) and np.allclose(looked.sum(2), 1, atol=1e-4)
    assert (looked[:, 2, 2:] == 0).all()
""")
