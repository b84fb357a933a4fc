"""The checkpoint folder: names, crashes, expiry."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from umagraph_learner.contract import UserError
from umagraph_learner.server.checkpoints import Absent, CheckpointPath, Checkpoints, parse_path

PATH = CheckpointPath("s-1:train:0", "weights", "one")


def writing(text: str):
    def write(folder: Path) -> None:
        folder.mkdir()
        (folder / "weights").write_text(text)

    return write


def read(checkpoints: Checkpoints, path: CheckpointPath = PATH) -> str:
    return (checkpoints.existing(path) / "weights").read_text()


def reopened(checkpoints: Checkpoints) -> Checkpoints:
    """As the next service finds the folder."""
    checkpoints.close()
    return Checkpoints(checkpoints.root, wait_s=0)


@pytest.mark.parametrize(
    "path",
    [
        "tinker://a/weights/../../x",
        "tinker://../weights/x",
        "tinker://a/../x",
        "tinker:///weights/x",
        "tinker://a/weights/",
        "tinker://a/weights/x/y",
        "tinker://a/other/x",
        "tinker://a~b/weights/x",
        "tinker://a/weights/.x",
        "tinker://a/weights/x\n",
        "tinker://a/weights/x\x00",
        "tinker://a/weights/é",
        "file:///etc/passwd",
        "/etc/passwd",
        "",
        None,
        5,
        ["tinker://a/weights/x"],
    ],
)
def test_only_three_part_paths_with_plain_names_are_read(path: object) -> None:
    with pytest.raises(UserError):
        parse_path(path)


def test_a_path_reads_back_as_it_is_written() -> None:
    assert parse_path(str(PATH)) == PATH


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside" / "weights" / "one"
    outside.mkdir(parents=True)
    checkpoints = Checkpoints(tmp_path / "root")
    (checkpoints.root / "s-1~train~0").symlink_to(tmp_path / "outside", target_is_directory=True)
    with pytest.raises(UserError, match="leads out"):
        checkpoints.existing(PATH)
    with pytest.raises(UserError, match="leads out"):
        checkpoints.save(PATH, writing("x"), {}, overwrite=True)
    assert checkpoints.listing() == []


def test_a_failed_save_leaves_the_old_one_and_no_remains(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save(PATH, writing("old"), {}, overwrite=False)

    def broken(folder: Path) -> None:
        writing("half")(folder)
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        checkpoints.save(PATH, broken, {}, overwrite=True)
    assert read(checkpoints) == "old"
    assert sorted(p.name for p in (tmp_path / "s-1~train~0" / "weights").iterdir()) == ["one", "one.json"]


def test_after_a_crash_between_the_two_renames_the_old_one_is_back(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    folder = checkpoints.save(PATH, writing("old"), {}, overwrite=False)
    folder.rename(folder.with_name(".one.old"))
    writing("half")(folder.with_name(".one.new-12345678"))
    with pytest.raises(Absent):
        checkpoints.existing(PATH)
    again = reopened(checkpoints)
    assert read(again) == "old"
    assert not folder.with_name(".one.new-12345678").exists()


def test_after_a_crash_behind_the_second_rename_the_new_one_stays(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    folder = checkpoints.save(PATH, writing("new"), {}, overwrite=False)
    writing("old")(folder.with_name(".one.old"))
    assert read(reopened(checkpoints)) == "new"
    assert not folder.with_name(".one.old").exists()


def test_a_checkpoint_whose_description_was_lost_is_still_listed(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    folder = checkpoints.save(PATH, writing("x"), {"step": 3}, overwrite=False)
    assert checkpoints.about(folder)["step"] == 3
    folder.with_name("one.json").write_text("{half")
    (row,) = checkpoints.listing()
    assert row["tinker_path"] == str(PATH)
    assert row["size_bytes"] == 1
    assert checkpoints.about(folder) == {}


def test_an_expired_checkpoint_is_not_found_its_name_is_free_and_it_is_removed(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    folder = checkpoints.save(PATH, writing("x"), {"expires": 1.0}, overwrite=False)
    with pytest.raises(Absent):
        checkpoints.existing(PATH)
    assert checkpoints.listing() == []
    checkpoints.remove_expired()
    assert not folder.exists()
    checkpoints.save(PATH, writing("y"), {}, overwrite=False)
    assert read(checkpoints) == "y"


def test_unnamed_publishes_of_an_earlier_life_are_removed(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    folder = checkpoints.unnamed_folder(PATH.run)
    folder.mkdir()
    reopened(checkpoints)
    assert not folder.exists()


def test_an_expiry_can_be_set_and_taken_back(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    folder = checkpoints.save(PATH, writing("x"), {"step": 1}, overwrite=False)
    checkpoints.set_expiry(PATH, 1000)
    assert json.loads(folder.with_name("one.json").read_text())["expires"] > 0
    checkpoints.set_expiry(PATH, None)
    assert checkpoints.about(folder) | {"time": 0} == {"step": 1, "expires": None, "time": 0}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told_at_start(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OSError):
        Checkpoints(tmp_path / "x")
