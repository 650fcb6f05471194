// swift-tools-version:5.9
import PackageDescription

// For development, on Linux as on a Mac: the core, what a platform supplies, and two programs over
// them. Apps take ../Package.swift, which adds the plugin.

let package = Package(
  name: "SlipwayOtaCore",
  platforms: [.iOS(.v15), .macOS(.v12)],
  targets: [
    .target(name: "OtaCore"),
    .systemLibrary(name: "CZlib"),
    .systemLibrary(name: "CCrypto"),
    .target(
      name: "OtaPlatform",
      dependencies: [
        "OtaCore",
        .target(name: "CZlib", condition: .when(platforms: [.linux])),
        .target(name: "CCrypto", condition: .when(platforms: [.linux])),
      ],
      exclude: ["PrivacyInfo.xcprivacy"]
    ),
    .executableTarget(name: "DeviceProgram", dependencies: ["OtaCore", "OtaPlatform"]),
    .executableTarget(name: "Replay", dependencies: ["OtaCore", "OtaPlatform"]),
  ]
)
