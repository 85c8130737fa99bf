import Foundation
import Synchronization
import VitrineFiles
import VitrineScene
import VitrineVision

/// The photos' pixels, decoded when they are asked for; a few are kept.
///
/// Photos lie as stored: EXIF orientation isn't applied, so that cameras fit the files.
final class PhotoStore: Sendable {
    let photos: [Photo]
    /// Tells the object where no masks are given; nil where it can't be told.
    let background: BackgroundModel?
    private let capacity: Int
    private let cache = Mutex<[(photo: Int, side: Int, color: ColorPlane)]>([])

    /// - Parameter capacity: how many photos are kept, at least 1.
    init(photos: [Photo], background: BackgroundModel? = nil, capacity: Int) {
        (self.photos, self.background, self.capacity) = (photos, background, max(1, capacity))
    }

    /// A photo's colours at its working size, or smaller: its longer side is then `maximumSide` pixels.
    ///
    /// The smaller ones cost less to decode. They don't depend on what is at hand.
    func color(_ index: Int, maximumSide: Int = .max) throws -> ColorPlane {
        let photo = photos[index]
        let side = min(maximumSide, photo.size.longerSide)
        if let found = cached(index, side) { return found }
        let image = try PhotoStore.decode(photo.source, maximumSide: side)
        guard let whole = ColorPlane(image) else {
            throw ImageFileError(file: photo.name, reason: .unsupported("a picture of floats is no photo"))
        }
        let color = whole.reduced(maximumSide: side)
        let expected = photo.storedSize.reduced(maximumSide: side)
        guard color.width == expected.width, color.height == expected.height else {
            throw ImageFileError(file: photo.name, reason: .malformed("its size changed while the session worked"))
        }
        keep(color, of: index, side)
        return color
    }

    private func cached(_ index: Int, _ side: Int) -> ColorPlane? {
        cache.withLock { kept in
            guard let place = kept.firstIndex(where: { $0.photo == index && $0.side == side }) else { return nil }
            let entry = kept.remove(at: place)
            kept.append(entry)
            return entry.color
        }
    }

    private func keep(_ color: ColorPlane, of index: Int, _ side: Int) {
        cache.withLock { kept in
            guard !kept.contains(where: { $0.photo == index && $0.side == side }) else { return }
            if kept.count >= capacity { kept.removeFirst() }
            kept.append((index, side, color))
        }
    }

    /// The photo's mask, of any size: the given one, else what the background tells, without what is transparent; nil where nothing is masked.
    func mask(_ index: Int) throws -> MaskPlane? {
        let photo = photos[index]
        let side = PipelineSettings.featureDimension
        let mask = try photo.mask?.mask() ?? background?.mask(of: color(index, maximumSide: side), index: index)
        guard photo.hasTransparency else { return mask }
        guard let opaque = MaskPlane(opaquePartOf: try PhotoStore.decode(photo.source, maximumSide: min(side, photo.size.longerSide)))
        else {
            return mask
        }
        return mask?.intersection(opaque) ?? opaque
    }

    func forget() { cache.withLock { $0.removeAll() } }

    /// The picture, a file's at most `maximumSide` pixels on its longer side.
    private static func decode(_ source: PhotoSource, maximumSide: Int) throws(ImageFileError) -> Image {
        switch source {
        case .image(let given): given
        case .file(let url): try PhotoFile.decode(url, maximumSide: maximumSide)
        }
    }
}

extension MaskPlane {
    /// What both masks call object, at this one's size.
    func intersection(_ other: MaskPlane) -> MaskPlane {
        var result = self
        for y in 0..<height {
            let row = (2 * y + 1) * other.height / (2 * height)
            for x in 0..<width where other[(2 * x + 1) * other.width / (2 * width), row] == 0 { result[x, y] = 0 }
        }
        return result
    }
}

/// Photo files.
enum PhotoFile {
    static func decode(_ url: URL, maximumSide: Int) throws(ImageFileError) -> Image {
        let name = url.lastPathComponent
        return try ImageFile.decode(try bytes(of: url), name: name, maximumSide: maximumSide, limits: PhotoLimits.image)
    }

    /// The bytes of a photo's file and its EXIF data.
    static func read(_ url: URL) throws(ImageFileError) -> (bytes: [UInt8], metadata: PhotoMetadata) {
        let bytes = try bytes(of: url)
        return (bytes, PhotoMetadata(of: bytes))
    }

    private static func bytes(of url: URL) throws(ImageFileError) -> [UInt8] {
        do throws(FileError) {
            return try FileBytes.read(url, limit: PhotoLimits.image.maximumFileBytes)
        } catch {
            throw ImageFileError(file: error.path, reason: .file(error.reason))
        }
    }
}
