# shellcheck shell=bash
# Sourced by check-plugin and phone: the plugin's sources for a machine without Apple's frameworks.
# shellcheck disable=SC2154 # ios is theirs

sources() { find "$ios/Sources/$1" -name '*.swift' | LC_ALL=C sort; }

# Makes a module of a fake in a folder: fake NAME FOLDER ARGUMENT…
fake() {
  "$ios/swiftc" -swift-version 5 -warnings-as-errors -whole-module-optimization -parse-as-library -I "$2" \
    -emit-module -module-name "$1" -emit-module-path "$2/$1.swiftmodule" "${@:3}" "$ios/Fakes/$1"/*.swift
}

# Copies the bridge, for Linux has no Objective-C: what gives it its names there is taken away.
without_objc() { # FOLDER
  for source in $(sources OtaPlugin); do
    sed -E 's/@objc(\([A-Za-z]+\))? ?//' "$source" >"$1/$(basename "$source")"
  done
}
