import Foundation

// Foundation's facts about an app on a phone. Declarations of a module hide those of what it imports, so
// the plugin, which is compiled into this one, finds these.

/// Folders of the phone: the home of the app, and the app itself.
enum Phone {
  static nonisolated(unsafe) var home = ""
  static nonisolated(unsafe) var app = ""
  static nonisolated(unsafe) var info: [String: Any] = [:]
}

enum Bundle {
  static let main = AppBundle()
}

struct AppBundle {
  var resourcePath: String? { Phone.app }
  var bundlePath: String { Phone.app }
  var infoDictionary: [String: Any]? { Phone.info }
  func object(forInfoDictionaryKey key: String) -> Any? { Phone.info[key] }
}

func NSSearchPathForDirectoriesInDomains(
  _ directory: FileManager.SearchPathDirectory, _ domain: FileManager.SearchPathDomainMask,
  _ expandTilde: Bool
) -> [String] {
  precondition(directory == .libraryDirectory && domain == .userDomainMask && expandTilde)
  return ["\(Phone.home)/Library"]
}
