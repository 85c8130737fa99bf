import Synchronization
import VitrineFiles
import VitrineScene
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A photo's pixels as stored: the EXIF orientation is not applied, so that cameras fit the files.
struct DecodedPhoto: Sendable {
    let color: ColorPlane
    /// 255 where the photo is opaque, 0 where it is transparent by more than half; of any size. nil if all of it is opaque.
    let opaque: MaskPlane?

    var byteCount: Int { color.values.count + (opaque?.values.count ?? 0) }
}

extension DecodedPhoto: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(color)
        writer.encode(opaque.map { StoredMask(mask: $0) })
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> DecodedPhoto {
        DecodedPhoto(color: try reader.decode(), opaque: try reader.decode(StoredMask?.self)?.mask)
    }
}

/// Decodes photos. A photo is decoded at most twice in a run: once for its facts and features, once for its undistorted views.
///
/// Keeps the pixels between reading and feature detection in memory within a budget, beyond it in the checkpoint folder.
final class PhotoPixels: Sendable {
    private struct Key: Hashable {
        let digest: Digest
        let side: Int
    }

    private struct State {
        var kept: [Key: DecodedPhoto] = [:]
        var keptBytes = 0
        /// Photos with pixels in the checkpoint folder.
        var spilled: Set<Key> = []
        /// The photos that were decoded last, the latest at the end: the views of a photo are created one after the other.
        var recent: [(key: Key, photo: DecodedPhoto)] = []
        var recentCount = 1
        var decodes: [Digest: Int] = [:]
    }

    private let store: CheckpointStore
    /// The most bytes of pixels in memory between reading and feature detection.
    private let budget: Int
    /// Whether photos are kept at all: not if another process detects the features.
    private let keepsPixels: Bool
    private let state = Mutex(State())

    init(store: CheckpointStore, budget: Int, keepsPixels: Bool = true) {
        (self.store, self.budget, self.keepsPixels) = (store, max(0, budget), keepsPixels)
    }

    /// The number of times that each photo was decoded, by its digest.
    var decodeCounts: [Digest: Int] { state.withLock { $0.decodes } }

    /// Sets the number of photos whose views are created side by side: as many decoded photos are kept.
    func prepare(photosAtOnce count: Int) {
        state.withLock {
            $0.recentCount = max(1, count)
            $0.recent = $0.recent.suffix($0.recentCount)
        }
    }

    /// Decodes a photo.
    ///
    /// - Parameter side: The longer side at most, pixels. Smaller sizes cost less to decode. The pixels depend on the file and on this only.
    func decode(_ source: PixelSource, name: String, digest: Digest, side: Int) throws(ImageFileError) -> DecodedPhoto {
        let key = Key(digest: digest, side: side)
        if let found = state.withLock({ $0.recent.first { $0.key == key }?.photo }) { return found }
        let image = try source.image(maximumSide: side)
        guard let whole = ColorPlane(image), let opaque = MaskPlane(opaquePartOf: image) else { throw .notAPhoto(name) }
        let photo = DecodedPhoto(color: whole.reduced(maximumSide: side), opaque: opaque.values.contains(0) ? opaque : nil)
        state.withLock { state in
            state.decodes[digest, default: 0] += 1
            state.recent.append((key, photo))
            while state.recent.count > state.recentCount { state.recent.removeFirst() }
        }
        return photo
    }

    /// Decodes a photo that was read before.
    ///
    /// - Throws: `ImageFileError` also if the file has another size than it had.
    func decode(_ photo: PhotoReference, side: Int) throws(ImageFileError) -> DecodedPhoto {
        let decoded = try decode(photo.source, name: photo.name, digest: photo.digest, side: side)
        let expected = photo.storedSize.reduced(maximumSide: side)
        guard decoded.color.width == expected.width, decoded.color.height == expected.height else {
            throw ImageFileError(file: photo.name, reason: .malformed("its size changed while the session worked"))
        }
        return decoded
    }

    /// Keeps pixels for `take`.
    func keep(_ photo: DecodedPhoto, digest: Digest, side: Int) {
        guard keepsPixels else { return }
        let key = Key(digest: digest, side: side)
        let fits = state.withLock { state -> Bool in
            guard state.keptBytes + photo.byteCount <= budget else { return false }
            if state.kept.updateValue(photo, forKey: key) == nil { state.keptBytes += photo.byteCount }
            return true
        }
        // A full disk only costs a third decoding.
        guard !fits, (try? store.save(photo, as: artifact(key))) != nil else { return }
        state.withLock { _ = $0.spilled.insert(key) }
    }

    /// The pixels that were kept, otherwise decoded ones.
    func take(_ photo: PhotoReference, side: Int) throws(ImageFileError) -> DecodedPhoto {
        let key = Key(digest: photo.digest, side: side)
        let (kept, isSpilled) = state.withLock { state -> (DecodedPhoto?, Bool) in
            let photo = state.kept.removeValue(forKey: key)
            state.keptBytes -= photo?.byteCount ?? 0
            return (photo, state.spilled.remove(key) != nil)
        }
        if let kept { return kept }
        if isSpilled {
            let artifact = artifact(key)
            defer { store.remove(artifact) }
            if let photo = store.load(artifact) { return photo }
        }
        return try decode(photo, side: side)
    }

    /// Frees the pixels that were not taken.
    func discardKept() {
        let spilled = state.withLock { state -> Set<Key> in
            defer { (state.kept, state.keptBytes, state.spilled, state.recent) = ([:], 0, [], []) }
            return state.spilled
        }
        for key in spilled { store.remove(artifact(key)) }
    }

    private func artifact(_ key: Key) -> Artifact<DecodedPhoto> {
        var stage = StageKey(stage: "pixels", version: 1)
        stage.add("photo", key.digest)
        stage.add("side", key.side)
        return Artifact(name: "pixels-\(key.digest.text)", key: stage.digest)
    }
}

extension ImageFileError {
    static func notAPhoto(_ name: String) -> ImageFileError {
        ImageFileError(
            file: name, reason: .unsupported("an image with floating-point values is not a photo: JPEG, PNG, WebP or HEIC is expected"))
    }
}
