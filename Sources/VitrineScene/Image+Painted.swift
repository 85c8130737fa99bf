import VitrineMath

extension Image {
    /// Makes an image from a function of position.
    ///
    /// ```swift
    /// let dusk = Image.painted(width: 512, height: 256) { u, v in mix(Vector3(0.1, 0.1, 0.3), Vector3(0.9, 0.4, 0.2), v) }
    /// ```
    ///
    /// - Parameters:
    ///   - width, height: Pixels, clamped to 1…16,384.
    ///   - paint: Takes the centre of a pixel as texture coordinates: u 0…1 from the left, v 0…1 from the top. Returns red, green and blue as
    ///     the image stores them (sRGB-encoded for colours), clamped to 0…1; NaN becomes 0.
    /// - Returns: 8 bits per channel, opaque.
    public static func painted(width: Int, height: Int, name: String = "", _ paint: (_ u: Float, _ v: Float) -> Vector3) -> Image {
        let (width, height) = (clamp(width, 1, 16_384), clamp(height, 1, 16_384))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 4)
        for row in 0..<height {
            let v = (Float(row) + 0.5) / Float(height)
            for column in 0..<width {
                let color = paint((Float(column) + 0.5) / Float(width), v)
                for channel in 0..<3 { bytes.append(color[channel] > 0 ? UInt8((min(color[channel], 1) * 255).rounded()) : 0) }
                bytes.append(255)
            }
        }
        do {
            return try Image(width: width, height: height, format: .rgba8, bytes: bytes, name: name)
        } catch {
            preconditionFailure("four bytes for each pixel")
        }
    }
}
