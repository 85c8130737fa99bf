import VitrineMath
import VitrineScene

/// An encoded image, embedded in a model file or in a separate file.
struct EncodedImage {
    let name: String
    let bytes: [UInt8]
    /// PNG, JPEG, or WebP if the format supports it.
    let kind: ImageFile.Kind

    var pathExtension: String { kind == .jpeg ? "jpg" : kind.rawValue }
}

/// One channel of a texture.
struct ChannelSource: Hashable {
    let texture: Texture
    let channel: TextureChannel

    static func == (a: Self, b: Self) -> Bool { a.texture === b.texture && a.channel == b.channel }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(texture))
        hasher.combine(channel)
    }
}

/// The images of a model. Encodes each texture once, and rearranges channels if the format requires it.
struct TexturePool {
    /// The images in the order of first use.
    private(set) var images: [EncodedImage] = []
    private let file: String
    private let options: ModelWriteOptions
    private var indices: [ObjectIdentifier: Int] = [:]
    private var packed: [Packing: Int] = [:]
    /// The images that are kept unchanged, by their bytes.
    private var encoded: [[UInt8]: Int] = [:]
    /// Retains the textures whose addresses `indices` contains.
    private var textures: [Texture] = []

    private struct Packing: Hashable {
        let channels: [ChannelSource?]
        let isFree: [Bool]
    }

    init(file: String, options: ModelWriteOptions) { (self.file, self.options) = (file, options) }

    /// Returns the unchanged image of a texture.
    mutating func image(_ texture: Texture) throws(ModelFileError) -> Int {
        if let index = indices[ObjectIdentifier(texture)] { return index }
        let image: EncodedImage
        if case .encoded(let bytes) = texture.content, let kind = ImageFile.kind(of: bytes), isKept(kind) {
            // Textures that differ only in their samplers share an image.
            if let index = encoded[bytes] {
                indices[ObjectIdentifier(texture)] = index
                textures.append(texture)
                return index
            }
            encoded[bytes] = images.count
            image = EncodedImage(name: texture.name, bytes: bytes, kind: kind)
        } else {
            image = try encode(try pixels(texture), name: texture.name)
        }
        indices[ObjectIdentifier(texture)] = images.count
        textures.append(texture)
        images.append(image)
        return images.count - 1
    }

    /// Returns an image whose red, green and blue are these channels; nil represents 1, or any value if `isFree`.
    mutating func image(
        channels: [ChannelSource?], isFree: [Bool] = [false, false, false], name: String
    ) throws(ModelFileError) -> Int {
        let packing = Packing(channels: channels, isFree: isFree)
        if let index = packed[packing] { return index }
        let index: Int
        if let texture = try textureThatServes(channels, isFree: isFree) {
            index = try image(texture)
        } else {
            images.append(try encode(try pack(channels), name: name))
            index = images.count - 1
        }
        packed[packing] = index
        return index
    }

    /// The size of all images in bytes.
    var byteCount: Int { images.reduce(0) { $0 + $1.bytes.count } }

    private func isKept(_ kind: ImageFile.Kind) -> Bool {
        !options.reencodesTextures && (kind == .png || kind == .jpeg || kind == .webp && options.keepsWebP)
    }

    // MARK: Pixels

    func pixels(_ texture: Texture) throws(ModelFileError) -> Image {
        switch texture.content {
        case .image(let image): return image
        case .encoded(let bytes):
            do throws(ImageFileError) {
                return try ImageFile.decode(bytes, name: texture.name, limits: options.images)
            } catch {
                throw failure(texture.name, "\(error.reason)")
            }
        }
    }

    private func encode(_ image: Image, name: String) throws(ModelFileError) -> EncodedImage {
        do throws(ImageFileError) {
            if case .jpeg(let quality) = options.textureFormat, image.format == .rgba8, image.isOpaque {
                return EncodedImage(name: name, bytes: try ImageFile.encode(image, as: .jpeg(quality: quality)), kind: .jpeg)
            }
            return EncodedImage(name: name, bytes: try ImageFile.encode(image, as: .png()), kind: .png)
        } catch {
            throw failure(name, "\(error.reason)")
        }
    }

    private func failure(_ texture: String, _ reason: String) -> ModelFileError {
        ModelFileError(file: file, location: "texture \"\(texture)\"", reason: .notWritable(reason))
    }

    // MARK: Channels

    private func textureThatServes(_ channels: [ChannelSource?], isFree: [Bool]) throws(ModelFileError) -> Texture? {
        guard let texture = channels.lazy.compactMap({ $0 }).first?.texture else { return nil }
        var needsGrey = false
        for (position, source) in channels.enumerated() {
            guard let source else {
                if isFree[position] { continue }
                return nil
            }
            guard source.texture === texture, source.channel != .alpha else { return nil }
            if source.channel.rawValue != position { needsGrey = true }
        }
        guard needsGrey else { return texture }
        return Self.isGrey(try pixels(texture)) ? texture : nil
    }

    private static func isGrey(_ image: Image) -> Bool {
        let channel = image.format.bytesPerPixel / 4
        return image.bytes.withUnsafeBufferPointer { bytes in
            var pixel = 0
            while pixel < bytes.count {
                for byte in 0..<channel {
                    let red = bytes[pixel + byte]
                    if bytes[pixel + channel + byte] != red || bytes[pixel + 2 * channel + byte] != red { return false }
                }
                pixel += 4 * channel
            }
            return true
        }
    }

    /// Combines channels with eight bits each in the size of the largest source; smaller ones are repeated.
    private func pack(_ channels: [ChannelSource?]) throws(ModelFileError) -> Image {
        var sources: [(image: Image, channel: Int)?] = []
        for source in channels {
            guard let source else {
                sources.append(nil)
                continue
            }
            let image = try pixels(source.texture)
            guard image.format != .rgba32Float else {
                throw failure(source.texture.name, "channels of floats cannot be combined into an image")
            }
            sources.append((image, source.channel.rawValue))
        }
        let width = sources.reduce(1) { max($0, $1?.image.width ?? 1) }
        let height = sources.reduce(1) { max($0, $1?.image.height ?? 1) }
        var bytes = [UInt8](repeating: 255, count: width * height * 4)
        for case (let position, let source?) in sources.enumerated() {
            Self.copy(source.image, channel: source.channel, to: &bytes, position: position, width: width, height: height)
        }
        do throws(ImageError) {
            return try Image(width: width, height: height, format: .rgba8, bytes: bytes)
        } catch {
            throw failure("", "an image of \(width) × \(height) pixels is not possible")
        }
    }

    private static func copy(_ image: Image, channel: Int, to bytes: inout [UInt8], position: Int, width: Int, height: Int) {
        // The upper byte of 16 bits is the second one.
        let (stride, offset) = image.format == .rgba16 ? (8, 2 * channel + 1) : (4, channel)
        let isSame = image.width == width && image.height == height
        image.bytes.withUnsafeBufferPointer { source in
            bytes.withUnsafeMutableBufferPointer { target in
                for y in 0..<height {
                    let row = (isSame ? y : y * image.height / height) * image.width
                    for x in 0..<width {
                        let column = isSame ? x : x * image.width / width
                        target[(y * width + x) * 4 + position] = source[(row + column) * stride + offset]
                    }
                }
            }
        }
    }
}

extension TexturePool {
    /// Returns the mean of one channel of a texture, 0 … 1; nil if the texture cannot be decoded.
    func mean(_ texture: Texture, _ channel: TextureChannel) -> Float? {
        sampledMean(texture) { pixel in Vector4(repeating: pixel[channel.rawValue]) }?.x
    }

    /// Returns the mean linear colour of an sRGB texture, with its alpha; nil if the texture cannot be decoded.
    func meanColor(_ texture: Texture) -> Vector4? {
        sampledMean(texture) { pixel in
            Vector4(linearFromSRGB(pixel.x), linearFromSRGB(pixel.y), linearFromSRGB(pixel.z), pixel.w)
        }
    }

    /// Returns the mean over at most 4,096 uniformly distributed pixels.
    private func sampledMean(_ texture: Texture, _ value: (Vector4) -> Vector4) -> Vector4? {
        guard let image = try? pixels(texture), image.format != .rgba32Float, image.width > 0, image.height > 0 else { return nil }
        let channelBytes = image.format.bytesPerPixel / 4
        let step = (max(image.width / 64, 1), max(image.height / 64, 1))
        var (sum, count) = (Vector4(repeating: 0), Float(0))
        for y in stride(from: step.1 / 2, to: image.height, by: step.1) {
            for x in stride(from: step.0 / 2, to: image.width, by: step.0) {
                let start = (y * image.width + x) * image.format.bytesPerPixel
                // The upper byte of 16 bits is the second one.
                func channel(_ index: Int) -> Float { Float(image.bytes[start + index * channelBytes + channelBytes - 1]) / 255 }
                sum += value(Vector4(channel(0), channel(1), channel(2), channel(3)))
                count += 1
            }
        }
        return count > 0 ? sum / count : nil
    }
}

extension ScalarSlot {
    /// The channel with the values, if there is a texture.
    var source: ChannelSource? { map.map { ChannelSource(texture: $0.texture, channel: channel) } }
}
