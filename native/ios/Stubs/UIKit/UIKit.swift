import Foundation

open class UIApplication: NSObject {
  public enum State: Int { case active, inactive, background }
  public static var shared: UIApplication { fatalError() }
  open var applicationState: State { fatalError() }
  public static let didEnterBackgroundNotification = Notification.Name("didEnterBackground")
  public static let willEnterForegroundNotification = Notification.Name("willEnterForeground")
}
