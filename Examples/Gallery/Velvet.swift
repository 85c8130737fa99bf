import Vitrine

/// Cushions of velvet: sheen, which is brightest where the fibres are seen from the side.
@MainActor func makeVelvet() throws -> SceneView {
    let stage = try Stage(
        floor: Color(sRGB: 0xC9BBAA), eye: [0.3, 1.5, 3.4], target: [0.1, 0.4, 0], fieldOfView: .degrees(33), turn: .degrees(-40))
    func velvet(_ color: UInt32, sheen: UInt32) -> Material {
        let material = Material(name: "Velvet", baseColor: Color(sRGB: color), roughness: 0.95)
        material.sheen = Sheen(color: ColorSlot(Color(sRGB: sheen)), roughness: ScalarSlot(0.32, channel: .alpha))
        return material
    }
    /// A square that is thick in the middle and thin at its seam.
    func cushion(_ half: Float) -> Geometry {
        let count = 64
        func point(_ i: Int, _ j: Int, _ side: Float) -> Vector3 {
            let (u, v) = (2 * Float(i) / Float(count) - 1, 2 * Float(j) / Float(count) - 1)
            let fullness = ((1 - u * u) * (1 - v * v)).squareRoot()
            let pinch = 1 - 0.1 * (1 - abs(u * v)) * (u * u + v * v) / 2
            return Vector3(u * half * pinch, side * half * 0.4 * fullness, v * half * pinch)
        }
        var (positions, indices) = ([Vector3](), [UInt32]())
        for side in [Float(1), -1] {
            let base = UInt32(positions.count)
            for j in 0...count { for i in 0...count { positions.append(point(i, j, side)) } }
            for j in 0..<UInt32(count) {
                for i in 0..<UInt32(count) {
                    let a = base + j * UInt32(count + 1) + i
                    let (b, c, d) = (a + 1, a + UInt32(count + 1), a + UInt32(count + 2))
                    indices += side > 0 ? [a, c, b, b, c, d] : [a, b, c, b, d, c]
                }
            }
        }
        return (try? Geometry(positions: positions, indices: indices)) ?? .box()
    }
    stage.add(cushion(0.72), velvet(0x3A0A1E, sheen: 0xE07A9A), at: [-0.15, 0.29, 0.1], turned: [0, 0.3, 0])
    stage.add(cushion(0.56), velvet(0x0B2A33, sheen: 0x7AC4D0), at: [-0.1, 0.76, 0.06], turned: [0.04, -0.35, 0.05])
    stage.add(cushion(0.5), velvet(0x5A3A08, sheen: 0xF2C877), at: [0.72, 0.47, -0.62], turned: [1.2, -0.35, 0.05])
    stage.add(Light(.rectangle(width: 1.6, height: 0.8), intensity: 16), at: [-2.4, 2.2, -1.2], towards: [0, 0.3, 0])
    return SceneView(stage.scene)
}
