"""Our policy in the simulated world: rounds that end, by the code that decides in production.

What is due, cleared, late, upheld and holding comes from `rounds`, `state` and `gate`; what
is one finding from `matching`; what is left from `estimate`. This module only lets the
simulated reader, checker and people answer.

A later round first asks about the fixes that were claimed, and people answer what is still
there, before any sheet is read again. In the last round nobody edits: a fix is accepted until
the next version, and a block that still holds goes to a manager.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from reviewer.core.estimate import Residual, Seen, residual
from reviewer.core.gate import judge
from reviewer.core.matching import Known, Sighting, match_to_known
from reviewer.core.rounds import (
    Context,
    Covered,
    Paragraph,
    Plan,
    Standing,
    cleared,
    halves,
    has_agreement,
    holds,
    is_check_due,
    is_late,
    is_told,
    needs_fresh_check,
    plan,
    standing,
)
from reviewer.core.rubric import RULE_CODES
from reviewer.core.schema import Severity
from reviewer.core.simulation.outcome import Outcome
from reviewer.core.simulation.policies import ROUNDS, Policy
from reviewer.core.simulation.world import Fault, Settings, World
from reviewer.core.state import Decided, Evidence, Machine, People, Record, Verdict, is_touched

_CONTEXT = Context("client", "sources", "rubric", "prompt")
_TWO_MODELS = frozenset({"one", "another"})

ReadAs = tuple[str, str]


def ours(settings: Settings, document: int, policy: Policy | None = None) -> Outcome:
    """Run one document through our rounds until the gate opens or a manager has it."""
    return _Desk(World(settings, document, "ours"), policy or Policy()).run()


class _Desk:
    """One proposal on the desk: what was read and what is known of each finding."""

    def __init__(self, world: World, policy: Policy) -> None:
        self.world, self.policy = world, policy
        self.records: dict[int, Record] = {}
        self.coverage: list[Covered] = []
        self.document_read = False
        self.above: dict[str, bool] = {}
        self.visits = 0

    def run(self) -> Outcome:
        """Rounds of reading and of people answering."""
        for number in range(1, ROUNDS + 1):
            if number > 1 and self.policy.checks_first:
                self._ask_about_claims()
            self._read(first=number == 1)
            edited = self._people_act(self.records, may_edit=number < ROUNDS)
            if not edited and self._gate_is_open():
                return self._outcome(number)
        return self._outcome(ROUNDS, manager=True)

    # What the machine does

    def _ask_about_claims(self) -> None:
        due = self._due()
        if due.checks:
            self._check(self._asked(due))
            self._people_act([int(id) for id in due.checks], may_edit=True)

    def _read(self, *, first: bool) -> None:
        due = self._due(widen=self.policy.widen if first else 0)
        paragraphs = self._paragraphs()
        clear = {paragraph.read_as for paragraph in self._cleared(paragraphs)}
        self._merge(self._blind_passes(due, paragraphs), due, clear)
        if due.document:
            self.world.pay()
            self.document_read = True
        self._check(self._asked(due))
        if first:
            self._state_what_is_left()
        if first or self.policy.sweeps_later:
            for _ in range(self.policy.sweeps):
                self._sweep(sorted(due.passes), clear)

    def _paragraphs(self) -> list[Paragraph]:
        return [
            Paragraph(sheet, self._key(index)) for index, sheet in enumerate(self.world.sheet_of)
        ]

    def _key(self, paragraph: int) -> str:
        return f"{paragraph}.{self.world.revision[paragraph]}"

    def _cleared(self, paragraphs: Iterable[Paragraph]) -> frozenset[Paragraph]:
        return cleared(paragraphs, _CONTEXT, self.coverage, passes=self.policy.passes)

    def _due(self, widen: int = 0) -> Plan:
        return plan(
            self._paragraphs(),
            _CONTEXT,
            self.coverage,
            list(self.records.values()),
            document_read=self.document_read,
            passes=self.policy.passes,
            widen=widen,
        )

    def _blind_passes(self, due: Plan, paragraphs: Iterable[Paragraph]) -> list[tuple[str, Fault]]:
        """What each pass named, with the pass."""
        on_sheet: dict[int, set[ReadAs]] = defaultdict(set)
        for paragraph in paragraphs:
            on_sheet[paragraph.sheet].add(paragraph.read_as)
        named: list[tuple[str, Fault]] = []
        for turn in range(max(due.passes.values(), default=0)):
            name = f"{len(self.coverage)}.{turn}"
            for sheet in (sheet for sheet, count in due.passes.items() if count > turn):
                found, censored = self._uncensored(sheet, RULE_CODES)
                named.extend((name, fault) for fault in found)
                self.coverage.append(
                    Covered(name, frozenset(on_sheet[sheet]), _CONTEXT, censored=censored)
                )
        return named

    def _uncensored(self, sheet: int, rules: tuple[str, ...]) -> tuple[list[Fault], bool]:
        """One sheet read by halves of the rubric until no answer is at its limit."""
        found, censored = self.world.read([sheet], rules=rules)
        self.world.pay(findings=len(found))
        split = halves(rules) if censored else None
        if split is None:
            return found, censored
        parts = [self._uncensored(sheet, half) for half in split]
        both = {fault.number: fault for faults, _ in parts for fault in faults}
        both.update((fault.number, fault) for fault in found)
        return [both[number] for number in sorted(both)], any(cut for _, cut in parts)

    def _merge(self, named: list[tuple[str, Fault]], due: Plan, clear: set[ReadAs]) -> None:
        """Merge what was named into findings, and count who could have seen them."""
        for number, record in self.records.items():
            sheet = self.world.sheet(self.world.faults[number])
            covering = 0 if is_touched(record.machine) else due.passes.get(sheet, 0)
            self._set(
                number,
                sheet=sheet,
                agreed=has_agreement(record.machine),
                passes=record.machine.passes + covering,
            )
        sightings = {f"{name}:{fault.number}": (name, fault) for name, fault in named}
        known = [
            Known(str(number), (self._sighting("known", self.world.faults[number]),))
            for number in self.records
        ]
        for matched in match_to_known((self._sighting(*one) for one in sightings.values()), known):
            fault = sightings[matched.group.ids[0]][1]
            votes = matched.group.votes
            if matched.finding is None:
                self._raise(fault, clear, votes=votes, passes=due.passes[self.world.sheet(fault)])
            else:
                self._name_again(int(matched.finding), votes)

    def _sighting(self, name: str, fault: Fault) -> Sighting:
        place = 100 * fault.number
        return Sighting(
            f"{name}:{fault.number}",
            name,
            self.world.sheet(fault),
            fault.severity,
            fault.rule,
            f"f{fault.number}",
            "",
            span=(place, place + 1),
        )

    def _raise(self, fault: Fault, clear: set[ReadAs], *, passes: int, votes: int = 0) -> None:
        late = is_late([(self._key(fault.paragraph), "")], clear)
        self.records[fault.number] = Record(
            str(fault.number),
            fault.severity,
            Machine(votes=votes, passes=passes, late=late),
            sheet=self.world.sheet(fault),
        )

    def _name_again(self, number: int, votes: int) -> None:
        machine = self.records[number].machine
        if is_touched(machine):
            self._set(number, seen_again=machine.seen_again + votes)
        else:
            self._set(number, votes=machine.votes + votes)

    def _asked(self, due: Plan) -> dict[int, list[int]]:
        """The findings to ask the checker about, by sheet: new ones and changed ones."""
        asked: dict[int, list[int]] = defaultdict(list)
        for number, record in self.records.items():
            if needs_fresh_check(record) or record.id in due.checks:
                asked[record.sheet].append(number)
        return asked

    def _check(self, asked: dict[int, list[int]]) -> None:
        for numbers in asked.values():
            self.world.pay(verdicts=len(numbers))
            contested = sum(self._ask(number) for number in numbers)
            if contested:
                # A block that was still there once is closed by two models.
                self.world.pay(verdicts=contested)

    def _ask(self, number: int) -> bool:
        """Ask about one finding; tell whether it is a block that was still there before."""
        record = self.records[number]
        upholds = self.world.check_upholds(self.world.faults[number])
        verdict = Verdict.HOLDS if upholds else Verdict.DOES_NOT_HOLD
        if needs_fresh_check(record):
            self._set(number, verdict=verdict)
        if not is_check_due(record):
            return False
        still = record.machine.times_still_there
        self._set(
            number,
            recheck=verdict,
            gone_by=frozenset() if upholds else _TWO_MODELS,
            times_still_there=still + upholds,
        )
        return record.is_block and still > 0

    def _state_what_is_left(self) -> None:
        """State it, and hold it against the truth of the text that was read."""
        votes_of = [(record, record.machine.votes) for record in self.records.values()]
        upheld = [
            Seen(record.severity, votes)
            for record, votes in votes_of
            if standing(record) is Standing.UPHELD
        ]
        refuted: dict[str, int] = defaultdict(int)
        for record, votes in votes_of:
            refuted[record.severity] += votes > 1 and standing(record) is not Standing.UPHELD
        left = residual(
            upheld,
            self.policy.passes + self.policy.widen,
            refuted_twice=refuted,
            censored=sum(covered.censored for covered in self.coverage),
        )
        if isinstance(left, Residual):
            self.above["all"] = len(self.world.true_faults()) > left.all.high
            for severity in Severity:
                truth = len(self.world.true_faults(severity))
                self.above[severity.value] = truth > left.of(severity).high

    def _sweep(self, sheets: list[int], clear: set[ReadAs]) -> None:
        """A reading told what is settled: real findings, never counted in the estimate."""
        told = [self.world.faults[n] for n, record in self.records.items() if is_told(record)]
        for part in [sheets] if self.policy.whole_sweeps else [[sheet] for sheet in sheets]:
            named, _ = self.world.read(part, known=told)
            self.world.pay(findings=len(named))
            for fault in named:
                if fault.number not in self.records:
                    self._raise(fault, clear, passes=self.policy.passes)
                swept = self.records[fault.number].machine.swept
                self._set(fault.number, swept=swept + 1)
        self._check(self._asked(Plan()))

    # What people do

    def _people_act(self, numbers: Collection[int], *, may_edit: bool) -> bool:
        """People answer what holds; tell whether they edited the text."""
        held = [number for number in sorted(numbers) if holds(self.records[number])]
        self.visits += bool(held)
        edited = False
        for number in held:
            fault = self.world.faults[number]
            if self.world.person_dismisses(fault):
                self._decide(number, Decided.DISMISSED)
            elif may_edit:
                self._edit(number, fault)
                edited = True
            elif self.policy.accept_fixes and not self.records[number].is_block:
                self._decide(number, Decided.ACCEPTED)
        return edited

    def _edit(self, number: int, fault: Fault) -> None:
        self.world.edit(fault)
        self.document_read = False
        self._decide(number, Decided.FIX_CLAIMED)
        self._set(
            number,
            evidence=Evidence.CHANGED,
            recheck=Verdict.NONE,
            gone_by=frozenset(),
            seen_again=0,
        )

    def _decide(self, number: int, decided: Decided) -> None:
        self.records[number] = replace(self.records[number], people=People(decided))

    def _set(self, number: int, *, sheet: int | None = None, **changes: Any) -> None:
        record = self.records[number]
        self.records[number] = replace(
            record,
            machine=replace(record.machine, **changes),
            sheet=record.sheet if sheet is None else sheet,
        )

    def _gate_is_open(self) -> bool:
        return judge(findings=self.records.values(), due=self._due()).is_open

    def _outcome(self, rounds: int, *, manager: bool = False) -> Outcome:
        held = {number for number, record in self.records.items() if holds(record)}
        blocks = [self.world.faults[n] for n in held if self.records[n].is_block]
        return Outcome(
            rounds=rounds,
            visits=self.visits,
            calls=self.world.calls,
            cost=self.world.cost,
            blocks_missed=sum(
                fault.number not in held for fault in self.world.true_faults(Severity.BLOCK)
            ),
            false_blocks_holding=sum(not fault.true for fault in blocks),
            needs_manager=manager,
            above=self.above,
        )
