"""Cases of transfer to tasks with little labelled text: does `auto` ever lose?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from dovetail.reproduce import addresses, crossner, references
from dovetail.reproduce.cases import Case, CaseStudy
from dovetail.reproduce.lower import Say, lower_taggers
from dovetail.reproduce.sources import Sources
from dovetail.reproduce.trials import Trial

DATA = ("crossner", "usaddress", "grobid")
SYSTEMS = ("none", "recalibrated", "cascade", "joint", "soft", "auto")
QUICK = ("CrossNER ai", "CrossNER politics", "usaddress streets", "GROBID affiliations")


@dataclass(frozen=True)
class SmallDataTrial(Trial):
    """All cases, or with ``quick`` some, without the largest size; their names begin with those of
    the data sets."""

    def studies(self, threads: int | None, say: Say | None = None) -> dict[str, CaseStudy]:
        """The cases by name."""
        sources = Sources(self.data, self.n_sentences)
        kept, n = self.out, self.n_draws
        news = lower_taggers(sources, kept, threads=threads, say=say)
        domains, mail, papers = (self.data / name for name in DATA)
        fine = addresses.fine_tagger(mail, kept, threads=threads, say=say)
        names = references.names_and_dates(papers, kept, threads=threads, say=say)
        made: dict[str, Callable[[], Case]] = {}
        for domain in crossner.DOMAINS:
            folder = domains / domain
            made[f"CrossNER {domain}"] = partial(crossner.drawn_case, folder, news, n)
            made[f"CrossNER {domain}, official"] = partial(crossner.official_case, folder, news)
        made["usaddress streets"] = partial(addresses.whole_streets, mail, fine, n)
        made["usaddress maps"] = partial(addresses.maps, mail, fine, n)
        made["GROBID references"] = partial(references.references, papers, names, n)
        made["GROBID affiliations"] = partial(references.affiliations, papers, news, n)
        if self.quick:
            made = {name: partial(_without_largest, made[name]) for name in QUICK}
        return {name: CaseStudy(name, make, SYSTEMS) for name, make in made.items()}


def _without_largest(make: Callable[[], Case]) -> Case:
    case = make()
    return replace(case, sizes=case.sizes[:-1])
