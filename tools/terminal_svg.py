"""terminal_svg.py - Draws a transcript as a picture of a terminal.

    terminal_svg.py TRANSCRIPT OUT.svg

Lines that begin with "$ " are commands; the others are what they printed. The
picture of the README is docs/pictures/demo.svg, drawn from demo.txt beside it.
Standard library only.
"""

import html
import pathlib
import sys

SIZE, LINE = 13, 19  # Of the letters and of a line, in pixels.
ADVANCE = 0.602 * SIZE  # Of one letter in the usual monospaced fonts.
MARGIN, BAR = 16, 30
COLUMNS = 80  # At least as wide as this.

HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">
<title>{title}</title>
<rect width="{width}" height="{height}" rx="8" fill="#1c2128"/>
<circle cx="20" cy="16" r="5" fill="#e5534b"/>
<circle cx="38" cy="16" r="5" fill="#c69026"/>
<circle cx="56" cy="16" r="5" fill="#57ab5a"/>
<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{size}" fill="#cdd9e5">
"""
TAIL = "</g>\n</svg>\n"


def draw_line(number, text):
    """Returns one line of text; a command stands out."""
    y = BAR + MARGIN + number * LINE
    colour = ' fill="#8ddb8c"' if text.startswith("$ ") else ""
    words = html.escape(text, quote=False)
    return f'<text x="{MARGIN}" y="{y}" xml:space="preserve"{colour}>{words}</text>\n'


def draw(transcript):
    """Returns the picture of |transcript|."""
    lines = transcript.rstrip("\n").split("\n")
    columns = max(COLUMNS, *(len(line) for line in lines))
    commands = [line[2:] for line in lines if line.startswith("$ ")]
    head = HEAD.format(
        width=round(columns * ADVANCE + 2 * MARGIN),
        height=BAR + MARGIN + len(lines) * LINE,
        size=SIZE,
        title=html.escape("A terminal after: " + "; ".join(commands)),
    )
    body = "".join(draw_line(n, line) for n, line in enumerate(lines) if line != "")
    return head + body + TAIL


def main(args):
    transcript, out = map(pathlib.Path, args)
    out.write_text(draw(transcript.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
