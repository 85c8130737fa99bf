import VitrineMath

/// Paint through space: a colour for each point, with detail from decimetres to millimetres that nowhere repeats.
struct SolidTexture: Sendable {
    var seed: UInt32

    /// Linear albedo at a point in metres.
    func albedo(at point: Vector3) -> Vector3 {
        let broad = noise(point * 28)
        let blots = noise(point * 75 + 17)
        let spots = noise(point * 210 - 5)
        let grain = noise(point * 520 + 3)
        let fine = noise(point * 1100)
        // Steps create edges and corners, where features are detected; ramps give every window of a few pixels something to match.
        let warm = Vector3(0.62, 0.32, 0.14)
        let cool = Vector3(0.10, 0.30, 0.44)
        let pale = Vector3(0.85, 0.78, 0.62)
        var color = mix(warm, cool, smoothstep(-0.06, 0.06, broad))
        color = mix(color, pale, 0.85 * smoothstep(0.12, 0.2, blots))
        color = mix(color, Vector3(0.06, 0.04, 0.05), 0.8 * smoothstep(0.2, 0.28, spots))
        return color * (0.75 + 0.7 * grain + 0.5 * fine)
    }

    /// Value noise, −0.5…0.5, one feature a unit.
    func noise(_ point: Vector3) -> Float {
        let floor = point.rounded(.down)
        let t = point - floor
        let s = t * t * (3 - 2 * t)
        let cell = SIMD3<Int32>(floor)
        let x = UInt32(bitPattern: cell.x)
        let y = UInt32(bitPattern: cell.y)
        let z = UInt32(bitPattern: cell.z)
        let lower = mix(
            mix(value(x, y, z), value(x &+ 1, y, z), s.x), mix(value(x, y &+ 1, z), value(x &+ 1, y &+ 1, z), s.x), s.y)
        let upper = mix(
            mix(value(x, y, z &+ 1), value(x &+ 1, y, z &+ 1), s.x), mix(value(x, y &+ 1, z &+ 1), value(x &+ 1, y &+ 1, z &+ 1), s.x), s.y)
        return mix(lower, upper, s.z)
    }

    private func value(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> Float {
        var hash = seed &+ x &* 0x9E37_79B1
        hash = (hash ^ (hash >> 15)) &+ y &* 0x85EB_CA77
        hash = (hash ^ (hash >> 13)) &* 0xC2B2_AE3D &+ z &* 0x27D4_EB2F
        hash = (hash ^ (hash >> 16)) &* 0x7FEB_352D
        return Float((hash ^ (hash >> 15)) >> 8) * (1 / 16_777_216) - 0.5
    }
}

extension SplitMix64 {
    /// −1…1.
    package mutating func signed() -> Double { Double(next() >> 11) * (2 / 9_007_199_254_740_992) - 1 }

    /// Returns a nearly normal number of deviation 1: the sum of four uniforms.
    package mutating func normal() -> Double { (signed() + signed() + signed() + signed()) * 0.866_025_403_784_438_6 }
}
