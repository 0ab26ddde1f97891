"""What an answer says, with white space folded: templates may break lines where they like."""

from django.http import HttpResponse


def html_of(response: HttpResponse) -> str:
    """The text of an HTML answer, each run of white space as one space, none before `>`."""
    return " ".join(response.content.decode().split()).replace(" >", ">").replace("> <", "><")
