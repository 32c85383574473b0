#!/usr/bin/env python3
"""Makes four corpora of JSON Lines for measuring validation; the same bytes for the same seed.

    python3 Tests/Benchmarks/corpora.py FOLDER [--scale N]     default: 1, about 600 MB

| corpus       |  records | bytes each | what it is                                                |
|---|---|---|---|
| heroes       |  200,000 |        376 | small and flat; allOf, if/then/else, unevaluatedProperties |
| stories      |   20,000 |      7,460 | long texts; character counts, patterns over Unicode        |
| game-results |  200,000 |        481 | a oneOf of four nested forms                               |
| tastings     |  200,000 |      1,401 | deeply nested; contains, prefixItems, dependentRequired    |

Every name and text is made up. About 5 of 1,000 records break their schema (corpora/*.schema.json)
in one place; FOLDER/expected.json names their lines, counted from zero, and the keyword.
"""

import argparse
import hashlib
import json
import os
import random
import uuid
from datetime import datetime, timedelta, timezone

SYL = "an ba cor del es fi gra hu is jo ka lu mi no or pe qui ra so tu ul ve wa xe yo zi sha tre mon dur lin vas".split()
WORDS = None
ACC = ["é", "ü", "å", "ñ", "ö", "ç", "ï", "ø"]
EPOCH = datetime(2019, 1, 1, tzinfo=timezone.utc)
POWERS = ["flight", "strength", "telepathy", "speed", "invisibility", "healing", "fire", "ice", "elasticity",
          "magnetism", "time", "sonic", "precognition", "shapeshift"]
TZ = ["Europe/Berlin", "Europe/Paris", "America/New_York", "Asia/Tokyo", "Australia/Sydney", "America/Sao_Paulo"]
FAM = ["fruit", "flower", "spice", "earth", "oak", "mineral", "fault"]


def word(r, lo=1, hi=4):
    return "".join(r.choice(SYL) for _ in range(r.randint(lo, hi)))


def name(r):
    w = word(r, 2, 3).capitalize() + " " + word(r, 2, 4).capitalize()
    if r.random() < 0.12: w = w.replace(w[1], r.choice(ACC), 1)
    return w


def uid(r):
    return str(uuid.UUID(int=r.getrandbits(128), version=4))


def dt(r):
    t = EPOCH + timedelta(seconds=r.randrange(0, 220_000_000))
    k = r.random()
    if k < 0.6: return t.strftime("%Y-%m-%dT%H:%M:%S") + ".%03dZ" % r.randrange(1000)
    if k < 0.85: return t.strftime("%Y-%m-%dT%H:%M:%SZ")
    return t.strftime("%Y-%m-%dT%H:%M:%S") + r.choice(["+01:00", "-05:00", "+05:30", "+00:00"])


def date(r):
    return (EPOCH + timedelta(days=r.randrange(2500))).strftime("%Y-%m-%d")


def email(r):
    return f"{word(r,2,3)}.{word(r,2,3)}@{word(r,2,3)}.example"


def url(r, ext=""):
    return f"https://{word(r,2,3)}.example/{word(r)}/{word(r)}-{r.randrange(10**6)}{ext}"


def slug(r):
    return "-".join(word(r, 1, 3) for _ in range(r.randint(1, 4)))


def prose(r, nbytes):
    """text with sentences, paragraphs, quotes, some non-ASCII"""
    out, size = [], 0
    while size < nbytes:
        k = r.randint(5, 18)
        ws = r.choices(WORDS, k=k)
        ws[0] = ws[0].capitalize()
        s = " ".join(ws)
        q = r.random()
        if q < 0.12: s = '"' + s + '," ' + r.choice(WORDS) + " " + r.choice(WORDS)
        elif q < 0.16: s = "\u201c" + s + "\u201d"
        elif q < 0.18: s += " \u2014 " + r.choice(WORDS)
        elif q < 0.185: s += " \U0001F409"
        s += r.choice([".", ".", ".", "!", "?"])
        s += "\n\n" if r.random() < 0.09 else " "
        out.append(s); size += len(s.encode())
    return "".join(out).strip()


def hero(r):
    active = r.random() < 0.8
    d = {"_id": uid(r), "name": name(r), "slug": slug(r)[:64].rstrip("-")}
    if r.random() < 0.7: d["alias"] = None if r.random() < 0.2 else name(r)
    d["universe"] = r.choice(["Aster", "Borealis", "Cinder", "Delta-9", "Everwood", "Ferrum"])
    if r.random() < 0.9: d["alignment"] = r.choice(["good", "neutral", "evil"])
    d["powers"] = r.sample(POWERS, r.randint(1, 6))
    d["strength"] = r.randint(0, 100)
    if r.random() < 0.8: d["speed"] = round(r.random() * 999, r.randint(0, 3))
    d["active"] = active
    if r.random() < 0.5: d["contact"] = email(r)
    if r.random() < 0.4: d["homepage"] = url(r)
    if r.random() < 0.6: d["team"] = None if r.random() < 0.3 else uid(r)
    if not active: d["retiredAt"] = date(r)
    d["createdAt"] = dt(r)
    if r.random() < 0.7: d["updatedAt"] = dt(r)
    if r.random() < 0.7: d["rev"] = r.randint(1, 40)
    return d


def hero_bad(r, d):
    k = r.randrange(8)
    if k == 0: d["createdAt"] = "2021-13-45T10:00:00Z"; return "format"
    if k == 1: d["universe"] = "Nowhere"; return "enum"
    if k == 2: d["strength"] = 101; return "maximum"
    if k == 3: d["powers"] = d["powers"][:3] + [d["powers"][0]]; return "uniqueItems"
    if k == 4: d["legacyField"] = True; return "unevaluatedProperties"
    if k == 5: del d["name"]; return "required"
    if k == 6: d["slug"] = "Bad Slug"; return "pattern"
    d["_id"] = "12345678-1234-1234-1234-12345678901"; return "format"


def author(r):
    a = {"name": name(r)}
    if r.random() < 0.6: a["email"] = email(r)
    if r.random() < 0.3: a["url"] = url(r)
    return a


def story(r):
    status = r.choices(["draft", "review", "published"], [2, 1, 7])[0]
    n = int(min(20000, max(2000, r.lognormvariate(8.75, 0.55))))
    body = prose(r, n - 500)
    d = {"_id": "%024x" % r.getrandbits(96), "title": " ".join(r.choices(WORDS, k=r.randint(2, 8))).capitalize(),
         "slug": slug(r), "lang": r.choice(["en", "de", "fr", "es", "it", "sv", "ja"]), "status": status, "author": author(r)}
    if r.random() < 0.2: d["coAuthors"] = [author(r) for _ in range(r.randint(1, 3))]
    d["body"] = body
    if r.random() < 0.6: d["summary"] = prose(r, r.randint(80, 400))
    d["tags"] = sorted({word(r, 2, 3) + (r.choice(ACC) if r.random() < 0.1 else "") for _ in range(r.randint(0, 8))})
    d["wordCount"] = body.count(" ") + 1
    d["createdAt"] = dt(r)
    if status == "published": d["publishedAt"] = dt(r); d["canonicalUrl"] = url(r)
    return d


def story_bad(r, d):
    k = r.randrange(6)
    if k == 0: d["body"] = d["body"][:500]; return "minLength"
    if k == 1: d["_id"] = d["_id"][:-1] + "g"; return "pattern"
    if k == 2: d["status"] = "published"; d.pop("publishedAt", None); return "required"
    if k == 3: d["author"]["age"] = 7; return "additionalProperties"
    if k == 4: d["tags"] = ["bad/tag"]; return "pattern"
    d["wordCount"] = "12"; return "type"

B32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def game(r):
    g = r.choices(["fiveletters", "fourgroups", "spanword", "minigrid"], [5, 3, 2, 2])[0]
    p = {"kind": g, "puzzle": r.randint(1, 1800)}
    if r.random() < 0.3: p["hard"] = r.random() < 0.5
    if g == "fiveletters":
        n = r.randint(1, 6); solved = r.random() < 0.9
        p["rows"] = ["".join(r.choices("BYG", k=5)) for _ in range(n)]
        if solved: p["rows"][-1] = "GGGGG"
        p["solved"] = solved; p["guesses"] = n if solved else None
        share = f"Fiveletters {p['puzzle']:,} {n if solved else 'X'}/6\n" + "\n".join(x.translate(str.maketrans("BYG", "\u2b1b\U0001F7E8\U0001F7E9".replace("\ufe0f", ""))) for x in p["rows"])
    elif g == "fourgroups":
        m = r.randint(0, 4); cols = ["yellow", "green", "blue", "purple"]
        a = [[c] * 4 for c in r.sample(cols, 4)]
        for _ in range(m): a.insert(r.randrange(4), [r.choice(cols) for _ in range(4)])
        p["attempts"] = a[:8]; p["mistakes"] = m
        share = f"Fourgroups\nPuzzle #{p['puzzle']}\n" + "\n".join("".join({"yellow": "\U0001F7E8", "green": "\U0001F7E9", "blue": "\U0001F7E6", "purple": "\U0001F7EA"}[c] for c in row) for row in a)
    elif g == "spanword":
        p["theme"] = " ".join(r.choices(WORDS, k=3)); p["found"] = sorted({(word(r, 2, 4).upper() + "AB")[:12] for _ in range(r.randint(1, 8))})
        p["found"] = [w for w in p["found"] if len(w) >= 4]
        if r.random() < 0.6: p["hints"] = r.randint(0, 3)
        share = f"Spanword #{p['puzzle']}\n\u201c{p['theme']}\u201d\n" + "\U0001F535" * len(p["found"])
    else:
        p["seconds"] = round(r.random() * 400 + 0.1, 2)
        if r.random() < 0.5: p["checks"] = {r.choice("abcdefgh") + str(r.randint(1, 8)): r.random() < 0.5 for _ in range(r.randint(1, 6))}
        share = f"I solved minigrid #{p['puzzle']} in {p['seconds']} s!"
    d = {"_id": uid(r), "userId": "usr_" + "".join(r.choices(B32, k=16)), "game": g, "playedAt": dt(r)}
    if r.random() < 0.8: d["timezone"] = r.choice(TZ)
    d["shareText"] = share[:400]
    if r.random() < 0.85:
        c = {"os": r.choice(["ios", "android", "web"]), "version": f"{r.randint(1,6)}.{r.randint(0,30)}.{r.randint(0,9)}" + ("-beta.%d" % r.randint(1, 9) if r.random() < 0.1 else "")}
        if r.random() < 0.7: c["ip"] = ".".join(str(r.randint(0, 255)) for _ in range(4))
        d["client"] = c
    d["parsedData"] = p
    return d


def game_bad(r, d):
    k = r.randrange(6)
    if k == 0: d["userId"] = "usr_" + "I" * 16; return "pattern"
    if k == 1: d["parsedData"]["extra"] = 1; return "oneOf"
    if k == 2: d["parsedData"]["kind"] = "unknown"; return "oneOf"
    if k == 3: d["parsedData"]["puzzle"] = 0; return "oneOf"
    if k == 4: d["_id"] = d["_id"].replace("-", ""); return "format"
    d["client"] = {"os": "ios", "version": "1.2"}; return "pattern"


def person(r):
    d = {"name": name(r)}
    if r.random() < 0.7: d["level"] = r.choice(["novice", "amateur", "certified", "master"])
    if d.get("level") in ("certified", "master") or r.random() < 0.4: d["email"] = email(r)
    return d


def stage(r):
    d = {"intensity": r.randint(1, 5)}
    if r.random() < 0.9:
        seen, ds = set(), []
        for _ in range(r.randint(1, 6)):
            t = word(r, 2, 3)
            if t in seen: continue
            seen.add(t); x = {"term": t}
            if r.random() < 0.6: x["weight"] = round(r.random(), 2)
            if r.random() < 0.8: x["family"] = r.choice(FAM)
            ds.append(x)
        d["descriptors"] = ds
    if r.random() < 0.5: d["comment"] = prose(r, r.randint(30, 200))[:500]
    return d


def tasting(r):
    w = {"producer": name(r), "label": " ".join(r.choices(WORDS, k=2)), "colour": r.choice(["red", "white", "rosé", "orange", "sparkling"])}
    if r.random() < 0.95: w["vintage"] = "NV" if r.random() < 0.1 else r.randint(1960, 2024)
    if r.random() < 0.8: w["abv"] = round(r.random() * 8 + 8, 1)
    g = r.randint(1, 4); w["grapes"] = [({"name": word(r, 2, 4), "share": round(1 / g, 2)} if r.random() < 0.7 else {"name": word(r, 2, 4)}) for _ in range(g)]
    if r.random() < 0.5: w["ean"] = "".join(r.choices("0123456789", k=13))
    d = {"_id": uid(r), "wine": w, "taster": person(r)}
    if r.random() < 0.4: d["guests"] = [person(r) for _ in range(r.randint(1, 4))]
    if r.random() < 0.7: d["place"] = {"name": name(r), "coordinates": [round(r.uniform(-180, 180), 5), round(r.uniform(-90, 90), 5)], "country": r.choice(["FR", "DE", "IT", "ES", "SE", "US", "JP"])}
    d["stages"] = {k: stage(r) for k in r.sample(["appearance", "nose", "palate", "finish"], r.randint(2, 4))}
    k = r.random()
    d["score"] = {"scale": "100", "points": r.randint(50, 100)} if k < 0.5 else ({"scale": "20", "points": r.randint(0, 40) / 2} if k < 0.8 else {"scale": "stars", "stars": r.randint(1, 5)})
    if r.random() < 0.5: d["photos"] = [url(r, ".jpg") for _ in range(r.randint(1, 3))]
    if r.random() < 0.6: d["price"] = round(r.random() * 200 + 1, 2); d["currency"] = r.choice(["EUR", "USD", "SEK"])
    if r.random() < 0.4: d["servedAt"] = "%02d:%02d:%02dZ" % (r.randint(0, 23), r.randint(0, 59), r.randint(0, 59))
    d["createdAt"] = dt(r)
    if r.random() < 0.5: d["updatedAt"] = dt(r)
    if r.random() < 0.5: d["source"] = {"app": "tasting-app", "build": r.randint(1, 4000)}
    return d


def tasting_bad(r, d):
    k = r.randrange(8)
    if k == 0: d["wine"]["grapes"] = []; return "minItems"
    if k == 1: d["stages"]["colour"] = {"intensity": 1}; return "additionalProperties"
    if k == 2: d["score"] = {"scale": "20", "points": 13.3}; return "oneOf"
    if k == 3: d.pop("currency", None); d["price"] = 3.5; return "dependentRequired"
    if k == 4: d["taster"] = {"name": "A B", "level": "master"}; return "required"
    if k == 5: d["place"] = {"name": "X", "coordinates": [1.5, 2.5, 3.5]}; return "items"
    if k == 6: d["nope"] = {}; return "unevaluatedProperties"
    d["createdAt"] = "yesterday"; return "format"


CORPORA = [
    ("heroes", 200_000, hero, hero_bad),
    ("stories", 20_000, story, story_bad),
    ("game-results", 200_000, game, game_bad),
    ("tastings", 200_000, tasting, tasting_bad),
]


def make(folder, scale=1.0, seed=20261119, bad=5):
    """Writes the corpora and expected.json; `bad` of 1,000 records break their schema."""
    global WORDS
    os.makedirs(folder, exist_ok=True)
    words = random.Random(seed)
    WORDS = [word(words, 1, 4) for _ in range(4000)]
    WORDS += [w[:-1] + words.choice(ACC) for w in words.sample(WORDS, 120)]
    expected = {}
    for number, (name, count, good, spoil) in enumerate(CORPORA):
        r = random.Random(seed * 10 + number)
        lines, digest, size = {}, hashlib.sha256(), 0
        records = max(1, int(count * scale))
        with open(os.path.join(folder, name + ".jsonl"), "wb") as file:
            for line in range(records):
                record = good(r)
                if r.random() * 1000 < bad:
                    lines[line] = spoil(r, record)
                ascii_only = r.random() < 0.1
                text = json.dumps(record, ensure_ascii=ascii_only, separators=(",", ":"))
                data = text.encode() + b"\n"
                digest.update(data)
                size += len(data)
                file.write(data)
        expected[name] = {
            "records": records, "bytes": size, "sha256": digest.hexdigest(),
            "invalid": len(lines), "invalid_lines": lines}
    with open(os.path.join(folder, "expected.json"), "w") as file:
        json.dump(expected, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    make(options.folder, options.scale)


if __name__ == "__main__":
    main()
