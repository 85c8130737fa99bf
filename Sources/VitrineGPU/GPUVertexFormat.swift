/// How one vertex attribute lies in its buffer, and what the shader reads; the raw values are those of `webgpu.h`.
public enum GPUVertexFormat: UInt32, Sendable {
    case uint8 = 0x01
    case uint8x2 = 0x02
    case uint8x4 = 0x03
    case sint8 = 0x04
    case sint8x2 = 0x05
    case sint8x4 = 0x06
    case unorm8 = 0x07
    case unorm8x2 = 0x08
    case unorm8x4 = 0x09
    case snorm8 = 0x0A
    case snorm8x2 = 0x0B
    case snorm8x4 = 0x0C
    case uint16 = 0x0D
    case uint16x2 = 0x0E
    case uint16x4 = 0x0F
    case sint16 = 0x10
    case sint16x2 = 0x11
    case sint16x4 = 0x12
    case unorm16 = 0x13
    case unorm16x2 = 0x14
    case unorm16x4 = 0x15
    case snorm16 = 0x16
    case snorm16x2 = 0x17
    case snorm16x4 = 0x18
    case float16 = 0x19
    case float16x2 = 0x1A
    case float16x4 = 0x1B
    case float32 = 0x1C
    case float32x2 = 0x1D
    case float32x3 = 0x1E
    case float32x4 = 0x1F
    case uint32 = 0x20
    case uint32x2 = 0x21
    case uint32x3 = 0x22
    case uint32x4 = 0x23
    case sint32 = 0x24
    case sint32x2 = 0x25
    case sint32x3 = 0x26
    case sint32x4 = 0x27
    case unorm10x3a2 = 0x28
    case unorm8x4BGRA = 0x29

    /// Bytes that one attribute of this format takes.
    public var byteCount: Int {
        switch self {
        case .uint8, .sint8, .unorm8, .snorm8: 1
        case .uint8x2, .sint8x2, .unorm8x2, .snorm8x2, .uint16, .sint16, .unorm16, .snorm16, .float16: 2
        case .uint8x4, .sint8x4, .unorm8x4, .snorm8x4, .uint16x2, .sint16x2, .unorm16x2, .snorm16x2, .float16x2, .float32, .uint32, .sint32,
            .unorm10x3a2, .unorm8x4BGRA:
            4
        case .uint16x4, .sint16x4, .unorm16x4, .snorm16x4, .float16x4, .float32x2, .uint32x2, .sint32x2: 8
        case .float32x3, .uint32x3, .sint32x3: 12
        case .float32x4, .uint32x4, .sint32x4: 16
        }
    }
}
