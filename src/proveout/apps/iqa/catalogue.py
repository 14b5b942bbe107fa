"""Every distortion that can be reported: its name, its category, its unit, and words for people."""

from typing import NamedTuple

from proveout.apps.iqa.detection import Category


class Entry(NamedTuple):
    """One distortion of the catalogue."""

    category: Category
    family: str
    """Coarser than the name, finer than the category: what naming must get right at least."""
    unit: str
    """What `Detection.strength` counts."""
    words: str
    """How a sentence calls it."""


CATALOGUE: dict[str, Entry] = {
    "gaussian_blur": Entry("Blurs", "blur", "px", "blur"),
    "lens_blur": Entry("Blurs", "blur", "px", "defocus"),
    "motion_blur": Entry("Blurs", "blur", "px", "motion blur"),
    "upscaling": Entry("Blurs", "blur", "times", "enlargement from a smaller picture"),
    "white_noise": Entry("Noise", "noise", "grey levels", "noise"),
    "color_noise": Entry("Noise", "noise", "grey levels", "colour noise"),
    "correlated_noise": Entry("Noise", "noise", "grey levels", "coarse, blotchy noise"),
    "masked_noise": Entry("Noise", "noise", "grey levels", "noise in textured areas"),
    "high_frequency_noise": Entry("Noise", "noise", "grey levels", "fine, high-frequency noise"),
    "impulse_noise": Entry("Noise", "noise", "% of pixels", "salt-and-pepper noise"),
    "multiplicative_noise": Entry("Noise", "noise", "grey levels", "noise that grows with light"),
    "comfort_noise": Entry("Noise", "noise", "grey levels", "coded noise (comfort noise)"),
    "denoising": Entry("Noise", "smoothing", "px", "smearing by noise reduction"),
    "jpeg": Entry("Compression", "compression", "grey levels at block borders", "JPEG compression"),
    "jpeg2000": Entry("Compression", "compression", "px", "JPEG 2000 compression"),
    "webp": Entry("Compression", "compression", "px", "WebP compression"),
    "noisy_compression": Entry(
        "Compression", "compression", "grey levels", "compression of a noisy picture"
    ),
    "sparse_sampling": Entry(
        "Compression", "compression", "px", "reconstruction from too few samples"
    ),
    "jpeg_transmission": Entry(
        "Compression", "transmission", "% of blocks", "transmission errors in a JPEG stream"
    ),
    "jpeg2000_transmission": Entry(
        "Compression", "transmission", "% of blocks", "transmission errors in a JPEG 2000 stream"
    ),
    "ringing": Entry("Compression", "compression", "grey levels", "ringing beside edges"),
    "oversharpening": Entry("Sharpness", "sharpening", "times", "over-sharpening"),
    "overexposure": Entry("Brightness change", "light", "% of pixels", "over-exposure"),
    "underexposure": Entry("Brightness change", "light", "% of pixels", "under-exposure"),
    "clipping": Entry("Brightness change", "light", "% of pixels", "clipped tones"),
    "mean_shift": Entry("Brightness change", "light", "grey levels", "a shift in brightness"),
    "vignetting": Entry("Brightness change", "light", "%", "darkened corners"),
    "contrast_change": Entry("Contrast", "contrast", "grey levels", "wrong contrast"),
    "low_contrast": Entry("Contrast", "contrast", "grey levels", "low contrast"),
    "haze": Entry("Contrast", "contrast", "%", "haze"),
    "color_cast": Entry("Color distortions", "colour", "Lab units", "a colour cast"),
    "oversaturation": Entry("Color distortions", "colour", "Lab units", "over-saturated colours"),
    "undersaturation": Entry("Color distortions", "colour", "Lab units", "washed-out colours"),
    "saturation_change": Entry("Color distortions", "colour", "Lab units", "wrong saturation"),
    "color_diffusion": Entry("Color distortions", "colour", "Lab units", "colours that spread"),
    "color_quantization": Entry("Color distortions", "quantization", "colours", "too few colours"),
    "chromatic_aberration": Entry("Color distortions", "fringes", "px", "coloured fringes"),
    "quantization": Entry("Spatial distortions", "quantization", "grey levels", "banding"),
    "pixelation": Entry("Spatial distortions", "spatial", "px", "pixelation"),
    "jitter": Entry("Spatial distortions", "spatial", "px", "jitter"),
    "patches": Entry("Spatial distortions", "local", "% of pixels", "displaced patches"),
    "local_blocks": Entry("Spatial distortions", "local", "% of pixels", "blocks of one colour"),
    "moire": Entry("Spatial distortions", "spatial", "times", "moiré"),
    "interlacing": Entry("Spatial distortions", "spatial", "times", "interlacing combs"),
    "flat": Entry("Spatial distortions", "spatial", "% of pixels", "an empty or damaged picture"),
}
"""In the fixed order in which `detect` reports."""

TID2013 = (
    "white_noise", "color_noise", "correlated_noise", "masked_noise", "high_frequency_noise",
    "impulse_noise", "quantization", "gaussian_blur", "denoising", "jpeg", "jpeg2000",
    "jpeg_transmission", "jpeg2000_transmission", "patches", "local_blocks", "mean_shift",
    "contrast_change", "saturation_change", "multiplicative_noise", "comfort_noise",
    "noisy_compression", "color_quantization", "chromatic_aberration", "sparse_sampling",
)  # fmt: skip
"""Our names for the 24 distortion types of TID2013, in its order."""
