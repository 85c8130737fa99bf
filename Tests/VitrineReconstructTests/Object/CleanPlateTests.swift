import Testing
import VitrineMath
import VitrineVision

@testable import VitrineReconstruct

/// A painted block with an arm that moves to and fro, on a turntable before a darker wall.
@Suite struct CleanPlateTests {
    private static let (width, height) = (160, 120)
    private static let wall = Vector3(70, 76, 110)
    private static let sheet = Vector3(96, 102, 184)
    private static let white = Vector3(210, 210, 204)

    private struct Scene {
        var images: [ColorPlane] = []
        /// 255 where the photo shows the object.
        var masks: [MaskPlane] = []

        /// - Parameters:
        ///   - arm: The colour of the arm; nil: a pattern.
        ///   - paint: The colour of a pixel of the block in a photo.
        init(photos: Int = 12, arm: Vector3? = nil, paint: (_ x: Int, _ y: Int, _ photo: Int) -> Vector3) {
            for photo in 0..<photos {
                var mask = MaskPlane(width: width, height: height, repeating: 0)
                var values: [UInt8] = []
                for y in 0..<height {
                    for x in 0..<width {
                        var color = background(x, y)
                        if isBlock(x, y) || isArm(x, y, photo) {
                            mask[x, y] = 255
                            color = isBlock(x, y) ? paint(x, y, photo) : arm ?? speckled(x - armStart(photo), y, 3)
                        } else if isShadow(x, y, photo) {
                            color *= 0.65
                        }
                        let noise = Float((x * 7919 + y * 104_729 + photo * 1_299_709) % 5) - 2
                        for channel in 0..<3 { values.append(UInt8(max(0, min(255, color[channel] + noise)))) }
                    }
                }
                masks.append(mask)
                images.append(ColorPlane(width: width, height: height, values: values))
            }
        }

        func foregrounds() throws -> [MaskPlane] {
            let background = try #require(StaticBackground(images))
            let plate = CleanPlate(images, background: background)
            // The region in which the object turns is larger than the object.
            let region = background.region.values.count { $0 != 0 }
            for mask in masks { #expect(5 * region > 6 * mask.values.count { $0 != 0 }) }
            return images.map { plate.mask(of: $0) }
        }
    }

    private static func background(_ x: Int, _ y: Int) -> Vector3 { y < 30 ? wall : sheet + Vector3(repeating: Float(y) / 8) }
    private static func isBlock(_ x: Int, _ y: Int) -> Bool { (66..<94).contains(x) && (24..<96).contains(y) }
    /// The left end of the arm: right of the block, or left of it.
    private static func armStart(_ photo: Int) -> Int { photo % 2 == 0 ? 94 : 46 - photo % 3 }
    private static func isArm(_ x: Int, _ y: Int, _ photo: Int) -> Bool {
        let start = armStart(photo)
        return (start..<start + 20).contains(x) && (40..<48 + 2 * (photo % 4)).contains(y)
    }
    private static func isShadow(_ x: Int, _ y: Int, _ photo: Int) -> Bool {
        (96..<104).contains(y) && (60 + photo..<90 + photo).contains(x)
    }
    private static func speckled(_ x: Int, _ y: Int, _ seed: Int) -> Vector3 {
        let level = Float((x * 31 + y * 57 + x * y * seed + seed * 13) % 97)
        return Vector3(150 + level, 60 + level, 20 + level / 2)
    }

    /// The pixels that a mask misses of another, and those that it has beyond.
    private func errors(_ mask: MaskPlane, _ truth: MaskPlane) -> (missing: Int, beyond: Int) {
        (
            zip(mask.values, truth.values).count { $0 == 0 && $1 != 0 },
            zip(mask.values, truth.values).count { $0 != 0 && $1 == 0 }
        )
    }

    @Test func backgroundInTheTurningRegionIsNotTheObject() throws {
        let scene = Scene { Self.speckled($0 + 5 * $2, $1, $2 + 1) }
        for (mask, truth) in zip(try scene.foregrounds(), scene.masks) {
            let (missing, beyond) = errors(mask, truth)
            #expect(missing == 0 && beyond < 40)
        }
    }

    /// The plain sides of a mug look the same from all sides; its print does not. Its edge ends the plate.
    @Test func plainPartsOfTheObjectStay() throws {
        let scene = Scene { x, y, photo in
            (x + 5 * photo) % 28 < 9 ? Self.speckled(x, y, photo + 1) : Self.white
        }
        for (mask, truth) in zip(try scene.foregrounds(), scene.masks) { #expect(errors(mask, truth).missing == 0) }
    }

    /// A shadow on a blue sheet is blue; something grey as dark is not.
    @Test func shadowsAreBackgroundAndGreyIsNot() throws {
        let scene = Scene(arm: Vector3(repeating: 84)) { Self.speckled($0 + 5 * $2, $1, $2 + 1) }
        for (mask, truth) in zip(try scene.foregrounds(), scene.masks) {
            let (missing, beyond) = errors(mask, truth)
            #expect(missing == 0 && beyond < 40)
        }
    }
}
