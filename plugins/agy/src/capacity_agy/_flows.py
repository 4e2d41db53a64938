"""What is asked of the command line, as flows: quota and models of one login. They await effects and do nothing else.

None of it needs a running agent, a terminal or a server of the program's own.
"""

from __future__ import annotations

from datetime import timedelta

from attrs import evolve, frozen
from capacity.errors import NotFound, WireError
from capacity.ports import Budget, Listing, Model, Read, Reading, Secret

from capacity_agy import _groups
from capacity_agy._cli import AS_JSON, COLD, Cli
from capacity_agy._listing import PRINTED, placed
from capacity_agy._login import FILE, FOLDER, PLAIN
from capacity_agy._reader import AgyReader
from capacity_agy._refusals import BUDGET
from capacity_agy._wire import tree

QUOTA, MODELS = ("--print", "/usage"), ("models",)
"""The commands. Neither is a turn of a model: they spend nothing."""

MODELS_BUDGET = Budget(
    floor=timedelta(minutes=10),
    usual=timedelta(hours=1),
    idle=timedelta(hours=1),
    deadline=COLD,
    slowest=timedelta(hours=6),
)
"""Lists change by the week. An hour between samples keeps a name that three of them lack in doubt for three hours."""


@frozen(kw_only=True)
class UsageProber:
    """Asks the command line how much of each quota group is left.

    Attributes:
        cli: the command line.
        budget: how often it may be asked.
    """

    cli: Cli
    budget: Budget = BUDGET

    async def account(self) -> str:
        """The login's fingerprint: a mark of whom its identity token was made for, else of what its token is renewed with.

        Raises:
            WireError: there is no token file, or it holds none; a keyring is not opened.
        """
        path = f"{self.cli.home or '~'}/{FOLDER}/{FILE}"
        secret = (await Read(path, secret=True, plain=PLAIN)).secret or Secret("")
        identity = secret.part("id_token")
        mark = Secret(str((identity and identity.claim("sub")) or "")) or secret.part("token", "refresh_token")
        if not mark:
            raise NotFound("account", f"{path} holds no login")
        return mark.fingerprint("agy")

    async def probe(self) -> tuple[Reading, ...]:
        """One reading for each group, or one for the account that says why there is none."""
        return AgyReader().readings(await self.cli.ask(*QUOTA)) or ()


@frozen(kw_only=True)
class ModelSource:
    """Asks the command line which models it takes, and which group serves them.

    Attributes:
        cli: the command line.
        budget: how often it may be asked.
    """

    cli: Cli
    budget: Budget = MODELS_BUDGET

    async def listings(self) -> tuple[Listing, ...]:
        """One listing; of authority `unknown` where there is no list."""
        doc = await self.cli.ask(*MODELS)
        told = AgyReader().listing(doc) or Listing(None, "unknown", PRINTED, doc.at)
        if not told.models or " ".join(AS_JSON) not in (doc.asked or ""):
            return (told,)  # only JSON describes its groups
        return (evolve(told, models=await self._placed(told.models)),)

    async def _placed(self, models: tuple[Model, ...]) -> tuple[Model, ...]:
        """The models under the groups whose descriptions name their families; as they were where nobody describes them."""
        try:
            doc = await self.cli.ask(*QUOTA)
        except WireError:
            return models
        return placed(models, _groups.served(tree(doc) or {}))
