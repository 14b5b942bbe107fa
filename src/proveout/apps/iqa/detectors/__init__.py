"""Detectors: one small module per family of faults; each measures, `judging` decides."""

from proveout.apps.iqa.detection import Detection
from proveout.apps.iqa.detectors.judging import judge
from proveout.apps.iqa.frame import Frame


def detect(frame: Frame) -> tuple[Detection, ...]:
    """Every distortion of the catalogue in its fixed order, most of them `none`."""
    return judge(frame).detections
