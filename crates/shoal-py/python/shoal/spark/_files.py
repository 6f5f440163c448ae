"""The folder of a release: written under another name beside it, and named when everything is right."""

from __future__ import annotations

import os
import re
import uuid
import warnings
from typing import Any, Iterable, Iterator
from urllib.parse import unquote, urlsplit

from ._errors import broken, new_error

__all__ = ["Folder", "files_read", "lies_in", "plain_names"]

#: What Hadoop reads as a pattern in a name.
_PATTERN = set("[]{}*?\\")
#: The names in a folder that was published.
_OURS = re.compile(r"part-[0-9]{5}(\.[a-z0-9]+)?\.parquet|_SUCCESS|_groups\.csv")


class Folder:
    """Through Hadoop's interface, so that it works wherever Spark writes."""

    def __init__(self, frame: Any, output: str, overwrite: bool):
        spark = frame.sparkSession
        if not hasattr(spark, "_jvm"):
            raise new_error("Spark Connect does not let a program name folders", "use a classic session: spark-submit, or SparkSession.builder.master(…)")
        self._spark = spark
        self._new_path = spark._jvm.org.apache.hadoop.fs.Path
        self.output, self._overwrite = output.rstrip("/"), overwrite
        self._path = self._new_path(self.output)
        self._fs = self._path.getFileSystem(spark._jsc.hadoopConfiguration())
        whole = self._fs.makeQualified(self._path).toString()
        # What was written is read again by its name, when all the work is done.
        if pattern := sorted(set(whole) & _PATTERN):
            raise new_error(f"`{whole}` has {' '.join(pattern)}, which Spark takes for a pattern of names", "give a name, in a folder, without [ ] { } * ? and \\")
        if self._fs.exists(self._path):
            if not overwrite:
                raise new_error(f"`{output}` exists already", "give another name, or overwrite=True")
            # It would be deleted with the release in its place, and the release is all that would be left of the data.
            read = [self._resolved(self._new_path(spark._jvm.java.net.URI(folder))) for folder in _folders_of(files_read(frame))]
            if lies_in(self._resolved(self._path), read):
                raise new_error(f"the data are read from `{output}`, which would be replaced", "give another name")
            self._refuse_to_replace_others()
        #: Where files are written until they are verified.
        self.staged = f"{self.output}.unverified-{uuid.uuid4().hex}"
        #: What a proof needs beside them. It is never published.
        self.beside = f"{self.staged}.proof"

    def write(self, name: str, text: str) -> None:
        """Writes a file beside the others."""
        out = self._fs.create(self._new_path(self.staged, name))
        out.write(bytearray(text.encode()))
        out.close()

    def read(self, name: str) -> str:
        """Reads such a file again."""
        path = self._new_path(self.staged, name)
        source = self._fs.open(path)
        try:
            return bytes(source.readAllBytes()).decode()
        finally:
            source.close()

    def publish(self, rows: int) -> None:
        """The files get names that say nothing of this run, the folder its own name, and at the very end ``_SUCCESS``. ``rows`` are in the files that were verified, and must
        be in them under their new names."""
        self._delete(self.beside, "what was needed for the proof, which is not to be published,")
        staged = self._new_path(self.staged)
        names = sorted(status.getPath().getName() for status in self._fs.listStatus(staged) if status.getPath().getName().startswith("part-"))
        plain = plain_names(names)
        for name in names:
            target = self._new_path(staged, plain[name])
            # A local file system would replace it without a word.
            if self._fs.exists(target):
                raise broken(f"two of the written files would be named `{plain[name]}`")
            self._rename(self._new_path(staged, name), target)
        if (found := self._count()) != rows:
            raise broken(f"{rows} rows were verified, and under their new names the files have {found}")
        replaced = f"{self.output}.replaced-{uuid.uuid4().hex}"
        exists = self._fs.exists(self._path)
        if exists:
            if not self._overwrite:
                raise new_error(f"`{self.output}` exists by now", "give another name, or overwrite=True")
            self._refuse_to_replace_others()
        try:
            if exists:
                self._rename(self._path, self._new_path(replaced))
            self._rename(staged, self._path)
            self._fs.create(self._new_path(self._path, "_SUCCESS")).close()
        except BaseException:
            self._put_back(replaced, exists)
            raise
        # By now there is a release, whatever becomes of the old folder.
        self._delete(replaced, "the release is published; the folder that was there before")

    def _put_back(self, replaced: str, existed: bool) -> None:
        """What was there before gets its name again."""
        if self._fs.exists(self._new_path(replaced)):
            # Into a folder that is there it would be moved.
            if self._delete(self.output, f"nothing is published; the release that was there before is `{replaced}`; what has its name"):
                self._rename(self._new_path(replaced), self._path)
        elif not existed:
            # Otherwise what has the name is still the old release.
            self._delete(self.output, "what was not published")

    def _refuse_to_replace_others(self) -> None:
        """Only a release of ours is replaced: of anything else it is not known what would be lost."""
        names = [status.getPath().getName() for status in self._fs.listStatus(self._path)]
        if "_SUCCESS" in names and all(_OURS.fullmatch(name) for name in names):
            return
        others = [f", for instance `{name}`" for name in sorted(names) if not _OURS.fullmatch(name)][:1]
        what = f"`{self.output}` is no release of Shoal's on Spark ({'it holds other files' + others[0] if others else 'it has no _SUCCESS'}), so it is not replaced"
        raise new_error(what, "give another name, or delete it yourself")

    def _count(self) -> int:
        """How many rows the written files have, by their footers."""
        return self._spark.read.parquet(self.staged).count()

    def _rename(self, old: Any, new: Any) -> None:
        if not self._fs.rename(old, new):
            raise new_error(f"`{old}` cannot be renamed to `{new}`", "is there room, and may you write there?")

    def remove(self) -> None:
        """Nothing that is not verified stays."""
        for folder in (self.staged, self.beside):
            self._delete(folder, "what was not verified")

    def _delete(self, folder: str, what: str) -> bool:
        """Deletes a folder if it is there, and says whether it is gone. That it could not be deleted changes nothing of what was done, but somebody has to know."""
        path = self._new_path(folder)
        try:
            # A file system says "no" in one way or the other.
            deleted = not self._fs.exists(path) or self._fs.delete(path, True) or not self._fs.exists(path)
        except Exception:
            deleted = False
        if not deleted:
            warnings.warn(f"{what} could not be deleted and is `{folder}`: delete it yourself", stacklevel=4)
        return deleted

    def _resolved(self, path: Any) -> str:
        """The full address of a file, whatever links and mounts lead to it."""
        file_system = path.getFileSystem(self._spark._jsc.hadoopConfiguration())
        whole = file_system.makeQualified(path)
        try:
            return file_system.resolvePath(whole).toUri().toString()
        except Exception:
            # Not there, or nothing that can be asked.
            return whole.toUri().toString()


def files_read(frame: Any) -> list[str]:
    """The files that a DataFrame is read from, as full URIs."""
    analyzed = frame._jdf.queryExecution().analyzed()
    files = [*frame.inputFiles()]
    # The optimized plan, which Spark itself asks for its files, ends at what is cached, and a subquery is not one of its leaves.
    for plan in [analyzed, *_items(analyzed.subqueriesAll())]:
        for leaf in _items(plan.collectLeaves()):
            files += _files_of_leaf(leaf)
    return files


def _files_of_leaf(leaf: Any) -> list[str]:
    # Which kinds of sources have files is asked by what they have, as Spark's own inputFiles does: relations of files, of the second interface, and of Hive.
    for steps in (("relation", "location", "inputFiles"), ("table", "fileIndex", "inputFiles"), ("tableMeta", "location", "toString")):
        found = leaf
        try:
            for step in steps:
                found = getattr(found, step)()
        except Exception:
            continue
        # Of a table of Hive the folder.
        return [f"{found}/"] if isinstance(found, str) else list(found)
    return []


def _items(sequence: Any) -> Iterator[Any]:
    """Of a sequence of Scala."""
    iterator = sequence.iterator()
    while iterator.hasNext():
        yield iterator.next()


def _folders_of(files: list[str]) -> list[str]:
    """The different folders of files: of many files few have to be looked at."""
    return sorted({file.rpartition("/")[0] for file in files})


def lies_in(folder: str, files: Iterable[str]) -> bool:
    """Whether one of the files lies in the folder. All of them are full URIs, which name a place in several ways: ``file:/data`` and ``file:///data``, and what is escaped differs."""
    scheme, server, path = _place(folder)
    places = map(_place, files)
    return any(place[:2] == (scheme, server) and f"{place[2]}/".startswith(f"{path}/") for place in places)


def _place(address: str) -> tuple[str, str, str]:
    parts = urlsplit(address)
    path = unquote(parts.path).rstrip("/")
    # Hadoop does not follow links of a local file system.
    return parts.scheme, parts.netloc, os.path.realpath(path) if parts.scheme == "file" else path


def plain_names(names: list[str]) -> dict[str, str]:
    """Names without the run: part-00003-<uuid of the job>-c000.zstd.parquet is part-00003.zstd.parquet, so that the same data have the same names."""
    plain = {name: f"{name[: len('part-00000')]}.{name.split('.', 1)[1]}" for name in names}
    if len(set(plain.values())) < len(plain):
        raise broken("one task has written several files", "leave spark.sql.files.maxRecordsPerFile alone while Shoal writes")
    return plain
