"""The words of a sheet as lines of text over its image: without a database."""

from reviewer.models import Sheet
from reviewer.views.desk_words import text_lines


def lines(text, *words):
    return text_lines(Sheet(text=text, words=[list(word) for word in words]))


def written(found):
    """What would be copied: words with the space between them, a line a line."""
    return ["".join(piece.before + piece.text for piece in line.pieces) for line in found]


def test_words_of_a_line_have_the_space_of_the_text_between_them():
    found = lines(
        "The price\nis 標準 fixed",
        ("The", 72, 72, 90, 84),
        ("price", 96, 72, 126, 84),
        ("is", 72, 90, 84, 102),
        ("標", 90, 90, 102, 102),
        ("準", 102, 90, 114, 102),
        ("fixed", 120, 90, 150, 102),
    )
    assert written(found) == ["The price", "is 標準 fixed"]


def test_a_line_is_as_high_as_its_words_so_that_a_dash_can_be_pointed_at():
    [line] = lines(
        "We – all", ("We", 72, 72, 90, 82), ("–", 96, 77, 106, 78), ("all", 110, 71, 130, 82)
    )
    assert line.y == 71 + 0.8 * 11
    assert line.size == round(0.86 * 11, 2)
    assert [(piece.x, piece.length) for piece in line.pieces] == [(72, 18), (96, 10), (110, 20)]


def test_words_that_stand_upright_beside_each_other_are_lines_of_their_own():
    found = lines("Hello world", ("Hello", 369, 212, 396, 297), ("world", 369, 308, 396, 402))
    assert written(found) == ["Hello", "world"]


def test_a_word_far_higher_than_its_line_makes_no_line_as_high_as_itself():
    found = lines(
        "A small T", ("A", 72, 72, 80, 82), ("small", 84, 72, 110, 82), ("T", 114, 40, 130, 112)
    )
    assert written(found) == ["A small", "T"]
    assert found[0].size == round(0.86 * 10, 2)


def test_lines_that_run_from_right_to_left_keep_the_order_in_which_they_are_read():
    found = lines(
        "عرض مع Harbor",
        ("عرض", 487, 65, 537, 80),
        ("مع", 424, 65, 477, 80),
        ("Harbor", 320, 66, 415, 80),
    )
    assert written(found) == ["عرض مع Harbor"]
    assert [piece.x for piece in found[0].pieces] == [487, 424, 320]


def test_a_box_without_width_or_height_still_has_a_place():
    [line] = lines("|", ("|", 72, 72, 72, 72))
    assert line.size > 0
    assert line.pieces[0].length == 0.5


def test_a_text_that_is_not_made_of_the_words_loses_none_of_them():
    found = lines("something else", ("The", 72, 72, 90, 84), ("price", 96, 72, 126, 84))
    assert written(found) == ["The price"]


def test_no_words_are_no_lines():
    assert lines("") == []
