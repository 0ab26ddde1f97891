"""Commercial clarity: dates that agree with each other, with today and with the plan."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from reviewer.core.checks.commercial_clarity.periods import RANGE, rows_that_end_first
from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Place, Severity
from reviewer.core.structure.dates import WrittenDate
from reviewer.core.structure.sentences import Sentence

RULE = RULES_BY_CODE["commercial_clarity"].code

_MOST_PLACES = 12


@dataclass(frozen=True, slots=True)
class Dated:
    """A date with the sentence or table row it stands in."""

    sheet: CheckedSheet
    sentence: Sentence
    written: WrittenDate
    day: date

    @property
    def place(self) -> Place:
        """The words to quote: the whole row or sentence."""
        return Place(sheet=self.sheet.number, quote=self.quote)

    @property
    def quote(self) -> str:
        """The whole row or sentence, on one line."""
        return self.sentence.text


def dated(document: CheckedDocument) -> list[Dated]:
    """Every date with a year, with its sentence, in reading order."""
    found: list[Dated] = []
    for sheet in document.sheets:
        sentences = iter(sheet.sentences)
        sentence = next(sentences, None)
        for written in sheet.dates:
            day = written.on()
            while sentence is not None and sentence.end <= written.start:
                sentence = next(sentences, None)
            if sentence is None:
                break
            if day is not None and written.start >= sentence.start:
                found.append(Dated(sheet, sentence, written, day))
    return found


_AHEAD = re.compile(
    r"\b(?:will|starts?|begins?|due|deadline|valid|until|no later than|not later than|is to|are to|to be"
    r"|expires?|ends? on|holds? (?:until|them until)|please|by (?=\d|Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul"
    r"|Aug|Sep|Oct|Nov|Dec))",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\b(?:was|were|had|has been|have been|held|sent|met|visited|spent|told|confirmed|reviewed|received"
    r"|shared|signed|founded|since|published|completed|launched|accessed|retrieved|dated"
    r"|(?<!be )(?:bought|sold|built|paid|ordered|booked))\b",
    re.IGNORECASE,
)
_PLAN_HEADING = re.compile(
    r"\b(?:milestones?|timeline|schedule|next steps?|work ?plan|project plan|key dates|roadmap)\b",
    re.I,
)


_OVER = re.compile(r"\b(?:old|past|previous|former|history|last|so far)\b", re.IGNORECASE)


def find_passed_deadlines(document: CheckedDocument) -> Iterator[Fault]:
    """Dates the text still looks forward to, which are over. One finding for all of them."""
    over = [place for place in dated(document) if place.day < document.today]
    by_sentence = {id(place.sentence): place for place in over}
    ahead = {key for key, place in by_sentence.items() if _looks_ahead(document, place)}
    passed = [place for place in over if id(place.sentence) in ahead]
    if not passed:
        return
    first, rest = passed[0], passed[1:]
    places = list(dict.fromkeys((p.sheet.number, p.quote) for p in rest if p.quote != first.quote))
    said = f"{first.day.day} {first.day:%B %Y}"
    yield Fault(
        first.sheet.number,
        first.quote,
        f"{said} is over, and the text still looks forward to it."
        + (f" So are {len(places)} more dates." if len(places) > 1 else ""),
        "Set new dates from today, in the order of the plan.",
        also=tuple(Place(sheet=s, quote=q) for s, q in places[:_MOST_PLACES]),
    )


def _looks_ahead(document: CheckedDocument, place: Dated) -> bool:
    if place.sentence.row or place.sentence.item:
        heading = document.heading_above(place.sheet, place.sentence.start)
        return bool(_PLAN_HEADING.search(heading)) and not _OVER.search(heading)
    return bool(_AHEAD.search(place.sentence.text)) and not _BEHIND.search(place.sentence.text)


_STARTS = re.compile(
    r"\b(?:project|work|engagement|assignment|programme|program) (?:will )?(?:starts?|begins?|commences?"
    r"|kicks? off)\b|^(?:project start|start of (?:the )?(?:project|work))\b",
    re.IGNORECASE,
)
_KICKOFF = re.compile(
    r"^(?:the )?(?:project )?kick-? ?off\b|\bkick-? ?off (?:is|will be|takes place)\b", re.I
)
_NUMBERED = re.compile(
    r"^(M|Milestone|Phase|Stage|Sprint|Deliverable|D|Batch)\s?(\d{1,2})\b", re.IGNORECASE
)


def find_start_contradictions(document: CheckedDocument) -> Iterator[Fault]:
    """A start at two dates, a kick-off after the start, or after the first milestone."""
    places = dated(document)
    dates_in = Counter(id(place.sentence) for place in places)
    alone = [place for place in places if dates_in[id(place.sentence)] == 1]
    starts = [place for place in alone if _STARTS.search(place.sentence.text)]
    kickoffs = [place for place in alone if _KICKOFF.search(place.sentence.text)]
    milestones = [p for p in places if _NUMBERED.match(p.sentence.text)]
    if starts:
        for later in [*starts[1:], *kickoffs]:
            wrong = later.day > starts[0].day if later in kickoffs else later.day != starts[0].day
            apart = _of_a_part(later) and _of_a_part(starts[0])
            if wrong and not apart and later.sentence is not starts[0].sentence:
                yield _contradiction(later, starts[0], "the start")
                return
    for begin in [*starts, *kickoffs]:
        before = [m for m in milestones if m.day < begin.day and m.sentence is not begin.sentence]
        if before:
            yield _contradiction(before[0], begin, "before the start,")
            return


def _of_a_part(place: Dated) -> bool:
    """Whether a date is that of a place or a part, as "on 3 May in the north"."""
    return bool(_OF_A_PART.match(place.sheet.text, place.written.end))


_OF_A_PART = re.compile(r"\s+(?:in|at|for|with)\b")


def _contradiction(place: Dated, other: Dated, what: str) -> Fault:
    return Fault(
        place.sheet.number,
        place.quote,
        f"{place.day.day} {place.day:%B %Y} does not agree with {what} {other.day.day} "
        f"{other.day:%B %Y} on sheet {other.sheet.number}.",
        "Use one start date everywhere, and count the plan from it.",
        also=(other.place,),
    )


def find_dates_out_of_order(document: CheckedDocument) -> Iterator[Fault]:
    """Periods that end before they start, and numbered milestones that run backwards."""
    places = dated(document)
    for first, second in pairwise(places):
        if first.sheet is not second.sheet or first.sentence is not second.sentence:
            continue
        between = first.sheet.text[first.written.end : second.written.start]
        if RANGE.match(between) and second.day < first.day:
            yield Fault(
                first.sheet.number,
                first.sheet.quote(first.written.start, second.written.end),
                "Ends before it starts.",
                "Correct one of the two dates.",
            )
    yield from rows_that_end_first(document)
    last: tuple[str, int, Dated] | None = None
    for place in places:
        numbered = _NUMBERED.match(place.sentence.text)
        if numbered is None:
            continue
        kind, number = numbered[1].lower(), int(numbered[2])
        if last and last[0] == kind and number == last[1] + 1 and place.day < last[2].day:
            yield Fault(
                place.sheet.number,
                place.quote,
                f"Is due before the one that comes first, {last[2].day.day} {last[2].day:%B %Y}.",
                "Correct the date, or the order.",
                also=(last[2].place,),
            )
        last = (kind, number, place)


_VALID_FOR = re.compile(
    r"\b(?:valid|remains? (?:open|valid)|holds?|binding) for (?:a period of )?(\d{1,3})(?: calendar)? (days|weeks|months)\b",
    re.IGNORECASE,
)
_DATE_LINE = re.compile(
    r"^(?:date|dated|date of (?:proposal|offer|issue)|submitted(?: on)?|issued)\s*:?\s", re.I
)
_DECISION = re.compile(
    r"\b(?:decision|contract (?:signed|signature|award)|signature of|order (?:signed|placed)|award)\b",
    re.I,
)


def find_validity_before_decision(document: CheckedDocument) -> Iterator[Fault]:
    """An offer that lapses before the day on which the proposal expects the decision."""
    places = dated(document)
    issued = next((p for p in places if _DATE_LINE.search(_line(p))), None)
    if issued is None:
        return
    for sheet, sentence in document.sentences():
        match = _VALID_FOR.search(sentence.text)
        if match is None:
            continue
        length = int(match[1]) * {"d": 1, "w": 7, "m": 30}[match[2][0].lower()]
        lapses = issued.day + timedelta(days=length)
        late = [p for p in places if _DECISION.search(p.sentence.text) and p.day > lapses]
        late = sorted((p for p in late if p.sentence.row or p.sentence.item), key=lambda p: p.day)
        if late and match[2].lower() != "months":
            yield Fault(
                sheet.number,
                sheet.quote(sentence.start, sentence.end),
                f"The offer lapses on {lapses.day} {lapses:%B %Y}, before the decision planned for "
                f"{late[0].day.day} {late[0].day:%B %Y}.",
                "Make the offer valid beyond the decision and the signature.",
                also=(late[0].place,),
            )
            return


def _line(place: Dated) -> str:
    """The line of the sheet in which a date stands, up to the date."""
    start = place.sheet.text.rfind("\n", 0, place.written.start) + 1
    return place.sheet.text[start : place.written.end]


_LENGTH = re.compile(
    r"\b(?:the|this|our) (?:project|work|engagement|programme|program)\b[^.;\d]{0,20}\b(?:takes?|lasts?|runs? (?:for|over))"
    r" (\d{1,3}) weeks\b|\b(?:build|deliver|introduce|complete|do|finish)\b[^.;\d]{0,60}\b(?:in|within|over) (\d{1,3}) weeks\b"
    r"|\bover (\d{1,3}) weeks\b",
    re.IGNORECASE,
)
_WEEKS = re.compile(r"\bweeks? (\d{1,3})(?:\s?(?:-|–|—|to)\s?(\d{1,3}))?\b", re.IGNORECASE)
_BARE_WEEKS = re.compile(r"^(\d{1,3})\s?(?:-|–|—|to)\s?(\d{1,3})$")


def find_duration_off_plan(document: CheckedDocument) -> Iterator[Fault]:
    """A length in weeks that is not the last week of the plan."""
    plan = _planned_weeks(document)
    if len(plan) < 3:
        return
    sheet_number, quote, last = max(plan, key=lambda entry: entry[2])
    for sheet, sentence in document.sentences():
        match = _LENGTH.search(sentence.text) if "weeks" in sentence.words else None
        if match is None or sentence.row:
            continue
        length = int(next(group for group in match.groups() if group))
        if length != last and last / 2 < length < last * 2:
            yield Fault(
                sheet.number,
                sheet.quote(sentence.start, sentence.end),
                f"Says {length} weeks; the plan on sheet {sheet_number} ends in week {last}.",
                "Make the two agree.",
                also=(Place(sheet=sheet_number, quote=quote),),
            )
            return


def _planned_weeks(document: CheckedDocument) -> list[tuple[int, str, int]]:
    """(sheet, words, last week) of each phase: a column of weeks, or list items that name theirs."""
    plan: list[tuple[int, str, int]] = []
    for sheet in document.sheets:
        weeks_column: tuple[float, float] | None = None
        for row in document.rows(sheet):
            for cell in row.cells:
                if cell.text.casefold() in {"weeks", "week"} and len(row.cells) > 1:
                    weeks_column = (cell.x0, cell.x1)
                bare = _BARE_WEEKS.match(cell.text)
                if bare and weeks_column and cell.over(*weeks_column) and row.whole:
                    plan.append((sheet.number, sheet.quote(row.start, row.end), int(bare[2])))
        for sentence in sheet.sentences:
            named = _WEEKS.search(sentence.text) if sentence.item else None
            if named and named[2]:
                words = sheet.quote(sentence.start, sentence.end)
                plan.append((sheet.number, words, int(named[2])))
    return plan


CHECKS = (
    Check(
        code="deadline_passed",
        title="No deadline is over",
        rule=RULE,
        severity=Severity.FIX,
        good="Please sign by 30 June 2096.",
        bad="Please sign by 30 June 2016.",
        find=find_passed_deadlines,
    ),
    Check(
        code="start_dates",
        title="One start, before the first milestone",
        rule=RULE,
        severity=Severity.FIX,
        good="The project starts on 2 February 2032.\n\nKick-off in Portland: 2 February 2032",
        bad="The project starts on 2 February 2032.\n\nKick-off in Portland: 9 February 2032",
        find=find_start_contradictions,
    ),
    Check(
        code="dates_in_order",
        title="Dates in order",
        rule=RULE,
        severity=Severity.FIX,
        good="- M1 Baseline signed: 27 February 2032\n- M2 Rulebook approved: 2 April 2032",
        bad="- M1 Baseline signed: 27 February 2032\n- M2 Rulebook approved: 2 January 2032",
        find=find_dates_out_of_order,
    ),
    Check(
        code="validity",
        title="The offer outlives the decision",
        rule=RULE,
        severity=Severity.FIX,
        good=(
            "Date: 14 November 2031\n\nThis proposal is valid for 60 days.\n\n"
            "- Decision by the committee: 19 December 2031"
        ),
        bad=(
            "Date: 14 November 2031\n\nThis proposal is valid for 30 days.\n\n"
            "- Decision by the committee: 19 December 2031"
        ),
        find=find_validity_before_decision,
    ),
    Check(
        code="duration",
        title="The length of the work is that of the plan",
        rule=RULE,
        severity=Severity.FIX,
        good=(
            "The work takes 20 weeks.\n\n- Design, weeks 1 to 6\n- Build, weeks 7 to 16\n"
            "- Training, weeks 17 to 20"
        ),
        bad=(
            "The work takes 18 weeks.\n\n- Design, weeks 1 to 6\n- Build, weeks 7 to 16\n"
            "- Training, weeks 17 to 20"
        ),
        find=find_duration_off_plan,
    ),
)
