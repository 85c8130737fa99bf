import Testing
import VitrineGeometry

@Suite struct ProjectionTests {
    private func depth(_ matrix: Matrix4, at z: Float) -> Float {
        let clip = matrix * Vector4(0.3, 0.2, -z, 1)
        return clip.z / clip.w
    }

    @Test func depthRunsFromNearToFar() {
        let plain = Matrix4.perspective(fieldOfViewY: .degrees(60), aspectRatio: 1.5, near: 0.1, far: 50)
        #expect(abs(depth(plain, at: 0.1)) < 1e-6 && abs(depth(plain, at: 50) - 1) < 1e-6)
        let reversed = Matrix4.perspective(fieldOfViewY: .degrees(60), aspectRatio: 1.5, near: 50, far: 0.1)
        #expect(abs(depth(reversed, at: 0.1) - 1) < 1e-6 && abs(depth(reversed, at: 50)) < 1e-6)
        let infinite = Matrix4.perspective(fieldOfViewY: .degrees(60), aspectRatio: 1.5, near: .infinity, far: 0.1)
        #expect(abs(depth(infinite, at: 0.1) - 1) < 1e-6 && abs(depth(infinite, at: 1e6) - 1e-7) < 1e-9)
        let endless = Matrix4.perspective(fieldOfViewY: .degrees(60), aspectRatio: 1.5, near: 0.1, far: .infinity)
        #expect(abs(depth(endless, at: 0.1)) < 1e-6 && abs(depth(endless, at: 1e6) - 1) < 1e-6)
        // Reversed depth separates neighbours far away, where plain depth has no precision left.
        #expect(depth(infinite, at: 10_000) > depth(infinite, at: 10_001))
    }

    @Test func theFieldOfViewIsVertical() {
        let matrix = Matrix4.perspective(fieldOfViewY: .degrees(90), aspectRatio: 2, near: 1, far: 10)
        let clip = matrix * Vector4(6, 3, -3, 1)
        #expect(abs(clip.y / clip.w - 1) < 1e-6 && abs(clip.x / clip.w - 1) < 1e-6)
    }

    @Test func orthographicBoxesMapToClipSpace() {
        let matrix = Matrix4.orthographic(width: 4, height: 2, near: 1, far: 5)
        let corner = matrix * Vector4(2, -1, -1, 1)
        #expect(corner == Vector4(1, -1, 0, 1))
        #expect((matrix * Vector4(0, 0, -5, 1)).z == 1)
        #expect((Matrix4.orthographic(width: 4, height: 2, near: 5, far: 1) * Vector4(0, 0, -1, 1)).z == 1)
    }

    static let projections: [Matrix4] = [
        .perspective(fieldOfViewY: .degrees(50), aspectRatio: 1.3, near: 0.5, far: 20),
        .perspective(fieldOfViewY: .degrees(50), aspectRatio: 1.3, near: 20, far: 0.5),
        .perspective(fieldOfViewY: .degrees(50), aspectRatio: 1.3, near: .infinity, far: 0.5),
        .orthographic(width: 6, height: 4, near: 20, far: 0.5),
    ]

    /// A point is in the frustum if its clip coordinates are.
    @Test(arguments: projections.indices)
    func theFrustumIsTheClipVolume(_ index: Int) {
        let matrix = ProjectionTests.projections[index] * Matrix4.lookAt(eye: [1, 2, 6], target: [0, 0, 0]).affineInverse
        let frustum = Frustum(clipFromWorld: matrix)
        var random = SplitMix64(seed: 8)
        var inside = 0
        for _ in 0..<2000 {
            let point = random.vector3() * 8
            let clip = matrix * Vector4(point, 1)
            let margins = [clip.w + clip.x, clip.w - clip.x, clip.w + clip.y, clip.w - clip.y, clip.z, clip.w - clip.z]
            guard margins.allSatisfy({ abs($0) > 1e-3 }) else { continue }
            let isInside = margins.allSatisfy { $0 > 0 }
            inside += isInside ? 1 : 0
            #expect(frustum.intersects(center: point, radius: 0) == isInside)
            #expect(frustum.intersects(BoundingBox(minimum: point, maximum: point)) == isInside)
            // A box or sphere that contains a visible point is never culled.
            if isInside {
                let half = (random.vector3() + Vector3(repeating: 1)) * 3
                #expect(frustum.intersects(BoundingBox(minimum: point - half, maximum: point + half * 0.1)))
                #expect(frustum.intersects(center: point + Vector3(2, 0, 0), radius: 2.001))
            }
        }
        #expect(inside > 50)
    }

    @Test func planesMeasureMetres() {
        let frustum = Frustum(clipFromWorld: .orthographic(width: 4, height: 2, near: 10, far: 1))
        #expect(frustum.intersects(center: [3, 0, -5], radius: 1.01))
        #expect(!frustum.intersects(center: [3, 0, -5], radius: 0.99))
        #expect(!frustum.intersects(.empty))
    }
}
