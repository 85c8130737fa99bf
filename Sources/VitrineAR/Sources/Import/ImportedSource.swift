import Synchronization
import VitrineTracking
import VitrineVideo
import VitrineVision

/// Replays an imported recording: inertial samples and images in the order of their times on the IMU's clock, an image after the first sample at
/// or after its time.
final class ImportedSource: SensorSource {
    let rig: SensorRig
    let clockOrigin: Int64
    let isLive = false
    private let recording: ImportedRecording
    private let playing: Mutex<Playing>

    private struct Playing {
        var inertialIndex = 0
        var frameIndex = 0
        var gate: SensorGate
        var video: VideoReader?
        /// The number of frames read from the video.
        var framesRead = 0
    }

    /// Creates a source from an imported recording.
    ///
    /// - Throws: `SourceError.broken` without any image.
    init(_ recording: ImportedRecording) throws(SourceError) {
        guard !recording.frames.isEmpty else {
            let reason = recording.problems.messages.first.map { ": the first is \($0)" } ?? ""
            throw .broken("\(recording.directory.path): no image of this recording can be used\(reason)")
        }
        (rig, clockOrigin, self.recording) = (recording.rig, recording.clockOrigin, recording)
        playing = Mutex(Playing(gate: SensorGate(rig: recording.rig, problems: recording.problems)))
    }

    var fractionRead: Double? { playing.withLock { Double($0.frameIndex) / Double(recording.frames.count) } }

    var problems: SourceProblems { playing.withLock { $0.gate.problems } }

    func rewind() async throws {
        playing.withLock { playing in
            playing.video?.close()
            playing = Playing(gate: SensorGate(rig: rig, problems: recording.problems))
        }
    }

    func next() async throws -> SensorEvent? { try playing.withLock { try next(&$0) } }

    private func next(_ playing: inout Playing) throws -> SensorEvent? {
        while playing.frameIndex < recording.frames.count {
            let frame = recording.frames[playing.frameIndex]
            if let sample = sampleBefore(frame.time + rig.timeOffset, &playing) { return .inertial(sample) }
            playing.frameIndex += 1
            if let sample = try read(frame, &playing) { return .image(sample) }
        }
        guard playing.inertialIndex < recording.inertial.count else { return nil }
        playing.inertialIndex += 1
        return .inertial(recording.inertial[playing.inertialIndex - 1])
    }

    /// The next sample until one reaches `time`.
    private func sampleBefore(_ time: Double, _ playing: inout Playing) -> InertialSample? {
        let index = playing.inertialIndex
        guard index < recording.inertial.count, index == 0 || recording.inertial[index - 1].time < time else { return nil }
        playing.inertialIndex += 1
        return recording.inertial[index]
    }

    /// Returns nil and counts a problem for an unusable frame.
    private func read(_ frame: ImportedRecording.Frame, _ playing: inout Playing) throws -> CameraSample? {
        do throws(SourceError) {
            guard playing.gate.passes(imageTime: frame.time, location: frame.location), let image = try image(frame, &playing) else {
                return nil
            }
            var sample = CameraSample(
                time: frame.time, image: image, depth: depth(frame, &playing), exposureDuration: frame.exposureDuration,
                camera: frame.camera, worldFromCamera: frame.worldFromCamera)
            sample.secondLuma = second(frame, &playing)
            return playing.gate.passes(sample, location: frame.location) ? sample : nil
        } catch {
            playing.gate.report(frame.location, error.description)
            return nil
        }
    }

    /// An image without that of the second camera is still usable.
    private func second(_ frame: ImportedRecording.Frame, _ playing: inout Playing) -> Plane<UInt8>? {
        guard let second = frame.second else { return nil }
        do throws(SourceError) {
            return try FrameImageFile.image(try RelativePath.url(of: second, in: recording.directory), name: second).luma
        } catch {
            playing.gate.report(frame.location, error.description)
            return nil
        }
    }

    /// An image with damaged depth is still usable.
    private func depth(_ frame: ImportedRecording.Frame, _ playing: inout Playing) -> DepthImage? {
        do throws(SourceError) {
            return try depth(frame)
        } catch {
            playing.gate.report(frame.location, error.description)
            return nil
        }
    }

    private func image(_ frame: ImportedRecording.Frame, _ playing: inout Playing) throws(SourceError) -> CapturedImage? {
        switch frame.pixels {
        case .file(let file): return try FrameImageFile.image(try RelativePath.url(of: file, in: recording.directory), name: file)
        case .videoFrame(let index): return try videoFrame(index, &playing)
        }
    }

    /// The confidence (0…2) of a grey level: black, grey (127, or 54 if the writer applied a linear curve) and white.
    private static func level(_ gray: UInt8) -> UInt8 { gray < 27 ? 0 : gray < 191 ? 1 : 2 }

    /// Returns nil at the end of the video, and counts a problem once.
    private func videoFrame(_ index: Int, _ playing: inout Playing) throws(SourceError) -> CapturedImage? {
        guard let url = recording.video else { return nil }
        guard index >= playing.framesRead else { throw .broken("frame \(index) of the video has been before") }
        do throws(VideoError) {
            if playing.video == nil {
                playing.video = try VideoReader(
                    url, pixels: .planar(isUpright: recording.isVideoUpright), takesHiddenFrames: recording.takesHiddenFrames)
            }
            while let reader = playing.video, let bytes = try reader.next() {
                playing.framesRead += 1
                if playing.framesRead > index { return CapturedImage(frame: bytes, of: reader) }
            }
        } catch {
            throw .broken(error.description)
        }
        playing.gate.report(url.lastPathComponent, "ends \(recording.frames.count - playing.frameIndex + 1) frames early")
        playing.frameIndex = recording.frames.count
        return nil
    }

    private func depth(_ frame: ImportedRecording.Frame) throws(SourceError) -> DepthImage? {
        guard let depth = frame.depth else { return nil }
        let url = try RelativePath.url(of: depth, in: recording.directory)
        let metres = try FrameImageFile.depth(url, name: depth, unitsPerMetre: recording.depthUnitsPerMetre)
        guard let confidence = frame.confidence else { return DepthImage(metres: metres) }
        var plane = try FrameImageFile.gray(try RelativePath.url(of: confidence, in: recording.directory), name: confidence)
        if plane.values.contains(where: { $0 > 2 }) { plane.values = plane.values.map { Self.level($0) } }
        guard plane.width == metres.width, plane.height == metres.height else {
            throw .broken("\(confidence): has another size than \(depth)")
        }
        return DepthImage(metres: metres, confidence: plane)
    }
}
