import VitrineMath

extension Image {
    /// Returns the metalness derived from an image of base colour by steps 1 to 3 of `ImageMaterialRecipe`: a linear 8-bit image of the same size with
    /// equal red, green and blue and an alpha of 1.
    public static func metalnessMap(from image: Image, recipe: ImageMaterialRecipe = ImageMaterialRecipe()) -> Image {
        let curve = MetalnessCurve(recipe)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(image.width * image.height * 4)
        image.forEachEncodedColor { color in
            let level = UInt8((curve.value(of: color) * 255).rounded())
            bytes.append(level)
            bytes.append(level)
            bytes.append(level)
            bytes.append(255)
        }
        return made(width: image.width, height: image.height, bytes: bytes, name: "metalness")
    }

    /// Creates an 8-bit image of a size that is known to be valid.
    static func made(width: Int, height: Int, bytes: [UInt8], name: String) -> Image {
        do {
            return try Image(width: width, height: height, format: .rgba8, bytes: bytes, name: name)
        } catch {
            preconditionFailure("four bytes for each pixel")
        }
    }

    /// Calls `body` with red, green and blue of each pixel, row by row, sRGB-encoded, 0…1.
    private func forEachEncodedColor(_ body: (Vector3) -> Void) {
        bytes.withUnsafeBytes { raw in
            for pixel in 0..<width * height {
                let base = pixel * format.bytesPerPixel
                switch format {
                case .rgba8: body(Vector3(Float(raw[base]), Float(raw[base + 1]), Float(raw[base + 2])) / 255)
                case .rgba16:
                    func value(_ channel: Int) -> Float {
                        Float(UInt16(raw[base + 2 * channel]) | UInt16(raw[base + 2 * channel + 1]) << 8)
                    }
                    body(Vector3(value(0), value(1), value(2)) / 65_535)
                case .rgba32Float:
                    func value(_ channel: Int) -> Float {
                        let bits = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: base + 4 * channel, as: UInt32.self))
                        return clamp(sRGBFromLinear(clamp(Float(bitPattern: bits), 0, 1)), 0, 1)
                    }
                    body(Vector3(value(0), value(1), value(2)))
                }
            }
        }
    }
}

/// Steps 1 to 3 of `ImageMaterialRecipe`.
private struct MetalnessCurve {
    private let contrast, linear, square: Float

    init(_ recipe: ImageMaterialRecipe) {
        let white = clamp(recipe.white, 2 / 3, 1)
        contrast = max(recipe.contrast, 0)
        (linear, square) = (2 - white, 2 * white - 2)
    }

    func value(of color: Vector3) -> Float {
        let grey = dot(color, Vector3(0.2126, 0.7152, 0.0722))
        let level = clamp((grey - 0.5) * contrast + 0.5, 0, 1)
        return level.isNaN ? 0 : clamp(linear * level + square * level * level, 0, 1)
    }
}
