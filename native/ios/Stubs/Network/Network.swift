import Dispatch

public final class NWPathMonitor {
  public init() {}
  public var currentPath: NWPath { fatalError() }
  public func start(queue: DispatchQueue) {}
}

public struct NWPath {
  public var isExpensive: Bool
  public var isConstrained: Bool
}
