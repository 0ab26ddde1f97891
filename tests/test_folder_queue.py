"""Messages in a folder are whole, taken once, and in their order."""

import threading
import time
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection
from kombu.exceptions import OperationalError

from reviewer.folder_queue import Channel, Transport


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "messages").mkdir()
    return tmp_path / "messages"


@pytest.fixture
def channel(folder: Path):
    """A channel on the folder, as Celery opens one."""
    with _connection(folder) as connection:
        yield connection.default_channel


def _connection(folder: Path, **options: float) -> Connection:
    named = {
        "data_folder_in": str(folder),
        "data_folder_out": str(folder),
        "control_folder": str(folder.parent / "control"),
    }
    return Connection(transport=Transport, transport_options={**named, **options})


def _all(channel: Channel) -> list[object]:
    taken = []
    while True:
        try:
            taken.append(channel._get("work"))
        except Empty:
            return taken


def test_messages_come_once_and_in_their_order(channel, folder):
    for number in range(12):
        channel._put("work", {"id": number})
    assert _all(channel) == [{"id": number} for number in range(12)]
    assert list(folder.iterdir()) == []


def test_a_queue_gives_only_its_own_messages(channel):
    channel._put("other", {"id": 1})
    assert _all(channel) == []


@pytest.mark.parametrize("content", [b"", b'{"id": ', b"\xff\xfe"])
def test_what_is_no_message_is_passed_over(channel, folder, content):
    (folder / "0_before.work.msg").write_bytes(content)
    channel._put("work", {"id": 1})
    assert _all(channel) == [{"id": 1}]


def test_a_message_has_its_name_only_once_it_is_whole(channel, folder, monkeypatch):
    named: list[list[str]] = []
    real = Path.write_text

    def write(self: Path, text: str, **options: str) -> int:
        written = real(self, text, **options)
        named.append(channel._names(folder, "work"))
        return written

    monkeypatch.setattr(Path, "write_text", write)
    channel._put("work", {"id": 1})
    assert named == [[]]
    assert _all(channel) == [{"id": 1}]


def test_two_readers_take_every_message_once(channel, folder):
    for number in range(60):
        channel._put("work", number)
    taken: list[list[object]] = []
    readers = [threading.Thread(target=lambda: taken.append(_all(channel))) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert sorted(number for of_one in taken for number in of_one) == list(range(60))


def test_a_folder_that_somebody_removed_is_made_again(channel, folder):
    folder.rmdir()
    assert _all(channel) == []
    folder.rmdir()
    channel._put("work", {"id": 1})
    assert _all(channel) == [{"id": 1}]


def test_a_folder_that_cannot_be_had_is_told_as_a_broker_that_is_away(channel, folder):
    folder.rmdir()
    folder.write_text("a file stands in its place")
    with (
        pytest.raises(OperationalError, match="could not be put"),
        channel.connection.client._reraise_as_library_errors(),
    ):
        channel._put("work", {"id": 1})


def test_the_product_uses_it():
    from reviewer.celery import app

    with app.connection_for_write() as connection:
        assert connection.get_transport_cls() is Transport


def test_who_waits_hears_at_once_of_what_its_own_process_sends(folder):
    with _connection(folder, polling_interval=60) as connection:
        queue = connection.SimpleQueue("work")
        sends = threading.Timer(0.1, _send, [folder, {"id": 1}])
        sends.start()
        begun = time.monotonic()
        assert queue.get(timeout=20).payload == {"id": 1}
        assert time.monotonic() - begun < 10
        sends.join()


def _send(folder: Path, body: object, queue: str = "work") -> None:
    with _connection(folder) as connection:
        connection.SimpleQueue(queue).put(body)


def test_who_waits_looks_again_for_what_others_send(folder):
    # A queue of its own: Kombu remembers for the process in which folder it was declared.
    _send(folder, {"id": 1}, "mail")
    [message] = folder.iterdir()
    aside = message.replace(folder.parent / "aside")
    with _connection(folder, polling_interval=0.01) as connection:
        queue = connection.SimpleQueue("mail")
        sends = threading.Timer(0.1, aside.replace, [message])
        sends.start()
        assert queue.get(timeout=20).payload == {"id": 1}
        sends.join()


def test_where_none_comes_in_time_it_is_told(folder):
    with _connection(folder, polling_interval=60) as connection:
        queue = connection.SimpleQueue("work")
        with pytest.raises(queue.Empty):
            queue.get(timeout=0.05)
