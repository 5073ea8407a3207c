#!/bin/sh
# Publishes a tree to object storage through rclone, with the right content types and cache times. It uploads files named
# by a hash and the log first, then records and keys, then sums, signature and list, and the statements last.
# Object storage does not read content types from the tree. Files with unchanged content are not uploaded again and keep
# their headers: after a change in this script, publish to an empty bucket.
# Usage: publish-s3.sh TREE REMOTE, for example `publish-s3.sh dist registry:bucket`.
set -eu
tree="$1"
remote="$2"
short='Cache-Control: public, max-age=60, must-revalidate'
long='Cache-Control: public, max-age=3600'
immutable='Cache-Control: public, max-age=31536000, immutable'
json='Content-Type: application/json'
text='Content-Type: text/plain; charset=utf-8'
jwt='Content-Type: application/jwt'
html='Content-Type: text/html; charset=utf-8'
script='Content-Type: text/javascript; charset=utf-8'
style='Content-Type: text/css; charset=utf-8'
drawing='Content-Type: image/svg+xml'
image='Content-Type: image/png'
bytes='Content-Type: application/octet-stream'

# TYPE CACHE FOLDER FILTER: makes the remote folder equal to the local folder, for the files that match the filter.
folder() {
  if [ -d "$tree/$3" ]; then
    rclone sync "$tree/$3" "$remote/$3" --checksum --filter "$4" --filter '- *' --header-upload "$1" --header-upload "$2"
  fi
}
# TYPE CACHE FILE: uploads one file, if it exists.
file() {
  if [ -f "$tree/$3" ]; then
    rclone copyto "$tree/$3" "$remote/$3" --checksum --header-upload "$1" --header-upload "$2"
  fi
}

folder "$json" "$immutable" lists '+ *.json'
folder "$bytes" "$immutable" log/tile '+ **'
folder "$jwt" "$immutable" log/statements '+ *.jwt'
file "$text" "$short" log/checkpoint
folder "$json" "$long" schemas '+ *.json'
folder "$json" "$short" issuers '+ /[^.]*'
folder "$json" "$short" keys '+ *.json'
file "$html" "$long" 404.html
# Adds the new parts of the page first, and removes the old parts after the page that names them has been replaced.
for part in "$tree"/assets/parts/*.js; do
  file "$script" "$short" "assets/parts/${part##*/}"
done
file "$script" "$short" assets/registry.js
file "$style" "$short" assets/registry.css
file "$drawing" "$short" assets/icon.svg
folder "$drawing" "$short" assets '+ /logo.svg'
folder "$image" "$short" assets '+ /logo.png'
file "$text" "$short" assets/licences.txt
file "$json" "$short" changes.json
file "$html" "$short" index.html
folder "$script" "$short" assets/parts '+ *.js'
file "$text" "$short" UNFIT-FOR-PRODUCTION.txt
folder "$text" "$short" sums '+ /[^.]*'
# A build can remove it, too. Before the statement that names it.
folder "$json" "$short" '' '+ /about.json'
file "$text" "$short" issuers.sig
file "$json" "$short" issuers.json
file "$text" "$short" SHA256SUMS
file "$json" "$short" statements.json
