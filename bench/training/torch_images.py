# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The image networks of soap-translate --generate, by name and with the same sizes, as a PyTorch user writes them."""

import torch
from torch import nn


def chain(*layers):
    return nn.Sequential(*layers)


def lenet(sizes):
    features = 16 * (((sizes["image"] // 2) - 4) // 2) ** 2
    return chain(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(inplace=True),
                 nn.MaxPool2d(2), nn.Flatten(), nn.Linear(features, 120), nn.ReLU(inplace=True), nn.Linear(120, 84), nn.ReLU(inplace=True),
                 nn.Linear(84, sizes["classes"]))


def classifier(features, hidden, classes):
    return [nn.Flatten(), nn.Linear(features, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, hidden), nn.ReLU(inplace=True),
            nn.Linear(hidden, classes)]


def extent(size, kernel, stride, padding=0):
    return (size + 2 * padding - kernel) // stride + 1


def alexnet(sizes):
    of = lambda channels: max(channels // sizes["divide"], 1)
    size = extent(sizes["image"], 11, 4, 2)
    for _ in range(3):
        size = extent(size, 3, 2)
    layers = []
    for inputs, channels, kernel, stride, padding, pools in ((3, of(64), 11, 4, 2, True), (of(64), of(192), 5, 1, 2, True),
                                                             (of(192), of(384), 3, 1, 1, False), (of(384), of(256), 3, 1, 1, False),
                                                             (of(256), of(256), 3, 1, 1, True)):
        layers += [nn.Conv2d(inputs, channels, kernel, stride, padding), nn.ReLU(inplace=True)]
        layers += [nn.MaxPool2d(3, 2)] if pools else []
    return chain(*layers, *classifier(of(256) * size * size, of(4096), sizes["classes"]))


def vgg16(sizes):
    of = lambda channels: max(channels // sizes["divide"], 1)
    layers, inputs, size = [], 3, sizes["image"]
    for channels, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(count):
            layers += [nn.Conv2d(inputs, of(channels), 3, padding=1), nn.ReLU(inplace=True)]
            inputs = of(channels)
        layers.append(nn.MaxPool2d(2))
        size //= 2
    return chain(*layers, *classifier(inputs * size * size, of(4096), sizes["classes"]))


def normed(inputs, channels, kernel, stride=1, padding=0):
    return [nn.Conv2d(inputs, channels, kernel, stride, padding, bias=False), nn.BatchNorm2d(channels)]


class Average(nn.Module):
    def forward(self, x):
        return x.mean((2, 3))


class Bottleneck(nn.Module):
    def __init__(self, inputs, inner, outer, stride):
        super().__init__()
        self.shortcut = chain(*normed(inputs, outer, 1, stride)) if stride != 1 or inputs != outer else nn.Identity()
        self.inner = chain(*normed(inputs, inner, 1), nn.ReLU(inplace=True), *normed(inner, inner, 3, stride, 1), nn.ReLU(inplace=True),
                           *normed(inner, outer, 1))

    def forward(self, x):
        return torch.relu_(self.inner(x) + self.shortcut(x))


def resnet(sizes):
    inputs = sizes["width"]
    layers = normed(3, inputs, 7, 2, 3) + [nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    for stage in range(4):
        width = sizes["width"] << stage
        for i in range(sizes["stage%d" % (stage + 1)]):
            layers.append(Bottleneck(inputs, width * sizes["factor"], 4 * width, 2 if i == 0 and stage > 0 else 1))
            inputs = 4 * width
    return chain(*layers, Average(), nn.Linear(inputs, sizes["classes"]))


class Branches(nn.Module):
    """The results of all branches on the input, channels side by side."""

    def __init__(self, *branches):
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], 1)


class Inception:
    def __init__(self, divide):
        self.divide = divide

    def of(self, channels):
        return max(channels // self.divide, 1)

    def conv(self, inputs, channels, kernel, stride=1, padding=0):
        """`inputs` as they are, `channels` are divided."""
        return chain(*normed(inputs, self.of(channels), kernel, stride, padding), nn.ReLU(inplace=True))

    def line(self, inputs, *convs):
        layers = []
        for conv in convs:
            layers.append(self.conv(inputs, *conv))
            inputs = self.of(conv[0])
        return chain(*layers)

    def pooled(self, inputs, channels):
        return chain(nn.AvgPool2d(3, 1, 1), self.conv(inputs, channels, 1))

    def a(self, inputs, pool):
        return Branches(self.line(inputs, (64, 1)), self.line(inputs, (48, 1), (64, 5, 1, 2)),
                        self.line(inputs, (64, 1), (96, 3, 1, 1), (96, 3, 1, 1)), self.pooled(inputs, pool)), (64, 64, 96, pool)

    def b(self, inputs):
        return Branches(self.line(inputs, (384, 3, 2)), self.line(inputs, (64, 1), (96, 3, 1, 1), (96, 3, 2)), nn.MaxPool2d(3, 2)), (384, 96)

    def c(self, inputs, channels):
        row, column = ((1, 7), 1, (0, 3)), ((7, 1), 1, (3, 0))
        return Branches(self.line(inputs, (192, 1)), self.line(inputs, (channels, 1), (channels, *row), (192, *column)),
                        self.line(inputs, (channels, 1), (channels, *column), (channels, *row), (channels, *column), (192, *row)),
                        self.pooled(inputs, 192)), (192, 192, 192, 192)

    def d(self, inputs):
        return Branches(self.line(inputs, (192, 1), (320, 3, 2)),
                        self.line(inputs, (192, 1), (192, (1, 7), 1, (0, 3)), (192, (7, 1), 1, (3, 0)), (192, 3, 2)),
                        nn.MaxPool2d(3, 2)), (320, 192)

    def e(self, inputs):
        def split():
            return Branches(self.conv(self.of(384), 384, (1, 3), 1, (0, 1)), self.conv(self.of(384), 384, (3, 1), 1, (1, 0)))

        return Branches(self.line(inputs, (320, 1)), chain(self.line(inputs, (384, 1)), split()),
                        chain(self.line(inputs, (448, 1), (384, 3, 1, 1)), split()), self.pooled(inputs, 192)), (320, 384, 384, 384, 384, 192)

    def build(self, sizes):
        of = self.of
        layers = [self.line(3, (32, 3, 2), (32, 3), (64, 3, 1, 1)), nn.MaxPool2d(3, 2), self.line(of(64), (80, 1), (192, 3)), nn.MaxPool2d(3, 2)]
        inputs = of(192)

        def add(block, channels, kept=0):
            nonlocal inputs
            layers.append(block)
            inputs = sum(of(count) for count in channels) + kept

        for i in range(sizes["a-blocks"]):
            add(*self.a(inputs, 64 if i else 32))
        add(*self.b(inputs), kept=inputs)
        count = sizes["c-blocks"]
        for i in range(1, count + 1):
            add(*self.c(inputs, 128 if i == 1 else 160 if i < count else 192))
        add(*self.d(inputs), kept=inputs)
        for _ in range(sizes["e-blocks"]):
            add(*self.e(inputs))
        return chain(*layers, Average(), nn.Linear(inputs, sizes["classes"]))


def inception(sizes):
    return Inception(sizes["divide"]).build(sizes)


# Name: maker, channels of the image, sizes as soap-translate --list-models has them.
RESNET = {"image": 224, "classes": 1000, "width": 64, "factor": 1, "stage1": 3, "stage2": 4, "stage3": 23, "stage4": 3}
NETWORKS = {
    "lenet": (lenet, 1, {"image": 28, "classes": 10}),
    "alexnet": (alexnet, 3, {"image": 224, "classes": 1000, "divide": 1}),
    "vgg16": (vgg16, 3, {"image": 224, "classes": 1000, "divide": 1}),
    "inception-v3": (inception, 3, {"image": 299, "classes": 1000, "divide": 1, "a-blocks": 3, "c-blocks": 4, "e-blocks": 2}),
    "resnet-50": (resnet, 3, {**RESNET, "stage3": 6}),
    "resnet-101": (resnet, 3, RESNET),
    "wide-resnet": (resnet, 3, {**RESNET, "factor": 2}),
}
