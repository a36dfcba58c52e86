"""Models over HTTP: the service that ``dovetail serve`` starts, and its page.

`dovetail.serve.app.make_app` is the service as an ASGI application. It needs Starlette, and the
command uvicorn, which ``pip install dovetail[studio]`` brings.
"""
