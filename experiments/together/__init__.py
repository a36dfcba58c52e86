"""Do the gains of transfer and of representations add up?"""
