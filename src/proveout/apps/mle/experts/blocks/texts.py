"""Free text: counts of words and pieces of words, and linear models on them."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import MultinomialNB

from proveout.apps.mle.experts.blocks.part import Part, predicted, seen
from proveout.apps.mle.experts.blocks.settings import LABELS, TEXTS
from proveout.apps.mle.experts.blocks.views import dense_view


def word_view(part: Part, words: int = 0, pieces: int = 0) -> list[Any]:
    """Weighted words, up to so many in a row, or pieces of words up to so many letters."""
    blocks: list[list[Any]] = [[] for _ in part.tables]
    for name in TEXTS:
        makers = []
        if words:
            # Punctuation counts as a word: it is part of a style.
            makers.append(
                TfidfVectorizer(
                    ngram_range=(1, words),
                    token_pattern=r"\w+|[^\w\s]",
                    sublinear_tf=True,
                    max_features=300_000,
                )
            )
        if pieces:
            makers.append(
                TfidfVectorizer(
                    analyzer="char",
                    ngram_range=(2, pieces),
                    min_df=3,
                    sublinear_tf=True,
                    lowercase=False,
                    max_features=200_000,
                )
            )
        for maker in makers:
            blocks[0].append(maker.fit_transform(part.fit[name]))
            for block, rows in zip(blocks[1:], part.others, strict=True):
                block.append(maker.transform(rows[name]))
    return [sparse.hstack(block).tocsr() for block in blocks]


def each_against_rest(
    part: Part, views: list[Any], strength: float, smoothing: float
) -> list[np.ndarray]:
    """Logistic regression for each class. The dual solver is by far the fastest on rare words.

    With smoothing, words first count as much as they are more frequent in the class (NB-SVM).
    """
    x, *others = views
    chances = [np.zeros((rows.shape[0], len(LABELS))) for rows in others]
    for label in np.unique(part.y).astype(int):
        mine = part.y == label
        scale = sparse.identity(x.shape[1])
        if smoothing:
            inside = np.asarray(x[mine].sum(axis=0)).ravel() + smoothing
            outside = np.asarray(x[~mine].sum(axis=0)).ravel() + smoothing
            scale = sparse.diags(np.log(inside / inside.sum() * outside.sum() / outside))
        model = LogisticRegression(
            C=strength, solver="liblinear", dual=True, tol=0.01, random_state=part.seed
        )
        model.fit(x @ scale, mine, sample_weight=part.weight)
        for chance, rows in zip(chances, others, strict=True):
            chance[:, label] = model.predict_proba(rows @ scale)[:, 1]
    return [chance / chance.sum(axis=1, keepdims=True) for chance in chances]


def fit_text_linear(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """Logistic or ridge regression on weighted words and pieces of words."""
    settings = dict(options)
    strength, smoothing = settings.pop("strength"), settings.pop("smoothing", 0.0)
    table = settings.pop("table", False)
    views = seen(part, word_view, **settings)
    if table:
        dense = seen(part, dense_view)
        views = [sparse.hstack([a, b]).tocsr() for a, b in zip(views, dense, strict=True)]
    if LABELS:
        return each_against_rest(part, views, strength, smoothing)
    model = Ridge(1 / strength, solver="sparse_cg", tol=1e-3)
    return predicted(model.fit(views[0], part.y, sample_weight=part.weight), views[1:])


def fit_naive_bayes(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """Words as if they came one by one, each from its class; weighted, so rare ones count."""
    settings = dict(options)
    alpha = settings.pop("alpha")
    x, *others = seen(part, word_view, **settings)
    return predicted(MultinomialNB(alpha=alpha).fit(x, part.y, sample_weight=part.weight), others)
