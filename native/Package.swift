// swift-tools-version: 6.0
import PackageDescription

// What an app adds (`npx cap sync` writes it into CapApp-SPM). ios/Package.swift is for those who work
// on the core: it has the same targets without Capacitor, and the two programs.
let package = Package(
  name: "SlipwayOta",
  platforms: [.iOS(.v15)],
  products: [
    .library(name: "SlipwayOta", targets: ["SlipwayOta"])
  ],
  dependencies: [
    .package(
      url: "https://github.com/ionic-team/capacitor-swift-pm.git", "7.0.0"..<"9.0.0")
  ],
  targets: [
    .target(name: "SlipwayOtaCore", path: "ios/Sources/OtaCore"),
    .target(
      name: "SlipwayOtaPlatform", dependencies: ["SlipwayOtaCore"], path: "ios/Sources/OtaPlatform",
      resources: [.copy("PrivacyInfo.xcprivacy")]),
    .target(
      name: "SlipwayOta",
      dependencies: [
        "SlipwayOtaCore",
        "SlipwayOtaPlatform",
        .product(name: "Capacitor", package: "capacitor-swift-pm"),
        .product(name: "Cordova", package: "capacitor-swift-pm"),
      ],
      path: "ios/Sources/OtaPlugin"),
  ]
)
