"""Weights of an earlier model, for another training to start from."""

from __future__ import annotations

import numpy as np

from dovetail.chain.model import ChainModel
from dovetail.chain.train.steps import Weights
from dovetail.chain.weights import Ints, weight_table
from dovetail.features import Dataset


def transfer_weights(
    model: ChainModel, data: Dataset, parameters: tuple[Ints, Ints, Ints], scale: Weights
) -> Weights:
    """Weights of an earlier model for a new training's parameters, matched by name.

    Features and labels that the earlier model did not have start at zero; those it had beyond the
    new data's are dropped.
    """
    feature, previous, label = parameters
    table = weight_table(model)
    labels = {name: number for number, name in enumerate(data.labels)}
    label_map = np.array([labels.get(name, -1) for name in model.labels] + [-1])
    features = {name: number for number, name in enumerate(data.native.feature_names())}
    feature_map = np.array([features.get(name, -1) for name in model.names] + [-1])
    old_feature, old_label = feature_map[table.feature], label_map[table.label]
    old_previous = label_map[table.previous]
    usable = (old_label >= 0) & ((table.previous < 0) | (old_previous >= 0))
    usable &= (table.feature < 0) | (old_feature >= 0)

    n = len(labels)

    def key(f: Ints, p: Ints, y: Ints) -> Ints:
        return ((f + 1) * (n + 1) + p + 1) * n + y

    new_keys = key(feature, previous, label)
    order = np.argsort(new_keys, kind="stable")
    old_keys = key(old_feature[usable], old_previous[usable], old_label[usable])
    place = np.searchsorted(new_keys[order], old_keys)
    place = np.minimum(place, len(order) - 1)
    hit = new_keys[order][place] == old_keys
    w = np.zeros(len(new_keys))
    w[order[place[hit]]] = table.weight[usable][hit]
    return w / scale
