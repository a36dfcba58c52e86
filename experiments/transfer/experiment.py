"""Cases of transfer to tasks with little labelled text: does `auto` ever lose?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from experiments.common.auxiliary_taggers import load_news_taggers
from experiments.common.data_sets import DataSets
from experiments.common.experiment import Experiment, Say
from experiments.common.transfer_study import TransferCase, TransferStudy
from experiments.readers.crossner import DOMAINS
from experiments.transfer import addresses, crossner, references

DATA = ("crossner", "usaddress", "grobid")
SYSTEMS = ("none", "recalibrated", "cascade", "joint", "soft", "auto")
QUICK = ("CrossNER ai", "CrossNER politics", "usaddress streets", "GROBID affiliations")


@dataclass(frozen=True)
class TransferExperiment(Experiment):
    """All cases, or with ``quick`` some, without the largest size; their names begin with those of
    the data sets."""

    def studies(self, threads: int | None, say: Say | None = None) -> dict[str, TransferStudy]:
        """The cases by name."""
        data_sets = DataSets(self.data, self.n_sentences)
        kept, n = self.out, self.n_draws
        news = load_news_taggers(data_sets, kept, threads=threads, say=say)
        domains, mail, papers = (self.data / name for name in DATA)
        fine = addresses.fine_tagger(mail, kept, threads=threads, say=say)
        names = references.names_and_dates(papers, kept, threads=threads, say=say)
        made: dict[str, Callable[[], TransferCase]] = {}
        for domain in DOMAINS:
            folder = domains / domain
            made[f"CrossNER {domain}"] = partial(crossner.drawn_case, folder, news, n)
            made[f"CrossNER {domain}, official"] = partial(crossner.official_case, folder, news)
        made["usaddress streets"] = partial(addresses.whole_streets, mail, fine, n)
        made["usaddress maps"] = partial(addresses.maps, mail, fine, n)
        made["GROBID references"] = partial(references.references, papers, names, n)
        made["GROBID affiliations"] = partial(references.affiliations, papers, news, n)
        if self.quick:
            made = {name: partial(_without_largest, made[name]) for name in QUICK}
        return {name: TransferStudy(name, make, SYSTEMS) for name, make in made.items()}


def _without_largest(make: Callable[[], TransferCase]) -> TransferCase:
    case = make()
    return replace(case, sizes=case.sizes[:-1])
