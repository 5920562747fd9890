# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--measured`: a cluster and an executor as a user measured them."""

from .fit import Fitted, fit
from .read import Measurements, read_measurements

__all__ = ["Fitted", "Measurements", "fit", "read_measurements"]
