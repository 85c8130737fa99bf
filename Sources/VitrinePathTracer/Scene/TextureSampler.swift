import VitrineMath
import VitrineScene

/// A texture's texels, and how they are read.
struct TexelSource: BitwiseCopyable {
    /// Four bytes per texel; nil: `floats`.
    let bytes: UnsafePointer<UInt8>?
    /// The texels as linear numbers.
    let floats: UnsafePointer<Vector4>?
    let width, height: Int32
    let wrapS, wrapT: UInt8
    let isNearest: Bool
    /// The linear value of the colour channels for each byte.
    let levels: UnsafePointer<Float>

    static let repeats: UInt8 = 0
    static let mirrors: UInt8 = 1
    static let clamps: UInt8 = 2

    @inline(__always) func texel(_ x: Int, _ y: Int) -> Vector4 {
        let index = y * Int(width) + x
        if let bytes {
            let p = bytes + 4 * index
            return Vector4(levels[Int(p[0])], levels[Int(p[1])], levels[Int(p[2])], Float(p[3]) * (1 / 255))
        }
        return floats.unsafelyUnwrapped[index]
    }

    @inline(__always) private static func wrapped(_ index: Int, _ size: Int, _ mode: UInt8) -> Int {
        if index >= 0, index < size { return index }
        if mode == clamps { return index < 0 ? 0 : size - 1 }
        var remainder = index % size
        if remainder < 0 { remainder += size }
        if mode == repeats { return remainder }
        let period = Int((Float(index) / Float(size)).rounded(.down))
        return period & 1 == 0 ? remainder : size - 1 - remainder
    }

    /// Interpolated between four texels.
    @inline(__always) func sample(_ uv: Vector2) -> Vector4 {
        let (w, h) = (Int(width), Int(height))
        var (x, y) = (uv.x * Float(w), uv.y * Float(h))
        // Beyond, floats do not distinguish neighbours, and integers overflow.
        guard abs(x) < 1e9, abs(y) < 1e9 else { return texel(0, 0) }
        if isNearest {
            return texel(
                Self.wrapped(Int(x.rounded(.down)), w, wrapS), Self.wrapped(Int(y.rounded(.down)), h, wrapT))
        }
        (x, y) = (x - 0.5, y - 0.5)
        let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
        let (fx, fy) = (x - Float(left), y - Float(top))
        let (x0, x1) = (Self.wrapped(left, w, wrapS), Self.wrapped(left + 1, w, wrapS))
        let (y0, y1) = (Self.wrapped(top, h, wrapT), Self.wrapped(top + 1, h, wrapT))
        let upper = texel(x0, y0) * (1 - fx) + texel(x1, y0) * fx
        let lower = texel(x0, y1) * (1 - fx) + texel(x1, y1) * fx
        return upper * (1 - fy) + lower * fy
    }
}

/// A texture as a slot of a material uses it.
struct MapReference: BitwiseCopyable, Equatable {
    /// The index of the texture; −1 for white.
    var texture: Int32 = -1
    /// The set of texture coordinates, 0 or 1.
    var set: Int32 = 0
    /// u' = u · (u, v, 1), and the same for v.
    var u = Vector3(1, 0, 0)
    var v = Vector3(0, 1, 0)
}

/// The textures of a scene, decoded once for each kind of use.
final class TextureTable {
    private struct Key: Hashable {
        let texture: ObjectIdentifier
        let isColor: Bool
    }

    private static let sRGBLevels = Storage((0..<256).map { linearFromSRGB(Float($0) / 255) })
    private static let linearLevels = Storage((0..<256).map { Float($0) / 255 })

    private var indices: [Key: Int32] = [:]
    private var byteStorage: [ObjectIdentifier: Storage<UInt8>] = [:]
    private var floatStorage: [Storage<Vector4>] = []
    private(set) var sources: [TexelSource] = []

    /// Owners of the texels of `sources`.
    var owners: [AnyObject] { Array(byteStorage.values) + floatStorage + [Self.sRGBLevels, Self.linearLevels] }

    /// Returns a reference to a texture map and adds its texture to the table.
    ///
    /// - Parameter isColor: Integer formats contain sRGB.
    func reference(to map: TextureMap?, isColor: Bool) throws(PathTracerError) -> MapReference {
        guard let map else { return MapReference() }
        let key = Key(texture: ObjectIdentifier(map.texture), isColor: isColor)
        let index: Int32
        if let known = indices[key] {
            index = known
        } else {
            guard case .image(let image) = map.texture.content else { throw .undecodedTexture(name: map.texture.name) }
            index = Int32(sources.count)
            sources.append(source(of: map.texture, image, isColor: isColor))
            indices[key] = index
        }
        let rows = map.transform.rows
        return MapReference(texture: index, set: map.set == 1 ? 1 : 0, u: rows.0, v: rows.1)
    }

    private func source(of texture: Texture, _ image: Image, isColor: Bool) -> TexelSource {
        func mode(_ wrap: WrapMode) -> UInt8 {
            switch wrap {
            case .repeat: TexelSource.repeats
            case .mirroredRepeat: TexelSource.mirrors
            case .clampToEdge: TexelSource.clamps
            }
        }
        var (bytes, floats): (UnsafePointer<UInt8>?, UnsafePointer<Vector4>?)
        if image.format == .rgba8 {
            let storage = byteStorage[ObjectIdentifier(image)] ?? Storage(image.bytes)
            byteStorage[ObjectIdentifier(image)] = storage
            bytes = storage.pointer
        } else {
            let storage = Storage(image.linearTexels(isColor: isColor))
            floatStorage.append(storage)
            floats = storage.pointer
        }
        return TexelSource(
            bytes: bytes, floats: floats, width: Int32(image.width), height: Int32(image.height), wrapS: mode(texture.sampler.wrapS),
            wrapT: mode(texture.sampler.wrapT), isNearest: texture.sampler.magnification == .nearest,
            levels: (isColor ? Self.sRGBLevels : Self.linearLevels).pointer)
    }
}

extension Image {
    /// Returns the texels as linear floats; NaN, infinity and negative numbers become 0.
    ///
    /// - Parameter isColor: Integer formats contain sRGB.
    func linearTexels(isColor: Bool) -> [Vector4] {
        let count = width * height
        return bytes.withUnsafeBytes { raw in
            (0..<count).map { index in
                switch format {
                case .rgba8:
                    func level(_ channel: Int) -> Float { Float(raw[4 * index + channel]) / 255 }
                    let color = Vector3(level(0), level(1), level(2))
                    return Vector4(isColor ? decoded(color) : color, level(3))
                case .rgba16:
                    func level(_ channel: Int) -> Float {
                        Float(UInt16(littleEndian: raw.loadUnaligned(fromByteOffset: 8 * index + 2 * channel, as: UInt16.self))) / 65_535
                    }
                    let color = Vector3(level(0), level(1), level(2))
                    return Vector4(isColor ? decoded(color) : color, level(3))
                case .rgba32Float:
                    var value = raw.loadUnaligned(fromByteOffset: 16 * index, as: Vector4.self)
                    for channel in 0..<4 where !(value[channel] > 0 && value[channel] < .infinity) { value[channel] = 0 }
                    return value
                }
            }
        }
    }

    private func decoded(_ c: Vector3) -> Vector3 { Vector3(linearFromSRGB(c.x), linearFromSRGB(c.y), linearFromSRGB(c.z)) }
}
