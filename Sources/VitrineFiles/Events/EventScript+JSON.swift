import VitrineMotion

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension EventScript {
    /// What a script may hold at most.
    private static let (byteLimit, eventLimit) = (64 << 20, 1_000_000)

    /// Reads a script of events; the format stands in docs/guide/gestures.md.
    ///
    /// - Throws: `EventScriptError` with file and line: a file that can't be read, no JSON, an unknown or missing field, times that run backwards.
    public init(contentsOf url: URL) throws(EventScriptError) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileBytes.read(url, limit: EventScript.byteLimit)
        } catch {
            throw EventScriptError(file: error.path, reason: error.reason)
        }
        try self.init(json: bytes, name: url.lastPathComponent)
    }

    /// - Parameter name: What errors call the text.
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
                    file: name, line: line, reason: "\"time\": \(event.time) lies before the event above, at \(last.time)")
            }
            events.append(event)
        }
        self.init(events)
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as ScriptedEvent.Failure: error.reason
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "\"\(context.codingPath.first?.stringValue ?? "event")\" has a value of another kind"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\"\(context.codingPath[0].stringValue)\" has a value that is not possible"
        default: "the event is no JSON"
        }
    }
}
