"""Effects: what a flow may ask of the world. Values only; nothing here does any I/O.

`await effect` yields the effect itself to whoever steps the flow and returns its reply, typed. Every reply carries
`at`, the instant it arrived: a flow's only clock. An answer of any kind is a value; no answer is a `WireError`.

A path may start with `~/` and hold `${NAME}` or `${NAME:-otherwise}`; the driver expands them.
"""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Mapping
from datetime import timedelta
from typing import Any, Generic, TypeVar

from attrs import field, frozen

from capacity.ports.document import DOCUMENT_CAP
from capacity.ports.replies import Child, Exit, File, Line, Paths, Pulse, Replaced, Reply
from capacity.ports.secret import Secret

R = TypeVar("R", covariant=True)
T = TypeVar("T")

TEN_SECONDS = timedelta(seconds=10)
"""What one answer may take unless the effect says otherwise; the deadline most usage endpoints are given."""


class Effect(Generic[R]):
    """One request to the world. Its reply is `R`."""

    __slots__ = ()

    def __await__(self) -> Generator[Effect[Any], Any, R]:
        reply: R = yield self
        return reply


Flow = Coroutine[Any, Any, T]
"""A coroutine that awaits effects and nothing else."""


@frozen
class Retry:
    """How often a request may be repeated. Only for requests that are safe to repeat.

    Attributes:
        attempts: at most, the first included.
        statuses: answers that are repeated; no answer at all is repeated too.
        wait: before the second attempt; doubled each time, with jitter.
    """

    attempts: int = 3
    statuses: frozenset[int] = frozenset({502, 503, 504})
    wait: timedelta = timedelta(milliseconds=200)


@frozen(kw_only=True)
class Get(Effect[Reply]):
    """Ask for a URL. No redirect is followed to another host.

    Attributes:
        url: the whole URL, without secrets.
        body: a question too long for a URL, which the service therefore takes as posted JSON. It is a question all the
            same: it changes nothing and may be asked again. None = an ordinary `GET`.
        headers: sent as they are; a secret value is opened by the driver.
        bearer: sent as `Authorization: Bearer …`.
        timeout: until the whole answer is in.
        cap: bytes the body may have.
        retry: None = asked once.
        keep: the host keeps the last good answer and its ETag; a 304 comes back as that answer, marked unchanged.
    """

    url: str = field(kw_only=False)
    body: Any = None
    headers: Mapping[str, str | Secret] = field(factory=dict)
    bearer: Secret | None = None
    timeout: timedelta = TEN_SECONDS
    cap: int = DOCUMENT_CAP
    retry: Retry | None = None
    keep: bool = False


@frozen(kw_only=True)
class Send(Effect[Reply]):
    """Send something to a URL. Never used by a probe.

    Attributes:
        method: `POST`, `PUT`, `PATCH` or `DELETE`.
        url: the whole URL, without secrets.
        body: sent as JSON; None = no body.
        headers: as for `Get`.
        bearer: as for `Get`.
        timeout: as for `Get`.
        cap: as for `Get`.
        retry: as for `Get`; None unless the request is idempotent.
    """

    method: str = field(kw_only=False)
    url: str = field(kw_only=False)
    body: Any = None
    headers: Mapping[str, str | Secret] = field(factory=dict)
    bearer: Secret | None = None
    timeout: timedelta = TEN_SECONDS
    cap: int = DOCUMENT_CAP
    retry: Retry | None = None


@frozen(kw_only=True)
class Run(Effect[Exit]):
    """Run a program to its end: no shell, own process group, standard input closed unless `stdin` is given.

    Attributes:
        argv: program and arguments.
        env: the child's whole environment besides PATH, HOME, LANG and TZ; a secret value is opened by the driver.
        cwd: working directory; None = a fresh empty one.
        stdin: what it is given; `b""` = nothing.
        timeout: until it has ended; then its group is killed.
        cap: bytes of output, each of the two.
        until: texts after which it will say nothing more, such as a prompt that waits for somebody: once it has said
            one of them it is ended, and what it has said is the answer.
    """

    argv: tuple[str, ...] = field(kw_only=False)
    env: Mapping[str, str | Secret] = field(factory=dict)
    cwd: str | None = None
    stdin: bytes = field(default=b"", repr=False)
    timeout: timedelta = TEN_SECONDS
    cap: int = DOCUMENT_CAP
    until: tuple[bytes, ...] = ()


@frozen(kw_only=True)
class Start(Effect[Child]):
    """Start a program to talk to. As `Run`, but its pipes stay open.

    Attributes:
        argv: program and arguments.
        env: as for `Run`.
        cwd: as for `Run`.
        cap: bytes it may say in all.
    """

    argv: tuple[str, ...] = field(kw_only=False)
    env: Mapping[str, str | Secret] = field(factory=dict)
    cwd: str | None = None
    cap: int = DOCUMENT_CAP


@frozen
class Say(Effect[Pulse]):
    """Write one line to a child.

    Attributes:
        child: which.
        line: without its newline.
        timeout: until the child's pipe took it.
    """

    child: Child
    line: str
    timeout: timedelta = TEN_SECONDS


@frozen
class Hear(Effect[Line]):
    """Wait for one line of a child.

    Attributes:
        child: which.
        timeout: until a whole line is there.
    """

    child: Child
    timeout: timedelta = TEN_SECONDS


@frozen(kw_only=True)
class Read(Effect[File]):
    """Read a file.

    Attributes:
        path: may hold `~/` and `${NAME}`.
        tail: only so many bytes from the end; None = all.
        secret: the text comes as a secret, the body masked.
        plain: keys whose strings are not masked in a secret file.
        cap: bytes the file may have where no tail is asked.
    """

    path: str = field(kw_only=False)
    tail: int | None = None
    secret: bool = False
    plain: frozenset[str] = frozenset()
    cap: int = DOCUMENT_CAP


@frozen
class List(Effect[Paths]):
    """Find files by a glob pattern.

    Attributes:
        pattern: may hold `~/`, `${NAME}`, `*` and `**`.
        most: at most so many.
    """

    pattern: str
    most: int = 1000


@frozen
class Replace(Effect[Replaced]):
    """Replace a file's content if it is still what it was; atomic, under an exclusive lock on `<path>.lock`.

    Attributes:
        path: may hold `~/` and `${NAME}`.
        content: the new bytes.
        was: digest of the content it replaces; None = the file must not exist.
    """

    path: str
    content: bytes = field(repr=lambda body: f"<{len(body)} bytes>")
    was: str | None


@frozen
class Env(Effect[Secret]):
    """Read an environment variable, as a secret without white space at its ends. A missing one is `NotFound`.

    Attributes:
        name: the variable.
    """

    name: str


@frozen
class Pause(Effect[Pulse]):
    """Let time pass on the host's clock. `Pause(timedelta(0))` tells the time.

    Attributes:
        span: how long.
    """

    span: timedelta


Key = Env | Read
"""What a policy's credentials reference becomes."""


async def key(reference: Key) -> Secret:
    """The secret behind a reference: the variable's text, or the file's, stripped of white space at its ends."""
    if isinstance(reference, Env):
        return await reference
    file = await reference
    return file.secret or Secret("")
