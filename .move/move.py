"""Moves files by a table and rewrites whatever names them; see README.md beside this file.

The result is built in memory from the tracked files, looked at as a whole, and only then written.
"""

import argparse
import ast
import builtins
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

ROOTS = ("surveys", "tests")
LAYERS = {"views", "forms", "services", "selectors", "figures", "words", "charts", "admin", "tags", "urls"}
DATA_CALLS = {"salted_hmac", "Signer", "TimestampSigner", "dumps", "loads", "get_model"}
PATCHING = {"setattr", "getattr", "hasattr", "delattr", "object"}
GETTEXT = {"gettext", "gettext_lazy", "pgettext", "ngettext"}

problems: dict[str, list[str]] = defaultdict(list)
notes: dict[str, list[str]] = defaultdict(list)
proposals: list[str] = []


def problem(kind: str, text: str) -> None:
    if text not in problems[kind]:
        problems[kind].append(text)


def note(kind: str, text: str) -> None:
    if text not in notes[kind]:
        notes[kind].append(text)


def propose(module: str, name: str, new: str) -> None:
    line = f"rename\t{module}:{name}\t{new}"
    if line not in proposals:
        proposals.append(line)


# ---------------------------------------------------------------------------------------------------------- the table


@dataclass
class Table:
    moves: dict[str, str] = field(default_factory=dict)  # old path -> new path, "-" for dissolved
    renames: dict[tuple[str, str], str] = field(default_factory=dict)
    docstrings: dict[str, str] = field(default_factory=dict)


def read_table(path: Path, files: Iterable[str]) -> Table:
    table, folders, files = Table(), {}, list(files)
    known = set(files)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        where = f"{path.name}:{number}"
        if cells[0] == "rename" and len(cells) >= 3 and ":" in cells[1]:
            module, _, name = cells[1].partition(":")
            table.renames[module, name] = cells[2]
        elif cells[0] == "docstring" and len(cells) >= 3:
            table.docstrings[cells[1]] = cells[2]
        elif len(cells) < 2 or not cells[1]:
            problem("lines of the table that cannot be read", f"{where}: {line!r}")
        elif cells[0].endswith("/"):
            folders[cells[0]] = cells[1]
        elif cells[0] not in known:
            if "/" in cells[0] or cells[0].endswith(".py"):
                problem("files of the table that are not there", f"{where}: {cells[0]}")
        elif table.moves.get(cells[0], cells[1]) != cells[1]:
            problem("files with two new places", f"{where}: {cells[0]} -> {table.moves[cells[0]]} and {cells[1]}")
        else:
            new = cells[1]
            if new != "-" and (new.endswith("/") or (not PurePosixPath(new).suffix and PurePosixPath(cells[0]).suffix)):
                new = f"{new.rstrip('/')}/{PurePosixPath(cells[0]).name}"
            table.moves[cells[0]] = new
    for old, new in folders.items():
        for file in files:
            if file.startswith(old) and file not in table.moves:
                table.moves[file] = "-" if new == "-" else new.rstrip("/") + "/" + file[len(old) :]
    return table


# ------------------------------------------------------------------------------------------------ modules and scopes


def module_of(path: str) -> str:
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


class Scope:
    def __init__(self, kind: str, parent: "Scope | None") -> None:
        self.kind, self.parent = kind, parent
        self.binds: dict[str, list[ast.AST]] = defaultdict(list)
        self.to_module: set[str] = set()

    def chain(self) -> Iterator["Scope"]:
        scope: Scope | None = self
        while scope:
            if scope is self or scope.kind != "class":
                yield scope
            scope = scope.parent


@dataclass
class Use:
    node: ast.expr
    name: str
    scope: Scope
    quoted: ast.Constant | ast.JoinedStr | None = None
    load: bool = True


class Scoper(ast.NodeVisitor):
    """Finds which scope binds each name."""

    def __init__(self, tree: ast.Module, *, globals_: bool = True) -> None:
        self.globals_ = globals_
        self.module = self.scope = Scope("module", None)
        self.uses: list[Use] = []
        self.scopes = [self.module]
        self.parents: dict[ast.AST, ast.AST] = {}
        self.imports: list[tuple[ast.Import | ast.ImportFrom, Scope]] = []
        self.quoted: ast.JoinedStr | None = None
        queue: list[ast.AST] = [tree]
        for node in queue:
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    for child in value:
                        if isinstance(child, ast.AST):
                            self.parents[child] = node
                            queue.append(child)
                elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                    self.parents[value] = node
                    queue.append(value)
        self.visit(tree)

    def lookup(self, scope: Scope, name: str) -> Scope | None:
        for one in scope.chain():
            if name in one.to_module:
                return self.module
            if name in one.binds:
                return one
        return None

    def bind(self, name: str, node: ast.AST) -> None:
        (self.module if name in self.scope.to_module else self.scope).binds[name].append(node)

    def inside(self, kind: str, *nodes: ast.AST | Iterable[ast.AST], args: ast.arguments | None = None) -> None:
        outer, self.scope = self.scope, Scope(kind, self.scope)
        self.scopes.append(self.scope)
        for node in nodes if self.globals_ else ():
            for one in [node] if isinstance(node, ast.AST) else node:
                self.scope.to_module |= {name for inner in ast.walk(one) if isinstance(inner, ast.Global) for name in inner.names}
        if args:
            for arg in ast.walk(args):
                if isinstance(arg, ast.arg):
                    self.bind(arg.arg, arg)
        for node in nodes:
            for one in [node] if isinstance(node, ast.AST) else node:
                self.visit(one)
        self.scope = outer

    def annotation(self, node: ast.AST | None) -> None:
        if node is None:
            return
        self.visit(node)
        words = {
            inner
            for one in ast.walk(node)
            if isinstance(one, ast.Subscript) and ast.unparse(one.value).endswith("Literal")
            for inner in ast.walk(one.slice)
        }
        for inner in ast.walk(node):
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and inner not in words:
                self.in_string(inner)

    def in_string(self, node: ast.Constant) -> None:
        try:
            expression = ast.parse(node.value, mode="eval")
        except SyntaxError:
            return
        for inner in ast.walk(expression):
            if isinstance(inner, ast.Name):
                self.uses.append(Use(inner, inner.id, self.scope, node))

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.bind(node.name, node)
        for one in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(one)
        for arg in ast.walk(node.args):
            if isinstance(arg, ast.arg):
                self.annotation(arg.annotation)
        self.annotation(node.returns)
        self.inside("function", node.body, args=node.args)

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for one in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(one)
        self.inside("function", node.body, args=node.args)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bind(node.name, node)
        for one in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(one)
        self.inside("class", node.body)

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        self.visit(node.generators[0].iter)
        rest: list[ast.AST] = []
        for number, part in enumerate(node.generators):
            rest += [part.target, *([part.iter] if number else []), *part.ifs]
        rest += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self.inside("function", rest)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = comprehension

    def visit_Name(self, node: ast.Name) -> None:
        load = isinstance(node.ctx, ast.Load)
        if not load:
            self.bind(node.id, node)
        self.uses.append(Use(node, node.id, self.scope, self.quoted, load))

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self.visit(node.target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        self.annotation(node.annotation)
        if node.value:
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id == "cast" and node.args:
            if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
                self.in_string(node.args[0])
        self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        outer, self.quoted = self.quoted, self.quoted or node
        self.generic_visit(node)
        self.quoted = outer

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.bind(node.name, node)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self.bind(node.name, node)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs  # type: ignore[assignment]

    def imported(self, node: ast.Import | ast.ImportFrom) -> None:
        self.imports.append((node, self.scope))
        for alias in node.names:
            self.bind(alias.asname or alias.name.split(".")[0], node)

    visit_Import = visit_ImportFrom = imported


@dataclass
class Module:
    path: str
    name: str
    source: bytes
    tree: ast.Module
    scoper: Scoper
    froms: dict[str, tuple[str, str]]  # local name -> (module, name) it is imported from
    starts: list[int]

    @property
    def is_package(self) -> bool:
        return self.path.endswith("__init__.py")

    @property
    def binds(self) -> set[str]:
        return set(self.scoper.module.binds)

    @property
    def own(self) -> set[str]:
        """What it binds itself: `from package import part` in a package binds the part."""
        return {name for name in self.binds if self.froms.get(name) != (self.name, name)}

    def at(self, node: ast.AST) -> int:
        return self.starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self.starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]


def line_starts(source: bytes) -> list[int]:
    starts = [0]
    for line in source.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def absolute(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    parts = parts[: len(parts) - node.level + is_package]
    return ".".join([*parts, *([node.module] if node.module else [])])


def read_module(path: str, source: bytes) -> Module:
    tree = ast.parse(source, path)
    scoper, name, froms = Scoper(tree, globals_=b"global " in source), module_of(path), {}
    for node, scope in scoper.imports:
        if isinstance(node, ast.ImportFrom) and scope is scoper.module:
            for alias in node.names:
                origin = absolute(node, name, path.endswith("__init__.py"))
                froms[alias.asname or alias.name] = (origin, alias.name)
    return Module(path, name, source, tree, scoper, froms, line_starts(source))


# ------------------------------------------------------------------------------------------------------------ the move


class Move:
    def __init__(self, files: dict[str, bytes], table: Table) -> None:
        self.files, self.table = files, table
        self.modules: dict[str, Module] = {}
        for path, source in files.items():
            if path.endswith(".py") and (path.split("/")[0] in ROOTS or "/" not in path):
                module = read_module(path, source)
                self.modules[module.name] = module
        self.to: dict[str, str] = {path: table.moves.get(path, path) for path in files}
        self.vanishing()
        self.groups: dict[str, list[str]] = defaultdict(list)  # new path -> old paths, in the table's order
        for old, new in [*table.moves.items(), *self.to.items()]:
            if self.to[old] == new and new != "-" and old not in self.groups[new]:
                self.groups[new].append(old)
        self.check_targets()
        self.automatic_renames()
        self.patched = set(self.patches())
        self.template_moves = {
            old.removeprefix("templates/"): new.removeprefix("templates/")
            for old, new in self.to.items()
            if old.startswith("templates/") and new != old
        }

    def patches(self) -> Iterator[tuple[str, str]]:
        """Names that tests replace: whoever reads one through a dissolved package must go on reading it through a module."""
        for module in self.modules.values():
            text = module.source.decode()
            found = [(module.froms[alias], name) for alias, name in re.findall(r'setattr\((\w+), "(\w+)"', text) if alias in module.froms]
            named = [(self.submodule(*origin), name) for origin, name in found]
            named += re.findall(r'(?:setattr|patch)\(\s*"((?:surveys|tests)[\w.]*)\.(\w+)"', text)
            for old, name in named:
                if old not in self.modules:
                    continue
                yield old, name
                origin = self.modules[old].froms.get(name)
                new = self.new_of(old)
                if origin and origin[0] in self.modules and new and new == self.new_of(origin[0]):
                    note("patches that now also reach the file that defines the name, for both are merged: look", f"{module.path}: {old}.{name}")

    # -- where things go

    def vanishing(self) -> None:
        """Packages that hold nothing any more lose their __init__, where it says nothing but what it is."""
        self.vanished: dict[str, str] = {}
        kept = Counter(str(PurePosixPath(new).parent) for old, new in self.to.items() if not old.endswith("__init__.py"))
        for folder in list(kept):
            for parent in PurePosixPath(folder).parents:
                kept[str(parent)] += 1
        for path in [path for path in self.files if path.endswith("/__init__.py") and path.split("/")[0] in ROOTS]:
            folder = str(PurePosixPath(path).parent)
            if path in self.table.moves or kept[folder]:
                continue
            had = [file for file in self.files if file.startswith(f"{folder}/") and file != path]
            if not had:
                continue
            body = self.modules[module_of(path)].tree.body
            if len(body) > 1 or (body and not isinstance(body[0], ast.Expr)):
                problem("packages that hold nothing but re-exports: map or dissolve (-) their __init__", path)
                continue
            self.vanished[path] = ast.get_docstring(self.modules[module_of(path)].tree) or ""
            self.to[path] = "-"

    def check_targets(self) -> None:
        for new, olds in self.groups.items():
            if len(olds) > 1 and not new.endswith(".py"):
                problem("files that cannot be merged", f"{', '.join(olds)} -> {new}")
            if len(olds) > 1 and new in olds and new not in self.table.moves:
                problem(
                    "new places that are taken by a file the table does not name (list it, where it belongs in the order)",
                    f"{', '.join(old for old in olds if old != new)} -> {new}",
                )
            folder = new.removesuffix(".py")
            if new.endswith(".py") and any(other.startswith(f"{folder}/") for other in self.groups if other != new):
                problem("a file and a folder of one name", new)

    def new_of(self, module: str) -> str | None:
        new = self.to[self.modules[module].path]
        return None if new == "-" else module_of(new)

    def bound(self, module: str, name: str, seen: tuple[str, ...] = ()) -> str:
        """Return what a module's name is called after the renames."""
        if new := self.table.renames.get((module, name)):
            return new
        origin = self.modules[module].froms.get(name) if module in self.modules else None
        if origin and origin[0] in self.modules and module not in seen:
            together = self.new_of(module) is not None and self.new_of(origin[0]) == self.new_of(module)
            if origin[1] == name or together:
                return self.bound(*origin, (*seen, module))
        return name

    def submodule(self, package: str, name: str) -> str | None:
        """Return the module that `from package import name` binds, if it is one."""
        if package in self.modules and name in self.modules[package].binds:
            origin = self.modules[package].froms.get(name)
            if origin != (package, name):
                return self.submodule(*origin) if origin else None
        return f"{package}.{name}" if f"{package}.{name}" in self.modules else None

    def home(self, module: str, name: str) -> tuple[str, str] | None:
        """Return the new module and name of what an old module binds."""
        if new := self.new_of(module):
            return new, self.bound(module, name)
        origin = self.modules[module].froms.get(name)
        if origin and origin[0] in self.modules:
            return self.home(*origin)
        return origin

    def automatic_renames(self) -> None:
        """Two functions called _ in one file: the second is called by its name."""
        for olds in self.groups.values():
            meant: dict[str, tuple[str, str]] = {}
            for old in olds if len(olds) > 1 else []:
                if not old.endswith(".py"):
                    continue
                module = self.modules[module_of(old)]
                for name, origin in module.froms.items():
                    if origin[0] == "django.utils.translation" and name != origin[1]:
                        first = meant.setdefault(name, origin)
                        if first != origin and (module.name, name) not in self.table.renames:
                            self.table.renames[module.name, name] = origin[1]
                            note("_ called by its name, for it means another function in the merged file", f"{old}: {origin[1]}")

    def folder_to(self, folder: str) -> str | None:
        """Return where a folder went, if its files stayed together."""
        folder = folder.rstrip("/")
        inside = [path for path in self.files if path.startswith(f"{folder}/") and not path.endswith("__init__.py")]
        inside = [path for path in inside if self.to[path] != "-"]
        if not inside or any(self.to[path].startswith(f"{folder}/") for path in inside):
            return folder
        places = {self.to[path] for path in inside}
        same = {self.to[path].removesuffix(path[len(folder) :]) for path in inside if self.to[path].endswith(path[len(folder) :])}
        if len(same) == 1 and all(self.to[path].endswith(path[len(folder) :]) for path in inside):
            return same.pop()
        if len(places) == 1:
            return places.pop()
        common = Counter(str(PurePosixPath(place).parent) for place in places)
        shared = Path(*_common([PurePosixPath(place).parent.parts for place in places])) if places else Path()
        if len(shared.parts) > 1:
            note("folders that were spread, named by what still holds them all", f"{folder} -> {shared}/ ({dict(common)})")
            return str(shared)
        return None

    # -- text: strings, comments, documents

    def retext(self, text: str, where: str, *, quiet: bool = False) -> str:
        def dotted(match: re.Match[str]) -> str:
            whole = match[0]
            parts = whole.split(".")
            for length in range(len(parts), 1, -1):
                name = ".".join(parts[:length])
                if name not in self.modules:
                    continue
                rest = parts[length:]
                if rest and rest[0] in {"py", "html", "md", "json"}:
                    return whole
                new = self.new_of(name)
                if new is None and rest and (found := self.home(name, rest[0])):
                    return ".".join([*found, *rest[1:]])
                if new is None:
                    folder = self.folder_to(self.modules[name].path.removesuffix("/__init__.py"))
                    new = folder and folder.removesuffix(".py").replace("/", ".")
                elif self.modules[name].is_package and not rest and self.to[self.modules[name].path] == self.modules[name].path:
                    return whole
                if new is None:
                    problem("mentions of a package that is dissolved", f"{where}: {whole}")
                    return whole
                if rest:
                    rest[0] = self.bound(name, rest[0])
                return ".".join([new, *rest])
            return whole

        def file(match: re.Match[str]) -> str:
            whole = match[0]
            old, tail = (whole, "") if whole in self.to else (whole.rstrip(".,"), whole[len(whole.rstrip(".,")) :])
            if old in self.to:
                if self.to[old] == "-":
                    problem("mentions of a file that is dissolved", f"{where}: {whole}")
                    return whole
                return self.to[old] + tail
            slash = "/" if old.endswith("/") else ""
            if any(path.startswith(old.rstrip("/") + "/") for path in self.files):
                new = self.folder_to(old)
                if new is None:
                    problem("mentions of a folder that was spread", f"{where}: {whole}")
                    return whole
                return new + (slash if not new.endswith(".py") else "") + tail
            if f"{old}.py" in self.to and self.to[f"{old}.py"] != "-":
                return self.to[f"{old}.py"].removesuffix(".py") + tail
            return whole

        def template(match: re.Match[str]) -> str:
            return self.template_moves.get(match[0], match[0])

        def template_folder(match: re.Match[str]) -> str:
            folder = f"templates/{match[0]}"
            if not any(path.startswith(folder) for path in self.files):
                return match[0]
            inside = [path for path in self.files if path.startswith(folder + match[1])]
            places = {self.to[path].removesuffix(path[len(folder) :]) for path in inside}
            if len(places) != 1:
                problem("templates of one composed name that went to several folders", f"{where}: {match[0]}{match[1]}")
                return match[0]
            return places.pop().removeprefix("templates/")

        kept: list[str] = []

        def imported(match: re.Match[str]) -> str:
            indent, package, names = match[1], match[2], re.split(r",\s*", match[3])
            lines = []
            if package not in self.modules or not match[3]:
                return match[0]
            for name in names:
                if sub := self.submodule(package, name):
                    parent, _, base = (self.new_of(sub) or sub).rpartition(".")
                    lines.append(f"from {parent} import {base}" + (f" as {name}" if base != name else ""))
                else:
                    found = self.home(package, name) or (package, name)
                    lines.append(f"from {found[0]} import {found[1]}" + (f" as {name}" if found[1] != name else ""))
            if lines == [f"from {package} import {name}" for name in names]:
                return match[0]
            kept.append(f"\n{indent}".join(lines))
            return f"{indent}\0{len(kept) - 1}\0"

        new = re.sub(r"(?m)(^[ \t]*|(?<=[\"'; ]))from ((?:surveys|tests)[\w.]*) import ([\w]+(?:, \w+)*)", imported, text)
        new = re.sub(r"(?<![\w./-])(?:surveys|tests)(?:\.\w+)+", dotted, new)
        new = re.sub(r"(?<![\w./<-])(?:surveys|tests|templates)/[\w./-]*[\w/-]", file, new)
        if self.template_moves:
            new = re.sub(r"(?<=[\"'`])[\w./-]+\.(?:html|txt|py|R|md|svg)(?=[\"'`])", template, new)
            new = re.sub(r"(?<=[\"'])(?:[\w-]+/)+(?=([\w-]*)\{)", template_folder, new)
        new = re.sub("\0(\\d+)\0", lambda found: kept[int(found[1])], new)
        if new != text and not quiet:
            note("strings and comments changed", f"{where}: {_changed(text, new)}")
        return new


def _common(many: list[tuple[str, ...]]) -> list[str]:
    shared = []
    for parts in zip(*many, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return shared


def _changed(old: str, new: str) -> str:
    pieces = r"[\w./:-]+"
    before, after = re.findall(pieces, old), re.findall(pieces, new)
    pairs = [f"{a} -> {b}" for a, b in zip(before, after, strict=False) if a != b]
    return "; ".join(dict.fromkeys(pairs)) if len(before) == len(after) else f"{old.strip()[:60]} -> {new.strip()[:60]}"


# ------------------------------------------------------------------------------------------------- rewriting one file


class Rewriter:
    """Rewrites one old file so that it fits where it goes; imports of what is merged with it are gone afterwards."""

    def __init__(self, move: Move, module: Module) -> None:
        self.move, self.module, self.path = move, module, module.path
        self.target = move.new_of(module.name)
        self.edits: list[tuple[int, int, bytes]] = []
        self.words: dict[int, list[tuple[str, str, bool]]] = defaultdict(list)  # at a token: what, by what, braces only
        self.tokens = list(tokenize.tokenize(io.BytesIO(module.source).readline))
        self.lines = module.source.decode().split("\n")
        scoper = module.scoper
        self.uses: dict[tuple[int, str], list[Use]] = defaultdict(list)
        for use in scoper.uses:
            if scope := scoper.lookup(use.scope, use.name):
                self.uses[id(scope), use.name].append(use)
        self.locals: dict[tuple[int, str], str] = {}
        self.group = [move.modules[module_of(old)] for old in move.groups.get(move.to[self.path], []) if old.endswith(".py")]
        going = self.going()
        self.taken = {name for scope in scoper.scopes for name in scope.binds} - going | set(dir(builtins))
        for other in self.group:
            if other is not module:
                self.taken |= {move.bound(other.name, name) for name in other.binds}
        self.bases = self.imported_bases()
        self.renamed: dict[str, str] = {}  # at module level

    def where(self, node: ast.AST) -> str:
        return f"{self.path}:{getattr(node, 'lineno', 0)}"

    def going(self) -> set[str]:
        """Names of modules that this file will know by another name."""
        found = set()
        for node, _ in self.module.scoper.imports:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    origin = absolute(node, self.module.name, self.module.is_package)
                    sub = self.move.submodule(origin, alias.name)
                    if sub and not alias.asname:
                        new = self.move.new_of(sub)
                        if new is None or new.rpartition(".")[2] != alias.name:
                            found.add(alias.name)
        return {
            name
            for name in found
            if all(isinstance(one, ast.ImportFrom) for scope in self.module.scoper.scopes for one in scope.binds.get(name, ()))
        }

    def imported_bases(self) -> Counter[str]:
        """Count, over everything merged here, the different modules of one last name that are imported as modules."""
        wanted = set()
        for module in self.group or [self.module]:
            for node, scope in module.scoper.imports:
                if isinstance(node, ast.ImportFrom):
                    for alias in node.names:
                        origin = absolute(node, module.name, module.is_package)
                        if sub := self.move.submodule(origin, alias.name):
                            wanted |= {self.move.new_of(deep) for deep in self.reached(module, scope, alias, sub)}
        return Counter(new.rpartition(".")[2] for new in wanted if new and new != self.target)

    def reached(self, module: Module, scope: Scope, alias: ast.alias, sub: str) -> set[str]:
        local = alias.asname or alias.name
        if alias.asname:
            return set()
        uses = [u for u in module.scoper.uses if u.name == local and module.scoper.lookup(u.scope, local) is scope]
        return {self.chain(sub, use, module)[0] for use in uses}

    def chain(self, module: str, use: Use, file: Module | None = None) -> tuple[str, ast.expr, ast.Attribute | None]:
        """Follow a.b.c as far as it names modules: the module, its expression, and the attribute taken of it."""
        parents, node = (file or self.module).scoper.parents, use.node
        while isinstance(parent := parents.get(node), ast.Attribute) and parent.value is node:
            deeper = self.move.submodule(module, parent.attr)
            if deeper is None:
                return module, node, parent
            module, node = deeper, parent
        return module, node, None

    # -- edits

    def edit(self, start: int, end: int, new: str) -> None:
        if self.module.source[start:end] != new.encode():
            self.edits.append((start, end, new.encode()))

    def replace(self, use: Use, start: ast.expr, end: ast.expr, old: str, new: str) -> None:
        """Replace an expression; within a string by its words, for positions are not to be trusted there."""
        if use.quoted is None:
            self.edit(self.module.at(start), self.module.end(end), new)
            return
        at, stop = self.module.at(use.quoted), self.module.end(use.quoted)
        for token in self.tokens:
            if token.type == tokenize.STRING and at <= self.offset(token.start) < stop:
                self.words[self.offset(token.start)].append((old, new, isinstance(use.quoted, ast.JoinedStr)))

    def offset(self, position: tuple[int, int]) -> int:
        line, column = position
        return self.module.starts[line - 1] + len(self.lines[line - 1][:column].encode())

    def rename_uses(self, scope: Scope, old: str, new: str) -> None:
        if old == new:
            return
        for use in self.uses[id(scope), old]:
            if any(new in inner.binds for inner in _up_to(use.scope, scope)):
                problem("new names that mean something else where they are used", f"{self.where(use.node)}: {old} -> {new}")
            self.replace(use, use.node, use.node, old, new)
        if scope is self.module.scoper.module:
            self.renamed[old] = new

    # -- what a file binds

    def definitions(self) -> None:
        for name, nodes in self.module.scoper.module.binds.items():
            new = self.move.table.renames.get((self.module.name, name))
            if not new or name in self.module.froms:
                continue
            if new in self.module.binds:
                problem("new names that are taken", f"{self.path}: {name} -> {new}")
            self.rename_uses(self.module.scoper.module, name, new)
            for node in nodes:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    start = self.module.at(node)
                    found = re.compile(rb"\b" + name.encode() + rb"\b").search(self.module.source, start)
                    if found:
                        self.edit(found.start(), found.end(), new)
                elif not isinstance(node, ast.Name):
                    problem("renames that have to be made by hand", f"{self.where(node)}: {name} -> {new}")
        for node in ast.walk(self.module.tree):
            if isinstance(node, ast.Global) and set(node.names) & set(self.renamed):
                problem("renames that have to be made by hand", f"{self.where(node)}: global {', '.join(node.names)}")

    def local_for(self, scope: Scope, new: str, keep: str | None = None) -> str:
        """Choose what a module is called in this file."""
        if keep:
            return keep
        key = (id(scope), new)
        for (_, other), name in self.locals.items():
            if other == new:
                self.locals[key] = name
        if key not in self.locals:
            parts = new.split(".")
            names = ["_".join(parts[-length:]) for length in range(1, len(parts) + 1)]
            if self.bases[parts[-1]] > 1:
                names = names[1:]
            chosen = next((name for name in names if name not in self.taken), None)
            if chosen is None:
                problem("modules that can be called nothing here", f"{self.path}: {new}")
                chosen = names[-1]
            if chosen != parts[-1]:
                note("modules called by a longer name, for the short one is taken", f"{self.path}: {new} as {chosen}")
            self.locals[key] = chosen
            self.taken.add(chosen)
        return self.locals[key]

    def means_other(self, name: str, found: tuple[str, str]) -> bool:
        """Return whether a name is taken here, or in what is merged with this file, by anything else than `found`."""
        if name in dir(builtins) or any(name in scope.binds for scope in self.module.scoper.scopes[1:]):
            return True
        for module in self.group or [self.module]:
            for old in module.binds:
                if (self.move.bound(module.name, old) if old in module.froms or module is not self.module else old) != name:
                    continue
                origin = module.froms.get(old)
                if origin and origin[0] in self.move.modules:
                    origin = self.move.home(*origin)
                if origin != found:
                    return True
        return False

    @staticmethod
    def statement(module: str, name: str, local: str) -> tuple[str, str]:
        return module, name if name == local else f"{name} as {local}"

    def module_alias(self, scope: Scope, alias: ast.alias, module: str) -> list[tuple[str, str]] | None:
        """Rewrite what is used of an imported module; return the imports it needs, or None where nothing changes."""
        local = alias.asname or alias.name
        uses = [(use, *self.chain(module, use)) for use in self.uses[id(scope), local] if use.load or use.quoted]
        touched = {module, *(deep for _, deep, _, _ in uses)}
        if all(self.move.new_of(deep) == deep for deep in touched):
            renames = [deep for deep in touched if any(key[0] == deep for key in self.move.table.renames)]
            if not renames:
                return None
        imports: dict[tuple[str, str], None] = {}
        for use, deep, expression, attribute in uses:
            call = self.module.scoper.parents.get(expression)
            patched = _patched(call, expression)
            name = attribute.attr if attribute else patched.value if patched else None
            new = self.move.new_of(deep)
            if patched and name is not None and (found := self.move.home(deep, name)) and found[1] != name:
                self.words[self.module.at(patched)].append((name, found[1], False))
            if new is None or new == self.target:
                found = self.move.home(deep, name) if name is not None else None
                if found is None:
                    problem(
                        "uses of a module that is dissolved, or merged with its user",
                        f"{self.where(use.node)}: {deep}{f'.{name}' if name else ''}",
                    )
                    continue
                if patched:
                    if found[0] == self.target:
                        problem("a file that patches what it is merged with", f"{self.where(use.node)}: {deep}.{name}")
                        continue
                    note("patches of a re-export, now of where it is: users that took the name itself do not see them", self.where(use.node))
                    here = self.local_for(scope, found[0])
                    imports[self.statement(*found[0].rpartition(".")[::2], here)] = None
                    self.replace(use, use.node, expression, local, here)
                    continue
                clash = any(found[1] in inner.binds for inner in _up_to(use.scope, scope))
                top = found[0] != self.target and (self.means_other(found[1], found) or (deep, name) in self.move.patched)
                if found[0] == self.target and clash:
                    problem("names of a merged module that are variables here", f"{self.where(use.node)}: {deep}.{name}")
                    continue
                old = ast.unparse(attribute) if attribute else local
                if clash or top:
                    here = self.local_for(scope, found[0])
                    imports[self.statement(*found[0].rpartition(".")[::2], here)] = None
                    self.replace(use, use.node, attribute, old, f"{here}.{found[1]}")
                else:
                    if found[0] != self.target:
                        imports[found] = None
                    self.replace(use, use.node, attribute, old, found[1])
                continue
            keep = local if deep == module and (alias.asname or local == new.rpartition(".")[2]) else None
            here = self.local_for(scope, new, keep)
            imports[self.statement(*new.rpartition(".")[::2], here)] = None
            old = ast.unparse(expression)
            renamed = self.move.bound(deep, name) if attribute and name else None
            if attribute and use.quoted:
                self.replace(use, use.node, attribute, f"{old}.{name}", f"{here}.{renamed}")
            else:
                self.replace(use, use.node, expression, old, here)
                if attribute and renamed and renamed != name:
                    end = self.module.end(attribute)
                    self.edit(end - len(attribute.attr.encode()), end, renamed)
        if not uses:
            new = self.move.new_of(module)
            if new is None or new == self.target:
                return []
            here = self.local_for(scope, new, alias.asname or (local if local == new.rpartition(".")[2] else None))
            imports[self.statement(*new.rpartition(".")[::2], here)] = None
        return list(imports)

    def name_alias(self, scope: Scope, alias: ast.alias, module: str) -> list[tuple[str, str]] | None:
        """The same for a name taken from a module."""
        local = alias.asname or alias.name
        top = scope is self.module.scoper.module
        wanted = self.move.table.renames.get((self.module.name, local)) if top else None
        if module not in self.move.modules:
            if wanted is None:
                return None
            self.rename_uses(scope, local, wanted)
            return [self.statement(module, alias.name, wanted)]
        if alias.name == "*":
            new = self.move.new_of(module)
            return None if new == module else [(new or module, "*")]
        found = self.move.home(module, alias.name)
        if found is None:
            problem("names that a dissolved file defines", f"{self.path}: {module}.{alias.name}")
            return None
        if found == (module, alias.name) and wanted is None and module != self.target:
            return None
        if found[0] == self.target and module != self.module.name:
            self.rename_uses(scope, local, found[1])
            return []
        new = wanted or (local if alias.asname else found[1])
        if new != local and self.means_other(new, found) and not wanted:
            note("renamed names that keep the old one here, for the new one is taken", f"{self.path}: {found[1]} as {local}")
            new = local
        self.rename_uses(scope, local, new)
        return [self.statement(*found, new)]

    def imports(self) -> None:
        gone: dict[int, int] = Counter()
        for node, scope in self.module.scoper.imports:
            lines: list[str] | None = None
            if isinstance(node, ast.Import):
                if any(alias.name in self.move.modules and self.move.new_of(alias.name) != alias.name for alias in node.names):
                    lines = self.plain_import(node, scope)
            else:
                origin = absolute(node, self.module.name, self.module.is_package)
                together: dict[str, list[str]] = defaultdict(list)
                changed = bool(node.level)
                for alias in node.names:
                    sub = self.move.submodule(origin, alias.name)
                    new = self.module_alias(scope, alias, sub) if sub else self.name_alias(scope, alias, origin)
                    changed |= new is not None
                    own = [(origin, alias.name + (f" as {alias.asname}" if alias.asname else ""))]
                    for module, name in own if new is None else new:
                        if name not in together[module]:
                            together[module].append(name)
                if changed:
                    lines = [f"from {module} import {', '.join(names)}" for module, names in together.items() if names]
            if lines is not None:
                self.write_imports(node, lines, gone)

    def plain_import(self, node: ast.Import, scope: Scope) -> list[str]:
        lines = []
        for alias in node.names:
            new = self.move.new_of(alias.name) if alias.name in self.move.modules else alias.name
            if new is None:
                problem("imports of a package that is dissolved", f"{self.where(node)}: {alias.name}")
                new = alias.name
            lines.append(f"import {new}" + (f" as {alias.asname}" if alias.asname else ""))
            if alias.asname:
                continue
            for use in self.uses[id(scope), alias.name.split(".")[0]]:
                expression, dotted = use.node, use.name
                best: tuple[ast.expr, str] | None = None
                while isinstance(parent := self.module.scoper.parents.get(expression), ast.Attribute) and parent.value is expression:
                    expression, dotted = parent, f"{dotted}.{parent.attr}"
                    if dotted == alias.name:
                        best = (expression, dotted)
                        attribute = self.module.scoper.parents.get(expression)
                if best:
                    self.replace(use, use.node, best[0], best[1], new)
                    if isinstance(attribute, ast.Attribute):
                        name = self.move.bound(alias.name, attribute.attr)
                        if name != attribute.attr:
                            end = self.module.end(attribute)
                            self.edit(end - len(attribute.attr), end, name)
        return lines

    def write_imports(self, node: ast.Import | ast.ImportFrom, lines: list[str], gone: dict[int, int]) -> None:
        start, end = self.module.starts[node.lineno - 1], self.module.starts[node.end_lineno or node.lineno] - 1
        indent = " " * node.col_offset
        comments = [
            token.string
            for token in self.tokens
            if token.type == tokenize.COMMENT and node.lineno <= token.start[0] <= (node.end_lineno or node.lineno)
        ]
        if len(comments) > 1 or (comments and "noqa" not in comments[0] and "type:" not in comments[0]):
            note("comments beside imports that were rewritten: look where they stand", f"{self.where(node)}: {' '.join(comments)}")
        if lines:
            comment = "  " + "  ".join(comments) if comments else ""
            every = "noqa" in comment
            text = "\n".join(indent + line + (comment if every or not number else "") for number, line in enumerate(lines))
            self.edit(start, min(end, len(self.module.source)), text)
            return
        parent = self.module.scoper.parents[node]
        body = next(value for _, value in ast.iter_fields(parent) if isinstance(value, list) and node in value)
        gone[id(body)] += 1
        if gone[id(body)] == len(body) and not isinstance(parent, ast.Module):
            self.edit(start, end, indent + "pass")
        else:
            self.edit(start, min(end + 1, len(self.module.source)), "")

    # -- strings

    def exported(self) -> None:
        for node in self.module.tree.body:
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
                for inner in ast.walk(node.value):
                    if isinstance(inner, ast.Constant) and inner.value in self.renamed:
                        self.words[self.module.at(inner)].append((inner.value, self.renamed[inner.value], False))

    def text(self) -> None:
        data = list(self.data_ranges())
        self.path_chains()
        for token in self.tokens:
            if token.type not in {tokenize.STRING, tokenize.COMMENT}:
                continue
            start = self.offset(token.start)
            end = self.offset(token.end)
            if any(first <= start and end <= last for first, last, _ in self.edits):
                continue
            where = f"{self.path}:{token.start[0]}"
            new = token.string
            if not self.path.startswith("surveys/migrations/"):
                if any(first <= start < last for first, last in data):
                    if self.move.retext(new, where, quiet=True) != new:
                        note("strings that name code but are data: left", f"{where}: {new}")
                else:
                    new = self.move.retext(new, where)
            for old, word, braces in self.words.get(start, ()):
                pattern = rf"(?<![\w.]){re.escape(old)}(?!\w)"
                if braces:
                    new = re.sub(r"\{[^{}]*\}", lambda found: re.sub(pattern, word, found[0]), new)  # noqa: B023
                else:
                    new = re.sub(pattern, word, new)
            if new != token.string:
                self.edit(start, end, new)

    def data_ranges(self) -> Iterator[tuple[int, int]]:
        for node in ast.walk(self.module.tree):
            if isinstance(node, ast.Assign) and any("SALT" in ast.unparse(target).upper() for target in node.targets):
                yield self.module.at(node.value), self.module.end(node.value)
            if isinstance(node, ast.keyword) and node.arg in {"salt", "key_salt"}:
                yield self.module.at(node.value), self.module.end(node.value)
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in DATA_CALLS:
                for argument in node.args:
                    yield self.module.at(argument), self.module.end(argument)

    def path_chains(self) -> None:
        """ROOT / "templates" / "exports", and how far a file is below what it means by __file__."""
        parents = self.module.scoper.parents
        for node in ast.walk(self.module.tree):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                above = parents.get(node)
                if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Div) and above.left is node:
                    continue
                parts: list[ast.expr] = []
                left: ast.expr = node
                while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Div):
                    parts.insert(0, left.right)
                    left = left.left
                run = []
                for part in parts:
                    if not (isinstance(part, ast.Constant) and isinstance(part.value, str)):
                        break
                    run.append(part)
                joined = "/".join(str(part.value) for part in run)
                if len(run) > 1 and joined.split("/")[0] in {*ROOTS, "templates"}:
                    new = self.move.retext(joined, self.where(node))
                    if new != joined:
                        text = " / ".join(f'"{part}"' for part in new.split("/"))
                        self.edit(self.module.at(run[0]), self.module.end(run[-1]), text)
                elif len(run) == 1 and len(parts) > 1 and run[0].value in {*ROOTS, "templates"}:
                    note("paths composed of variables: look at them", f"{self.where(node)}: {ast.unparse(node)}")
            if isinstance(node, ast.Name) and node.id == "__file__":
                self.own_place(node)

    def own_place(self, node: ast.Name) -> None:
        parents = self.module.scoper.parents
        new = self.move.to[self.path]
        top: ast.AST = node
        while isinstance(parents.get(top), ast.Call | ast.Attribute | ast.Subscript):
            above = parents[top]
            if isinstance(above, ast.Attribute) and above.attr not in {"resolve", "absolute", "parent", "parents"}:
                break
            if isinstance(above, ast.Call) and top in above.args and ast.unparse(above.func) != "Path":
                break
            top = above
        text = ast.unparse(top)
        ups = text.count(".parent") - text.count(".parents")
        if index := re.search(r"\.parents\[(\d+)\]", text):
            ups += int(index[1]) + 1
        if new in {self.path, "-"}:
            return
        was = PurePosixPath(self.path)
        meant = was.parents[ups - 1] if ups else was
        if not ups or meant not in PurePosixPath(new).parents:
            problem("places found by __file__ that the move leaves behind", f"{self.where(node)}: {text} means {meant}")
            return
        steps = list(PurePosixPath(new).parents).index(meant) + 1
        note("places found by __file__", f"{self.where(node)} -> {new}: {text} means {meant or '.'}, {ups} -> {steps} steps")
        if steps == ups:
            return
        source = self.module.source[self.module.at(top) : self.module.end(top)].decode()
        if index:
            source = re.sub(r"\.parents\[\d+\]", f".parents[{steps - 1 - (ups - int(index[1]) - 1)}]", source)
        else:
            source = re.sub(r"(\.parent\b)+", ".parent" * steps, source, count=1)
        self.edit(self.module.at(top), self.module.end(top), source)

    def rewritten(self) -> bytes:
        self.definitions()
        self.imports()
        self.exported()
        self.text()
        out, at = [], 0
        for start, end, new in sorted(self.edits):
            if start < at:
                problem("edits that overlap", f"{self.path}: {self.module.source[start:end]!r}")
                continue
            out += [self.module.source[at:start], new]
            at = end
        return b"".join([*out, self.module.source[at:]])


def _up_to(scope: Scope, stop: Scope) -> Iterator[Scope]:
    for one in scope.chain():
        if one is stop:
            return
        yield one


def _patched(call: ast.AST | None, first: ast.AST) -> ast.Constant | None:
    """Return the string of monkeypatch.setattr(module, "name", …)."""
    if isinstance(call, ast.Call) and len(call.args) > 1 and call.args[0] is first:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        second = call.args[1]
        if name in PATCHING and isinstance(second, ast.Constant) and isinstance(second.value, str):
            return second
    return None


# ------------------------------------------------------------------------------------------------------------ merging


@dataclass
class Part:
    """One old file of a merged one, in pieces."""

    old: str
    module: Module
    docstring: str = ""
    doc_text: str = ""
    imports: list[str] = field(default_factory=list)
    checking: list[str] = field(default_factory=list)
    body: list[tuple[ast.stmt, str]] = field(default_factory=list)
    exported: list[str] = field(default_factory=list)
    has_exported: bool = False
    marks: list[str] = field(default_factory=list)

    @property
    def stem(self) -> str:
        path = PurePosixPath(self.old)
        return (path.parent.name if path.stem == "__init__" else path.stem).removeprefix("test_")


def _is_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def split(old: str, source: bytes) -> Part:
    module = read_module(old, source)
    part, lines, last, header = Part(old, module), source.decode().split("\n"), 0, True
    for number, node in enumerate(module.tree.body):
        text = "\n".join(lines[last : node.end_lineno]).strip("\n")
        last = node.end_lineno or last
        if number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            part.docstring, part.doc_text = ast.get_docstring(module.tree) or "", text
        elif header and isinstance(node, ast.Import | ast.ImportFrom):
            part.imports.append(text)
        elif header and _is_checking(node) and not node.orelse and all(isinstance(one, ast.Import | ast.ImportFrom | ast.Pass) for one in node.body):
            inner = [ast.get_source_segment(source.decode(), one) or "" for one in node.body if not isinstance(one, ast.Pass)]
            part.checking += inner
        else:
            header = False
            names = [ast.unparse(target) for target in node.targets] if isinstance(node, ast.Assign) else []
            if names == ["__all__"] and isinstance(node.value, ast.List | ast.Tuple):
                part.exported = [one.value for one in node.value.elts if isinstance(one, ast.Constant)]
                part.has_exported = True
            else:
                if isinstance(node, ast.Import | ast.ImportFrom):
                    note("imports below other statements, left there", f"{old}:{node.lineno}")
                part.body.append((node, text))
    rest = "\n".join(lines[last:]).strip("\n")
    if rest and part.body:
        part.body[-1] = (part.body[-1][0], f"{part.body[-1][1]}\n{rest}")
    return part


def bound_by(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return set()
    return set(Scoper(ast.Module([node], [])).module.binds)


def names_at_import(node: ast.AST, *, annotations: bool = True) -> set[str]:
    """Return the names that a statement reads while its module is imported."""
    found: set[str] = set()

    def look(one: ast.AST | None) -> None:
        if one is None:
            return
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            for inner in (*one.decorator_list, *one.args.defaults, *one.args.kw_defaults):
                look(inner)
            if annotations:
                look(one.returns)
                for arg in ast.walk(one.args):
                    if isinstance(arg, ast.arg):
                        look(arg.annotation)
        elif isinstance(one, ast.Lambda):
            for inner in (*one.args.defaults, *one.args.kw_defaults):
                look(inner)
        elif isinstance(one, ast.AnnAssign):
            look(one.value)
            if annotations:
                look(one.annotation)
        else:
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
                found.add(one.id)
            for inner in ast.iter_child_nodes(one):
                look(inner)

    look(node)
    return found


def order_of(parts: list[Part]) -> list[Part]:
    """Keep the table's order, except that a part comes after what it reads while it is imported."""
    definers = {name: (part, node) for part in parts for node, _ in part.body for name in bound_by(node)}

    def needs(part: Part, *, deep: bool) -> set[str]:
        wanted: set[str] = set()
        queue = [name for node, _ in part.body for name in names_at_import(node)]
        run = {name for node, _ in part.body for name in names_at_import(node, annotations=False)} if deep else set()
        while queue:
            name = queue.pop()
            if name not in definers or name in wanted:
                continue
            wanted.add(name)
            if name in run:
                inner = {one.id for one in ast.walk(definers[name][1]) if isinstance(one, ast.Name)}
                run |= inner
                queue += inner
        return {definers[name][0].old for name in wanted} - {part.old}

    for deep in (True, False):
        left, done = list(parts), []
        wants = {part.old: needs(part, deep=deep) for part in parts}
        while left:
            ready = next((part for part in left if not wants[part.old] & {other.old for other in left}), None)
            if ready is None:
                break
            left.remove(ready)
            done.append(ready)
        if not left:
            return done
    problem("merged files that read each other while they are imported", ", ".join(part.old for part in left))
    return parts


def merge(move: Move, new: str, sources: dict[str, bytes]) -> bytes:
    parts = [split(old, sources[old]) for old in move.groups[new]]
    clashes(move, new, parts)
    if new.startswith("tests/"):
        scatter_marks(new, parts)
    ordered = order_of(parts)
    if ordered != parts:
        note("merged files put in another order, for definitions come before their use", f"{new}: {', '.join(part.old for part in ordered)}")
    pieces = []
    future = [text for part in parts for text in part.imports if "from __future__" in text]
    header = [part.doc_text for part in parts[:1]]
    if text := move.table.docstrings.get(new):
        header = [f'"""{text}"""']
    elif not parts[0].docstring:
        header.append(next((part.doc_text for part in parts if part.doc_text), ""))
    lines: dict[str, None] = {}
    for text in [*future, *(text for part in parts for text in part.imports)]:
        lines.setdefault(text)
    pieces += ["\n".join(filter(None, header)), "\n".join(lines)]
    if checking := dict.fromkeys(text for part in parts for text in part.checking):
        pieces.append("if TYPE_CHECKING:\n" + "\n".join(f"    {line}" for text in checking for line in text.split("\n")))
    exported = sorted({name for part in parts for name in part.exported})
    defined = {name for part in parts for node, _ in part.body for name in bound_by(node)}
    if exported and (new.endswith("__init__.py") or not set(exported) <= defined):
        pieces.append("__all__ = [\n" + "".join(f'    "{name}",\n' for name in exported) + "]")
    elif exported:
        note("__all__ left out, for all its names are defined in the merged file", new)
    seen: dict[str, str] = {}
    for part in ordered:
        body, skip = [], False
        for node, text in part.body:
            names = bound_by(node)
            if names and all(seen.get(name) == ast.dump(node) for name in names):
                skip = True
                note("the same definition twice: kept once", f"{new}: {', '.join(sorted(names))} of {part.old}")
                continue
            if skip and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            skip = False
            seen |= dict.fromkeys(names, ast.dump(node))
            body.append((node, text))
        if not body:
            continue
        comment = ""
        if part is not parts[0] and part.docstring:
            paragraphs = [" ".join(text.split()) for text in part.docstring.split("\n\n")]
            if part.module.is_package:
                note("sentences of docstrings that were left out", f"{part.old}: {' '.join(paragraphs)}")
            else:
                if len(paragraphs) > 1:
                    note("comments of several paragraphs, made of docstrings: shorten them", f"{new}: {paragraphs[0]}")
                comment = "\n#\n".join("\n".join(_wrapped(text)) for text in paragraphs)
        text = "\n".join(
            ("" if not number else "\n" * _gap(body[number - 1], one)) + one[1] for number, one in enumerate(body)
        )
        pieces.append(f"{comment}\n\n\n{text}" if comment else text)
    source = "\n\n\n".join(piece for piece in pieces if piece) + "\n"
    before_use(new, source)
    return source.encode()


def _gap(before: tuple[ast.stmt, str], after: tuple[ast.stmt, str]) -> int:
    """Return how many empty lines stood between two statements."""
    if after[0].lineno <= before[0].lineno:
        return 1
    lead = len(after[1].split("\n")) - ((after[0].end_lineno or 0) - _first_line(after[0]) + 1)
    return max(0, min(2, _first_line(after[0]) - lead - (before[0].end_lineno or 0) - 1))


def _first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])


def _wrapped(text: str, width: int = 118) -> list[str]:
    lines, line = [], "#"
    for word in text.split():
        if len(line) + len(word) + 1 > width:
            lines.append(line)
            line = "#"
        line += f" {word}"
    return [*lines, line] if line != "#" else []


def clashes(move: Move, new: str, parts: list[Part]) -> None:
    """Report one name for two things, and names that hid nothing and would now hide a builtin."""
    meaning: dict[str, tuple[Part, str]] = {}
    everything: dict[str, Part] = {}
    for part in parts:
        own: dict[str, str] = {}
        for node, _ in part.body:
            for name in bound_by(node):
                own[name] = own.get(name, "") + ast.dump(node)
        for node in part.module.tree.body:
            for inner in [node, *(node.body if _is_checking(node) else [])]:
                if isinstance(inner, ast.Import):
                    own |= {alias.asname or alias.name.split(".")[0]: f"import {alias.name if alias.asname else alias.name.split('.')[0]}" for alias in inner.names}
                if isinstance(inner, ast.ImportFrom):
                    own |= {alias.asname or alias.name: f"from {inner.module} import {alias.name}" for alias in inner.names}
        old = module_of(part.old)
        for name, what in own.items():
            if name in {"__all__", "pytestmark"}:
                continue
            everything.setdefault(name, part)
            other = meaning.setdefault(name, (part, what))
            if other[1] == what:
                continue
            kinds = [text if text.startswith(("from ", "import ")) else "defined" for text in (other[1], what)]
            problem("one name for two things in a merged file", f"{new}: {name} ({other[0].old}: {kinds[0]}; {part.old}: {kinds[1]})")
            original = next((key[1] for key, value in move.table.renames.items() if key[0] == old and value == name), name)
            propose(old, original, _longer(name, part.stem))
    for part in parts:
        free = {use.name for use in part.module.scoper.uses if not part.module.scoper.lookup(use.scope, use.name)}
        for name in free & set(everything) & set(dir(builtins)):
            problem("names that hide a builtin which another merged file uses", f"{new}: {name} of {everything[name].old}, for {part.old}")
        for name in free - set(everything) - set(dir(builtins)) - {"__file__", "__name__", "__doc__"}:
            problem("names that nothing binds any more", f"{new}: {name} in {part.old}")


def _longer(name: str, stem: str) -> str:
    plain, under = name.lstrip("_"), "_" * (len(name) - len(name.lstrip("_")))
    if plain.startswith("test_"):
        return f"test_{stem}_{plain.removeprefix('test_')}"
    if plain.isupper():
        return f"{under}{stem.upper()}_{plain}"
    if plain[:1].isupper():
        return under + "".join(word.capitalize() for word in stem.split("_")) + plain
    return f"{under}{stem}_{plain}"


def scatter_marks(new: str, parts: list[Part]) -> None:
    """Give each test its own marks where merged files have different ones, and fixtures that every test used."""
    marks: dict[str, list[str]] = {}
    for part in parts:
        marks[part.old] = []
        for node, _ in part.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
                values = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
                marks[part.old] = [ast.unparse(value) for value in values]
    same = len({tuple(value) for value in marks.values()}) == 1
    for part in parts:
        given = [] if same else list(marks[part.old])
        if not same:
            for node, text in part.body:
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark" and "#" in text:
                    note("comments at pytestmark, left out: put them where they belong", f"{part.old}: {text}")
            part.body = [
                (node, text) for node, text in part.body if not (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark")
            ]
        for number, (node, text) in enumerate(part.body):
            if isinstance(node, ast.FunctionDef) and any("autouse=True" in ast.unparse(one) for one in node.decorator_list):
                fixed = re.sub(r"\(\s*autouse=True\s*\)", "", text, count=1)
                fixed = re.sub(r"autouse=True,\s*|,\s*autouse=True", "", fixed, count=1)
                part.body[number] = (node, fixed)
                given.append(f'pytest.mark.usefixtures("{node.name}")')
                note("fixtures that every test of a file used, now named by its tests", f"{new}: {node.name} of {part.old}")
        if not given:
            continue
        if not same:
            note("marks of a whole file, now of each of its tests", f"{new}: {', '.join(given)} of {part.old}")
        for number, (node, text) in enumerate(part.body):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name.lower().startswith("test"):
                lines = text.split("\n")
                own = (node.end_lineno or 0) - _first_line(node) + 1
                lines[len(lines) - own : len(lines) - own] = [f"@{mark}" for mark in given]
                part.body[number] = (node, "\n".join(lines))


def before_use(new: str, source: str) -> None:
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        problem("merged files that cannot be read", f"{new}: {error}")
        return
    later = Counter(name for node in tree.body for name in bound_by(node))
    for node in tree.body:
        own = bound_by(node)
        missing = {name for name in names_at_import(node) if later[name] > 0} - own
        done = {name for name in missing if name in own}
        for name in sorted(missing - done - before_use.seen.setdefault(new, set())):  # type: ignore[attr-defined]
            problem("names used at import before they are defined", f"{new}:{node.lineno}: {name}")
        before_use.seen[new] |= own  # type: ignore[attr-defined]


before_use.seen = {}  # type: ignore[attr-defined]


# --------------------------------------------------------------------------------------------------- the whole result


def build(move: Move) -> dict[str, bytes]:
    """Return every file of the result."""
    texts: dict[str, bytes] = {}
    for path in move.files:
        module = move.modules.get(module_of(path)) if path.endswith(".py") else None
        if module and module.path == path and move.to[path] != "-":
            texts[path] = Rewriter(move, module).rewritten()
        elif module and module.path == path:
            texts[path] = b""
        else:
            texts[path] = other_text(move, path)
    result: dict[str, bytes] = {}
    for new, olds in move.groups.items():
        alone = len(olds) == 1
        result[new] = texts[olds[0]] if alone or not new.endswith(".py") else merge(move, new, texts)
        if alone and new in move.table.docstrings:
            result[new] = with_docstring(result[new].decode(), move.table.docstrings[new]).encode()
    packages(move, result)
    libraries(move, result)
    return result


def other_text(move: Move, path: str) -> bytes:
    source = move.files[path]
    if path.startswith("locale/"):
        return source
    try:
        text = source.decode()
    except UnicodeDecodeError:
        return source
    lines = text.split("\n")
    if path.startswith("static/"):
        for number, line in enumerate(lines, 1):
            if move.retext(line, path, quiet=True) != line:
                note("files of static/ that name what moves: left", f"{path}:{number}: {line.strip()}")
        return source
    new = [move.retext(line, f"{path}:{number}") for number, line in enumerate(lines, 1)]
    if path.endswith(".md"):
        moved = {PurePosixPath(old).name for old, to in move.to.items() if to != old and old.endswith(".py")} - {"__init__.py"}
        for number, line in enumerate(lines, 1):
            if bare := [name for name in re.findall(r"`([\w]+\.py)`", line) if name in moved]:
                note("files named without their folder in documents: look", f"{path}:{number}: {', '.join(bare)}")
    if path == "pyproject.toml":
        for number, line in enumerate(lines, 1):
            words = {word.strip() for word in re.findall(r'"([\w| ]+)"', line) for word in word.split("|")}
            gone = {word for word in words if f"surveys.{word}" in move.modules and move.modules[f"surveys.{word}"].path in move.vanished}
            if gone:
                note("layers of the contracts that are gone: write them by order.txt", f"{path}:{number}: {', '.join(sorted(gone))}")
    return "\n".join(new).encode()


def with_docstring(source: str, docstring: str) -> str:
    tree = ast.parse(source)
    if tree.body and ast.get_docstring(tree) is not None:
        return "\n".join([f'"""{docstring}"""', *source.split("\n")[tree.body[0].end_lineno :]])
    return f'"""{docstring}"""\n\n{source}'.rstrip("\n") + "\n"


def packages(move: Move, result: dict[str, bytes]) -> None:
    """Every folder with Python files is a package."""
    folders = {parent for path in result if path.endswith(".py") and path.split("/")[0] in ROOTS for parent in PurePosixPath(path).parents}
    for folder in sorted(map(str, folders)):
        path = f"{folder}/__init__.py"
        if folder == "." or path in result:
            continue
        if folder.startswith("tests/"):
            result[path] = b""
            continue
        docstring = move.table.docstrings.get(path)
        if docstring is None:
            came = Counter(
                f"{PurePosixPath(old).parent}/__init__.py" for old, new in move.to.items() if new.startswith(f"{folder}/")
            )
            best = next((old for old, _ in came.most_common() if move.vanished.get(old)), None)
            docstring = move.vanished[best] if best else f"{folder.rpartition('/')[2].capitalize()}."
            note("packages that are new: look at their docstring, or give one in the table", f"{path}: {docstring}")
        result[path] = f'"""{docstring}"""\n'.encode()


def registered(module: Module) -> set[str]:
    """Return the names of tags and filters that a library registers."""
    found = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef):
            for one in node.decorator_list:
                text = ast.unparse(one)
                if text.startswith("register."):
                    name = re.search(r"name='([^']+)'", text) or re.search(r"register\.\w+\('([^']+)'", text)
                    found.add(name[1] if name else node.name)
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("register.") and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.add(first.value)
            elif isinstance(first, ast.Name):
                found.add(first.id)
    return found


def libraries(move: Move, result: dict[str, bytes]) -> None:
    prefix = "surveys/templatetags/"
    wanted: dict[str, str] = {}
    loads: dict[str, set[str]] = {}
    for name, module in move.modules.items():
        if "register" not in module.binds or "template.Library" not in module.source.decode():
            continue
        new = move.new_of(name)
        if new is None:
            continue
        tags = registered(module)
        loads[name] = tags
        if module.path.startswith(prefix):
            library = name.removeprefix("surveys.templatetags.")
            if new != name:
                wanted[library] = new
    together: dict[str, set[str]] = defaultdict(set)
    for name, tags in loads.items():
        new = move.new_of(name) or name
        for tag in tags & together[new]:
            problem("two tags of one name in a merged library", f"{new}: {tag}")
        together[new] |= tags
    known = {**{name.removeprefix("surveys.templatetags."): name for name in loads}}
    for path, source in move.files.items():
        if path.startswith("templates/"):
            chosen = [word for words in re.findall(rb"\{% load ([^%]*)%\}", source) for word in words.decode().split()]
            mine = [known[word] for word in chosen if word in known]
            for library in mine:
                more = together[move.new_of(library) or ""] - loads[library]
                for other in mine:
                    if move.new_of(other) != move.new_of(library) and (both := more & loads[other]):
                        problem("tags that a merged library would hide in a template", f"{path}: {library} brings {', '.join(both)} of {other}")
    if not wanted or "surveys/settings.py" not in result:
        return
    text = result["surveys/settings.py"].decode()
    lines = "".join(f'                "{library}": "{module}",\n' for library, module in sorted(wanted.items()) if f'"{library}": "' not in text)
    if '"libraries": {' in text:
        text = re.sub(r'("libraries": \{\n)', lambda found: found[1] + lines, text, count=1)
    else:
        opened = re.search(r'"OPTIONS": \{\n', text[text.index("TEMPLATES = [") :])
        at = text.index("TEMPLATES = [") + opened.end() if opened else 0
        if not opened:
            problem("TEMPLATES without OPTIONS", "surveys/settings.py")
        text = text[:at] + '            "libraries": {\n' + lines + "            },\n" + text[at:]
    result["surveys/settings.py"] = text.encode()


# ---------------------------------------------------------------------------------------------------- what came of it


def check(move: Move, result: dict[str, bytes], order: Path) -> None:
    modules: dict[str, Module] = {}
    for path, source in result.items():
        if path.endswith(".py") and (path.split("/")[0] in ROOTS or "/" not in path):
            try:
                same = move.modules.get(module_of(path))
                kept = same and same.path == path and same.source == source
                modules[module_of(path)] = same if same and kept else read_module(path, source)
            except SyntaxError as error:
                problem("files that cannot be read afterwards", f"{path}: {error}")
    missing_names(modules)
    for module in modules.values():
        if move.modules.get(module.name) is not module:
            known = set(dir(builtins)) | {"__file__", "__name__", "__doc__", "__path__", "__spec__"}
            for use in module.scoper.uses:
                if not isinstance(use.quoted, ast.Constant) and use.name not in known and not module.scoper.lookup(use.scope, use.name):
                    if b"import *" not in module.source:
                        problem("names that nothing binds any more", f"{module.path}: {use.name}")
    now, lazy = edges(modules)
    before, _ = edges({name: module for name, module in move.modules.items()})
    product = {one: {two for two in twos if two.startswith("surveys")} for one, twos in now.items() if one.startswith("surveys")}
    old = [set(circle) for circle in circles(before)]
    for circle in circles(product):
        came = {move.new_of(name) for group in old for name in group} >= set(circle)
        problem("circles of files" if not came else "circles of files that were there before", " <-> ".join(_around(product, circle)))
    both = {one: twos | {two for two in lazy[one] if two.startswith("surveys")} for one, twos in product.items()}
    for circle in circles(both):
        if not any(set(circle) <= set(other) for other in circles(product)):
            note("circles through imports inside functions", " <-> ".join(_around(both, circle)))
    if order.exists():
        against_order(order, product, modules, result)
    stale(move, modules, result)
    conftests(move, modules)
    untouched = Counter(
        str(PurePosixPath(path).parent)
        for path in move.files
        if path not in move.table.moves and path not in move.vanished and path.split("/")[0] in {*ROOTS, "templates"}
    )
    for folder, count in sorted(untouched.items()):
        note("files that the table does not name: they stay", f"{folder}/: {count}")


def missing_names(modules: dict[str, Module]) -> None:
    for module in modules.values():
        scoper = module.scoper
        for node, scope in scoper.imports:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.split(".")[0] in ROOTS and alias.name not in modules:
                        problem("imports of what is not there", f"{module.path}: import {alias.name}")
                continue
            origin = absolute(node, module.name, module.is_package)
            if origin.split(".")[0] not in ROOTS:
                continue
            if origin not in modules:
                problem("imports of what is not there", f"{module.path}: from {origin} import …")
                continue
            for alias in node.names:
                deep = f"{origin}.{alias.name}"
                if alias.name == "*" or alias.name in modules[origin].own:
                    continue
                if deep not in modules:
                    problem("imports of what is not there", f"{module.path}: from {origin} import {alias.name}")
                    continue
                local = alias.asname or alias.name
                for use in scoper.uses:
                    if use.name == local and use.load and scoper.lookup(use.scope, local) is scope:
                        parent = scoper.parents.get(use.node)
                        if isinstance(parent, ast.Attribute) and not parent.attr.startswith("__"):
                            if parent.attr not in modules[deep].binds and f"{deep}.{parent.attr}" not in modules:
                                problem("attributes that a module has not", f"{module.path}:{use.node.lineno}: {deep}.{parent.attr}")


def edges(modules: dict[str, Module]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    now: dict[str, set[str]] = {name: set() for name in modules}
    lazy: dict[str, set[str]] = {name: set() for name in modules}
    for name, module in modules.items():
        for node, scope in module.scoper.imports:
            above: ast.AST | None = node
            while above and not (isinstance(above, ast.stmt) and _is_checking(above)):
                above = module.scoper.parents.get(above)
            if above:
                continue
            found = now if scope.kind != "function" else lazy
            if isinstance(node, ast.Import):
                found[name] |= {alias.name for alias in node.names if alias.name in modules}
                continue
            origin = absolute(node, name, module.is_package)
            for alias in node.names:
                if origin in modules and (alias.name in modules[origin].own or f"{origin}.{alias.name}" not in modules):
                    found[name].add(origin)
                elif f"{origin}.{alias.name}" in modules:
                    found[name].add(f"{origin}.{alias.name}")
        now[name].discard(name)
        lazy[name].discard(name)
    return now, lazy


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Tarjan's strongly connected components of more than one file."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    sys.setrecursionlimit(10_000)

    def visit(one: str) -> None:
        index[one] = low[one] = len(index)
        stack.append(one)
        for two in sorted(graph.get(one, ())):
            if two not in index:
                visit(two)
                low[one] = min(low[one], low[two])
            elif two in stack:
                low[one] = min(low[one], index[two])
        if low[one] == index[one]:
            circle = []
            while True:
                circle.append(stack.pop())
                if circle[-1] == one:
                    break
            if len(circle) > 1:
                found.append(circle)

    for one in sorted(graph):
        if one not in index:
            visit(one)
    return found


def _around(graph: dict[str, set[str]], circle: list[str]) -> list[str]:
    """Return one shortest way around, and how many files hang together."""
    inside, best = set(circle), []
    for start in sorted(circle):
        ways = [[start]]
        seen = {start}
        while ways:
            way = ways.pop(0)
            if start in graph[way[-1]] and (not best or len(way) < len(best)):
                best = way
                break
            for two in sorted(graph[way[-1]] & inside - seen):
                seen.add(two)
                ways.append([*way, two])
    return [*best, best[0], *([f"({len(circle)} files hang together)"] if len(circle) > len(best) else [])]


def against_order(order: Path, graph: dict[str, set[str]], modules: dict[str, Module], result: dict[str, bytes]) -> None:
    lines = [line for line in order.read_text(encoding="utf-8").splitlines() if line.strip() and not line.startswith("#")]
    ranks: list[dict[str, int]] = []
    for line in lines[:2]:
        places = [re.split(r"\s*[|]\s*", place) for place in re.split(r"\s*(?:→|->|>|,|;|\s)\s*", re.sub(r"\s*\|\s*", "|", line.strip())) if place]
        ranks.append({name.strip("/").removesuffix(".py"): number for number, names in enumerate(places) for name in names})
    rooms, files = ranks[0], ranks[1] if len(ranks) > 1 else {}

    def room(name: str) -> str:
        parts = name.split(".")
        return parts[1] if len(parts) > 1 else ""

    def layer(name: str) -> str | None:
        return next((part for part in reversed(name.split(".")[2:]) if part in files), None)

    unknown = Counter(room(name) for name in graph if room(name) and room(name) not in rooms)
    for one, count in sorted(unknown.items()):
        note("rooms that order.txt does not name", f"{one} ({count} files)")
    for one, twos in sorted(graph.items()):
        for two in sorted(twos):
            a, b = room(one), room(two)
            if a != b and a in rooms and b in rooms and rooms[a] >= rooms[b]:
                problem("imports that point back from room to room", f"{a} -> {b}: {one} imports {two}")
            if a == b and layer(one) and layer(two) and layer(one) != layer(two) and files[layer(one) or ""] >= files[layer(two) or ""]:
                problem("imports that point back in a room", f"{layer(one)} -> {layer(two)}: {one} imports {two}")


def stale(move: Move, modules: dict[str, Module], result: dict[str, bytes]) -> None:
    """Names of files and modules that were there before and are not there now."""
    folders = {str(parent) for path in result for parent in PurePosixPath(path).parents}
    old_folders = {str(parent) for path in move.files for parent in PurePosixPath(path).parents}
    for path, source in result.items():
        if path.startswith(("locale/", "static/", "surveys/migrations/")):
            continue
        try:
            lines = source.decode().split("\n")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            for found in re.findall(r"(?<![\w./<-])((?:surveys|tests|templates)/[\w./-]*\w)", line):
                if (found in move.to or found in old_folders) and found not in result and found not in folders:
                    problem("mentions of files that are gone", f"{path}:{number}: {found}")
            for found in re.findall(r"(?<![\w./-])((?:surveys|tests)(?:\.\w+)+)", line):
                parts = found.split(".")
                known = next((".".join(parts[:n]) for n in range(len(parts), 1, -1) if ".".join(parts[:n]) in move.modules), None)
                if known and known not in modules and "SALT" not in line:
                    problem("mentions of modules that are gone", f"{path}:{number}: {found}")
            if move.template_moves:
                for found in re.findall(r"[\"'`]([\w./-]+\.(?:html|txt))[\"'`]", line):
                    if found in move.template_moves and f"templates/{found}" not in result:
                        problem("mentions of templates that are gone", f"{path}:{number}: {found}")


def conftests(move: Move, modules: dict[str, Module]) -> None:
    """Fixtures of a conftest.py that a moved test can reach no more."""
    fixtures: dict[str, set[str]] = {}
    autouse: dict[str, set[str]] = {}
    for name, module in move.modules.items():
        if name.endswith("conftest"):
            functions = [node for node in module.tree.body if isinstance(node, ast.FunctionDef)]
            marked = {node.name: [ast.unparse(one) for one in node.decorator_list] for node in functions}
            fixtures[module.path] = {one for one, marks in marked.items() if any("fixture" in mark for mark in marks)}
            autouse[module.path] = {one for one, marks in marked.items() if any("autouse=True" in mark for mark in marks)}

    def reach(path: str, *, new: bool) -> set[str]:
        parents = PurePosixPath(path).parents
        return {old for old in fixtures if PurePosixPath(move.to[old] if new else old).parent in parents}

    for old, new in move.to.items():
        if not old.startswith("tests/") or not old.endswith(".py") or old == new or new == "-" or old in fixtures:
            continue
        lost = reach(old, new=False) - reach(new, new=True)
        gained = reach(new, new=True) - reach(old, new=False)
        tree = move.modules[module_of(old)].tree
        words = {arg.arg for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for arg in node.args.args}
        words |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        for conftest in sorted(lost):
            kept = {name for other in reach(new, new=True) for name in fixtures[other]}
            if used := (fixtures[conftest] & words - own - kept) | autouse[conftest]:
                problem("fixtures that a moved test no longer reaches", f"{old} -> {new}: {', '.join(sorted(used))} of {conftest}")
        for conftest in sorted(gained):
            if more := autouse[conftest] | (fixtures[conftest] & words - own):
                note("fixtures of another conftest that a moved test now gets", f"{old} -> {new}: {', '.join(sorted(more))} of {conftest}")


# --------------------------------------------------------------------------------------------------------- the command


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout


def write(root: Path, move: Move, result: dict[str, bytes]) -> None:
    """Move first, by way of a folder of its own so that places can be exchanged; then write what changed."""
    firsts = {olds[0]: new for new, olds in move.groups.items() if olds[0] != new}
    kept = {olds[0] for olds in move.groups.values()}
    way = root / ".moving"
    way.mkdir()
    for number, old in enumerate(firsts):
        (root / old).rename(way / str(number))
    for path in move.files:
        if path not in kept:
            (root / path).unlink()
    for number, new in enumerate(firsts.values()):
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        (way / str(number)).rename(root / new)
    way.rmdir()
    for path, source in result.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != source:
            target.write_bytes(source)
    git(root, "add", "-A", "--", *[name for name in (*ROOTS, "templates", "docs") if (root / name).exists()])
    for folder in sorted({str(parent) for path in move.files for parent in PurePosixPath(path).parents}, reverse=True):
        cache = root / folder / "__pycache__"
        if folder != "." and folder.split("/")[0] in {*ROOTS, "templates"} and (root / folder).exists():
            left = [one for one in (root / folder).iterdir() if one != cache]
            if not left:
                for one in cache.glob("*") if cache.exists() else ():
                    one.unlink()
                if cache.exists():
                    cache.rmdir()
                (root / folder).rmdir()


def afterwards(root: Path) -> int:
    """What must hold when the move is written."""
    python = str(root / ".venv" / "bin" / "python")
    binaries = root / ".venv" / "bin"
    names = "import django, importlib, pkgutil, surveys\ndjango.setup()\n"
    names += "for one in pkgutil.walk_packages(surveys.__path__, 'surveys.'):\n    importlib.import_module(one.name)\n"
    steps = [
        ("imports sorted", [str(binaries / "ruff"), "check", "-q", "--fix", "--select", "I,RUF022", "."]),
        ("formatted", [str(binaries / "ruff"), "format", "-q", "."]),
        ("ruff", [str(binaries / "ruff"), "check", "--output-format", "concise", "."]),
        ("every module imported", [python, "-c", names]),
        ("manage.py check", [python, "manage.py", "check"]),
        ("migrations", [python, "manage.py", "makemigrations", "--check", "--dry-run"]),
        ("mypy", [str(binaries / "mypy")]),
        ("contracts", [str(binaries / "lint-imports")]),
        ("collected", [python, "-m", "pytest", "--collect-only", "-q"]),
        ("documents", [python, "-m", "pytest", "-q", "tests/test_docs.py"]),
    ]
    failed = 0
    environment = {"DENIABLE_LOCAL_DEMO": "1", "DENIABLE_SECRET_KEY": "types", "DJANGO_SETTINGS_MODULE": "surveys.settings"}
    import os
    import time

    for name, words in steps:
        began = time.monotonic()
        inside = os.environ | (environment if "pytest" not in words else {})
        ended = subprocess.run(words, cwd=root, env=inside, capture_output=True, text=True, check=False)
        failed += ended.returncode != 0
        print(f"{'ok    ' if ended.returncode == 0 else 'FAILED'} {name} ({time.monotonic() - began:.0f} s)")
        if ended.returncode:
            print("\n".join((ended.stdout + ended.stderr).strip().split("\n")[-40:]))
        elif name == "collected":
            print("       " + ended.stdout.strip().split("\n")[-1])
    return failed


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("table", type=Path, nargs="?")
    options.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    options.add_argument("--order", type=Path, help="default: order.txt beside the table")
    options.add_argument("--dry", action="store_true", help="list problems, write nothing but notes")
    options.add_argument("--anyway", action="store_true", help="write in spite of problems")
    options.add_argument("--after", action="store_true", help="sort, format and check what was written")
    options.add_argument("--all", action="store_true", help="print every note, not ten of a sort")
    chosen = options.parse_args()
    root: Path = chosen.root.resolve()
    if chosen.table is None:
        return afterwards(root)
    names = git(root, "ls-files", "-z").split("\0")
    files = {name: (root / name).read_bytes() for name in names if name and not name.startswith(".move/") and (root / name).is_file()}
    table = read_table(chosen.table, files)
    move = Move(files, table)
    result = build(move)
    check(move, result, chosen.order or chosen.table.parent / "order.txt")
    beside = Path(__file__).resolve().parent if chosen.root == options.get_default("root") else chosen.table.resolve().parent
    report(beside, full=chosen.all)
    merged = sum(len(olds) > 1 for olds in move.groups.values())
    moved = sum(new != old for old, new in move.to.items() if new != "-")
    blocking = sum(len(lines) for kind, lines in problems.items() if kind not in FINDINGS)
    print(f"\n{moved} files move, {merged} new files are merged of several, {blocking} problems stand in the way")
    if chosen.dry or (blocking and not chosen.anyway):
        return int(bool(blocking))
    write(root, move, result)
    return afterwards(root) if chosen.after else 0


FINDINGS = {
    "circles of files",
    "circles of files that were there before",
    "imports that point back from room to room",
    "imports that point back in a room",
    "mentions of files that are gone",
    "mentions of modules that are gone",
    "mentions of a folder that was spread",
    "mentions of a package that is dissolved",
    "mentions of a file that is dissolved",
}
"""Listed, but the move can be written."""


def report(beside: Path, *, full: bool) -> None:
    for title, found in (("PROBLEM", problems), ("note", notes)):
        for kind, lines in sorted(found.items()):
            print(f"\n{title}: {kind} ({len(lines)})")
            shown = lines if full or title == "PROBLEM" else lines[:10]
            print("\n".join(f"  {line}" for line in shown))
            if len(lines) > len(shown):
                print(f"  … and {len(lines) - len(shown)} more")
    if proposals:
        (beside / "renames-proposed.tsv").write_text("\n".join(proposals) + "\n", encoding="utf-8")
        print(f"\n{len(proposals)} renames are proposed in renames-proposed.tsv")
    kinds = [kind for kind in notes if kind.startswith(("strings", "paths", "files named", "files of static", "places", "comments", "sentences"))]
    text = "".join(f"## {kind}\n" + "".join(f"- {line}\n" for line in notes[kind]) + "\n" for kind in kinds)
    (beside / "notes-strings.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
