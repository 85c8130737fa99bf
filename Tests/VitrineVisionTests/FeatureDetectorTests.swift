import Testing
import VitrineMath

@testable import VitrineVision

@Suite struct FeatureDetectorTests {
    /// A bright Gaussian spot on grey.
    private func spot(at center: SIMD2<Float>, sigma: Float, width: Int = 200, height: Int = 160) -> GrayPlane {
        var photo = GrayPlane(width: width, height: height, repeating: 0.3)
        for y in 0..<height {
            for x in 0..<width {
                let away = SIMD2(Float(x) + 0.5, Float(y) + 0.5) - center
                photo[x, y] += 0.5 * VitrineMath.exp(-(away * away).sum() / (2 * sigma * sigma))
            }
        }
        return photo
    }

    @Test(arguments: [(0, 4000), (4000, 4000), (0, 120)], [SIMD2<Float>(90.5, 70.5), SIMD2(101.27, 83.64)])
    func detectsASpotAtItsCentre(_ sizes: (doubling: Int, most: Int), position: SIMD2<Float>) throws {
        var options = FeatureDetector.Options()
        (options.doublingSide, options.maximumSide) = (sizes.doubling, sizes.most)
        let found = FeatureDetector(options).detect(in: spot(at: position, sigma: 6))
        let nearest = try #require(
            found.positions.indices.min { length(found.positions[$0] - position) < length(found.positions[$1] - position) })
        // At another image size resampling may move it by a few hundredths of a pixel.
        #expect(length(found.positions[nearest] - position) < 0.08)
        #expect(abs(found.scales[nearest] / 6 - 1) < 0.25)
    }

    @Test func locatesShiftedTextureToAFractionOfAPixel() {
        let texture = NoiseTexture(size: 24)
        let shift = Vector2d(3.37, -2.81)
        let a = FeatureDetector().detect(in: texture.photo(width: 200, height: 200))
        let b = FeatureDetector().detect(in: texture.photo(width: 200, height: 200) { $0 + shift })
        let matches = mutual(a, b)
        #expect(matches.count > 200)
        let errors = matches.map { match -> Float in
            length(a.positions[Int(match.first)] - b.positions[Int(match.second)] - SIMD2<Float>(shift))
        }.sorted()
        #expect(errors[errors.count / 2] < 0.06)
        #expect(errors[errors.count * 9 / 10] < 0.3)
    }

    @Test func matchesRotatedAndScaledTexture() {
        let texture = NoiseTexture(size: 24)
        let (angle, scale) = (0.7, 1.4)
        func moved(_ p: Vector2d) -> Vector2d {
            let q = (p - 110) / scale
            return Vector2d(
                VitrineMath.cos(angle) * q.x - VitrineMath.sin(angle) * q.y, VitrineMath.sin(angle) * q.x + VitrineMath.cos(angle) * q.y)
                + 100
        }
        let a = FeatureDetector().detect(in: texture.photo(width: 200, height: 200))
        let b = FeatureDetector().detect(in: texture.photo(width: 220, height: 220, textureFromPhoto: moved))
        let matches = mutual(a, b)
        let right = matches.filter { match in
            let position = moved(Vector2d(b.positions[Int(match.second)]))
            return length(position - Vector2d(a.positions[Int(match.first)])) < 1
        }
        #expect(right.count > 100)
        #expect(right.count * 10 > matches.count * 9)
        // The photo's features are rotated and scaled relative to the texture's.
        for match in right.prefix(50) {
            #expect(abs(b.scales[Int(match.second)] / a.scales[Int(match.first)] / Float(scale) - 1) < 0.5)
        }
    }

    @Test func descriptorsAreRootNormalised() {
        let found = FeatureDetector().detect(in: NoiseTexture().photo(width: 120, height: 100))
        #expect(found.count > 20)
        #expect(found.descriptors.count == 128 * found.count)
        for square in DescriptorMatcher.squares(found.descriptors) {
            #expect(abs(Double(square).squareRoot() - 512) < 12)
        }
        #expect(found.scales == found.scales.sorted(by: >))
    }

    @Test func respectsMaskAndCount() {
        let photo = NoiseTexture(size: 16).photo(width: 240, height: 200)
        var mask = MaskPlane(width: 120, height: 100, repeating: 0)
        for y in 20..<80 { for x in 30..<90 { mask[x, y] = 255 } }
        let masked = FeatureDetector().detect(in: photo, mask: mask)
        #expect(masked.count > 50)
        for position in masked.positions { #expect(position.x >= 60 && position.x < 180 && position.y >= 40 && position.y < 160) }

        var options = FeatureDetector.Options()
        options.maximumCount = 200
        let few = FeatureDetector(options).detect(in: photo)
        #expect(few.count == 200)
        // Distributed over the image: each quarter has its share.
        for quarter in 0..<4 {
            let inside = few.positions.count { ($0.x < 120) == (quarter & 1 == 0) && ($0.y < 100) == (quarter & 2 == 0) }
            #expect(inside >= 20)
        }
    }

    /// Cancellation is checked often enough to stop quickly in a large photo.
    @Test func detectionCanBeCancelled() {
        let photo = NoiseTexture().photo(width: 200, height: 160)
        var asked = 0
        let whole = FeatureDetector().detect(in: photo) {
            asked += 1
            return false
        }
        #expect(whole == FeatureDetector().detect(in: photo))
        // For each level of each octave, rows of the search, and features.
        #expect(asked > 20)
        for limit in [0, 3, asked / 2] {
            var left = limit
            let found = FeatureDetector().detect(in: photo) {
                left -= 1
                return left < 0
            }
            #expect(found.count == 0)
        }
    }

    @Test func positionsScaleWithTheImage() {
        var features = FeatureSet(positions: [SIMD2(10, 20)], scales: [2], orientations: [1], descriptors: [])
        features.enlarge(by: SIMD2(2, 4))
        #expect(features.positions == [SIMD2(20, 80)] && features.scales == [6] && features.orientations == [1])
    }

    @Test func emptyAndBrokenPhotosHaveNoFeatures() {
        #expect(FeatureDetector().detect(in: GrayPlane(width: 0, height: 0, repeating: 0)).count == 0)
        #expect(FeatureDetector().detect(in: GrayPlane(width: 1, height: 500, repeating: 0.5)).count == 0)
        #expect(FeatureDetector().detect(in: GrayPlane(width: 64, height: 64, repeating: 0.5)).count == 0)
        #expect(FeatureDetector().detect(in: GrayPlane(width: 64, height: 64, repeating: .nan)).count == 0)
        let tall = FeatureDetector().detect(in: NoiseTexture(size: 8).photo(width: 16, height: 400))
        #expect(tall.positions.allSatisfy { $0.x >= 0 && $0.x <= 16 && $0.y >= 0 && $0.y <= 400 })
    }

    private func mutual(_ a: FeatureSet, _ b: FeatureSet) -> [DescriptorMatcher.Match] {
        DescriptorMatcher.mutual(
            PreparedFeatures(a, width: 220, height: 220), a.count, PreparedFeatures(b, width: 220, height: 220), b.count, ratio: 0.8)
    }
}
