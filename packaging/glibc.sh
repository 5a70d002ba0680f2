#!/usr/bin/env bash
# Prints the newest version of glibc that a program needs: packaging/glibc.sh PROGRAM; a static program needs none.
set -euo pipefail
symbols="$(objdump -T "$1" 2>/dev/null)"
{ grep -o 'GLIBC_[0-9.]*' <<< "$symbols" || true; } | cut -d_ -f2 | sort -uV | tail -1
