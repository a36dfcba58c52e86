"""Models over HTTP: the service that ``dovetail serve`` starts, and its page.

`dovetail.serve.app.make_app` is the service as an ASGI application. It needs Starlette,
uvicorn and httptools, which ``pip install dovetail[studio]`` brings.
"""
