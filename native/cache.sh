# shellcheck shell=sh
# Sourced by programs of both cores: entries of the user's cache, folders that all checkouts share. Their
# names say what decides their contents. scripts/gate/cache-entry.ts does the same for the gate's own.

case $(uname) in
Darwin) caches=$HOME/Library/Caches ;;
*) caches=${XDG_CACHE_HOME:-$HOME/.cache} ;;
esac
user_cache=${SLIPWAY_CACHE:-$caches/slipway}
entries=$user_cache/entries
digest='shasum -a 256'
! command -v sha256sum >/dev/null || digest=sha256sum

# Shortens what a digest printed.
short() { cut -c 1-16; }

# Prints the sizes of all files of a folder as one hash.
sizes() {
  (cd "$1" && find . -type f ! -path ./.complete -exec wc -c {} + | grep ' \./' | LC_ALL=C sort | $digest)
}

# Whether an entry is there and as long as it was made: a full disk and a power cut leave files short.
# Marks it as used.
is_complete() {
  [ -f "$1/.complete" ] && [ "$(sizes "$1")" = "$(cat "$1/.complete")" ] && touch "$1"
}

# Waits until no other process makes an entry; its lock goes with this process, or by unlock.
lock() {
  mkdir -p "$entries"
  exec 9>"$1.lock"
  command -v flock >/dev/null || return 0 # macOS has none: the slower of two is thrown away
  flock -w 1800 9 && return 0
  echo "error: $1.lock is still held after 30 minutes, expected its entry: end the process that makes it, then try again" >&2
  exit 1
}
unlock() { exec 9>&-; }

# Makes an empty folder for an entry's contents, in the variable fresh; it is gone with this process.
begin() {
  mkdir -p "$entries"
  fresh=$(mktemp -d "$1.fresh-XXXXXX")
  trap 'rm -rf "$fresh"' EXIT
}

# Puts what was made in place, and removes entries that were not used for two weeks.
keep() {
  sizes "$1" >"$1/.complete"
  is_complete "$2" || {
    rm -rf "$2" # damaged
    mv "$1" "$2"
    rm -rf "$2/${1##*/}" # another process was faster: mv has moved this one into that one's
  }
  # Another process may be removing them as well: then find misses some.
  find "$entries" -mindepth 1 -maxdepth 1 \( -mtime +13 -o -name '*.fresh-*' -mtime +0 \) \
    -exec rm -rf {} + 2>/dev/null || :
}
