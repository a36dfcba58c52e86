"""Figures of He, Wang, Dong, Zhang and Bai (2009), on Chinese Treebank 5: precision, recall, F1."""

AUXILIARY = {
    "linear": (64.26, 53.05, 58.12),
    "ASO 1": (64.17, 53.95, 58.62),
    "ASO 2": (64.22, 53.96, 58.65),
    "ASO 3": (64.20, 54.10, 58.72),
    "ASO 4": (64.19, 54.15, 58.74),
    "ASO 5": (64.25, 54.65, 59.06),
    "ASO 6": (64.20, 54.89, 59.18),
    "ASO 7": (64.19, 54.98, 59.23),
}
"""Table 3."""

COMBINED = {
    "linear": (64.26, 53.05, 58.12),
    "SVM": (85.68, 86.47, 86.07),
    "ASO 7": (64.19, 54.98, 59.23),
    "CRF": (92.41, 93.67, 93.04),
    "CRF + linear, gold": (91.15, 92.36, 91.75),
    "CRF + SVM, gold": (92.26, 93.32, 92.79),
    "CRF + ASO, gold": (92.21, 94.70, 93.43),
}
"""Table 4."""

COVERAGE = {"CRF": 93.67, "CRF, linear": 93.74, "CRF, SVM": 93.95, "CRF, ASO 7": 96.33}
"""Table 5: of groups of models."""

ERROR_REDUCTION = 5.72
