import VitrineMath

/// Numbers for tests, the same in every run.
struct TestRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// −1…1.
    mutating func float() -> Float {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Float(state >> 40) / Float(1 << 23) - 1
    }

    mutating func vector3() -> Vector3 { Vector3(float(), float(), float()) }

    /// A random rotation, approximately uniform.
    mutating func quaternion() -> Quaternion { Quaternion(angle: .radians(float() * .pi), axis: vector3()) }
}
