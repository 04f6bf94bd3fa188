"""Finding tokens by what people type, and what they may have meant."""

from __future__ import annotations

import pytest

import gguf_construct as gc
from gguf_construct.errors import RefusedError
from gguf_construct.tokens.search import close_ids, id_typed, suggestions, the_token
from gguf_construct.tokens.vocabulary import Vocabulary
from tests.support import builders as b
from tests.support.builders import Model, Pair, build
from tests.tokens.token_data import open_vocabulary


def ids(model: gc.Model, wanted: str | int, regex: bool = False) -> list[int]:
    return [token.id for token in gc.find_tokens(model, wanted, regex=regex)]


@pytest.mark.parametrize(
    ("tokenizer", "wanted", "found"),
    [
        ("llama", "<s>", [1]),
        ("llama", "the", [4, 5]),
        ("llama", " the", [4]),
        ("llama", "Ġthe", [4]),
        ("llama", r"\n", [3]),
        ("llama", "<0x0A>", [3]),
        ("llama", "twice", [8, 9]),
        ("llama", "7", [7, 10]),
        ("llama", "999", []),
        ("llama", "9" * 5000, []),
        ("llama", 7, [7]),
        ("llama", 999, []),
        ("gpt2", "the", [2, 3]),
        ("gpt2", "▁the", [2]),
        ("gpt2", r"\n", [1]),
        ("gpt2", "é", [4]),
        ("bert", "hello", [2]),
        ("bert", "##ing", [3]),
        ("bert", "ing", [3, 4]),
    ],
)
def test_find(tokenizer: str, wanted: str | int, found: list[int]) -> None:
    assert ids(open_vocabulary(tokenizer), wanted) == found


@pytest.mark.parametrize(
    ("pattern", "found"), [("^<.*>$", [5, 6]), ("^ t", [2]), ("^Ġ", [2]), (r"\n", [1]), ("é", [4])]
)
def test_find_by_regular_expression(pattern: str, found: list[int]) -> None:
    assert ids(open_vocabulary("gpt2"), pattern, regex=True) == found


def test_a_bad_expression_is_refused() -> None:
    with pytest.raises(RefusedError, match="not a regular expression"):
        ids(open_vocabulary(), "(", regex=True)


class TestCloseIds:
    def test_the_most_similar_comes_first(self) -> None:
        vocabulary = Vocabulary(open_vocabulary())
        assert close_ids(vocabulary, b"<|im_strat|>")[0] == 6

    @pytest.mark.parametrize("typed", [b"", b"x" * 5000, b"\0", b"\xf0"])
    def test_nothing_is_like_this(self, typed: bytes) -> None:
        assert close_ids(Vocabulary(open_vocabulary()), typed) == []

    def test_special_tokens_come_before_others(self) -> None:
        texts = [b"<end_of_turn", b"<end_of_turn>", b"<end_of_turn>>"]
        model = gc.open(
            build(
                Model(
                    (
                        Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, *texts)),
                        Pair(b"tokenizer.ggml.token_type", b.array(b.INT32, 1, 3, 1)),
                    )
                )
            ).data
        )
        assert close_ids(Vocabulary(model), b"end_of_turn")[0] == 1


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("0", 0),
        ("7", 7),
        ("007", 7),
        ("9" * 19, 10**19 - 1),
        ("9" * 20, None),
        ("", None),
        ("-1", None),
        ("1.0", None),
        (" 1", None),
        ("٣", None),
        ("²", None),
    ],
)
def test_digits_are_an_id(text: str, id: int | None) -> None:
    assert id_typed(text) == id


def test_a_text_of_digits_is_both() -> None:
    assert ids(open_vocabulary("llama"), "7") == [7, 10]
    assert ids(open_vocabulary("llama"), "10") == [10]
    assert ids(open_vocabulary("llama"), "11") == []


def special(*tokens: tuple[str, int]) -> Vocabulary:
    pairs = (
        Pair(b"tokenizer.ggml.model", b.text("llama")),
        Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, *(text.encode() for text, _ in tokens))),
        Pair(b"tokenizer.ggml.token_type", b.array(b.INT32, *(kind for _, kind in tokens))),
    )
    return Vocabulary(gc.open(build(Model(pairs)).data))


def test_close_texts_need_a_similar_length_and_the_same_brackets() -> None:
    found = special(("<end>", 3), ("[end]", 3), ("end", 1), ("<" + "e" * 40 + ">", 3), ("<e", 3))
    assert close_ids(found, b"<end>") == [0, 4]
    assert close_ids(found, b"[END]") == [1]
    assert close_ids(found, b"end")[0] == 2
    assert close_ids(found, b"<end>", limit=1) == [0]
    assert close_ids(found, b"q") == []
    assert close_ids(found, b"") == []
    assert close_ids(found, b"<" + b"e" * 199) != [3]


def test_typed_texts_up_to_200_bytes_are_compared() -> None:
    found = special(("x" * 200, 1))
    assert close_ids(found, b"x" * 200) == [0]
    assert close_ids(found, b"x" * 201) == []


def test_of_two_that_are_as_close_the_special_one_comes_first() -> None:
    found = special(("<stop1>", 1), ("<stop2>", 3), ("<stop3>", 4))
    assert close_ids(found, b"<stop>") == [1, 2, 0]


def test_suggestions_know_the_usual_texts_of_a_role() -> None:
    found = special(("<|im_end|>", 3), ("</s>", 3), ("<eos>", 1), ("</t>", 3))
    assert [token.id for token in suggestions(found, "zzz", "eos")] == [0, 1]
    # Close and known comes before close alone, and that before known alone.
    assert [token.id for token in suggestions(found, "</s", "eos")] == [1, 3, 0]
    assert [token.id for token in suggestions(found, "zzz")] == []
    assert 0 not in [token.id for token in suggestions(found, "zzz", "bos")]


def test_no_more_than_eight_are_suggested() -> None:
    found = special(*((f"<tok{at}>", 3) for at in range(30)))
    assert len(close_ids(found, b"<tok>", 30)) == 30
    assert len(suggestions(found, "<tok>")) == 5


@pytest.mark.parametrize(("count", "more"), [(8, ""), (9, " and 1 more")])
def test_of_many_tokens_that_may_be_meant_some_are_listed(count: int, more: str) -> None:
    vocabulary = b.array(b.STRING, *[b"same"] * count)
    pair = Pair(b"tokenizer.ggml.tokens", vocabulary)
    model = gc.open(build(Model((Pair(b"general.architecture", b.text("llama")), pair))).data)
    with pytest.raises(RefusedError, match=rf"may mean {count} tokens: .*7 'same'{more}$"):
        the_token(Vocabulary(model), "same")
