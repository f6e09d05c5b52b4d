"""Lists that follow from the code are what the code says."""
import pytest
from lists import PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_list_of_a_page_is_what_the_code_says(page):
    assert page.read_text(encoding="utf-8") == PAGES[page](), "refresh it with: python tests/docs/lists.py"
