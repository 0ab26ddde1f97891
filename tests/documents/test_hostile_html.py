"""HTML is hostile: nothing runs, nothing is fetched, nothing of the machine gets into a page."""

import base64
import http.server
import io
import threading
from collections.abc import Iterator
from pathlib import Path

import pikepdf
import pytest
from PIL import Image

from reviewer.documents.sanitise import sanitise
from tests.documents.conftest import Read


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A web server that writes down what it is asked for."""
    asked: list[str] = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_port}", asked
    listening.shutdown()
    listening.server_close()
    thread.join()


def picture() -> str:
    out = io.BytesIO()
    Image.new("RGB", (60, 40), "#c00").save(out, "PNG")
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()


def test_nothing_is_fetched_from_anywhere(
    server: tuple[str, list[str]], read: Read, tmp_path: Path
) -> None:
    url, asked = server
    secret = tmp_path / "secret.txt"
    secret.write_text("the launch code is 4711")
    svg = f"<svg xmlns='http://www.w3.org/2000/svg'><image href='{url}/svg'/></svg>"
    inner = base64.b64encode(svg.encode()).decode()
    html = f"""<!DOCTYPE html><html><head><base href="{url}/">
      <link rel="stylesheet" href="{url}/style.css"><link rel="attachment" href="file://{secret}">
      <meta http-equiv="refresh" content="0; url={url}/refresh">
      <style>@import url({url}/import.css); @font-face {{ font-family: x; src: url({url}/font) }}
        body {{ background: url({url}/back); font-family: x }} .c {{ content: url({url}/content) }}
        li {{ list-style-image: url(file://{secret}) }}</style></head><body>
      <img src="{url}/img.png" alt="remote"><img srcset="{url}/set.png 2x">
      <img src="file://{secret}"><img src="{secret}"><img src="data:image/svg+xml;base64,{inner}">
      <picture><source srcset="{url}/source"></picture><object data="{url}/object">x</object>
      <embed src="{url}/embed"><iframe src="file://{secret}"></iframe>
      <svg><image href="{url}/inline"/><use href="{url}/use#a"/></svg><p class="c">Text stays</p>
      <a rel="attachment" href="file://{secret}">paper</a><ul><li>item</li></ul>
      <script>fetch("{url}/script")</script></body></html>"""
    document = read(html.encode(), "a.html")
    assert asked == []
    text = document.sheets[0].text
    assert "Text stays" in text
    assert "4711" not in text
    with pikepdf.open(document.pdf) as pdf:
        assert not pdf.attachments
        assert b"4711" not in document.pdf.read_bytes()
    assert {fault.code for fault in document.fit} == {"image_not_loaded"}
    assert "Image not loaded: remote" in text


def test_scripts_are_dropped_and_what_surrounds_them_stays() -> None:
    clean = sanitise("<p>a<script>bad()</script>b</p><p onclick='bad()'>c</p>").html
    assert "bad" not in clean
    assert "<p>ab</p>" in clean
    assert "<p>c</p>" in clean


@pytest.mark.parametrize(
    ("link", "kept"),
    [
        ("https://example.com/a", True),
        ("mailto:denise@example.com", True),
        ("#terms", True),
        ("javascript:alert(1)", False),
        (" java\tscript:alert(1)", False),
        ("file:///etc/passwd", False),
        ("data:text/html,x", False),
        ("\\\\server\\share", False),
    ],
)
def test_links_lead_to_the_web_to_mail_or_inside_the_document(link: str, kept: bool) -> None:
    assert ("href" in sanitise(f'<a href="{link}">go</a>').html) == kept


def test_an_image_that_is_data_is_shown(read: Read) -> None:
    document = read(f"<html><p>Before</p><img src='{picture()}'><p>After</p></html>", "a.html")
    assert document.fit == ()
    colours = Image.open(document.sheets[0].image).convert("RGB").getcolors(1 << 20)
    assert colours is not None
    assert max(count for count, colour in colours if colour == (204, 0, 0)) > 1000


def test_a_document_whose_pages_are_marked_keeps_them(read: Read) -> None:
    sheets = "".join(f"<section class='slide'><h1>Slide {n}</h1></section>" for n in range(3))
    style = "<style>.slide { width: 960px; height: 540px }</style>"
    document = read(f"<html>{style}{sheets}</html>", "a.html")
    assert [(sheet.width, sheet.height) for sheet in document.sheets] == [(720, 405)] * 3
    assert [sheet.text for sheet in document.sheets] == ["Slide 0", "Slide 1", "Slide 2"]


def test_sections_without_a_size_of_their_own_flow(read: Read) -> None:
    document = read("<html><section>One</section><section>Two</section></html>", "a.html")
    assert len(document.sheets) == 1


def test_a_page_styled_for_a_screen_is_shown_in_a_plain_style() -> None:
    clean = sanitise(f"<style>{'.a { display: none } ' * 9000}</style><p class='a'>Text</p>")
    assert "display: none" not in clean.html
    assert any("plain one" in note for note in clean.notes)


@pytest.mark.parametrize("text", ["", "<", "<html", "<p>" * 3000, "<table><tr><td>" * 80, "\x00"])
def test_markup_in_any_state_gives_a_document(text: str) -> None:
    assert "<body" in sanitise(text).html
