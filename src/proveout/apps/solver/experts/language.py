"""Which language a task is in: by script, then by small words that each language uses all the time.

Names of people, projects and customers keep their own language and prove nothing.
"""

from collections import Counter
from functools import lru_cache
from typing import Literal, cast, get_args

from proveout.apps.solver.resolve.folding import fold, tokens, word_set

Language = Literal["en", "de", "it", "fr", "es", "sr", "zh", "ru"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

_SMALL_WORDS = {
    "en": "the of is are what who which in on my have has does do did how many to for and with from"
    " that this please can i me give list at by be was an it their his her all where any not or if"
    " set add log mark a",
    "de": "der die das ist sind wer welche welcher welches welchen in im auf mein meine meinen wie"
    " viele und mit von aus für dem den des ein eine einen bitte kann ich mir zu zum zur hat haben"
    " nicht oder alle wo sie wir uns am bei an auch nach über werden wird",
    "it": "il lo la gli le di del della dei delle che chi quale quali è sono nel nella per con da"
    " un una mio mia miei mie quanti quante e o non ha hanno al alla come dove per favore tutti i"
    " si su dal mi ci a",
    "fr": "le la les de du des est sont qui quel quelle quels quelles dans sur mon ma mes et avec"
    " pour un une au aux combien que ce cette ou ne pas a ont je il elle en par s'il vous plaît où"
    " nous notre l d à",
    "es": "el la los las de del es son quién quiénes qué cuál cuáles en mi mis y con para un por"
    " una favor cuántos cuántas que o no ha han al está tiene tienen todos se su nuestro dónde lo"
    " a",
    "sr": "je su ko koji koja koje koliko u na za i sa od da li mi moj moja moje mojih se iz ili ne"
    " ima imaju molim svi sve gde kako što projektu projekta zaposleni koga nije ga mu biti po kod",
    "ru": "и в на с по из кто что какой какая какие каких сколько мой мои моих для не или все есть"
    " как где у к от у нас это этот до пожалуйста я мне он",
}
_VOCABULARY = {
    language: frozenset(fold(word) for word in words.split())
    for language, words in _SMALL_WORDS.items()
}
_SHARES = {
    word: 1 / sum(word in known for known in _VOCABULARY.values())
    for known in _VOCABULARY.values()
    for word in known
}
"""A word that several languages use tells less of each."""
_FAR_MORE = 2
_SPANISH_MARKS = frozenset("¿¡")
_CHINESE_WORDS = frozenset("的吗谁哪是请多少我在把为几了么有个你给将从到怎")
_SERBIAN_LETTERS = frozenset("ђјљњћџЂЈЉЊЋЏ")
_RUSSIAN_LETTERS = frozenset("ыэъйщюяёЫЭЪЙЩЮЯЁ")


@lru_cache(maxsize=256)
def detect(text: str) -> Language:
    """The most likely language; English if nothing tells."""
    scripts = Counter(_script(char) for char in text if char.isalpha())
    if _chinese(text, scripts["han"], scripts["latin"]):
        return "zh"
    words = tokens(text)
    cyrillic = [token for token in words if _script(token.raw[0]) == "cyrillic"]
    folded = [token.folded for token in words if _script(token.raw[0]) != "cyrillic"]
    counts = {
        language: sum(_SHARES[word] for word in folded if word in _VOCABULARY[language])
        for language in LANGUAGES
        if language in _VOCABULARY and language != "ru"
    }
    if set(text) & _SPANISH_MARKS:
        counts["es"] += 2
    best = max(counts, key=lambda language: (counts[language], language == "en"))
    # Names keep their script, so words in another one may be many and prove little.
    most = len(cyrillic) * 2 >= len(words) or len(cyrillic) > _FAR_MORE * max(counts[best], 1)
    if len(cyrillic) > 1 and most:
        return _slavic(text, [token.folded for token in cyrillic])
    return cast(Language, best) if counts[best] else "en"


def _chinese(text: str, han: int, latin: int) -> bool:
    """Ideographs that ask or join; those of a name in another language's text do not."""
    joining = sum(char in _CHINESE_WORDS for char in text)
    return han > 1 and (han > latin or (joining > 0 and han * 16 >= latin))


def _slavic(text: str, words: list[str]) -> Language:
    serbian = sum(char in _SERBIAN_LETTERS for char in text)
    russian = sum(char in _RUSSIAN_LETTERS for char in text)
    if serbian != russian:
        return "sr" if serbian > russian else "ru"
    serbian = sum(word in _VOCABULARY["sr"] for word in words)
    return "sr" if serbian > sum(word in _VOCABULARY["ru"] for word in words) else "ru"


def _script(char: str) -> str:
    if "\u3400" <= char <= "\u9fff":
        return "han"
    if "\u0400" <= char <= "\u04ff":
        return "cyrillic"
    return "latin" if char < "\u0250" else "other"


_ALL_SMALL = frozenset().union(*_VOCABULARY.values()) | frozenset(
    fold(word)
    for word in word_set(
        "it its by up from into across over under than then there here into also some any multiple"
        " values other each between within about after before during while as but so such very be"
        " been being were will would should could might has had having been them they he she we us"
        " our your you auch aus bei bis durch gegen ohne um unter zwischen über nach seit wenn aber"
        " doch noch schon sehr tra fra verso dopo prima anche ma se più sopra sotto entre sous vers"
        " après avant aussi mais si plus sobre bajo hasta desde también pero más kroz prema posle"
        " pre takođe ali ako под над между после перед также но если"
    )
)


def small_word(folded: str) -> bool:
    """Whether a folded word is one of those that every text has and none is about."""
    return folded in _ALL_SMALL
