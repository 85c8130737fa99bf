import VitrineImageFiles
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes a recording: a directory with `recording.json`, one line of `events.jsonl` per event in order, and the images in `frames/`.
/// `docs/design/recording-format.md` describes the format.
///
/// Writes a line after its images: an interrupted recording can be replayed up to its last complete line. The format is lossless (PNG images,
/// exact numbers) except for depth, which is rounded to millimetres. Use it from one thread at a time.
public final class RecordingWriter {
    /// The folder of the recording.
    public let directory: URL
    private let descriptor: Int32
    private var pending: [UInt8] = []
    private var inertialCount = 0
    private var imageCount = 0
    private var isFinished = false

    /// Starts a recording.
    ///
    /// - Parameters:
    ///   - directory: A new or empty folder.
    ///   - clockOrigin: See `SensorSource.clockOrigin`. Default 0.
    ///   - device: A description of the device. Default empty.
    /// - Throws: `SourceError.broken` if the folder is not empty or cannot be written.
    public init(directory: URL, rig: SensorRig, clockOrigin: Int64 = 0, device: String = "") throws(SourceError) {
        self.directory = directory
        try Self.prepare(directory)
        let header = RecordingHeader(rig: rig, clockOrigin: clockOrigin, device: device)
        try Self.write(Array(header.json.utf8), to: directory.appendingPathComponent(RecordingHeader.fileName))
        let events = directory.appendingPathComponent(RecordingHeader.eventsName).path
        descriptor = open(events, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .broken("\(events): \(String(cString: strerror(errno)).lowercased())") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func prepare(_ directory: URL) throws(SourceError) {
        let manager = FileManager.default
        do {
            try manager.createDirectory(at: directory, withIntermediateDirectories: true)
            guard try manager.contentsOfDirectory(atPath: directory.path).isEmpty else {
                throw SourceError.broken("\(directory.path): is not empty: a recording is written to a folder of its own")
            }
            try manager.createDirectory(
                at: directory.appendingPathComponent(RecordingHeader.framesName), withIntermediateDirectories: false)
        } catch let error as SourceError {
            throw error
        } catch {
            throw .broken("\(directory.path): a folder cannot be made here")
        }
    }

    private static func write(_ bytes: [UInt8], to url: URL) throws(SourceError) {
        do throws(FileError) { try AtomicFile.write(bytes, to: url) } catch { throw .broken(error.description) }
    }

    /// Writes an event. Buffers a few dozen inertial samples at most.
    public func write(_ event: SensorEvent) throws(SourceError) {
        precondition(!isFinished, "the recording was finished")
        switch event {
        case .inertial(let sample):
            inertialCount += 1
            append(.inertial(sample))
            if pending.count > 1 << 13 { try flush() }
        case .image(let sample):
            let recorded = try writeImages(of: sample)
            imageCount += 1
            append(.image(recorded))
            try flush()
        case .interruptionBegan:
            append(.interruptionBegan)
            try flush()
        case .interruptionEnded:
            append(.interruptionEnded)
            try flush()
        }
    }

    /// Finishes the recording and flushes it to the disk. An unfinished recording can be read, with a problem report.
    public func finish() throws(SourceError) {
        guard !isFinished else { return }
        isFinished = true
        append(.end(inertial: inertialCount, images: imageCount))
        try flush()
        guard fsync(descriptor) == 0 else { throw systemError(RecordingHeader.eventsName) }
    }

    private func append(_ event: RecordedEvent) { pending += Array(event.line.utf8) + [0x0A] }

    private func flush() throws(SourceError) {
        try Self.write(pending, to: descriptor, path: directory.appendingPathComponent(RecordingHeader.eventsName).path)
        pending.removeAll(keepingCapacity: true)
    }

    private func systemError(_ name: String) -> SourceError {
        .broken("\(directory.appendingPathComponent(name).path): \(String(cString: strerror(errno)).lowercased())")
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(SourceError) {
        var done = 0
        while done < bytes.count {
            let wrote = bytes.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress! + done, $0.count - done) }
            if wrote >= 0 {
                done += wrote
            } else if errno != EINTR {
                throw .broken("\(path): \(String(cString: strerror(errno)).lowercased())")
            }
        }
    }

    // MARK: Images

    private func writeImages(of sample: CameraSample) throws(SourceError) -> RecordedImage {
        let digits = String(imageCount)
        let base = RecordingHeader.framesName + "/" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        let image = sample.image
        var recorded = RecordedImage(time: sample.time, file: base + ".png", matrix: image.matrix, range: image.range)
        try writeFrame(recorded.file, encodedGray(image.luma))
        if let chroma = image.chroma {
            let file = base + "-chroma.png"
            try writeFrame(file, encodedGray(Plane(width: 2 * image.chromaWidth, height: image.chromaHeight, values: chroma)))
            recorded.chroma = file
        }
        if let depth = sample.depth {
            let file = base + "-depth.png"
            try writeFrame(file, encodedDepth(depth.metres))
            recorded.depth = file
            if let confidence = depth.confidence {
                let file = base + "-confidence.png"
                try writeFrame(file, encodedGray(confidence))
                recorded.confidence = file
            }
        }
        if let second = sample.secondLuma {
            let file = base + "-second.png"
            try writeFrame(file, encodedGray(second))
            recorded.second = file
        }
        (recorded.exposureDuration, recorded.gain) = (sample.exposureDuration, sample.gain)
        (recorded.camera, recorded.worldFromCamera) = (sample.camera, sample.worldFromCamera)
        return recorded
    }

    private func encodedGray(_ plane: Plane<UInt8>) throws(SourceError) -> [UInt8] {
        do throws(ImageFileError) {
            return try ImageFile.encodeGray(plane.values, width: plane.width, height: plane.height, speed: .fast)
        } catch {
            throw .broken("\(directory.path): an image cannot be encoded: \(error.reason)")
        }
    }

    /// Encodes millimetres; 0 (unknown) for depth beyond 16 bits.
    private func encodedDepth(_ metres: Plane<Float>) throws(SourceError) -> [UInt8] {
        let values = metres.values.map { value -> UInt16 in
            let millimetres = (value * 1000).rounded()
            return millimetres >= 0 && millimetres < 65_536 ? UInt16(millimetres) : 0
        }
        do throws(ImageFileError) {
            return try ImageFile.encodeGray16(values, width: metres.width, height: metres.height, speed: .fast)
        } catch {
            throw .broken("\(directory.path): a depth image cannot be encoded: \(error.reason)")
        }
    }

    /// Writes a file of a frame, without flushing it to the disk, which would be too slow for every image. The frame's line follows the
    /// complete file.
    private func writeFrame(_ file: String, _ bytes: [UInt8]) throws(SourceError) {
        let path = directory.appendingPathComponent(file).path
        let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard target >= 0 else { throw systemError(file) }
        defer { close(target) }
        try Self.write(bytes, to: target, path: path)
    }
}

/// The system's `write`, which `RecordingWriter.write` would hide.
private func systemWrite(_ descriptor: Int32, _ from: UnsafeRawPointer, _ count: Int) -> Int { write(descriptor, from, count) }
