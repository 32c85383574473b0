#!/usr/bin/env python3
"""Writes a software bill of materials (SPDX 2.3, JSON) from Package.resolved.

    python3 .ci/sbom.py Package.resolved VERSION COMMIT EPOCH SWIFT [LIBRARY …] >ferry.spdx.json

EPOCH is the time of the commit, so that the same commit gives the same bytes. SWIFT is the version of the
toolchain whose libraries are in the programs, or empty. LIBRARY names the shared libraries that the programs
load.
"""

import datetime
import json
import re
import sys


def identifier(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def package(pin):
    state, place = pin["state"], pin["location"].removesuffix(".git")
    version = state.get("version") or state["revision"]
    return {
        "name": pin["identity"],
        "SPDXID": identifier("Package-" + pin["identity"]),
        "versionInfo": version,
        "downloadLocation": f"git+{place}@{state['revision']}",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "externalRefs": [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": f"pkg:swift/{place.split('://')[1]}@{version}",
            }
        ],
    }


def toolchain(version):
    return {
        "name": "swift",
        "SPDXID": "SPDXRef-Toolchain-swift",
        "versionInfo": version,
        "downloadLocation": f"git+https://github.com/swiftlang/swift@swift-{version}-RELEASE",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "comment": "the standard library, Dispatch, Foundation and ICU's code and data, linked into the programs",
    }


def library(name):
    return {
        "name": name,
        "SPDXID": identifier("Library-" + name),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "comment": "a shared library of the system, loaded when a program starts",
    }


def main():
    resolved, version, commit, epoch, swift, *libraries = sys.argv[1:]
    with open(resolved) as file:
        pins = sorted(json.load(file)["pins"], key=lambda pin: pin["identity"])
    ferry = {
        "name": "ferry",
        "SPDXID": "SPDXRef-Package-ferry",
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "APPLICATION",
        "comment": "the programs ferry and ferry-backend, with the packages of both",
        "sourceInfo": f"built from commit {commit}",
    }
    linked = [package(pin) for pin in pins] + ([toolchain(swift)] if swift else [])
    loaded = [library(name) for name in sorted(set(libraries))]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", ferry["SPDXID"])]
    relations += [(ferry["SPDXID"], "DEPENDS_ON", part["SPDXID"]) for part in linked]
    relations += [(ferry["SPDXID"], "DYNAMIC_LINK", part["SPDXID"]) for part in loaded]
    made = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"ferry-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/ferry-{version}-{commit}",
        "creationInfo": {
            "created": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: ferry-sbom"],
        },
        "packages": [ferry] + linked + loaded,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
            for one, kind, other in relations
        ],
    }
    json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
    print()


main()
