import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from index.model import Hit, Query, SearchResult
from index.timing.announced import announced_by
from service.answers.chat_markup import utf16_length
from service.answers.chat_messages import (
    compose_message,
)
from service.answers.citations import citation_label
from service.schemas.fields import LEAST_MESSAGE, MESSAGE_LIMITS, MessageFormat

BASE = "https://regula.example.org"
HOSTILE = st.text("*_~`|<>[]()#+-.!\\/:&=@$^ \nabÄ1", min_size=1, max_size=300).map(
    lambda text: re.sub(r"\s*\n\s*", "\n", f"x{text}x")
)


def found(*passages, marks=(), answered=True, fallback=None):
    hits = tuple(Hit(p, 1.0, marks if n == 0 else ()) for n, p in enumerate(passages))
    return SearchResult(Query("Was nun?"), "de", hits, 0.99, answered, fallback)


def like(library, display):
    """A passage with these words."""
    return replace(library.searchable[0], text=display, display=display)


def plain(text):
    """The words alone: neither white space nor the character that keeps a name from being
    called.
    """
    return "".join(text.replace("\u200b", "").split())


def rendered(text):
    """What a web chat shows: the words of the quotation, the words set off in it, the addresses of
    links.
    """
    quotation, bold, links, depth, strong = "", [], [], 0, False
    for token in MarkdownIt("commonmark").parse(text):
        depth += token.nesting if token.type.startswith("blockquote") else 0
        assert token.type.split("_")[0] in ("blockquote", "paragraph", "inline"), token.type
        for child in token.children or ():
            assert child.type in (
                "text",
                "text_special",
                "hardbreak",
                "strong_open",
                "strong_close",
                "link_open",
                "link_close",
            ), child.type
            strong = (strong or child.type == "strong_open") and child.type != "strong_close"
            quotation += ("\n" if child.type == "hardbreak" else child.content) if depth else ""
            bold += [child.content] if strong and child.content and depth else []
            links += [str(child.attrs["href"])] if child.type == "link_open" else []
    return quotation, bold, links


def assert_markdown_v2(text):
    """Telegram refuses a message with a reserved sign that is neither escaped nor part of its
    markup, or with markup left open.
    """
    rest = re.sub(r"(?s)\\.", "", text)
    rest = re.sub(r"(?m)^> ", "", rest)
    rest = re.sub(r"\[([^\[\]]*)\]\([^()\s]*\)", r"\1", rest)
    assert all(line.count("__") % 2 == 0 for line in rest.splitlines())
    assert not re.search(r"[_*\[\]()~`>#+\-=|{}.!]", rest.replace("__", ""))


def discord(text):
    """The words of the quotation as Discord shows them."""
    lines = [line.removeprefix("> ") for line in text.splitlines() if line.startswith("> ")]
    for line in lines:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\*\*", line)) % 2 == 0
    bare = re.sub(r"(\\[^0-9A-Za-z\s])|\*\*", lambda m: m.group(1) or "", "\n".join(lines))
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_~|<>\[\]]", bare)
    assert not any(re.match(r"\s*(?:[#+-]|\d+[.)]\s)", line) for line in lines)
    return re.sub(r"\\([^0-9A-Za-z\s])", r"\1", bare)


def shown(form, text):
    if form is MessageFormat.MARKDOWN:
        assert_markdown_v2(text)
        return rendered(text)[0]
    return discord(text) if form is MessageFormat.DISCORD else text.split("\n\n—")[0][1:-1]


def with_list(library, passage):
    """Return the words of ``passage`` and of the list that it announces."""
    return "\n".join(each.display for each in (passage, *announced_by(library, passage)))


@pytest.mark.parametrize("form", MessageFormat)
def test_every_passage_of_the_sample_is_quoted_whole_with_its_citation_and_link(
    sample_library, form
):
    for passage in sample_library.searchable:
        written = compose_message(
            sample_library, found(passage, marks=((0, len(passage.text) // 2),)), form, BASE
        )
        assert written.length <= MESSAGE_LIMITS[form]
        assert not written.cut
        assert plain(shown(form, written.text)) == plain(with_list(sample_library, passage))
        assert f"{BASE}/e/{passage.entry}" in written.text


@given(
    data=st.data(),
    form=st.sampled_from(MessageFormat),
    limit=st.integers(LEAST_MESSAGE, 900),
    answered=st.booleans(),
)
def test_no_message_is_longer_than_allowed_and_every_cut_is_shown(
    sample_library, data, form, limit, answered
):
    passages = data.draw(
        st.lists(st.sampled_from(sample_library.searchable), min_size=1, max_size=6)
    )
    start = data.draw(st.integers(0, len(passages[0].text) - 1))
    written = compose_message(
        sample_library,
        found(*passages, marks=((start, len(passages[0].text)),), answered=answered),
        form,
        BASE,
        limit,
    )
    assert written.length == utf16_length(written.text) <= limit
    words = plain(shown(form, written.text)) if answered else ""
    assert ("[…]" in written.text or r"\[…\]" in written.text) >= written.cut
    if answered:
        at, whole = 0, with_list(sample_library, passages[0])
        for piece in words.split("[…]"):
            at = plain(whole).index(piece, at) + len(piece)
        assert written.cut or words == plain(whole)


@given(
    words=HOSTILE,
    form=st.sampled_from([MessageFormat.MARKDOWN, MessageFormat.DISCORD]),
    marks=st.tuples(st.integers(0, 300), st.integers(0, 300)),
)
def test_signs_in_a_rulebook_never_work_as_markup(harbour_library, words, form, marks):
    written = compose_message(
        harbour_library, found(like(harbour_library, words), marks=(marks,)), form, BASE
    )
    assert plain(shown(form, written.text)) == plain(words)


@pytest.mark.parametrize("form", MessageFormat)
@pytest.mark.parametrize("words", ["Sag @everyone es.", "Frag <@123456> und <@&99>.", "Ruf @here."])
def test_nobody_is_called(harbour_library, form, words):
    text = compose_message(harbour_library, found(like(harbour_library, words)), form, BASE).text
    assert not re.search(r"@(everyone|here)|<@[!&]?\d+>", text)


def test_an_address_in_the_text_is_no_link(harbour_library):
    text = compose_message(
        harbour_library,
        found(like(harbour_library, "Mehr auf https://spiel.example/x nachlesen.")),
        MessageFormat.DISCORD,
        BASE,
    ).text
    assert "https://spiel" not in text
    assert discord(text) == "Mehr auf https://spiel.example/x nachlesen."


def test_what_answers_is_set_off_and_kept_where_there_is_no_room(harbour_library):
    sentences = [
        f"Satz {word} spricht ausführlich von Dingen, die hier keine Rolle spielen."
        for word in "ABCDEFGH"
    ]
    sentences[5] = "Nur dieser Satz entscheidet die Frage."
    words = " ".join(sentences)
    at = words.index(sentences[5])
    passage = like(harbour_library, words)
    whole = compose_message(
        harbour_library,
        found(passage, marks=((at, at + len(sentences[5])),)),
        MessageFormat.MARKDOWN,
        BASE,
    )
    assert rendered(whole.text)[1] == [sentences[5]]
    short = compose_message(
        harbour_library,
        found(passage, marks=((at, at + len(sentences[5])),)),
        MessageFormat.MARKDOWN,
        BASE,
        LEAST_MESSAGE,
    )
    assert short.cut
    quoted, bold, links = rendered(short.text)
    assert bold == [sentences[5]]
    assert quoted.startswith("[…] ")
    assert quoted.endswith(" […]")
    assert links


def test_a_sentence_too_long_by_itself_ends_at_a_word(harbour_library):
    words = "immer " * 200 + "so."
    written = compose_message(
        harbour_library, found(like(harbour_library, words)), MessageFormat.DISCORD, BASE, 400
    )
    assert re.fullmatch(r"(immer )+\[…\]", discord(written.text))
    assert 350 < written.length <= 400


def test_the_next_passages_are_cited_in_a_line_each(harbour_library):
    passages = harbour_library.searchable[1:8]
    written = compose_message(harbour_library, found(*passages), MessageFormat.DISCORD, BASE)
    assert [p.entry for p in written.cited] == list(dict.fromkeys(p.entry for p in passages))[:4]
    assert "**Weitere Stellen**" in written.text
    assert sum(line.startswith("• ") for line in written.text.splitlines()) == 3


def test_an_open_question_is_called_open_and_the_games_own_rule_holds(harbour_library):
    near, rule = harbour_library.searchable[1], harbour_library.fallback("sternenhafen-de-1.0")
    assert rule is not None
    lines = compose_message(
        harbour_library, found(near, answered=False, fallback=rule), MessageFormat.PLAIN, BASE
    ).text
    assert (
        lines.index("Das Regelwerk klärt das vielleicht nicht")
        < lines.index("Nächstliegende Stellen")
        < lines.index(near.display)
    )
    assert (
        lines.index(near.display)
        < lines.index("Was dann gilt")
        < lines.index(citation_label(harbour_library, rule))
    )
    without = compose_message(
        harbour_library,
        replace(found(near, answered=False), language="it"),
        MessageFormat.PLAIN,
        BASE,
    ).text
    assert (
        without.index("Forse il regolamento non lo chiarisce")
        < without.index("Passi più vicini")
        < without.index(near.display)
    )
    nothing = compose_message(harbour_library, found(answered=False), MessageFormat.PLAIN, BASE)
    assert nothing.cited == ()
    assert "Das Regelwerk klärt das vielleicht nicht" in nothing.text


def test_an_answer_that_is_only_likely_says_so_before_the_quotation(harbour_library):
    likely = replace(found(harbour_library.searchable[1]), confidence=0.6)
    assert compose_message(harbour_library, likely, MessageFormat.PLAIN, BASE).text.startswith(
        "Das klärt es wahrscheinlich"
    )


def test_a_place_below_another_address_is_linked_there(harbour_library):
    text = compose_message(
        harbour_library,
        found(harbour_library.searchable[1]),
        MessageFormat.MARKDOWN,
        "https://example.org/regula (1)/",
    ).text
    assert rendered(text)[2] == [
        "https://example.org/regula%20%281%29/e/sternenhafen-de-1.0/ankern"
    ]


@pytest.mark.parametrize("format", list(MessageFormat))
def test_a_likely_answer_quotes_the_second_passage_too_where_it_fits(harbour_library, format):
    library = harbour_library
    first, second = (like(library, text) for text in ("Erste Regel.", "Zweite Regel. " * 9))
    first = replace(first, id="first")
    result = replace(found(first, second), confidence=0.5)
    assert result.settled == "likely"
    message = compose_message(library, result, format, BASE)
    assert plain(message.text).count("ZweiteRegel") == 9
    assert message.cited[:2] == (first, second)
    short = compose_message(library, result, format, BASE, LEAST_MESSAGE)
    assert "Zweite" not in short.text
    assert short.length <= LEAST_MESSAGE
    settled = compose_message(library, replace(result, confidence=0.99), format, BASE)
    assert "Zweite" not in settled.text
