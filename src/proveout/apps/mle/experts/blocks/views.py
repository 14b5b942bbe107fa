"""What a model sees of the rows. Everything learnt here is learnt from the training part alone."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import QuantileTransformer

from proveout.apps.mle.experts.blocks.part import Part, seen
from proveout.apps.mle.experts.blocks.settings import COORDINATES, LABELS, SEED, TEXTS

FITTED: dict[str, Callable[[Part], list[pd.DataFrame]]] = {}
"""Steps that are learnt in each fold anew; the writer names those of the script."""


def name_columns(rows: pd.DataFrame) -> list[str]:
    """Columns with names rather than numbers; free text is dealt with elsewhere."""
    return [c for c in rows.select_dtypes(exclude="number").columns if c not in TEXTS]


def inner_parts(count: int, parts: int = 5) -> np.ndarray:
    """A part for each training row, to learn a row's facts from the other parts only."""
    return np.random.default_rng(SEED).permutation(count) % parts


def target_columns(y: np.ndarray) -> np.ndarray:
    """The target as numbers: the value, or for each class but the first whether it is that."""
    if not LABELS:
        return y.reshape(-1, 1).astype("float64")
    return (y[:, None] == np.arange(1, len(LABELS))[None, :]).astype("float64")


def smoothed_means(keys: pd.Series, values: np.ndarray, smoothing: float) -> pd.Series:
    """Mean of the values for each key, drawn towards the overall mean when rows are few."""
    grouped = pd.Series(values).groupby(keys.to_numpy())
    total, count = grouped.sum(), grouped.count()
    return (total + smoothing * values.mean()) / (count + smoothing)


def target_means(part: Part, names: list[str], smoothing: float = 20.0) -> list[pd.DataFrame]:
    """Mean target of each name. Training rows get it from other rows, never from themselves."""
    inner = inner_parts(len(part.fit))
    results = [pd.DataFrame(index=rows.index) for rows in part.tables]
    for position, values in enumerate(target_columns(part.y).T):
        for name in names:
            column, keys = f"{name} target {position}", part.fit[name]
            own = np.full(len(keys), values.mean())
            for number in np.unique(inner):
                rest = inner != number
                means = smoothed_means(keys[rest], values[rest], smoothing)
                own[~rest] = keys[~rest].map(means).fillna(values[rest].mean())
            results[0][column] = own
            means = smoothed_means(keys, values, smoothing)
            for result, rows in zip(results[1:], part.others, strict=True):
                result[column] = rows[name].map(means).astype("float64").fillna(values.mean())
    return results


def mean_targets(part: Part) -> list[pd.DataFrame]:
    """Mean target of names that are too many for switches."""
    names = [name for name in name_columns(part.fit) if part.fit[name].nunique() > 8]
    return target_means(part, names)


def pair_means(part: Part, most: int = 4) -> list[pd.DataFrame]:
    """Mean target of pairs of names: what two say together that neither says alone."""
    few = [name for name in name_columns(part.fit) if 2 < part.fit[name].nunique() <= 200][:most]
    pairs = [(a, b) for place, a in enumerate(few) for b in few[place + 1 :]]
    tables = [
        pd.DataFrame({f"{a} & {b}": rows[a] + "|" + rows[b] for a, b in pairs}, index=rows.index)
        for rows in part.tables
    ]
    both = replace(part, fit=tables[0], others=tables[1:])
    return target_means(both, list(tables[0].columns))


def frequencies(part: Part) -> list[pd.DataFrame]:
    """How common a name is among the training rows."""
    results = [pd.DataFrame(index=rows.index) for rows in part.tables]
    for name in name_columns(part.fit):
        share = part.fit[name].value_counts(normalize=True)
        if len(share) > 8:
            for result, rows in zip(results, part.tables, strict=True):
                result[f"{name} share"] = rows[name].map(share).astype("float64").fillna(0.0)
    return results


def coded(part: Part, most: int, rare: int = 3) -> list[pd.DataFrame]:
    """Names as categories; those that are rare or new at prediction time become missing."""
    results = [pd.DataFrame(index=rows.index) for rows in part.tables]
    for name in name_columns(part.fit):
        counts = part.fit[name].value_counts()
        known = pd.CategoricalDtype(sorted(counts.index[counts >= rare]))
        if len(counts) <= most:
            for result, rows in zip(results, part.tables, strict=True):
                result[name] = rows[name].where(rows[name].isin(known.categories)).astype(known)
    return results


def places(part: Part) -> list[np.ndarray]:
    """Coordinates, without gaps."""
    columns = [name for pair in COORDINATES for name in pair]
    middle = part.fit[columns].median()
    return [rows[columns].fillna(middle).to_numpy() for rows in part.tables]


def neighbour_means(part: Part) -> list[pd.DataFrame]:
    """Mean target of the nearest places; training rows get it from other rows."""
    inner, values, (fit, *others) = (
        inner_parts(len(part.fit), 10),
        target_columns(part.y),
        places(part),
    )
    results = [pd.DataFrame(index=rows.index) for rows in part.tables]
    for count in (5, 25):
        model = KNeighborsRegressor(count, weights="distance")
        own = np.zeros_like(values)
        for number in np.unique(inner):
            rest = inner != number
            own[~rest] = model.fit(fit[rest], values[rest]).predict(fit[~rest])
        model.fit(fit, values)
        for result, means in zip(results, [own, *map(model.predict, others)], strict=True):
            for position, column in enumerate(means.T):
                result[f"nearest {count} target {position}"] = column
    return results


def cluster_distances(part: Part) -> list[pd.DataFrame]:
    """Distance to the places where rows are dense."""
    fit, *others = places(part)
    model = MiniBatchKMeans(10, n_init=1, random_state=SEED).fit(fit)
    names = [f"distance {number}" for number in range(10)]
    return [
        pd.DataFrame(model.transform(place), columns=names, index=rows.index)
        for place, rows in zip([fit, *others], part.tables, strict=True)
    ]


def text_topics(part: Part, topics: int = 16) -> list[pd.DataFrame]:
    """Free text as a few numbers: directions in which its words vary most."""
    results = [pd.DataFrame(index=rows.index) for rows in part.tables]
    for name in TEXTS:
        words = TfidfVectorizer(min_df=3, sublinear_tf=True, max_features=20_000)
        found = words.fit_transform(part.fit[name])
        model = TruncatedSVD(min(topics, found.shape[1] - 1), random_state=SEED).fit(found)
        for result, rows in zip(results, part.tables, strict=True):
            topic = model.transform(words.transform(rows[name]))
            result[[f"{name} topic {n}" for n in range(topic.shape[1])]] = topic
    return results


def joined(lists: list[list[pd.DataFrame]]) -> list[pd.DataFrame]:
    """Tables of the same rows side by side."""
    return [pd.concat(tables, axis=1) for tables in zip(*lists, strict=True)]


def with_fitted(part: Part) -> list[pd.DataFrame]:
    """Number columns, with what the fitted steps add; those that never vary are left out."""
    numeric = [rows.select_dtypes("number") for rows in part.tables]
    tables = joined([numeric, *(FITTED[step](part) for step in part.steps if step in FITTED)])
    varied = tables[0].columns[tables[0].nunique() > 1]
    return [rows[varied].replace([np.inf, -np.inf], np.nan) for rows in tables]


def tree_view(part: Part, most: int = 60) -> list[pd.DataFrame]:
    """For trees: numbers as they are, names as categories unless there are too many."""
    return joined([seen(part, with_fitted), coded(part, most)])


def dense_view(part: Part) -> list[np.ndarray]:
    """For linear models, distances and nets: no gaps, one scale, names as switches."""
    return dense(part, by_rank, 4.0)


def power_view(part: Part) -> list[np.ndarray]:
    """The same, but distances between numbers count: tails are drawn in, order is not all."""
    return dense(part, by_power, 8.0)


def every_view(part: Part) -> list[np.ndarray]:
    """The same in each scale, side by side: what is straight in one is bent in the others."""
    return dense(part, in_every_scale, 30.0)


def in_every_scale(tables: list[pd.DataFrame]) -> list[np.ndarray]:
    """By rank, by power, and as the numbers are."""
    ranks, powers, plain = by_rank(tables), by_power(tables), by_spread(tables)
    return [
        np.hstack([drawn_in(rank, 4.0), drawn_in(power, 8.0), number])
        for rank, power, number in zip(ranks, powers, plain, strict=True)
    ]


def by_spread(tables: list[pd.DataFrame]) -> list[np.ndarray]:
    """Columns of equal spread, not bent."""
    middle, width = tables[0].mean().to_numpy(), tables[0].std().to_numpy() + 1e-12
    return [(rows.to_numpy() - middle) / width for rows in tables]


def drawn_in(values: np.ndarray, widest: float) -> np.ndarray:
    """No gaps, and nothing farther out than that."""
    return np.clip(np.nan_to_num(values), -widest, widest)


def by_rank(tables: list[pd.DataFrame]) -> list[np.ndarray]:
    """The place of a number among those of the first table, spread like a bell."""
    count = min(len(tables[0]), 1000)
    ranks = QuantileTransformer(
        n_quantiles=count, output_distribution="normal", random_state=SEED
    ).fit(tables[0])
    return [ranks.transform(rows) for rows in tables]


def by_power(tables: list[pd.DataFrame]) -> list[np.ndarray]:
    """Columns of equal spread, bent until those of the first table look most like a bell."""
    spread = tables[0].std().to_numpy() + 1e-12
    values = [rows.to_numpy() / spread for rows in tables]
    # Some rows tell the powers as well as all of them.
    step = max(1, len(values[0]) // 2_000, values[0].size // 1_000_000)
    powers = best_powers(values[0][::step])
    shaped = [bent(rows, powers) for rows in values]
    middle, width = shaped[0].mean(axis=0), shaped[0].std(axis=0) + 1e-12
    return [(rows - middle) / width for rows in shaped]


def bent(values: np.ndarray, powers: np.ndarray) -> np.ndarray:
    """Each column by its power, as Yeo and Johnson do for numbers of either sign."""
    above, below = np.log1p(np.maximum(values, 0.0)), np.log1p(np.maximum(-values, 0.0))
    # A power of nought is the logarithm, which a tiny one is close to.
    rise = np.where(np.abs(powers) < 1e-6, 1e-6, powers)
    fall = np.where(np.abs(2.0 - powers) < 1e-6, 1e-6, 2.0 - powers)
    return np.expm1(rise * above) / rise - np.expm1(fall * below) / fall


def best_powers(values: np.ndarray) -> np.ndarray:
    """The likeliest power of each column if it is a bell after bending; all searched at once."""
    tails = (np.sign(values) * np.log1p(np.abs(values))).mean(axis=0)
    powers = np.ones(values.shape[1])
    for step in (0.5, 0.1, 0.02):
        tried = powers + step * np.arange(-6, 7)[:, None]
        likely = [
            (some - 1.0) * tails - 0.5 * np.log(bent(values, some).var(axis=0) + 1e-300)
            for some in tried
        ]
        powers = tried[np.argmax(likely, axis=0), np.arange(len(powers))]
    return powers


def without_gaps(tables: list[pd.DataFrame]) -> list[pd.DataFrame]:
    """Middles of the first table in place of gaps, all columns at once."""
    middle = tables[0].median().to_numpy()
    values = [rows.to_numpy(dtype="float64") for rows in tables]
    return [
        # Beyond a trillion, distances mean nothing and squares overflow.
        pd.DataFrame(np.clip(np.where(np.isnan(rows), middle, rows), -1e12, 1e12))
        for rows in values
    ]


def dense(
    part: Part, scaled: Callable[[list[pd.DataFrame]], list[np.ndarray]], widest: float
) -> list[np.ndarray]:
    """No gaps, one scale learnt from the training rows, names as switches."""
    tables = seen(part, with_fitted)
    gaps = [name for name in tables[0].columns if tables[0][name].isna().mean() > 0.01]
    filled = without_gaps(tables)
    if tables[0].shape[1]:
        numbers = [drawn_in(rows, widest) for rows in scaled(filled)]
    else:
        numbers = [rows.to_numpy() for rows in filled]
    columns = [
        np.hstack([values, rows[gaps].isna(), switches]).astype("float32")
        for values, rows, switches in zip(numbers, tables, one_hot(part), strict=True)
    ]
    # A column that is mostly nought lies far apart otherwise, and would escape regularisation.
    spread = np.maximum(columns[0].std(axis=0), 0.05)
    return [(values - columns[0].mean(axis=0)) / spread for values in columns]


def one_hot(part: Part, most: int = 40, rare: int = 5) -> list[np.ndarray]:
    """A switch for each name that is not rare among the training rows."""
    columns: list[list[np.ndarray]] = [[np.zeros((len(rows), 0))] for rows in part.tables]
    for name in name_columns(part.fit):
        counts = part.fit[name].value_counts()
        known = np.array(sorted(counts.index[counts >= rare]), dtype=object)
        if len(counts) <= most:
            for column, rows in zip(columns, part.tables, strict=True):
                column.append(rows[name].to_numpy(dtype=object)[:, None] == known[None, :])
    return [np.hstack(column).astype("float32") for column in columns]
