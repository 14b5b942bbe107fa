"""How a program divides its rows, as far as a repair can name the parts."""

import ast
from dataclasses import dataclass

from proveout.apps.mle.leakage.editing import SPLIT, Block, Draft, called, is_text, root

KEEPING = ("drop", "copy", "reset_index", "dropna")
"""Methods after which a table still has the columns it had, but for those that are named."""


REINDEXING = frozenset({"append", "concat", "explode", "index_col", "reset_index", "set_index"})
"""Names after which equal index labels need not mean the same row."""


@dataclass(frozen=True, slots=True)
class Parts:
    """One argument of a split, and the names of its training and held-out rows."""

    argument: ast.expr
    train: str
    test: str


@dataclass(frozen=True, slots=True)
class Split:
    node: ast.Assign
    """After which the parts have their names."""
    position: int
    parts: tuple[Parts, ...]
    call: ast.Call
    called_at: int
    """Position of the statement that calls; another may follow that unpacks."""

    def of(self, text: str) -> Parts | None:
        return next((part for part in self.parts if ast.unparse(part.argument) == text), None)


def find_split(draft: Draft, block: Block, after: int = -1) -> Split | None:
    """The first statement of the block, after a position, that calls `train_test_split`."""
    for position, node in enumerate(block):
        if position <= after or not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        call, target, called_at = node.value, node.targets[0], position
        if called(call) != SPLIT or not isinstance(call, ast.Call):
            continue
        if isinstance(target, ast.Name):
            node, position = _unpacked(block, position, target.id) or (node, position)
            target = node.targets[0]
        if not isinstance(target, (ast.Tuple, ast.List)):
            continue
        names = [draft.segment(part) for part in target.elts]
        arguments = call.args
        if len(names) != 2 * len(arguments) or "_" in names:
            return None
        parts = tuple(
            Parts(argument, names[2 * number], names[2 * number + 1])
            for number, argument in enumerate(arguments)
        )
        return Split(node, position, parts, call, called_at)
    return None


def _unpacked(block: Block, position: int, name: str) -> tuple[ast.Assign, int] | None:
    """The statement `a, b, c, d = parts` that directly follows `parts = train_test_split(…)`."""
    following = block[position + 1] if position + 1 < len(block) else None
    if isinstance(following, ast.Assign) and ast.unparse(following.value) == name:
        return following, position + 1
    return None


def split_before(draft: Draft, block: Block, before: int) -> Split | None:
    """The last such statement before a position."""
    found: Split | None = None
    position = -1
    while True:
        split = find_split(draft, block, position)
        if split is None or split.position >= before:
            return found
        found, position = split, split.position


def parts_of(split: Split, block: Block, name: str, start: int) -> Parts | None:
    """The parts into which the columns of a table go: itself, or what was made from it."""
    direct = split.of(name)
    if direct is not None:
        return direct
    for part in split.parts:
        made = part.argument
        if isinstance(made, ast.Name):
            made = _definition(block[start + 1 : split.position], made.id) or made
        if root(made) == name and _keeps_columns(made):
            return part
    return None


def keeps_index(block: Block) -> bool:
    """Whether rows can be found again in the table they came from, by their index."""
    named = (
        getattr(part, "attr", "") or getattr(part, "id", "") or getattr(part, "arg", "")
        for statement in block
        for part in ast.walk(statement)
    )
    return REINDEXING.isdisjoint(named)


def lacks(split: Split, block: Block, parts: Parts, node: ast.AST) -> bool:
    """Whether the parts of a table may lack a column that the statement names."""
    named = {part.value for part in ast.walk(node) if is_text(part)} | set(_fields(node))
    if _picks_by_table(node):
        return True
    made = parts.argument
    if isinstance(made, ast.Name):
        made = _definition(block[: split.position], made.id) or made
    dropped = [part for part in ast.walk(made) if called(part) == "drop"]
    if any(named & _texts(part) for part in dropped):
        return True
    for part in ast.walk(made):
        if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.List):
            return not named <= _texts(part.slice)
    if dropped:
        return False
    tables = {root(made), root(parts.argument)}
    alone = (target_part(split, block, table, str(name)) for name in named for table in tables)
    return any(part is not None and part is not parts for part in alone)


def _texts(node: ast.AST) -> set[object]:
    return {getattr(part, "value", None) for part in ast.walk(node) if is_text(part)}


def _fields(node: ast.AST) -> list[str]:
    """Columns written as `df.a`."""
    functions = {id(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    target = node.targets[0] if isinstance(node, ast.Assign) else node
    table = root(target.value) if isinstance(target, ast.Expr) else root(target)
    return [
        part.attr
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute)
        and isinstance(part.value, ast.Name)
        and part.value.id == table
        and id(part) not in functions
        and part.attr not in ("loc", "iloc", "values", "index", "shape")
    ]


def _picks_by_table(node: ast.AST) -> bool:
    """`df[df.columns[:-1]] = …`: which columns these are is another question for each part."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return isinstance(target, ast.Subscript) and any(
        isinstance(part, ast.Name) and part.id == root(target) for part in ast.walk(target.slice)
    )


def _definition(nodes: Block, name: str) -> ast.expr | None:
    """What a name was assigned, if once."""
    found: list[ast.expr] = []
    for node in nodes:
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Name) and target.id == name:
            found.append(value)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            found += [
                given
                for one, given in zip(target.elts, value.elts, strict=False)
                if isinstance(one, ast.Name) and one.id == name
            ]
    return found[0] if len(found) == 1 else None


def _keeps_columns(node: ast.expr) -> bool:
    while isinstance(node, ast.Call) and called(node) in KEEPING:
        assert isinstance(node.func, ast.Attribute)
        node = node.func.value
    if isinstance(node, ast.Subscript):
        listed = isinstance(node.slice, (ast.List, ast.Name))
        return listed and isinstance(node.value, ast.Name)
    return isinstance(node, ast.Name)


def target_part(split: Split, block: Block, table: str, column: str) -> Parts | None:
    """The part of the split that holds one column of the table by itself."""
    wanted = {f"{table}['{column}']", f"{table}.{column}", f"{table}.pop('{column}')"}
    for part in split.parts:
        made = part.argument
        if isinstance(made, ast.Name):
            made = _definition(block[: split.position], made.id) or made
        if ast.unparse(made).removesuffix(".values") in wanted:
            return part
    return None


def take_away(draft: Draft, node: ast.stmt, until: Block) -> None:
    """Delete a statement whose work is done further down.

    It stays where it makes a column that the statements up to there name or list: the column must
    exist by then, if only to be computed anew.
    """
    if not _makes_column_for(node, until):
        draft.delete(node)


def is_read(node: ast.stmt, between: Block) -> bool:
    """Whether later statements compute with a column that the statement changes."""
    target: ast.AST = node.targets[0] if isinstance(node, ast.Assign) else node
    if isinstance(target, ast.Expr):
        target = target.value
    changed = {part.value for part in ast.walk(target) if is_text(part)}
    if isinstance(target, ast.Call) and isinstance(target.func, ast.Attribute):
        target = target.func.value
    changed |= {target.attr} if isinstance(target, ast.Attribute) else set()
    table = root(target)
    return any(
        _read_column(part) in changed
        and root(part) == table
        # What is still missing decides which rows stay.
        or (called(part) == "dropna" and root(part) == table)
        for later in between
        for part in ast.walk(later)
    )


def _read_column(node: ast.AST) -> object:
    """The column of `df["a"]` or `df.a`, where it is read."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return node.slice.value if is_text(node.slice) else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if isinstance(node.ctx, ast.Load) else None
    return None


def _makes_column_for(node: ast.stmt, until: Block) -> bool:
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Subscript):
        return False
    target = node.targets[0]
    made = {part.value for part in ast.walk(target.slice) if is_text(part)}
    made -= {part.value for part in ast.walk(node.value) if is_text(part)}
    named = {part.value for later in until for part in ast.walk(later) if is_text(part)}
    listed = any(
        isinstance(part, ast.Attribute) and part.attr == "columns" and root(part) == root(target)
        for later in until
        for part in ast.walk(later)
    )
    return bool(made & named) or (bool(made) and listed)
