"""Data sets that come with scikit-learn, as tables whose rows can be changed like any others."""

from dataclasses import replace

import pandas as pd

from proveout.apps.mle.leakage.dynamic.inside.bundled import FOLDER, LOADERS, TARGET
from proveout.apps.mle.leakage.dynamic.tables import Folder, Table


def with_bundled(folder: Folder, program: str) -> Folder:
    """The folder, with a table for every loader that the program names."""
    wanted = [name for name in LOADERS if name in program]
    if not wanted:
        return folder
    try:
        from sklearn import datasets
    except ImportError:
        return folder
    made = []
    for name in wanted:
        values, target = getattr(datasets, name)(return_X_y=True)
        cells = pd.DataFrame(values).astype(str)
        cells.columns = [f"column_{at}" for at in range(values.shape[1])]
        cells[TARGET] = [str(one) for one in target]
        made.append(Table(f"{FOLDER}/{name}.csv", cells.astype(object)))
    return replace(folder, tables=(*folder.tables, *made))
