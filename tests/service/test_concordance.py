from service.editions.concordance import find_concordance


def test_a_word_is_shown_with_its_translations(sample_library):
    found = list(find_concordance(sample_library, "lotse", "pegelwacht"))
    assert len(found) > 3
    assert all("lotse" in f"{line.left} {line.right}".casefold() for line in found)
    assert all(line.right and "pegelwacht" in line.left_place.casefold() for line in found)
    sides = {
        (line.left_place.split("(")[1][:2], line.right_place.split("(")[1][:2]) for line in found
    }
    assert sides == {("de", "it")}
    assert not list(find_concordance(sample_library, "Lots", "pegelwacht"))  # no part of a word
