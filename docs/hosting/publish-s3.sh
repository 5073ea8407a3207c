#!/bin/sh
# Publishes a tree to object storage through rclone, with right types and cache times: what names a hash first, then records and
# keys, then signature and list, the checkpoint last. Object storage takes no types from the tree. A file whose content is
# unchanged is not sent again, and keeps wrong headers: after a change here, publish to an empty bucket.
# Usage: publish-s3.sh TREE REMOTE, as in `publish-s3.sh dist registry:bucket`.
set -eu
tree="$1"
remote="$2"
short='Cache-Control: public, max-age=60, must-revalidate'
long='Cache-Control: public, max-age=3600'
for_ever='Cache-Control: public, max-age=31536000, immutable'
json='Content-Type: application/json'
text='Content-Type: text/plain; charset=utf-8'
jwt='Content-Type: application/jwt'
html='Content-Type: text/html; charset=utf-8'
script='Content-Type: text/javascript; charset=utf-8'
style='Content-Type: text/css; charset=utf-8'
drawing='Content-Type: image/svg+xml'
feed='Content-Type: application/atom+xml'

# TYPE CACHE FOLDER FILTER: makes a folder there hold what it holds here, as far as the filter goes.
folder() {
  if [ -d "$tree/$3" ]; then
    rclone sync "$tree/$3" "$remote/$3" --checksum --filter "$4" --filter '- *' --header-upload "$1" --header-upload "$2"
  fi
}
# TYPE CACHE FILE: one file, if there is one.
file() {
  if [ -f "$tree/$3" ]; then
    rclone copyto "$tree/$3" "$remote/$3" --checksum --header-upload "$1" --header-upload "$2"
  fi
}

folder "$json" "$for_ever" snapshots '+ /*/issuers.json'
folder "$text" "$for_ever" snapshots '+ /*/issuers.sig'
folder "$json" "$long" schemas '+ *.json'
folder "$json" "$long" deltas '+ *.json'
folder "$json" "$short" issuers '+ /[^.]*'
folder "$json" "$short" keys '+ *.json'
folder "$jwt" "$short" keys '+ *.jwt'
file "$html" "$long" 404.html
file "$script" "$short" assets/registry.js
file "$style" "$short" assets/registry.css
file "$drawing" "$short" assets/icon.svg
file "$text" "$short" assets/licences.txt
file "$json" "$short" changes.json
file "$feed" "$short" changes.atom
file "$html" "$short" index.html
file "$text" "$short" UNFIT-FOR-PRODUCTION.txt
file "$text" "$short" issuers.sig
file "$json" "$short" issuers.json
file "$text" "$short" SHA256SUMS
file "$jwt" "$short" checkpoint.jwt
