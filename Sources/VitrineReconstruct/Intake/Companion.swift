import VitrineFiles
import VitrineScene
import VitrineVision

/// A mask or a depth map that goes with a photo.
struct Companion: Sendable {
    let source: PictureSource
    /// How it lies against the photo as stored: `.up` in the same way, else turned as the photo is for viewing.
    var orientation = PhotoOrientation.up

    var name: String { source.name }

    /// Of the file's or the picture's bytes, and of how it is turned.
    func digest() throws(FileError) -> Digest {
        let digest = try source.digest()
        guard orientation != .up else { return digest }
        return Digest { hasher in
            hasher.combine(digest)
            hasher.combine(orientation.rawValue)
        }
    }

    /// As a mask, lying as the photo is stored.
    func mask() throws(ImageFileError) -> MaskPlane {
        guard let mask = MaskPlane(mask: try source.image()) else {
            throw ImageFileError(file: name, reason: .unsupported("a mask of floats: 8 or 16 bits are wanted"))
        }
        return mask.stored(orientation)
    }

    /// As depths in metres (0 where nothing is known), lying as the photo is stored.
    func depths(confidence: Image?) throws(ImageFileError) -> Plane<Float> {
        try SensorDepth.plane(of: source, confidence: confidence).stored(orientation)
    }
}

extension Plane {
    /// The picture as it was before it was turned for viewing.
    ///
    /// - Parameter orientation: how it was turned.
    func stored(_ orientation: PhotoOrientation) -> Plane {
        guard orientation != .up else { return self }
        let (width, height) = orientation.swapsSides ? (self.height, self.width) : (self.width, self.height)
        let upright = orientation.uprightFromStored
        var values: [Value] = []
        values.reserveCapacity(width * height)
        for row in 0..<height {
            for column in 0..<width {
                let place = SIMD3((Double(column) + 0.5) / Double(width), (Double(row) + 0.5) / Double(height), 1)
                let x = (upright.x * place).sum() * Double(self.width)
                let y = (upright.y * place).sum() * Double(self.height)
                values.append(self[Int(x), Int(y)])
            }
        }
        return Plane(width: width, height: height, values: values)
    }
}

/// Looks at a photo's mask and depth map once, so that a bad one is named and left out before any work relies on it.
struct CompanionCheck {
    let photo: String
    /// As stored.
    let size: PhotoSize
    let orientation: PhotoOrientation
    private(set) var warnings: [String] = []

    init(photo: String, size: PhotoSize, orientation: PhotoOrientation) {
        (self.photo, self.size, self.orientation) = (photo, size, orientation)
    }

    /// - Returns: nil where it can't be used, and a warning says why.
    mutating func mask(_ source: PictureSource) -> (mask: Companion, coverage: Double)? {
        do throws(ImageFileError) {
            guard let found = fitted(source, of: try source.image(), kind: "mask") else { return nil }
            let coverage = try found.mask().coverage
            if coverage == 0 { warnings.append("\(photo): its mask \(name(of: source)) shows no object") }
            return (found, coverage)
        } catch {
            return refuse("mask", source, error.reason.description)
        }
    }

    /// - Returns: nil where it can't be used, and a warning says why.
    mutating func depth(_ source: PictureSource, confidence: Image?) -> Companion? {
        do throws(ImageFileError) {
            let image = try source.image()
            guard let found = fitted(source, of: image, kind: "depth map") else { return nil }
            if let confidence, (confidence.width, confidence.height) != (image.width, image.height) || confidence.format != .rgba8 {
                warnings.append("\(photo): its depth confidence is not of 8 bits and the depth map's size, and is not used")
            }
            guard try found.depths(confidence: confidence).values.contains(where: { $0 > 0 }) else {
                return refuse("depth map", source, "it holds no depth")
            }
            return found
        } catch {
            return refuse("depth map", source, error.reason.description)
        }
    }

    /// Programs that turn photos upright turn masks with them: the picture's shape tells.
    private mutating func fitted(_ source: PictureSource, of image: Image, kind: String) -> Companion? {
        if isShape(image.width, image.height) { return Companion(source: source) }
        if orientation.swapsSides, isShape(image.height, image.width) { return Companion(source: source, orientation: orientation) }
        return refuse(
            kind, source, "its shape (\(image.width) × \(image.height) pixels) is not the photo's (\(size.width) × \(size.height))")
    }

    /// Within what rounding and a sensor's own frame may change.
    private func isShape(_ width: Int, _ height: Int) -> Bool {
        let stretch = Double(width * size.height) / Double(max(1, height * size.width))
        return abs(stretch - 1) < 0.04
    }

    private mutating func refuse<Result>(_ kind: String, _ source: PictureSource, _ reason: String) -> Result? {
        warnings.append("\(photo): its \(kind) \(name(of: source)) is left out: \(reason)")
        return nil
    }

    private func name(of source: PictureSource) -> String {
        if case .file(let url) = source { url.lastPathComponent } else { source.name }
    }
}
