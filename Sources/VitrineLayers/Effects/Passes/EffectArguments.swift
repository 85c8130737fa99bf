import VitrineGPU
import VitrineGeometry

/// The storage buffer of a pass: its geometry, a vector for each argument, and the elements of arrays.
struct EffectArguments {
    /// The number of vectors before the first argument.
    static let headerCount = 3

    private(set) var words: [SIMD4<UInt32>] = []
    private var tail: [SIMD4<UInt32>] = []

    /// Encodes the arguments of an effect.
    ///
    /// - Parameters:
    ///   - space: The encoding of colours.
    ///   - bounds: The bounds of the layer in points.
    init(
        _ values: [Shader.Argument.Value], in space: ShaderEffect.WorkingSpace, from source: LayerSurface, to target: LayerSurface,
        bounds: Rectangle
    ) {
        let texels = Vector2(Float(source.texture.width), Float(source.texture.height))
        append(Vector4(target.bounds.origin.x, target.bounds.origin.y, 1 / target.scale, target.scale))
        append(Vector4(source.bounds.origin.x, source.bounds.origin.y, texels.x, texels.y))
        let rectangle = Vector4(bounds.origin.x, bounds.origin.y, bounds.size.x, bounds.size.y)
        append(rectangle)
        // Images are bound as textures.
        let first = Self.headerCount + values.count { $0.slot != .image }
        for value in values {
            switch value {
            case .float(let x): append(Vector4(x, 0, 0, 0))
            case .float2(let v): append(Vector4(v.x, v.y, 0, 0))
            case .float3(let v): append(Vector4(v, 0))
            case .float4(let v): append(v)
            case .color(let color): append(space.premultiplied(color))
            case .boundingRect: append(rectangle)
            case .floats(let numbers): append(numbers.map { $0.bitPattern }, count: numbers.count, first)
            case .colors(let colors):
                words.append(SIMD4(UInt32(colors.count), UInt32(first + tail.count), 0, 0))
                tail += colors.map { Self.bits(space.premultiplied($0)) }
            case .data(let bytes): append(Self.words(bytes), count: bytes.count, first)
            case .image: break
            }
        }
        words += tail
        tail = []
    }

    private static func bits(_ v: Vector4) -> SIMD4<UInt32> {
        SIMD4(v.x.bitPattern, v.y.bitPattern, v.z.bitPattern, v.w.bitPattern)
    }

    private mutating func append(_ v: Vector4) { words.append(Self.bits(v)) }

    private mutating func append(_ content: [UInt32], count: Int, _ first: Int) {
        words.append(SIMD4(UInt32(count), UInt32(first + tail.count), 0, 0))
        for start in stride(from: 0, to: content.count, by: 4) {
            var four = SIMD4<UInt32>.zero
            for index in start..<min(start + 4, content.count) { four[index - start] = content[index] }
            tail.append(four)
        }
    }

    /// Packs four bytes per word, little endian.
    private static func words(_ bytes: [UInt8]) -> [UInt32] {
        var words = [UInt32](repeating: 0, count: (bytes.count + 3) / 4)
        for (index, byte) in bytes.enumerated() { words[index / 4] |= UInt32(byte) << UInt32(8 * (index % 4)) }
        return words
    }

    /// The size of the values in bytes.
    static func size(of values: [Shader.Argument.Value]) -> Int {
        var size = (headerCount + values.count) * 16
        for value in values {
            switch value {
            case .floats(let numbers): size += numbers.count * 4 + 16
            case .colors(let colors): size += colors.count * 16
            case .data(let bytes): size += bytes.count + 16
            default: break
            }
        }
        return size
    }
}
