import VitrineGeometry

extension SplitMix64 {
    /// Uniform in −1…1.
    mutating func float() -> Float { Float(next() >> 40) / Float(1 << 23) - 1 }

    /// Uniform in −1…1.
    mutating func double() -> Double { Double(next() >> 11) / Double(1 << 52) - 1 }

    mutating func vector3() -> Vector3 { Vector3(float(), float(), float()) }

    mutating func vector3d() -> Vector3d { Vector3d(double(), double(), double()) }

    /// A random rotation; not exactly uniform.
    mutating func quaternion() -> Quaternion { Quaternion(angle: .radians(float() * .pi), axis: vector3()) }
}
