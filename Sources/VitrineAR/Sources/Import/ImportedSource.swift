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
            // A video's frames come one after the other, used or not.
            guard let image = try image(picture, &playing) else { return nil }
            guard playing.gate.passes(pictureTime: picture.time, place: picture.place) else { return nil }
            let sample = CameraSample(
                time: picture.time, image: image, depth: try depth(picture), exposureDuration: picture.exposureDuration,
                camera: picture.camera, worldFromCamera: picture.worldFromCamera)
            return playing.gate.passes(sample, place: picture.place) ? sample : nil
        } catch {
            playing.gate.report(picture.place, error.description)
            return nil
        }
    }

    private func image(_ picture: ImportedRecording.Picture, _ playing: inout Playing) throws(SourceError) -> CapturedImage? {
        guard case .file(let file) = picture.pixels else { return try videoFrame(&playing) }
        return try PictureFile.image(try RelativePath.url(of: file, in: recording.directory), name: file)
    }

    /// nil at the video's end, which is counted once.
    private func videoFrame(_ playing: inout Playing) throws(SourceError) -> CapturedImage? {
        guard let url = recording.video else { return nil }
        if playing.video == nil { playing.video = try VideoReader(url) }
        if let frame = try playing.video?.next() { return frame }
        playing.gate.report(url.lastPathComponent, "ends \(recording.pictures.count - playing.pictureIndex + 1) frames early")
        playing.pictureIndex = recording.pictures.count
        return nil
    }

    private func depth(_ picture: ImportedRecording.Picture) throws(SourceError) -> DepthImage? {
        guard let depth = picture.depth else { return nil }
        let url = try RelativePath.url(of: depth, in: recording.directory)
        let metres = try PictureFile.depth(url, name: depth, unitsPerMetre: recording.depthUnitsPerMetre)
        guard let confidence = picture.confidence else { return DepthImage(metres: metres) }
        let plane = try PictureFile.gray(try RelativePath.url(of: confidence, in: recording.directory), name: confidence)
        guard plane.width == metres.width, plane.height == metres.height else {
            throw .broken("\(confidence): has another size than \(depth)")
        }
        return DepthImage(metres: metres, confidence: plane)
    }
}
