import VitrineMath
import VitrineVision

/// One photo with its truth.
struct SyntheticShot: Sendable {
    var photo: ColorPlane
    var depth: Plane<Float>
    var mask: MaskPlane

    /// - Parameter exposure: Stops.
    init(
        meshes: [TriangleMesh], normals: [[Vector3]], camera: PosedCamera, options: SyntheticCapture.Options, exposure: Double, seed: UInt64
    ) {
        let (width, height) = (options.width, options.height)
        // Three samples per side include the pixel's centre, where the depth is measured.
        let factor = 3
        let fine = PosedCamera(
            intrinsics: camera.intrinsics.resized(width: factor * width, height: factor * height), cameraFromWorld: camera.cameraFromWorld)
        var raster = SyntheticRasterizer(width: factor * width, height: factor * height)
        for (number, mesh) in meshes.enumerated() { raster.draw(mesh, normals: normals[number], number: number, camera: fine) }

        photo = ColorPlane(width: width, height: height, values: Array(repeating: 0, count: 3 * width * height))
        depth = Plane(width: width, height: height, repeating: 0)
        mask = MaskPlane(width: width, height: height, repeating: 0)
        var random = SplitMix64(seed: seed)
        let gain = exp2(Float(exposure))
        let backdrop = Vector3(repeating: decoded(Float(options.background) / 255))
        let textures = [SolidTexture(seed: 11), SolidTexture(seed: 29)]
        for y in 0..<height {
            for x in 0..<width {
                var light = Vector3.zero
                var hits = 0
                for dy in 0..<factor {
                    for dx in 0..<factor {
                        let sample = raster.samples[(factor * y + dy) * raster.width + factor * x + dx]
                        guard sample.mesh >= 0 else {
                            light += backdrop
                            continue
                        }
                        if sample.mesh == 0 { hits += 1 }
                        light += textures[Int(sample.mesh)].albedo(at: sample.point) * SyntheticShot.irradiance(sample.normal)
                    }
                }
                light *= gain / Float(factor * factor)
                let pixel = y * width + x
                for channel in 0..<3 {
                    let level = 255 * encoded(light[channel]) + Float(options.noise * random.normal())
                    photo.values[3 * pixel + channel] = UInt8(clamp(level.rounded(), 0, 255))
                }
                if 2 * hits > factor * factor { mask.values[pixel] = 255 }
                let center = raster.samples[(factor * y + 1) * raster.width + factor * x + 1]
                depth.values[pixel] = center.mesh >= 0 ? center.depth : 0
            }
        }
    }

    /// A bright sky and a soft sun: no side is black.
    private static func irradiance(_ normal: Vector3) -> Float {
        let unit = lengthSquared(normal) > 0 ? normalize(normal) : .up
        return 0.55 + 0.25 * unit.y + 0.4 * max(0, dot(unit, Vector3(0.48, 0.64, 0.6)))
    }
}

private func encoded(_ linear: Float) -> Float {
    let value = clamp(linear, 0, 1)
    return value <= 0.003_130_8 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055
}

private func decoded(_ value: Float) -> Float { value <= 0.040_45 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4) }
