// swift-tools-version: 6.0
import PackageDescription

// For development, on Linux as on a Mac: the core, what a platform supplies, and two programs over
// them. Apps take ../Package.swift, which adds the plugin.

let package = Package(
  name: "SlipwayOtaCore",
  platforms: [.iOS(.v15), .macOS(.v12)],
  targets: [
    .target(name: "SlipwayOtaCore", path: "Sources/OtaCore"),
    .systemLibrary(name: "CZlib"),
    .systemLibrary(name: "CCrypto"),
    .target(
      name: "SlipwayOtaPlatform",
      dependencies: [
        "SlipwayOtaCore",
        .target(name: "CZlib", condition: .when(platforms: [.linux])),
        .target(name: "CCrypto", condition: .when(platforms: [.linux])),
      ],
      path: "Sources/OtaPlatform",
      exclude: ["PrivacyInfo.xcprivacy"]
    ),
    .executableTarget(name: "DeviceProgram", dependencies: ["SlipwayOtaCore", "SlipwayOtaPlatform"]),
    .executableTarget(name: "Replay", dependencies: ["SlipwayOtaCore", "SlipwayOtaPlatform"]),
  ]
)
