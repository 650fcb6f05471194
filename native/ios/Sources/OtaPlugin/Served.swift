/// A launch, and the folder that its documents are served from.
struct Served: Equatable {
  /// Confirms the launch; known to its documents alone (NAT-7).
  let token: String
  /// Puts the launch into a document.
  let script: String
  let folder: String
  /// Whether a person sees a document of it: else it was not recorded, and nothing confirms it (DEV-34).
  let isSeen: Bool
}
