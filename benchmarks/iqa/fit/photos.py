"""Bring the clean photos of `photos.txt` into one folder.

`python -m benchmarks.iqa.fit.photos ROOT --out FOLDER`. Below the root lie the collections, each as
unpacked: the references I01 to I12 of TID2013; the repositories `imazen/codec-corpus` (CID22 under
CC BY-SA 4.0, CLIC under the Unsplash licence), `392781/mint-backgrounds`, `BuddiesOfBudgie/
budgie-backgrounds`, `pop-os/wallpapers`, `elementary/wallpapers`; Debian's wallpaper packages.
The 41 validation photos of CID22 are not among them: they are kept for testing.

Large photos are reduced by area averaging, which also takes away their own noise and compression;
what looks like an earlier photo, or like one in an `--apart` folder, is left out, so that no photo
can stand on both sides of a split under two names.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

LONGEST = 1500
TOO_ALIKE = 0.93
Thumb = NDArray[np.float32]


def reduced(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """At most `LONGEST` pixels long, and at least halved where the photo is large enough."""
    height, width = picture.shape[:2]
    scale = min(LONGEST / max(height, width), 1.0)
    if min(height, width) >= 1000:
        scale = min(scale, 0.5)
    if scale == 1.0:
        return picture
    size = (round(width * scale), round(height * scale))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def thumb(picture: NDArray[np.uint8]) -> Thumb:
    """A tiny grey copy without mean, of length one."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    tiny = np.asarray(cv2.resize(grey, (24, 24), interpolation=cv2.INTER_AREA), np.float32)
    centred = (tiny - tiny.mean()).ravel()
    return np.asarray(centred / (np.linalg.norm(centred) + 1e-6), np.float32)


def name_of(path: Path) -> str:
    """Unique and short: the folder and the file."""
    return f"{path.parent.name}_{path.stem}".replace(" ", "_").lower()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--list", type=Path, default=Path(__file__).with_name("photos.txt"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--apart", type=Path, nargs="*", default=())
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    known = [
        thumb(np.asarray(cv2.imread(str(path)), np.uint8))
        for folder in given.apart
        for path in sorted(folder.glob("*.png"))
    ]
    kept = 0
    for line in given.list.read_text().splitlines():
        path = given.root / line
        picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if picture is None or min(picture.shape[:2]) < 380:
            print(f"left out, small or unreadable: {path.name}")
            continue
        small = reduced(np.asarray(picture, np.uint8))
        mark = thumb(small)
        if any(float(mark @ other) > TOO_ALIKE for other in known):
            print(f"left out, looks like another: {path.name}")
            continue
        known.append(mark)
        name = path.stem.lower() if len(path.stem) == 3 else name_of(path)
        cv2.imwrite(str(given.out / f"{name}.png"), small)
        kept += 1
    print(f"{kept} photos")


if __name__ == "__main__":
    main()
