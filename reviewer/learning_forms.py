"""What people fill in about learnings. A form cleans and words; whether it may be done is for services."""

from collections.abc import Iterable
from typing import Any

from django import forms

from reviewer.models import Kind, Learning


class LearningSearchForm(forms.Form):
    """The filters of the learnings. A value that is not known is as if not given."""

    q = forms.CharField(required=False, max_length=200)
    kind = forms.ChoiceField(
        required=False, choices=[("", "all kinds"), *Learning.Kind.choices], label="Kind"
    )
    status = forms.ChoiceField(
        required=False, choices=[("", "all states"), *Learning.Status.choices], label="State"
    )

    def wanted(self) -> dict[str, str]:
        """Words, kind and state, each empty for all."""
        self.is_valid()
        return {name: self.cleaned_data.get(name, "") for name in self.fields}


class LearningForm(forms.Form):
    """A learning: what it says, of which rule, and where it holds.

    `clients` are the clients to choose from; where none are given the client is typed.
    """

    kind = forms.ChoiceField(choices=Learning.Kind.choices)
    text = forms.CharField(
        required=False,
        max_length=600,
        label="What it says",
        help_text="One sentence that somebody can follow who does not know where it came from.",
        widget=forms.Textarea({"rows": 3}),
    )
    phrase = forms.CharField(
        required=False,
        max_length=120,
        label="The phrase",
        help_text="Code looks for it in every version, in its other forms too. No model is asked.",
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    instead = forms.CharField(
        required=False,
        max_length=200,
        label="What to say instead, if anything",
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    rule = forms.ChoiceField(required=False, label="Rule")
    client = forms.CharField(
        required=False, max_length=120, label="For one client alone", help_text="Empty for all."
    )
    proposal_kind = forms.ChoiceField(
        required=False,
        choices=[("", "all kinds"), *Kind.choices],
        label="For documents of this kind",
    )
    expires_on = forms.DateField(
        required=False,
        label="Last day",
        help_text="Empty where it holds until somebody retires it.",
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )

    def __init__(
        self,
        data: Any = None,
        *,
        rules: Iterable[tuple[str, str]],
        initial: dict[str, Any] | None = None,
        clients: Iterable[str] = (),
        name: str = "id",
    ) -> None:
        super().__init__(data, initial=initial, auto_id=f"{name}_%s")
        choice: Any = self.fields["rule"]
        choice.choices = [("", "none of the rubric"), *rules]
        named = [client for client in clients if client]
        if named:
            of = [("", "all clients"), *((client, client) for client in named)]
            self.fields["client"] = forms.ChoiceField(required=False, choices=of, label="Client")

    def clean(self) -> dict[str, Any]:
        """A phrase belongs to what is never said, and is dropped elsewhere."""
        cleaned: dict[str, Any] = super().clean() or {}
        is_phrase = cleaned.get("kind") == Learning.Kind.NEVER_SAY
        if not is_phrase:
            cleaned["phrase"] = cleaned["instead"] = ""
        if is_phrase and not cleaned.get("phrase"):
            self.add_error("phrase", "Which words are never said? Write them as they would stand.")
        if not is_phrase and not cleaned.get("text") and "text" not in self.errors:
            self.add_error("text", "Say the rule in one sentence.")
        return cleaned


class LearningsFileForm(forms.Form):
    file = forms.FileField(
        label="A YAML file, as it is exported here",
        widget=forms.ClearableFileInput({"accept": ".yaml,.yml"}),
    )


class WhyForm(forms.Form):
    """Why a learning is declined or retired, or an offer dismissed."""

    why = forms.CharField(
        max_length=2000, label="Why", widget=forms.TextInput({"autocomplete": "off"})
    )


class ExpiryForm(forms.Form):
    expires_on = forms.DateField(
        required=False, label="Last day", widget=forms.DateInput({"type": "date"}, "%Y-%m-%d")
    )


class DismissForm(WhyForm):
    """An offer as the page made it, and why it is no rule."""

    kind = forms.ChoiceField(choices=Learning.Kind.choices)
    text = forms.CharField(max_length=600)
    rule = forms.CharField(required=False, max_length=40)
