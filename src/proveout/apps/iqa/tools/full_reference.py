"""The full-reference metrics by name.

Each takes the reference and the test picture (height × width × 3, 0 to 1, same size, registered)
and gives its value and a map of the loss at its own scale. They agree with `piq` 0.8.0 to 1e-3;
where that package departs from a paper, the module of the metric says so.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.tools.dct import psnr_ha, psnr_hvs_m
from proveout.apps.iqa.tools.gradient import gmsd, mdsi, ms_gmsd
from proveout.apps.iqa.tools.haar import haarpsi
from proveout.apps.iqa.tools.phase import fsimc
from proveout.apps.iqa.tools.planes import Measured
from proveout.apps.iqa.tools.saliency import vsi
from proveout.apps.iqa.tools.ssim import ms_ssim, psnr, ssim
from proveout.apps.iqa.tools.vif import vifp

Metric = Callable[[Floats, Floats], Measured]

METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "PSNR": psnr,
        "PSNR-HVS-M": psnr_hvs_m,
        "PSNR-HA": psnr_ha,
        "SSIM": ssim,
        "MS-SSIM": ms_ssim,
        "GMSD": gmsd,
        "MS-GMSD": ms_gmsd,
        "FSIMc": fsimc,
        "VSI": vsi,
        "MDSI": mdsi,
        "HaarPSI": haarpsi,
        "VIFp": vifp,
    }
)
