"""api_v0 - Names of TensorFlow before 1.0, which TF1 has no more, and functions that took other arguments then."""

# The name it had: the name that TF1 has for the same.
RENAMED = {line.split()[0]: line.split()[1] for line in '''
    batch_cholesky cholesky
    batch_cholesky_solve cholesky_solve
    batch_fft fft
    batch_fft2d fft2d
    batch_fft3d fft3d
    batch_ifft ifft
    batch_ifft2d ifft2d
    batch_ifft3d ifft3d
    batch_matrix_band_part matrix_band_part
    batch_matrix_determinant matrix_determinant
    batch_matrix_diag matrix_diag
    batch_matrix_diag_part matrix_diag_part
    batch_matrix_inverse matrix_inverse
    batch_matrix_set_diag matrix_set_diag
    batch_matrix_solve matrix_solve
    batch_matrix_solve_ls matrix_solve_ls
    batch_matrix_transpose matrix_transpose
    batch_matrix_triangular_solve matrix_triangular_solve
    batch_self_adjoint_eig self_adjoint_eig
    batch_self_adjoint_eigvals self_adjoint_eigvals
    batch_svd svd
    complex_abs abs
    concat_v2 concat
    image.per_image_whitening image.per_image_standardization
    inv reciprocal
    listdiff setdiff1d
    merge_all_summaries summary.merge_all
    merge_summary summary.merge
    mul multiply
    neg negative
    nn.bidirectional_rnn nn.static_bidirectional_rnn
    nn.deconv2d nn.conv2d_transpose
    nn.rnn nn.static_rnn
    nn.rnn_cell.EmbeddingWrapper contrib.rnn.EmbeddingWrapper
    nn.rnn_cell.InputProjectionWrapper contrib.rnn.InputProjectionWrapper
    nn.rnn_cell.OutputProjectionWrapper contrib.rnn.OutputProjectionWrapper
    nn.seq2seq.attention_decoder contrib.legacy_seq2seq.attention_decoder
    nn.seq2seq.basic_rnn_seq2seq contrib.legacy_seq2seq.basic_rnn_seq2seq
    nn.seq2seq.embedding_attention_decoder contrib.legacy_seq2seq.embedding_attention_decoder
    nn.seq2seq.embedding_attention_seq2seq contrib.legacy_seq2seq.embedding_attention_seq2seq
    nn.seq2seq.embedding_rnn_decoder contrib.legacy_seq2seq.embedding_rnn_decoder
    nn.seq2seq.embedding_rnn_seq2seq contrib.legacy_seq2seq.embedding_rnn_seq2seq
    nn.seq2seq.embedding_tied_rnn_seq2seq contrib.legacy_seq2seq.embedding_tied_rnn_seq2seq
    nn.seq2seq.model_with_buckets contrib.legacy_seq2seq.model_with_buckets
    nn.seq2seq.one2many_rnn_seq2seq contrib.legacy_seq2seq.one2many_rnn_seq2seq
    nn.seq2seq.rnn_decoder contrib.legacy_seq2seq.rnn_decoder
    nn.seq2seq.sequence_loss contrib.legacy_seq2seq.sequence_loss
    nn.seq2seq.sequence_loss_by_example contrib.legacy_seq2seq.sequence_loss_by_example
    nn.seq2seq.tied_rnn_seq2seq contrib.legacy_seq2seq.tied_rnn_seq2seq
    nn.state_saving_rnn nn.static_state_saving_rnn
    pack stack
    select where
    sub subtract
    train.SummaryWriter summary.FileWriter
    train.SummaryWriterCache summary.FileWriterCache
    unpack unstack
'''.strip().splitlines()}
# What TF1 does not have at all.
OWN = {'': 'audio_summary batch_matmul histogram_summary image_summary scalar_summary'}
# What TF1 has with other arguments, or in another order.
CHANGED = {
    '': 'concat reverse split',
    'image': 'resize_images',
    'nn': '''nce_loss sampled_softmax_loss sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits
        sparse_softmax_cross_entropy_with_logits''',
}
MODULE = '_contrib.early'
# A program that uses one of these was written for that time.
AXIS_FIRST = frozenset(('concat', 'split'))
# These took logits and labels by their places; all of TF1 refuses that.
BY_PLACES = frozenset(f'nn.{kind}_cross_entropy_with_logits' for kind in ('sigmoid', 'softmax', 'sparse_softmax'))
SIGNS = frozenset(RENAMED) | frozenset(OWN[''].split())


def add(found: dict[str, dict[str, str]]) -> None:
    """Adds them to the table of TF1's names."""
    for old, new in RENAMED.items():
        (space, _, name), (now, _, known) = old.rpartition('.'), new.rpartition('.')
        source = found.get(now, {}).get(known)
        if source is not None:
            found.setdefault(space, {})[name] = source
    for names in (OWN, CHANGED):
        for space, text in names.items():
            for name in text.split():
                found.setdefault(space, {})[name] = f'{MODULE}:{name}'
