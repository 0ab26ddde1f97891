"""Losses that follow one model are told from chance, exactly."""

import pytest

from reviewer.core.proportions import fisher_greater, losses_follow


def test_the_tea_tasting_experiment_has_its_textbook_value():
    # Fisher's lady: four of four cups named right, of eight: 1 in 70.
    assert fisher_greater(4, 4, 0, 4) == pytest.approx(1 / 70)


def test_three_of_four_cups_right_is_seventeen_in_seventy():
    assert fisher_greater(3, 4, 1, 4) == pytest.approx(17 / 70)


@pytest.mark.parametrize(
    ("lost", "answers", "others_lost", "others"),
    [(0, 10, 0, 10), (0, 5, 3, 50), (0, 0, 0, 0)],
)
def test_none_lost_is_no_evidence_at_all(lost, answers, others_lost, others):
    assert fisher_greater(lost, answers, others_lost, others) == pytest.approx(1.0)


def test_more_lost_than_there_are_is_refused():
    with pytest.raises(ValueError, match="more answers are lost"):
        fisher_greater(3, 2, 0, 1)


def test_a_model_that_loses_one_in_four_is_named_beside_one_that_loses_one_in_two_hundred():
    [follows] = losses_follow({"qwen": (44, 176), "opus": (2, 412), "sonnet": (1, 388)})
    assert follows.model == "qwen"
    assert (follows.others_lost, follows.others) == (3, 800)
    assert follows.p < 0.001


def test_the_same_share_everywhere_names_nobody():
    assert losses_follow({"a": (5, 100), "b": (5, 100), "c": (6, 100)}) == []


def test_a_model_with_a_handful_of_answers_is_not_judged():
    assert losses_follow({"new": (5, 5), "old": (1, 400)}) == []


def test_a_model_alone_is_compared_with_nobody():
    assert losses_follow({"only": (30, 40)}) == []


def test_large_counts_neither_overflow_nor_stall():
    assert 0 <= fisher_greater(600, 50_000, 500, 50_000) < 0.01
