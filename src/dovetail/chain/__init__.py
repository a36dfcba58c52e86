"""One linear-chain CRF: objective, trainers, inference."""
