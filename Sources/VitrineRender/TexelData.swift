import VitrineGPU
import VitrineMath
import VitrineScene

/// An image's values as the GPU takes them: 8-bit ones as they are, others as linear half floats.
struct TexelData {
    let format: GPUTextureFormat
    private let image: Image
    private let halves: [UInt16]

    init(_ image: Image, use: TextureUse) {
        self.image = image
        switch image.format {
        case .rgba8:
            format = use == .color ? .rgba8UnormSRGB : .rgba8Unorm
            halves = []
        case .rgba16:
            format = .rgba16Float
            halves = TexelData.halves(ofIntegers: image, isSRGB: use == .color)
        case .rgba32Float:
            format = .rgba16Float
            halves = image.bytes.withUnsafeBytes { raw in
                (0..<raw.count / 4).map {
                    halfFloat(Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self))))
                }
            }
        }
    }

    private static func halves(ofIntegers image: Image, isSRGB: Bool) -> [UInt16] {
        image.bytes.withUnsafeBytes { raw in
            (0..<raw.count / 2).map { index in
                let value = Float(UInt16(littleEndian: raw.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))) / 65535
                // Alpha is linear always.
                return halfFloat(isSRGB && index & 3 != 3 ? linearFromSRGB(value) : value)
            }
        }
    }

    func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        if halves.isEmpty { image.bytes.withUnsafeBytes(body) } else { halves.withUnsafeBytes(body) }
    }
}

/// The nearest half-precision number (ties to even); what is too large becomes the largest finite one, NaN 0.
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
