# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in another precision, for tests that compare numbers."""

import re


def in_f64(text):
    """The text of IR with every f32 tensor and scalar an f64 one."""
    return re.sub(r"xf32\b|(?<=: )f32\b|(?<=tensor<)f32\b", lambda match: match[0].replace("32", "64"), text)
