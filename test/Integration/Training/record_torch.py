#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records how PyTorch trains some networks, for recorded.py: its losses are right where Soap's are the same.

record_torch.py [--folder FOLDER] [--networks a,b]

resnet18, regnety and convnext have the blocks of timm's networks, with few channels; norms has batch norms of several
kinds; the others are an MLP whose result is not logits. Weights are random. FOLDER/NAME gets
- model.onnx: the network before the first iteration;
- x_train.npy, y_train.npy: the only batch;
- torch.npz: the loss of every iteration, before its update ('losses'), the learning rate ('rate'), and the running
  statistics of every norm after the last iteration, by name. Plain SGD on the mean of
  torch.nn.functional.cross_entropy.

Needs torch, timm, onnx and numpy, so it is in no suite; the files are committed. Last recorded with torch 2.15.0, timm
1.0.31.
"""

import argparse
import copy
import os

import numpy as np
import onnx
import onnx.numpy_helper
import timm.models.convnext
import timm.models.regnet
import timm.models.resnet
import torch

CLASSES, BATCH, ITERATIONS = 5, 8, 4
MODE = torch.onnx.TrainingMode


def resnet18():
    return timm.models.resnet.ResNet(timm.models.resnet.BasicBlock, [2, 2, 2, 2], num_classes=CLASSES, channels=(8, 16, 24, 32))


def regnety():
    config = timm.models.regnet.RegNetCfg(w0=8, wa=10.0, wm=2.0, group_size=4, depth=6, se_ratio=0.25, stem_width=8)
    model = timm.models.regnet.RegNet(config, num_classes=CLASSES)
    # Another momentum than the default of most frameworks.
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = 0.03
    return model


def convnext():
    return timm.models.convnext.ConvNeXt(num_classes=CLASSES, depths=(1, 1, 2, 1), dims=(8, 16, 24, 32), ls_init_value=0.1)


def mlp(*last):
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(192, 16), torch.nn.Tanh(), torch.nn.Linear(16, CLASSES), *last)


class Norms(torch.nn.Module):
    """A norm as usual, one that is frozen, and one without running statistics."""

    def __init__(self):
        super().__init__()
        self.conv1, self.norm1 = torch.nn.Conv2d(3, 8, 3, stride=2), torch.nn.BatchNorm2d(8)
        self.conv2, self.norm2 = torch.nn.Conv2d(8, 8, 3), torch.nn.BatchNorm2d(8)
        self.conv3, self.norm3 = torch.nn.Conv2d(8, 8, 3), torch.nn.BatchNorm2d(8, track_running_stats=False)
        self.fc = torch.nn.Linear(8, CLASSES)

    def train(self, mode=True):
        super().train(mode)
        self.norm2.eval()
        return self

    def forward(self, x):
        for conv, norm in ((self.conv1, self.norm1), (self.conv2, self.norm2), (self.conv3, self.norm3)):
            x = torch.relu(norm(conv(x)))
        return self.fc(x.mean((2, 3)))


def plain():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, stride=2, bias=False), torch.nn.BatchNorm2d(8, momentum=0.03), torch.nn.ReLU(),
        torch.nn.Conv2d(8, 8, 3, bias=False), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
        torch.nn.Linear(8, CLASSES))


# The network, the size of its images, the learning rate, and how it is exported: in training mode (norms have
# training_mode=1), in evaluation mode without folding (norms stay, with training_mode=0), or each module as it is;
# None: by the newer exporter, without its optimizer.
NETWORKS = {
    "resnet18": (resnet18, 64, 0.05, MODE.TRAINING),
    "regnety": (regnety, 64, 0.05, MODE.EVAL),
    "convnext": (convnext, 64, 0.05, MODE.TRAINING),
    "norms": (Norms, 16, 0.1, MODE.PRESERVE),
    "dynamo": (plain, 16, 0.1, None),
    "sigmoid": (lambda: mlp(torch.nn.Sigmoid()), 8, 0.5, MODE.TRAINING),
    "softmax": (lambda: mlp(torch.nn.Softmax(1)), 8, 0.5, MODE.TRAINING),
    "log-softmax": (lambda: mlp(torch.nn.LogSoftmax(1)), 8, 0.1, MODE.TRAINING),
}


def record(name, folder):
    make, size, rate, mode = NETWORKS[name]
    torch.manual_seed(1)
    model = make()
    # Biases, scales and statistics of a network that has trained a little: none is all zeros or all ones.
    for tensor in list(model.parameters()) + list(model.buffers()):
        if tensor.dtype == torch.float32 and tensor.dim() == 1:
            tensor.data += 0.1 * torch.rand_like(tensor)
    x = torch.randn(BATCH, 3, size, size)
    y = torch.arange(BATCH) % CLASSES
    os.makedirs(folder, exist_ok=True)
    np.save(os.path.join(folder, "x_train.npy"), x.numpy())
    np.save(os.path.join(folder, "y_train.npy"), y.numpy().astype(np.int32))

    # In training mode the exporter runs the network, which updates its statistics: training starts from the statistics
    # of the file.
    before = copy.deepcopy(model.state_dict())
    model.train(mode != MODE.EVAL)
    path = os.path.join(folder, "model.onnx")
    names = {"input_names": ["x"], "output_names": ["result"]}
    if mode is None:
        proto = torch.onnx.export(model, (x,), dynamo=True, optimize=False, **names).model_proto
        # Stack traces name files of the machine.
        for node in proto.graph.node:
            del node.metadata_props[:]
        onnx.save(proto, path)
    else:
        torch.onnx.export(model, (x,), path, dynamo=False, training=mode, do_constant_folding=False, opset_version=17, **names)
    for tensor in onnx.load(path).graph.initializer:
        if tensor.name in before:
            before[tensor.name] = torch.tensor(onnx.numpy_helper.to_array(tensor))
    model.load_state_dict(before)

    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    losses = []
    for _ in range(ITERATIONS):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    statistics = {key: value.numpy() for key, value in model.state_dict().items() if ".running_" in key and not torch.equal(value, before[key])}
    np.savez(os.path.join(folder, "torch.npz"), losses=np.array(losses), rate=np.array(rate), **statistics)
    print(name, sum(p.numel() for p in model.parameters()), "parameters, losses", losses)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "recorded"))
    parser.add_argument("--networks", default=",".join(NETWORKS))
    options = parser.parse_args()
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    for name in options.networks.split(","):
        record(name, os.path.join(options.folder, name))


if __name__ == "__main__":
    main()
