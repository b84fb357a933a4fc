"""Which sequences are computed together: sorted by length, then filled up to a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence


def micro_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Indices of ``lengths``; every batch has at most ``budget`` tokens or one sequence. Longest first, so that memory peaks early.

    The same lengths in the same order give the same batches.
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batches: list[list[int]] = []
    room = 0
    for index in order:
        if not batches or lengths[index] > room:
            batches.append([])
            room = budget
        batches[-1].append(index)
        room -= lengths[index]
    return batches
