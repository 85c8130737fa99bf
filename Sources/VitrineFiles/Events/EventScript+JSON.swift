import VitrineGLTF
import VitrineMotion

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension EventScript {
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
    /// - Throws: `EventScriptError` as `init(contentsOf:)`.
    public init(json bytes: [UInt8], name: String = "events") throws(EventScriptError) {
        guard bytes.count <= EventScript.byteLimit else { throw EventScriptError(file: name, reason: "is larger than 64 MiB") }
        let list = try EventScript.parse(bytes, name: name)
        guard list.kind == .array else {
            throw EventScriptError(file: name, line: 1, reason: "a script must be an array of events: [ {…}, … ]")
        }
        guard list.count <= EventScript.eventLimit else {
            throw EventScriptError(file: name, reason: "has more than a million events")
        }
        var events: [InputEvent] = []
        events.reserveCapacity(list.count)
        // The offsets of values increase, so that each line feed is counted once.
        var (line, offset) = (1, 0)
        for index in 0..<list.count {
            let value = list[index]
            line += bytes[offset..<value.offset].reduce(0) { $0 + ($1 == 10 ? 1 : 0) }
            offset = value.offset
            let event: InputEvent
            do throws(ScriptedEvent.Failure) {
                event = try ScriptedEvent(value).event()
            } catch {
                throw EventScriptError(file: name, line: line, reason: error.reason)
            }
            if let last = events.last, event.time < last.time {
                throw EventScriptError(
                    file: name, line: line, reason: "\"time\": \(event.time) is before the previous event at \(last.time)")
            }
            events.append(event)
        }
        self.init(events)
    }

    private static func parse(_ bytes: [UInt8], name: String) throws(EventScriptError) -> JSONValue {
        var limits = GLTFLimits()
        limits.jsonDepth = 8
        do throws(GLTFError) {
            return try JSONParser.parse(bytes, range: 0..<bytes.count, name: name, limits: limits).root
        } catch {
            if case .line(let line, _) = error.location { throw EventScriptError(file: name, line: line, reason: error.reason.description) }
            throw EventScriptError(file: name, reason: error.reason.description)
        }
    }
}
