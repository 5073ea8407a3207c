#!/bin/sh
# A mirror with rsync and coreutils alone. It downloads a new release next to the release being served, checks the
# checksums, and switches to the new release with one rename. It does not check who made the tree; the command
# `passport-registry mirror` does.
# Usage: mirror.sh SOURCE FOLDER, for example `mirror.sh rsync://registry.example/registry /srv/registry`.
set -eu
umask 022
source="$1"
mkdir -p "$2/releases"
cd "$2"
# A new folder each time: readers would otherwise see two publications at once.
new="releases/$(date -u +%Y%m%dT%H%M%S.%NZ)"
trap 'rm -rf "$new" current.new' EXIT
link_dest=
if [ -e current ]; then link_dest="--link-dest=$PWD/current/"; fi
# --checksum: issuers.sig always has the same size. If the time is the same, too, rsync would keep the old signature for good.
# It also downloads a file again that was damaged on this disk.
copy() {
  rsync --recursive --times --checksum --chmod=D755,F644 --timeout=60 ${link_dest:+"$link_dest"} "$@" "${source%/}/" "$new/"
}
copy
# rsync also ends with 0 if the source was published while rsync read it.
# SHA256SUMS names the root of the tree of sums, and that names the records. Only the sums of an empty registry are empty.
check='sha256sum --quiet --strict --check'
(cd "$new" && $check SHA256SUMS && if [ -d sums ]; then find sums -type f ! -name '.*' -size +0 -exec $check {} +; fi)
# The name of a list is its hash.
(cd "$new" && find lists -type f | sed -n 's|^lists/\(.*\)\.json$|\1  &|p' | $check -)
# No checksum names these files and the log: they must be the same in a second reading.
if [ -n "$(copy --itemize-changes --include=/SHA256SUMS --include=/issuers.sig --include=/statements.json --include='/log/***' '--exclude=*')" ]; then
  echo "mirror.sh: $source was published meanwhile, so nothing was switched: run it again" >&2
  exit 1
fi
content() { (cd "$1/" && find . -type f -exec sha256sum {} + | sort); }
# Damage in the release being served counts as a difference.
if [ -e current ] && [ "$(content "$new")" = "$(content current)" ]; then exit 0; fi
# One rename switches all files.
ln -s "$new" current.new
mv -T current.new current
trap - EXIT
# Readers may still use the two previous releases.
ls -1d releases/* | head -n -3 | xargs -r rm -rf
