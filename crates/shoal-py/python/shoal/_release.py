"""What comes back: verdicts and releases."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import Any, Iterable, Sequence, Union

from . import _native
from ._frames import Kind, as_given, own_copy
from ._intervals import with_intervals
from ._policy import Policy, PolicyLike
from ._progress import Progress, shown

__all__ = ["EarlierRelease", "Release", "Verdict", "given_releases"]


class Verdict:
    """What was found, and whether the promise holds. It is true where it holds: ``if shoal.verify(…): …``"""

    def __init__(self, holds: bool, found: dict[str, Any]):
        #: Whether the promise holds.
        self.holds = holds
        #: Everything that was found.
        self.found = found

    def __bool__(self) -> bool:
        return self.holds

    def __getitem__(self, key: str) -> Any:
        return self.found[key]

    def __repr__(self) -> str:
        return f"<{'holds' if self.holds else 'does not hold'}: {json.dumps(self.found, ensure_ascii=False)[:500]}>"


class Release:
    """Data that were anonymized, and the proof. Nobody gets one unless the promise was verified on its data."""

    def __init__(self, native: Any, policy: Policy, kind: Kind, ranges: str, previous: Sequence[EarlierRelease] = ()):
        self._native = native
        self._kind = kind
        self._ranges = ranges
        # Those in memory among the releases that this one was held against. Whoever applies this release's recoding must hold the result against all of them; the
        # native release has their audits, and the published data are here.
        self._previous = [release for release in previous if isinstance(release, Release)]
        #: The ``audit.json`` of the saved release, where it was saved.
        self._saved: Path | None = None
        self._frame: Any = None
        #: The policy.
        self.policy = policy
        #: What may be shown to others: what the published data show of the promise, losses and risks.
        self.report: dict[str, Any] = json.loads(native.report)

    @property
    def data(self) -> Any:
        """The published data, as a frame of the kind that was given: a copy at each access, so that what is changed there does not change what was verified.
        Rows are in an order that says nothing of the original's."""
        # Lists in a frame of pandas are not copied with it.
        if self._native.has_lists:
            return as_given(self._native, self._kind)
        if self._frame is None:
            frame = as_given(self._native, self._kind)
            self._frame = with_intervals(frame, self.policy) if self._ranges == "interval" else frame
        return own_copy(self._frame, self._kind)

    @property
    def audit(self) -> dict[str, Any]:
        """What must stay with you: exact figures, the key, the recoding."""
        return json.loads(self._native.audit)

    @property
    def leaks(self) -> list[str]:
        """What the promise does not cover, in plain words; also what only the original shows, which ``report`` does not say."""
        return self._native.leaks

    @property
    def loss(self) -> float:
        """The share of information that was lost (NCP, from 0 to 1)."""
        return self._native.loss

    def verify(self, original: Any = None, progress: Progress = None) -> Verdict:
        """Verifies the data once more; with the original also that they are true of it."""
        return _verbs.verify(self._native, self.policy, original, progress)

    def measure(self, original: Any, progress: Progress = None) -> dict[str, Any]:
        """What was lost, and what is still at risk."""
        return _verbs.measure(original, self._native, self.policy, progress)

    def attack(self, original: Any, progress: Progress = None, previous: Releases = ()) -> Verdict:
        """What somebody finds out who knows everybody's quasi-identifiers; it holds where no bound was beaten. ``previous`` are earlier
        releases of the same people, which the adversary has, too."""
        return _verbs.attack(original, self._native, self.policy, progress, previous)

    def apply(
        self,
        data: Any,
        *,
        policy: PolicyLike | None = None,
        previous: Releases = (),
        progress: Progress = None,
        ranges: str | None = None,
        allow_absent: bool = False,
        allow_total_loss: bool = False,
    ) -> Release:
        """The recoding of this release on new or grown data: :func:`shoal.apply`."""
        return _verbs.apply(
            self, data, policy=policy, previous=previous, progress=progress, ranges=ranges,
            allow_absent=allow_absent, allow_total_loss=allow_total_loss,
        )

    def explain(self, original: Any, progress: Progress = None, **about: Any) -> dict[str, Any]:
        """Why the data are as coarse as they are; ``row=3``, ``class_=2``, ``column="age"``, ``item="beer"`` or ``person="…"``."""
        return _verbs.explain(original, self._native, self.policy, progress, **about)

    def save(
        self,
        folder: str | os.PathLike[str],
        format: str | None = None,
        force: bool = False,
        progress: Progress = None,
    ) -> Path:
        """Writes ``data.csv`` (or ``.parquet``, where ``format`` says so or a column has lists), ``report.json`` and ``report.html``, which may be
        given to others, and files that only you may read: ``audit.json``, ``audit.html``, and ``policy.toml`` with its hierarchies, which name
        every value of the original.

        The data are read back and compared with what was verified before anything gets a name, and the report is about these bytes. The
        command line goes on from there: ``shoal verify data.csv``, ``shoal apply FOLDER new.csv``.
        """
        if format is None:
            format = "parquet" if self._native.has_lists else "csv"
        if format not in ("csv", "parquet"):
            raise ValueError(f'{format!r} is not a format of releases: give "csv" or "parquet"; others can be made of release.data')
        given, files = self.policy._saved(Path(folder), f"data.{format}")
        previous = [(release._native, release._saved) for release in self._previous]
        with shown(progress) as callback:
            path, audit = _native.save(self._native, given, f"data.{format}", files, previous, force, callback)
        self._saved = Path(audit)
        return Path(path)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The published data as an Arrow stream, without a copy."""
        return self._native.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._native)

    def __reduce__(self) -> Any:
        # It holds the key by which its people are recognized and who is in which class: what travels with a pickle unseen.
        raise TypeError("a release is not pickled, since it holds what must stay with you: use release.save(folder), or pickle release.data")

    def __repr__(self) -> str:
        promises = self.report.get("promises", [])
        said = "; ".join(f"{p.get('name')}: asked {p.get('asked')}, found {p.get('found')}" for p in promises)
        # From the edition for others: a notebook that is handed on holds this text.
        loss = self.report.get("loss", {}).get("ncp")
        lost = "" if loss is None else f", loss {100 * loss:.1f} %"
        return f"<shoal.Release: {len(self)} records{lost}, {said}>"

    def _repr_html_(self) -> str:
        # The page is a document of its own, with its style and script; in a frame it cannot touch the notebook, nor the notebook it.
        page = html.escape(self._native.report_page, quote=True)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width: 100%; height: 40em; border: 0"></iframe>'


#: An earlier release: one that is in memory, or the folder or the ``audit.json`` of one that was saved or that the command line has made.
EarlierRelease = Union[Release, str, "os.PathLike[str]"]
Releases = Union[EarlierRelease, Iterable[EarlierRelease]]


def given_releases(previous: Releases) -> list[EarlierRelease]:
    """Earlier releases as a list; one may be given by itself."""
    given = [previous] if isinstance(previous, (Release, str, os.PathLike)) else list(previous)
    for release in given:
        if not isinstance(release, (Release, str, os.PathLike)):
            raise TypeError(f"{type(release).__name__} is not a release: give what shoal.anonymize returned, or the folder that it was saved to")
    return given


def as_native(releases: Iterable[EarlierRelease]) -> list[Any]:
    return [
        (release._native, release._saved) if isinstance(release, Release) else os.fspath(release) for release in releases
    ]


from . import _verbs  # noqa: E402  (the verbs make releases, and releases have the verbs as methods)
