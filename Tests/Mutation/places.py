"""Finds the places of Swift sources where a fault can be put in, and puts it in.

A fault is a piece of the source that asks `isMutant(number)` as the program runs, so that one build
holds them all. Swift is changed at conditions, operators, numbers, truths, statements and results;
SQL, which lies in texts, at its comparisons, joints and orders.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass
class Place:
    """One fault: what is between `start` and `end` is made of the number and the old text."""

    path: str
    line: int
    what: str
    start: int
    end: int
    make: Callable[[int, str], str]
    #: The function that it is in.
    scope: str = ""
    #: The line as it is in the source, without its indentation.
    text: str = ""
    #: The operator of Swift and the one in its place.
    swap: tuple[str, str] = ("", "")
    number: int = 0
    #: Whether the operator asks whether there is a value at all.
    is_of_nil: bool = False
    #: How many line ends lie in it.
    lines: int = 0

    @property
    def name(self) -> str:
        """What it is called as long as its line stays as it is."""
        return f"{self.path} | {self.scope} | {self.text} | {self.what}"


SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "+": "-", "-": "+",
}

#: What is no statement that something may go without.
NO_STATEMENT = (
    r"(return|throw|case|default|import|let|var|guard|if|for|while|switch|init|func|private|static"
    r"|package|defer|(self\.)?init|super|precondition\w*)\b|self\.\w+ = "
)

#: The content of a type or an extension, by its name.
SCOPES = r"^  (?:[a-z]+ )*(?:(?:func|var|let) (\w+)|(init))"

#: Where a statement is left at once, by what it would give.
AT_ONCE = {"": "", "Bool": " false", "Int": " 0", "Int64": " 0", "String": ' ""'}

SQL_CLAUSES = r"\b(SELECT|SET|FROM|WHERE|ON|HAVING|AND|OR|WHEN|VALUES|BY|LIMIT)\b"
SQL_SWAPS = [
    (r"(?<!INSERT )(?<!REPLACE )\bOR\b", "AND"),
    (r"\bAND\b", "OR"),
    (r"(?<= )=(?= )", "<>"),
    (r"(?<= )<>(?= )", "="),
    (r"(?<= )<(?= )", "<="),
    (r"(?<= )>(?= )", ">="),
    (r"\bNOT IN\b", "IN"),
    (r"(?<!NOT )\bIN\b", "NOT IN"),
    (r"\bNOT EXISTS\b", "EXISTS"),
    (r"(?<!NOT )(?<!IF )\bEXISTS\b", "NOT EXISTS"),
    (r"\bIS NULL\b", "IS NOT NULL"),
    (r"\bIS NOT NULL\b", "IS NULL"),
    (r"(?<=\w) DESC\b", " ASC"),
    (r"\bmax\(", "min("),
    (r"\bmin\(", "max("),
]

TEXTS = re.compile(
    r'//[^\n]*|/\*.*?\*/|"""(?:\\.|.)*?"""'
    r'|"(?:\\\((?:[^()"]|"[^"\n]*"|\([^()]*\))*\)|\\.|[^"\\\n])*"',
    re.S,
)


def masked(source: str, beginnings: tuple[str, ...] = ("/", '"')) -> str:
    """The source with every comment and every text in it as blanks of the same length."""
    return TEXTS.sub(
        lambda match: (
            re.sub(r"[^\n]", " ", match.group())
            if match.group().startswith(beginnings)
            else match.group()
        ),
        source,
    )


def swapped_operator(number: int) -> str:
    """The name of an operator of this fault's own."""
    digits = ""
    while number:
        digits = "^~%"[number % 3] + digits
        number //= 3
    return "^" + digits + "|"


def declaration(place: Place) -> str:
    """The operator of a fault: as it was, or another one."""
    old, new = place.swap
    name = swapped_operator(place.number)
    if old in ("&&", "||"):
        rule = "LogicalConjunctionPrecedence" if old == "&&" else "LogicalDisjunctionPrecedence"
        gives = {"&&": "a ? try b() : false", "||": "a ? true : try b()"}
        return (
            f"infix operator {name}: {rule}\n"
            f"func {name} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool {{\n"
            f"  if isMutant({place.number}) {{ return {gives[new]} }}\n"
            f"  return {gives[old]}\n}}\n"
        )
    if old in "+-":
        rule, needs, gives = "AdditionPrecedence", "AdditiveArithmetic", "T"
    else:
        rule, gives = "ComparisonPrecedence", "Bool"
        needs = "Equatable" if old in ("==", "!=") else "Comparable"
    if place.is_of_nil:
        return (
            f"infix operator {name}: {rule}\n"
            f"func {name} <T>(a: T?, b: _OptionalNilComparisonType) -> Bool "
            f"{{ isMutant({place.number}) ? a {new} b : a {old} b }}\n"
        )
    return (
        f"infix operator {name}: {rule}\n"
        f"func {name} <T: {needs}>(a: T, b: T) -> {gives} "
        f"{{ isMutant({place.number}) ? a {new} b : a {old} b }}\n"
    )


def closing(code: str, start: int) -> int:
    """Where the parenthesis that opens at `start` is closed; -1 where it is not."""
    depth = 0
    for index in range(start, len(code)):
        if code[index] in "([{":
            depth += 1
        elif code[index] in ")]}":
            depth -= 1
            if depth == 0:
                return index
    return -1


def clauses(code: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts between commas that are in no parenthesis, without the blanks around them."""
    depth, begin = 0, start
    for index in range(start, end + 1):
        if index < end and code[index] in "([{":
            depth += 1
        elif index < end and code[index] in ")]}":
            depth -= 1
        elif index == end or (code[index] == "," and depth == 0):
            text = code[begin:index]
            if text.strip():
                yield begin + len(text) - len(text.lstrip()), begin + len(text.rstrip())
            begin = index + 1


def condition_end(code: str, keyword: str, start: int) -> int | None:
    """Where the condition ends that begins at `start`; `None` for one that is not understood."""
    depth = 0
    for index in range(start, len(code)):
        if code[index] in "([":
            depth += 1
        elif code[index] in ")]":
            depth -= 1
        elif depth == 0 and keyword == "guard" and re.match(r"\belse\b", code[index:]):
            if not code[index - 1].isalnum():
                return index
        elif depth == 0 and code[index] == "{" and keyword != "guard":
            return index
        if depth < 0:
            return None
    return None


class Finder:
    """Finds the places of one file."""

    def __init__(self, path: str, source: str) -> None:
        self.path = path
        self.source = source
        self.code = masked(source)
        self.found: list[Place] = []

    def line_before(self, start: int) -> str:
        return self.code[self.code.rfind("\n", 0, start) + 1 : start]

    def whole_line(self, start: int, text: str) -> str:
        return text[text.rfind("\n", 0, start) + 1 : (text + "\n").find("\n", start)]

    def add(
        self,
        what: str,
        start: int,
        end: int,
        make: Callable[[int, str], str],
        swap: tuple[str, str] = ("", ""),
    ) -> None:
        line = self.source.count("\n", 0, start) + 1
        text = self.whole_line(start, self.source).strip()
        scopes = re.findall(SCOPES, self.code[:start], re.M)
        scope = next((name for name in scopes[-1] if name), "") if scopes else ""
        place = Place(self.path, line, what, start, end, make, scope, text, swap)
        place.lines = self.source.count("\n", start, end)
        self.found.append(place)

    def conditions(self) -> None:
        for match in re.finditer(r"\b(guard|if|while|where)\b(?=\s)", self.code):
            word = match.group()
            before = self.line_before(match.start())
            if word == "where" and not re.match(r"\s*for\b(?! case)", before):
                continue
            end = condition_end(self.code, word, match.end())
            if end is None:
                continue
            for start, stop in clauses(self.code, match.end(), end):
                # A loop without an end is one of which something is given or thrown.
                if not re.match(r"(let|var|case|unsafe let|true)\b|#", self.code[start:stop]):
                    self.add(
                        "condition negated", start, stop,
                        lambda number, old: f"({old}) != isMutant({number})",
                    )

    def operators(self) -> None:
        for match in re.finditer(r"(?<= )(<=|>=|==|!=|&&|\|\||<|>|\+|-)(?=[ \n])", self.code):
            line = self.whole_line(match.start(), self.code)
            if re.search(r"\b(func|extension|struct|protocol|operator)\b", line):
                continue
            old = match.group()
            before = self.source[: match.start()].rstrip()[-1:]
            after = self.source[match.end() :].lstrip()
            # Texts and lists are only joined, and tuples are compared by operators of their own.
            if after.startswith("(") or (old == "+" and '"' in (before, after[:1])):
                continue
            self.add(
                f"{old} becomes {SWAPS[old]}", match.start(), match.end(),
                lambda number, _: swapped_operator(number), (old, SWAPS[old]),
            )
            self.found[-1].is_of_nil = after.startswith("nil")

    def values(self) -> None:
        numbers = r"(?<![\w.$#@-])(\d[\d_]*|0x[0-9A-Fa-f_]+)(?![\w.])"
        for match in re.finditer(numbers, self.code):
            if not re.match(r"\s*(case\b|@)", self.line_before(match.start())):
                self.add(
                    f"{match.group()} becomes one more", match.start(), match.end(),
                    lambda number, old: f"mutant({number}, {old})",
                )
        for match in re.finditer(r"(?<![\w.])(true|false)\b", self.code):
            if not re.match(r"\s*(case|while)\b", self.line_before(match.start())):
                self.add(
                    f"{match.group()} becomes its opposite", match.start(), match.end(),
                    lambda number, old: f"({old} != isMutant({number}))",
                )

    def statements(self) -> None:
        """Calls and assignments that are by themselves, on one line or on several."""
        head = r"(?<=\n) +((?:try )?[a-z_][\w.?\[\]]*(?:\(| [+-]?= ))"
        for match in re.finditer(head, self.code):
            start = match.start(1)
            if re.match(NO_STATEMENT, self.code[start:]):
                continue
            end = self.code.find("\n", start)
            if match.group(1).endswith("("):
                closed = closing(self.code, match.end() - 1)
                rest = self.code[closed + 1 : self.code.find("\n", closed)]
                if re.fullmatch(r" \{.*\}", rest):
                    closed += len(rest)
                    rest = ""
                if closed < 0 or rest.strip():
                    continue
                end = closed + 1
            before = self.code[:start].rstrip()[-1:]
            after = self.code[end:].lstrip()[:1]
            text = self.code[start:end]
            balanced = all(text.count(a) == text.count(b) for a, b in ["()", "[]", "{}"])
            if before in ",([=:?&|+" or after in ".?:," or not balanced:
                continue
            if not match.group(1).endswith("(") and self.is_first_value(match.group(1), start):
                continue
            self.add(
                "statement dropped", start, end,
                lambda number, old: f"if !isMutant({number}) {{ {old} }}",
            )

    def is_first_value(self, head: str, start: int) -> bool:
        """Whether an assignment may be the one that Swift asks for."""
        name = re.escape(head.split(" ")[0])
        makers = re.findall(r"\b(func|init)\b[^\n]*[({<]", self.code[:start])
        return makers[-1:] == ["init"] or bool(re.search(rf"  let {name}: [^=\n]*\n", self.code))

    def results(self) -> None:
        """Functions that give nothing, or the least."""
        heads = r"\bfunc\b[^\n{]*(?:\([^{}]*\)[^\n{}]*)\{(?=\n)|\bvar \w+: [^={\n]+\{(?=\n)"
        for match in re.finditer(heads, self.code):
            head = match.group()
            arrow = re.search(r"(?:->|^var \w+:)\s*([^{]*?)\s*(?:where[^{]*)?\{$", head, re.S)
            result = arrow.group(1).strip() if arrow else ""
            value = AT_ONCE.get(result)
            if result.endswith("?"):
                value = " nil"
            elif result.startswith("["):
                value = " [:]" if re.match(r"\[\w+: ", result) else " []"
            if value is None:
                continue
            end = closing(self.code, match.end() - 1)
            body = self.code[match.end() : end]
            begin = masked(self.source, ("/",))[match.end() : end]
            start = match.end() + len(begin) - len(begin.lstrip())
            # What gives its value without the word gives it with the word after another statement.
            call = re.match(r"\s*(?:try )?[\w.]+(?:\([^()]*\))? (?=\{)", body)
            is_call = call and body[closing(body, call.end()) + 1 :].strip() == ""
            has_word = re.search(r"\breturn\b", body) and not is_call
            word = "" if result == "" or has_word else "return "
            self.add(
                f"gives{value or ' up'} at once: {head.split('(')[0].strip()}", start, start,
                lambda number, _, value=value, word=word: (
                    f"if isMutant({number}) {{ return{value} }}; {word}"
                ),
            )

    def queries(self) -> None:
        for match in TEXTS.finditer(self.source):
            text = match.group()
            if not text.startswith('"') or re.search(r"\bCREATE\b|\bPRAGMA\b", text):
                continue
            if not re.search(r"\b(WHERE|ORDER BY|FROM|HAVING|SELECT|AND)\b", text):
                continue
            inner = re.sub(r"\\\((?:[^()]|\([^()]*\))*\)", lambda m: " " * len(m.group()), text)
            inner = re.sub(r"'[^'\n]*'", lambda m: " " * len(m.group()), inner)
            for pattern, new in SQL_SWAPS:
                for place in re.finditer(pattern, inner):
                    before = re.findall(SQL_CLAUSES, inner[: place.start()])
                    if place.group() == "=" and before[-1:] in (["SET"], ["SELECT"], ["VALUES"]):
                        continue
                    start = match.start() + place.start()
                    self.add(
                        f"{place.group().strip()} becomes {new.strip()}",
                        start, match.start() + place.end(),
                        lambda number, old, new=new: (
                            f'\\(isMutant({number}) ? "{new}" : "{old}")'
                        ),
                    )


def places(path: str, source: str) -> list[Place]:
    """Every place of a file."""
    finder = Finder(path, source)
    finder.conditions()
    finder.operators()
    finder.values()
    finder.statements()
    finder.results()
    finder.queries()
    return finder.found


def mutated(source: str, chosen: list[Place]) -> str:
    """The source with the faults put in; one may lie in another."""

    def render(start: int, end: int, inner: list[Place]) -> str:
        text = ""
        while inner:
            first = inner[0]
            within = [p for p in inner[1:] if p.start < first.end and p.end <= first.end]
            inner = [p for p in inner[1:] if p not in within]
            text += source[start : first.start]
            text += first.make(first.number, render(first.start, first.end, within))
            start = first.end
        return text + source[start:end]

    return render(0, len(source), sorted(chosen, key=lambda place: (place.start, -place.end)))
