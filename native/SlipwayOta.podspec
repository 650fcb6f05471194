require 'json'

package = JSON.parse(File.read(File.join(__dir__, 'package.json')))

Pod::Spec.new do |s|
  s.name = 'SlipwayOta'
  # CocoaPods makes one module of a pod: it is called after the core, which its sources name.
  s.module_name = 'SlipwayOtaCore'
  s.version = package['version']
  s.summary = package['description']
  s.license = package['license']
  s.homepage = 'https://capacitorjs.com'
  s.author = package['author']
  s.source = { :path => '.' }
  s.source_files = 'ios/Sources/{OtaCore,OtaPlatform,OtaPlugin}/**/*.swift'
  s.resource_bundles = {
    'SlipwayOta_Privacy' => 'ios/Sources/OtaPlatform/PrivacyInfo.xcprivacy'
  }
  s.ios.deployment_target = '15.0'
  s.dependency 'Capacitor'
  s.swift_version = '6.0'
end
