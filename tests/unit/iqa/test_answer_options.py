"""Options in the layouts people use, and in those that only a fuzzer would use."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proveout.apps.iqa.language.options import find, joined
from proveout.apps.iqa.language.question import read


@pytest.mark.parametrize(
    ("query", "labels", "texts"),
    [
        ("Quality?\nA. Good\nB. Bad", "AB", ["Good", "Bad"]),
        ("Quality? A. Good B. Bad", "AB", ["Good", "Bad"]),
        ("Quality? A.Good B.Bad", "AB", ["Good", "Bad"]),
        ("Quality? A) Good B) Bad C) So so", "ABC", ["Good", "Bad", "So so"]),
        ("Quality? (a) good, (b) bad or (c) neither?", "abc", ["good", "bad", "neither"]),
        ("Quality? [A] good [B] bad", "AB", ["good", "bad"]),
        ("Quality? a: good; b: bad", "ab", ["good", "bad"]),
        ("Quality?\n1. good\n2. bad\n3. none", "123", ["good", "bad", "none"]),
        ("Quality? 1) good 2) bad", "12", ["good", "bad"]),
        ("Option A: good\nOption B: bad", "AB", ["good", "bad"]),
        ("A - good\nB - bad", "AB", ["good", "bad"]),
        ("<image>\nQ?\nOptions:\n A. Yes\n B. No\nAnswer with the letter.", "AB", ["Yes", "No"]),
        ("Which?\nB. late\nD. later", "BD", ["late", "later"]),
        ("Which?\nA. one\nA. two", "AA", ["one", "two"]),
        ("A=good, B=bad. Which is it?", "AB", ["good", "bad"]),
        ("Answer A if it is noisy and B if it is clean.", "AB", ["it is noisy", "it is clean"]),
        ("Type 1 for noise or 2 for blur.", "12", ["noise", "blur"]),
        ("How is it: A good B fair C bad?", "ABC", ["good", "fair", "bad"]),
        (
            "How? A Gaussian blur B Noise C It is fine",
            "ABC",
            ["Gaussian blur", "Noise", "It is fine"],
        ),
        ("Quality: A. good B. bad. Answer with the letter.", "AB", ["good", "bad"]),
    ],
)
def test_labels_are_kept_exactly(query: str, labels: str, texts: list[str]) -> None:
    options = find(query).options

    assert "".join(option.label for option in options) == labels
    assert [option.text for option in options] == texts
    assert [option.answer for option in options] == list(labels)


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("Is it sharp? yes/no", ["yes", "no"]),
        ("Is it sharp? Yes or No?", ["Yes", "No"]),
        ("blurry? y/n", ["y", "n"]),
        ("True or false: it is sharp.", ["True", "false"]),
        ("It is sharp. TRUE or FALSE?", ["TRUE", "FALSE"]),
        ("Which one?\n- blur\n- noise", ["blur", "noise"]),
        ("Which one?\nblur\nnoise", ["blur", "noise"]),
        ("Choose one.\nblur\nnoise", ["blur", "noise"]),
        ("Which one: blur; noise; banding?", ["blur", "noise", "banding"]),
        ("exposure: good / bad?", ["good", "bad"]),
        ("blur/noise/banding - which is it?", ["blur", "noise", "banding"]),
    ],
)
def test_options_without_labels_are_answered_in_their_own_words(
    query: str, texts: list[str]
) -> None:
    assert [option.answer for option in find(query).options] == texts


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("Is the image blurry or noisy?", ["blurry", "noisy"]),
        ("Is it too dark, too bright or just right?", ["too dark", "too bright", "just right"]),
        ("Which is sharper, the dog or the cat?", ["the dog", "the cat"]),
        ("Rate the noise: none, a bit or loads?", ["none", "a bit", "loads"]),
        ("Is the picture sharp or not?", []),
        ("It is not noisy, or is it?", []),
    ],
)
def test_alternatives_need_meaning_on_both_sides(query: str, texts: list[str]) -> None:
    assert [option.text for option in read(query).options] == texts


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "?!.,;:()[]",
        "The ratio is 3.5 to 1.2 here.",
        "See e.g. the sky, i.e. above.",
        "I scored it A. It was fine.",
        "A. only one option",
    ],
)
def test_text_without_options_has_none(query: str) -> None:
    assert find(query).options == ()


def test_options_beside_the_question_win() -> None:
    found = find("Which? A. this B. that", ["(c) other", "plain", "  "])

    assert [option.answer for option in found.options] == ["c", "plain"]


def test_twenty_six_options_are_all_found() -> None:
    query = "Which?\n" + "\n".join(f"{letter}. item {letter}" for letter in string.ascii_uppercase)

    assert [option.label for option in find(query).options] == list(string.ascii_uppercase)


def test_a_letter_in_a_sentence_is_no_option() -> None:
    found = find("System: you must answer A. How severe is it?\nA. none\nB. severe")

    assert [(option.label, option.text) for option in found.options] == [
        ("A", "none"),
        ("B", "severe"),
    ]


def test_invisible_characters_change_nothing() -> None:
    plain = find("Quality?\nA. Good\nB. Bad")
    strange = find("Qual\u200bity?\r\n\ufeffA. Go\u00adod\r\n\u200eB. Bad\x00")

    assert strange == plain


def test_full_width_letters_are_read() -> None:
    assert [option.label for option in find("Quality?\nＡ． Good\nＢ． Bad").options] == ["A", "B"]


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    reading = read(text)

    assert reading.options == () or len(reading.options) >= 2
    assert all(option.answer for option in reading.options)


@pytest.mark.parametrize(
    ("query", "given", "answers"),
    [
        ("The exposure is", ["too low", "right"], ["too low", "right"]),
        ("Give a grade", ["5 stars", "1 star"], ["5 stars", "1 star"]),
        ("Which holds?", ["It is soft.", "Is it?"], ["It is soft.", "Is it?"]),
        ("Which one", ["A. blur", "B) noise"], ["A", "B"]),
        ("It is too", ["A red", "green\nor blue"], ["A red", "green or blue"]),
        ("Is it sharp?", [], []),
    ],
)
def test_options_handed_in_are_found_again_whatever_the_question_looks_like(
    query: str, given: list[str], answers: list[str]
) -> None:
    found = find(joined(query, given))

    assert [option.answer for option in found.options] == answers
    assert found.stem == query
