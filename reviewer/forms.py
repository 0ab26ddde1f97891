"""What people fill in. A form cleans and words; whether it may be done is for services."""

from typing import Any

from django import forms
from django.contrib.auth import forms as auth

from reviewer.core.outcomes import Outcome
from reviewer.core.typed import FIGURES, typed_number
from reviewer.models import Kind, Membership, ModelSettings, Proposal, Role, Waiver
from reviewer.models.model_settings import Depth
from reviewer.services.policy import WAIT_DAYS_AT_MOST

ANY_KIND = ("", "all kinds")


class SignInForm(auth.AuthenticationForm):
    """Django's own, with a sentence for each way to fail that says what to do."""

    error_messages = {
        "invalid_login": "This user name and password do not go together. Both are "
        "case-sensitive. If you forgot the password, ask for a new one below.",
        "inactive": "This account is switched off. Ask a manager of your workspace.",
    }


class ResetForm(auth.PasswordResetForm):
    email = forms.EmailField(
        label="E-mail address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class InvitationForm(auth.PasswordResetForm):
    """Sends one new member the mail with which to choose a first password."""

    def __init__(self, user: Any) -> None:
        super().__init__({"email": user.email})
        self._user = user

    def get_users(self, email: str) -> Any:
        return [self._user]


class SearchForm(forms.Form):
    """The list's search, kind and archive. A value that is not known is as if not given."""

    q = forms.CharField(required=False, max_length=200)
    kind = forms.ChoiceField(required=False, choices=[ANY_KIND, *Kind.choices], label="Kind")
    archived = forms.BooleanField(required=False, label="Archived")

    def wanted(self) -> tuple[str, str, bool]:
        """Words, kind (empty for all), and whether the archive is meant."""
        self.is_valid()
        cleaned = self.cleaned_data
        return (
            cleaned.get("q", ""),
            cleaned.get("kind", ""),
            bool(cleaned.get("archived", False)),
        )


class AnswersForm(forms.Form):
    """The filters of the stored answers. A value that is not known is as if not given."""

    model = forms.CharField(required=False, max_length=120, strip=False)
    outcome = forms.ChoiceField(
        required=False, choices=[(each, each) for each in ("", "lost", *map(str, Outcome))]
    )

    def wanted(self) -> dict[str, str]:
        """The model and the outcome, each empty for all."""
        self.is_valid()
        return {name: self.cleaned_data.get(name, "") for name in self.fields}


class UploadForm(forms.Form):
    """What is said about the files that are uploaded together; the files are not fields here."""

    title = forms.CharField(
        required=False, max_length=200, help_text="Left empty, the name of the file is used."
    )
    client = forms.CharField(
        required=False, max_length=120, help_text="The checks look for any other client's name."
    )
    kind = forms.ChoiceField(choices=Kind.choices, initial=Kind.PROPOSAL)
    checks_only = forms.BooleanField(
        required=False, label="Keep to checks only: no model is ever sent this text"
    )
    read_when_ready = forms.BooleanField(required=False, initial=True)


class VersionForm(forms.Form):
    read_when_ready = forms.BooleanField(required=False, initial=True)


class EditForm(VersionForm):
    """A text as it was edited, and the version that it began from."""

    based_on = forms.IntegerField(min_value=1, max_value=10**6, widget=forms.HiddenInput)
    text = forms.CharField(
        strip=False,
        widget=forms.Textarea(attrs={"rows": 30, "spellcheck": "true"}),
        error_messages={"required": "The text is empty, so nothing was saved."},
    )


class DetailsForm(forms.Form):
    title = forms.CharField(max_length=200)
    client = forms.CharField(required=False, max_length=120)
    kind = forms.ChoiceField(choices=Kind.choices)
    checks_only = forms.BooleanField(
        required=False,
        label="Keep to checks only: no model is sent this text from now on",
    )

    def __init__(self, data: Any = None, *, by: Membership, proposal: Proposal) -> None:
        initial = {name: getattr(proposal, name) for name in self.base_fields}
        super().__init__(data, initial=initial)
        if not by.is_manager:
            self.fields["kind"].disabled = True
            self.fields["kind"].help_text = "Only a manager can change the kind."


class DeleteForm(forms.Form):
    """The title is typed again, so that nothing is deleted by a slip of the mouse."""

    confirm = forms.CharField(
        label="Type the title to confirm", widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def __init__(self, data: Any = None, *, proposal: Proposal) -> None:
        super().__init__(data)
        self._title = proposal.title

    def clean_confirm(self) -> str:
        typed = str(self.cleaned_data["confirm"])
        if typed.split() != self._title.split():
            raise forms.ValidationError(
                "This is not the title, so nothing was deleted. Type it as it stands above."
            )
        return typed


class MemberForm(forms.Form):
    username = forms.CharField(
        label="User name", max_length=150, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    email = forms.EmailField(
        required=False,
        label="E-mail address",
        help_text="Needed for somebody who has no account yet: the link for a password goes there.",
    )
    role = forms.ChoiceField(choices=Role.choices)


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)


class ModelSettingsForm(forms.Form):
    """Who reads for the workspace. The stored key is never put into the page."""

    base_url = forms.CharField(
        required=False,
        max_length=200,
        label="Server's address",
        help_text="Left empty, Anthropic's own. Any server that speaks the Messages API will do.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "https://…"}),
    )
    api_key = forms.CharField(
        required=False,
        label="Key",
        help_text="Left empty, the stored key stays. It is stored encrypted and never shown.",
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    model = forms.CharField(
        required=False, max_length=120, help_text="As its server names it; empty for the default."
    )
    second_model = forms.CharField(
        required=False,
        max_length=120,
        label="Second model",
        help_text="Used by thorough reviews, whose passes then take turns.",
    )
    depth = forms.ChoiceField(choices=Depth.choices)
    calls_at_once = forms.IntegerField(min_value=1, max_value=200, label="Calls at once")
    monthly_limit = forms.DecimalField(
        required=False,
        min_value=0,
        max_digits=10,
        decimal_places=2,
        label="Limit a month, in US dollars",
        help_text="Empty for no limit. Trials and calibrations count; models without a known price "
        "do not.",
    )
    keep_answers_days = forms.IntegerField(
        min_value=1, max_value=3650, label="Keep raw answers, in days"
    )
    lost_alarm_percent = forms.IntegerField(
        min_value=0, max_value=100, label="Alarm when more answers are lost, in percent"
    )

    def __init__(self, data: Any = None, *, row: ModelSettings) -> None:
        names = [name for name in self.base_fields if name != "api_key"]
        super().__init__(data, initial={name: getattr(row, name) for name in names})

    def said(self) -> dict[str, Any]:
        """The cleaned values as the service takes them."""
        limit = self.cleaned_data["monthly_limit"]
        return {**self.cleaned_data, "monthly_limit": "" if limit is None else str(limit)}


class PriceForm(forms.Form):
    """What one model costs, in US dollars a million tokens; left empty, the table's price."""

    model = forms.CharField(required=False, max_length=120)
    input = forms.CharField(required=False, max_length=12)
    output = forms.CharField(required=False, max_length=12)
    cache_write = forms.CharField(required=False, max_length=12)
    cache_read = forms.CharField(required=False, max_length=12)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = self.initial.get("model", "")
        for name in ("input", "output", "cache_write", "cache_read"):
            field = self.fields[name]
            field.widget.attrs |= {
                "inputmode": "decimal",
                "autocomplete": "off",
                "placeholder": self.initial.get(f"table_{name}", ""),
                "aria-label": f"{name.replace('_', ' ').capitalize()}, {known or 'another model'}",
            }
        self.fields["model"].widget = (
            forms.HiddenInput()
            if known
            else forms.TextInput(attrs={"autocomplete": "off", "aria-label": "Another model"})
        )


PriceForms = forms.formset_factory(PriceForm, extra=1, max_num=60, absolute_max=60)


FIT_FAULTS = {
    "clipped": "Text is cut off at the edge of its sheet or box",
    "overfull": "Text runs over other text, or a sheet holds more than fits",
    "off_page": "Words lie outside the page",
    "hidden_words": "Words cannot be seen: hidden, or in the colour of the paper",
    "blank": "A sheet is blank",
    "mixed_sizes": "Sheets have different sizes",
    "footer_moved": "The footer is not in the same place on every sheet",
    "page_numbers_out_of_order": "Page numbers are out of order",
    "page_number_twice": "A page number stands on two sheets",
    "small_text": "Text is smaller than 7 pt",
    "fonts_not_embedded": "Fonts are not embedded",
    "image_not_loaded": "An image did not load",
    "letters_not_shown": "Letters could not be shown by any font",
}


class AskForm(forms.Form):
    """A word beside a question or an answer; it may be left empty."""

    note = forms.CharField(
        required=False, max_length=2000, label="A word with it", widget=forms.Textarea({"rows": 2})
    )


class NoForm(forms.Form):
    """Why not, and the numbers of the findings that stay due."""

    reason = forms.CharField(max_length=2000, label="Why not", widget=forms.Textarea({"rows": 2}))
    due = forms.TypedMultipleChoiceField(
        required=False, coerce=typed_number, label="These stay due"
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        due: Any = self.fields["due"]
        given = data.getlist("due") if data is not None else []
        due.choices = [(each, each) for each in given if typed_number(each) is not None]


class WaiveForm(forms.Form):
    """What is signed for, why, and until when."""

    kind = forms.ChoiceField(choices=Waiver.Kind.choices, widget=forms.HiddenInput)
    code = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)
    sheet = forms.IntegerField(
        required=False, min_value=0, max_value=10**FIGURES - 1, widget=forms.HiddenInput
    )
    reason = forms.CharField(max_length=2000, label="Why it may leave all the same")
    later_versions = forms.BooleanField(required=False, label="For later versions too, until")
    until_date = forms.DateField(
        required=False, label="Last day", widget=forms.DateInput({"type": "date"})
    )

    def clean_sheet(self) -> int:
        return int(self.cleaned_data["sheet"] or 0)


class CheckForm(forms.Form):
    """A file, or a hash, to be found among the exports."""

    hash = forms.CharField(required=False, max_length=200, label="Its sha256")
    file = forms.FileField(required=False, label="A file")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if not cleaned.get("hash") and not cleaned.get("file"):
            raise forms.ValidationError("Choose a file or paste a hash.")
        return cleaned


class PolicyForm(forms.Form):
    """Which faults of layout hold, and which kinds are gated, as boxes to tick."""

    fit = forms.MultipleChoiceField(
        required=False, choices=list(FIT_FAULTS.items()), widget=forms.CheckboxSelectMultiple
    )
    gated = forms.MultipleChoiceField(
        required=False, choices=Kind.choices, widget=forms.CheckboxSelectMultiple
    )
    four_eyes = forms.BooleanField(
        required=False,
        label="Four eyes: who edited a proposal last does not approve it, another manager does",
    )
    learning_wait_days = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=WAIT_DAYS_AT_MOST,
        label="Days after which a learning is in force that nobody approved or declined",
        help_text="0: a second person always approves it.",
    )

    def __init__(self, data: Any = None, *, initial: dict[str, Any]) -> None:
        super().__init__(data, initial=initial)
