import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads each sample once and determines whether it is usable, with its size, sharpness and camera.
struct PhotoIntake: Sendable {
    /// The result of reading the samples.
    struct Outcome: Sendable {
        var photos: [Photo] = []
        var invalid: [(id: Int, name: String, reason: String)] = []
        /// Copies of another photo.
        var duplicates: [(id: Int, name: String, of: String)] = []
        /// Companions that cannot be used: one line each.
        var warnings: [String] = []
        /// Whether a photo's results came from the checkpoint.
        var wasRestored = false
    }

    private let samples: [PhotogrammetrySample]
    /// The companions, by the sample's index in the list.
    private let companions: [Int: PhotoFolder.Entry]
    /// The warnings about the names of the folder's companions.
    private let namingWarnings: [String]
    private let usesMasks: Bool

    /// The files of a folder.
    init(_ folder: PhotoFolder, usesMasks: Bool) {
        samples = folder.entries.enumerated().map { PhotogrammetrySample(id: $0.offset, url: $0.element.url) }
        companions = Dictionary(uniqueKeysWithValues: folder.entries.enumerated().map { ($0.offset, $0.element) })
        (namingWarnings, self.usesMasks) = (folder.warnings, usesMasks)
    }

    init(_ samples: [PhotogrammetrySample], usesMasks: Bool) {
        (self.samples, companions, namingWarnings, self.usesMasks) = (samples, [:], [], usesMasks)
    }

    private enum Reading: Sendable {
        case photo(Photo, warnings: [String], wasRestored: Bool)
        case invalid(String)
    }

    /// Reads some of the samples, whose results the checkpoint then has.
    func read(_ block: Range<Int>, with resources: StageResources, in context: StageContext) throws {
        let part = block.clamped(to: samples.indices)
        let results = context.parallel.map(part.count) { offset in
            Result<Void, any Error> { _ = try read(part.lowerBound + offset, resources, context) }
        }
        for result in results { try result.get() }
    }

    func run(with resources: StageResources, in context: StageContext) throws -> Outcome {
        let done = Counter()
        let readings = context.parallel.map(samples.count) { index -> Result<Reading, any Error> in
            defer { context.report(Double(done.next()) / Double(samples.count)) }
            return Result { try read(index, resources, context) }
        }
        var outcome = Outcome(warnings: namingWarnings)
        var seen: [Digest: String] = [:]
        for (sample, reading) in zip(samples, readings) {
            switch try reading.get() {
            case .invalid(let reason): outcome.invalid.append((sample.id, name(of: sample), reason))
            case .photo(let photo, let warnings, let wasRestored):
                if let first = seen[photo.digest] {
                    outcome.duplicates.append((photo.id, photo.name, first))
                    continue
                }
                seen[photo.digest] = photo.name
                outcome.photos.append(photo)
                outcome.warnings += warnings
                outcome.wasRestored = outcome.wasRestored || wasRestored
            }
        }
        return outcome
    }

    private func name(of sample: PhotogrammetrySample) -> String {
        guard let file = sample.url?.lastPathComponent else { return "sample \(sample.id)" }
        return companions[sample.id]?.pass.map { "\($0)/\(file)" } ?? file
    }

    private func read(_ index: Int, _ resources: StageResources, _ context: StageContext) throws -> Reading {
        try context.checkCancellation()
        if let refusal = companions[index]?.refusal { return .invalid(refusal) }
        var sample = samples[index]
        var recordWarnings: [String] = []
        let record = record(index, &recordWarnings)
        if let record { sample.take(record) }
        let source: PixelSource
        if let image = sample.image {
            source = .image(image)
        } else if let url = sample.url {
            source = .file(url)
        } else {
            return .invalid("the sample has neither an image nor a file")
        }
        let digest: Digest
        do throws(FileError) {
            digest = try resources.digest(of: source)
        } catch {
            return .invalid(ImageFileError.Reason.file(error.reason).description)
        }
        let isInMemory = sample.image != nil
        let input = PhotoReadingStage.Input(
            index: index, name: name(of: sample), source: source, digest: digest, metadata: isInMemory ? sample.metadata : nil,
            orientation: isInMemory ? sample.orientation : nil, mask: usesMasks ? mask(index, resources) : nil,
            depth: depth(index, resources))
        let (output, wasRestored) = try resources.output(of: PhotoReadingStage.self, input, in: context)
        switch output {
        case .unusable(let reason): return .invalid(reason)
        case .usable(let facts):
            var warnings = recordWarnings + facts.warnings
            if let gravity = sample.gravity, !(length(gravity) > 0) { warnings.append("\(input.name): its gravity has no direction") }
            var photo = photo(sample, input, facts)
            if let record, let camera = try? record.posedCamera(file: input.name) { photo.take(record, camera) }
            return .photo(photo, warnings: warnings, wasRestored: wasRestored)
        }
    }

    /// The record of a capture session; nil, with a warning, if it cannot be used.
    private func record(_ index: Int, _ warnings: inout [String]) -> ShotRecord? {
        guard let url = companions[index]?.record else { return nil }
        do throws(CameraFileError) {
            return try ShotRecord.read(url)
        } catch {
            warnings.append("\(url.lastPathComponent) is not used: \(error.location.isEmpty ? "" : error.location + " ")\(error.reason)")
            return nil
        }
    }

    private func passName(_ sample: PhotogrammetrySample) -> String? {
        if let folder = companions[sample.id]?.pass { return folder }
        let ids = [sample.sessionID, sample.scanPassID].compactMap { $0?.uuidString }
        return ids.isEmpty ? nil : ids.joined(separator: "/")
    }

    private func mask(_ index: Int, _ resources: StageResources) -> Companion? {
        companion(samples[index].objectMask.map { .image($0) } ?? companions[index]?.mask.map { .file($0) }, resources)
    }

    private func depth(_ index: Int, _ resources: StageResources) -> SensorDepthMap? {
        companion(samples[index].depthDataMap.map { .image($0) } ?? companions[index]?.depth.map { .file($0) }, resources).map {
            SensorDepthMap(map: $0, confidence: samples[index].depthConfidenceMap)
        }
    }

    private func companion(_ source: PixelSource?, _ resources: StageResources) -> Companion? {
        // A file that cannot be read is reported when it is decoded.
        source.map { Companion(source: $0, digest: (try? resources.digest(of: $0)) ?? .zero) }
    }

    private func photo(_ sample: PhotogrammetrySample, _ input: PhotoReadingStage.Input, _ facts: PhotoFacts) -> Photo {
        var (mask, depth) = (facts.maskOrientation == nil ? nil : input.mask, facts.depthOrientation == nil ? nil : input.depth)
        mask?.orientation = facts.maskOrientation ?? .up
        depth?.map.orientation = facts.depthOrientation ?? .up
        let down = sample.gravity.map { Vector3d($0) }.flatMap { length($0) > 0 ? $0 / length($0) : nil }
        let reference = PhotoReference(
            name: input.name, source: input.source, digest: input.digest, storedSize: facts.size, size: facts.size,
            hasTransparency: facts.hasTransparency)
        return Photo(
            id: sample.id, url: sample.url, reference: reference, facts: facts, mask: mask, depth: depth,
            // A sample's camera frame has y up and z back.
            upInCamera: down.map { Vector3d(-$0.x, $0.y, $0.z) },
            known: sample.camera.flatMap { PosedCamera($0, size: facts.size) }, boundingBox: sample.boundingBox,
            passName: passName(sample))
    }
}

extension PhotogrammetrySample {
    /// Adds the measurements of a capture session that the sample lacks.
    fileprivate mutating func take(_ record: ShotRecord) {
        gravity = gravity ?? record.gravityDirection
        captureTime = captureTime ?? record.time
        sessionID = sessionID ?? record.session
        // Passes at several heights show one pose of the object: only a flip separates photos.
        scanPassID = scanPassID ?? record.objectPose
    }
}

extension Photo {
    /// Adds the tracking data of a capture session.
    fileprivate mutating func take(_ record: ShotRecord, _ camera: PosedCamera) {
        tracked = TrackedShot(
            center: camera.centerInWorld, pass: passName ?? "", isMetric: record.isMetric, box: record.orientedBox)
        // A tracker without metric scale has an uncalibrated camera too.
        guard record.isMetric, storedSize.hasShape(of: camera.intrinsics) else { return }
        initialCamera = PosedCamera(
            intrinsics: camera.intrinsics.resized(width: storedSize.width, height: storedSize.height),
            cameraFromWorld: camera.cameraFromWorld)
    }
}

extension PhotoSize {
    fileprivate func hasShape(of lens: CameraIntrinsics) -> Bool {
        abs(Double(width * lens.height) / Double(max(1, height * lens.width)) - 1) < 0.01
    }
}
