@_exported import Foundation

// Scenes, windows and views, with what UIKit tells of them and when.

@MainActor open class UIView: NSObject {
  /// `nil` for a view that lies in no window.
  public internal(set) weak var window: UIWindow?
}

@MainActor open class UIViewController: NSObject {
  private var loaded: UIView?

  public var view: UIView! {
    get {
      if loaded == nil {
        loadView()
        viewDidLoad()
      }
      return loaded
    }
    set { loaded = newValue }
  }

  open func loadView() { view = UIView() }
  open func viewDidLoad() {}
}

@MainActor open class UIWindow: UIView {
  public weak var windowScene: UIWindowScene?

  public init(windowScene: UIWindowScene?) {
    self.windowScene = windowScene
  }

  public var rootViewController: UIViewController?

  /// The view is made here, and lies in the window only after that.
  public func makeKeyAndVisible() {
    rootViewController?.view.window = self
  }
}

@MainActor open class UIScene: NSObject {
  public enum ActivationState: Int {
    case unattached = -1
    case foregroundActive, foregroundInactive, background
  }

  public internal(set) var activationState = ActivationState.unattached

  nonisolated public static let willEnterForegroundNotification = name("UISceneWillEnterForeground")
  nonisolated public static let didActivateNotification = name("UISceneDidActivate")
  nonisolated public static let didEnterBackgroundNotification = name("UISceneDidEnterBackground")
  nonisolated public static let didDisconnectNotification = name("UISceneDidDisconnect")
}

open class UIWindowScene: UIScene {}

@MainActor open class UIApplication: NSObject {
  nonisolated public static let willEnterForegroundNotification = name(
    "UIApplicationWillEnterForeground")
  nonisolated public static let didBecomeActiveNotification = name("UIApplicationDidBecomeActive")
  nonisolated public static let didEnterBackgroundNotification = name(
    "UIApplicationDidEnterBackground")
}

private func name(_ event: String) -> Notification.Name {
  Notification.Name("\(event)Notification")
}

// Operations of a driver on a scene. Each notification is posted before the state that it announces.

extension UIScene {
  public func enterForeground() {
    post(Self.willEnterForegroundNotification)
    activationState = .foregroundInactive
  }

  public func activate() {
    activationState = .foregroundActive
    post(Self.didActivateNotification)
  }

  public func enterBackground() {
    activationState = .background
    post(Self.didEnterBackgroundNotification)
  }

  /// Connects a scene in the background, as the system does: without a notification.
  public func connectInBackground() {
    activationState = .background
  }

  public func disconnect() {
    activationState = .unattached
    post(Self.didDisconnectNotification)
  }

  private func post(_ name: Notification.Name) {
    NotificationCenter.default.post(name: name, object: self)
  }
}
