import VitrineFiles
import VitrineScene
import VitrineVision

/// A mask or a depth map that belongs to a photo.
struct Companion: Sendable {
    let source: PixelSource
    /// The digest of the bytes of the file or image.
    let digest: Digest
    /// The orientation relative to the stored photo: `.up` like the photo, otherwise rotated upright by the photo's EXIF orientation.
    var orientation = PhotoOrientation.up

    /// The mask in the orientation of the stored photo.
    func mask() throws(ImageFileError) -> MaskPlane {
        guard let mask = MaskPlane(mask: try source.image()) else {
            throw ImageFileError(file: source.name, reason: .unsupported("a mask with floating-point values; 8 or 16 bits are required"))
        }
        return mask.stored(orientation)
    }
}

extension Companion: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(source)
        writer.encode(digest)
        writer.encode(orientation)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Companion {
        Companion(source: try reader.decode(), digest: try reader.decode(), orientation: try reader.decode())
    }
}

extension StageKey {
    /// Adds the companion's content and orientation; not the location of its file.
    mutating func add(_ field: String, _ companion: Companion?) {
        add(field, companion?.digest)
        add("\(field).orientation", companion?.orientation)
    }
}

extension Plane {
    /// The plane in the stored orientation, before it was rotated upright.
    ///
    /// - Parameter orientation: The orientation by which it was rotated.
    func stored(_ orientation: PhotoOrientation) -> Plane {
        guard orientation != .up else { return self }
        let (width, height) = orientation.swapsSides ? (self.height, self.width) : (self.width, self.height)
        let upright = orientation.uprightFromStored
        var values: [Value] = []
        values.reserveCapacity(width * height)
        for row in 0..<height {
            for column in 0..<width {
                let position = SIMD3((Double(column) + 0.5) / Double(width), (Double(row) + 0.5) / Double(height), 1)
                let x = (upright.x * position).sum() * Double(self.width)
                let y = (upright.y * position).sum() * Double(self.height)
                values.append(self[Int(x), Int(y)])
            }
        }
        return Plane(width: width, height: height, values: values)
    }
}

/// Checks a photo's mask and depth map when the photo is read, so that an unusable one gives a warning and is not used.
struct CompanionCheck {
    let photo: String
    /// The size of the photo as stored.
    let size: PhotoSize
    let orientation: PhotoOrientation
    private(set) var warnings: [String] = []

    init(photo: String, size: PhotoSize, orientation: PhotoOrientation) {
        (self.photo, self.size, self.orientation) = (photo, size, orientation)
    }

    /// Checks the mask of a photo.
    ///
    /// - Returns: nil, with a warning, if the mask cannot be used.
    mutating func mask(_ companion: Companion) -> (orientation: PhotoOrientation, coverage: Double)? {
        do throws(ImageFileError) {
            guard let orientation = orientation(of: companion.source, try companion.source.image(), kind: "mask") else { return nil }
            var companion = companion
            companion.orientation = orientation
            let coverage = try companion.mask().coverage
            if coverage == 0 { warnings.append("\(photo): its mask \(name(of: companion.source)) shows no object") }
            return (orientation, coverage)
        } catch {
            return refuse("mask", companion.source, error.reason.description)
        }
    }

    /// Checks the depth map of a photo.
    ///
    /// - Returns: nil, with a warning, if the depth map cannot be used.
    mutating func depth(_ map: SensorDepthMap) -> PhotoOrientation? {
        let source = map.map.source
        do throws(ImageFileError) {
            let image = try source.image()
            guard let orientation = orientation(of: source, image, kind: "depth map") else { return nil }
            if let confidence = map.confidence,
                (confidence.width, confidence.height) != (image.width, image.height) || confidence.format != .rgba8
            {
                warnings.append("\(photo): its depth confidence is not used: it must have 8 bits and the depth map's size")
            }
            var map = map
            map.map.orientation = orientation
            guard try map.depths().values.contains(where: { $0 > 0 }) else {
                return refuse("depth map", source, "it contains no depth")
            }
            return orientation
        } catch {
            return refuse("depth map", source, error.reason.description)
        }
    }

    /// Programs that rotate photos upright also rotate masks: the aspect ratio of the image reveals this.
    private mutating func orientation(of source: PixelSource, _ image: Image, kind: String) -> PhotoOrientation? {
        if isShape(image.width, image.height) { return .up }
        if orientation.swapsSides, isShape(image.height, image.width) { return orientation }
        return refuse(
            kind, source, "its shape (\(image.width) × \(image.height) pixels) is not the photo's (\(size.width) × \(size.height))")
    }

    /// Whether the aspect ratio is the photo's, within the tolerance of rounding and of a sensor's crop.
    private func isShape(_ width: Int, _ height: Int) -> Bool {
        let stretch = Double(width * size.height) / Double(max(1, height * size.width))
        return abs(stretch - 1) < 0.04
    }

    private mutating func refuse<Result>(_ kind: String, _ source: PixelSource, _ reason: String) -> Result? {
        warnings.append("\(photo): its \(kind) \(name(of: source)) is not used: \(reason)")
        return nil
    }

    private func name(of source: PixelSource) -> String {
        if case .file(let url) = source { url.lastPathComponent } else { source.name }
    }
}
