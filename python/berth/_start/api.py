"""api - The tables of public names, read.

A table has for each namespace lines "module: name name other=attribute": `tf.other` is
`attribute` of that module of the package, and `other=` is the module itself. Functions that
make one op and nothing else have a shorter one, with lines "Op: name name".
"""

from __future__ import annotations

from berth import _mode

# What belongs to training; messages say that it comes later.
_LATER = frozenset('''
    MetaGraphDef mixed_precision
'''.split())
_LATER_SPACES = ('contrib',)


def read(mode: int) -> dict[str, dict[str, str]]:
    """Returns "module:attribute" by namespace and name, for TF1 or TF2."""
    from berth._start import api_both

    if mode == 1:
        from berth._start import api_v1 as own
    else:
        from berth._start import api_v2 as own  # type: ignore[no-redef]
    found: dict[str, dict[str, str]] = {}
    # What has a function of its own goes before what makes one op.
    _read_ops(api_both.OPS + own.OPS, found)
    for names in (api_both.NAMES, own.NAMES):
        for space, text in names.items():
            found.setdefault(space, {}).update(_read_space(text))
    if mode == 1 and _mode.is_early():
        from berth._start import api_v0

        api_v0.add(found)
    return found


def _read_ops(text: str, found: dict[str, dict[str, str]]) -> None:
    """Adds the functions that make one op and nothing else."""
    op = ''
    for word in text.split():
        if word.endswith(':'):
            op = word[:-1]
        else:
            space, _, name = word.rpartition('.')
            found.setdefault(space, {})[name] = f'ops.plain_ops:{op}'


def _read_space(text: str) -> dict[str, str]:
    """Reads the lines of one namespace."""
    found: dict[str, str] = {}
    module = ''
    for word in text.split():
        if word.endswith(':'):
            module = word[:-1]
            continue
        name, equals, attribute = word.partition('=')
        found[name] = f'{module}:{attribute if equals else name}'
    return found


def is_later(path: str) -> bool:
    """True for a name, such as "train.Saver", that comes with training."""
    return path.partition('.')[0] in _LATER_SPACES or path in _LATER
