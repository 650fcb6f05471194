import Dispatch

public final class NWPathMonitor {
  public init() {}
  public var currentPath: NWPath { NWPath(isExpensive: false, isConstrained: false) }
  public func start(queue: DispatchQueue) {}
}

public struct NWPath {
  public var isExpensive: Bool
  public var isConstrained: Bool
}
