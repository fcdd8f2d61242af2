"""shown - A text that stands for a value where values are shown."""


class Shown:
    """Shows as its text, without quotes, in whatever structure it is in."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text
