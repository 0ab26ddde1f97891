"""A server that speaks enough of S3 for the SDK: objects in memory, by bucket and key.

Source: Amazon S3 API Reference, versions of 2006-03-01 (PutObject, GetObject, HeadObject,
DeleteObject, ListObjects, multipart uploads).
"""

import hashlib
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape


class BucketServer:
    """One bucket at `url`. While `is_down` it answers everything with 503."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.parts: dict[str, dict[int, bytes]] = {}
        self.is_down = False
        handler = type("Handler", (_Handler,), {"bucket": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "BucketServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bucket: BucketServer

    def _do(self) -> None:
        parts = urlsplit(self.path)
        _, _, key = unquote(parts.path).lstrip("/").partition("/")
        asked = {name: values[0] for name, values in parse_qs(parts.query, True).items()}
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.bucket.is_down:
            return self._answer(503, b"<Error><Code>SlowDown</Code></Error>")
        act = getattr(self, f"_{self.command.lower()}")
        return act(key, asked, body)

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = _do

    def _get(self, key: str, asked: dict[str, str], body: bytes) -> None:
        if not key:
            return self._answer(200, self._listed(asked.get("prefix", "")))
        stored = self.bucket.objects.get(key)
        if stored is None:
            return self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        asked_for = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if asked_for is None:
            return self._answer(200, stored)
        first, last = int(asked_for[1]), int(asked_for[2] or len(stored) - 1)
        part = stored[first : last + 1]
        whole = f"bytes {first}-{first + len(part) - 1}/{len(stored)}"
        return self._answer(206, part, **{"Content-Range": whole})

    _head = _get

    def _put(self, key: str, asked: dict[str, str], body: bytes) -> None:
        if "uploadId" in asked:
            self.bucket.parts[asked["uploadId"]][int(asked["partNumber"])] = body
        else:
            self.bucket.objects[key] = body
        self._answer(200, b"", ETag=f'"{hashlib.md5(body).hexdigest()}"')

    def _post(self, key: str, asked: dict[str, str], body: bytes) -> None:
        if "uploads" in asked:
            number = str(len(self.bucket.parts) + 1)
            self.bucket.parts[number] = {}
            made = "<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>"
            return self._answer(200, (made % number).encode())
        parts = self.bucket.parts.pop(asked["uploadId"])
        self.bucket.objects[key] = b"".join(parts[number] for number in sorted(parts))
        done = "<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>"
        return self._answer(200, done.encode())

    def _delete(self, key: str, asked: dict[str, str], body: bytes) -> None:
        self.bucket.objects.pop(key, None)
        self._answer(204, b"")

    def _listed(self, prefix: str) -> bytes:
        keys, folders = [], set()
        for key in sorted(self.bucket.objects):
            if key.startswith(prefix):
                inner, slash, _ = key[len(prefix) :].partition("/")
                if slash:
                    folders.add(f"{prefix}{inner}/")
                else:
                    keys.append(key)
        found = "".join(f"<Contents><Key>{escape(key)}</Key></Contents>" for key in keys)
        found += "".join(
            f"<CommonPrefixes><Prefix>{escape(one)}</Prefix></CommonPrefixes>"
            for one in sorted(folders)
        )
        return (
            '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<IsTruncated>false</IsTruncated>{found}</ListBucketResult>"
        ).encode()

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", "Tue, 01 Dec 2026 00:00:00 GMT")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""
