extension PatchMatch {
    /// Any plane within the depths that faces the camera.
    @inline(__always) func anyPlane(_ random: inout PixelRandom, ray: SIMD4<Float>) -> SIMD4<Float> {
        let share = 0.5 * (random.signed() + 1)
        let w = inverseDepths.lowerBound + share * (inverseDepths.upperBound - inverseDepths.lowerBound)
        // Within 60° or so of the ray.
        let length = (ray * ray).sum().squareRoot()
        let turn = SIMD4<Float>(random.signed(), random.signed(), random.signed(), 0)
        return plane(w: w, direction: ray + turn * length, ray: ray)
    }

    /// Gives every active pixel without a plane any one.
    func fillAtRandom() {
        for y in 0..<height {
            for x in 0..<width where active[y * width + x] != 0 && planes[y * width + x].x <= 0 {
                var random = PixelRandom(seed, y * width + x)
                let ray = self.ray(Float(x), Float(y))
                var plane = SIMD4<Float>.zero
                for _ in 0..<8 {
                    plane = anyPlane(&random, ray: ray)
                    if isPlausible(plane, ray: ray) { break }
                    plane = self.plane(w: plane.x, direction: ray, ray: ray)
                }
                planes[y * width + x] = plane
            }
        }
    }
}

/// A small generator of random numbers that depends only on its seed.
struct PixelRandom {
    var state: UInt32

    @inline(__always) init(_ seed: UInt32, _ index: Int) {
        state = seed &* 0x9E37_79B9 ^ UInt32(truncatingIfNeeded: index) &* 0x85EB_CA6B
        state = (state ^ state >> 16) &* 0x7FEB_352D
        state = (state ^ state >> 15) &* 0x846C_A68B
        state ^= state >> 16
        if state == 0 { state = 1 }
    }

    /// −1…1 (xorshift, Marsaglia 2003).
    @inline(__always) mutating func signed() -> Float {
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        return Float(Int32(bitPattern: state) >> 8) * (1 / 8_388_608)
    }
}
