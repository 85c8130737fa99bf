import VitrineImageFiles
import VitrineTracking

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The header of a recording: its file `recording.json`.
struct RecordingHeader: Equatable {
    static let fileName = "recording.json"
    static let eventsName = "events.jsonl"
    static let framesName = "frames"
    /// Increases with incompatible changes.
    static let version = 1

    var rig: SensorRig
    /// The time 0 on the device's own clock in nanoseconds.
    var clockOrigin: Int64
    /// A description of the device.
    var device: String

    var json: String {
        JSONItem.object([
            "format": .text("vitrine recording"), "version": .number(Double(Self.version)), "device": .text(device),
            // As text: a double would round it.
            "clockOrigin": .text("\(clockOrigin)"), "rig": .rig(rig),
        ]).lines
    }

    init(rig: SensorRig, clockOrigin: Int64, device: String) {
        (self.rig, self.clockOrigin, self.device) = (rig, clockOrigin, device)
    }

    init(contentsOf url: URL) throws(SourceError) {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try FileBytes.read(url, limit: 1 << 16) } catch { throw .broken(error.description) }
        try self.init(json: bytes, name: url.path)
    }

    init(json bytes: [UInt8], name: String) throws(SourceError) {
        let item: JSONItem
        do throws(JSONItemParser.Failure) {
            item = try JSONItemParser.parse(bytes[...])
        } catch {
            throw .broken("\(name): byte \(error.column): \(error.reason)")
        }
        guard item["format"]?.text == "vitrine recording" else { throw .broken("\(name): \"format\" is not \"vitrine recording\"") }
        guard let version = item["version"]?.integer, version >= 1 else { throw .broken("\(name): \"version\" is not a number from 1") }
        guard version <= Self.version else {
            throw .broken("\(name): the recording has version \(version), this program reads up to \(Self.version)")
        }
        guard let rig = item["rig"]?.rig else { throw .broken("\(name): \"rig\" lacks a part, or has one that is not possible") }
        guard let origin = item["clockOrigin"]?.text.flatMap({ Int64($0) }) else {
            throw .broken("\(name): \"clockOrigin\" is not a text with nanoseconds")
        }
        self.init(rig: rig, clockOrigin: origin, device: item["device"]?.text ?? "")
    }
}
