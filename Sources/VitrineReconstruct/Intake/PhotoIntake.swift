import Foundation
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineVision

/// Looks at every sample once: which are photos, how large, how sharp, taken with what.
struct PhotoIntake: Sendable {
    /// What became of the samples.
    struct Outcome: Sendable {
        var photos: [Photo] = []
        var invalid: [(id: Int, name: String, reason: String)] = []
        /// Copies of another photo.
        var duplicates: [(id: Int, name: String, of: String)] = []
        /// Where companions could not be used: one line each.
        var warnings: [String] = []
    }

    let samples: [PhotogrammetrySample]
    let companions: [Int: PhotoFolder.Entry]
    /// Of the folder's companions.
    private let namingWarnings: [String]
    let usesMasks: Bool
    let parallel: Parallel

    /// Of a folder's files.
    init(_ folder: PhotoFolder, usesMasks: Bool, parallel: Parallel) {
        samples = folder.entries.enumerated().map { PhotogrammetrySample(id: $0.offset, url: $0.element.url) }
        companions = Dictionary(uniqueKeysWithValues: folder.entries.enumerated().map { ($0.offset, $0.element) })
        namingWarnings = folder.warnings
        (self.usesMasks, self.parallel) = (usesMasks, parallel)
    }

    init(_ samples: [PhotogrammetrySample], usesMasks: Bool, parallel: Parallel) {
        (self.samples, companions, namingWarnings) = (samples, [:], [])
        (self.usesMasks, self.parallel) = (usesMasks, parallel)
    }

    private enum Look: Sendable {
        case photo(Photo, warnings: [String])
        case invalid(String)
        case cancelled
    }

    func run(store: CheckpointStore, progress: @Sendable (Double) -> Void, isCancelled: @Sendable () -> Bool) -> Outcome {
        let done = Counter()
        let looks = parallel.map(samples.count) { index -> Look in
            guard !isCancelled() else { return .cancelled }
            let look = look(at: samples[index], place: index, store: store)
            progress(Double(done.next()) / Double(samples.count))
            return look
        }
        var outcome = Outcome(warnings: namingWarnings)
        var seen: [Digest: String] = [:]
        for (sample, look) in zip(samples, looks) {
            switch look {
            case .cancelled: continue
            case .invalid(let reason): outcome.invalid.append((sample.id, name(of: sample), reason))
            case .photo(let photo, let warnings):
                if let first = seen[photo.digest] {
                    outcome.duplicates.append((photo.id, photo.name, first))
                    continue
                }
                seen[photo.digest] = photo.name
                outcome.photos.append(photo)
                outcome.warnings += warnings
            }
        }
        return outcome
    }

    private func name(of sample: PhotogrammetrySample) -> String { sample.url?.lastPathComponent ?? "sample \(sample.id)" }

    private func look(at sample: PhotogrammetrySample, place: Int, store: CheckpointStore) -> Look {
        if let refusal = companions[place]?.refusal { return .invalid(refusal) }
        do throws(ImageFileError) {
            let source: PhotoSource
            let (digest, metadata): (Digest, PhotoMetadata)
            var fileBytes: [UInt8]?
            if let image = sample.image {
                source = .image(image)
                (digest, metadata) = (Digest(of: image.bytes), sample.metadata)
            } else if let url = sample.url {
                let file = try PhotoFile.read(url)
                source = .file(url)
                (digest, metadata, fileBytes) = (Digest(of: file.bytes), file.metadata, file.bytes)
            } else {
                return .invalid("the sample has neither an image nor a file")
            }
            let name = name(of: sample)
            let file = "photo-\(place)"
            let first: FirstLook
            if let known: FirstLook = store.load(file, key: digest) {
                first = known
            } else {
                first = try FirstLook(source: source, bytes: fileBytes, name: name)
                try? store.save(first, as: file, key: digest)
            }
            if let reason = first.refusal { return .invalid(reason) }
            return photo(sample, place, name: name, source: source, digest: digest, metadata: metadata, first)
        } catch {
            return .invalid(error.reason.description)
        }
    }

    private func photo(
        _ sample: PhotogrammetrySample, _ place: Int, name: String, source: PhotoSource, digest: Digest, metadata: PhotoMetadata,
        _ first: FirstLook
    ) -> Look {
        let size = first.size
        let orientation = sample.image == nil ? metadata.orientation : sample.orientation
        var check = CompanionCheck(photo: name, size: size, orientation: orientation)
        let companion = companions[place]
        let maskSource = usesMasks ? sample.objectMask.map { PictureSource.image($0) } ?? companion?.mask.map { .file($0) } : nil
        let mask = maskSource.flatMap { check.mask($0) }
        let depthSource = sample.depthDataMap.map { PictureSource.image($0) } ?? companion?.depth.map { .file($0) }
        let depth = depthSource.flatMap { check.depth($0, confidence: sample.depthConfidenceMap) }
        var warnings = check.warnings
        if let gravity = sample.gravity, !(length(gravity) > 0) { warnings.append("\(name): its gravity has no direction") }
        let down = sample.gravity.map { Vector3d($0) }.flatMap { length($0) > 0 ? $0 / length($0) : nil }
        return .photo(
            Photo(
                id: sample.id, name: name, source: source, digest: digest, storedSize: size, size: size, metadata: metadata,
                orientation: orientation, thumbnail: first.thumbnail, sharpness: first.sharpness, brightness: first.brightness,
                mask: mask?.mask, maskCoverage: mask?.coverage, hasTransparency: first.hasTransparency,
                isReducible: first.isReducible, depth: depth,
                depthConfidence: sample.depthConfidenceMap,
                // A sample's camera frame has y up and z back.
                upInCamera: down.map { Vector3d(-$0.x, $0.y, $0.z) },
                known: sample.camera.flatMap { PosedCamera($0, size: size) }, boundingBox: sample.boundingBox, url: sample.url),
            warnings: warnings)
    }
}
