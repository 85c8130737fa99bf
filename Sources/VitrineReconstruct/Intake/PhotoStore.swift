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
    private let cache = Mutex<[(photo: Int, color: ColorPlane)]>([])

    /// - Parameter capacity: how many photos are kept, at least 1.
    init(photos: [Photo], background: BackgroundModel? = nil, capacity: Int) {
        (self.photos, self.background, self.capacity) = (photos, background, max(1, capacity))
    }

    /// A photo's colours at its working size.
    func color(_ index: Int) throws -> ColorPlane {
        if let found = cached(index) { return found }
        let photo = photos[index]
        let color = try PhotoStore.decode(photo.source, name: photo.name).reduced(maximumSide: photo.size.longerSide)
        guard color.width == photo.size.width, color.height == photo.size.height else {
            throw ImageFileError(file: photo.name, reason: .malformed("its size changed while the session worked"))
        }
        keep(color, of: index)
        return color
    }

    private func cached(_ index: Int) -> ColorPlane? {
        cache.withLock { kept in
            guard let place = kept.firstIndex(where: { $0.photo == index }) else { return nil }
            let entry = kept.remove(at: place)
            kept.append(entry)
            return entry.color
        }
    }

    private func keep(_ color: ColorPlane, of index: Int) {
        cache.withLock { kept in
            guard !kept.contains(where: { $0.photo == index }) else { return }
            if kept.count >= capacity { kept.removeFirst() }
            kept.append((index, color))
        }
    }

    /// The photo's mask, of any size: the given one, else what the background tells; nil without either.
    func mask(_ index: Int) throws -> MaskPlane? {
        guard let source = photos[index].mask else { return try background?.mask(of: color(index), index: index) }
        let image = try source.image()
        guard let mask = MaskPlane(mask: image) else {
            throw ImageFileError(file: source.name, reason: .unsupported("a mask of floats: 8 or 16 bits are wanted"))
        }
        return mask
    }

    func forget() { cache.withLock { $0.removeAll() } }

    static func decode(_ source: PhotoSource, name: String) throws(ImageFileError) -> ColorPlane {
        let image: Image
        switch source {
        case .image(let given): image = given
        case .file(let url): image = try PhotoFile.decode(url)
        }
        guard let color = ColorPlane(image) else {
            throw ImageFileError(file: name, reason: .unsupported("a picture of floats is no photo: JPEG, PNG, WebP or HEIC is wanted"))
        }
        return color
    }
}

/// Photo files.
enum PhotoFile {
    static func decode(_ url: URL) throws(ImageFileError) -> Image { try Image(contentsOf: url, limits: PhotoLimits.image) }

    /// The bytes of a photo's file and its EXIF data.
    static func read(_ url: URL) throws(ImageFileError) -> (bytes: [UInt8], metadata: PhotoMetadata) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileBytes.read(url, limit: PhotoLimits.image.maximumFileBytes)
        } catch {
            throw ImageFileError(file: error.path, reason: .file(error.reason))
        }
        return (bytes, PhotoMetadata(of: bytes))
    }
}
