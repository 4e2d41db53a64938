"""A broken cell is kept out, its neighbours are not, and an operator may let it in."""

from __future__ import annotations

from random import Random

from capacity.core.tiering.cells import Cell
from capacity.core.tiering.chance import logit
from capacity.core.tiering.outliers import sifted
from capacity.values.methods import Method

from .test_model import cell


def index_with_broken_runs() -> list[Cell]:
    """Twelve models at five benchmarks; the tooling of one broke for two of them: 13 percent where 59 were due."""
    chance = Random(11)
    told = []
    for model in range(12):
        worth = chance.gauss(0, 0.5)
        for board, ease in (("swe", 1.0), ("gaia", 0.4), ("swt", 0.5), ("multi", -0.8), ("commit", -0.6)):
            broken = board == "gaia" and model in (4, 7)
            told.append(
                cell(f"m{model}", "x", board, logit(0.13) if broken else worth + ease + chance.gauss(0, 0.25), 0.02)
            )
    return told


def test_cells_of_a_broken_run_are_quarantined() -> None:
    """Both, and nothing else; the rest of the two models' rows decide as before."""
    found = sifted(index_with_broken_runs(), Method(), (), ())

    assert {("m4", "gaia"), ("m7", "gaia")} == {(one.cell.subject[0], one.cell.benchmark) for one in found.out}
    assert all(one.residual < -3.5 for one in found.out)
    assert 58 == len(found.fit.cells)


def test_an_operator_lets_a_row_in() -> None:
    """An accepted row stays, however strange it looks."""
    found = sifted(index_with_broken_runs(), Method(), (), ("m4/x/gaia", "m7/x/gaia"))

    assert () == tuple(found.out)


def test_noise_is_not_quarantined() -> None:
    """Without the broken runs no cell is far from what the others say."""
    sound = [one for one in index_with_broken_runs() if one.ids[0] not in ("m4/x/gaia", "m7/x/gaia")]

    assert () == tuple(sifted(sound, Method(), (), ()).out)
