# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks drawings (SVG): nothing lies on a text, and the legend has every mark.

    check_svg.py FILE... [--texts TEXT...] [--absent TEXT...] [--marks NAME...]

A text must lie inside of its drawing and on no other text; no line may cross it. A shape outside of the legend must
have a name (attribute `class`), and the legend a shape of that name that looks the same. --texts: these occur in some
text, --absent: these in none, --marks: shapes of these names are drawn.
"""

import argparse
import itertools
import re
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
# Advance widths of the characters from the space to the tilde in DejaVu Sans and DejaVu Sans Bold, in thousandths of
# the size of the font. Other fonts without serifs are narrower.
PLAIN = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656,
    557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613,
    635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818,
    592, 592, 525, 636, 337, 636, 838]
BOLD = [
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696, 696, 696, 696,
    696, 696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775,
    637, 995, 837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500, 500, 675,
    716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595, 478, 712, 652, 924,
    645, 652, 582, 712, 365, 712, 838]
ASCENT, DESCENT = 0.76, 0.24
# Names of shapes that mean nothing by themselves.
UNNAMED = {"grid", "leader"}
# A rounding of coordinates.
SLACK = 0.5


def width_of(text, size, bold):
    widths = BOLD if bold else PLAIN
    return sum(widths[ord(c) - 32] if " " <= c <= "~" else 1000 for c in text) * size / 1000


def box_of(element):
    size, text = float(element.get("font-size", 11)), element.text or ""
    width = width_of(text, size, element.get("font-weight") == "bold")
    x, y = float(element.get("x")), float(element.get("y"))
    x -= {"middle": width / 2, "end": width}.get(element.get("text-anchor"), 0)
    return x, y - ASCENT * size, x + width, y + DESCENT * size


def numbers(text):
    return [float(number) for number in re.findall(r"-?[0-9.]+(?:e-?[0-9]+)?", text)]


def segments_of(element):
    """Pieces of a line; corners that are rounded count as sharp."""
    if element.tag == SVG + "line":
        points = [float(element.get(name)) for name in ("x1", "y1", "x2", "y2")]
    elif element.tag == SVG + "polyline":
        points = numbers(element.get("points"))
    else:
        points = numbers(element.get("d"))
    corners = list(zip(points[::2], points[1::2]))
    return list(zip(corners, corners[1:]))


def crosses(segment, box):
    """Whether a segment meets the inside of a box (Liang and Barsky)."""
    (x1, y1), (x2, y2) = segment
    low, high = 0.0, 1.0
    for start, step, least, most in ((x1, x2 - x1, box[0] + SLACK, box[2] - SLACK),
                                     (y1, y2 - y1, box[1] + SLACK, box[3] - SLACK)):
        if step == 0:
            if not least < start < most:
                return False
            continue
        first, last = sorted(((least - start) / step, (most - start) / step))
        low, high = max(low, first), min(high, last)
    return low < high


def look_of(element):
    """The attributes by which an eye tells marks apart; sizes may differ."""
    return tuple(element.get(name, "none") for name in ("fill", "stroke", "stroke-dasharray"))


def check(path, options):
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.tag == SVG + "svg", path
    width, height = float(root.get("width")), float(root.get("height"))
    legends = [group for group in root.iter(SVG + "g") if group.get("class") == "legend"]
    in_legend = {id(element) for group in legends for element in group.iter()}
    texts = [(element, box_of(element)) for element in root.iter(SVG + "text") if element.text]
    for element, box in texts:
        assert box[0] >= -SLACK and box[1] >= -SLACK and box[2] <= width + SLACK and box[3] <= height + SLACK, \
            "%s: text '%s' leaves the drawing of %g x %g: %s" % (path, element.text, width, height, box)
    for (one, a), (other, b) in itertools.combinations(texts, 2):
        assert min(a[2], b[2]) - max(a[0], b[0]) <= SLACK or min(a[3], b[3]) - max(a[1], b[1]) <= SLACK, \
            "%s: texts '%s' and '%s' lie on each other: %s, %s" % (path, one.text, other.text, a, b)
    drawn, explained = {}, {}
    for element in root.iter():
        if element.tag in (SVG + name for name in ("svg", "g", "text", "title")) or element.get("width") == "100%":
            continue
        name = element.get("class")
        assert name, "%s: a %s without a name: %s" % (path, element.tag[len(SVG):], element.attrib)
        if name not in UNNAMED:
            (explained if id(element) in in_legend else drawn).setdefault(name, set()).add(look_of(element))
        marker = element.tag == SVG + "path" and element.get("fill") != "none"
        if element.tag == SVG + "rect" or marker or name == "grid":
            continue
        if re.fullmatch("(link[0-9]+|otherLink)", name):  # below the boxes of the devices
            continue
        for segment in segments_of(element):
            for text, box in texts:
                assert not crosses(segment, box), "%s: a line '%s' crosses the text '%s'" % (path, name, text.text)
    for name, looks in drawn.items():
        assert name in explained, "%s: the legend has no '%s'; it has %s" % (path, name, sorted(explained))
        assert {look[0] for look in looks} <= {look[0] for look in explained[name]} and \
            {look[2] for look in looks} <= {look[2] for look in explained[name]}, \
            "%s: '%s' looks like %s, in the legend like %s" % (path, name, looks, explained[name])
    assert drawn or options.empty, "%s: nothing is drawn" % path
    assert any(element.get("class") == "title" for element, _ in texts), "%s: no title" % path
    for text in options.texts:
        assert any(text in element.text for element, _ in texts), "%s: no text '%s'" % (path, text)
    for text in options.absent:
        assert not any(text in element.text for element, _ in texts), "%s: a text '%s'" % (path, text)
    for name in options.marks:
        assert name in drawn, "%s: no mark '%s', only %s" % (path, name, sorted(drawn))


parser = argparse.ArgumentParser()
parser.add_argument("files", nargs="+")
parser.add_argument("--texts", nargs="*", default=[])
parser.add_argument("--absent", nargs="*", default=[])
parser.add_argument("--marks", nargs="*", default=[])
parser.add_argument("--empty", action="store_true", help="the drawing may be without any mark")
arguments = parser.parse_args()
for file in arguments.files:
    check(file, arguments)
