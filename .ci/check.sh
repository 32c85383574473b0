#!/bin/sh
# Formatting and scripts: what a review would otherwise have to look for.
set -eu
cd "$(dirname "$0")/.."
swift format lint --strict --recursive Sources Tests Schemas Package.swift
python3 Tests/Mutation/requirements.py --check
