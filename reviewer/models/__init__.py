"""What is stored. One module a noun; constraints and named states live with it."""

from reviewer.models.approval import Approval
from reviewer.models.calibration import Calibration
from reviewer.models.comment import Comment
from reviewer.models.decision import Decision
from reviewer.models.event import Event
from reviewer.models.expense import Expense
from reviewer.models.export import Export, ExportNumber
from reviewer.models.finding import Apart, Finding, FindingPlace, Sighting
from reviewer.models.learning import (
    HeldBack,
    Learning,
    LearningSource,
    LearningVersion,
    Likeness,
)
from reviewer.models.model_settings import ModelSettings, ModelWay
from reviewer.models.pinned import Pinned
from reviewer.models.proposal import Kind, Proposal, Source
from reviewer.models.reading import Answer, Reading
from reviewer.models.replay import Replay
from reviewer.models.review import Review
from reviewer.models.rubric import Rubric
from reviewer.models.sheet import Paragraph, Sheet
from reviewer.models.version import Version
from reviewer.models.waiver import Waiver
from reviewer.models.workspace import Membership, Role, Workspace

__all__ = [
    "Answer",
    "Apart",
    "Approval",
    "Calibration",
    "Comment",
    "Decision",
    "Event",
    "Expense",
    "Export",
    "ExportNumber",
    "Finding",
    "FindingPlace",
    "HeldBack",
    "Kind",
    "Learning",
    "LearningSource",
    "LearningVersion",
    "Likeness",
    "Membership",
    "ModelSettings",
    "ModelWay",
    "Paragraph",
    "Pinned",
    "Proposal",
    "Reading",
    "Replay",
    "Review",
    "Role",
    "Rubric",
    "Sheet",
    "Sighting",
    "Source",
    "Version",
    "Waiver",
    "Workspace",
]
