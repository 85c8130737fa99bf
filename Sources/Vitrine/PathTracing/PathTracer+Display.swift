import VitrineMath
import VitrinePathTracer
import VitrineRender
import VitrineScene

extension PathTracer {
    /// Returns the current image for display: tone mapped, sRGB-encoded, over the background colour. `.rgba8`, straight alpha.
    ///
    /// Samples are averaged in linear radiance and tone mapped once, as in `Renderer.renderStill`.
    package func displayImage(toneMapping: ToneMapping, background: Background, isDenoised: Bool = false) -> Image {
        let radiance = isDenoised ? denoisedRadiance() : radiance
        var below = Vector4(repeating: 0)
        if case .color(let color) = background {
            below = Vector4(Self.encoded(color.linear.xyz) * color.linear.w, color.linear.w)
        }
        let bytes = [UInt8](unsafeUninitializedCapacity: radiance.count) { out, count in
            for pixel in stride(from: 0, to: radiance.count, by: 4) {
                let alpha = min(radiance[pixel + 3], 1)
                var value = below
                if alpha > 0 {
                    let color = Vector3(radiance[pixel], radiance[pixel + 1], radiance[pixel + 2]) / alpha
                    value = Vector4(Self.encoded(toneMapping.apply(color)) * alpha, alpha) + below * (1 - alpha)
                }
                let straight = value.w > 0 ? value.xyz / value.w : Vector3(repeating: 0)
                for channel in 0..<3 { out[pixel + channel] = UInt8((clamp(straight[channel], 0, 1) * 255).rounded()) }
                out[pixel + 3] = UInt8((clamp(value.w, 0, 1) * 255).rounded())
            }
            count = radiance.count
        }
        guard let image = try? Image(width: width, height: height, format: .rgba8, bytes: bytes, name: "picture") else {
            preconditionFailure("four bytes for each pixel")
        }
        return image
    }

    /// Returns the current image as linear radiance times exposure, not tone mapped, over the background colour. `.rgba32Float`, straight alpha.
    package func radianceImage(background: Background, isDenoised: Bool = false) -> Image {
        let image = isDenoised ? image(of: denoisedRadiance()) : image
        guard case .color(let color) = background else { return image }
        return image.over(color)
    }

    private static func encoded(_ linear: Vector3) -> Vector3 {
        Vector3(sRGBFromLinear(linear.x), sRGBFromLinear(linear.y), sRGBFromLinear(linear.z))
    }
}

extension Image {
    /// Returns a radiance image with straight alpha composited over a colour.
    fileprivate func over(_ color: Color) -> Image {
        let below = color.premultiplied
        let values = bytes.withUnsafeBytes { raw in
            (0..<width * height).map { index in
                let value = raw.loadUnaligned(fromByteOffset: 16 * index, as: Vector4.self)
                let sum = Vector4(value.xyz * value.w, value.w) + below * (1 - value.w)
                return sum.w > 0 ? Vector4(sum.xyz / sum.w, sum.w) : Vector4(repeating: 0)
            }
        }
        let packed = values.withUnsafeBytes { [UInt8]($0) }
        guard let image = try? Image(width: width, height: height, format: .rgba32Float, bytes: packed, name: name) else {
            preconditionFailure("as many pixels as before")
        }
        return image
    }
}
