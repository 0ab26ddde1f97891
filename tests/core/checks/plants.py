"""One fault for every check, planted in proposals of a sheet each, and the repaired twins.

A sheet is a heading and Markdown; a fault is told in the marks of `written_as`. Most checks
judge a sheet or the sentences of one, and share three proposals. Those that judge what a
whole proposal lacks have short ones of their own.
"""

from reviewer.core.learned import Learned
from tests.core.checks.plant import Sheet, plain
from tests.core.checks.plants_of_money import DATES, SUMS
from tests.core.checks.written_as import BLANK, TIGHT

KNOWN = {
    "client": "Northgate Clinics",
    "other_clients": ("Harbor Mutual",),
    "banned": (("low-hanging fruit", "the first two clinics"),),
    "never_say": (
        Learned(15, 1, "never_say", "Never say “silver bullet”.", phrase="silver bullet"),
    ),
}


_MEASURED = (
    "We follow forty appointments from the booking to the visit, and note each call, each wait "
    "and each change that the desk makes, so that both sides count in the same way from then on."
)
_REMINDER = (
    "A patient receives a text message seven days before the appointment, and answers with one "
    "letter: C to confirm, X to cancel, or nothing at all, in which case the desk calls by noon."
)


_GROUNDING = (
    Sheet(
        "Why patients leave",
        "Studies show that 38% of patients leave after one bad experience.",
        "Each missed visit is one that a patient on the waiting list could have had.",
        ("nameless_research",),
    ),
    Sheet(
        "Who we are",
        "We are the country's leading experts in patient access.",
        "We have moved 14 practices to answered reminders since 2027.",
        ("superlative",),
    ),
    Sheet(
        "What others say",
        "“Our adjusters start the day with the right claims.” Claims executive, regional insurer",
        "“Our adjusters start the day with the right claims.” Ines Maddox, Port of Selby, 2031",
        ("quoted_nobody",),
    ),
    Sheet(
        "Who to ask",
        "“The rules have held for two years without our help.” Ruth Sandoval, Port of Selby",
        "“The rules have held for two years without our help.” Ruth Sandoval, Port of Selby, 2031",
        ("undated_quotation",),
    ),
    Sheet(
        "How letters are read",
        "The document reader extracts 94% of fields correctly.",
        "The reader extracts 94% of fields correctly, measured on 500 of your notices in May.",
        ("unsourced_figure",),
    ),
    Sheet(
        "How fast it is",
        "Our platform is ten times faster than anything on the market.",
        "Your team told us that the new form is twice as fast as the old one.",
        ("unsourced_multiple",),
    ),
    Sheet(
        "What it brings",
        "By the end of the project, the time to assignment will fall by 40%.",
        "The target is a time to assignment 40% shorter than the baseline we sign together.",
        ("promised_result",),
    ),
)
_HONEST = (
    Sheet(
        "Licences",
        "Licences are contracted by you directly; we estimate them at $XX,000 a year.",
        "Licences are contracted by you directly; we estimate them at $42,000 a year.",
        ("placeholders",),
    ),
    Sheet(
        "Where it worked",
        "We are confident that it will work for Harbor Mutual too.",
        "We have tried it with the desk of a hospital.",
        ("other_client",),
    ),
    Sheet(
        "A note to ourselves",
        "Travel is {==part of the fee==}{>>Karin: is this so?<<} and of nothing else.",
        "Travel is part of the fee and of nothing else.",
        ("comment_left",),
    ),
    Sheet(
        "A late change",
        "The fee stays fixed {++for a year++} from the first day.",
        "The fee stays fixed for a year from the first day.",
        ("change_left",),
    ),
    Sheet(
        "A marked line",
        "The pilot starts {==in the second week of the work==} with two desks.",
        "The pilot starts in the second week of the work with two desks.",
        ("highlight_left",),
    ),
)
_WORDING = (
    Sheet(
        "Whose sites",
        "Northgate Clinic sees patients at six sites.",
        "Northgate Clinics sees patients at six sites.",
        ("client_misspelt",),
    ),
    Sheet(
        "Who is trained",
        "We will train the staff of Seaside Clinics in week 5.",
        "We will train the staff of Northgate Clinics in week 5.",
        ("name_like_clients",),
    ),
    Sheet(
        "What we connect",
        "We will connect the intake to Keystone and other systems as needed.",
        "We will connect the intake to Keystone and to the agents' mailbox.",
        ("open_scope",),
    ),
    Sheet(
        "Channels",
        "We redesign your four reporting channels.\n\nThe question sets serve all five channels.",
        "We redesign your four reporting channels.\n\nThe question sets serve all four channels.",
        ("two_counts",),
    ),
    Sheet(
        "Meetings",
        "The steering committee meets every four weeks.\n\n"
        "The steering committee meets every two weeks.",
        "The steering committee meets every four weeks.",
        ("two_rhythms",),
    ),
    Sheet(
        "Your choice",
        "We understand if this is not the right time, and you should feel free to say no.",
        "Once you have signed, the team starts within a week.",
        ("invites_no",),
    ),
    Sheet(
        "Our dates",
        "We would hope to be able to hold the dates in most circumstances.",
        "The dates hold if the test environment is ready by week 6.",
        ("apologises",),
    ),
    Sheet(
        "Why now",
        "In today's fast-paced landscape, we are excited to embark on this journey with you.",
        "When we met, you told us that one visit in eight is missed.",
        ("stock_phrase",),
    ),
    Sheet(
        "The design",
        "A robust, scalable and future-proof design, seamless in every part.",
        "The rules are kept in a table that supervisors can edit.",
        ("empty_words",),
    ),
    Sheet(
        "Where we begin",
        "The desk by the door is the low-hanging fruit of the plan.",
        "The desk by the door is the first to change.",
        ("banned_phrase",),
    ),
    Sheet(
        "Where the queue is kept",
        "The queue is one of the silver bullets that supervisors asked for.",
        "The queue is one of the tables that supervisors asked for.",
        ("never_say",),
    ),
    Sheet(
        "Where rules are kept",
        "The rules are kept in the the table.",
        "The rules are kept in the table.",
        ("doubled_word",),
    ),
    Sheet(
        "Workshops",
        "We organise the workshops. They are organized by line.",
        "We organise the workshops. They are organised by line.",
        ("two_spellings",),
    ),
)
_STRUCTURE = (
    plain("Reminders", _REMINDER),
    Sheet("Answers", _REMINDER, "The answers are kept for a year.", ("said_twice",)),
    Sheet(
        "Gaps",
        "### The problem\n\n### Our answer\n\nReminders that patients can answer.",
        "### The problem\n\nOne visit in eight is missed.\n\n### Our answer\n\nReminders.",
        ("empty_section",),
    ),
    Sheet(
        "Two at once",
        "The desk calls by noon.\n\n## And a second idea\n\nNobody waits for a letter.",
        "The desk calls by noon.\n\n### And more\n\nNobody waits for a letter.",
        ("two_ideas",),
    ),
    Sheet(
        "Levels",
        "The desk hears of it.\n\n#### What it hears\n\nA short list each morning.",
        "The desk hears of it.\n\n### What it hears\n\nA short list each morning.",
        ("skipped_level",),
    ),
    plain("What we measure", _MEASURED),
    Sheet("What we measure", _MEASURED, "", ("same_sheet_twice",)),
    Sheet("An empty sheet", BLANK, "", ("blank_sheet",)),
    Sheet(
        "Too much",
        f"{TIGHT}{_MEASURED.replace('forty', 'thirty')}",
        "We follow thirty visits and note each call.",
        ("overfull_sheet",),
    ),
)
_TERMS = (
    "The fee is payable in three parts, each with tax. The reports belong to you. The offer holds "
    "until 30 April 2032. Either party may end the work with 30 days' notice. Out of scope: data "
    "migration.\n\nPlease sign by 30 April 2032."
)
_END = Sheet(
    "What we ask for",
    f"{_TERMS} Let us know what you think.",
    _TERMS,
    ("vague_ask",),
)
_COVER = plain("Fewer missed visits", "A proposal to Northgate Clinics.")
_CLOSING = plain("What we ask for", _TERMS)
WORDS = (_COVER, *_GROUNDING, *_HONEST, *_WORDING, _CLOSING)
MONEY = (_COVER, *SUMS, *DATES, _END)
STRUCTURE = (_COVER, *_STRUCTURE, _CLOSING)

_ENTRIES = "Team ..... 2\n\nScope ..... 3\n\nFee ..... {}\n\nClosing ..... 5"
_CLOSED = (
    "Our fee is $9,000 plus tax, of which $4,500 is payable at the start. The offer holds until "
    "30 April 2032. Out of scope: data migration."
)
BARE = (
    Sheet(
        "Contents",
        f"Page 1\n\n{_ENTRIES.format(3)}",
        f"Page 1\n\n{_ENTRIES.format(4)}",
        ("contents",),
    ),
    Sheet("Team", "Page 2\n\nTwo of us come.", "Page 2\n\nTwo of us come."),
    Sheet(
        "Scope",
        "Page 4\n\nThe scope is the intake form and its rules.",
        "Page 3\n\nThe scope is the intake form and its rules.",
    ),
    Sheet(
        "Fee",
        "Page 3\n\nOur fee is $9,000, of which $4,500 at the start.",
        f"Page 4\n\n{_CLOSED} The reports belong to you. Either party may give notice.",
        ("page_numbers",),
    ),
    Sheet(
        "Closing",
        "Page 5\n\nThank you for reading.",
        "Page 5\n\nPlease sign by 30 April 2032.",
    ),
)
BARE_LACKS = ("no_limits", "no_ask", "unsaid_terms")

_DASHES = "The plates stay — as agreed — in the building. " * 8
UNDATED = (
    Sheet("Plates", _DASHES, _DASHES.replace(" —", ",")),
    plain(
        "Price",
        "Our fee is $9,000 plus tax, of which $4,500 is payable at the start. The offer holds for "
        "60 days. The reports belong to you. Either party may give notice.",
    ),
    plain("People", "Two of us come."),
    Sheet("Signature", "Please sign below.", "Please sign by 30 April 2032."),
)
UNDATED_LACKS = ("no_date_asked", "dash_habit")

DOCUMENTS = {
    "words": (WORDS, ()),
    "money": (MONEY, ()),
    "structure": (STRUCTURE, ()),
    "bare": (BARE, BARE_LACKS),
    "undated": (UNDATED, UNDATED_LACKS),
}
"""The sheets of each proposal, and the checks that find something missing from all of it."""


def expected(name: str) -> set[tuple[str, int]]:
    """Every (check, sheet) that must be found; sheet 0 is the whole document."""
    sheets, lacks = DOCUMENTS[name]
    on_sheets = {(code, n) for n, sheet in enumerate(sheets, 1) for code in sheet.checks}
    return on_sheets | {(code, 0) for code in lacks}


def source(name: str, *, repaired: bool) -> list[str]:
    """The sheets of a proposal, or of its twin, each as Markdown."""
    sheets, _ = DOCUMENTS[name]
    return [s.text(repaired=repaired) for s in sheets if not repaired or s.good]
