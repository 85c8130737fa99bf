import VitrineFiles
import VitrineScene
import VitrineVision

/// What decoding a photo once tells.
struct FirstLook: CheckpointValue {
    /// As stored.
    var size: PhotoSize
    var sharpness: Float
    var brightness: Float
    /// Whether more than a thousandth of it is transparent.
    var hasTransparency: Bool
    /// Whether it can be decoded at a part of its size, for a part of the time and memory.
    var isReducible: Bool
    /// A small JPEG; empty where it could not be made.
    var thumbnail: [UInt8]

    /// The size that photos are looked at: large ones are decoded at a part of theirs, where their format allows it.
    private static let side = 1_024

    init(source: PhotoSource, bytes: [UInt8]?, name: String) throws(ImageFileError) {
        let image: Image
        switch source {
        case .image(let given):
            (image, size, isReducible) = (given, PhotoSize(width: given.width, height: given.height), false)
        case .file:
            let header = try ImageFile.header(of: bytes ?? [], name: name)
            (size, isReducible) = (PhotoSize(width: header.width, height: header.height), header.kind == .jpeg)
            guard size.longerSide <= PhotoLimits.longestSide else {
                throw ImageFileError(
                    file: name,
                    reason: .tooLarge("\(size.width) × \(size.height) pixels, the longest side allowed is \(PhotoLimits.longestSide)"))
            }
            guard header.format != .rgba32Float else { throw Self.isNoPhoto(name) }
            image = try ImageFile.decode(bytes ?? [], name: name, maximumSide: Self.side, limits: PhotoLimits.image)
        }
        guard let whole = ColorPlane(image), let opaque = MaskPlane(opaquePartOf: image) else { throw Self.isNoPhoto(name) }
        hasTransparency = opaque.coverage < 0.999
        let color = whole.reduced(maximumSide: Self.side)
        thumbnail = color.reduced(maximumSide: 320).image.flatMap { try? ImageFile.encode($0, as: .jpeg(quality: 80)) } ?? []
        let gray = color.gray
        sharpness = Sharpness.score(of: gray)
        brightness = Self.brightness(of: gray)
    }

    private static func isNoPhoto(_ name: String) -> ImageFileError {
        ImageFileError(file: name, reason: .unsupported("a picture of floats is no photo: JPEG, PNG, WebP or HEIC is wanted"))
    }

    /// What the brighter tenth has at least: a dark backdrop doesn't make a photo dark.
    private static func brightness(of gray: GrayPlane) -> Float {
        var counts = [Int](repeating: 0, count: 256)
        for value in gray.values { counts[max(0, min(255, Int(value * 255)))] += 1 }
        var (level, brighter) = (255, 0)
        while level > 0, (brighter + counts[level]) * 10 < gray.values.count {
            brighter += counts[level]
            level -= 1
        }
        return Float(level) / 255
    }

    private init(reading reader: inout ByteReader) throws(DamagedCheckpoint) {
        size = PhotoSize(width: try reader.int(), height: try reader.int())
        (sharpness, brightness) = (try reader.float(), try reader.float())
        (hasTransparency, isReducible) = (try reader.int() != 0, try reader.int() != 0)
        thumbnail = try reader.array(of: UInt8.self)
    }

    /// Why the picture is no use, or nil.
    var refusal: String? {
        guard min(size.width, size.height) >= PhotoLimits.shortestSide else {
            return "\(size.width) × \(size.height) pixels show too little: \(PhotoLimits.shortestSide) a side are the least"
        }
        return nil
    }

    func write(to writer: inout ByteWriter) {
        writer.write(size.width)
        writer.write(size.height)
        writer.write(sharpness)
        writer.write(brightness)
        for flag in [hasTransparency, isReducible] { writer.write(flag ? 1 : 0) }
        writer.write(thumbnail)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> FirstLook { try FirstLook(reading: &reader) }
}
