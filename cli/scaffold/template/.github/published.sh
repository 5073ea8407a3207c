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
# Neither settings nor hooks of this machine may change a byte.
exact() {
  git -c core.autocrlf=false -c core.attributesFile=/dev/null -c core.excludesFile=/dev/null -c core.hooksPath=/dev/null "$@"
}
checkout() {
  rm -rf "$copy" "$copy.new"
  git worktree prune
  exact worktree add -q --detach "$copy.new" "$1"
}
# The last step: `save` follows only what was loaded to the end.
loaded() { git worktree move "$copy.new" "$copy"; }
if test -n "${CI-}"; then
  export GIT_AUTHOR_NAME=workflow GIT_AUTHOR_EMAIL=workflow@localhost
  export GIT_COMMITTER_NAME=workflow GIT_COMMITTER_EMAIL=workflow@localhost
fi
case "${1-}" in
  load)
    # If the rest fails, `save` has nothing to follow.
    rm -rf "$copy"
    git fetch -q ${CI:+--depth=1} origin +refs/heads/published:refs/remotes/origin/published
    checkout refs/remotes/origin/published
    code=0
    if test -d "$copy.new/tree"; then
      npx passport-registry load "$copy.new/tree" || code=$?
      # A tree that was not loaded is not replaced by the next save. One that stops fewer issuers than before was loaded.
      if ! cmp -s "$copy.new/tree/statements.json" dist/statements.json; then exit 1; fi
    fi
    if test -d "$copy.new/stage"; then
      if test -f .dist.stage/manifest.json && ! diff -rq "$copy.new/stage" .dist.stage > /dev/null; then
        aside=.dist.stage-$(date -u +%Y%m%dT%H%M%SZ)
        mv .dist.stage "$aside"
        echo "WARNING: a stage that the branch does not have is now in $aside: publish again what it had" >&2
        code=1
      fi
      # A stage without a manifest is what a killed command has left.
      if ! test -f .dist.stage/manifest.json; then
        rm -rf .dist.stage
        cp -R "$copy.new/stage" "$copy.new/stage.copy"
        mv "$copy.new/stage.copy" .dist.stage
      fi
    fi
    loaded
    exit $code
    ;;
  new)
    checkout "$(git commit-tree -m 'A new registry' "$(git mktree < /dev/null)")"
    loaded
    ;;
  save)
    if ! test -f "$copy/.git"; then echo "nothing was loaded that this could follow: load first" >&2; exit 1; fi
    if ! test -f dist/statements.json && git -C "$copy" cat-file -e HEAD:tree/statements.json 2> /dev/null; then
      echo "dist has no tree, and the branch has one: load first" >&2
      exit 1
    fi
    rm -rf "$copy/tree" "$copy/stage"
    if test -d dist; then cp -R dist "$copy/tree"; fi
    if test -d .dist.stage; then cp -R .dist.stage "$copy/stage"; fi
    exact -C "$copy" add --force --all
    if ! git -C "$copy" diff --cached --quiet; then exact -C "$copy" commit -q -m "${2:-Publish the registry}"; fi
    # Also what an earlier `save` has committed and could not push.
    exact push -q origin "$(git -C "$copy" rev-parse HEAD):refs/heads/published"
    ;;
  *)
    sed -n 's/^# //p' "$0"
    exit 2
    ;;
esac
