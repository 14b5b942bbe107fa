"""Pictures of every kind come in as one; what is none, or a hostile one, is refused in words."""

import io
import os
import signal
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms

from proveout.apps.iqa.decoder import Decoder, shared_decoder
from proveout.apps.iqa.intake import LIMITS, Limits, decode, load
from proveout.kernel.errors import UsageError
from tests.unit.iqa.pairs import as_floats, photo

PHOTO = np.ascontiguousarray(photo("coffee")[:96, :128])


def saved(image: Image.Image, name: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, name, **options)
    return out.getvalue()


def png(**options: Any) -> bytes:
    return saved(Image.fromarray(PHOTO), "PNG", **options)


def chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def crafted_png(width: int, height: int, *extra: bytes) -> bytes:
    """A grey PNG of zeros, whatever its header claims."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    rows = zlib.compressobj(9)
    row = bytes(width + 1)
    data = b"".join(rows.compress(row) for _ in range(height)) + rows.flush()
    parts = header + b"".join(extra) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def refused(source: Any, limits: Limits = LIMITS) -> UsageError:
    with pytest.raises(UsageError) as caught:
        load(source, limits)
    assert caught.value.hint, "an error says what to do"
    assert "\n" not in str(caught.value)
    return caught.value


def taken_or_refused(data: bytes) -> bool:
    try:
        return bool(np.isfinite(decode(data).rgb).all())
    except UsageError as error:
        return error.code.startswith("iqa.intake.")


@pytest.mark.parametrize("name", ["PNG", "TIFF", "BMP", "PPM"])
def test_lossless_formats_give_the_pixels_back(name: str) -> None:
    frame = decode(saved(Image.fromarray(PHOTO), name))
    np.testing.assert_array_equal(frame.rgb, as_floats(PHOTO))
    assert (frame.facts.format, frame.facts.width, frame.facts.height) == (name, 128, 96)
    assert frame.facts.pixels_sha256 == load(PHOTO).facts.pixels_sha256


def test_lossless_webp_gives_the_pixels_back() -> None:
    frame = decode(saved(Image.fromarray(PHOTO), "WEBP", lossless=True))
    np.testing.assert_array_equal(frame.rgb, as_floats(PHOTO))


@pytest.mark.parametrize("name", ["JPEG", "GIF", "WEBP", "AVIF"])
def test_lossy_formats_come_close(name: str) -> None:
    options = {} if name == "GIF" else {"quality": 95}
    frame = decode(saved(Image.fromarray(PHOTO), name, **options))
    assert frame.facts.format == name
    assert np.abs(frame.rgb - as_floats(PHOTO)).mean() < 0.05


@pytest.mark.parametrize("quality", [5, 24, 50, 75, 92, 100])
@pytest.mark.parametrize(("code", "subsampling"), [(0, "4:4:4"), (1, "4:2:2"), (2, "4:2:0")])
def test_jpeg_quality_and_subsampling_are_read_from_the_file(
    quality: int, code: int, subsampling: str
) -> None:
    data = saved(Image.fromarray(PHOTO), "JPEG", quality=quality, subsampling=code)
    facts = decode(data).facts
    assert (facts.jpeg_quality, facts.jpeg_subsampling) == (quality, subsampling)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_is_applied_once(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    turned = {
        1: PHOTO,
        2: PHOTO[:, ::-1],
        3: PHOTO[::-1, ::-1],
        4: PHOTO[::-1],
        5: PHOTO.transpose(1, 0, 2),
        6: np.rot90(PHOTO, -1),
        7: PHOTO[::-1, ::-1].transpose(1, 0, 2),
        8: np.rot90(PHOTO),
    }[orientation]
    frame = decode(png(exif=exif.tobytes()))
    np.testing.assert_array_equal(frame.rgb, as_floats(np.ascontiguousarray(turned)))
    assert (f"orientation {orientation} applied" in frame.facts.steps) == (orientation > 1)


@pytest.mark.parametrize("name", ["PNG", "TIFF", "PPM"])
def test_sixteen_bit_grey_is_scaled_and_not_clipped(name: str) -> None:
    ramp = np.repeat(np.linspace(0, 65535, 128).astype(np.uint16)[None], 96, axis=0)
    frame = decode(saved(Image.fromarray(ramp), name))
    np.testing.assert_allclose(frame.rgb[0, :, 1], ramp[0] / 65535, atol=0.5 / 255 + 1e-6)
    assert frame.facts.bits == 16
    assert "16 bit scaled to 8" in frame.facts.steps
    np.testing.assert_array_equal(load(ramp).rgb, frame.rgb)


def test_sixteen_bit_colour_png_is_scaled() -> None:
    rows = [b"\0" + struct.pack(">HHH", 65535, 32896, 0) * 16 for _ in range(16)]
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 16, 2, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b"")
    frame = decode(b"\x89PNG\r\n\x1a\n" + header + body)
    np.testing.assert_allclose(frame.rgb[3, 3], [1, 128 / 255, 0], atol=1 / 255)
    assert frame.facts.steps == ("16 bit scaled to 8",)


def test_alpha_is_laid_over_the_declared_background() -> None:
    rgba = np.dstack([PHOTO, np.full(PHOTO.shape[:2], 0, np.uint8)])
    frame = decode(saved(Image.fromarray(rgba), "PNG"), Limits(background=200))
    np.testing.assert_allclose(frame.rgb, 200 / 255, atol=1e-6)
    assert frame.facts.steps == ("alpha over grey 200",)


def test_opaque_alpha_changes_nothing() -> None:
    rgba = np.dstack([PHOTO, np.full(PHOTO.shape[:2], 255, np.uint8)])
    frame = decode(saved(Image.fromarray(rgba), "PNG"))
    np.testing.assert_array_equal(frame.rgb, as_floats(PHOTO))


def test_palette_with_a_transparent_colour_shows_the_background() -> None:
    image = Image.new("P", (32, 32), 1)
    image.putpalette([0, 0, 0, 255, 0, 0])
    frame = decode(saved(image, "PNG", transparency=1))
    np.testing.assert_allclose(frame.rgb, 128 / 255, atol=1e-6)


def test_black_and_white_becomes_grey_levels() -> None:
    frame = decode(saved(Image.fromarray(PHOTO).convert("1"), "PNG"))
    assert set(np.unique(frame.rgb)) == {0.0, 1.0}
    assert "black and white widened to grey levels" in frame.facts.steps


@pytest.mark.parametrize("name", ["JPEG", "TIFF"])
def test_cmyk_without_profile_is_converted_and_noted(name: str) -> None:
    frame = decode(saved(Image.fromarray(PHOTO).convert("CMYK"), name))
    assert np.abs(frame.rgb - as_floats(PHOTO)).mean() < 0.03
    assert frame.facts.mode == "CMYK"
    assert any("CMYK" in step for step in frame.facts.steps)


def test_foreign_colour_profile_is_converted_to_srgb() -> None:
    grey = np.full((32, 32, 3), (200, 60, 60), np.uint8)
    lab_like = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    # The same curves under another name: the conversion runs and must change nothing much.
    renamed = lab_like.replace(
        "sRGB built-in".encode("utf-16-be"), "wide built-in".encode("utf-16-be")
    )
    frame = decode(saved(Image.fromarray(grey), "PNG", icc_profile=renamed))
    np.testing.assert_allclose(frame.rgb, as_floats(grey), atol=2 / 255)
    assert any("converted to sRGB" in step for step in frame.facts.steps)


def test_broken_colour_profile_is_ignored_and_noted() -> None:
    frame = decode(png(icc_profile=b"no profile at all"))
    np.testing.assert_array_equal(frame.rgb, as_floats(PHOTO))
    assert "unreadable colour profile ignored" in frame.facts.steps


def test_animation_gives_its_first_frame_with_a_note() -> None:
    frames = [Image.new("L", (40, 30), level) for level in (10, 120, 240)]
    data = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    frame = decode(data)
    assert frame.facts.frames == 3
    assert "first of 3 frames" in frame.facts.steps
    assert np.allclose(frame.rgb, 10 / 255, atol=2 / 255)


def test_float_tiff_is_refused_in_words() -> None:
    data = saved(Image.fromarray(np.ones((32, 32), np.float32)), "TIFF")
    assert refused(data).code == "iqa.intake.depth"


def test_heic_without_its_package_says_what_to_install() -> None:
    error = refused(b"\0\0\0\x18ftypheic" + bytes(200))
    assert error.code in ("iqa.intake.heic", "iqa.intake.broken")
    if error.code == "iqa.intake.heic":
        assert "pillow-heif" in error.hint


@pytest.mark.parametrize(
    ("data", "code", "word"),
    [
        (b"", "empty", "empty"),
        (b"just text", "format", "no picture"),
        (b'<?xml version="1.0"?><svg width="100000" height="100000"/>', "format", "SVG"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9", "format", "PostScript"),
        (b"%PDF-1.7\n", "format", "PDF"),
        (b"8BPS\0\1" + bytes(60), "format", "Photoshop"),
        (b"PK\3\4" + bytes(60), "format", "ZIP"),
        (b"\x89PNG\r\n\x1a\n", "broken", "PNG"),
        (b"\xff\xd8\xff\xe0" + bytes(40), "broken", "JPEG"),
        (b"GIF89a", "broken", "GIF"),
        (b"RIFF\x24\0\0\0WEBPVP8 " + bytes(24), "too_small", "0 × 0"),
    ],
)
def test_what_is_no_picture_is_named(data: bytes, code: str, word: str) -> None:
    error = refused(data)
    assert error.code == f"iqa.intake.{code}"
    assert word in error.message


@pytest.mark.parametrize("name", ["PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "PPM", "AVIF"])
@pytest.mark.parametrize("share", [0.3, 0.7, 0.97])
def test_truncated_files_are_refused(name: str, share: float) -> None:
    data = saved(Image.fromarray(PHOTO), name)
    assert refused(data[: int(len(data) * share)]).code == "iqa.intake.broken"


def test_flipped_bytes_never_do_more_than_raise_one_clear_error() -> None:
    for name in ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP"):
        good = bytearray(saved(Image.fromarray(PHOTO), name))
        for place in range(8, min(len(good), 1200), 37):
            data = bytearray(good)
            data[place] ^= 0xFF
            assert taken_or_refused(bytes(data)), (name, place)


@pytest.mark.parametrize(
    ("width", "height", "code"),
    [(60000, 60000, "too_large"), (17000, 20, "too_large"), (9000, 9000, "too_large")],
)
def test_claimed_sizes_are_refused_before_decoding(width: int, height: int, code: str) -> None:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    data = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", b"") + chunk(b"IEND", b"")
    assert refused(data).code == f"iqa.intake.{code}"


def test_thin_and_tiny_pictures_are_refused() -> None:
    assert refused(crafted_png(4000, 10)).code == "iqa.intake.aspect"
    assert refused(crafted_png(7, 7)).code == "iqa.intake.too_small"
    assert decode(crafted_png(8, 8)).rgb.shape == (8, 8, 3)


def test_decompression_bomb_is_refused_quickly() -> None:
    data = crafted_png(7900, 7900)
    start = time.perf_counter()
    assert refused(data).code == "iqa.intake.bomb"
    assert time.perf_counter() - start < 5


def test_webp_that_claims_a_huge_canvas_never_reaches_its_decoder() -> None:
    small = bytearray(saved(Image.fromarray(PHOTO), "WEBP", lossless=True))
    small[21:25] = ((16383 - 1) | (16383 - 1) << 14).to_bytes(4, "little")
    assert refused(bytes(small)).code == "iqa.intake.too_large"


def test_compressed_text_bomb_in_a_png_is_refused() -> None:
    text = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(200_000_000), 9))
    assert refused(crafted_png(64, 64, text)).code == "iqa.intake.broken"


def test_extension_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "picture.jpg"
    path.write_bytes(png())
    facts = load(path).facts
    assert facts.format == "PNG"
    assert facts.path == str(path)
    path.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    assert str(path) in refused(str(path)).message


def test_bad_paths_are_refused_in_words(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.png").code == "iqa.intake.missing"
    assert refused(tmp_path).code == "iqa.intake.directory"
    assert refused("http://localhost/x.png").code == "iqa.intake.address"
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    assert refused(pipe).code == "iqa.intake.special"
    assert refused("zero\0byte.png").code == "iqa.intake.unreadable"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_unreadable_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "locked.png"
    path.write_bytes(png())
    path.chmod(0)
    assert refused(path).code == "iqa.intake.permission"


def test_too_many_bytes_are_refused_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.png"
    with path.open("wb") as file:
        file.write(png())
        file.truncate(60_000_000)
    assert refused(path).code == "iqa.intake.file_size"
    assert refused(png(), Limits(file_bytes=100)).code == "iqa.intake.file_size"


@pytest.mark.parametrize(
    ("pixels", "code"),
    [
        (np.zeros((3, 64, 64), np.uint8), "shape"),
        (np.zeros((64,), np.uint8), "shape"),
        (np.zeros((64, 64), np.int32), "depth"),
        (np.full((64, 64), 255.0), "range"),
        (np.full((64, 64), np.nan), "range"),
        (np.zeros((4, 64), np.uint8), "too_small"),
    ],
)
def test_arrays_without_a_known_meaning_are_refused(pixels: np.ndarray, code: str) -> None:
    assert refused(pixels).code == f"iqa.intake.{code}"


def test_arrays_of_every_accepted_kind_agree() -> None:
    expected = as_floats(PHOTO)
    for pixels in (PHOTO, PHOTO.astype(np.uint16) * 257, PHOTO / 255, as_floats(PHOTO)):
        np.testing.assert_array_equal(load(pixels).rgb, expected)
    grey = PHOTO[..., 0]
    np.testing.assert_array_equal(load(grey).rgb[..., 2], as_floats(grey))
    opaque = np.dstack([PHOTO, np.full(grey.shape, 255, np.uint8)])
    np.testing.assert_array_equal(load(opaque).rgb, expected)


def test_pillow_image_gives_the_same_pixels_as_its_file() -> None:
    image = Image.fromarray(PHOTO).convert("P")
    assert load(image).facts.pixels_sha256 == decode(saved(image, "PNG")).facts.pixels_sha256


def test_unknown_sources_are_refused() -> None:
    assert refused(5).code == "iqa.intake.source"


def test_one_worker_serves_many_pictures_and_survives_bad_ones() -> None:
    decode(png())
    worker = shared_decoder()._process
    assert worker is not None
    for _ in range(5):
        refused(png()[:300])
        decode(png())
    assert shared_decoder()._process is worker


@pytest.fixture
def decoder() -> Iterator[Decoder]:
    with Decoder() as own:
        yield own


def test_killed_worker_costs_one_picture_at_most(decoder: Decoder) -> None:
    load(png(), decoder=decoder)
    worker = decoder._process
    assert worker is not None
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    np.testing.assert_array_equal(load(png(), decoder=decoder).rgb, as_floats(PHOTO))


def test_slow_decoding_is_ended() -> None:
    with Decoder(seconds=0.02) as slow, pytest.raises(UsageError) as caught:
        load(crafted_png(4000, 4000), Limits(ratio=1e9), decoder=slow)
    assert caught.value.code == "iqa.intake.time"


def test_decoding_that_needs_too_much_memory_is_refused() -> None:
    big = crafted_png(7000, 7000)
    with Decoder(memory_bytes=256 * 2**20) as small:
        with pytest.raises(UsageError) as caught:
            load(big, Limits(ratio=1e9), decoder=small)
        assert caught.value.code in ("iqa.intake.memory", "iqa.intake.broken")
        load(png(), decoder=small)


def test_worker_ends_with_its_parent(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(png())
    program = (
        "import os, sys\n"
        "from proveout.apps.iqa.decoder import shared_decoder\n"
        "from proveout.apps.iqa.intake import load\n"
        "load(sys.argv[1])\n"
        "print(shared_decoder()._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, check=False, timeout=60
    )
    worker = int(run.stdout)
    deadline = time.monotonic() + 10
    while Path(f"/proc/{worker}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{worker}").exists()


def test_twelve_megapixel_file_is_loaded_within_300_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "large.jpg"
    tiled = np.tile(PHOTO, (32, 32, 1))[:3000, :4000]
    path.write_bytes(saved(Image.fromarray(tiled), "JPEG", quality=90))
    program = (
        "import pathlib, sys\n"
        "from proveout.apps.iqa.decoder import shared_decoder\n"
        "from proveout.apps.iqa.intake import load\n"
        "assert load(sys.argv[1]).rgb.shape == (3000, 4000, 3)\n"
        "for who in ('self', shared_decoder()._process.pid):\n"
        "    status = pathlib.Path(f'/proc/{who}/status').read_text()\n"
        "    print(status.partition('VmHWM:')[2].split()[0])\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, check=True, timeout=100
    )
    own, decoder = map(int, run.stdout.split())
    assert own < 300 * 1024
    # The picture itself is 46 MB there, at four bytes a pixel.
    assert decoder < 130 * 1024
