"""Write the demo's news: made-up sentences with names of persons, organisations, places and others.

As in the announcements (see make_demo_corpus.py), sentences are frames with slots, and a slot in
capitals is labelled with its name up to the first underscore. Names are meant to be hard as in real
news: some are a person's here and a place's there, firms and halls are called after people, clubs
after their towns. Titles such as "Dr." are no part of a name. Most given names of the announcements
occur here, a few of their family names and towns, and none of their rooms, buildings and titles.

    python tools/make_demo_news.py [FOLDER]
"""

from __future__ import annotations

import sys
from datetime import date, timedelta
from pathlib import Path

from demo_news_words import (
    BODIES,
    CITIES,
    CLUBS,
    EVENTS,
    FAMILY,
    FIRMS,
    FRAMES,
    GIVEN,
    HEADLINES,
    LANDS,
    PEOPLES,
    PERSON_OR_PLACE,
    PRIZES,
    SCHOOLS,
    SECTIONS,
    SITES,
    THINGS,
    WORK_BEGINNINGS,
    WORK_ENDINGS,
)
from make_demo_corpus import (
    DAYS,
    FOLDER,
    MONTHS,
    Draw,
    Facts,
    calendar_day,
    fill,
    labelled_tokens,
    plain_text,
    workday,
)

SENTENCES = 600


def named_after(draw: Draw, patterns: list[str]) -> str:
    """A name that may contain those of people and places."""
    return draw.any(patterns).format(
        family=draw.any(FAMILY),
        family_2=draw.any(FAMILY),
        city=draw.any(CITIES),
        thing=draw.any(THINGS),
        land=draw.any(LANDS),
    )


def full_name(draw: Draw, family: str) -> str:
    middle = f"{draw.any('ABCDEFGHJKLMPRST')}. " if draw.chance(0.08) else ""
    return f"{draw.any(GIVEN)} {middle}{family}"


def facts_of_sentence(draw: Draw) -> Facts:
    """The values that the slots of a sentence can take."""
    day = workday(date(2023, 1, 2) + timedelta(draw.number(0, 360)))
    families = [draw.any(FAMILY) for _ in range(3)]
    cities = [draw.any(CITIES) for _ in range(2)]
    lands = [draw.any(LANDS) for _ in range(2)]
    times = [f"{draw.number(7, 11)} am", f"{draw.number(1, 9)}:{draw.any(['15', '30', '45'])} pm"]
    return {
        "PER": [full_name(draw, families[0])],
        "PER_2": [full_name(draw, families[1])],
        "PER_3": [full_name(draw, families[2])],
        "PER_LAST": families[:1],
        "PER_LAST_2": families[1:2],
        "PER_INITIAL": [f"{draw.any('ABCDEFGHJKLMPRST')}. {families[0]}"],
        "PER_INITIAL_2": [f"{draw.any('ABCDEFGHJKLMPRST')}. {families[1]}"],
        "PER_DOUBTFUL": [draw.any(PERSON_OR_PLACE)],
        "LOC_DOUBTFUL": [draw.any(PERSON_OR_PLACE)],
        "LOC": [cities[0], lands[0]],
        "LOC_CITY": cities[:1],
        "LOC_CITY_2": cities[1:],
        "LOC_UPPER": [cities[0].upper()],
        "LOC_LAND": lands[:1],
        "LOC_LAND_2": lands[1:],
        "LOC_SITE": [named_after(draw, SITES)],
        "LOC_SITE_2": [named_after(draw, SITES)],
        "ORG": [named_after(draw, FIRMS), named_after(draw, BODIES), named_after(draw, SCHOOLS)],
        "ORG_FIRM": [named_after(draw, FIRMS)],
        "ORG_FIRM_2": [named_after(draw, FIRMS)],
        "ORG_BODY": [named_after(draw, BODIES)],
        "ORG_SCHOOL": [named_after(draw, SCHOOLS)],
        "ORG_CLUB": [named_after(draw, CLUBS)],
        "ORG_CLUB_2": [named_after(draw, CLUBS)],
        "MISC_FOLK": [draw.any(PEOPLES)],
        "MISC_EVENT": [named_after(draw, EVENTS)],
        "MISC_PRIZE": [named_after(draw, PRIZES)],
        "MISC_WORK": [f"{draw.any(WORK_BEGINNINGS)} {draw.any(WORK_ENDINGS)}"],
        "MISC_WORK_2": [f"{draw.any(WORK_BEGINNINGS)} {draw.any(WORK_ENDINGS)}"],
        "quoted": ['"{MISC_WORK}"'] * 3 + ["“{MISC_WORK}”"],
        "headline": [draw.any(HEADLINES)],
        "section": [draw.any(SECTIONS)],
        "date": [calendar_day(day, draw.number(0, 8))],
        "day": [draw.any(DAYS)],
        "month": [draw.any(MONTHS)],
        "year": [str(draw.number(1990, 2005))],
        "year_2": [str(draw.number(2006, 2024))],
        "time": [draw.any(times)],
        "time_2": [draw.any(times)],
        "small": [str(draw.number(2, 9))],
        "small_2": [str(draw.number(2, 9))],
        "number": [str(draw.number(10, 95))],
    }


def sentences(draw: Draw, count: int) -> list[list[tuple[str, str]]]:
    """So many different sentences, as tokens with their labels: each frame as often as others."""
    chosen: dict[str, list[tuple[str, str]]] = {}
    while len(chosen) < count:
        for frame in sorted(FRAMES, key=lambda _: draw.number(0, 999_999)):
            line = list(fill(frame, facts_of_sentence(draw), draw))
            chosen[plain_text(line)] = labelled_tokens(line)
    return list(chosen.values())[:count]


def main(folder: Path) -> None:
    blocks = (
        "".join(f"{word}\t{label}\n" for word, label in sentence)
        for sentence in sentences(Draw(4, 0.0), SENTENCES)
    )
    (folder / "news.conll").write_text("\n".join(blocks), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
