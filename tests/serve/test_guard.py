"""Only those may use the service who are meant to."""

from __future__ import annotations

from typing import Any

import pytest

from dovetail.errors import DataError

TOKEN = "a-secret-of-sixteen"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8000", 200),
        ("localhost", 200),
        ("LOCALHOST:80", 200),
        ("[::1]:8000", 200),
        ("192.168.1.7", 200),  # an address cannot be rebound
        ("tagger.example:443", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("evil.example@127.0.0.1", 403),
        ("[", 403),
        ("", 403),
    ],
)
def test_host(make_client: Any, host: str, status: int) -> None:
    client = make_client(hosts=["Tagger.example"])
    answer = client.get("/v1/models", headers={"Host": host})
    assert answer.status_code == status
    if status == 403:
        assert "--allow-host" in answer.json()["error"]


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1", 200),
        ("https://127.0.0.1", 200),
        ("http://127.0.0.1:9", 403),
        ("http://evil.example", 403),
        ("null", 403),
    ],
)
def test_origin(make_client: Any, origin: str, status: int) -> None:
    client = make_client()
    answer = client.post("/v1/tag", json={"text": "a"}, headers={"Origin": origin})
    assert answer.status_code == status
    assert "access-control-allow-origin" not in answer.headers


def test_token(make_client: Any) -> None:
    client = make_client(token=TOKEN)
    for path in ("/", "/page/page.js", "/healthz", "/openapi.json"):
        assert client.get(path).status_code == 200, path
    for wrong in (None, "", "Bearer", "Bearer x", f"Basic {TOKEN}", f"Bearer {TOKEN}x"):
        headers = {} if wrong is None else {"Authorization": wrong}
        for path in ("/v1/models", "/metrics", "/nothing"):
            answer = client.get(path, headers=headers)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert client.get("/v1/models", headers=headers).status_code == 200
    assert client.post("/v1/tag", json={"text": "a"}, headers=headers).status_code == 200


def test_tokens_that_will_do() -> None:
    from dovetail.serve.guard import check_token

    check_token(None, "127.0.0.1")
    check_token(None, "::1")
    check_token(None, "localhost")
    check_token(TOKEN, "0.0.0.0")
    for address in ("0.0.0.0", "::", "192.168.1.7", "example.org"):
        with pytest.raises(DataError, match="--token"):
            check_token(None, address)
    for token in ("", "short", "ä" * 20):
        with pytest.raises(DataError, match="easy to guess"):
            check_token(token, "127.0.0.1")
    with pytest.raises(DataError, match="white space"):
        check_token(f"{TOKEN}\n", "127.0.0.1")


def test_headers(make_client: Any) -> None:
    client = make_client()
    for path in ("/", "/page/page.js", "/v1/models", "/nothing"):
        policy = client.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
