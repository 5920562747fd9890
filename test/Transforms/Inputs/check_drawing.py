# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a drawing of a strategy: well-formed, all inside, with these texts, cells and devices.

check_svg.py checks what all drawings have in common."""

import argparse
import re
import xml.etree.ElementTree

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--cells", type=int, help="number of coloured cells of all ops")
parser.add_argument("--devices", type=int, help="number of colours among them")
parser.add_argument("--texts", nargs="*", default=[])
parser.add_argument("--absent", nargs="*", default=[])
options = parser.parse_args()

SVG = "{http://www.w3.org/2000/svg}"
root = xml.etree.ElementTree.parse(options.file).getroot()
assert root.tag == SVG + "svg"
width, height = float(root.get("width")), float(root.get("height"))
for rect in root.iter(SVG + "rect"):
    if rect.get("width") != "100%":
        x, y = float(rect.get("x")), float(rect.get("y"))
        assert 0 <= x and x + float(rect.get("width")) <= width + 0.01, (x, rect.get("width"), width)
        assert 0 <= y and y + float(rect.get("height")) <= height + 0.01, (y, rect.get("height"), height)
texts = [element.text for element in root.iter(SVG + "text") if element.text]
for text in options.texts:
    assert any(text in candidate for candidate in texts), "'%s' is not in %s" % (text, texts)
for text in options.absent:
    assert not any(text in candidate for candidate in texts), "'%s' is in the drawing" % text
boxes = [group for group in root.iter(SVG + "g") if group.get("class") != "legend"]
assert boxes
cells = []
corners = []
for box in boxes:
    assert box.find(SVG + "title").text
    # Of the op; the strip of its update stands below it.
    bottom = max(float(rect.get("y")) + float(rect.get("height")) for rect in box.iter(SVG + "rect") if rect.get("class") == "op")
    filled = [rect.get("fill") for rect in box.iter(SVG + "rect") if rect.get("fill") != "none" and float(rect.get("y")) < bottom]
    assert filled and all(re.fullmatch("#[0-9a-f]{6}", fill) for fill in filled)
    cells += filled
    outline = [rect for rect in box.iter(SVG + "rect") if rect.get("fill") == "none"][0]
    corners.append((outline.get("x"), outline.get("y")))
assert len(set(corners)) == len(corners), "two ops are at one place"
if options.cells is not None:
    assert len(cells) == options.cells, "%d cells" % len(cells)
if options.devices is not None:
    assert len(set(cells)) == options.devices, "%d colours" % len(set(cells))
