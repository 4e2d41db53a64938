"""`decide`, `explain` and `ticks`: decisions that were made, from a tick file or from the store. Nobody is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from attrs import evolve
from typer import Argument, Option

from capacity.cli.call import Call
from capacity.cli.documents import fill
from capacity.cli.exits import Code, UsageFault
from capacity.cli.turns import choice_text
from capacity.codec import dump_tick, dumps, load_tick
from capacity.codec.faults import nearest, quoted
from capacity.core.decide import decide as decide_
from capacity.core.explain import explain as explain_
from capacity.core.explain import seat_named
from capacity.engine.leasing import Leasing
from capacity.errors import CapacityError, NoSuch
from capacity.values.decision import Decision
from capacity.values.policy import Policy
from capacity.values.tick import Tick

TickFile = Annotated[Path, Argument(metavar="TICK.json", help="A tick file.")]


def decide(
    call: Call,
    file: TickFile,
    check: Annotated[bool, Option("--check", help="Only tell whether it is the decision in the file.")] = False,
) -> Code:
    """Decide a tick file again, and show what is decided."""
    tick = load_tick(file)
    try:
        made = decide_(tick.inventory, tick.headroom, tick.policy, tick.history)
    except CapacityError as error:
        raise UsageFault(f"{file}: {error}") from None
    again = evolve(tick, decision=made)
    if check:
        return _compared(call, file, tick, again)
    if call.json:
        call.answer(again.decision)
    else:
        call.screen.say(explain_(again).rstrip())
    return Code.FINE


def explain(
    call: Call,
    first: Annotated[
        str | None, Argument(metavar="TICK.json|SEAT", help="A tick file, else the last decision kept is meant.")
    ] = None,
    second: Annotated[str | None, Argument(metavar="SEAT", help="A seat, as `seat` or `fleet/seat`.")] = None,
    pool: Annotated[str | None, Option("--pool", metavar="POOL", help="Explain one pool.")] = None,
    kept: Annotated[str | None, Option("--tick", metavar="ID", help="Another decision that is kept.")] = None,
    session: Annotated[
        str | None, Option("--session", metavar="SESSION", help="Explain where a session's turns were placed.")
    ] = None,
) -> Code:
    """Explain a decision: one seat with every rule walked, one pool, the whole of it, or the choices for a session."""
    if session is not None:
        return _choices(call, session)
    file, seat = _told_apart(first, second)
    if file is not None and kept is not None:
        raise UsageFault("name a tick file or --tick, not both")
    tick = _kept(call, kept) if file is None else load_tick(file)
    if not call.json:
        call.screen.say(explain_(tick, seat=seat, pool=pool).rstrip())
        return Code.FINE
    decision = _decided(tick)
    if seat is not None:
        call.answer(seat_named(decision, seat))
    elif pool is not None:
        explain_(tick, pool=pool)  # refuses a name that is none of the tick's pools
        call.answer(tick.headroom.pools.get(pool))
    else:
        call.answer(decision)
    return Code.FINE


def ticks(call: Call) -> Code:
    """List the decisions that are kept, oldest first."""
    with call.engine(Policy()) as engine:
        kept = engine.ticks()
    if call.json:
        call.answer(list(kept))
    else:
        call.screen.say("\n".join(kept) or "no decision is kept yet; `capacity tick` makes one")
    return Code.FINE


def ticks_export(
    call: Call,
    ids: Annotated[list[str] | None, Argument(metavar="ID", help="Which; `capacity ticks` lists them.")] = None,
    last: Annotated[int, Option("--last", metavar="N", min=1, help="The newest so many, where none is named.")] = 1,
    to: Annotated[Path, Option("--to", metavar="FOLDER", help="Where the files go.")] = Path(),
) -> Code:
    """Write kept decisions as tick files, each with everything it was made from. With --json they are printed."""
    with call.engine(Policy()) as engine:
        wanted = ids or engine.ticks()[-last:]
        if not wanted:
            raise CapacityError("no decision is kept yet; `capacity tick` makes one")
        for id_ in wanted:
            body = dump_tick(engine.rebuild(id_))
            if call.json:
                call.screen.write(body)
            else:
                call.screen.say(f"wrote {_written(to, id_, body)}")
    return Code.FINE


def _choices(call: Call, session: str) -> Code:
    """The choices kept for a session, oldest first."""
    with call.open_store() as store:
        leasing = Leasing(store)
        found, known = leasing.choices(session), leasing.sessions()
    if not found:
        near = nearest(session, known)
        raise NoSuch(f"no choice is kept for session {quoted(session)}" + (f" ({near})" if near else ""))
    if call.json:
        call.answer(list(found))
    else:
        call.screen.say("\n".join(map(choice_text, found)))
    return Code.FINE


def _compared(call: Call, file: Path, tick: Tick, again: Tick) -> Code:
    if tick.decision is None:
        raise UsageFault(f"{file} holds no decision to compare with")
    same = dumps(again.decision) == dumps(tick.decision)
    if call.json:
        call.answer({"same": same})
    else:
        call.screen.say(f"{file}: {'the same decision' if same else 'another decision'}, made by {_makers(tick)}")
    return Code.FINE if same else Code.DIFFERS


def _makers(tick: Tick) -> str:
    return ", ".join(f"{name} {version}" for name, version in tick.made_by.items()) or "nobody who told"


def _told_apart(first: str | None, second: str | None) -> tuple[Path | None, str | None]:
    """A tick file and a seat: a first word that ends in `.json`, or names a file, or stands before a seat, is the file."""
    if first is None:
        return None, None
    is_file = second is not None or first.endswith(".json") or Path(first).is_file()
    return (Path(first), second) if is_file else (None, first)


def _kept(call: Call, id_: str | None) -> Tick:
    with call.engine(Policy()) as engine:
        ids = engine.ticks()
        if id_ is None and not ids:
            raise CapacityError("no decision is kept yet; `capacity tick` makes one, or name a tick file")
        return engine.rebuild(ids[-1] if id_ is None else id_)


def _decided(tick: Tick) -> Decision:
    return tick.decision or decide_(tick.inventory, tick.headroom, tick.policy, tick.history)


def _written(folder: Path, id_: str, body: bytes) -> Path:
    """Write one tick file. Its name has no colon, which some file systems refuse."""
    path = folder / f"{id_.replace(':', '')}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fill(path, body)
    except OSError as error:
        raise UsageFault(f"{path} cannot be written: {error.strerror}") from None
    return path
