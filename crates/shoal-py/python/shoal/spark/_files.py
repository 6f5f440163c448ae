"""The folder of a release: written under another name beside it, and named when everything is right."""

from __future__ import annotations

import uuid
import warnings
from typing import Any, Iterable
from urllib.parse import unquote, urlsplit

from ._errors import broken, new_error

__all__ = ["Folder", "lies_in", "plain_names"]


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
        if self._fs.exists(self._path):
            if not overwrite:
                raise new_error(f"`{output}` exists already", "give another name, or overwrite=True")
            # It would be deleted with the release in its place, and the release is all that would be left of the data.
            if lies_in(self._fs.makeQualified(self._path).toUri().toString(), frame.inputFiles()):
                raise new_error(f"the data are read from `{output}`, which would be replaced", "give another name")
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
        self._fs.delete(self._new_path(self.beside), True)
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
        replaced = self._new_path(f"{self.output}.replaced-{uuid.uuid4().hex}")
        if self._fs.exists(self._path):
            if not self._overwrite:
                raise new_error(f"`{self.output}` exists by now", "give another name, or overwrite=True")
            self._rename(self._path, replaced)
        try:
            self._rename(staged, self._path)
            self._fs.create(self._new_path(self._path, "_SUCCESS")).close()
        except BaseException:
            # Back to what was there before.
            self._fs.delete(self._path, True)
            if self._fs.exists(replaced):
                self._rename(replaced, self._path)
            raise
        # By now there is a release, whatever becomes of the old folder.
        try:
            deleted = not self._fs.exists(replaced) or self._fs.delete(replaced, True)
        except Exception:
            deleted = False
        if not deleted:
            warnings.warn(f"the release is published; the folder that was there before could not be deleted and is `{replaced}`", stacklevel=3)

    def _count(self) -> int:
        """How many rows the written files have, by their footers."""
        return self._spark.read.parquet(self.staged).count()

    def _rename(self, old: Any, new: Any) -> None:
        if not self._fs.rename(old, new):
            raise new_error(f"`{old}` cannot be renamed to `{new}`", "is there room, and may you write there?")

    def remove(self) -> None:
        """Nothing that is not verified stays."""
        for folder in (self.staged, self.beside):
            self._fs.delete(self._new_path(folder), True)


def lies_in(folder: str, files: Iterable[str]) -> bool:
    """Whether one of the files lies in the folder. All of them are full URIs, which name a place in several ways: ``file:/data`` and ``file:///data``, and what is escaped differs."""
    scheme, server, path = _place(folder)
    places = map(_place, files)
    return any(place[:2] == (scheme, server) and f"{place[2]}/".startswith(f"{path}/") for place in places)


def _place(address: str) -> tuple[str, str, str]:
    parts = urlsplit(address)
    return parts.scheme, parts.netloc, unquote(parts.path).rstrip("/")


def plain_names(names: list[str]) -> dict[str, str]:
    """Names without the run: part-00003-<uuid of the job>-c000.zstd.parquet is part-00003.zstd.parquet, so that the same data have the same names."""
    plain = {name: f"{name[: len('part-00000')]}.{name.split('.', 1)[1]}" for name in names}
    if len(set(plain.values())) < len(plain):
        raise broken("one task has written several files", "leave spark.sql.files.maxRecordsPerFile alone while Shoal writes")
    return plain
