// Where things lie below a base URL or in a bucket (PUB-8).

/// The name of the embedded manifest in the app's assets.
public let EMBEDDED_MANIFEST_FILE = "ota-embedded-manifest.json"
