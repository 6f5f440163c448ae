"""Progress: a bar where tqdm is installed, or a function of your own."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, Union

from ._errors import needed

__all__ = ["Progress", "shown"]

#: ``True`` for a bar, ``None`` for nothing, or a function of (stage, done, total); ``total`` is 0 where nobody knows.
Progress = Union[bool, None, Callable[[str, int, int], Any]]


@contextmanager
def shown(progress: Progress) -> Iterator[Optional[Callable[[str, int, int], Any]]]:
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        how = "pip install tqdm, or give a function of (stage, done, total)"
        bar = needed("tqdm.auto", "progress=True", how).tqdm(total=0, unit="step", leave=False)

        def tell(stage: str, done: int, total: int) -> None:
            if bar.desc != stage:
                bar.reset(total=total or None)
                bar.set_description_str(stage, refresh=False)
            bar.n = done
            bar.refresh()

        try:
            yield tell
        finally:
            bar.close()
