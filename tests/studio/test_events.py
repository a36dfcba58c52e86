"""What is new reaches the pages of the annotator whom it is about, from any thread."""

from __future__ import annotations

import asyncio
from threading import Thread

from dovetail.studio.events import Events


def test_pages_hear_what_is_new_for_their_annotator() -> None:
    async def listen(events: Events, annotator: str) -> list[str]:
        return [line async for line in events.lines(annotator)]

    async def run() -> tuple[list[str], list[str]]:
        events = Events()
        events.start()
        pages = [asyncio.create_task(listen(events, who)) for who in ("Ada", "Bo")]
        await asyncio.sleep(0)
        telling = Thread(target=events.tell, args=("Ada", {"version": 1}))
        telling.start()
        await asyncio.to_thread(telling.join)
        events.stop()
        events.tell("Ada", {"version": 2})  # nobody is there any more
        ada, bo = await asyncio.gather(*pages)
        return ada, bo

    ada, bo = asyncio.run(run())
    assert ada == [": welcome\n\n", 'event: model\ndata: {"version": 1}\n\n']
    assert bo == [": welcome\n\n"]
