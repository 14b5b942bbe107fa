"""What a benchmark makes of kept measures is what the product says of the picture."""

from pathlib import Path

import numpy as np

from benchmarks.iqa.fit.chain import decided
from benchmarks.iqa.fit.taken import columns, frame_of, rows_of, taken
from proveout.apps.iqa.features import vector
from proveout.apps.iqa.measure import measure
from proveout.apps.iqa.scorehead import Fitted, fitted, name_chances, standing_in
from proveout.apps.iqa.second_look import look
from proveout.apps.iqa.view import view_of
from tests.unit.iqa.pictures import Pixels, as_bytes, paler, photos


def pictures() -> list[Pixels]:
    photo = photos()["coffee"][:240, :320]
    noisy = as_bytes(photo + np.random.default_rng(1).normal(0, 25, photo.shape))
    dark, flat = as_bytes(photo * 0.15), np.full((60, 80, 3), 90, np.uint8)
    return [photo, noisy, dark, flat, paler(photo, 9), as_bytes(photo * 1.6)]


def test_kept_measures_lead_to_the_same_words(tmp_path: Path) -> None:
    frames = [frame_of(np.ascontiguousarray(picture)) for picture in pictures()]
    np.savez_compressed(
        tmp_path / "t.npz", allow_pickle=False, **columns([taken(frame) for frame in frames])
    )
    kept = rows_of(np.load(tmp_path / "t.npz", allow_pickle=False))
    for frame, said in zip(frames, decided({}, kept), strict=True):
        found = measure(frame)
        assert said.names == tuple(one.name for one in found.present)
        assert said.score == found.score


def test_another_model_stands_in_only_for_a_while() -> None:
    view = view_of(frame_of(pictures()[1]))
    values = vector(view)
    before, seen = name_chances(values), look(values, view)
    third = fitted("presence")
    never = Fitted(third.scaling, third.trees, third.networks, third.facts | {"limit": [2.0]})
    with standing_in({"presence": never}):
        assert name_chances(values) == before
        assert fitted("presence") is never
    assert fitted("presence") is third
    assert look(values, view) == seen
