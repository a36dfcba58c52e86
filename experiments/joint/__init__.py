"""When joint decoding, or a lattice, pays: strength of the lower tagger, amount of upper text,
domain."""
