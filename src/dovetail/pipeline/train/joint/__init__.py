"""Joint training: all layers at once, as one factorial CRF."""
