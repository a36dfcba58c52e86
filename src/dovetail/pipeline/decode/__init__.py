"""Labels of all layers over a corpus: one layer after another, or all jointly."""
