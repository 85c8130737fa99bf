import VitrineGPU
import VitrineMath
import VitrineScene

/// An image's texels in a GPU format: 8-bit values unchanged, others as linear half floats. Rows are converted on demand,
/// so that a large image can be uploaded in pieces.
struct TexelData {
    let format: GPUTextureFormat
    private let image: Image
    private let use: TextureUse
    private let packed: PackedImage?

    /// - Parameter packed: Channels of another image of the same size, both of 8 bits.
    init(_ image: Image, use: TextureUse, packed: PackedImage? = nil) {
        (self.image, self.use, self.packed) = (image, use, packed)
        format = Self.format(of: image, use: use)
    }

    static func format(of image: Image, use: TextureUse) -> GPUTextureFormat {
        switch image.format {
        case .rgba8: use == .color ? .rgba8UnormSRGB : .rgba8Unorm
        case .rgba16, .rgba32Float: .rgba16Float
        }
    }

    var width: Int { image.width }
    var height: Int { image.height }

    /// Bytes of one row on the GPU.
    var bytesPerRow: Int { image.width * (format == .rgba16Float ? 8 : 4) }

    func withBytes(ofRows rows: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) {
        image.bytes.withUnsafeBytes { raw in
            let rowSize = raw.count / image.height
            let source = UnsafeRawBufferPointer(rebasing: raw[rows.lowerBound * rowSize..<rows.upperBound * rowSize])
            switch image.format {
            case .rgba8: if let packed { packing(source, rows, packed).withUnsafeBytes(body) } else { body(source) }
            case .rgba16: TexelData.halves(ofIntegers: source, isSRGB: use == .color).withUnsafeBytes(body)
            case .rgba32Float: TexelData.halves(ofFloats: source).withUnsafeBytes(body)
            }
        }
    }

    /// The rows with the other image's channels; normals of unit length, as those of a sampled normal map.
    private func packing(_ source: UnsafeRawBufferPointer, _ rows: Range<Int>, _ packed: PackedImage) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: source.count) { output, count in
            packed.image.bytes.withUnsafeBytes { raw in
                let rowSize = 4 * image.width
                let other = UnsafeRawBufferPointer(rebasing: raw[rows.lowerBound * rowSize..<rows.upperBound * rowSize])
                _ = output.initialize(from: source)
                if use == .packedNormal { for texel in stride(from: 0, to: source.count, by: 4) { Self.makeUnit(output, texel) } }
                for channel in packed.channels {
                    for texel in stride(from: 0, to: source.count, by: 4) { output[texel + channel.to] = other[texel + channel.from] }
                }
            }
            count = source.count
        }
    }

    /// Scales x and y of the normal in a texel so that z follows from them.
    @inline(__always)
    private static func makeUnit(_ texels: UnsafeMutableBufferPointer<UInt8>, _ texel: Int) {
        // In units of 1/255, so that all components are odd.
        func component(_ offset: Int) -> Int32 { 2 * Int32(texels[texel + offset]) - 255 }
        let (x, y, z) = (component(0), component(1), component(2))
        let squared = x &* x &+ y &* y &+ z &* z
        // The error of 8 bits.
        guard abs(squared - 255 * 255) > 1040 else { return }
        let scale = 127.5 / Float(squared).squareRoot()
        texels[texel] = UInt8((Float(x) * scale + 127.5).rounded())
        texels[texel + 1] = UInt8((Float(y) * scale + 127.5).rounded())
    }

    private static func halves(ofFloats raw: UnsafeRawBufferPointer) -> [UInt16] {
        (0..<raw.count / 4).map {
            halfFloat(Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self))))
        }
    }

    private static func halves(ofIntegers raw: UnsafeRawBufferPointer, isSRGB: Bool) -> [UInt16] {
        (0..<raw.count / 2).map { index in
            let value = Float(UInt16(littleEndian: raw.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))) / 65535
            // Alpha is linear always.
            return halfFloat(isSRGB && index & 3 != 3 ? linearFromSRGB(value) : value)
        }
    }
}

/// The nearest half-precision number (ties to even); larger values become the largest finite one, NaN 0.
func halfFloat(_ value: Float) -> UInt16 {
    let bits = value.bitPattern
    let sign = UInt16((bits >> 16) & 0x8000)
    let magnitude = bits & 0x7FFF_FFFF
    if magnitude > 0x7F80_0000 { return 0 }
    if magnitude >= 0x477F_F000 { return sign | 0x7BFF }
    if magnitude < 0x3880_0000 {
        // Below the smallest normal half: a multiple of 2^-24.
        return sign | UInt16((Float(bitPattern: magnitude) * 16_777_216).rounded(.toNearestOrEven))
    }
    let rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1)
    return sign | UInt16((rounded - 0x3800_0000) >> 13)
}
