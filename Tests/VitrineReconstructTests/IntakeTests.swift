import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport
import VitrineVision

@testable import VitrineReconstruct

@Suite struct IntakeTests {
    private static func noise(width: Int, height: Int, seed: UInt64) -> ColorPlane {
        var random = SplitMix64(seed: seed)
        return ColorPlane(
            width: width, height: height, values: (0..<width * height * 3).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }

    @Test func sharpnessDecreasesWithBlur() {
        let sharp = Self.noise(width: 200, height: 150, seed: 3)
        let blurred = sharp.reduced(maximumSide: 50).enlarged(by: 4)
        let score = Sharpness.score(of: sharp.gray)
        #expect(score > 0.6)
        #expect(Sharpness.score(of: blurred.gray) < 0.8 * score)
        #expect(Sharpness.score(of: GrayPlane(width: 64, height: 64, repeating: 0.5)) == 0)
        #expect(Sharpness.score(of: GrayPlane(width: 4, height: 4, repeating: 0.5)) == 0)
    }

    @Test func reductionKeepsTheMean() {
        let photo = Self.noise(width: 201, height: 77, seed: 5)
        let small = photo.reduced(maximumSide: 60)
        #expect((small.width, small.height) == (60, 23))
        func mean(_ plane: ColorPlane) -> Double { plane.values.reduce(0) { $0 + Double($1) } / Double(plane.values.count) }
        #expect(abs(mean(photo) - mean(small)) < 1)
        #expect(photo.reduced(maximumSide: 500) == photo)
    }

    @Test func colorsHaveEightBitsAndNoAlpha() throws {
        let image = try Image(width: 1, height: 1, format: .rgba16, bytes: [0x12, 0x80, 0x34, 0x40, 0x56, 0xFF, 0, 0])
        #expect(ColorPlane(image)?.values == [0x80, 0x40, 0xFF])
        let floats = try Image(width: 1, height: 1, format: .rgba32Float, bytes: Array(repeating: 0, count: 16))
        #expect(ColorPlane(floats) == nil)
    }

    /// Reports files that aren't photos, and copies; the others are processed.
    @Test func otherFilesInTheFolderAreReported() throws {
        try withTemporaryDirectory { folder in
            func write(_ name: String, _ seed: UInt64) throws {
                let image = try #require(Self.noise(width: 96, height: 80, seed: seed).image)
                try image.write(to: folder.appendingPathComponent(name))
            }
            try write("a.png", 1)
            try write("b.png", 2)
            try Data(contentsOf: folder.appendingPathComponent("a.png")).write(to: folder.appendingPathComponent("c.png"))
            try Data("hello".utf8).write(to: folder.appendingPathComponent("notes.txt"))
            try Data(contentsOf: folder.appendingPathComponent("b.png")).prefix(300).write(to: folder.appendingPathComponent("torn.png"))
            let tiny = try #require(Self.noise(width: 8, height: 8, seed: 4).image)
            try tiny.write(to: folder.appendingPathComponent("tiny.png"))
            let resources = try StageResources.temporary()
            defer { resources.store.removeIfTemporary() }
            let intake = PhotoIntake(try PhotoFolder(folder, masks: nil), usesMasks: true)
            for isSecond in [false, true] {
                let outcome = try intake.run(with: resources, in: StageContext(parallel: Parallel(threads: 2)))
                #expect(outcome.wasRestored == isSecond)
                #expect(outcome.photos.map(\.name) == ["a.png", "b.png"])
                #expect(outcome.photos.map(\.id) == [0, 1])
                #expect(outcome.duplicates.map(\.name) == ["c.png"])
                #expect(outcome.duplicates.first?.of == "a.png")
                #expect(outcome.invalid.map(\.name) == ["notes.txt", "tiny.png", "torn.png"])
                #expect(outcome.invalid.allSatisfy { !$0.reason.isEmpty })
                #expect(outcome.photos.allSatisfy { !$0.facts.thumbnail.isEmpty && $0.facts.sharpness > 0.5 })
            }
        }
    }

    /// A capture session's companions give a photo gravity, intrinsics, pass and session.
    @Test func recordsOfACaptureAreRead() throws {
        try withTemporaryDirectory { folder in
            let lens = CameraIntrinsics(width: 192, height: 160, focal: Vector2d(200, 201), center: Vector2d(97, 79))
            let camera = PosedCamera(intrinsics: lens, cameraFromWorld: RigidTransform(rotation: .identity, translation: Vector3d(0, 0, 1)))
            let (session, pass, pose) = (UUID(), UUID(), UUID())
            for (index, unit) in ["metre", "arbitrary", "metre"].enumerated() {
                let name = "shot-000\(index + 1)"
                let image = try #require(Self.noise(width: 96, height: 80, seed: UInt64(index)).image)
                try image.write(to: folder.appendingPathComponent(name + ".png"))
                let record = ShotRecord(
                    camera: PosesFile.Camera(name: name + ".png", camera: camera), unit: unit, gravity: index == 1 ? nil : [0, -1, 0],
                    time: 3,
                    exposureDuration: nil, sharpness: 0.5, session: session, pass: pass, objectPose: pose, box: nil, isManual: false)
                // The third is cut off.
                try Data(try record.json().prefix(index == 2 ? 80 : 1 << 20)).write(to: folder.appendingPathComponent(name + ".json"))
            }
            try Data("{}".utf8).write(to: folder.appendingPathComponent("notes.json"))
            let resources = try StageResources.temporary()
            defer { resources.store.removeIfTemporary() }
            let outcome = try PhotoIntake(try PhotoFolder(folder, masks: nil), usesMasks: true).run(with: resources, in: StageContext())
            #expect(outcome.photos.map(\.name) == ["shot-0001.png", "shot-0002.png", "shot-0003.png"])
            #expect(outcome.invalid.map(\.name) == ["notes.json"], "only companions of photos are records")
            #expect(outcome.photos[0].upInCamera == Vector3d(0, -1, 0) && outcome.photos[1].upInCamera == nil)
            // The photo has half the size of the record's camera.
            let guess = outcome.photos[0].cameraGuess
            #expect(guess.isFocalKnown && length(guess.intrinsics.focal - lens.focal / 2) < 1e-9)
            #expect(!outcome.photos[1].cameraGuess.isFocalKnown, "a tracker without scale has an uncalibrated camera")
            #expect(outcome.photos[0].initialCamera?.cameraFromWorld == camera.cameraFromWorld)
            #expect(outcome.photos[0].tracked?.isMetric == true && outcome.photos[1].tracked?.isMetric == false)
            #expect(outcome.photos[2].initialCamera == nil && outcome.warnings.count == 1 && outcome.warnings[0].contains("shot-0003.json"))
        }
    }

    /// Large photos are decoded at a reduced size; their reported facts are those of the stored photo.
    @Test func largePhotosAreDecodedAtAReducedSize() throws {
        try withTemporaryDirectory { folder in
            let small = try #require(Self.noise(width: 90, height: 60, seed: 8).enlarged(by: 30).image)
            let url = folder.appendingPathComponent("large.jpg")
            try Data(try ImageFile.encode(small, as: .jpeg(quality: 85))).write(to: url)
            let resources = try StageResources.temporary()
            defer { resources.store.removeIfTemporary() }
            let samples = [PhotogrammetrySample(id: 0, url: url)]
            let outcome = try PhotoIntake(samples, usesMasks: true).run(with: resources, in: StageContext())
            let photo = try #require(outcome.photos.first)
            #expect(photo.storedSize == PhotoSize(width: 2_700, height: 1_800) && photo.facts.isReducible && !photo.facts.hasTransparency)
            let pixels = resources.pixels
            let (quarter, whole) = (
                try pixels.decode(photo.reference, side: 675).color, try pixels.decode(photo.reference, side: 2_700).color
            )
            #expect((quarter.width, quarter.height) == (675, 450) && (whole.width, whole.height) == (2_700, 1_800))
            let reduced = whole.reduced(maximumSide: 675)
            let difference = zip(quarter.values, reduced.values).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(difference < 2 * quarter.values.count)
        }
    }

    @Test func sensorDepthIsInMetres() throws {
        var bytes = [UInt8](repeating: 0, count: 3 * 8)
        for (index, value) in [UInt16(1_500), 0, 65_535].enumerated() {
            (bytes[index * 8], bytes[index * 8 + 1]) = (UInt8(value & 255), UInt8(value >> 8))
        }
        let image = try Image(width: 3, height: 1, format: .rgba16, bytes: bytes)
        let plane = try SensorDepthMap.depths(of: .image(image), confidence: nil)
        #expect(abs(plane.values[0] - 1.5) < 1e-5 && plane.values[1...] == [0, 0])
    }
}

extension ColorPlane {
    /// The image enlarged with bilinear interpolation.
    fileprivate func enlarged(by factor: Int) -> ColorPlane {
        var values: [UInt8] = []
        for y in 0..<height * factor {
            for x in 0..<width * factor {
                let (fx, fy) = (Float(x) / Float(factor), Float(y) / Float(factor))
                let (x0, y0) = (Int(fx), Int(fy))
                let (x1, y1) = (min(width - 1, x0 + 1), min(height - 1, y0 + 1))
                let (u, v) = (fx - Float(x0), fy - Float(y0))
                for channel in 0..<3 {
                    func at(_ x: Int, _ y: Int) -> Float { Float(self.values[(y * width + x) * 3 + channel]) }
                    let top = at(x0, y0) * (1 - u) + at(x1, y0) * u
                    let bottom = at(x0, y1) * (1 - u) + at(x1, y1) * u
                    values.append(UInt8(top * (1 - v) + bottom * v))
                }
            }
        }
        return ColorPlane(width: width * factor, height: height * factor, values: values)
    }
}

extension StageResources {
    /// Resources with a temporary checkpoint folder: call `store.removeIfTemporary()` at the end.
    static func temporary(budget: Int = 64 << 20) throws -> StageResources {
        let store = try CheckpointStore(folder: nil)
        return StageResources(store: store, pixels: PhotoPixels(store: store, budget: budget), views: ViewCache())
    }
}
