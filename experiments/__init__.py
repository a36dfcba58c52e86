"""Published experiments and our own, done again on data that can be had; not part of the wheel.

``python -m experiments.seminars --quick`` runs one of them: seminars, entities, domains and
chunking are those of papers, transfer, little and together our own. They use the public interface
of Dovetail alone.
"""
