"""How the studio learns while somebody labels: models, what to ask next, and how far one is."""
