import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport
import VitrineVision

@testable import VitrineReconstruct

/// 160 × 120 pixels: a blue sky that gets brighter downwards, a roof with a gable before it, and a wall with texture. Noise of two levels.
private func street(wall: Vector3 = Vector3(120, 110, 90)) -> ColorPlane {
    var random = SplitMix64(seed: 5)
    return paint { x, y in
        let noise = Float(random.signed()) * 2
        let roof = 40 + abs(x - 80) / 3
        if y < roof { return Vector3(140 + Float(y) / 2, 175 + Float(y) / 3, 225) + Vector3(noise, noise, noise) }
        let brick = Float((x / 6 + y / 4) % 2) * 30
        return wall + Vector3(brick, brick, brick) + Vector3(noise, noise, noise)
    }
}

private func paint(width: Int = 160, height: Int = 120, _ level: (_ x: Int, _ y: Int) -> Vector3) -> ColorPlane {
    var image = ColorPlane(width: width, height: height, values: Array(repeating: 0, count: 3 * width * height))
    for y in 0..<height {
        for x in 0..<width {
            let color = level(x, y)
            for channel in 0..<3 { image.values[3 * (y * width + x) + channel] = UInt8(max(0, min(255, color[channel]))) }
        }
    }
    return image
}

@Suite struct SkyTests {
    /// f/8 and 1/250 s at ISO 100 is an exposure value of 14: a sunny day.
    private let sunny = Sky(exposureValue: 14, orientation: .up)

    @Test func skyOverARoofIsSegmented() throws {
        let sky = try #require(sunny)
        let mask = try #require(sky.mask(of: street()))
        var (missed, eaten) = (0, 0)
        for y in 0..<mask.height {
            for x in 0..<mask.width {
                let roof = 40 + abs(x - 80) / 3
                if y < roof - 1, mask[x, y] != 0 { missed += 1 }
                if y > roof, mask[x, y] == 0 { eaten += 1 }
            }
        }
        #expect(missed == 0 && eaten == 0)
    }

    /// Photos of rooms are exposed longer: the same pixels are a wall there.
    @Test func smoothWallOfARoomIsNoSky() throws {
        let room = try #require(Sky(exposureValue: 11, orientation: .up))
        #expect(room.mask(of: street()) == nil)
        #expect(Sky(exposureValue: 6, orientation: .up) == nil)
        #expect(Sky(exposureValue: -.infinity, orientation: .up) == nil)
    }

    /// A photo that is stored on its side.
    @Test func upperEdgeFollowsTheOrientation() throws {
        let upright = street()
        let onItsSide = paint(width: 120, height: 160) { x, y in upright.level(y, x) }
        let opposite = try #require(Sky(exposureValue: 14, orientation: .rightMirrored))
        #expect(opposite.mask(of: onItsSide) == nil)
        let turned = try #require(Sky(exposureValue: 14, orientation: .leftMirrored))
        let mask = try #require(turned.mask(of: onItsSide))
        #expect(mask[2, 80] == 0 && mask[100, 80] == 255)
    }

    @Test func warmSmoothSurfacesAreNoSky() throws {
        let sand = paint { _, _ in Vector3(230, 205, 160) }
        #expect(try #require(sunny).mask(of: sand) == nil)
        #expect(try #require(sunny).mask(of: ColorPlane(width: 0, height: 0, values: [])) == nil)
    }

    @Test func photosWithASkyHaveItAsBackground() throws {
        let photos = (0..<4).map { street(wall: Vector3(100 + 10 * Float($0), 90, 80)) }
        let model = try #require(BackgroundModel.learn(from: photos, skies: photos.map { _ in sunny }))
        #expect(model.kind == .sky && model.scene(of: 0) == nil)
        #expect(model.mask(of: photos[1], index: 1)?[80, 2] == 0)
        #expect(BackgroundModel.learn(from: photos, skies: [nil, nil, nil, sunny]) == nil)
        #expect(BackgroundModel.learn(from: photos) == nil)
        #expect(try BackgroundModel(decoding: model.encoded) == model)
    }

    @Test func exposureValueNeedsAllThree() {
        var metadata = PhotoMetadata()
        (metadata.fNumber, metadata.exposureTime) = (8, 1 / 250)
        #expect(PhotoReadingStage.exposureValue(metadata) == nil)
        metadata.iso = 100
        #expect(abs((PhotoReadingStage.exposureValue(metadata) ?? 0) - 13.97) < 0.01)
        metadata.iso = 400
        #expect(abs((PhotoReadingStage.exposureValue(metadata) ?? 0) - 11.97) < 0.01)
    }
}
