"""Golden cases of the objectives, computed apart from the TypeScript code and from its formulas for gradients.

    python3 objective_cases.py            recompute everything and compare with tests/golden/objective-*.json
    python3 objective_cases.py --write    write tests/golden/objective-cases.json again

Only values are written down here, as the papers state them; gradients are central differences of the value in 60-digit
decimals. Standard library only. The files describe their own fields.
"""

import json
import pathlib
import random
import sys
from decimal import Decimal, getcontext

getcontext().prec = 60
GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden"
STEP = Decimal(10) ** -20

FIELDS = {
    "eq9": "one token each: ratio rho, advantage A, clip {low, high, dual} -> value of the surrogate and its slope by log pi",
    "kl": "one token each: kind, clamp, delta = log pi - log pi_ref, rho -> estimate and its slope by log pi",
    "cases.objective": "loss, clip (distances from 1), kl, aggregation, tis; beta for dpo",
    "cases.sessions": "advantage null = no signal; parts[].ids/mask/sampler/old/ref have one element per token",
    "cases.current": "log pi under the current weights: one list per part of the sessions with a signal, one number per target (token t + 1)",
    "cases.expected.totals": "S, the trained tokens of the update, preference pairs",
    "cases.expected.scales": "c_s by session id: what one trained token weighs",
    "cases.expected.value": "J, to be maximised; a learner's loss is -J",
    "cases.expected.gradient": "dJ / d log pi, laid out as current, 0 where the mask is 0; equals the weights of the cross-entropy pass",
}


# Eq. 9 and the estimators of its KL term


def surrogate(rho, A, clip):
    low, high, dual = clip["low"], clip["high"], clip.get("dual")
    inner = min(rho * A, min(max(rho, 1 - D(low)), 1 + D(high)) * A)
    return max(inner, D(dual) * A) if dual is not None and A < 0 else inner


def kl_estimate(kind, clamp, delta, rho):
    if kind == "k1":
        return delta
    if kind == "k2":
        return delta * delta / 2
    bounded = min(max(delta, D(-20)), D(20)) if clamp else delta
    k3 = (-bounded).exp() + bounded - 1
    k3 = min(k3, D(10)) if clamp else k3
    return rho * k3 if kind == "rho-k3" else k3


def D(number):
    return Decimal(str(number))


# Eqs. 7-8 and the others, as functions of all log-probabilities


def counted(case):
    loss = case["objective"]["loss"]
    return [s for s in case["sessions"] if loss in ("sft", "dpo") or s["advantage"] is not None]


def size(session):
    return sum(sum(part["mask"]) for part in session["parts"])


def totals(case):
    sessions = counted(case)
    pairs = len(sessions) // 2 if case["objective"]["loss"] == "dpo" else 0
    return {"sessions": len(sessions), "tokens": sum(size(s) for s in sessions), "pairs": pairs}


def scale(case, session):
    count = totals(case)
    if case["objective"]["loss"] == "dpo":
        return 1 / D(count["pairs"])
    aggregation = case["objective"]["aggregation"]
    if aggregation == "session-mean":
        return 1 / (D(count["sessions"]) * size(session))
    if aggregation == "token-mean":
        return 1 / D(count["tokens"])
    return 1 / (D(count["sessions"]) * D(aggregation["constant"]))


def value(case, current, frozen):
    """J. `frozen` are the log-probabilities a stopped gradient is taken at."""
    objective, J, at, margins = case["objective"], D(0), 0, {}
    for session in counted(case):
        tokens = []  # (log pi, frozen log pi, old, ref, sampler)
        for part in session["parts"]:
            old = part.get("old", part["sampler"])
            ref = part.get("ref", part["sampler"])
            for t, trained in enumerate(part["mask"]):
                if trained:
                    row = (current[at][t - 1], frozen[at][t - 1], D(old[t]), D(ref[t]), D(part["sampler"][t]))
                    tokens.append(row)
            at += 1
        if objective["loss"] == "dpo":
            sign = 1 if session["pair"]["side"] == "chosen" else -1
            gain = sum(l - ref for l, _, _, ref, _ in tokens)
            pair = session["pair"]["id"]
            margins[pair] = margins.get(pair, D(0)) + sign * D(objective["beta"]) * gain
            continue
        mean = (sum(l - old for l, _, old, _, _ in tokens) / len(tokens)).exp()
        for l, stopped, old, ref, sampler in tokens:
            J += scale(case, session) * token_value(objective, session["advantage"], l, stopped, old, ref, sampler, mean)
    for z in margins.values():
        J -= (1 + (-z).exp()).ln() / len(margins)
    return J


def token_value(objective, advantage, l, stopped, old, ref, sampler, mean):
    if objective["loss"] == "sft":
        return l
    A = D(advantage)
    if objective["tis"] is not None:
        A *= min((old - sampler).exp(), D(objective["tis"]["cap"]))
    rho, kl = (l - old).exp(), objective["kl"]
    if objective["loss"] == "clipped":
        gain = surrogate(rho, A, objective["clip"])
    elif objective["loss"] == "gspo":
        gain = surrogate(mean, A, objective["clip"])
    elif objective["loss"] == "cispo":
        weight = min(max((stopped - old).exp(), 1 - D(objective["clip"]["low"])), 1 + D(objective["clip"]["high"]))
        gain = weight * l * A
    else:
        gain = l * A
    return gain - (D(kl["beta"]) * kl_estimate(kl["kind"], kl["clamp"], l - ref, rho) if kl else 0)


def gradient(case):
    here = [[D(l) for l in row] for row in case["current"]]
    masks = [part["mask"][1:] for session in counted(case) for part in session["parts"]]
    rows = []
    for i, row in enumerate(here):
        rows.append([])
        for j, l in enumerate(row):
            if not masks[i][j]:
                rows[i].append(0.0)
                continue
            sides = []
            for step in (STEP, -STEP):
                row[j] = l + step
                frozen = [[D(x) for x in r] for r in case["current"]]
                sides.append(value(case, here, frozen))
            row[j] = l
            rows[i].append(float((sides[0] - sides[1]) / (2 * STEP)))
    return rows


def expected(case):
    here = [[D(l) for l in row] for row in case["current"]]
    return {
        "totals": totals(case),
        "scales": {session["id"]: float(scale(case, session)) for session in counted(case)},
        "value": float(value(case, here, here)),
        "gradient": gradient(case),
    }


# The cases themselves. Log-probabilities are multiples of 1/256, so that 32-bit floats hold them exactly.


def make_sessions(seed, with_old, pairs=False):
    draw = random.Random(seed)

    def near(base, spread):
        return [0 if l == 0 else min(-1, l + draw.randint(-spread, spread)) for l in base]

    sessions, current = [], []
    shapes = [("memory", [9]), ("memory", [6, 5]), ("qa", [7]), ("qa", [4])]
    for n, (stage, lengths) in enumerate(shapes):
        parts = []
        for length in lengths:
            mask = [0, 1] + [draw.randint(0, 1) for _ in range(length - 2)]
            sampler = [-draw.randint(20, 500) if m else 0 for m in mask]
            part = {"ids": [draw.randint(0, 9) for _ in mask], "mask": mask, "sampler": sampler}
            if with_old:
                part["old"] = near(sampler, 30)
            part["ref"] = near(sampler, 90)
            rows = near(part.get("old", sampler), 100)[1:]
            current.append([l or -draw.randint(20, 500) for l in rows])
            parts.append(part)
        session = {"id": f"s{n}", "stage": stage, "advantage": [1.25, -0.75, 0.5, -1.5][n], "parts": parts}
        if pairs:
            session["pair"] = {"id": f"p{n // 2}", "side": "chosen" if n % 2 == 0 else "rejected"}
        sessions.append(session)
    scaled = lambda row: [l / 256 for l in row]
    for session in sessions:
        for part in session["parts"]:
            for name in ("sampler", "old", "ref"):
                if name in part:
                    part[name] = scaled(part[name])
    return sessions, [scaled(row) for row in current]


def make_cases():
    clip = {"low": 0.2, "high": 0.2, "dual": None}
    k3 = {"kind": "k3", "beta": 0.05, "clamp": False}
    base = {"loss": "clipped", "clip": clip, "kl": None, "aggregation": "session-mean", "tis": None}
    named = {
        "Eqs. 7-9 without KL": base,
        "Eqs. 7-9 with k1": {**base, "kl": {**k3, "kind": "k1"}},
        "Eqs. 7-9 with k2": {**base, "kl": {**k3, "kind": "k2"}},
        "Eqs. 7-9 with k3": {**base, "kl": k3},
        "Eqs. 7-9 with rho-k3": {**base, "kl": {**k3, "kind": "rho-k3"}},
        "token-mean, asymmetric clip": {**base, "clip": {"low": 0.2, "high": 0.28, "dual": None}, "aggregation": "token-mean"},
        "constant length": {**base, "aggregation": {"constant": 16}},
        "dual clip with clamped k3": {**base, "clip": {"low": 0.1, "high": 0.1, "dual": 1.2}, "kl": {**k3, "clamp": True}},
        "truncated importance weights": {**base, "kl": k3, "tis": {"cap": 1.05}},
        "GSPO": {**base, "loss": "gspo", "clip": {"low": 0.2, "high": 0.05, "dual": None}},
        "GSPO with truncated importance weights": {**base, "loss": "gspo", "kl": k3, "tis": {"cap": 1.02}},
        "CISPO": {**base, "loss": "cispo", "clip": {"low": 0.3, "high": 0.1}, "aggregation": "token-mean"},
        "REINFORCE": {"loss": "reinforce", "kl": k3, "aggregation": {"constant": 1}, "tis": None},
        "SFT": {"loss": "sft", "aggregation": "token-mean"},
        "DPO": {"loss": "dpo", "beta": 0.3},
    }
    cases = []
    for seed, (name, objective) in enumerate(named.items()):
        with_old = objective.get("tis") is not None or seed % 2 == 1
        sessions, current = make_sessions(seed, with_old, objective["loss"] == "dpo")
        case = {"name": name, "objective": objective, "sessions": sessions, "current": current}
        if name == "Eqs. 7-9 with k3":  # a session without a signal leaves S and the loss
            silent = {**json.loads(json.dumps(sessions[2])), "id": "silent", "advantage": None}
            case["sessions"] = [*sessions[:2], silent, *sessions[2:]]
        cases.append({**case, "expected": expected(case)})
    return cases


def make_tables():
    eq9 = []
    for A in (1.5, -1.5, 0):
        for rho in (0.25, 0.75, 1, 1.125, 1.25, 4):
            for clip in ({"low": 0.2, "high": 0.2, "dual": None}, {"low": 0.125, "high": 0.5, "dual": 3}):
                at = lambda r: surrogate(r, D(A), clip)
                up, down = (D(rho) * STEP.exp(), D(rho) * (-STEP).exp())
                slope = (at(up) - at(down)) / (2 * STEP)
                eq9.append({"rho": rho, "A": A, "clip": clip, "value": float(at(D(rho))), "slope": float(slope)})
    kl = []
    for kind, clamp in (("k1", False), ("k2", False), ("k3", False), ("rho-k3", False), ("k3", True)):
        for delta in (-21, -3, -0.5, 0, 1e-6, 0.5, 3, 15, 21):
            for rho in (0.5, 1, 2):
                at = lambda h: kl_estimate(kind, clamp, D(delta) + h, D(rho) * h.exp())
                slope = (at(STEP) - at(-STEP)) / (2 * STEP)
                kl.append({"kind": kind, "clamp": clamp, "delta": delta, "rho": rho, "value": float(at(D(0))), "slope": float(slope)})
    return {"eq9": eq9, "kl": kl}


# Prefix merging, on the hand-written traces


def merge(turns):
    parts, breaks = [], []
    for index, turn in enumerate(turns):
        if not turn["completion"]:
            continue
        ids = parts[-1]["ids"] if parts else None
        if ids is None or turn["prompt"][: len(ids)] != ids:
            if ids is not None:
                same = [a == b for a, b in zip(ids, turn["prompt"])]
                breaks.append({"turn": index, "at": same.index(False) if False in same else len(same)})
            parts.append({"ids": [], "mask": [], "sampler": []})
        part = parts[-1]
        seen = turn["prompt"][len(part["ids"]) :]
        part["ids"] += seen + turn["completion"]
        part["mask"] += [0] * len(seen) + [1] * len(turn["completion"])
        part["sampler"] += [0] * len(seen) + turn["logprobs"]
    return {"parts": parts, "trainedTokens": sum(sum(p["mask"]) for p in parts), "breaks": breaks}


def lines(made):
    """JSON with one row or case a line."""
    part = lambda v: "[\n" + ",\n".join("  " + json.dumps(row) for row in v) + "\n ]" if isinstance(v, list) else json.dumps(v)
    return "{\n" + ",\n".join(f" {json.dumps(k)}: {part(v)}" for k, v in made.items()) + "\n}"


def differ(a, b):
    """The first difference between two JSON values, numbers to 1e-12; None when there is none."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return next((f".{k}{d}" for k in a if (d := differ(a[k], b[k]))), None)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next((f"[{i}]{d}" for i, (x, y) in enumerate(zip(a, b)) if (d := differ(x, y))), None)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return None if abs(a - b) <= 1e-12 * max(1, abs(a)) else f": {a} is not {b}"
    return None if a == b else f": {a} is not {b}"


def main():
    made = {"about": __doc__.splitlines()[0], "fields": FIELDS, **make_tables(), "cases": make_cases()}
    path = GOLDEN / "objective-cases.json"
    if "--write" in sys.argv:
        path.write_text(lines(made) + "\n")
    difference = differ(json.loads(path.read_text()), made)
    if difference:
        sys.exit(f"{path.name}{difference}")
    traces = json.loads((GOLDEN / "objective-traces.json").read_text())["cases"]
    for case in traces:
        if difference := differ(case["expected"], merge(case["turns"])):
            sys.exit(f"{case['name']}{difference}")
    print(f"{len(made['cases'])} objectives, {len(made['eq9'])} + {len(made['kl'])} tokens, {len(traces)} traces agree")


main()
