"""Figures of Sutton and McCallum (2005): F1 in per cent on entities of ACE (Table 4)."""

from __future__ import annotations

ENTITIES = {  # with a tenth of the training data; "place" is a geopolitical entity
    "none": {
        "person name": 81.0,
        "organisation name": 53.9,
        "place name": 78.5,
        "person nominal": 34.9,
        "organisation nominal": 33.7,
        "place nominal": 51.2,
    },
    "cascade": {
        "person name": 86.9,
        "organisation name": 62.6,
        "place name": 84.0,
        "person nominal": 36.1,
        "organisation nominal": 35.3,
        "place nominal": 54.1,
    },
    "joint": {
        "person name": 87.3,
        "organisation name": 61.1,
        "place name": 84.0,
        "person nominal": 42.4,
        "organisation nominal": 40.8,
        "place nominal": 59.2,
    },
}
