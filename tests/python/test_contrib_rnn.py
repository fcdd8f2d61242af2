"""test_contrib_rnn.py - Cells of tf.contrib.rnn beside numpy, with the names of their variables."""

from __future__ import annotations

from script import run

START = """
import numpy as np
import berth as tf
rnn = tf.contrib.rnn
B, D, U = 2, 4, 6
rs = np.random.RandomState(0)
tanh = np.tanh
def sigmoid(x): return 1 / (1 + np.exp(-x))
def relu(x): return np.maximum(x, 0)
def cat(*x): return np.concatenate(x, 1)
def split(x, n, axis=1): return np.split(x, n, axis)
def draw(session):
    for v in tf.global_variables():
        if v.op.name.split('/')[-1] not in ('period', 'phase', 'ratio_on'):
            v.load(np.float32(rs.randn(*v.shape.as_list())), session)
def check(make, names, step, size=D, scope=None, slopes=True):
    # Calls a cell twice, once with what it gave, and holds it beside |step|.
    tf.reset_default_graph()
    cell = make()
    x = [tf.constant(rs.randn(B, size), tf.float32) for _ in range(2)]
    flat = [tf.constant(rs.randn(*s.shape), tf.float32) for s in tf.nest.flatten(cell.zero_state(B, tf.float32))]
    state = tf.nest.pack_sequence_as(cell.state_size, flat)
    one, between = cell(x[0], state)
    two, last = cell(x[1], between)
    scope = cell.name if scope is None else scope
    found = [v.op.name[len(scope) + bool(scope):] for v in tf.global_variables()]
    assert found == names.split(), (scope, found)
    assert one.shape[1] == cell.output_size
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        draw(session)
        w = {name: session.run(v) for name, v in zip(found, tf.global_variables())}
        given, before = session.run([x, state])
        expected, middle = step(w, given[0], before)
        again, end = step(w, given[1], middle)
        for have, want in zip(tf.nest.flatten(session.run([one, between, two, last])),
                              tf.nest.flatten([expected, middle, again, end])):
            assert have.shape == want.shape and np.allclose(have, want, atol=2e-3, rtol=1e-3), (
                scope, abs(have - want).max())
        if slopes:
            error = tf.test.compute_gradient_error(x[0], [B, size], two, two.shape.as_list(), given[0])
            assert error < 2e-2, (scope, error)
            assert np.abs(session.run(tf.gradients(two, x[0])[0])).max() > 1e-3
def norm(w, x, name):
    d = x - x.mean(1, keepdims=True)
    return d / np.sqrt(d.var(1, keepdims=True) + 1e-12) * w[name + '/gamma'] + w[name + '/beta']
"""


def test_with_a_memory() -> None:
    """Gates, peepholes, projections, normalised values and groups."""
    run(START + """
def normalised(w, x, s):
    i, j, f, o = (norm(w, g, n) for g, n in zip(split(cat(x, s[1]) @ w['kernel'], 4),
                                                ('input', 'transform', 'forget', 'output')))
    c = norm(w, s[0] * sigmoid(f + 2) + sigmoid(i) * tanh(j), 'state')
    h = tanh(c) * sigmoid(o)
    return h, (c, h)
check(lambda: rnn.LayerNormBasicLSTMCell(U, forget_bias=2.), 'kernel input/gamma input/beta transform/gamma '
      'transform/beta forget/gamma forget/beta output/gamma output/beta state/gamma state/beta', normalised)
def plain(w, x, s, bias=1, clip=None):
    gates = cat(x, s[1]) @ w['kernel'] + w['bias']
    i, j, f, o = split(gates, 4)
    peeps = [w.get(f'w_{n}_diag', 0) for n in 'ifo']
    c = sigmoid(f + bias + peeps[1] * s[0]) * s[0] + sigmoid(i + peeps[0] * s[0]) * tanh(j)
    c = c if clip is None else np.clip(c, -clip, clip)
    h = tanh(c) * sigmoid(o + peeps[2] * c)
    return h, (c, h)
check(lambda: rnn.LayerNormBasicLSTMCell(U, layer_norm=False), 'kernel bias', plain)
check(lambda: rnn.LSTMBlockCell(U), 'kernel bias', plain)
check(lambda: rnn.LSTMBlockCell(U, cell_clip=.5, use_peephole=True), 'kernel bias w_f_diag w_i_diag w_o_diag',
      lambda w, x, s: plain(w, x, s, 1, .5), slopes=False)
def coupled(w, x, s):
    j, f, o = split(cat(x, s[1]) @ np.concatenate([w['W_0'], w['W_1']]) + w['B'], 3)
    keeps = sigmoid(f + 1 + w['W_F_diag'] * s[0])
    c = keeps * s[0] + (1 - keeps) * tanh(j)
    h = np.clip((sigmoid(o + w['W_O_diag'] * c) * tanh(c)) @ w['W_P_0'], -.5, .5)
    return h, (c, h)
check(lambda: rnn.CoupledInputForgetGateLSTMCell(U, True, num_proj=3, proj_clip=.5, num_unit_shards=2),
      'W_0 W_1 B W_F_diag W_O_diag W_P_0', coupled, slopes=False)
def coupled_norm(w, x, s):
    j, f, o = (norm(w, g, n) for g, n in zip(split(cat(x, s[:, U:]) @ w['W_0'], 3), ('transform', 'forget', 'output')))
    c = norm(w, sigmoid(f + 1) * s[:, :U] + (1 - sigmoid(f + 1)) * tanh(j), 'state')
    h = sigmoid(o) * tanh(c)
    return h, cat(c, h)
check(lambda: rnn.CoupledInputForgetGateLSTMCell(U, layer_norm=True, state_is_tuple=False),
      'W_0 B transform/gamma transform/beta forget/gamma forget/beta output/gamma output/beta state/gamma state/beta',
      coupled_norm)
def nas(w, x, s):
    c, h = s
    m, g = split(h @ w['recurrent_kernel'] + w['bias'], 8), split(x @ w['kernel'], 8)
    a = [sigmoid(g[0] + m[0]), relu(g[1] + m[1]), sigmoid(g[2] + m[2]), relu(g[3] * m[3]), tanh(g[4] + m[4]),
         sigmoid(g[5] + m[5]), tanh(g[6] + m[6]), sigmoid(g[7] + m[7])]
    b = [tanh(a[0] * a[1]), tanh(a[2] + a[3]), tanh(a[4] * a[5]), sigmoid(a[6] + a[7])]
    c = tanh(b[0] + c) * b[1]
    h = tanh(c * tanh(b[2] + b[3])) @ w['projection_weights']
    return h, (c, h)
check(lambda: rnn.NASCell(U, 3, use_bias=True), 'recurrent_kernel kernel bias projection_weights', nas)
def groups(w, x, s):
    parts = [split(cat(a, b) @ w[f'group{n}/kernel'], 4) for n, (a, b) in enumerate(zip(split(x, 2), split(s[1], 2)))]
    i, j, f, o = (cat(*p) + w['bias_' + n] for n, p in zip('ijfo', zip(*parts)))
    c = sigmoid(f + 1) * s[0] + sigmoid(i) * tanh(j)
    h = (sigmoid(o) * tanh(c)) @ w['projection/kernel']
    return h, (c, h)
check(lambda: rnn.GLSTMCell(U, num_proj=8, number_of_groups=2),
      'group0/kernel group1/kernel bias_i bias_j bias_f bias_o projection/kernel', groups)
def indy(w, x, s):
    i, j, f, o = split(x @ w['kernel_w'] + np.tile(s[1], [1, 4]) * w['kernel_u'] + w['bias'], 4)
    c = s[0] * sigmoid(f + 1) + sigmoid(i) * tanh(j)
    h = tanh(c) * sigmoid(o)
    return h, (c, h)
check(lambda: rnn.IndyLSTMCell(U), 'kernel_w kernel_u bias', indy)
dropping = rnn.LayerNormBasicLSTMCell(50, dropout_keep_prob=.5, layer_norm=False)
out, (c, _) = dropping(tf.zeros([1, 3]), dropping.zero_state(1, tf.float32))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    dropping.variables[1].load(np.ones(200, np.float32), session)
    found = session.run(c)
    half = sigmoid(1) * tanh(1) * 2
    assert 10 < (found == 0).sum() < 40 and np.allclose(found[found != 0], half, atol=1e-4)
""")


def test_without() -> None:
    """Cells whose state is their output, or something else."""
    run(START + """
def ug(w, x, s):
    g, c = split(cat(x, s) @ w['kernel'] + w['bias'], 2)
    g = sigmoid(g + 1)
    s = g * s + (1 - g) * tanh(c)
    return s, s
check(lambda: rnn.UGRNNCell(U), 'kernel bias', ug)
def crossing(w, x, s):
    x = x @ w['in_projection/kernel'] + w['in_projection/bias'] if len(w) == 4 else x
    gh, h, gy, y = split(cat(x, s) @ w['kernel'] + w['bias'], 4)
    gh, gy = sigmoid(gh + 1), sigmoid(gy + 1)
    return gy * x + (1 - gy) * relu(y), gh * s + (1 - gh) * tanh(h)
check(lambda: rnn.IntersectionRNNCell(U, U), 'in_projection/kernel in_projection/bias kernel bias', crossing)
check(lambda: rnn.IntersectionRNNCell(U), 'kernel bias', crossing, size=U)
cells = [rnn.LayerNormBasicLSTMCell, rnn.CoupledInputForgetGateLSTMCell, rnn.NASCell, rnn.GLSTMCell, rnn.UGRNNCell,
         rnn.IntersectionRNNCell, rnn.SRUCell, rnn.IndRNNCell, rnn.IndyGRUCell, rnn.IndyLSTMCell, rnn.LSTMBlockCell,
         rnn.GRUBlockCell]
assert ' '.join(kind(U).name for kind in cells) == (
    'layer_norm_basic_lstm_cell coupled_input_forget_gate_lstm_cell nas_cell glstm_cell ugrnn_cell '
    'intersection_rnn_cell sru_cell ind_rnn_cell indy_gru_cell indy_lstm_cell lstm_cell gru_cell')
try: rnn.IntersectionRNNCell(U)(tf.ones([B, D]), tf.ones([B, U]))
except ValueError as error: assert 'Must have input size == output size for Intersection RNN' in str(error)
else: raise AssertionError
def sru(w, x, s):
    new, f, r, passed = split(x @ w['kernel'], 4)
    f, r = split(sigmoid(cat(f, r) + w['bias']), 2)
    s = f * s + (1 - f) * new
    return r * tanh(s) + (1 - r) * passed, s
check(lambda: rnn.SRUCell(U), 'kernel bias', sru)
def own(w, x, s):
    s = tanh(x @ w['kernel_w'] + s * w['kernel_u'] + w['bias'])
    return s, s
check(lambda: rnn.IndRNNCell(U), 'kernel_w kernel_u bias', own)
def own_gates(w, x, s):
    g = sigmoid(x @ w['gates/kernel_w'] + np.tile(s, [1, 2]) * w['gates/kernel_u'] + w['gates/bias'])
    r, u = split(g, 2)
    c = tanh(x @ w['candidate/kernel_w'] + r * s * w['candidate/kernel_u'] + w['candidate/bias'])
    s = u * s + (1 - u) * c
    return s, s
check(lambda: rnn.IndyGRUCell(U), 'gates/kernel_w gates/kernel_u gates/bias candidate/kernel_w candidate/kernel_u '
      'candidate/bias', own_gates)
def gru(w, x, s):
    names = list(w)
    r, u = split(sigmoid(cat(x, s) @ w[names[0]] + w[names[1]]), 2)
    s = u * s + (1 - u) * tanh(cat(x, r * s) @ w[names[2]] + w[names[3]])
    return s, s
check(lambda: rnn.GRUBlockCell(U), 'w_ru b_ru w_c b_c', gru)
check(lambda: rnn.GRUBlockCellV2(U), 'gates/kernel gates/bias candidate/kernel candidate/bias', gru)
""")


def test_around() -> None:
    """Cells around cells: matrices, gates that inputs go past, and a look at the last outputs."""
    run(START + """
def basic(w, x, s, scope='basic_rnn_cell/'):
    s = tanh(cat(x, s) @ w[scope + 'kernel'] + w[scope + 'bias'])
    return s, s
inner = 'basic_rnn_cell/kernel basic_rnn_cell/bias'
check(lambda: rnn.InputProjectionWrapper(rnn.BasicRNNCell(U), 3, tf.nn.relu), 'kernel bias ' + inner,
      lambda w, x, s: basic(w, relu(x @ w['kernel'] + w['bias']), s))
def behind(w, x, s):
    output, s = basic(w, x, s)
    return tanh(output @ w['kernel'] + w['bias']), s
check(lambda: rnn.OutputProjectionWrapper(rnn.BasicRNNCell(U), 3, tf.tanh), inner + ' kernel bias', behind)
def look(w, x, state):
    s, seen, memory = state
    memory = memory.reshape(B, 3, 5)
    s = basic(w, cat(x, seen) @ w['kernel'] + w['bias'], s)[0]
    y = s @ w['attention/kernel'] + w['attention/bias']
    e = np.exp((w['attention/attn_v'] * tanh(memory @ w['attention/attn_w'][0, 0] + y[:, None])).sum(2))
    seen = np.einsum('bt,btd->bd', e / e.sum(1, keepdims=True), memory)
    out = cat(s, seen) @ w['attn_output_projection/kernel'] + w['attn_output_projection/bias']
    return out, (s, seen, np.concatenate([memory[:, 1:], out[:, None]], 1).reshape(B, 15))
check(lambda: rnn.AttentionCellWrapper(rnn.BasicRNNCell(U), 3, 5, 7), 'kernel bias ' + inner + ' attention/attn_w '
      'attention/attn_v attention/kernel attention/bias attn_output_projection/kernel attn_output_projection/bias',
      look)
def flat(w, x, s):
    out, parts = look(w, x, (s[:, :U], s[:, U:U + 5], s[:, U + 5:]))
    return out, cat(*parts)
check(lambda: rnn.AttentionCellWrapper(rnn.BasicRNNCell(U), 3, 5, 7, state_is_tuple=False), 'kernel bias ' + inner +
      ' attention/attn_w attention/attn_v attention/kernel attention/bias attn_output_projection/kernel '
      'attn_output_projection/bias', flat)
for couples in (True, False):
    tf.reset_default_graph()
    cell = rnn.HighwayWrapper(rnn.BasicRNNCell(D), couples)
    x = [tf.constant(rs.randn(B, D), tf.float32) for _ in range(2)]
    outputs, _ = tf.nn.static_rnn(cell, x, dtype=tf.float32)
    names = [v.op.name for v in tf.global_variables()]
    kinds = ('carry',) if couples else ('carry', 'transform')
    assert names == ['rnn/basic_rnn_cell/kernel', 'rnn/basic_rnn_cell/bias'] + [
        f'rnn/{kind}_{part}' for kind in kinds for part in 'wb'], names
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        starts = [session.run(v) for v in tf.global_variables()[3::2]]
        assert all((start == (1, -1)[i]).all() for i, start in enumerate(starts)), starts
        draw(session)
        w = {name[4:]: session.run(v) for name, v in zip(names, tf.global_variables())}
        s = np.zeros([B, D])
        for given, found in zip(*session.run([x, outputs])):
            s = basic(w, given, s)[0]
            carry = sigmoid(given @ w['carry_w'] + w['carry_b'])
            passed = 1 - carry if couples else sigmoid(given @ w['transform_w'] + w['transform_b'])
            assert np.allclose(found, given * carry + s * passed, atol=1e-4)
for wrong, kind, text in (
        (lambda: rnn.CompiledWrapper(cell), NotImplementedError, 'does not compile cells by XLA'),
        (lambda: rnn.AttentionCellWrapper(rnn.LSTMCell(U), 3, state_is_tuple=False), ValueError, 'Cell returns tuple'),
        (lambda: rnn.AttentionCellWrapper(cell, 0), ValueError, 'attn_length should be greater than zero, got 0'),
        (lambda: rnn.OutputProjectionWrapper(cell, 0), ValueError, 'Parameter output_size must be > 0: 0.'),
        (lambda: rnn.EmbeddingWrapper(cell, 0, 1), ValueError, 'must be > 0: 0, 1.')):
    try: wrong()
    except kind as error: assert text in str(error), error
    else: raise AssertionError(text)
""")


def test_phases_and_images() -> None:
    """A cell that opens at times, and cells of convolutions."""
    run(START + """
cell = rnn.PhasedLSTMCell(U, use_peepholes=True, period_init_min=2., period_init_max=9., trainable_ratio_on=False)
times = np.array([[1., 2.5, 7.], [0., 3., 4.]])
x = rs.randn(B, 3, D)
fed = tf.constant(x, tf.float32)
outputs, state = tf.nn.dynamic_rnn(cell, (tf.constant(times[..., None], tf.float32), fed), dtype=tf.float32)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    draw(session)
    names = [v.op.name for v in tf.global_variables()]
    base = 'rnn/phased_lstm_cell/'
    assert names == [base + n for n in ('mask_gates/kernel mask_gates/bias new_input/kernel new_input/bias '
                                        'output_gate/kernel output_gate/bias period phase ratio_on').split()]
    assert [v.op.name for v in tf.trainable_variables()] == names[:-1] and len(cell.trainable_variables) == 8
    w = {n[len(base):]: session.run(v) for n, v in zip(names, tf.global_variables())}
    period, phase, ratio = w['period'], w['phase'], w['ratio_on']
    assert (period >= 2).all() and (period <= 9).all() and (phase <= period).all() and (phase >= 0).all()
    assert np.allclose(ratio, .1)
    c, h, out = np.zeros([B, U]), np.zeros([B, U]), []
    for t in range(3):
        def part(name, *given): return cat(*given) @ w[name + '/kernel'] + w[name + '/bias']
        i, f = split(sigmoid(part('mask_gates', x[:, t], h, c)), 2)
        new = c * f + i * tanh(part('new_input', x[:, t], h))
        made = tanh(new) * sigmoid(part('output_gate', x[:, t], h, new))
        cycle = ((times[:, t, None] - phase) % period) / period
        k = np.where(cycle < .5 * ratio, 2 * cycle / ratio, np.where(cycle < ratio, 2 - 2 * cycle / ratio,
                                                                     .001 * cycle))
        c, h = k * new + (1 - k) * c, k * made + (1 - k) * h
        out.append(h)
    assert np.allclose(session.run(outputs), np.stack(out, 1), atol=1e-3)
    slopes = session.run(tf.gradients(outputs, cell.trainable_variables))
    assert all(np.isfinite(slope).all() for slope in slopes) and np.abs(slopes[6]).max() > 0
for rank, kind in ((1, rnn.Conv1DLSTMCell), (2, rnn.Conv2DLSTMCell), (3, rnn.Conv3DLSTMCell)):
    tf.reset_default_graph()
    sizes = [5, 4, 3][:rank]
    cell = kind(input_shape=[*sizes, 2], output_channels=3, kernel_shape=[3] * rank, skip_connection=rank == 2)
    x = tf.constant(rs.randn(B, 2, *sizes, 2), tf.float32)
    outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    names = [v.op.name for v in tf.global_variables()]
    assert names == [f'rnn/conv_{rank}d_lstm_cell/{n}' for n in ('kernel', 'biases')], names
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        draw(session)
        kernel, bias, given = session.run([*tf.global_variables(), x])
        c = h = np.zeros([B, *sizes, 3])
        for t in range(2):
            both = np.concatenate([given[:, t], h], -1)
            padded = np.pad(both, [(0, 0)] + [(1, 1)] * rank + [(0, 0)])
            gates = bias + np.zeros([B, *sizes, 12])
            for at in np.ndindex(*[3] * rank):
                window = padded[(slice(None), *[slice(a, a + n) for a, n in zip(at, sizes)])]
                gates = gates + window @ kernel[at]
            i, new, f, o = split(gates, 4, -1)
            c = sigmoid(f + 1) * c + sigmoid(i) * tanh(new)
            h = tanh(c) * sigmoid(o)
            expected = np.concatenate([h, given[:, t]], -1) if rank == 2 else h
            assert np.allclose(session.run(outputs[:, t]), expected, atol=1e-3), rank
        assert np.allclose(session.run(state.h), h, atol=1e-3)
""")


def test_all_steps_at_once() -> None:
    """One op, or a cell called for each step, forwards and backwards, with rows of several lengths."""
    for clip in (None, 0.7):
        run(START + f"CLIP = {clip}" + """
T, lengths = 4, [4, 2]
x = tf.constant(rs.randn(T, B, D), tf.float32)
start = rnn.LSTMStateTuple(*[tf.constant(rs.randn(B, U), tf.float32) for _ in 'ch'])
fused = rnn.LSTMBlockFusedCell(U, forget_bias=.5, cell_clip=CLIP, use_peephole=True)
outputs, state = fused(x, initial_state=start, sequence_length=lengths)
whole, end = fused(tf.unstack(x), dtype=tf.float32)
names = [v.op.name for v in tf.global_variables()]
assert names == ['lstm_fused_cell/' + n for n in ('kernel', 'bias', 'w_i_diag', 'w_f_diag', 'w_o_diag')], names
cell = rnn.LSTMBlockCell(U, .5, CLIP, True, name='lstm_fused_cell', reuse=True)
def adapted(loop): return rnn.FusedRNNCellAdaptor(cell, use_dynamic_rnn=loop)
scope = tf.get_variable_scope()
same, same_state = adapted(True)(x, start, sequence_length=lengths, scope=scope)
plain, plain_end = adapted(False)(tf.unstack(x), dtype=tf.float32, scope=scope)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    draw(session)
    assert len(tf.global_variables()) == 5
    for have, want in ((outputs, same), (state, same_state), (whole, plain), (end, plain_end)):
        for one, other in zip(tf.nest.flatten(session.run(have)), tf.nest.flatten(session.run(want))):
            assert np.allclose(one, other, atol=1e-3), abs(one - other).max()
    assert isinstance(whole, list) and (session.run(outputs)[2:, 1] == 0).all()
    for row, end in enumerate(lengths):
        assert np.allclose(session.run(state.h)[row], session.run(outputs)[end - 1, row])
    slopes = [session.run(tf.gradients([tf.square(made), tf.square(last.h)], [x, *start, *tf.global_variables()]))
              for made, last in ((outputs, state), (same, same_state))]
    for one, other in zip(*slopes) if CLIP is None else ():      # The op's slopes know nothing of limits.
        assert np.allclose(one, other, atol=2e-2, rtol=1e-2), abs(one - other).max()
    back = rnn.TimeReversedFusedRNN(adapted(True))
    turned, first = back(x, start, sequence_length=lengths, scope=scope)
    given = session.run(x)
    given[:, 0], given[:2, 1] = given[::-1, 0], given[1::-1, 1]
    wanted, last = session.run(adapted(True)(tf.constant(given), start, sequence_length=lengths, scope=scope))
    found = session.run(turned)
    assert np.allclose(found[:, 0], wanted[::-1, 0], atol=1e-4)
    assert np.allclose(found[:2, 1], wanted[1::-1, 1], atol=1e-4)
    assert np.allclose(session.run(first.c), last.c, atol=1e-4)
    listed, _ = rnn.TimeReversedFusedRNN(adapted(False))(tf.unstack(x), start, scope=scope)
    wanted, _ = adapted(False)(tf.unstack(x)[::-1], start, scope=scope)
    assert np.allclose(session.run(listed), session.run(wanted)[::-1], atol=1e-4)
try: fused(x)
except ValueError as error: assert str(error) == 'Either initial_state or dtype needs to be specified'
else: raise AssertionError
""")


def test_grids() -> None:
    """Bands of frequencies go on in time and to the next band, with shared weights or without, and back."""
    run(START + """
def walk(w, x, s, bands, scope='', block=0, share=False, peeps=False, couple=False, clip=None):
    # |s| has a memory and an output for each band; returns outputs, and the same.
    out, after, cf, mf = [], [], np.zeros([B, U]), np.zeros([B, U])
    for number, band in enumerate(bands):
        ct, mt = s[2 * number], s[2 * number + 1]
        given, memories, gates, looks = cat(band, mt, mf), [], [], []
        for word, before in (('f', cf), ('t', ct)):
            word = 'f' if share else word
            g = split(given @ w[f'{scope}W_{word}_{block}_0'] + w[f'{scope}B_{word}_{block}'], 3 if couple else 4)
            def look(gate, a, b, word=word):
                name = f'{scope}W_{gate}_diag_{dict(f="freq", t="time")[word]}%s_{block}'
                return w[name % 'f'] * a + w[name % 't'] * b if peeps else 0
            i = sigmoid(g[0] + look('I', cf, ct))
            f = 1 - i if couple else sigmoid(g[2] + 1 + look('F', cf, ct))
            c = f * before + i * tanh(g[1])
            memories.append(c if clip is None else np.clip(c, -clip, clip))
            gates.append(g[-1])
            looks.append(look)
        made = [sigmoid(g + look('O', *memories)) * tanh(c) for g, look, c in zip(gates, looks, memories)]
        (cf, ct), (mf, mt) = memories, made
        after += [ct, mt]
        out += [mt, mf]
    return out, after
def cut(x, first, count, skip): return [x[:, first + i * skip:first + i * skip + 4] for i in range(count)]
def plain(**more):
    def step(w, x, s):
        s = s if TUPLE else split(s, 4)
        out, after = walk(w, x, s, cut(x, 0, 2, 3), **more)
        return cat(*out), (after if TUPLE else cat(*after))
    return step
size = dict(feature_size=4, frequency_skip=3, num_frequency_blocks=[2])
TUPLE = True
check(lambda: rnn.GridLSTMCell(U, **size), 'W_f_0_0 B_f_0 W_t_0_0 B_t_0', plain(), size=7)
diagonals = ' '.join(f'W_{g}_diag_WORD{o}_0' for g in 'FIO' for o in 'ft')
check(lambda: rnn.GridLSTMCell(U, use_peepholes=True, cell_clip=.6, **size), 'W_f_0_0 B_f_0 ' +
      diagonals.replace('WORD', 'freq') + ' W_t_0_0 B_t_0 ' + diagonals.replace('WORD', 'time'),
      plain(peeps=True, clip=.6), size=7, slopes=False)
TUPLE = False
check(lambda: rnn.GridLSTMCell(U, share_time_frequency_weights=True, couple_input_forget_gates=True,
                               state_is_tuple=False, **size), 'W_f_0_0 B_f_0', plain(share=True, couple=True), size=7)
cell = rnn.GridLSTMCell(U, **size)
assert cell.state_size._fields == ('state_f00_b00_c', 'state_f00_b00_m', 'state_f01_b00_c', 'state_f01_b00_m')
two = dict(feature_size=4, frequency_skip=2, num_frequency_blocks=[2, 1], start_freqindex_list=[0, 5],
           end_freqindex_list=[6, 9])
def both(w, x, s):
    out, after = [], []
    for scope, at in (('fwd/', 0), ('bwd/', 6)):
        shifted = np.pad(x, [(0, 0), (0, 2)])[:, 2:] if at else x
        for block, (first, count) in enumerate(((0, 2), (5, 1))):
            bands = cut(shifted, first, count, 2)[::-1 if at else 1]
            made, new = walk(w, x, s[at + 4 * block:], bands, scope, block)
            out += made
            after += new
    return cat(*out), after
check(lambda: rnn.BidirectionalGridLSTMCell(U, backward_slice_offset=2, **two), ' '.join(
    f'{d}/{n}' for d in ('fwd', 'bwd') for n in 'W_f_0_0 B_f_0 W_t_0_0 B_t_0 W_f_1_0 B_f_1 W_t_1_0 B_t_1'.split()),
      both, size=9)
for wrong, text in ((lambda: rnn.GridLSTMCell(U), 'Must specify num_frequency_blocks'),
                    (lambda: cell(tf.ones([B, 10]), cell.zero_state(B, tf.float32)), 'requires 2 but gets 3')):
    try: wrong()
    except ValueError as error: assert text in str(error), error
    else: raise AssertionError(text)
""")
