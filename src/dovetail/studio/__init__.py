"""Labelling in the browser, with a model that learns meanwhile: what ``dovetail label`` starts.

`dovetail.studio.app.make_app` is the page and its interface as an ASGI application. It needs
Starlette, and the command uvicorn, which ``pip install dovetail[studio]`` brings.
"""
