#!/usr/bin/env bash
# What the build needs in PyPA's image (AlmaLinux 9), where cibuildwheel builds the wheels; scripts/setup.sh is for Debian and Ubuntu.
set -euo pipefail
dnf -y -q install epel-release dnf-plugins-core
dnf config-manager --set-enabled crb
dnf -y -q install ninja-build fmt-devel simdjson-devel cli11-devel tomlplusplus-devel isa-l-devel libzstd-devel lz4-devel sqlite-devel zlib-devel
