"""The model that usaddress ships, as a part of ours: see docs/howto/old-models.md."""
