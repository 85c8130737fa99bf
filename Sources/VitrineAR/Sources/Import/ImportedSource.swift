import Synchronization
import VitrineTracking
import VitrineVision

/// Plays somebody else's recording: inertial samples and pictures in the order of their times on the IMU's clock, a picture right after the
/// first sample that reaches its time.
final class ImportedSource: SensorSource {
    let rig: SensorRig
    let clockOrigin: Int64
    let isLive = false
    private let recording: ImportedRecording
    private let playing: Mutex<Playing>

    private struct Playing {
        var inertialIndex = 0
        var pictureIndex = 0
        var gate: SensorGate
        var video: VideoReader?
        /// Of the video.
        var framesRead = 0
    }

    /// - Throws: `SourceError.broken` where there is no picture at all.
    init(_ recording: ImportedRecording) throws(SourceError) {
        guard !recording.pictures.isEmpty else {
            let reason = recording.problems.messages.first.map { ": the first is \($0)" } ?? ""
            throw .broken("\(recording.directory.path): no picture of this recording can be used\(reason)")
        }
        (rig, clockOrigin, self.recording) = (recording.rig, recording.clockOrigin, recording)
        playing = Mutex(Playing(gate: SensorGate(rig: recording.rig, problems: recording.problems)))
    }

    var fractionRead: Double? { playing.withLock { Double($0.pictureIndex) / Double(recording.pictures.count) } }

    var problems: SourceProblems { playing.withLock { $0.gate.problems } }

    func rewind() async throws {
        playing.withLock { playing in
            playing.video?.close()
            playing = Playing(gate: SensorGate(rig: rig, problems: recording.problems))
        }
    }

    func next() async throws -> SensorEvent? { try playing.withLock { try next(&$0) } }

    private func next(_ playing: inout Playing) throws -> SensorEvent? {
        while playing.pictureIndex < recording.pictures.count {
            let picture = recording.pictures[playing.pictureIndex]
            if let sample = sampleBefore(picture.time + rig.timeOffset, &playing) { return .inertial(sample) }
            playing.pictureIndex += 1
            if let sample = try read(picture, &playing) { return .picture(sample) }
        }
        guard playing.inertialIndex < recording.inertial.count else { return nil }
        playing.inertialIndex += 1
        return .inertial(recording.inertial[playing.inertialIndex - 1])
    }

    /// The next sample, as long as `time` isn't reached.
    private func sampleBefore(_ time: Double, _ playing: inout Playing) -> InertialSample? {
        let index = playing.inertialIndex
        guard index < recording.inertial.count, index == 0 || recording.inertial[index - 1].time < time else { return nil }
        playing.inertialIndex += 1
        return recording.inertial[index]
    }

    /// nil: it can't be used, which is counted.
    private func read(_ picture: ImportedRecording.Picture, _ playing: inout Playing) throws -> CameraSample? {
        do throws(SourceError) {
            guard playing.gate.passes(pictureTime: picture.time, place: picture.place), let image = try image(picture, &playing) else {
                return nil
            }
            let sample = CameraSample(
                time: picture.time, image: image, depth: depth(picture, &playing), exposureDuration: picture.exposureDuration,
                camera: picture.camera, worldFromCamera: picture.worldFromCamera)
            return playing.gate.passes(sample, place: picture.place) ? sample : nil
        } catch {
            playing.gate.report(picture.place, error.description)
            return nil
        }
    }

    /// A picture whose depth is damaged is still a picture.
    private func depth(_ picture: ImportedRecording.Picture, _ playing: inout Playing) -> DepthImage? {
        do throws(SourceError) {
            return try depth(picture)
        } catch {
            playing.gate.report(picture.place, error.description)
            return nil
        }
    }

    private func image(_ picture: ImportedRecording.Picture, _ playing: inout Playing) throws(SourceError) -> CapturedImage? {
        switch picture.pixels {
        case .file(let file): return try PictureFile.image(try RelativePath.url(of: file, in: recording.directory), name: file)
        case .videoFrame(let index): return try videoFrame(index, &playing)
        }
    }

    /// 0 low, 1 middle, 2 high, of a picture that shows them as black, grey and white: 127 or, where the writer took it for linear light, 54.
    private static func level(_ gray: UInt8) -> UInt8 { gray < 27 ? 0 : gray < 191 ? 1 : 2 }

    /// nil at the video's end, which is counted once.
    private func videoFrame(_ index: Int, _ playing: inout Playing) throws(SourceError) -> CapturedImage? {
        guard let url = recording.video else { return nil }
        guard index >= playing.framesRead else { throw .broken("frame \(index) of the video has been before") }
        if playing.video == nil { playing.video = try VideoReader(url, takesHiddenFrames: recording.takesHiddenFrames) }
        while let frame = try playing.video?.next() {
            playing.framesRead += 1
            if playing.framesRead > index { return frame }
        }
        playing.gate.report(url.lastPathComponent, "ends \(recording.pictures.count - playing.pictureIndex + 1) frames early")
        playing.pictureIndex = recording.pictures.count
        return nil
    }

    private func depth(_ picture: ImportedRecording.Picture) throws(SourceError) -> DepthImage? {
        guard let depth = picture.depth else { return nil }
        let url = try RelativePath.url(of: depth, in: recording.directory)
        let metres = try PictureFile.depth(url, name: depth, unitsPerMetre: recording.depthUnitsPerMetre)
        guard let confidence = picture.confidence else { return DepthImage(metres: metres) }
        var plane = try PictureFile.gray(try RelativePath.url(of: confidence, in: recording.directory), name: confidence)
        if plane.values.contains(where: { $0 > 2 }) { plane.values = plane.values.map { Self.level($0) } }
        guard plane.width == metres.width, plane.height == metres.height else {
            throw .broken("\(confidence): has another size than \(depth)")
        }
        return DepthImage(metres: metres, confidence: plane)
    }
}
