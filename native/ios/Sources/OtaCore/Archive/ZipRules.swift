// What is taken of a `bundle.zip`: files alone, of which each has its hash in the manifest. Names beyond
// ASCII that are not flagged as UTF-8 are refused. An end record whose comment is cut short, and a zip64
// locator that points beyond the archive, are taken: they say nothing about a file (DEV-12).

/// Entries, inclusive; a number is kept of each.
let maxEntries = Limits.bundleFiles
