import VitrineFiles
import VitrineVision

/// The features and masks of a photo: the output of `FeatureStage`.
struct PhotoFeatures: Sendable {
    /// Positions in pixels of the photo's working size.
    var features: FeatureSet
    /// The colour of each feature, sRGB-encoded.
    var colors: [SIMD3<UInt8>]
    /// The photo's mask, of any size: 255 object, 0 background or transparent; nil if nothing is masked.
    var mask: MaskPlane?
}

extension PhotoFeatures: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(features)
        writer.write(colors)
        writer.encode(mask.map { StoredMask(mask: $0) })
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> PhotoFeatures {
        let features: FeatureSet = try reader.decode()
        let colors = try reader.vectors(of: UInt8.self)
        guard colors.count == features.count else { throw DamagedCheckpoint() }
        return PhotoFeatures(features: features, colors: colors, mask: try reader.decode(StoredMask?.self)?.mask)
    }
}

/// Masks a photo and detects its features.
enum FeatureStage: Stage {
    struct Input: Sendable {
        /// The photo's index in the list.
        let index: Int
        let photo: PhotoReference
        let mask: Companion?
        /// Segments the photo if it has no mask; nil: the photo is not segmented.
        let background: PhotoBackground?
        let sensitivity: PhotogrammetrySession.Configuration.FeatureSensitivity
        /// The largest number of features, if the memory limits it.
        var limit: Int?
    }

    typealias Output = PhotoFeatures

    static let name = "features"
    static let version = 2

    static func fileName(for input: Input) -> String { "features-\(input.index)" }

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("photo", input.photo)
        key.add("mask", input.mask)
        key.add("background", input.background)
        key.add("sensitivity", input.sensitivity)
        if let limit = input.limit { key.add("limit", limit) }
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> PhotoFeatures {
        let (photo, side) = (input.photo, PipelineSettings.featureDimension)
        let decoded = try resources.pixels.take(photo, side: min(side, photo.storedSize.longerSide))
        let color = decoded.color.reduced(maximumSide: photo.size.longerSide)
        let mask = try mask(of: input, color, opaque: photo.hasTransparency ? decoded.opaque : nil)
        var features = detect(input, color.gray, mask, context)
        features.enlarge(by: SIMD2(Float(photo.size.width) / Float(color.width), Float(photo.size.height) / Float(color.height)))
        return PhotoFeatures(features: features, colors: colors(of: features, photo.size, color.reduced(maximumSide: 960)), mask: mask)
    }

    /// Detects the features of a photo, in pixels of `image`. Another detector returns a `FeatureSet` with descriptors of the same kind.
    private static func detect(_ input: Input, _ image: GrayPlane, _ mask: MaskPlane?, _ context: StageContext) -> FeatureSet {
        var options = input.sensitivity.detection
        if let limit = input.limit { options.maximumCount = min(options.maximumCount, limit) }
        // A photo that was reduced for the search is not doubled again.
        if input.photo.size.longerSide > options.doublingSide { options.doublingSide = 0 }
        return FeatureDetector(options).detect(in: image, mask: mask, isCancelled: { context.isCancelled })
    }

    /// The memory for the detection of a photo's features, in bytes.
    ///
    /// - Parameter size: The photo's size, at most `PipelineSettings.featureDimension`.
    static func detectionBytes(_ size: PhotoSize) -> Int {
        // Small photos are searched at twice their size.
        size.pixels * (size.longerSide > FeatureDetector.Options().doublingSide ? 45 : 150)
    }

    /// The given mask, otherwise the segmented one, without transparent pixels.
    private static func mask(of input: Input, _ color: ColorPlane, opaque: MaskPlane?) throws -> MaskPlane? {
        let mask = try input.mask?.mask() ?? input.background?.mask(of: color)
        guard let opaque else { return mask }
        return mask?.intersection(opaque) ?? opaque
    }

    private static func colors(of features: FeatureSet, _ size: PhotoSize, _ image: ColorPlane) -> [SIMD3<UInt8>] {
        let scale = SIMD2(Float(image.width) / Float(size.width), Float(image.height) / Float(size.height))
        return features.positions.map { position in
            let pixel = position * scale
            let (x, y) = (max(0, min(image.width - 1, Int(pixel.x))), max(0, min(image.height - 1, Int(pixel.y))))
            let offset = (y * image.width + x) * 3
            return SIMD3(image.values[offset], image.values[offset + 1], image.values[offset + 2])
        }
    }
}

extension FeatureStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(index)
        writer.encode(photo)
        writer.encode(mask)
        writer.encode(background)
        writer.encode(sensitivity)
        writer.encode(limit)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(
            index: try reader.int(), photo: try reader.decode(), mask: try reader.decode(), background: try reader.decode(),
            sensitivity: try reader.decode(), limit: try reader.decode())
    }
}

extension PhotogrammetrySession.Configuration.FeatureSensitivity {
    var detection: FeatureDetector.Options {
        switch self {
        case .normal: FeatureDetector.Options()
        case .high: .highSensitivity
        }
    }
}

extension PhotogrammetrySession.Configuration.FeatureSensitivity: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.write(rawValue) }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        guard let sensitivity = Self(rawValue: try reader.text()) else { throw DamagedCheckpoint() }
        return sensitivity
    }
}

extension MaskPlane {
    /// The pixels that both masks keep, at this mask's size.
    func intersection(_ other: MaskPlane) -> MaskPlane {
        var result = self
        for y in 0..<height {
            let row = (2 * y + 1) * other.height / (2 * height)
            for x in 0..<width where other[(2 * x + 1) * other.width / (2 * width), row] == 0 { result[x, y] = 0 }
        }
        return result
    }
}
