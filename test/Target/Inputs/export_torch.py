#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's exporters make of a network with batch norm and dropout: export_torch.py [FOLDER].

Writes exported/folded.onnx (the older exporter, evaluation mode), folded-dynamo.onnx (the newer one, evaluation mode)
and training.onnx (the older one, training mode). Needs torch, onnx and onnxscript; the files are committed. Last
written with torch 2.15.0.
"""

import os
import sys

import onnx
import torch


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(3, 4, 3, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(4, momentum=0.01, eps=1e-3)
        self.conv2 = torch.nn.Conv2d(4, 4, 3)
        self.drop = torch.nn.Dropout(0.25)
        self.fc = torch.nn.Linear(4, 3)

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        return self.fc(self.drop(torch.relu(self.conv2(x)).mean((2, 3))))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "exported")
    os.makedirs(folder, exist_ok=True)
    torch.manual_seed(0)
    model, x = Network(), torch.randn(5, 3, 8, 8)
    older = {"dynamo": False, "opset_version": 17}
    torch.onnx.export(model.eval(), (x,), os.path.join(folder, "folded.onnx"), **older)
    newer = torch.onnx.export(model.eval(), (x,), dynamo=True).model_proto
    # Stack traces name files of the machine.
    for node in newer.graph.node:
        del node.metadata_props[:]
    onnx.save(newer, os.path.join(folder, "folded-dynamo.onnx"))
    torch.onnx.export(model.train(), (x,), os.path.join(folder, "training.onnx"), training=torch.onnx.TrainingMode.TRAINING,
                      do_constant_folding=False, **older)


if __name__ == "__main__":
    main()
