"""Faults in sums, prices and dates, each on a sheet of its own."""

from tests.core.checks.plant import Sheet, table

_LINES = (
    "The work is spread over both years of your plan. What falls into each of them is listed "
    "below, first what is spent on all of it, then what is spent until the winter and after."
)
_EFFORT = table("Step/Your effort", "Listen/24 days", "Write/15 days", "Try/18 days")
_WEEKS = "- Drafts, weeks 1 to 6\n- Trials, weeks 7 to 16\n- Courses, weeks 17 to 20"
_OFFERED = "Date: 14 November 2031\n\nThis proposal is valid for {} days.\n\n- Decision by the committee: 19 December 2031"

SUMS = (
    Sheet(
        "Effort by step",
        table("Step/Hours", "Draft/52", "Build/84", "Total/146"),
        table("Step/Hours", "Draft/52", "Build/84", "Total/136"),
        ("table_total",),
    ),
    Sheet(
        "Instalments",
        "- 30% on signature\n- 30% on delivery\n- 30% on acceptance",
        "- 30% on signature\n- 40% on delivery\n- 30% on acceptance",
        ("shares",),
    ),
    Sheet(
        "How long each step is",
        "The steps take 4, 6 and 8 weeks, 21 weeks in all.",
        "The steps take 4, 6 and 8 weeks, 18 weeks in all.",
        ("sentence_total",),
    ),
    Sheet(
        "Interviews",
        "Interviews: 24 hours × $75 = $1,900",
        "Interviews: 24 hours × $75 = $1,800",
        ("arithmetic",),
    ),
    Sheet(
        "Costs of both years",
        f"{_LINES}\n\nTotal costs: $22,000\n\nCosts: $8,000\n\nCosts: $12,000",
        f"{_LINES}\n\nTotal costs: $20,000\n\nCosts: $8,000\n\nCosts: $12,000",
        ("labelled_total",),
    ),
    Sheet(
        "Parts of the work",
        "- Maps: $10,000\n- Forms: $10,000\n- Total: $30,000",
        "- Maps: $10,000\n- Forms: $20,000\n- Total: $30,000",
        ("list_total",),
    ),
    Sheet(
        "Your time",
        f"{_EFFORT}\n\nIn all we ask for 47 days of your time.",
        f"{_EFFORT}\n\nIn all we ask for 57 days of your time.",
        ("stated_sum",),
    ),
    Sheet(
        "What the work costs",
        "We offer the work for a fixed fee of $642,000.\n\nThe total price is $658,000.",
        "We offer the work for a fixed fee of $658,000.\n\nThe total price is $658,000.",
        ("two_prices",),
    ),
    Sheet(
        "Days by phase",
        table("Phase/Days", "Listening/200", "Writing/176", "Total/376"),
        table("Phase/Days", "Listening/200", "Writing/176", "Total/376"),
    ),
    Sheet(
        "Days by name",
        table("Name/Days", "Anna/200", "Ben/180", "Total/380"),
        table("Name/Days", "Anna/200", "Ben/176", "Total/376"),
        ("two_totals",),
    ),
    Sheet(
        "Support",
        "The day rate is $900.\n\nThe licence costs €2,000.\n\nThe invoice for support is $400.",
        "The day rate is $900.\n\nThe licence costs $2,000.\n\nThe invoice for support is $400.",
        ("two_currencies",),
    ),
    Sheet(
        "Days and rates",
        table(
            "Item/Count/Rate/Amount",
            "Draft/10/$900/$9,000",
            "Build/20/$800/$16,000",
            "Courses/4/$700/$3,800",
        ),
        table(
            "Item/Count/Rate/Amount",
            "Draft/10/$900/$9,000",
            "Build/20/$800/$16,000",
            "Courses/4/$700/$2,800",
        ),
        ("row_product",),
    ),
)
DATES = (
    Sheet(
        "First workshop",
        "The first workshop is on Tuesday 16 February 2032.",
        "The first workshop is on Monday 16 February 2032.",
        ("weekday",),
    ),
    Sheet(
        "The order",
        "Please send the order by 30 June 2016.",
        "Please send the order by 30 June 2031.",
        ("deadline_passed",),
    ),
    Sheet(
        "When we begin",
        "The project starts on 2 February 2032.\n\nKick-off in Portland: 9 February 2032",
        "The project starts on 2 February 2032.\n\nKick-off in Portland: 2 February 2032",
        ("start_dates",),
    ),
    Sheet(
        "Batches",
        "- Batch 1 of the forms: 2 April 2032\n- Batch 2 of the forms: 27 February 2032",
        "- Batch 1 of the forms: 27 February 2032\n- Batch 2 of the forms: 2 April 2032",
        ("dates_in_order",),
    ),
    Sheet("The offer", _OFFERED.format(30), _OFFERED.format(60), ("validity",)),
    Sheet(
        "The plan",
        f"The work takes 17 weeks.\n\n{_WEEKS}",
        f"The work takes 20 weeks.\n\n{_WEEKS}",
        ("duration",),
    ),
    Sheet(
        "The trial",
        "The trial runs for 12 weeks, from 5 April to 28 May 2032.",
        "The trial runs for 8 weeks, from 5 April to 28 May 2032.",
        ("period_length",),
    ),
)
