import VitrineMath

/// A cube map in one of the layouts of `EnvironmentLayout`, sampled by direction.
struct CubeMapImage {
    private let image: Image
    private let faces: [(x: Int, y: Int, isUpsideDown: Bool)]
    let faceSize: Int
    /// The linear values of the 256 sRGB levels.
    private let levels: [Float]

    /// Returns nil if the image is not a cube map.
    init?(_ image: Image) {
        guard let layout = EnvironmentLayout(width: image.width, height: image.height), layout != .equirectangular else { return nil }
        (self.image, faces, faceSize) = (image, layout.faces, image.width / layout.columns)
        levels = image.format == .rgba8 ? (0..<256).map { linearFromSRGB(Float($0) / 255) } : []
    }

    /// Returns the linear radiance from a direction, interpolated between four texels of one face.
    func light(from direction: Vector3, _ bytes: UnsafeRawBufferPointer) -> Vector3 {
        // Cube maps are left-handed: the forward direction is +Z.
        let d = Vector3(direction.x, direction.y, -direction.z)
        let size = Vector3(abs(d.x), abs(d.y), abs(d.z))
        let face: Int
        let (s, t): (Float, Float)
        if size.x >= size.y, size.x >= size.z {
            face = d.x > 0 ? 0 : 1
            (s, t) = ((d.x > 0 ? -d.z : d.z) / size.x, -d.y / size.x)
        } else if size.y >= size.z {
            face = d.y > 0 ? 2 : 3
            (s, t) = (d.x / size.y, (d.y > 0 ? d.z : -d.z) / size.y)
        } else {
            face = d.z > 0 ? 4 : 5
            (s, t) = ((d.z > 0 ? d.x : -d.x) / size.z, -d.y / size.z)
        }
        let last = Float(faceSize - 1)
        let x = clamp((s + 1) / 2 * Float(faceSize) - 0.5, 0, last)
        let y = clamp((t + 1) / 2 * Float(faceSize) - 0.5, 0, last)
        let (left, top) = (min(Int(x), max(faceSize - 2, 0)), min(Int(y), max(faceSize - 2, 0)))
        let (right, bottom) = (min(left + 1, faceSize - 1), min(top + 1, faceSize - 1))
        let (fx, fy) = (x - Float(left), y - Float(top))
        let upper = mix(texel(face, left, top, bytes), texel(face, right, top, bytes), fx)
        let lower = mix(texel(face, left, bottom, bytes), texel(face, right, bottom, bytes), fx)
        return mix(upper, lower, fy)
    }

    private func texel(_ face: Int, _ x: Int, _ y: Int, _ bytes: UnsafeRawBufferPointer) -> Vector3 {
        let position = faces[face]
        let column = position.x * faceSize + (position.isUpsideDown ? faceSize - 1 - x : x)
        let row = position.y * faceSize + (position.isUpsideDown ? faceSize - 1 - y : y)
        let at = (row * image.width + column) * image.format.bytesPerPixel
        switch image.format {
        case .rgba8: return Vector3(levels[Int(bytes[at])], levels[Int(bytes[at + 1])], levels[Int(bytes[at + 2])])
        case .rgba16:
            func level(_ channel: Int) -> Float {
                linearFromSRGB(Float(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 2 * channel, as: UInt16.self))) / 65_535)
            }
            return Vector3(level(0), level(1), level(2))
        case .rgba32Float: return bytes.loadUnaligned(fromByteOffset: at, as: SIMD4<Float>.self).xyz
        }
    }
}

extension Image {
    /// The maximum width of a converted cube map; cube maps for rendering have no higher resolution.
    private static let widestPanorama = 4096

    /// Returns the environment as an equirectangular image of linear floats in the layout of `Environment`; nil if the image is not a cube map.
    ///
    /// The image is four times as wide as a face, at most 4,096 pixels. Each pixel is the mean of four samples.
    public func unrolledCube() -> Image? {
        guard let cube = CubeMapImage(self) else { return nil }
        let width = max(min(cube.faceSize * 4, Self.widestPanorama), 4)
        let height = width / 2
        // The sines and cosines of the azimuths of two samples per pixel.
        let azimuths = (0..<width * 2).map { sample in
            let angle = ((Float(sample) + 0.5) / Float(width * 2) - 0.5) * 2 * Float.pi
            return (cos: cos(angle), sin: sin(angle))
        }
        let floats = bytes.withUnsafeBytes { raw in
            [Float](unsafeUninitializedCapacity: width * height * 4) { out, count in
                for row in 0..<height {
                    let polar = (0..<2).map { (Float(row * 2 + $0) + 0.5) / Float(height * 2) * Float.pi }
                    let (y, across) = (polar.map { cos($0) }, polar.map { sin($0) })
                    for column in 0..<width {
                        var sum = Vector3(repeating: 0)
                        for sample in 0..<4 {
                            let azimuth = azimuths[column * 2 + sample % 2]
                            let direction = Vector3(across[sample / 2] * azimuth.cos, y[sample / 2], across[sample / 2] * azimuth.sin)
                            sum += cube.light(from: direction, raw)
                        }
                        let at = (row * width + column) * 4
                        (out[at], out[at + 1], out[at + 2], out[at + 3]) = (sum.x / 4, sum.y / 4, sum.z / 4, 1)
                    }
                }
                count = width * height * 4
            }
        }
        let packed = floats.withUnsafeBytes { [UInt8]($0) }
        return try? Image(width: width, height: height, format: .rgba32Float, bytes: packed, name: name)
    }
}
