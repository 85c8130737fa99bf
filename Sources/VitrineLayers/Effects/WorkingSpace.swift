import VitrineMath

extension ShaderEffect {
    /// The encoding of the colours that a shader function receives and returns: the pixel or layer below, `.color` and `.colorArray` arguments,
    /// images, and the result. Alpha is premultiplied in both encodings. Texels are filtered in this space, too.
    ///
    /// An effect uses its `workingSpace`, or else that of its library: the one passed to `ShaderLibrary.init`, or else the one that a comment in the
    /// source specifies (`// working-space: linear`), or else `sRGB`.
    public enum WorkingSpace: Hashable, Sendable {
        /// sRGB-encoded levels (IEC 61966-2-1), as SwiftUI passes them to Metal shaders. The default, so that a ported shader computes with the same
        /// numbers. Levels above 1 continue the curve.
        case sRGB
        /// Linear Rec. 709, the encoding of layers and rendered frames. Physically correct for sums of light and for blurs.
        case linear
    }
}

extension ShaderEffect.WorkingSpace {
    /// Returns a premultiplied colour in this space.
    func premultiplied(_ color: Color) -> Vector4 {
        let linear = color.premultiplied
        guard self == .sRGB else { return linear }
        return Vector4(
            encodedLevel(linear.x, alpha: linear.w), encodedLevel(linear.y, alpha: linear.w), encodedLevel(linear.z, alpha: linear.w),
            linear.w)
    }

    /// Parses a word, ignoring case.
    init?(word: some Collection<UInt8>) {
        let lowercase = word.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
        if lowercase.elementsEqual("srgb".utf8) {
            self = .sRGB
        } else if lowercase.elementsEqual("linear".utf8) {
            self = .linear
        } else {
            return nil
        }
    }
}

/// Computes one component of `sRGBFromLinear` in the preamble.
private func encodedLevel(_ linear: Float, alpha: Float) -> Float {
    let magnitude = abs(linear)
    let level =
        magnitude <= alpha
        ? alpha * sRGBFromLinear(magnitude / max(alpha, 1e-6)) : sRGBFromLinear(magnitude - alpha + linearFromSRGB(alpha))
    return linear < 0 ? -level : level
}
