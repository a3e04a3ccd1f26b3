"""Reads a model's text while it arrives: prose, reasoning and calls, as events.

Takes a layout, the tools and text in pieces of any kind, and gives events and, in the end, a message. Where
the text is cut makes no difference to what the events add up to, because nothing is decided before the text
decides it. The parser takes what the grammar of the layout allows, and prose in a few more places; it does
not check arguments against schemas.
"""

from __future__ import annotations

import codecs
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NoReturn, SupportsIndex

import maskwright as mw
from maskwright.checking import counted
from maskwright.errors import MatcherStateError, ToolCallSyntaxError
from maskwright.tool_calls.arguments import style_of
from maskwright.tool_calls.arguments.options import ReadArguments
from maskwright.tool_calls.headers import Headers, Way, by_header, identified
from maskwright.tool_calls.layout import ToolCallFormat
from maskwright.tool_calls.messages import (
    ArgumentsDelta,
    CallFinished,
    CallStarted,
    ContentDelta,
    Event,
    Message,
    ReasoningDelta,
    ToolCall,
)
from maskwright.tool_calls.parts import Arguments, CallId, Ending, Part, Segment, fixed_text
from maskwright.tool_calls.reader import Choices, Reader, Reading, Tags

__all__ = ["StreamingParser"]


class _CutOffError(Exception):
    """The text ended within a call or a segment."""


class StreamingParser:
    r"""Reads one message. Made by :meth:`ToolCalls.parser`.

    Example:
        >>> import maskwright as mw
        >>> parser = mw.ToolCalls([mw.Tool("now")], format="hermes").parser()
        >>> parser.feed('Let me look.\n<tool_call>\n{"name": "no')
        [ContentDelta(text='Let me look.')]
        >>> parser.feed('w", "arguments": {}}\n</tool_call>')[0]
        CallStarted(index=0, name='now', id=None)
        >>> parser.finish()
        []
        >>> parser.message.calls[0].arguments
        {}
    """

    def __init__(
        self,
        layout: ToolCallFormat,
        headers: Headers,
        *,
        prompt: str,
        reads_reasoning: bool,
        vocabulary: mw.Vocabulary | None = None,
    ) -> None:
        self._layout = layout
        self._vocabulary = vocabulary
        self._names = (
            {} if vocabulary is None else {token: name for name, token in vocabulary.special_tokens.items()}
        )
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._reader = Reader(-len(prompt))
        self._reader.feed(prompt)
        self._events: list[Event] = []
        self._content: list[str] = []
        self._reasoning: list[str] | None = None
        self._calls: list[ToolCall] = []
        self._is_complete = False
        self._reads_reasoning = reads_reasoning and layout.reasoning is not None
        self._headers = headers
        self._process: Iterator[None] | None = self._message()
        self._error: ToolCallSyntaxError | None = None

    def __repr__(self) -> str:
        if self._error is not None:
            state = "refused"
        else:
            state = "reading" if self._process is not None else "finished"
        calls = counted(len(self._calls), "call")
        return f"<maskwright.StreamingParser: {self._layout.name}, {state}, {calls} so far>"

    def __reduce__(self) -> NoReturn:
        # Copies are made by this, too. A shallow one would read on where the other one stands.
        raise TypeError(
            "a StreamingParser can be neither copied nor pickled; make another one by ToolCalls.parser() and "
            "feed it the text so far"
        )

    def feed(self, text: str | bytes) -> list[Event]:
        r"""Reads more of the text.

        Args:
            text: characters, or UTF-8, which may be cut within a character. Special tokens are spelled by
                their names.

        Returns:
            What is new.

        Raises:
            ToolCallSyntaxError: the text is no message of the format; it says where. Its ``events`` are what
                was new before that place. Whatever is read then is refused again, without events.
            MatcherStateError: the text has been finished.

        Example:
            >>> import maskwright as mw
            >>> parser = mw.ToolCalls([mw.Tool("now")], format="hermes").parser()
            >>> parser.feed("It is "), parser.feed(b"25 \xc2"), parser.feed(b"\xb0C.")
            ([ContentDelta(text='It is ')], [ContentDelta(text='25 ')], [ContentDelta(text='°C.')])
        """
        if self._process is None and self._error is None:
            raise MatcherStateError("the text has been finished; make another parser for another message")
        if isinstance(text, bytes | bytearray | memoryview):
            text = self._decoder.decode(bytes(text))
        elif isinstance(text, str):
            # Bytes of a character that the text before it has left unfinished come before the text.
            text = self._decoder.decode(b"", final=True) + text
        else:
            raise TypeError(f"a text is a str or bytes, not {type(text).__name__}")
        if self._error is None:
            self._reader.feed(text)
        return self._advance()

    def feed_token(self, token_id: SupportsIndex) -> list[Event]:
        """Reads one more token.

        Args:
            token_id: a token of the vocabulary that the parser was made with. A stop token that is an
                ending of the format ends the text, as :meth:`finish` does; one that has another meaning there
                is read by its name, and any other is passed over.

        Returns:
            What is new.

        Raises:
            ToolCallSyntaxError, MatcherStateError: as :meth:`feed`.
            TypeError: the parser was made without a vocabulary, or the id is no integer.
            TokenIdError: there is no such token.

        Example:
            >>> import maskwright as mw
            >>> vocabulary = mw.Vocabulary.from_tokens([b"So", b" it", b" is.", None], stop_ids=[3])
            >>> parser = mw.ToolCalls([mw.Tool("now")], format="hermes").parser(vocabulary=vocabulary)
            >>> [parser.feed_token(token) for token in (0, 1)]
            [[ContentDelta(text='So')], [ContentDelta(text=' it')]]
        """
        if self._vocabulary is None:
            raise TypeError("tokens need a vocabulary: make the parser with parser(vocabulary=...)")
        data = self._vocabulary.token_bytes(token_id)  # refuses what is no id
        token_id = operator.index(token_id)
        name = self._names.get(token_id)
        if name is None:
            return self.feed(data or b"")
        if token_id in self._vocabulary.stop_ids and self._error is None:
            if name in self._headers.endings:
                return self.finish()
            if name not in self._headers.specials:
                return []
        return self.feed(name.encode())

    def finish(self) -> list[Event]:
        """The text has ended; gives what is still new.

        Raises:
            ToolCallSyntaxError: as :meth:`feed`. A text that was cut off is none: see `Message.is_complete`.

        Example:
            >>> import maskwright as mw
            >>> parser = mw.ToolCalls([mw.Tool("now")], format="hermes").parser()
            >>> parser.feed("1 <")
            [ContentDelta(text='1 ')]
            >>> parser.finish()                            # no call has begun
            [ContentDelta(text='<')]
            >>> parser.message.content, parser.message.is_complete
            ('1 <', True)
        """
        if self._process is not None:
            self._reader.end()
        return self._advance()

    @property
    def message(self) -> Message:
        """What has been read so far. Complete only after :meth:`finish`."""
        reasoning = None if self._reasoning is None else "".join(self._reasoning)
        return Message("".join(self._content), tuple(self._calls), reasoning, self._is_complete)

    def _advance(self) -> list[Event]:
        if self._error is not None:
            # Another one: what the first holds was new only once.
            raise ToolCallSyntaxError(
                str(self._error), offset=self._error.offset, expected=self._error.expected
            )
        try:
            if self._process is not None:
                next(self._process)
        except StopIteration:
            self._process = None
        except ToolCallSyntaxError as error:
            self._error = error
            self._process = None
            error.events = tuple(self._new_events())
            raise
        return self._new_events()

    def _new_events(self) -> list[Event]:
        events, self._events = self._events, []
        return _merged(events)

    def _give_content(self, text: str) -> None:
        if text:
            self._content.append(text)
            self._events.append(ContentDelta(text))

    def _give_reasoning(self, text: str) -> None:
        self._reasoning = self._reasoning or []
        if text:
            self._reasoning.append(text)
            self._events.append(ReasoningDelta(text))

    def _message(self) -> Iterator[None]:
        try:
            if self._layout.is_prose:
                yield from self._prose_message()
            else:
                yield from self._segments()
        except _CutOffError:
            return
        # Part of a character may be the beginning of anything: it is left out, and the text is cut off.
        self._is_complete = not self._decoder.getstate()[0]

    def _prose_message(self) -> Reading[None]:
        """Reasoning, then prose with calls in it, or instead of it."""
        layout, reader = self._layout, self._reader
        reasoning = layout.reasoning if self._reads_reasoning else None
        if reasoning and (yield from reader.take(Choices(reasoning.beginnings))) is not None:
            yield from self._reasoning_segment(reasoning)
        begin = fixed_text(layout.content[0].begin)
        found = yield from reader.match(self._headers.openings)
        if begin and found != begin and reader.is_cut_off(self._headers.openings):
            raise _CutOffError
        if found is None:
            raise reader.error(repr(begin), self._headers.openings)
        if found != begin:
            yield from self._section()
        else:
            reader.skip(len(begin))
            if layout.placement == "start":
                yield from reader.up_to(Tags([]), self._give_content)
        while (yield from reader.up_to(self._headers.tags, self._give_content)) is not None:
            yield from reader.take(Choices([layout.gap]))
            yield from self._section()

    def _segments(self) -> Reading[None]:
        """Segments with beginnings of their own, one after another."""
        layout, reader = self._layout, self._reader
        reasoning = layout.reasoning if self._reads_reasoning else None
        kinds = {fixed_text(segment.begin): segment for segment in layout.content}
        if reasoning is not None:
            kinds[fixed_text(reasoning.begin)] = reasoning
        beginnings = self._headers.segments if reasoning is None else self._headers.segments_and_reasoning
        is_last = False
        while not (yield from reader.at_end()):
            found = yield from reader.match(beginnings)
            if found is None:
                if reader.is_cut_off(beginnings):
                    raise _CutOffError
                raise reader.error("a segment, or a call of one of the tools", beginnings)
            if found not in kinds:
                yield from self._section()
                is_last = True
                continue
            reader.skip(len(found))
            segment = kinds[found]
            if segment is reasoning:
                yield from self._reasoning_segment(segment)
            else:
                yield from self._text_segment(segment, self._give_content)
                yield from reader.take(Choices([layout.gap]))
            is_last = segment is not reasoning and segment.last
        if not is_last:
            raise _CutOffError

    def _reasoning_segment(self, segment: Segment) -> Reading[None]:
        self._give_reasoning("")
        yield from self._text_segment(segment, self._give_reasoning)
        yield from self._reader.take(Choices([segment.after]))

    def _text_segment(self, segment: Segment, give: Callable[[str], object]) -> Reading[None]:
        """The text of a segment and its end."""
        reader, end = self._reader, fixed_text(segment.end)
        if segment.margin:
            yield from reader.take(Choices([segment.margin]))
        found = yield from reader.up_to(Tags([segment.margin + end, end]), give)
        if found is None:
            if isinstance(segment.end[-1], Ending):
                return
            raise _CutOffError
        reader.skip(len(found))

    def _section(self) -> Reading[None]:
        """All calls that stand together, from what opens the first to what closes the last."""
        layout, reader = self._layout, self._reader
        end, following = fixed_text(layout.end), self._headers.after_call
        yield from self._call(self._headers.first, self._headers.begins)
        while True:
            found = yield from reader.match(following)
            if found is None and not end:
                return
            if found is None:
                if reader.is_cut_off(following):
                    raise _CutOffError
                raise reader.error(repr(end), following)
            if found == end:
                reader.skip(len(end))
                return
            yield from self._call(self._headers.next, [fixed_text(layout.separator)])

    def _call(self, beginnings: Choices, before: Sequence[str]) -> Reading[None]:
        """One call, with one of some texts before it."""
        reader, headers = self._reader, self._headers
        index, identity, arguments = len(self._calls), "", ReadArguments({}, "")
        ways = yield from self._one_way(headers.further, beginnings, before)

        def give(text: str) -> None:
            if text:
                self._events.append(ArgumentsDelta(index, text))

        while ways[0].parts:
            part, following = ways[0].parts[0], ways[0].parts[1:] + self._layout.end
            further = [Way(way.tool, way.parts[1:]) for way in ways]
            if isinstance(part, CallId):
                identity = yield from self._identity(part, following)
                by_text = by_header(further)
                ways = yield from self._one_way(by_text, Choices(by_text))
            elif isinstance(part, Arguments):
                tool = ways[0].tool
                self._events.append(
                    CallStarted(index, tool.name, identified(ways[0], identity, self._layout))
                )
                read = yield from style_of(part).read(part, tool, following, reader, give)
                if read is None:
                    raise _CutOffError
                arguments, ways = read, further
                if len(ways) > 1:
                    ways = yield from self._way_behind_json(by_header(ways))
            else:
                yield from self._fixed(part, skip_blanks=bool(arguments.raw))
                ways = further
        tool = ways[0].tool
        call = ToolCall(
            tool.name, arguments.value, arguments.raw, identified(ways[0], identity, self._layout)
        )
        self._calls.append(call)
        self._events.append(CallFinished(index, call))

    def _one_way(
        self, ways: Mapping[str, list[Way]], beginnings: Choices, before: Sequence[str] = ("",)
    ) -> Reading[list[Way]]:
        """The ways to go on of which the fixed text stands here, with one of some texts before it."""
        found = yield from self._reader.take(beginnings)
        if found is not None:
            rests = (found[len(text) :] for text in before if found.startswith(text))
            return next(ways[rest] for rest in rests if rest in ways)
        if self._reader.is_cut_off(beginnings):
            raise _CutOffError
        raise self._reader.error("a call of one of the tools", beginnings)

    def _way_behind_json(self, ways: Mapping[str, list[Way]]) -> Reading[list[Way]]:
        """The way to go on of which the fixed text stands here; there may be white space before it."""
        texts = Choices(ways)
        found = yield from self._reader.take(texts)
        if found is None and not any(text[0].isspace() for text in texts.texts):
            yield from self._reader.white_space()
            found = yield from self._reader.take(texts)
        if found is not None:
            return ways[found]
        if self._reader.is_cut_off(texts):
            raise _CutOffError
        raise self._reader.error(" or ".join(map(repr, texts.texts)), texts)

    def _identity(self, part: CallId, following: tuple[Part, ...]) -> Reading[str]:
        """The text of an identifier, which ends where the part that follows begins."""
        pieces: list[str] = []
        if (yield from self._reader.up_to(Tags([fixed_text(following[:1])]), pieces.append)) is None:
            raise _CutOffError
        text = "".join(pieces)
        if not re.fullmatch(part.pattern, text):
            raise self._reader.error(f"an identifier like {part.written!r} before this place")
        return text

    def _fixed(self, part: Part, *, skip_blanks: bool) -> Reading[None]:
        """Text that has to stand here; after arguments as JSON there may be white space before it."""
        reader, text = self._reader, fixed_text([part])
        texts = Choices([text, *self._headers.endings] if isinstance(part, Ending) else [text])
        found = yield from reader.take(texts)
        if found is None and skip_blanks and not text[0].isspace():
            yield from reader.white_space()
            found = yield from reader.take(texts)
        if found is not None:
            return
        is_cut_off = reader.is_cut_off(texts)
        if isinstance(part, Ending):
            # A beginning of the name alone is what is left of an ending, and says nothing more.
            reader.skip(reader.length if is_cut_off else 0)
        elif is_cut_off:
            raise _CutOffError
        else:
            raise reader.error(repr(text), texts)


def _merged(events: list[Event]) -> list[Event]:
    """Events in which deltas of one kind that follow one another are one."""
    merged: list[Event] = []
    for event in events:
        last = merged[-1] if merged else None
        if isinstance(event, ContentDelta) and isinstance(last, ContentDelta):
            merged[-1] = ContentDelta(last.text + event.text)
        elif isinstance(event, ReasoningDelta) and isinstance(last, ReasoningDelta):
            merged[-1] = ReasoningDelta(last.text + event.text)
        elif (
            isinstance(event, ArgumentsDelta)
            and isinstance(last, ArgumentsDelta)
            and event.index == last.index
        ):
            merged[-1] = ArgumentsDelta(last.index, last.text + event.text)
        else:
            merged.append(event)
    return merged
