"""Code as coloured lines, by Pygments: classes in the text, colours in the page's style sheet.

The colours are ours (`templates/style.css`), so that light and dark are one set of rules and both
are readable: the palettes that Pygments ships are either loud or too faint.
"""

from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_by_name
from pygments.util import ClassNotFound

MOST_CHARACTERS = 200_000
"""Beyond this, colours cost more than they tell."""


def html_lines(text: str, language: str) -> list[str]:
    """One piece of well-formed, escaped HTML per line of text; an unknown language stays plain."""
    if len(text) > MOST_CHARACTERS:
        return [escape(line) for line in text.split("\n")]
    try:
        lexer = get_lexer_by_name(language or "text", stripnl=False, ensurenl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False, ensurenl=False)
    marked: str = highlight(text, lexer, HtmlFormatter(nowrap=True))
    # The formatter ends the last line with a line feed, whether the text does or not.
    return marked.split("\n")[: text.count("\n") + 1]
