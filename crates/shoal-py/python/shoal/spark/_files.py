"""The folder of a release: written under another name beside it, and named when everything is right."""

from __future__ import annotations

import uuid
from typing import Any

from ._errors import refuse

__all__ = ["Folder"]


class Folder:
    """Through Hadoop's interface, so that it works wherever Spark writes."""

    def __init__(self, spark: Any, output: str, overwrite: bool):
        if not hasattr(spark, "_jvm"):
            raise refuse("Spark Connect does not let a program name folders", "use a classic session: spark-submit, or SparkSession.builder.master(…)")
        self._new_path = spark._jvm.org.apache.hadoop.fs.Path
        self.output, self._overwrite = output.rstrip("/"), overwrite
        self._path = self._new_path(self.output)
        self._fs = self._path.getFileSystem(spark._jsc.hadoopConfiguration())
        if self._fs.exists(self._path) and not overwrite:
            raise refuse(f"`{output}` exists already", "give another name, or overwrite=True")
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

    def publish(self) -> None:
        """The files get names that say nothing of this run, the folder its own name, and at the very end ``_SUCCESS``."""
        self._fs.delete(self._new_path(self.beside), True)
        staged = self._new_path(self.staged)
        names = sorted(status.getPath().getName() for status in self._fs.listStatus(staged) if status.getPath().getName().startswith("part-"))
        for name in names:
            # part-00003-<uuid of the job>-c000.snappy.parquet: the same data have the same names.
            plain = f"{name[: len('part-00000')]}.{name.split('.', 1)[1]}"
            self._rename(self._new_path(staged, name), self._new_path(staged, plain))
        replaced = self._new_path(f"{self.output}.replaced-{uuid.uuid4().hex}")
        if self._fs.exists(self._path):
            if not self._overwrite:
                raise refuse(f"`{self.output}` exists by now", "give another name, or overwrite=True")
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
        self._fs.delete(replaced, True)

    def _rename(self, old: Any, new: Any) -> None:
        if not self._fs.rename(old, new):
            raise refuse(f"`{old}` cannot be renamed to `{new}`", "is there room, and may you write there?")

    def remove(self) -> None:
        """Nothing that is not verified stays."""
        for folder in (self.staged, self.beside):
            self._fs.delete(self._new_path(folder), True)
