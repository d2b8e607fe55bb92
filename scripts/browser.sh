#!/usr/bin/env bash
# Installs Chromium and its WebDriver, in which tests open the pages of `warplens report`, when they are missing.
set -euo pipefail
command -v chromium >/dev/null && command -v chromedriver >/dev/null && exit 0
apt-cache show chromium-driver >/dev/null 2>&1 || { echo "no package chromium-driver here: tests of pages are skipped" >&2; exit 0; }
sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
echo "installing: chromium chromium-driver" >&2
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends chromium chromium-driver >/dev/null
