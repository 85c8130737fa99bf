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
    private static let photos = SyntheticScene.cameras(count: 12, distance: 3.2).enumerated().map { ball.photo($0.offset, $0.element) }

    private func comparison() throws -> ModelComparison {
        let options = TextureBuilder.Options(textureSize: 1024, maps: [])
        return ModelComparison(
            try TextureBuilder(options).build(
                mesh: Self.ball.mesh, detailed: nil, photos: PhotoViewSource(Self.photos), in: StageContext(parallel: Parallel(threads: 1)))
        )
    }

    @Test func photosOfTheModelAgree() throws {
        let comparison = try comparison()
        for photo in Self.photos { #expect(try #require(comparison.agreement(with: photo)) > 0.8) }
        // At half the exposure.
        let dark = Self.ball.photo(3, Self.photos[3].camera, gain: Vector3(repeating: 0.5))
        #expect(try #require(comparison.agreement(with: dark)) > 0.8)
    }

    @Test func otherPhotosContradict() throws {
        let comparison = try comparison()
        for (index, photo) in Self.photos.enumerated() {
            // What another camera shows, and the mirrored photo.
            let other = Self.photos[(index + 5) % Self.photos.count].color
            #expect(try #require(comparison.agreement(with: photo.showing(other))) < 0.5)
            #expect(try #require(comparison.agreement(with: photo.showing(photo.color.mirrored))) < 0.5)
        }
    }

    /// Without contrast nothing agrees or contradicts.
    @Test func plainPhotosAreNotJudged() throws {
        let photo = Self.photos[0]
        let plain = ColorPlane(width: 240, height: 200, values: Array(repeating: 90, count: 3 * 240 * 200))
        #expect(try comparison().agreement(with: photo.showing(plain)) == nil)
    }
}

extension PhotoView {
    fileprivate func showing(_ color: ColorPlane) -> PhotoView {
        PhotoView(photo: photo, camera: camera, color: color, mask: mask, depthRange: depthRange)
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
