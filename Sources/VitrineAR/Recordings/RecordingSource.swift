import Synchronization
import VitrineImageFiles
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Replays a recording of `RecordingWriter`: the same events in the same order, bit for bit (depth in millimetres).
///
/// Reads events on demand: memory does not grow with the length.
public final class RecordingSource: SensorSource {
    /// The recorded device's calibration.
    public let rig: SensorRig
    /// The time 0 on the recorded device's clock in nanoseconds.
    public let clockOrigin: Int64
    /// A description of the device.
    public let device: String
    /// Always false, because events are read on demand.
    public let isLive = false
    private let directory: URL
    private let reading: Mutex<Reading>

    /// The most invalid lines of a usable recording.
    private static let brokenLineLimit = 1000

    private struct Reading {
        let lines: LineReader
        var gate: SensorGate
        var counts = (inertial: 0, frames: 0, broken: 0)
        var hasEnded = false
    }

    /// Opens a recording.
    ///
    /// - Throws: `SourceError.broken`: not a recording, a later version, or an invalid rig.
    public init(directory: URL) throws(SourceError) {
        let header = try RecordingHeader(contentsOf: directory.appendingPathComponent(RecordingHeader.fileName))
        (rig, clockOrigin, device, self.directory) = (header.rig, header.clockOrigin, header.device, directory)
        reading = Mutex(Reading(lines: try Self.lines(of: directory), gate: SensorGate(rig: header.rig)))
    }

    private static func lines(of directory: URL) throws(SourceError) -> LineReader {
        let url = directory.appendingPathComponent(RecordingHeader.eventsName)
        return try LineReader(url, name: url.path)
    }

    /// The share of the file that was read, 0…1.
    public var fractionRead: Double? { reading.withLock { $0.lines.fractionRead } }

    /// Invalid lines and missing files since the start.
    public var problems: SourceProblems { reading.withLock { $0.gate.problems } }

    /// Restarts the recording at its first event.
    public func rewind() async throws {
        reading.withLock { reading in
            reading.lines.rewind()
            reading.gate = SensorGate(rig: rig)
            (reading.counts, reading.hasEnded) = ((0, 0, 0), false)
        }
    }

    /// Reads the next event; nil at the end.
    ///
    /// - Throws: `SourceError.broken` with file and position for a recording with too many invalid lines.
    public func next() async throws -> SensorEvent? { try reading.withLock { try next(&$0) } }

    private func next(_ reading: inout Reading) throws -> SensorEvent? {
        let name = RecordingHeader.eventsName
        while let line = try reading.lines.next() {
            let location = "\(name):\(line.number)"
            guard !line.bytes.isEmpty else { continue }
            do throws(JSONItemParser.Failure) {
                if let event = try self.event(RecordedEvent(line: line.bytes), location: location, &reading) { return event }
            } catch {
                if !line.isWhole { break }
                reading.gate.report("\(location):\(error.column)", error.reason)
                reading.counts.broken += 1
                guard reading.counts.broken <= Self.brokenLineLimit else {
                    throw SourceError.broken("\(directory.path)/\(location): more than \(Self.brokenLineLimit) lines are broken")
                }
            }
        }
        if !reading.hasEnded {
            reading.hasEnded = true
            reading.gate.report(name, "the recording was cut short: its last line is missing")
        }
        return nil
    }

    /// Returns nil for lines without an event.
    private func event(_ recorded: RecordedEvent, location: String, _ reading: inout Reading) -> SensorEvent? {
        switch recorded {
        case .inertial(let sample):
            reading.counts.inertial += 1
            return reading.gate.passes(sample, location: location) ? .inertial(sample) : nil
        case .image(let frame):
            reading.counts.frames += 1
            return sample(of: frame, location: location, &reading).map { .image($0) }
        case .interruptionBegan: return .interruptionBegan
        case .interruptionEnded: return .interruptionEnded
        case .end(let inertial, let frames):
            reading.hasEnded = true
            if inertial != reading.counts.inertial || frames != reading.counts.frames {
                reading.gate.report(
                    location,
                    "\(inertial) inertial samples and \(frames) images were recorded, \(reading.counts.inertial) and "
                        + "\(reading.counts.frames) are there")
            }
            return nil
        }
    }

    private func sample(of frame: RecordedImage, location: String, _ reading: inout Reading) -> CameraSample? {
        guard reading.gate.passes(imageTime: frame.time, location: location) else { return nil }
        do throws(SourceError) {
            var sample = CameraSample(
                time: frame.time, image: try image(of: frame), depth: depth(of: frame, location: location, &reading),
                exposureDuration: frame.exposureDuration, gain: frame.gain, camera: frame.camera,
                worldFromCamera: frame.worldFromCamera)
            sample.secondLuma = second(of: frame, location: location, &reading)
            return reading.gate.passes(sample, location: location) ? sample : nil
        } catch {
            reading.gate.report(location, error.description)
            return nil
        }
    }

    private func image(of frame: RecordedImage) throws(SourceError) -> CapturedImage {
        var image = try FrameImageFile.image(try file(frame.file), name: frame.file)
        if let chroma = frame.chroma {
            let plane = try FrameImageFile.gray(try file(chroma), name: chroma)
            guard plane.width == 2 * image.chromaWidth, plane.height == image.chromaHeight else {
                throw .broken(
                    "\(chroma): has \(plane.width) × \(plane.height) pixels, not \(2 * image.chromaWidth) × \(image.chromaHeight)")
            }
            image.chroma = plane.values
            image.matrix = frame.matrix
        }
        // JPEG and RGB images are always full range.
        if frame.chroma != nil || image.chroma == nil { image.range = frame.range }
        return image
    }

    /// An image without that of the second camera is still usable.
    private func second(of frame: RecordedImage, location: String, _ reading: inout Reading) -> Plane<UInt8>? {
        guard let second = frame.second else { return nil }
        do throws(SourceError) {
            return try FrameImageFile.gray(try file(second), name: second)
        } catch {
            reading.gate.report(location, error.description)
            return nil
        }
    }

    /// An image with damaged depth is still usable.
    private func depth(of frame: RecordedImage, location: String, _ reading: inout Reading) -> DepthImage? {
        do throws(SourceError) {
            return try depth(of: frame)
        } catch {
            reading.gate.report(location, error.description)
            return nil
        }
    }

    private func depth(of frame: RecordedImage) throws(SourceError) -> DepthImage? {
        guard let depth = frame.depth else { return nil }
        let metres = try FrameImageFile.depth(try file(depth), name: depth, unitsPerMetre: 1000)
        guard let confidence = frame.confidence else { return DepthImage(metres: metres) }
        let plane = try FrameImageFile.gray(try file(confidence), name: confidence)
        guard plane.width == metres.width, plane.height == metres.height else {
            throw .broken("\(confidence): has another size than \(depth)")
        }
        return DepthImage(metres: metres, confidence: plane)
    }

    private func file(_ name: String) throws(SourceError) -> URL { try RelativePath.url(of: name, in: directory) }
}
