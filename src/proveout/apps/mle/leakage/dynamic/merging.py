"""What was read and what was run, in one report: proved twice, proved once, refuted, or open."""

import ast

from proveout.apps.mle.leakage.codes import RULES, Confidence
from proveout.apps.mle.leakage.dynamic.evidence import Outcome, Witness
from proveout.apps.mle.leakage.examining import Text
from proveout.apps.mle.leakage.report import Leak, Report, Shown, Step, Trials

LEARNT = frozenset(
    {
        "leak.fit_before_split",
        "leak.statistic_before_split",
        "leak.selection_on_all_rows",
        "leak.target_statistic_outside_fold",
        "leak.train_test_concat",
        "leak.fit_on_test",
        "leak.future_value",
        "leak.shuffled_time_or_groups",
        "leak.resample_before_split",
        "leak.threshold_on_all_rows",
    }
)
"""Something was computed from rows that it should not have seen; which rule it breaks is a matter
of how the program is read, so a witness of one supports a finding of another at the same line."""
SHARED = frozenset(
    {"leak.overlap", "leak.score_on_training_rows", "leak.resample_before_split",
     "leak.fit_on_test"}
)  # fmt: skip
SYMPTOMS = frozenset({"leak.survives_shuffled_labels", "leak.single_feature_oracle"})
"""Consequences: evidence where the cause was proved, findings of their own where it was not."""
SILENCE: dict[str, frozenset[str]] = {
    "leak.fit_before_split": frozenset({"features"}),
    "leak.statistic_before_split": frozenset({"features"}),
    "leak.target_statistic_outside_fold": frozenset({"features", "labels"}),
    "leak.target_as_feature": frozenset({"labels"}),
    "leak.train_test_concat": frozenset({"test rows"}),
    "leak.overlap": frozenset({"same rows"}),
    "leak.score_on_training_rows": frozenset({"same rows"}),
}
"""What must have been tried, without a witness, to refute. Rules about choices (of features, of
models, of thresholds), order and resampling are not here: a choice that stays proves little."""
UNMOVED = "it looked at held-out rows, but no change of theirs moved its result on these data"
CANCELLED = "training rows changed with held-out rows, and a later step took the change back"
LEAST_HELD_OUT = 10
"""Fewer rows than this are too few to speak for the others."""


def merged(report: Report, outcome: Outcome, source: str) -> Report:
    """The report of the static examination, with what the runs add and take away."""
    if report.unreadable:
        return report
    witnesses = _distinct(outcome.witnesses)
    used: set[int] = set()
    findings = [_judged(leak, witnesses, outcome, used) for leak in report.findings]
    causes = [w for number, w in enumerate(witnesses) if number not in used]
    proved = any(leak.proved != "static" for leak in findings)
    text = Text(source, ast.parse(source))
    for witness in causes:
        if witness.code in SYMPTOMS and (proved or any(w.code not in SYMPTOMS for w in causes)):
            continue
        findings.append(_made(witness, text))
    findings = _with_symptoms(findings, [w for w in causes if w.code in SYMPTOMS])
    ignored = [leak for leak in findings if text.ignores(leak)]
    kept = [leak for leak in findings if leak not in ignored]
    trials = _told(outcome, witnesses)
    left = sorted({leak.code for leak in kept if leak.counts})
    if trials.verdict == "refuted" and left:
        why = f"nothing that was tried decides about {', '.join(left)}; {trials.why}"
        trials = trials.model_copy(update={"verdict": "undecided", "why": why})
    return report.model_copy(
        update={
            "findings": tuple(sorted(kept, key=lambda leak: (leak.line, leak.code))),
            "ignored": (*report.ignored, *ignored),
            "unsure": report.unsure if trials.verdict == "undecided" else (),
            "trials": trials,
        }
    )


def _distinct(witnesses: list[Witness]) -> list[Witness]:
    """The first of each rule and place; a dependence on labels says more than one on features."""
    by_label = {w.line for w in witnesses if w.code == "leak.target_statistic_outside_fold"}
    found: dict[tuple[str, int], Witness] = {}
    for witness in witnesses:
        if witness.channel == "features" and witness.line in by_label:
            continue
        found.setdefault((witness.code, witness.line), witness)
    return list(found.values())


def _judged(leak: Leak, witnesses: list[Witness], outcome: Outcome, used: set[int]) -> Leak:
    supporting = [at for at, witness in enumerate(witnesses) if _supports(witness, leak)]
    used.update(supporting)
    if any(witnesses[at].sure for at in supporting):
        confidence: Confidence = "certain" if leak.confidence != "suspect" else "likely"
        told = tuple(witnesses[at].told for at in supporting[:3])
        # What looks at labels is no harmless choice of columns, whatever it looked like.
        by_label = any(witnesses[at].channel == "labels" for at in supporting)
        harm = RULES[leak.code].harm if by_label else leak.harm
        update = {"proved": "both", "evidence": told, "confidence": confidence, "harm": harm}
        return leak.model_copy(update=update)
    wanted = SILENCE.get(leak.code)
    if supporting or outcome.why or wanted is None or not wanted <= outcome.tried:
        return leak
    if wanted & {"features", "labels"} and outcome.held_out < LEAST_HELD_OUT:
        return leak
    if leak.code in LEARNT and any(witness.code in LEARNT for witness in witnesses):
        # Something depends on held-out rows; which line is to blame may have been told wrong.
        return leak
    if _lines(leak) & outcome.saw:
        return leak.model_copy(update={"evidence": (UNMOVED,)})
    if leak.code in LEARNT and outcome.cancelled:
        return leak.model_copy(update={"evidence": (CANCELLED,)})
    return leak.model_copy(update={"refuted": _refutation(outcome)})


def _refutation(outcome: Outcome) -> str:
    return (
        f"in {outcome.runs} runs, changing the features and labels of {outcome.held_out} held-out "
        "rows changed nothing that a model was trained on, and no row was on both sides"
    )


def _lines(leak: Leak) -> frozenset[int]:
    return frozenset(range(leak.line, leak.end_line + 1))


def _supports(witness: Witness, leak: Leak) -> bool:
    if witness.code == leak.code == "leak.target_as_feature":
        return True
    if witness.channel in ("same rows", "own rows"):
        return leak.code in SHARED
    if witness.code not in LEARNT or leak.code not in LEARNT:
        return False
    return not witness.seen or bool(_lines(leak) & (witness.seen | {witness.line}))


def _made(witness: Witness, text: Text) -> Leak:
    """A finding that only running showed."""
    rule = RULES[witness.code]
    first, last = text.statement(witness.line)
    steps = [Step(line=first, what="what was learnt here depends on held-out rows")]
    if witness.fit_line and witness.fit_line != first:
        steps.append(Step(line=witness.fit_line, what="a model is trained"))
    if witness.score_line and witness.score_line not in (first, witness.fit_line):
        steps.append(Step(line=witness.score_line, what="it is asked about held-out rows"))
    return Leak(
        code=witness.code,
        message=f"{rule.says}: {witness.told}",
        line=first,
        end_line=last,
        block=text.lines(first, last),
        path=tuple(steps),
        rows=witness.rows,
        harm=rule.harm,
        confidence="certain" if witness.sure else "suspect",
        hint=rule.hint,
        proved="dynamic",
        evidence=(witness.told,),
    )


def _with_symptoms(findings: list[Leak], symptoms: list[Witness]) -> list[Leak]:
    shown = {leak.code for leak in findings}
    told = tuple(w.told for w in symptoms if w.code not in shown)
    for at, leak in enumerate(findings):
        if leak.proved != "static" and told:
            findings[at] = leak.model_copy(update={"evidence": (*leak.evidence, *told)})
            break
    return findings


def _silent(outcome: Outcome) -> tuple[Shown, str]:
    """No witness: what that is worth depends on what was tried."""
    if "test rows" in outcome.tried and "same rows" not in outcome.tried:
        return "refuted", "changing rows of the test table changed nothing that a model learnt from"
    if "same rows" not in outcome.tried:
        found = "the checks that were asked for found nothing"
        return ("refuted", found) if outcome.tried else ("undecided", "nothing could be tried")
    if "features" not in outcome.tried:
        return (
            "undecided",
            "changes of held-out rows were not seen to reach what a model is asked",
        )
    if outcome.held_out < LEAST_HELD_OUT:
        return "undecided", f"only {outcome.held_out} held-out rows could be changed"
    return "refuted", _refutation(outcome)


def _told(outcome: Outcome, witnesses: list[Witness]) -> Trials:
    witnesses = [witness for witness in witnesses if witness.sure]
    if witnesses:
        verdict: Shown = "proved"
        why = f"{len(witnesses)} dependence{'s' if len(witnesses) > 1 else ''} shown by running"
    elif outcome.why:
        verdict, why = "undecided", outcome.why
    else:
        verdict, why = _silent(outcome)
    return Trials(
        verdict=verdict,
        why=why,
        runs=outcome.runs,
        seconds=round(outcome.seconds, 2),
        target=outcome.target,
        fits=outcome.fits,
        evaluations=outcome.evaluations,
        held_out_rows=outcome.held_out,
        notes=tuple(outcome.notes),
    )
