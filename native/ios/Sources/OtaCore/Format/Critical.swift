/// Whether a reader that knows the members `known` may use a record (REL-7). Members that it does not
/// know are ignored, unless the record's `critical` lists one: then ignoring it would be wrong.
///
/// - Parameter critical: The record's member of that name; absent lists nothing.
/// - Throws: `Failure` of the code `unsupported`, also for a `critical` that is not a list of names.
func checkCritical<Code: RawRepresentable>(
  _ critical: JsonValue?, known: [String], unsupported: Code
) throws where Code.RawValue == String {
  guard let critical else { return }
  let unknown = (critical.array ?? [critical]).first { name in
    !known.contains { name == .string($0) }
  }
  if critical.array != nil && unknown == nil { return }
  let found = unknown.flatMap { $0 == .null ? nil : $0 } ?? critical
  throw Failure(
    unsupported,
    "Cannot use the record: critical names \(shown(found)), expected one of "
      + known.joined(separator: ", "),
    next: "Update the app: a newer publisher wrote the record"
  )
}
