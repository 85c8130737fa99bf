import VitrineMath

/// The sRGB curve (IEC 61966-2-1), as tables.
package enum TransferFunction {
    static func linear(_ encoded: Float) -> Float {
        encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4)
    }

    static func encoded(_ linear: Float) -> Float {
        linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
    }

    /// The linear value of each byte.
    static let linearFromByte: [Float] = (0..<256).map { linear(Float($0) / 255) }

    /// The nearest byte of linear values in steps of 1 / 16,384: fine enough that no byte is skipped.
    package static let byteFromLinear: [UInt8] = (0...16_384).map { UInt8((encoded(Float($0) / 16_384) * 255).rounded()) }

    /// The encoded value of each byte, 0…255 and above, after a multiplication by a gain in linear light.
    static func encodedFromByte(gain: Float) -> [Float] { linearFromByte.map { encoded($0 * gain) * 255 } }
}
