#!/usr/bin/env bash
# Installs the Debian packages that the build needs, when any is missing.
set -euo pipefail
packages=(g++ cmake ninja-build pkg-config python3 python3-venv python3-dev libsimdjson-dev libfmt-dev libcli11-dev
          libtomlplusplus-dev libsqlite3-dev zlib1g-dev libisal-dev libzstd-dev liblz4-dev libgtest-dev libgmock-dev
          libbenchmark-dev ccache libopenblas0-pthread libfftw3-double3
          librsvg2-2 fonts-dejavu-core)
missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
echo "installing: ${missing[*]}" >&2
$sudo apt-get update -qq
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
