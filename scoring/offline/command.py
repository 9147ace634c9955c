"""The command line: `python -m scoring report --gold GOLD --run RUN`."""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.engine.measures import MeasureError, parse_measures
from scoring.offline.exits import CANNOT_TELL, DONE, CommandError
from scoring.offline.layout import printable

if TYPE_CHECKING:
    from scoring.engine.settings import Settings
    from scoring.offline.gold import Gold

DESCRIPTION = """\
Score a run against a gold set. GOLD is an exported gold set (zip) or a qrels file (TREC or BEIR); RUN is a TREC or a
JSON Lines run; both may be gzipped. What a gold set declares (threshold, gain, depths) is used unless it is given here; for
a qrels file grades from 2 on are relevant, or from 1 on where no grade is above 1.
"""
EPILOG = "Exit codes: 0 done, 1 the gate failed, 2 bad input or usage (nothing is written), 3 cannot tell, 4 invalid."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code. Errors go to standard error and leave nothing written."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    options = _parser().parse_args(arguments)
    try:
        return _report(options)
    except CommandError as error:
        print(printable(str(error)), file=sys.stderr)
        return error.code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scoring", description="Scores on files, without a database.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    report = commands.add_parser(
        "report",
        help="score a run against a gold set",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    report.add_argument("--gold", required=True, metavar="GOLD", help="exported gold set or qrels file")
    report.add_argument("--run", required=True, metavar="RUN", help="run file")
    report.add_argument("--measures", metavar="NAMES", help="for example \"nDCG(gain='lin')@10, RR, R@100\"")
    report.add_argument("--depth", type=_positive, metavar="N", help="how deep candidates are looked at")
    report.add_argument("--k", type=_positive, metavar="K", help="how deep the final list is looked at")
    report.add_argument("--threshold", type=_positive, metavar="T", help="the grade from which a unit is relevant")
    report.add_argument("--gain", choices=("exp", "lin"), help="gain of nDCG where its name states none")
    report.add_argument("--order", choices=("rank", "score"), help="what orders a run whose ranks and scores disagree")
    report.add_argument("--split", metavar="SPLIT", help="score the queries of one split only")
    report.add_argument(
        "--mapping", metavar="PAIRS", help='what other grades of a qrels file mean, for example "negative=0"'
    )
    report.add_argument(
        "--gold-format",
        metavar="FORMAT",
        help="how to read a qrels file that does not show it, for example three_columns",
    )
    report.add_argument(
        "--constant-grade", metavar="GRADE", help="the grade of every pair of a qrels file without grades"
    )
    report.add_argument(
        "--duplicates", choices=("keep_first",), help="keep the first place of a unit that a run lists twice"
    )
    report.add_argument("--compare", metavar="RUN", help="a second run to compare with RUN, query by query")
    report.add_argument("--json", metavar="FILE", help="write the report for machines to this file")
    return parser


def _positive(value: str) -> int:
    if not (value.isascii() and value.isdigit()) or int(value) < 1:
        raise argparse.ArgumentTypeError(f"{value!r} is no whole number from 1 on")
    return int(value)


def _report(options: argparse.Namespace) -> int:
    try:
        measures = parse_measures(options.measures) if options.measures is not None else []
    except MeasureError as error:
        raise CommandError(f"--measures: {error}") from error
    # Loaded after the arguments have been checked: frames cost half a second.
    from scoring.engine.lists import ListError
    from scoring.engine.reporting import to_json
    from scoring.engine.settings import ScoringError
    from scoring.offline.gold import read_gold
    from scoring.offline.report import compare_runs, make_report
    from scoring.offline.runs import read_run_of

    choices = {"mapping": options.mapping, "format": options.gold_format, "constant_grade": options.constant_grade}
    gold = read_gold(options.gold, **choices)
    reading = {"order": options.order, "duplicates": options.duplicates}
    run = read_run_of(gold, options.run, **reading)
    other = read_run_of(gold, options.compare, **reading) if options.compare else None
    try:
        settings = _settings(options, gold)
        report = make_report(gold, run, settings, measures, asked=_overridden(options, gold))
        text, document = report.text(), report.document()
        if other is not None:
            versus = compare_runs(report, other)
            text, document = f"{text}\n\n{versus.text()}", document | {"comparison": versus.document()}
    except (ListError, ScoringError) as error:
        raise CommandError(str(error)) from error
    if options.json:
        _write(options.json, to_json(document))
    print(text)
    return DONE if report.scores.population.scored else CANNOT_TELL


def _settings(options: argparse.Namespace, gold: "Gold") -> "Settings":
    from scoring.engine.settings import Settings

    return Settings(
        unit=gold.unit,
        threshold=options.threshold or gold.threshold,
        gain=options.gain or gold.gain,
        depth=options.depth or gold.depth,
        k=options.k or gold.k,
        order=options.order or "rank",
        max_grade=gold.max_grade,
        split=options.split,
    )


def _overridden(options: argparse.Namespace, gold: "Gold") -> list[str]:
    """What the user asked for against the gold set's own declaration, and what nobody declared."""
    if not gold.declared:
        if options.threshold is None:
            return [
                f"{gold.name} declares no threshold: grades from {gold.threshold} on count as relevant (change it with --threshold)"
            ]
        return []
    pairs = [("threshold", gold.threshold), ("gain", gold.gain), ("depth", gold.depth), ("k", gold.k)]
    asked = [(name, getattr(options, name), declared) for name, declared in pairs]
    return [
        f"{name} {given} was asked for; the gold set declares {declared}"
        for name, given, declared in asked
        if given is not None and given != declared
    ]


def _write(path: str, text: str) -> None:
    """Write the whole file or nothing: into a neighbour first, which then takes its place."""
    target = Path(path)
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=target.parent, prefix=f".{target.name}.", delete=False
        ) as file:
            file.write(text)
        # The file gets the rights that any new file would get here, not those of a private temporary one.
        mask = os.umask(0)
        os.umask(mask)
        Path(file.name).chmod(0o666 & ~mask)
        Path(file.name).replace(target)
    except OSError as error:
        raise CommandError(f"{path}: cannot be written ({error.strerror})") from error
