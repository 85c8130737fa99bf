import VitrineMath

extension CapturedImage {
    /// The light at one pixel.
    struct LightSample {
        /// Linear Rec.709; 1 is the camera's maximum.
        var color: Vector3
        /// Whether a channel is at a limit of its range, so that its true value may lie beyond.
        var isClipped: Bool
    }

    /// The RGB of a pixel, 0…1 and beyond, in the camera's encoding; grey for a monochrome image.
    package func encodedColor(x: Int, y: Int, _ levels: LightLevels) -> Vector3 {
        var encoded = Vector3(repeating: levels.luma(luma[x, y]))
        if let chroma {
            let i = 2 * ((y / 2) * chromaWidth + x / 2)
            let (blue, red) = (levels.difference(chroma[i]), levels.difference(chroma[i + 1]))
            encoded += levels.fromDifferences.blue * blue + levels.fromDifferences.red * red
        }
        return encoded
    }

    /// The light at a pixel; grey for a monochrome image.
    func light(x: Int, y: Int, _ levels: LightLevels) -> LightSample {
        let encoded = encodedColor(x: x, y: y, levels)
        let isClipped = encoded.max() >= 0.985 || encoded.max() <= 0.015
        return LightSample(color: levels.linear(encoded), isClipped: isClipped)
    }
}

/// Converts the bytes of an image to linear light: ITU-R BT.601-7 and BT.709-6, Y = Kr R + Kg G + Kb B, Cb = (B − Y) / (2 − 2 Kb),
/// Cr = (R − Y) / (2 − 2 Kr); then the sRGB transfer function (IEC 61966-2-1), which approximates that of cameras.
package struct LightLevels: Sendable {
    /// The contributions of Cb and Cr to red, green and blue.
    let fromDifferences: (blue: Vector3, red: Vector3)
    private let isVideo: Bool
    private let curve: [Float]

    package init(_ image: CapturedImage) {
        let (kr, kb): (Float, Float) = image.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let kg = 1 - kr - kb
        fromDifferences = (
            Vector3(0, -kb / kg * (2 - 2 * kb), 2 - 2 * kb), Vector3(2 - 2 * kr, -kr / kg * (2 - 2 * kr), 0)
        )
        isVideo = image.range == .video
        curve = (0...1023).map { linearFromSRGB(Float($0) / 1023) }
    }

    func luma(_ value: UInt8) -> Float { isVideo ? (Float(value) - 16) / 219 : Float(value) / 255 }
    func difference(_ value: UInt8) -> Float { (Float(value) - 128) / (isVideo ? 224 : 255) }

    func linear(_ encoded: Vector3) -> Vector3 {
        Vector3(linear(encoded.x), linear(encoded.y), linear(encoded.z))
    }

    private func linear(_ value: Float) -> Float { curve[Int((clamp(value, 0, 1) * 1023).rounded())] }
}
