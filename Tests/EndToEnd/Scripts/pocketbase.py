#!/usr/bin/env python3
"""Writes a profile for PocketBase, and the collections that it needs, from a profile for another server.

    pocketbase.py FERRY PROFILE id|look-up FOLDER

PROFILE says what the records hold, and is written out by the program FERRY; its routes are replaced. FOLDER gets `profile.yaml` (JSON, which is YAML as
well) and `collections.json`, which `PUT /api/collections/import` takes. Texts become texts, and everything else
JSON, so that each value comes back as it was sent; PocketBase keeps no difference between no text and an empty one.

With `id`, the identities of the collections are open to what the client chooses; with `look-up`, PocketBase
chooses them, and the record's own lies beside.
"""

import json
import pathlib
import subprocess
import sys

import yaml

RULE = "@request.auth.id != ''"
# What PocketBase itself says of a record.
TAKEN = ("collectionId", "collectionName", "expand", "created", "updated")
schemas = pathlib.Path(__file__).parents[3] / "Schemas/published"


def is_text(name, folder, member):
    path = folder / name if (folder / name).exists() else schemas / name
    kind = json.loads(path.read_text())["properties"].get(member, {}).get("type")
    return set([kind] if isinstance(kind, str) else kind or []) - {"null"} == {"string"}


def source_of(rule):
    return rule if isinstance(rule, str) else rule.get("field")


def entity(name, api, described, replay, folder):
    collection, body = name.lower(), dict(api["body"])
    compare, fields, key = dict(api.get("compare", {})), [], []
    body = {member + "_" * (member in TAKEN): rule for member, rule in body.items()}
    own = "$id" if described["identity"] == "object-uri" else "id"
    unmapped = [member for member in api.get("unmapped", []) if member != own]
    if replay == "id":
        body["id"] = own
        for member in [member for member, rule in body.items() if member != "id" and source_of(rule) == "id"]:
            del body[member]
    elif own == "id":
        body = {member: rule for member, rule in body.items() if source_of(rule) != "id"}
        body["localId"], key = "id", ["localId"]
    else:
        key = [member for member in ("name", "createdAt") if member in body]
    for member, rule in body.items():
        if member == "id":
            continue
        source = source_of(rule)
        isText = "reference" in rule and member not in compare if source is None else (
            source == "id" or is_text(described["schema"], folder, source))
        if isText and member not in key:
            compare[member] = "blank"
        fields.append({"name": member, "type": "text", "max": 5_000_000} if isText else
                      {"name": member, "type": "json", "maxSize": 5_000_000})
    id = {"name": "id", "type": "text", "primaryKey": True, "required": True, "system": True, "min": 1,
          "max": 64 if replay == "id" else 15, "pattern": "^[A-Za-z0-9_-]+$",
          "autogeneratePattern": "[a-z0-9]{15}"}
    stamps = [{"name": "updated", "type": "autodate", "onCreate": True, "onUpdate": True}]
    route = f"/api/collections/{collection}/records"
    kept = {"name": collection, "type": "base", "fields": [id] + fields + stamps,
            **{f"{verb}Rule": RULE for verb in ("list", "view", "create", "update", "delete")}}
    return kept, {
        "replay": replay,
        "list": {"request": f"GET {route}?sort=id", "items": "items",
                 "limit": {"name": "perPage", "value": 500}, "page": "page"},
        "version": "updated",
        "read": {"request": f"GET {route}/{{id}}"},
        "create": {"request": f"POST {route}"},
        "update": {"request": f"PATCH {route}/{{id}}"},
        "delete": {"request": f"DELETE {route}/{{id}}"},
        "body": body,
        **({"natural-key": key} if key else {}),
        **({"compare": compare} if compare else {}),
        **({"unmapped": unmapped} if unmapped else {}),
    }


def main():
    ferry, place, replay, out = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])
    whole = subprocess.run([ferry, "profile", "show", place], check=True, stdout=subprocess.PIPE, text=True)
    profile = yaml.safe_load(whole.stdout)
    old, collections, entities = profile["api"], [], {}
    for name, api in old["entities"].items():
        kept, entities[name] = entity(name, api, profile["entities"][name], replay, place.parent)
        collections.append(kept)
    profile["api"] = {
        "kind": "rest",
        "credentials": ["email", "password"],
        "sign-in": {"request": "POST /api/collections/users/auth-with-password",
                    "body": {"identity": "{email}", "password": "{password}"},
                    "token": {"member": "token"}},
        "account": {"request": "GET /api/collections/users/records?perPage=1", "member": "items.0.id"},
        "settle": "1s",
        "concurrency": 4,
        "client-id": "uuid5",
        "entities": entities,
    }
    profile.pop("destinations", None)
    for described in profile["entities"].values():
        if isinstance(described.get("schema"), str) and (place.parent / described["schema"]).exists():
            (out / described["schema"]).write_text((place.parent / described["schema"]).read_text())
    (out / "profile.yaml").write_text(json.dumps(profile, indent=1))
    (out / "collections.json").write_text(json.dumps({"collections": collections, "deleteMissing": False}))


main()
