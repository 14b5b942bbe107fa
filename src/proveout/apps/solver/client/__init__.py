"""A typed client of the company API and of the service that hands out and grades its tasks."""

from proveout.apps.solver.client.audit import CallRecord, Trail
from proveout.apps.solver.client.company import CompanyClient
from proveout.apps.solver.client.errors import (
    ApiError,
    Garbled,
    GaveUp,
    ListingOff,
    NotFound,
    PageTooLarge,
    Rejected,
    ServerFault,
    Throttled,
    Unreachable,
)
from proveout.apps.solver.client.lifecycle import API_ROOT, BenchmarkClient
from proveout.apps.solver.client.patience import Patience
from proveout.apps.solver.client.recording import RecordingTransport, ReplayTransport
from proveout.apps.solver.client.shop import DemoClient, StoreClient
from proveout.apps.solver.client.transport import Answer, HttpTransport, Transport

__all__ = [
    "API_ROOT",
    "Answer",
    "ApiError",
    "BenchmarkClient",
    "CallRecord",
    "CompanyClient",
    "DemoClient",
    "Garbled",
    "GaveUp",
    "HttpTransport",
    "ListingOff",
    "NotFound",
    "PageTooLarge",
    "Patience",
    "RecordingTransport",
    "Rejected",
    "ReplayTransport",
    "ServerFault",
    "StoreClient",
    "Throttled",
    "Trail",
    "Transport",
    "Unreachable",
]
