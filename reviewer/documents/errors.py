"""Why a file cannot become sheets, in sentences that a person can act on.

Every reason has a stable code and one sentence. Refused: a reason without a next step,
and the words of a library or a stack in a sentence meant for people.
"""


class UnreadableFile(Exception):
    """A file that gives no sheets. `code` is stable, `message` is for the person."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


ACCEPTED = "PDF, Word (.docx), PowerPoint (.pptx), Markdown, HTML and plain text"

_AGAIN = "Export it again from the program it was made with, and upload that."

_REASONS = {
    "empty": "This file is empty. Check that it was saved, and upload it again.",
    "too_large": "This file has {size}; the limit is {limit}. Make it smaller, for example "
    "by shrinking its pictures, and upload it again.",
    "too_many_sheets": "This document has more than {limit} sheets, which is the limit. "
    "Split it and upload the parts.",
    "no_sheets": "This document has no sheets in it. Check that it is the right file.",
    "no_slides": "This presentation has no slides. Add them and upload it again.",
    "locked": "This {what} is locked with a password. Upload it without one.",
    "damaged": f"This file looks like {{what}}, but it is damaged or incomplete. {_AGAIN}",
    "no_header": f"This file looks like a PDF whose beginning is missing. {_AGAIN}",
    "form_not_supported": "This PDF is an XFA form, which only Adobe's programs can show. "
    "Print it to PDF there, and upload the result.",
    "not_accepted": f"This file is {{what}}, which cannot be read here. Upload {ACCEPTED}.",
    "unknown": f"What kind of file this is cannot be told from its content. Upload {ACCEPTED}.",
    "old_office": "This is {what}, an older format that cannot be read here. Save it as "
    "{instead} or PDF, and upload that.",
    "unsafe": "This file has parts that {what} never has: {why}. Save it again as a new "
    "document, and upload that.",
    "inflates": "This file unpacks to far more than a document needs, so it was not opened. "
    "Save it again as a new document, or as PDF, and upload that.",
    "needs_libreoffice": "Slides need LibreOffice on the server, and it is not there. Export "
    "the presentation as PDF and upload that, or ask whoever runs this server to install "
    "LibreOffice.",
    "too_deep": "This document has lists, quotes, tables or boxes within each other, deeper than "
    "can be laid out. Take some levels out, or save it as PDF, and upload that.",
    "converter_failed": f"This document could not be laid out as pages. {_AGAIN}",
    "too_slow": "Reading this file took longer than {limit} seconds and was stopped. Export "
    "it again as a simpler PDF, or split it, and upload that.",
    "too_much_memory": "Reading this file needed more memory than is allowed and was stopped. "
    "Make its pictures smaller, or split it, and upload it again.",
    "too_much_output": "The sheets of this file would take more room than is allowed. Make "
    "its pictures smaller, or split it, and upload it again.",
    "crashed": f"This file made its reader stop, which damaged files do. {_AGAIN}",
    "differs": "The PDF that would leave does not look like what was read (sheet {sheet}; 0 is "
    "the whole), so nothing left. Export the document again from the program it was made with, "
    "and upload that.",
    "gone": "The file could not be opened on the server. Upload it again.",
}


def unreadable(code: str, **parts: object) -> UnreadableFile:
    """The exception for one reason; a missing or unknown part is a mistake and raises."""
    return UnreadableFile(code, _REASONS[code].format(**parts))
