// Where things lie below a base URL or in a bucket (PUB-8).

/// The name of the embedded manifest in the app's assets.
public let embeddedManifestFile = "ota-embedded-manifest.json"
