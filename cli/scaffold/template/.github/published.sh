#!/bin/sh
# Keeps the published tree on the branch `published` of `origin`: tree/ is what the host serves, and stage/ a publication that
# waits for witnesses. Whoever publishes loads first, and saves at the end.
#
#   sh .github/published.sh load          brings dist/ and .dist.stage/ to what is on the branch
#   sh .github/published.sh save MESSAGE  commits dist/ and .dist.stage/ to the branch, and pushes
#   sh .github/published.sh new           prepares the branch of a registry that has never published, instead of `load`
#
# If somebody else has saved in between, the push is refused: load, and publish again.
set -eu
copy=.dist.branch
# Settings of this machine must not change a byte.
exact() { git -c core.autocrlf=false -c core.attributesFile=/dev/null -c core.excludesFile=/dev/null "$@"; }
checkout() {
  rm -rf "$copy"
  git worktree prune
  exact worktree add -q --detach "$copy" "$1"
}
if test -n "${CI-}"; then
  export GIT_AUTHOR_NAME=workflow GIT_AUTHOR_EMAIL=workflow@localhost
  export GIT_COMMITTER_NAME=workflow GIT_COMMITTER_EMAIL=workflow@localhost
fi
case "${1-}" in
  load)
    git fetch -q ${CI:+--depth=1} origin +refs/heads/published:refs/remotes/origin/published
    checkout refs/remotes/origin/published
    code=0
    if test -d "$copy/tree"; then
      npx passport-registry load "$copy/tree" || code=$?
      # A tree that was not loaded is not replaced by the next save. One that stops fewer issuers than before was loaded.
      if ! cmp -s "$copy/tree/statements.json" dist/statements.json; then rm -rf "$copy"; exit 1; fi
    fi
    if test -d "$copy/stage" && ! test -d .dist.stage; then cp -R "$copy/stage" .dist.stage; fi
    if test -d "$copy/stage"; then diff -r "$copy/stage" .dist.stage; fi
    exit $code
    ;;
  new)
    checkout "$(git commit-tree -m 'A new registry' "$(git mktree < /dev/null)")"
    ;;
  save)
    if ! test -d "$copy"; then echo "nothing was loaded that this could follow: load first" >&2; exit 1; fi
    rm -rf "$copy/tree" "$copy/stage"
    if test -d dist; then cp -R dist "$copy/tree"; fi
    if test -d .dist.stage; then cp -R .dist.stage "$copy/stage"; fi
    exact -C "$copy" add --force --all
    if git -C "$copy" diff --cached --quiet; then exit 0; fi
    git -C "$copy" commit -q -m "${2-Publish the registry}"
    git push -q origin "$(git -C "$copy" rev-parse HEAD):refs/heads/published"
    ;;
  *)
    sed -n 's/^# //p' "$0"
    exit 2
    ;;
esac
