/// The format of a vertex attribute in its buffer and the type that the shader reads. The raw values are those of `webgpu.h`.
public enum GPUVertexFormat: UInt32, Sendable {
    /// One 8-bit unsigned integer; `u32` in the shader.
    case uint8 = 0x01
    /// Two 8-bit unsigned integers; `vec2u` in the shader.
    case uint8x2 = 0x02
    /// Four 8-bit unsigned integers; `vec4u` in the shader.
    case uint8x4 = 0x03
    /// One 8-bit signed integer; `i32` in the shader.
    case sint8 = 0x04
    /// Two 8-bit signed integers; `vec2i` in the shader.
    case sint8x2 = 0x05
    /// Four 8-bit signed integers; `vec4i` in the shader.
    case sint8x4 = 0x06
    /// One 8-bit unsigned normalized number, 0 to 1; `f32` in the shader.
    case unorm8 = 0x07
    /// Two 8-bit unsigned normalized numbers, 0 to 1; `vec2f` in the shader.
    case unorm8x2 = 0x08
    /// Four 8-bit unsigned normalized numbers, 0 to 1; `vec4f` in the shader.
    case unorm8x4 = 0x09
    /// One 8-bit signed normalized number, −1 to 1; `f32` in the shader.
    case snorm8 = 0x0A
    /// Two 8-bit signed normalized numbers, −1 to 1; `vec2f` in the shader.
    case snorm8x2 = 0x0B
    /// Four 8-bit signed normalized numbers, −1 to 1; `vec4f` in the shader.
    case snorm8x4 = 0x0C
    /// One 16-bit unsigned integer; `u32` in the shader.
    case uint16 = 0x0D
    /// Two 16-bit unsigned integers; `vec2u` in the shader.
    case uint16x2 = 0x0E
    /// Four 16-bit unsigned integers; `vec4u` in the shader.
    case uint16x4 = 0x0F
    /// One 16-bit signed integer; `i32` in the shader.
    case sint16 = 0x10
    /// Two 16-bit signed integers; `vec2i` in the shader.
    case sint16x2 = 0x11
    /// Four 16-bit signed integers; `vec4i` in the shader.
    case sint16x4 = 0x12
    /// One 16-bit unsigned normalized number, 0 to 1; `f32` in the shader.
    case unorm16 = 0x13
    /// Two 16-bit unsigned normalized numbers, 0 to 1; `vec2f` in the shader.
    case unorm16x2 = 0x14
    /// Four 16-bit unsigned normalized numbers, 0 to 1; `vec4f` in the shader.
    case unorm16x4 = 0x15
    /// One 16-bit signed normalized number, −1 to 1; `f32` in the shader.
    case snorm16 = 0x16
    /// Two 16-bit signed normalized numbers, −1 to 1; `vec2f` in the shader.
    case snorm16x2 = 0x17
    /// Four 16-bit signed normalized numbers, −1 to 1; `vec4f` in the shader.
    case snorm16x4 = 0x18
    /// One 16-bit floating-point number; `f32` in the shader.
    case float16 = 0x19
    /// Two 16-bit floating-point numbers; `vec2f` in the shader.
    case float16x2 = 0x1A
    /// Four 16-bit floating-point numbers; `vec4f` in the shader.
    case float16x4 = 0x1B
    /// One 32-bit floating-point number; `f32` in the shader.
    case float32 = 0x1C
    /// Two 32-bit floating-point numbers; `vec2f` in the shader.
    case float32x2 = 0x1D
    /// Three 32-bit floating-point numbers; `vec3f` in the shader.
    case float32x3 = 0x1E
    /// Four 32-bit floating-point numbers; `vec4f` in the shader.
    case float32x4 = 0x1F
    /// One 32-bit unsigned integer; `u32` in the shader.
    case uint32 = 0x20
    /// Two 32-bit unsigned integers; `vec2u` in the shader.
    case uint32x2 = 0x21
    /// Three 32-bit unsigned integers; `vec3u` in the shader.
    case uint32x3 = 0x22
    /// Four 32-bit unsigned integers; `vec4u` in the shader.
    case uint32x4 = 0x23
    /// One 32-bit signed integer; `i32` in the shader.
    case sint32 = 0x24
    /// Two 32-bit signed integers; `vec2i` in the shader.
    case sint32x2 = 0x25
    /// Three 32-bit signed integers; `vec3i` in the shader.
    case sint32x3 = 0x26
    /// Four 32-bit signed integers; `vec4i` in the shader.
    case sint32x4 = 0x27
    /// Three 10-bit and one 2-bit unsigned normalized numbers in 32 bits; `vec4f` in the shader.
    case unorm10x3a2 = 0x28
    /// Four 8-bit unsigned normalized numbers, stored blue, green, red, alpha; `vec4f` in the shader, in the order red, green, blue, alpha.
    case unorm8x4BGRA = 0x29

    /// The size of one attribute of this format in bytes.
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
