import VitrineMath

extension Environment {
    /// Creates a procedural photo studio: a wide soft box above on the left, a strip on the right, two edge lights behind, a ceiling light, and a
    /// slightly reflecting floor. It is designed for cameras that look from +Z and slightly from +X, as those of `OrbitPose` do by default.
    ///
    /// A white matte sphere has a radiance of about 0.8 where it faces the key light. The background is a dark seamless backdrop; to see the lights,
    /// set `background` to `.environment`. The images are generated once per process, in a few milliseconds.
    public static func studio() -> Environment {
        Environment(image: Studio.lights, background: .image(Studio.backdrop))
    }
}

/// The images of the studio. Deterministic.
enum Studio {
    static let lights = image(width: 512, name: "studio") { direction in
        var radiance = room(direction)
        for box in boxes { radiance += box.radiance(in: direction) }
        return radiance
    }

    static let backdrop = image(width: 64, name: "studio backdrop") { direction in
        // Brightest slightly below the horizon, as on a lit paper backdrop; darker towards the ceiling and the bottom.
        let height = direction.y + 0.12
        let glow = exp(-height * height * (height > 0 ? 5 : 9))
        return mix(Vector3(0.012, 0.0125, 0.0135), Vector3(0.062, 0.0645, 0.069), glow)
    }

    /// Returns the radiance of walls, ceiling and floor, lit by the lights.
    private static func room(_ direction: Vector3) -> Vector3 {
        let up = smoothstep(-0.2, 0.6, direction.y)
        let floor = smoothstep(-0.05, -0.5, direction.y)
        return mix(Vector3(0.16, 0.165, 0.175), Vector3(0.30, 0.305, 0.315), up) + Vector3(0.13, 0.125, 0.12) * floor
    }

    private static let boxes = [
        // The key light: large, warm, above and to the left of the camera.
        SoftBox(azimuth: -22, elevation: 42, width: 62, height: 48, radiance: Vector3(3.7, 3.55, 3.35)),
        // The fill light: a tall strip on the right.
        SoftBox(azimuth: 98, elevation: 14, width: 22, height: 74, radiance: Vector3(1.7, 1.78, 1.9)),
        // The edge lights: behind the object on both sides.
        SoftBox(azimuth: 168, elevation: 22, width: 18, height: 66, radiance: Vector3(3.2, 3.35, 3.6)),
        SoftBox(azimuth: -112, elevation: 18, width: 14, height: 70, radiance: Vector3(2.5, 2.6, 2.75)),
        // A dim card in front, which is reflected by metal that faces the camera.
        SoftBox(azimuth: 52, elevation: 2, width: 74, height: 40, radiance: Vector3(0.62, 0.62, 0.63)),
        // The ceiling light.
        SoftBox(azimuth: 30, elevation: 88, width: 70, height: 34, radiance: Vector3(1.3, 1.32, 1.35)),
    ]

    /// Creates an equirectangular image in the layout of `Environment`, half as high as wide.
    private static func image(width: Int, name: String, radiance: (Vector3) -> Vector3) -> Image {
        let height = width / 2
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * PixelFormat.rgba32Float.bytesPerPixel)
        for row in 0..<height {
            let latitude = (0.5 - (Float(row) + 0.5) / Float(height)) * Float.pi
            let (y, across) = (sin(latitude), cos(latitude))
            for column in 0..<width {
                let longitude = ((Float(column) + 0.5) / Float(width) - 0.5) * 2 * Float.pi
                let color = radiance(Vector3(across * cos(longitude), y, across * sin(longitude)))
                append(color, to: &bytes)
            }
        }
        guard let image = try? Image(width: width, height: height, format: .rgba32Float, bytes: bytes, name: name) else {
            preconditionFailure("the size above fits its bytes")
        }
        return image
    }

    private static func append(_ color: Vector3, to bytes: inout [UInt8]) {
        for value in [color.x, color.y, color.z, 1] {
            var bits = value.bitPattern
            for _ in 0..<4 {
                bytes.append(UInt8(truncatingIfNeeded: bits))
                bits >>= 8
            }
        }
    }
}

/// A distant rectangular light, brightest in the centre, with soft edges.
private struct SoftBox {
    /// Unit vectors towards the centre of the box, to its right and up.
    private let center, right, up: Vector3
    /// The tangents of half the angular width and height.
    private let halfWidth, halfHeight: Float
    private let middle: Vector3

    /// Creates a light from angles in degrees: azimuth from +Z towards +X, elevation above the horizon, angular width and height.
    init(azimuth: Float, elevation: Float, width: Float, height: Float, radiance: Vector3) {
        let turn = Quaternion(angle: .degrees(azimuth), axis: .up) * Quaternion(angle: .degrees(-elevation), axis: .right)
        center = turn.rotate(Vector3(0, 0, 1))
        right = turn.rotate(.right)
        up = turn.rotate(.up)
        halfWidth = tan(Angle.degrees(width / 2).radians)
        halfHeight = tan(Angle.degrees(height / 2).radians)
        middle = radiance
    }

    func radiance(in direction: Vector3) -> Vector3 {
        let depth = dot(direction, center)
        guard depth > 0.05 else { return Vector3(repeating: 0) }
        // Coordinates on the plane of the box, whose edges are at 1.
        let x = abs(dot(direction, right)) / depth / halfWidth
        let y = abs(dot(direction, up)) / depth / halfHeight
        guard x < 1.12, y < 1.12 else { return Vector3(repeating: 0) }
        let edge = smoothstep(Float(1.12), 0.9, x) * smoothstep(Float(1.12), 0.9, y)
        return middle * (edge * (1 - 0.45 * clamp((x * x + y * y) / 2, 0, 1)))
    }
}
