"""The way in: models, interfaces and data of other tools."""

from dovetail.interop.export import export_model
from dovetail.interop.models import import_model

__all__ = ["export_model", "import_model"]
