# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The network of docs/tutorials/MLEngineer.md, and its export to ONNX.

    python3 examples/small_cnn.py DIR    writes DIR/small_cnn.onnx and DIR/small_cnn.names

Needs torch and onnx.
"""
import sys

import torch
from torch import nn


class SmallCNN(nn.Module):
    """Two convolutions with batch norm, dropout, and a classifier: 28 x 28 grey images in 10 classes."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2))
        self.dropout = nn.Dropout(0.25)
        self.classifier = nn.Linear(32 * 7 * 7, 10)

    def forward(self, images):
        return self.classifier(self.dropout(torch.flatten(self.features(images), 1)))


def export(model, images, folder):
    """The file keeps batch norm and dropout, and the names say what is trained."""
    torch.onnx.export(model.train(), (images,), f"{folder}/small_cnn.onnx", dynamo=False, input_names=["images"],
                      training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False)
    with open(f"{folder}/small_cnn.names", "w", encoding="utf-8") as names:
        names.write("\n".join(name for name, _ in model.named_parameters()) + "\n")


if __name__ == "__main__":
    torch.manual_seed(1)
    export(SmallCNN(), torch.randn(64, 1, 28, 28), sys.argv[1])
