"""Which statements may run at all, told from their syntax tree.

A statement is parsed, every node of its tree must be on a list, and what runs later is the tree
written out again: comments, quoting tricks and anything the parser did not understand are gone. The
engine enforces the same limits once more (`worker`); this is where a plan learns what is wrong.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

DERIVED = "derived_"
LONGEST_PATTERN = 256
MOST_NODES = 3_000
DEEPEST = 60

FUNCTIONS = frozenset({
    "count", "sum", "min", "max", "avg", "total", "coalesce", "ifnull", "nullif", "iif", "round",
    "abs", "lower", "upper", "length", "substr", "trim", "ltrim", "rtrim", "replace", "instr",
    "date", "strftime", "row_number", "rank", "dense_rank", "like",
})  # fmt: skip
"""What a statement may call: nothing that reads a clock, a file, chance or another statement."""

_NODES: tuple[type[exp.Expr], ...] = (
    exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Subquery, exp.With, exp.CTE,
    exp.TableAlias, exp.Table, exp.From, exp.Join, exp.Where, exp.Group, exp.Having, exp.Order,
    exp.Ordered, exp.Limit, exp.Offset, exp.Distinct, exp.Column, exp.Identifier, exp.Star,
    exp.Alias, exp.Literal, exp.Null, exp.Boolean, exp.Paren, exp.And, exp.Or, exp.Not, exp.EQ,
    exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.In, exp.Between, exp.Like, exp.Escape,
    exp.Exists, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.DPipe, exp.Case, exp.If,
    exp.Cast, exp.DataType, exp.Tuple, exp.Window, exp.WindowSpec, exp.Values, exp.NullSafeEQ,
    exp.NullSafeNEQ, exp.Var,
)  # fmt: skip
_CALLS: tuple[type[exp.Expr], ...] = (
    exp.Count, exp.Sum, exp.Min, exp.Max, exp.Avg, exp.Coalesce, exp.Nullif, exp.Round, exp.Abs,
    exp.Lower, exp.Upper, exp.Length, exp.Substring, exp.Trim, exp.Replace, exp.StrPosition,
    exp.Date, exp.RowNumber, exp.Rank, exp.DenseRank, exp.Anonymous, exp.TsOrDsToDate, exp.Concat,
    exp.TimeToStr,
)  # fmt: skip


# What the parser cannot read is refused with a finding; its own complaint would go to stderr.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


class SqlRefused(Exception):
    """A statement that may not run, or did not get through; the code is the finding's."""

    def __init__(self, *, code: str, message: str) -> None:
        super().__init__(message)
        self.code = f"solver.sql.{code}"
        self.message = message


@dataclass(frozen=True)
class Admitted:
    """A statement that may run, as it will run."""

    text: str
    reads: frozenset[str]
    """Relations it reads, binds and derived ones included."""
    fills: str = ""
    """The derived relation that it creates or adds to."""
    creates: bool = False
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def admit(statement: str, kind: str, known: Mapping[str, tuple[str, ...]]) -> Admitted:
    """The statement as it may run over the known relations; refuses with a reason otherwise."""
    tree = _parsed(statement)
    query, fills, creates = _split(tree, kind)
    if fills and fills in known and creates:
        raise SqlRefused(code="shadow", message=f"the relation {fills!r} exists already")
    if fills and not creates and fills not in known:
        raise SqlRefused(
            code="unknown_relation", message=f"{fills!r} is filled before it is created"
        )
    _walk(query)
    reads = frozenset(_tables(query))
    unknown = sorted(reads - known.keys())
    if unknown:
        names = ", ".join(unknown)
        raise SqlRefused(code="unknown_relation", message=f"there is no relation named {names}")
    _columns_exist(query, known)
    for select in query.find_all(exp.Select):
        _no_bare_columns(select)
    _order_totally(query)
    text = query.sql(dialect="sqlite", comments=False)
    if fills:
        text = (
            f'CREATE TEMP TABLE "{fills}" AS {text}' if creates else f'INSERT INTO "{fills}" {text}'
        )
    return Admitted(text=text, reads=reads, fills=fills, creates=creates, known=known)


def relations_of(statement: str) -> frozenset[str]:
    """The relations a statement names, admitted or not; empty if it cannot be parsed."""
    try:
        tree = _parsed(statement)
    except SqlRefused:
        return frozenset()
    return frozenset(_tables(tree))


def _parsed(statement: str) -> exp.Expr:
    try:
        trees = [tree for tree in sqlglot.parse(statement, dialect="sqlite") if tree is not None]
    except (SqlglotError, RecursionError) as error:
        message = f"not a statement that can be read: {str(error).splitlines()[0][:200]}"
        raise SqlRefused(code="syntax", message=message) from None
    if len(trees) != 1:
        raise SqlRefused(
            code="several", message=f"exactly one statement is wanted, not {len(trees)}"
        )
    return trees[0]


def _split(tree: exp.Expr, kind: str) -> tuple[exp.Query, str, bool]:
    """The query inside a statement, and the relation that it creates or fills."""
    if isinstance(tree, exp.Query) and not isinstance(tree, exp.Table):
        if kind == "derive":
            message = "a derive step creates or fills a relation; use kind `read` to select"
            raise SqlRefused(code="kind", message=message)
        return tree, "", False
    if kind != "derive":
        raise SqlRefused(code="not_a_read", message="a read step may only select")
    if isinstance(tree, exp.Create):
        return _created(tree)
    if isinstance(tree, exp.Insert):
        return _inserted(tree)
    raise SqlRefused(
        code="not_allowed", message="only CREATE TEMP TABLE … AS SELECT and INSERT … SELECT derive"
    )


def _created(tree: exp.Create) -> tuple[exp.Query, str, bool]:
    properties = tree.args.get("properties")
    made = properties.expressions if properties is not None else []
    temporary = len(made) == 1 and isinstance(made[0], exp.TemporaryProperty)
    extra = {name for name, value in tree.args.items() if value}
    query, table = tree.expression, tree.this
    plain = extra <= {"this", "kind", "expression", "properties", "with_"}
    if not (tree.kind == "TABLE" and temporary and plain and isinstance(query, exp.Query)):
        raise SqlRefused(
            code="not_allowed", message="derive by CREATE TEMP TABLE derived_… AS SELECT …"
        )
    return query, _derived_name(table), True


def _inserted(tree: exp.Insert) -> tuple[exp.Query, str, bool]:
    extra = {name for name, value in tree.args.items() if value}
    query = tree.expression
    if not extra <= {"this", "expression"} or not isinstance(query, exp.Query):
        raise SqlRefused(code="not_allowed", message="fill by INSERT INTO derived_… SELECT …")
    return query, _derived_name(tree.this), False


def _derived_name(table: exp.Expr) -> str:
    if not isinstance(table, exp.Table) or table.db or table.catalog:
        raise SqlRefused(code="not_allowed", message="a derived relation has a plain name")
    name = str(table.name)
    if not name.startswith(DERIVED) or not name.replace("_", "").isalnum() or name != name.lower():
        raise SqlRefused(
            code="shadow", message=f"the name of a derived relation begins with {DERIVED}"
        )
    return name


def _walk(query: exp.Query) -> None:
    """Every node must be on a list; nothing is trusted because of where it stands."""
    for count, node in enumerate(query.walk()):
        if count > MOST_NODES or node.depth > DEEPEST:
            raise SqlRefused(
                code="too_large", message="the statement is too large or nested too deeply"
            )
        if not isinstance(node, (*_NODES, *_CALLS)):
            raise SqlRefused(code="not_allowed", message=f"{node.key.upper()} is not allowed")
        _check_node(node)
    if any(with_.recursive for with_ in query.find_all(exp.With)):
        raise SqlRefused(code="recursive", message="recursive queries are not allowed")


def _check_node(node: exp.Expr) -> None:
    if isinstance(node, exp.Table) and (node.db or node.catalog):
        raise SqlRefused(code="schema_prefix", message="relations are named without a schema")
    if isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier):
        raise SqlRefused(code="not_allowed", message="table functions are not allowed")
    if isinstance(node, exp.Select) and (node.args.get("into") or node.args.get("locks")):
        raise SqlRefused(code="not_allowed", message="SELECT INTO and locks are not allowed")
    if isinstance(node, exp.Anonymous) and node.name.lower() not in FUNCTIONS:
        raise SqlRefused(code="function", message=f"the function {node.name} is not allowed")
    if isinstance(node, exp.Literal) and node.is_string and "now" in node.name.lower().split():
        parent = node.find_ancestor(exp.Func)
        if parent is not None:
            raise SqlRefused(
                code="clock", message="the date comes from `me.today`, not from a clock"
            )
    if isinstance(node, exp.Date | exp.TimeToStr) and not node.args.get("this"):
        raise SqlRefused(code="clock", message="the date comes from `me.today`, not from a clock")
    if isinstance(node, exp.Like) and len(node.expression.sql()) > LONGEST_PATTERN:
        raise SqlRefused(
            code="pattern", message=f"a LIKE pattern has at most {LONGEST_PATTERN} characters"
        )
    if isinstance(node, exp.Window) and node.this.key == "rownumber" and not node.args.get("order"):
        raise SqlRefused(code="unordered", message="row_number() needs an ORDER BY in its window")


def _tables(query: exp.Expr) -> Iterator[str]:
    """Names of relations outside the statement: what is not a name of its own `WITH`."""
    named = {cte.alias for cte in query.find_all(exp.CTE)}
    for table in query.find_all(exp.Table):
        if table.name not in named:
            yield str(table.name)


def _columns_exist(query: exp.Query, known: Mapping[str, tuple[str, ...]]) -> None:
    """SQLite takes an unknown name in double quotes for a text; here it is an error."""
    schema: dict[str, object] = {
        table: dict.fromkeys(columns, "TEXT") for table, columns in known.items()
    }
    try:
        qualify(query.copy(), schema=schema, dialect="sqlite", quote_identifiers=False)
    except (SqlglotError, RecursionError) as error:
        raise SqlRefused(code="unknown_column", message=str(error).splitlines()[0][:200]) from None


def _no_bare_columns(select: exp.Select) -> None:
    """Beside an aggregate, a column must be grouped: SQLite would pick its value at will."""
    group = select.args.get("group")
    outputs = [item.unalias() for item in select.expressions]
    aggregated = any(_aggregates(item) for item in outputs)
    if not aggregated and group is None:
        return
    keys = {key.sql() for key in (group.expressions if group else ())}
    names = {alias.alias: alias.this.sql() for alias in select.expressions if alias.alias}
    keys |= {names[key] for key in keys if key in names}
    for item in outputs:
        if item.sql() in keys or isinstance(item, exp.Star):
            continue
        for column in item.find_all(exp.Column):
            inside = column.find_ancestor(exp.AggFunc, exp.Subquery, exp.Exists)
            if inside is None and column.sql() not in keys:
                message = f"{column.sql()} stands beside an aggregate without GROUP BY"
                raise SqlRefused(code="bare_column", message=message)


def _aggregates(item: exp.Expr) -> bool:
    """Whether an output is an aggregate of this very query (windows and sub-queries are not)."""
    for found in item.find_all(exp.AggFunc):
        if found.find_ancestor(exp.Window, exp.Subquery) is None:
            return True
    return False


def _order_totally(query: exp.Query) -> None:
    """Break every tie by the output columns, so that the same rows always come out the same."""
    for part in query.find_all(exp.Select, exp.SetOperation):
        if part is not query and not part.args.get("limit"):
            continue
        width = len(part.selects)
        if any(item.is_star for item in part.selects):
            message = "name the columns wanted instead of *"
            raise SqlRefused(code="star", message=message)
        order = part.args.get("order")
        given = list(order.expressions) if order is not None else []
        # Aliases and ordinals both work in SQLite; ordinals cannot be ambiguous.
        ties = [
            exp.Ordered(this=exp.Literal.number(i), nulls_first=True) for i in range(1, width + 1)
        ]
        part.set("order", exp.Order(expressions=[*given, *ties]))
