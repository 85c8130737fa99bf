import VitrineMotion

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension EventScript {
    /// The limits of a script.
    private static let (byteLimit, eventLimit) = (64 << 20, 1_000_000)

    /// Reads a script of events. docs/motion.md describes the format.
    ///
    /// - Throws: `EventScriptError` with file and line if the file cannot be read, is not valid JSON, has an unknown or missing field, or if
    ///   times decrease.
    public init(contentsOf url: URL) throws(EventScriptError) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileBytes.read(url, limit: EventScript.byteLimit)
        } catch {
            throw EventScriptError(file: error.path, reason: error.reason)
        }
        try self.init(json: bytes, name: url.lastPathComponent)
    }

    /// Parses a script of events.
    ///
    /// - Parameter name: The name of the script in errors.
    public init(json bytes: [UInt8], name: String = "events") throws(EventScriptError) {
        guard bytes.count <= EventScript.byteLimit else { throw EventScriptError(file: name, reason: "is larger than 64 MiB") }
        var splitter = JSONArraySplitter(bytes: bytes, file: name)
        var events: [InputEvent] = []
        while let (object, line) = try splitter.next() {
            guard events.count < EventScript.eventLimit else {
                throw EventScriptError(file: name, line: line, reason: "there are more than a million events")
            }
            let event: InputEvent
            do {
                event = try JSONDecoder().decode(ScriptedEvent.self, from: Data(object)).event()
            } catch {
                throw EventScriptError(file: name, line: line, reason: EventScript.reason(error))
            }
            if let last = events.last, event.time < last.time {
                throw EventScriptError(
                    file: name, line: line, reason: "\"time\": \(event.time) is before the previous event at \(last.time)")
            }
            events.append(event)
        }
        self.init(events)
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as ScriptedEvent.Failure: error.reason
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "\"\(context.codingPath.first?.stringValue ?? "event")\" has a value of the wrong type"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\"\(context.codingPath[0].stringValue)\" has an invalid value"
        default: "is not valid JSON"
        }
    }
}
