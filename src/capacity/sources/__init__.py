"""The tier source the core brings: a file of scores that the operator keeps."""

from capacity.sources._file import file

__all__ = ["file"]
