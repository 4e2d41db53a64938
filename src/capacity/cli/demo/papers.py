"""The demo's policy and the adopted set it names: what an operator decides. Every name of a model or tier is invented."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from string import Template

POLICY, ADOPTED = "policy.toml", "adopted.toml"

POLICY_TEXT = Template("""\
# What the operator of the demo wants. Models, tiers and logins are invented; the addresses are those of servers that
# ran inside the demo.
version = 1

[tiers]
names = ["high", "mid", "low"]           # best first
adopted = "adopted.toml"

[accounts.team]                          # a subscription most seats draw on
plugin = "claude"
kind = "subscription"
preference = 1
credentials = { file = "logins/team/.credentials.json" }
options = { base_url = "$team" }

[accounts.lab]                           # a second login, for the lab alone
plugin = "claude"
kind = "subscription"
preference = 1
credentials = { file = "logins/lab/.credentials.json" }
options = { base_url = "$lab" }

[accounts.purse]                         # prepaid money
plugin = "deepseek"
kind = "metered"
preference = 2
credentials = { file = "logins/purse.key" }
options = { base_url = "$purse" }

[accounts.rack]                          # a machine of our own
plugin = "llama-cpp"
kind = "local"
preference = 3
options = { base_url = "$rack" }

[harnesses.claude]
pools = ["team", "lab"]

[harnesses.opencode]
pools = ["purse", "rack"]

[fleets.crew]
actuator = "file"
mode = "enforce"                         # "shadow" would decide, and write nothing
options = { path = "fleet.json" }

[profiles.house]
egress = "lan"                           # nothing leaves the house

[pacing]
mode = "off"                             # nobody burns in this story; the second act is paced

[seats.default]
tier = "mid"
floor = "low"
pools = ["team", "purse", "rack"]

[seats.globs."lead-*"]
tier = "high"
floor = "mid"

[seats.globs."scribe-*"]
tier = "low"

[seats.globs."lab-*"]
pools = ["lab"]

[seats.globs."sweep-*"]
tier = "low"
pools = ["purse", "rack"]

[seats.globs."local-*"]
tier = "low"
profile = "house"
""")

CLAUDE_ROWS = """\
# Which model, in which harness, at which effort, belongs to which tier: adopted by a person, shipped by nobody.

[[rows]]
tier = "high"
harness = "claude"
model = "sample-large-2"
effort = "high"

[[rows]]
tier = "mid"
harness = "claude"
model = "sample-medium-3"
effort = "medium"

[[rows]]
tier = "low"
harness = "claude"
model = "sample-small-1"
effort = "low"
"""

LOCAL_ROW = """
[[rows]]
tier = "low"
harness = "opencode"
model = "sample-local-1"
"""

ADOPTED_TEXT = f"""{CLAUDE_ROWS}
[[rows]]
tier = "low"
harness = "opencode"
model = "sample-swift-4"

[[rows]]
tier = "low"
harness = "opencode"
model = "sample-swift-5"
{LOCAL_ROW}"""


def write_papers(folder: Path, addresses: Mapping[str, str]) -> Path:
    """Write both files; the policy's.

    Args:
        folder: where to.
        addresses: account → where its server listens.
    """
    (folder / ADOPTED).write_text(ADOPTED_TEXT, encoding="utf-8")
    policy = folder / POLICY
    policy.write_text(POLICY_TEXT.substitute(addresses), encoding="utf-8")
    return policy
