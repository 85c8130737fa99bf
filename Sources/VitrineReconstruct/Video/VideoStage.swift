import VitrineFiles
import VitrineVideo
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads a video at low resolution and chooses the frames that become photos.
enum VideoStage: Stage {
    struct Input: Sendable {
        let url: URL
        /// The digest of the file's bytes.
        let digest: Digest
        /// The number of frames: see `VideoFrameSelector.count`.
        let count: Int?
        /// Seconds from the first frame; frames outside are not read.
        let range: ClosedRange<Double>?
    }

    struct Output: Sendable {
        /// The size of an extracted frame, pixels.
        var size: PhotoSize
        /// The index in the video of the first of `frames`.
        var firstIndex: Int
        var frames: [VideoFrameMeasure]
        /// The state of each of `frames`.
        var states: [VideoFrameState]
        /// The warnings of the stage, of one line each.
        var warnings: [String]

        /// Indices in `frames`.
        var chosen: [Int] { states.indices.filter { states[$0] == .chosen } }
    }

    static let name = "video"
    static let version = 2

    /// The number of frames that are measured at once.
    private static let batch = 32

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("video", input.digest)
        // In warnings.
        key.add("name", input.url.lastPathComponent)
        key.add("count", input.count)
        key.add("from", input.range?.lowerBound)
        key.add("to", input.range?.upperBound)
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> Output {
        let probe = try VideoProbe(input.url, readsTimes: true)
        var output = Output(
            size: PhotoSize(width: probe.uprightWidth, height: probe.uprightHeight), firstIndex: 0, frames: [], states: [], warnings: [])
        if probe.isHighDynamicRange {
            output.warnings.append("\(input.url.lastPathComponent): is HDR video: its colours are used without tone mapping and look pale")
        }
        try measure(input, probe, &output, context)
        guard !output.frames.isEmpty else {
            let range = input.range.map { " from \(text($0.lowerBound)) to \(text($0.upperBound))" } ?? ""
            throw ReconstructionError.invalidVideo(
                file: input.url.lastPathComponent, time: nil,
                reason: "has no frame\(range)" + (probe.times.last.map { ": it is \(text($0)) long" } ?? ""))
        }
        output.states = VideoFrameSelector(count: input.count).states(of: output.frames)
        output.warnings += gaps(output).map { "\(input.url.lastPathComponent): \($0)" }
        return output
    }

    static func text(_ seconds: Double) -> String { "\(seconds.fixed(1)) s" }

    /// The first pass.
    private static func measure(_ input: Input, _ probe: VideoProbe, _ output: inout Output, _ context: StageContext) throws {
        let reader = try VideoReader(input.url, pixels: .gray(maximumSide: VideoFrameMeter.side))
        defer { reader.close() }
        let (width, height) = (reader.width, reader.height)
        let range = input.range ?? 0 ... .infinity
        var path = VideoPath()
        var index = 0
        var isAtEnd = false
        while !isAtEnd {
            try context.checkCancellation()
            var frames: [(bytes: [UInt8], time: Double)] = []
            while frames.count < batch {
                guard let bytes = try nextFrame(reader, probe, index, input, &output) else {
                    isAtEnd = true
                    break
                }
                // Frames without a time stamp follow the last at the mean rate.
                let time = index < probe.times.count ? probe.times[index] : (output.frames.last?.time ?? 0) + 1 / 30
                if time > range.upperBound {
                    isAtEnd = true
                    break
                }
                if range.contains(time) {
                    if output.frames.isEmpty, frames.isEmpty { output.firstIndex = index }
                    frames.append((bytes, time))
                }
                index += 1
            }
            let batch = frames
            let measured = context.parallel.map(batch.count) { number in
                VideoFrameMeter.measure(batch[number].bytes, width: width, height: height, time: batch[number].time)
            }
            for (measure, corners) in measured {
                var measure = measure
                measure.path = path.advance(to: corners, measure)
                output.frames.append(measure)
            }
            context.report(Double(index) / Double(max(probe.times.count, index)))
        }
    }

    /// A damaged end loses only the rest of the video.
    private static func nextFrame(
        _ reader: VideoReader, _ probe: VideoProbe, _ index: Int, _ input: Input, _ output: inout Output
    ) throws -> [UInt8]? {
        do throws(VideoError) {
            return try reader.next()
        } catch {
            let time = index > 0 && index <= probe.times.count ? probe.times[index - 1] : nil
            guard let time, !output.frames.isEmpty || index > 0 else {
                throw ReconstructionError.invalidVideo(input.url, at: time, error)
            }
            output.warnings.append("\(input.url.lastPathComponent): cannot be read beyond \(text(time)): \(error.description)")
            return nil
        }
    }

    /// Stretches where the viewpoint moved by more than three photos' steps without a usable frame.
    private static func gaps(_ output: Output) -> [String] {
        let chosen = output.chosen
        return zip(chosen, chosen.dropFirst()).compactMap { first, second in
            let (from, to) = (output.frames[first], output.frames[second])
            guard to.path - from.path > 3 * VideoFrameSelector.step, second - first > 1 else { return nil }
            let between = output.states[(first + 1)..<second]
            let blurred = between.count { $0 == .blurred }
            guard 2 * blurred > between.count else { return nil }
            return "no sharp frame from \(text(from.time)) to \(text(to.time)): the camera moved too fast there"
        }
    }
}

extension ReconstructionError {
    /// Returns the error of a video that cannot be decoded.
    ///
    /// - Parameter time: Of the frame, seconds.
    static func invalidVideo(_ url: URL, at time: Double?, _ error: VideoError) -> ReconstructionError {
        let name = url.lastPathComponent
        let prefix = [url.path, name].map { $0 + ": " }.first { error.description.hasPrefix($0) } ?? ""
        return .invalidVideo(file: name, time: time, reason: String(error.description.dropFirst(prefix.count)))
    }
}

extension VideoStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(url.path)
        writer.encode(digest)
        writer.encode(count)
        writer.encode(range?.lowerBound)
        writer.encode(range?.upperBound)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let url = URL(fileURLWithPath: try reader.text())
        let digest: Digest = try reader.decode()
        let count: Int? = try reader.decode()
        let (from, to): (Double?, Double?) = (try reader.decode(), try reader.decode())
        guard let from, let to else { return Self(url: url, digest: digest, count: count, range: nil) }
        guard from <= to else { throw DamagedCheckpoint() }
        return Self(url: url, digest: digest, count: count, range: from...to)
    }
}

extension VideoStage.Output: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(size)
        writer.write(firstIndex)
        writer.encode(frames)
        writer.encode(states)
        writer.encode(warnings)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let output = Self(
            size: try reader.decode(), firstIndex: try reader.int(), frames: try reader.decode(), states: try reader.decode(),
            warnings: try reader.decode())
        guard output.states.count == output.frames.count else { throw DamagedCheckpoint() }
        return output
    }
}

extension VideoFrameMeasure: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(time)
        writer.write(sharpness)
        writer.write(brightness)
        writer.write(clipped)
        writer.write(path)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(
            time: try reader.double(), sharpness: try reader.float(), brightness: try reader.float(), clipped: try reader.float(),
            path: try reader.float())
    }
}

extension VideoFrameState: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.write(rawValue) }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        guard let state = Self(rawValue: try reader.text()) else { throw DamagedCheckpoint() }
        return state
    }
}

extension ReconstructionSummary.Video {
    init(_ choice: VideoStage.Output, name: String) {
        self.name = name
        frames = zip(choice.frames, choice.states).enumerated().map { offset, frame in
            Frame(index: choice.firstIndex + offset, time: frame.0.time, state: frame.1, sharpness: frame.0.sharpness)
        }
    }
}
