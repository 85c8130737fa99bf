import VitrineFiles
import VitrineScene
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes a photo once: whether it is usable, its size, sharpness, thumbnail and metadata, and which companions fit it.
enum PhotoReadingStage: Stage {
    struct Input: Sendable {
        /// The sample's index in the list.
        let index: Int
        /// The name of the photo, for messages.
        let name: String
        let source: PixelSource
        /// The digest of the source's bytes.
        let digest: Digest
        /// The metadata of a photo in memory; nil: as in the file.
        let metadata: PhotoMetadata?
        let orientation: PhotoOrientation?
        let mask: Companion?
        let depth: SensorDepthMap?
    }

    enum Output: Sendable {
        case usable(PhotoFacts)
        /// The photo cannot be used, for this reason.
        case unusable(String)
    }

    static let name = "photo"
    static let version = 3

    static func fileName(for input: Input) -> String { "photo-\(input.index)" }

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("photo", input.digest)
        // In warnings.
        key.add("name", input.name)
        key.add("metadata", input.metadata.map { Digest(of: StoredMetadata($0).encoded) })
        key.add("orientation", input.orientation)
        key.add("mask", input.mask)
        key.add("depth", input.depth)
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> Output {
        do throws(ImageFileError) {
            return try read(input, resources)
        } catch {
            return .unusable(error.reason.description)
        }
    }

    private static func read(_ input: Input, _ resources: StageResources) throws(ImageFileError) -> Output {
        let source = try inspect(input)
        guard min(source.size.width, source.size.height) >= PhotoLimits.shortestSide else {
            return .unusable(
                "\(source.size.width) × \(source.size.height) pixels are too few: the shorter side needs at least \(PhotoLimits.shortestSide)"
            )
        }
        let side = min(PipelineSettings.featureDimension, source.size.longerSide)
        let decoded = try resources.pixels.decode(input.source, name: input.name, digest: input.digest, side: side)
        resources.pixels.keep(decoded, digest: input.digest, side: side)
        let look = decoded.color.reduced(maximumSide: 1_024)
        let gray = look.gray
        let metadata = source.metadata
        let orientation = input.orientation ?? metadata.orientation
        var facts = PhotoFacts(
            size: source.size, sharpness: Sharpness.score(of: gray), brightness: brightness(of: gray),
            hasTransparency: (decoded.opaque?.coverage ?? 1) < 0.999, isReducible: source.isReducible,
            thumbnail: look.reduced(maximumSide: 320).image.flatMap { try? ImageFile.encode($0, as: .jpeg(quality: 80)) } ?? [],
            orientation: orientation, cameraKey: cameraKey(metadata, size: source.size),
            focalLength: metadata.focalLengthInPixels(width: source.size.width, height: source.size.height),
            exposureValue: exposureValue(metadata), warnings: [])
        var check = CompanionCheck(photo: input.name, size: source.size, orientation: orientation)
        if let mask = input.mask.flatMap({ check.mask($0) }) { (facts.maskOrientation, facts.maskCoverage) = mask }
        facts.depthOrientation = input.depth.flatMap { check.depth($0) }
        facts.warnings = check.warnings
        return .usable(facts)
    }

    /// Size and metadata, without decoding.
    private static func inspect(_ input: Input) throws(ImageFileError) -> (size: PhotoSize, isReducible: Bool, metadata: PhotoMetadata) {
        switch input.source {
        case .image(let image):
            return (PhotoSize(width: image.width, height: image.height), false, input.metadata ?? PhotoMetadata())
        case .file(let url):
            let bytes = try PixelSource.bytes(of: url)
            let header = try ImageFile.header(of: bytes, name: input.name)
            let size = PhotoSize(width: header.width, height: header.height)
            guard size.longerSide <= PhotoLimits.longestSide else {
                throw ImageFileError(
                    file: input.name,
                    reason: .tooLarge("\(size.width) × \(size.height) pixels, the longest side allowed is \(PhotoLimits.longestSide)"))
            }
            guard header.format != .rgba32Float else { throw .notAPhoto(input.name) }
            return (size, header.kind == .jpeg, input.metadata ?? PhotoMetadata(of: bytes))
        }
    }

    /// At ISO 100: log₂ of the squared f-number, divided by the exposure time in seconds and by the sensitivity relative to ISO 100.
    static func exposureValue(_ metadata: PhotoMetadata) -> Double? {
        guard let aperture = metadata.fNumber, let time = metadata.exposureTime, let iso = metadata.iso, time > 0, iso > 0 else {
            return nil
        }
        let sensitivity = Double(iso) / 100
        let value = log2(Float(aperture * aperture / (time * sensitivity)))
        return value.isFinite ? Double(value) : nil
    }

    /// Photos with the same key were taken with one camera at one zoom setting.
    private static func cameraKey(_ metadata: PhotoMetadata, size: PhotoSize) -> String {
        let parts = [metadata.make, metadata.model, metadata.lens, metadata.focalLength.map { "\($0)" }]
        return parts.map { $0 ?? "" }.joined(separator: "|") + "|\(size.width)x\(size.height)"
    }

    /// The luma that the brighter tenth exceeds: a dark backdrop does not make a photo dark.
    static func brightness(of gray: GrayPlane) -> Float {
        var counts = [Int](repeating: 0, count: 256)
        for value in gray.values { counts[max(0, min(255, Int(value * 255)))] += 1 }
        var (level, brighter) = (255, 0)
        while level > 0, (brighter + counts[level]) * 10 < gray.values.count {
            brighter += counts[level]
            level -= 1
        }
        return Float(level) / 255
    }
}

extension PhotoReadingStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(index)
        writer.write(name)
        writer.encode(source)
        writer.encode(digest)
        writer.encode(metadata.map { StoredMetadata($0) })
        writer.encode(orientation)
        writer.encode(mask)
        writer.encode(depth)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(
            index: try reader.int(), name: try reader.text(), source: try reader.decode(), digest: try reader.decode(),
            metadata: try reader.decode(StoredMetadata?.self)?.metadata, orientation: try reader.decode(), mask: try reader.decode(),
            depth: try reader.decode())
    }
}

extension PhotoReadingStage.Output: ByteCodable {
    func write(to writer: inout ByteWriter) {
        switch self {
        case .usable(let facts):
            writer.write(true)
            writer.encode(facts)
        case .unusable(let reason):
            writer.write(false)
            writer.write(reason)
        }
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        try reader.bool() ? .usable(try reader.decode()) : .unusable(try reader.text())
    }
}

/// The byte coding of EXIF data: its JSON, keys sorted.
private struct StoredMetadata: ByteCodable {
    let metadata: PhotoMetadata

    init(_ metadata: PhotoMetadata) { self.metadata = metadata }

    func write(to writer: inout ByteWriter) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // A number that is not finite has no JSON; the data are then treated as missing.
        writer.write(Array((try? encoder.encode(metadata)) ?? Data()))
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> StoredMetadata {
        let bytes = try reader.array(of: UInt8.self)
        return StoredMetadata((try? JSONDecoder().decode(PhotoMetadata.self, from: Data(bytes))) ?? PhotoMetadata())
    }
}
