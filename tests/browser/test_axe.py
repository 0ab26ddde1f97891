"""What looks for faults of access finds one when there is one."""


def test_a_fault_of_access_is_named_with_its_place(page, axe):
    page.set_content(
        "<html lang=en><title>A page</title><main><h1>A page</h1>"
        "<p style='color: #999; background: #aaa'>Pale words</p><button id=mute></button></main>"
    )
    assert axe(page) == [
        "button-name: Buttons must have discernible text: #mute",
        "color-contrast: Elements must meet minimum color contrast ratio thresholds: p",
    ]
    page.set_content("<html lang=en><title>A page</title><main><h1>A page</h1></main>")
    assert axe(page) == []
