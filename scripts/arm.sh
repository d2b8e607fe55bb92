#!/usr/bin/env bash
# Installs the compiler and the emulator that `make arm` needs, and unpacks the libraries that warplens links, for 64-bit ARM, into the
# folder BUILD/sysroot. Packages of this system stay as they are.
set -euo pipefail
root=$(realpath -m "$1")/sysroot
tools=(g++-aarch64-linux-gnu qemu-user-static)
libraries=(libc6-dev libsimdjson-dev libfmt-dev libcli11-dev libtomlplusplus-dev libsqlite3-dev zlib1g-dev libisal-dev libzstd-dev
           liblz4-dev libgtest-dev libgmock-dev libbenchmark-dev)

missing=()
for tool in "${tools[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$tool" 2>/dev/null || true)" = installed ] || missing+=("$tool")
done
if [ ${#missing[@]} -ne 0 ]; then
  sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
  echo "installing: ${missing[*]}" >&2
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
[ -e "$root/.complete" ] && exit 0

# apt with lists and a cache of its own, for one architecture.
. /etc/os-release
case "$ID" in
  debian) source="deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $VERSION_CODENAME main" ;;
  ubuntu) source="deb [signed-by=/usr/share/keyrings/ubuntu-archive-keyring.gpg] http://ports.ubuntu.com/ubuntu-ports $VERSION_CODENAME main universe" ;;
  *) echo "make arm: libraries for aarch64 come from Debian or Ubuntu, and this is $ID. Run it in a container of Debian." >&2; exit 1 ;;
esac
apt=$(dirname "$root")/apt
mkdir -p "$apt"/lists/partial "$apt"/cache/archives/partial "$root"/usr/{bin,lib,sbin}
for folder in bin lib sbin; do ln -sfn usr/$folder "$root/$folder"; done
: >"$apt/status"
echo "$source" >"$apt/sources.list"
cat >"$apt/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourceparts "-";
Dir::Etc::SourceList "$apt/sources.list";
END
echo "unpacking libraries for aarch64 into $root" >&2
export APT_CONFIG=$apt/apt.conf
apt-get update -qq
apt-get install -y -qq --no-install-recommends --download-only "${libraries[@]}" >/dev/null
for package in "$apt"/cache/archives/*.deb; do dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink; done
# Links of packages begin at the root of the system that they are made for.
find "$root" -type l -lname '/*' -printf '%p %l\n' | while read -r link target; do ln -sfn "$root$target" "$link"; done
rm -rf "$apt"
touch "$root/.complete"
