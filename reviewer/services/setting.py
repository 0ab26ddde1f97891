"""What every reading of a review is told: the document, the client, the sources, the rules."""

from django.utils import timezone

from reviewer.core.prompts import Setting, SheetText, Source
from reviewer.models import Version

LANGUAGES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian"}


def setting_of(version: Version) -> Setting:
    """The setting of `version`, from rows alone; sheets and sources in a stable order."""
    proposal = version.proposal
    language = proposal.workspace.language
    return Setting(
        sheets=tuple(
            SheetText(number, label, text)
            for number, label, text in version.sheets.order_by("number").values_list(
                "number", "label", "text"
            )
        ),
        client=proposal.client,
        kind=proposal.get_kind_display(),
        language=LANGUAGES.get(language, language),
        today=timezone.localdate().isoformat(),
        sources=tuple(
            Source(title, text)
            for title, text in proposal.sources.order_by("id").values_list("name", "text")
        ),
    )
