#if !COCOAPODS
  import SlipwayOtaCore
#endif

/// The network of an app that moves to the background and back: it sends requests and reads only while the
/// app is visible, and not over a metered connection if the app refuses those. A connection that is lost in
/// the background fails as any other, and the core resumes where the bytes on the disk end.
final class PhoneHttp: Http {
  private let network: Http
  private let line: Line

  init(_ network: Http, line: Line) {
    self.network = network
    self.line = line
  }

  func open(_ url: String, headers: [String: String], timeoutMs: Int, cancel: Cancel) throws
    -> HttpResponse
  {
    let requireConnection = { [line] in
      try Foreground.wait(cancel)
      if let refusal = line.refusal { throw FetchError(refusal) }
    }
    try requireConnection()
    let response = try network.open(url, headers: headers, timeoutMs: timeoutMs, cancel: cancel)
    return PhoneResponse(response, requireConnection: requireConnection)
  }
}

private final class PhoneResponse: HttpResponse {
  private let response: HttpResponse
  private let requireConnection: () throws -> Void

  init(_ response: HttpResponse, requireConnection: @escaping () throws -> Void) {
    self.response = response
    self.requireConnection = requireConnection
  }

  var status: Int { response.status }
  var url: String { response.url }

  func header(_ name: String) -> String? {
    response.header(name)
  }

  func read(timeoutMs: Int) throws -> [UInt8]? {
    try requireConnection()
    return try response.read(timeoutMs: timeoutMs)
  }

  func close() {
    response.close()
  }
}
