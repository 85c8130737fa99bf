import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTexture

@Suite struct ModelComparisonTests {
    /// Spots that don't repeat.
    private static let ball = SyntheticScene(mesh: SyntheticScene.ball(rings: 28)) { p in
        let waves: [Float] = [
            sin(7 * p.x + 3 * p.y + 1), sin(8 * p.y - 5 * p.z), sin(9 * p.z + 4 * p.x + 2), sin(17 * p.x - 6 * p.z),
            sin(13 * p.y + 11 * p.x),
        ]
        return Vector3(repeating: 128 + 22 * waves.reduce(0, +))
    }
    private static let comparison = ModelComparison(ball.mesh)
    /// Cameras at the height of the ball's centre.
    private static func camera(degrees: Double) -> PosedCamera {
        let angle = degrees * .pi / 180
        let center = Vector3d(sin(angle), 0, cos(angle)) * 3.2
        let z = -center / length(center)
        let x = normalize(cross(z, Vector3d(0, 1, 0)))
        let rotation = Matrix3d(rows: x, cross(z, x), z)
        let intrinsics = CameraIntrinsics(
            width: 240, height: 200, focal: Vector2d(repeating: 264), center: Vector2d(120, 100))
        return PosedCamera(intrinsics: intrinsics, cameraFromWorld: RigidTransform(rotation: rotation, translation: -(rotation * center)))
    }
    private static let photos = [0.0, 20, 40].map { ball.photo(0, camera(degrees: $0)) }

    private func view(_ color: ColorPlane, _ camera: PosedCamera) throws -> ModelComparison.View {
        try #require(Self.comparison.view(color: color, camera: camera))
    }

    private func views() throws -> [ModelComparison.View] { try Self.photos.map { try view($0.color, $0.camera) } }

    @Test func photosOfTheModelAgree() throws {
        let views = try views()
        for (first, second) in [(0, 1), (1, 2), (2, 1)] {
            #expect(try #require(Self.comparison.agreement(of: views[first], with: views[second])) > 0.8)
        }
        // At half the exposure.
        let camera = Self.photos[1].camera
        let dark = try view(Self.ball.photo(1, camera, gain: Vector3(repeating: 0.5)).color, camera)
        #expect(try #require(Self.comparison.agreement(of: dark, with: views[0])) > 0.8)
    }

    @Test func otherPhotosContradict() throws {
        let views = try views()
        let camera = Self.photos[1].camera
        // The ball turned by 60°, and the mirrored photo.
        let turned = try view(Self.ball.photo(1, Self.camera(degrees: 80)).color, camera)
        #expect(try #require(Self.comparison.agreement(of: turned, with: views[0])) < 0.4)
        #expect(try #require(Self.comparison.agreement(of: views[0], with: turned)) < 0.4)
        let mirrored = try view(Self.photos[1].color.mirrored, camera)
        #expect(try #require(Self.comparison.agreement(of: mirrored, with: views[0])) < 0.4)
    }

    /// A mesh in the wrong position moves photos to the wrong positions, also those that agree with each other.
    @Test func wrongMeshIsContradicted() throws {
        var mesh = Self.ball.mesh
        for index in mesh.positions.indices { mesh.positions[index] += Vector3(0, 0, -0.4) }
        let comparison = ModelComparison(mesh)
        let views = try Self.photos.map { try #require(comparison.view(color: $0.color, camera: $0.camera)) }
        #expect(try #require(comparison.agreement(of: views[0], with: views[2])) < 0.5)
    }

    /// Without contrast nothing agrees or contradicts; photos of different sides have nothing in common.
    @Test func photosThatCannotBeComparedAreNotJudged() throws {
        let views = try views()
        let plain = ColorPlane(width: 240, height: 200, values: Array(repeating: 90, count: 3 * 240 * 200))
        #expect(try Self.comparison.agreement(of: view(plain, Self.photos[0].camera), with: views[1]) == nil)
        let behind = Self.camera(degrees: 180)
        #expect(try Self.comparison.agreement(of: views[0], with: view(Self.photos[0].color, behind)) == nil)
    }
}

extension ColorPlane {
    /// The left is the right.
    fileprivate var mirrored: ColorPlane {
        var result = self
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<3 { result.values[3 * (y * width + x) + channel] = values[3 * (y * width + width - 1 - x) + channel] }
            }
        }
        return result
    }
}
