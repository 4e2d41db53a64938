"""HTTP: the only file that knows the client library. Another client is another version of this file.

An answer of any status is a value. Nothing is kept between requests but connections, so no cookie of one account
reaches another; a redirect is followed on the same host only, and is otherwise the answer.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import ssl
import zlib
from base64 import b64encode
from collections.abc import Awaitable, Callable, Hashable
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx
import tenacity
from attrs import evolve

from capacity.errors import NotFound, Refused, TimedOut, TooLarge, WireError
from capacity.ports import Document, Get, Reply, Retry, Secret, Send
from capacity.wire.deadline import Deadline, within
from capacity.wire.host import Host
from capacity.wire.redaction import Redaction, address

HOPS = 20
"""Redirects followed; the limit of the Fetch standard."""

GZIP = 16 + zlib.MAX_WBITS
"""What zlib calls the gzip form: the one encoding that is asked for, because it can be unpacked piece by piece."""

CHATTY = "httpcore.http11"
"""The logger that would say the headers of every answer."""

BROKEN = (httpx.HTTPError, httpx.InvalidURL, UnicodeError, zlib.error)
"""What stands for *no answer*. A host name too long for DNS is a `UnicodeError`."""


class Web:
    """One HTTP client, for the flows that run together.

    Args:
        host: gives the name requests go by, the clock, and what it kept.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        if host.tls is None:  # 25 ms of CPU each time, and the same for everybody
            host.tls = httpx.create_ssl_context(trust_env=host.trust_env)
        self._discreet = _Discreet()
        logging.getLogger(CHATTY).addFilter(self._discreet)
        no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
        # Time-outs are ours: the client's own count from one chunk to the next and never end a dripping body.
        self._client = httpx.AsyncClient(
            verify=host.tls,
            trust_env=host.trust_env,
            timeout=None,  # noqa: S113 - see above
            cookies=no_cookies,
            headers={"accept-encoding": "gzip"},
        )

    async def close(self) -> None:
        """Let go of every connection."""
        try:
            await self._client.aclose()
        finally:
            logging.getLogger(CHATTY).removeFilter(self._discreet)

    async def ask(self, effect: Get | Send, redaction: Redaction, deadline: Deadline) -> Reply:
        """Perform one request, again where it asks for that: its time is then for each attempt, the deadline for all.

        Raises:
            WireError: no answer; says why.
        """

        async def once() -> Reply:
            return await self._ask(effect, redaction)

        return await once() if effect.retry is None else await _repeated(once, effect.retry, deadline.left)

    async def _ask(self, effect: Get | Send, redaction: Redaction) -> Reply:
        asked = address(effect.url)
        key = _question(effect) if isinstance(effect, Get) and effect.keep else None
        kept = self._host.kept(key) if key is not None else None
        try:
            async with within(effect.timeout, asked, "whole answer"):
                reply = await self._exchange(self._request(effect, redaction, kept), effect.cap)
        except BROKEN as error:
            raise _fault(asked, error) from None
        if kept is not None and reply.status == httpx.codes.NOT_MODIFIED:
            reply = _renewed(kept, reply)
        if key is not None and reply.status == httpx.codes.OK and reply.document.header("etag"):
            self._host.keep(key, evolve(reply, unchanged=False))
        return reply

    def _request(self, effect: Get | Send, redaction: Redaction, kept: Reply | None) -> httpx.Request:
        url = httpx.URL(effect.url)
        # Built before a secret is opened: a body that is no JSON fails with nothing to show.
        request = self._client.build_request(_method(effect), url.copy_with(userinfo=b""), json=effect.body)
        headers = {"user-agent": self._host.agent}
        if kept is not None:
            headers["if-none-match"] = kept.document.header("etag") or ""
        if url.userinfo:
            headers["authorization"] = _basic(url, redaction)
        if effect.bearer:
            headers["authorization"] = f"Bearer {redaction.open(effect.bearer)}"
        headers |= {name.lower(): value.strip() for name, value in redaction.opened(effect.headers).items()}
        for name, value in headers.items():
            if not (value.isascii() and value.isprintable()):  # the client's own complaint would say the whole value
                raise Refused(address(effect.url), f"the header {name} holds a character that no header can carry")
        request.headers.update(headers)
        return request

    async def _exchange(self, request: httpx.Request, cap: int) -> Reply:
        for _ in range(HOPS):
            response = await self._client.send(request, stream=True)
            try:
                onward = response.next_request
                if onward is None or not _same_host(request.url, onward.url):
                    return self._reply(response, await _body(response, cap))
            finally:
                await response.aclose()
            request = onward
        raise Refused(address(str(request.url)), f"redirected more than {HOPS} times")

    def _reply(self, response: httpx.Response, body: bytes) -> Reply:
        at = self._host.clock.now()
        asked = response.request.url.raw_path.decode("ascii", "replace")
        headers = tuple(response.headers.multi_items())
        return Reply(Document(body, at, asked=asked, status=response.status_code, headers=headers), at)


def _question(effect: Get) -> Hashable:
    """What tells a question from every other: one answer is kept for each, and for each credential."""
    return effect.url, json.dumps(effect.body, sort_keys=True), effect.bearer, frozenset(effect.headers.items())


def _method(effect: Get | Send) -> str:
    """What is sent: a question with a body is posted, as no server expects one with a `GET`."""
    if isinstance(effect, Send):
        return effect.method
    return "GET" if effect.body is None else "POST"


class _Discreet(logging.Filter):
    """Leaves of the client's debug log what happened, and not with what content: servers repeat keys in headers."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = str(record.msg).partition(" ")[0]
        return True


async def _body(response: httpx.Response, cap: int) -> bytes:
    """The body, unpacked. Neither what arrives nor what it unpacks to is ever held beyond the cap."""
    packed = response.headers.get("content-encoding", "").strip().lower() in {"gzip", "x-gzip"}
    unpacking = zlib.decompressobj(GZIP) if packed else None
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += unpacking.decompress(chunk, cap - len(body) + 1) if unpacking else chunk
        if len(body) > cap:
            raise TooLarge(address(str(response.url)), f"the answer is larger than {cap} bytes")
    if unpacking and body and not unpacking.eof:
        raise zlib.error("the answer ends in the middle of its gzip stream")
    return bytes(body)


def _basic(url: httpx.URL, redaction: Redaction) -> str:
    """User and password of a URL as a header: left in the URL, the client's log would show them."""
    redaction.open(Secret(url.password))
    return "Basic " + redaction.open(Secret(b64encode(f"{url.username}:{url.password}".encode()).decode()))


def _same_host(old: httpx.URL, new: httpx.URL) -> bool:
    """Whether a redirect stays where it was: the same host and port, and never from TLS to none."""
    return (new.host, new.port) == (old.host, old.port) and new.scheme in {old.scheme, "https"}


def _renewed(kept: Reply, answer: Reply) -> Reply:
    """The kept answer, as true as of now; the headers that came with the 304 take the place of its own."""
    newer = {name for name, _ in answer.document.headers}
    headers = tuple(pair for pair in kept.document.headers if pair[0] not in newer) + answer.document.headers
    return Reply(evolve(kept.document, at=answer.at, headers=headers), answer.at, unchanged=True)


async def _repeated(once: Callable[[], Awaitable[Reply]], retry: Retry, left: float) -> Reply:
    """Ask until there is an answer worth having; the last one stands, whatever it is, when no time is left."""
    wait = retry.wait.total_seconds()
    growing = tenacity.wait_exponential(multiplier=wait) + tenacity.wait_random(0, wait)
    attempts = tenacity.AsyncRetrying(
        sleep=asyncio.sleep,
        stop=tenacity.stop_after_attempt(retry.attempts) | tenacity.stop_before_delay(left),
        wait=lambda state: max(growing(state), _asked_to_wait(state)),
        retry=tenacity.retry_if_exception_type((Refused, TimedOut, NotFound))
        | tenacity.retry_if_result(lambda reply: reply.status in retry.statuses),
        retry_error_callback=lambda state: state.outcome.result() if state.outcome else None,
    )
    reply: Reply = await attempts(once)
    return reply


def _asked_to_wait(state: tenacity.RetryCallState) -> float:
    """Seconds the answer asks to wait for (`Retry-After`: seconds or a date); 0 where it asks for nothing."""
    if state.outcome is None or state.outcome.failed:
        return 0.0
    reply: Reply = state.outcome.result()
    asked = reply.document.header("retry-after") or "0"
    try:
        return float(asked) if asked.isdecimal() else (parsedate_to_datetime(asked) - reply.at).total_seconds()
    except (ValueError, TypeError):
        return 0.0


def _fault(asked: str, error: Exception) -> WireError:
    """What went wrong, in the system's words where it said any: the client's are `All connection attempts failed`."""
    cause = _system_error(error) if isinstance(error, httpx.NetworkError) else None
    match cause:
        case socket.gaierror():
            return NotFound(asked, "no such host")
        case ssl.SSLCertVerificationError():
            return Refused(asked, f"its certificate is not trusted: {cause.verify_message}")
        case ssl.SSLError():
            return Refused(asked, f"no TLS: {cause.reason}")
        case OSError(errno=int(code)):
            return Refused(asked, os.strerror(code))
        case _:
            return Refused(asked, str(error) or "the connection broke")


def _system_error(error: BaseException | None) -> OSError | None:
    """The first error with a number behind an error; what lies behind that one may be our caller's."""
    while error is not None and not (isinstance(error, OSError) and error.errno is not None):
        error = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error.__cause__ or error.__context__
    return error
