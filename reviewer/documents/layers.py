"""Layers of a PDF that are not shown are taken out of it. Runs in the child process only.

Promises: what the file's own setting for a screen hides is not in the streams afterwards;
what it shows is there as before, and no layer has a name any more. Only what paints is
taken out: whatever else an operator does to what follows it, it still does.
"""

from typing import Any

_PATHS = {"S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "sh"}
_TEXTS = {"Tj", "TJ"}
_DEEPEST = 12


class Layers:
    """Which layers of `pdf` a screen shows; asked of optional content anywhere in it."""

    def __init__(self, pdf: Any) -> None:
        properties = pdf.Root.get("/OCProperties")
        self.any = properties is not None
        self._off: set[tuple[int, int]] = set()
        if not self.any:
            return
        config = properties.get("/D", {})
        groups = list(properties.get("/OCGs", []))
        if config.get("/BaseState") == "/OFF":
            self._off = {group.objgen for group in groups}
            self._off -= {group.objgen for group in config.get("/ON", [])}
        self._off |= {group.objgen for group in config.get("/OFF", [])}
        for rule in config.get("/AS", []):
            if rule.get("/Event") == "/View":
                self._by_usage(rule)

    def _by_usage(self, rule: Any) -> None:
        for group in rule.get("/OCGs", []):
            state = group.get("/Usage", {}).get("/View", {}).get("/ViewState")
            if state == "/OFF":
                self._off.add(group.objgen)
            elif state == "/ON":
                self._off.discard(group.objgen)

    def shows(self, content: Any) -> bool:
        """Whether optional content, a group or a combination of groups, is shown."""
        if content is None or not hasattr(content, "get"):
            return True
        if content.get("/Type") != "/OCMD":
            return content.objgen not in self._off
        expression = content.get("/VE")
        if expression is not None:
            return self._holds(expression, 0)
        groups = content.get("/OCGs")
        if groups is None:
            return True
        each = [groups] if hasattr(groups, "keys") else list(groups)
        on = [group.objgen not in self._off for group in each if hasattr(group, "get")]
        if not on:
            return True
        match str(content.get("/P", "/AnyOn")):
            case "/AllOn":
                return all(on)
            case "/AnyOff":
                return not all(on)
            case "/AllOff":
                return not any(on)
            case _:
                return any(on)

    def _holds(self, expression: Any, depth: int) -> bool:
        if hasattr(expression, "keys"):
            return self.shows(expression)
        if depth > _DEEPEST or not len(expression):
            return False
        terms = [self._holds(term, depth + 1) for term in list(expression)[1:]]
        match str(expression[0]):
            case "/And":
                return all(terms)
            case "/Or":
                return any(terms)
            case _:
                return not any(terms)


def take_out_hidden(pdf: Any, layers: Layers) -> int:
    """Rewrite every page and form of `pdf` without what is hidden; how many parts went."""
    taken = 0
    seen: set[tuple[int, int]] = set()
    for page in pdf.pages:
        taken += _in_stream(pdf, page.obj, layers, seen, page)
    return taken


def _in_stream(pdf: Any, holder: Any, layers: Layers, seen: set[Any], page: Any = None) -> int:
    """One page (`page` given) or form. Forms drawn by several pages are rewritten once."""
    import pikepdf

    resources = page.resources if page is not None else holder.get("/Resources", {})
    named = resources.get("/Properties", {})
    drawn = resources.get("/XObject", {})
    hidden_forms = {name for name, each in drawn.items() if not layers.shows(each.get("/OC"))}
    marks = {name: layers.shows(each) for name, each in named.items() if _is_layer(each)}
    taken = 0
    if marks or hidden_forms:
        kept, taken = _without(pikepdf.parse_content_stream(holder), marks, hidden_forms)
        data = pikepdf.unparse_content_stream(kept)
        if page is not None:
            holder.Contents = pdf.make_stream(data)
        else:
            holder.write(data)
    for name in marks:
        del named[name]
    for name, each in list(drawn.items()):
        if name in hidden_forms:
            del drawn[name]
            continue
        if "/OC" in each:
            del each["/OC"]
        if each.get("/Subtype") == "/Form" and each.objgen not in seen:
            seen.add(each.objgen)
            taken += _in_stream(pdf, each, layers, seen)
    return taken


def _is_layer(each: Any) -> bool:
    return hasattr(each, "get") and each.get("/Type") in ("/OCG", "/OCMD")


def _without(
    instructions: Any, marks: dict[str, bool], hidden_forms: set[str]
) -> tuple[list[Any], int]:
    """The instructions without what paints where a layer is hidden; how many such parts."""
    from pikepdf import ContentStreamInstruction, Name, Operator

    kept: list[Any] = []
    open_marks: list[bool] = []
    hidden = taken = 0
    for instruction in instructions:
        operator, operands = str(instruction.operator), instruction.operands
        if operator in ("BDC", "BMC"):
            is_layer = operator == "BDC" and str(operands[0]) == "/OC"
            shows = marks.get(str(operands[1]), True) if is_layer else True
            open_marks.append(shows)
            hidden += not shows
            taken += not shows
            if is_layer:
                instruction = ContentStreamInstruction([Name.Span], Operator("BMC"))
        elif operator == "EMC" and open_marks:
            hidden -= not open_marks.pop()
        elif operator == "Do" and str(operands[0]) in hidden_forms:
            taken += 1
            continue
        elif hidden:
            if operator in _TEXTS or operator in ("Do", "INLINE IMAGE"):
                continue
            if operator in ("'", '"'):
                instruction = ContentStreamInstruction([], Operator("T*"))
            elif operator in _PATHS:
                instruction = ContentStreamInstruction([], Operator("n"))
        kept.append(instruction)
    return kept, taken
