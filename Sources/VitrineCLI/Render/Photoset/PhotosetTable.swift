import Vitrine

/// A table with a non-repeating pattern under the model.
enum PhotosetTable {
    /// A square under the centre of `bounds`, at its lowest height.
    ///
    /// - Parameter side: Metres; nil: 6 times the radius of `bounds`.
    @MainActor
    static func node(under bounds: BoundingBox, side: Float? = nil) throws -> Node {
        let side = side ?? 6 * max(bounds.radius, 1e-6)
        let texture = Texture(try pattern(size: 2048), sampler: Sampler(wrapS: .clampToEdge, wrapT: .clampToEdge, maximumAnisotropy: 16))
        let material = Material(name: "Table", roughness: 0.8)
        material.baseColor = ColorSlot(Vector4(1, 1, 1, 1), map: TextureMap(texture))
        let node = Node(
            name: "Table", mesh: Mesh(name: "Table", geometry: .plane(width: side, height: side, segments: (16, 16)), material: material))
        node.orientation = Quaternion(angle: .degrees(-90), axis: Vector3(1, 0, 0))
        node.position = Vector3(bounds.center.x, bounds.minimum.y, bounds.center.z)
        return node
    }

    /// Value noise with cells from a quarter of the texture to two pixels.
    private static func pattern(size: Int) throws -> Image {
        let octaves = (2...10).map { NoiseGrid(cells: 1 << $0, seed: UInt64($0)) }
        let shares: [Float] = [0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.22, 0.2, 0.16]
        let dark = Vector3(44, 33, 28)
        let light = Vector3(206, 186, 152)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 * size * size)
        for y in 0..<size {
            for x in 0..<size {
                let (u, v) = ((Float(x) + 0.5) / Float(size), (Float(y) + 0.5) / Float(size))
                var value: Float = 0.5
                for (octave, share) in zip(octaves, shares) { value += share * octave.value(u, v) }
                let color = mix(dark, light, smoothstep(0, 1, value))
                for channel in 0..<3 { bytes.append(UInt8(clamp(color[channel], 0, 255))) }
                bytes.append(255)
            }
        }
        return try Image(width: size, height: size, format: .rgba8, bytes: bytes, name: "table")
    }
}

/// Random numbers at the corners of square cells, smooth between.
private struct NoiseGrid {
    private let cells: Int
    private var corners: [Float]

    init(cells: Int, seed: UInt64) {
        self.cells = cells
        var random = SplitMix64(seed: seed)
        corners = (0..<(cells + 1) * (cells + 1)).map { _ in random.signed() }
    }

    /// −1…1 for u and v in 0…1.
    func value(_ u: Float, _ v: Float) -> Float {
        let (x, y) = (u * Float(cells), v * Float(cells))
        let (column, row) = (min(Int(x), cells - 1), min(Int(y), cells - 1))
        let (s, t) = (smoothstep(0, 1, x - Float(column)), smoothstep(0, 1, y - Float(row)))
        let base = row * (cells + 1) + column
        let upper = mix(corners[base], corners[base + 1], s)
        let lower = mix(corners[base + cells + 1], corners[base + cells + 2], s)
        return mix(upper, lower, t)
    }
}
